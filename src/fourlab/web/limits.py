"""What one visitor may ask for. Everything that comes from a browser passes through here."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fourlab.agents.base import Agent
from fourlab.agents.learned import Learned
from fourlab.agents.registry import AGENTS
from fourlab.core.errors import FourlabError, SpecError
from fourlab.core.spec import configure, options_of, parse, unknown
from fourlab.rules.catalog import game as find_game
from fourlab.rules.geometry import Rules

KEPT = "run:"  # before the name of a kept run, in place of an agent's spec
RUNS = Path("runs")  # the only folder whose files a visitor can name
RECORD = RUNS / "web" / "games.db"  # where games of the pages are kept
RERUNS = RUNS / "web" / "studies"  # where quick reruns of studies are kept
MOVE_SECONDS = 5.0
ANALYSIS_SECONDS = 20.0
QUICK_SIMULATIONS = 10_000  # up to which a search needs no limit on time
QUICK_DEPTH = 6
MOST_SPEC = 200  # characters
MOST_MOVES = 400  # characters
MOST_PAGES = 400  # open pages in all
MOST_PAGES_EACH = 40  # open pages from one address, where others can reach the laboratory


def read_game(spec: str) -> Rules:
    """Return the game that a visitor named; raises FourlabError with a remedy."""
    return find_game(_short(spec, "game"))


def _no_runs(name: str) -> tuple[str, Path]:
    raise SpecError(f"run {name!r} is not kept here")


FindRun = Callable[[str], tuple[str, Path]]
_find_run: FindRun = _no_runs  # agents are read in many places, of one laboratory


def offer_runs(find: FindRun) -> None:
    """Let visitors name kept runs, as `run:NAME`; `find` gives the agent's name and the folder."""
    global _find_run
    _find_run = find


def read_agent(text: str, rules: Rules) -> Agent:
    """Return the agent that a visitor named, held to what the web allows.

    Raises SpecError if it asks for more; where nothing is said of time, the limit is put in.
    Nothing is opened or made before it is known to be allowed.
    """
    if text.startswith(KEPT):
        return _read_run(_short(text, "agent").removeprefix(KEPT), rules)
    spec = parse(_short(text, "agent"))
    kind = AGENTS.get(spec.name)
    if kind is None:
        raise unknown("agent", spec.name, [name for name in AGENTS if name != "human"])
    if spec.name == "human":
        raise SpecError("agent 'human' is a person; choose another opponent")
    config = configure(kind.Config, spec, "agent")
    if issubclass(kind, Learned) or getattr(config, "path", None):
        _check_path(kind.name, config.path)
    return kind(rules, _held(spec.name, config))


def _read_run(name: str, rules: Rules) -> Agent:
    """Return what a kept run has learned as an agent; raises FourlabError if it has not yet."""
    agent, folder = _find_run(name)
    kind = AGENTS.find(agent)
    return kind(rules, _held(agent, configure(kind.Config, parse(f"{agent}:{folder}"), "agent")))


def _held(name: str, config: Any) -> Any:
    """Return an agent's config within the limits; raises SpecError if it asks for more."""
    changes = {}
    for option in options_of(type(config)):
        most, value = option.public, getattr(config, option.field)
        if most is None:
            continue
        if value is not None and value > most:
            if value != option.default:
                raise SpecError(
                    f"agent {name!r}: {option.name}={value:.15g} is too much for the web, "
                    f"at most {most:.15g}; in the terminal it is allowed: fourlab play"
                )
            changes[option.field] = type(value)(most)
        elif value is None and option.name == "time" and _is_long(name, config):
            changes[option.field] = MOVE_SECONDS
    return dataclasses.replace(config, **changes) if changes else config


def _is_long(name: str, config: Any) -> bool:
    """Whether a limit on time is needed: a small search ends by itself."""
    if name in ("mcts", "zero"):
        return config.sims is not None and config.sims > QUICK_SIMULATIONS
    if name == "minimax":
        return config.depth is None or config.depth > QUICK_DEPTH
    return True


def _check_path(name: str, path: str) -> None:
    """Raise SpecError for a file that is not in the runs folder."""
    if path and _is_kept(Path(path)):
        return
    if not path or not Path(path).resolve().is_relative_to(RUNS.resolve()):
        raise SpecError(
            f"agent {name!r}: {path!r} is not in the folder {RUNS}; write {name}:{RUNS}/NAME"
        )


def _is_kept(path: Path) -> bool:
    """Whether a path is the folder of a kept run, whose name is secret enough."""
    try:
        return _find_run(path.name)[1].resolve() == path.resolve()
    except FourlabError:
        return False


def _short(spec: str, what: str) -> str:
    if len(spec) > MOST_SPEC:
        raise SpecError(f"{what} {spec[:20]!r}... is too long; at most {MOST_SPEC} characters")
    return spec


class Doorkeeper:
    """Counts the open pages, in all and by address."""

    def __init__(self, each: int = MOST_PAGES_EACH) -> None:
        self.each = each
        self._open: dict[str, int] = {}

    def enter(self, address: str) -> None:
        """Let a page in; raises FourlabError if there are too many."""
        if sum(self._open.values()) >= MOST_PAGES:
            raise FourlabError("too many pages are open in this laboratory; try again later")
        if self._open.get(address, 0) >= self.each:
            raise FourlabError(f"{self.each} pages are open from here; close some")
        self._open[address] = self._open.get(address, 0) + 1

    def leave(self, address: str) -> None:
        """Count a page out."""
        left = self._open.get(address, 0) - 1
        if left > 0:
            self._open[address] = left
        else:
            self._open.pop(address, None)
