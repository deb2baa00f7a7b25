"""What one visitor may ask for. Everything that comes from a browser passes through here."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from fourlab.agents.base import Agent
from fourlab.agents.learned import Learned
from fourlab.agents.registry import AGENTS
from fourlab.core.errors import FourlabError, SpecError
from fourlab.core.spec import configure, options_of, parse, unknown
from fourlab.rules.catalog import game as find_game
from fourlab.rules.geometry import Rules
from fourlab.web.offered import guarded

RUNS = Path("runs")  # the only folder whose files a visitor can name
RECORD = RUNS / "web" / "games.db"  # where games of the pages are kept
RERUNS = RUNS / "web" / "studies"  # where quick reruns of studies are kept
PRIVATE = {"human": "a person", "engine": "a program, which only the terminal starts"}
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


def read_agent(text: str, rules: Rules) -> Agent:
    """Return the agent that a visitor named, held to what the web allows.

    Raises SpecError if it asks for more; where nothing is said of time, the limit is put in.
    Nothing is opened or made before it is known to be allowed.
    """
    spec = parse(_short(text, "agent"))
    kind = AGENTS.get(spec.name)
    if kind is None:
        raise unknown("agent", spec.name, public_agents())
    if spec.name in PRIVATE:
        raise SpecError(f"agent {spec.name!r} is {PRIVATE[spec.name]}; choose another opponent")
    config = configure(kind.Config, spec, "agent")
    if issubclass(kind, Learned) or getattr(config, "path", None):
        _check_path(kind.name, config.path)
    known = kind.__module__.startswith("fourlab.")
    return guarded(kind(rules, _held(spec.name, config, known)))


def public_agents() -> list[str]:
    """Return the names of agents that a visitor may choose."""
    return [name for name in AGENTS if name not in PRIVATE]


def _held(name: str, config: Any, known: bool) -> Any:
    """Return an agent's config within the limits; raises SpecError if it asks for more.

    Of an agent that is not ours only what its options declare public can be set.
    """
    changes = {}
    for option in options_of(type(config)):
        most, value = option.public, getattr(config, option.field)
        if most is None:
            if not known and value != option.default:
                raise SpecError(f"agent {name!r}: {option.name} cannot be set on the web")
            continue
        if value is not None and value > most:
            if value != option.default:
                raise SpecError(
                    f"agent {name!r}: {option.name}={value:g} is too much for the web, "
                    f"at most {most:g}; in the terminal it is allowed: fourlab play"
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
    if not path or not Path(path).resolve().is_relative_to(RUNS.resolve()):
        raise SpecError(
            f"agent {name!r}: {path!r} is not in the folder {RUNS}; write {name}:{RUNS}/NAME"
        )


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
