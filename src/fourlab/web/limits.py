"""What one visitor may ask for. Everything that comes from a browser passes through here."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fourlab.agents.base import Agent
from fourlab.agents.deep_q import DeepQAgent
from fourlab.agents.learned import Learned
from fourlab.agents.minimax import MinimaxConfig, depth_of
from fourlab.agents.net import NetworkAgent, shipped_file
from fourlab.agents.registry import AGENTS, whole
from fourlab.core.errors import FourlabError, SpecError
from fourlab.core.spec import (
    POSITIONAL,
    Option,
    configure,
    on_path,
    options_of,
    parse,
    unknown,
)
from fourlab.core.storage import StorageError
from fourlab.rules.catalog import game as find_game
from fourlab.rules.geometry import Rules
from fourlab.values.base import WrongGameError
from fourlab.web.offered import Offered, guarded
from fourlab.web.words import opponent_of, title_of

KEPT = "run:"  # before the name of a kept run, in place of an agent's spec
RUNS = Path("runs")  # the only folder whose files a visitor can name
RECORD = RUNS / "web" / "games.db"  # where games of the pages are kept
RERUNS = RUNS / "web" / "studies"  # where quick reruns of studies are kept
PRIVATE = {"human": "a person", "engine": "a program, which only the terminal starts"}
MOVE_SECONDS = 5.0
THOUGHT_SECONDS = MOVE_SECONDS + 1.0  # after which any agent is called off, whatever it says
ANALYSIS_SECONDS = 20.0
QUICK_SIMULATIONS = 10_000  # up to which a search needs no limit on time
QUICK_DEPTH = 6
MOST_PLAIN = 10_000_000  # lines of play that are looked at without pruning
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

    Raises SpecError if it asks for more, or has learned another game; where nothing is said of
    time, the limit is put in. Nothing is opened or made before it is known to be allowed.
    """
    try:
        return _read_agent(text, rules)
    except WrongGameError as error:  # it says where the file lies, and what a terminal would do
        who, other = opponent_of(text)["title"], title_of(error.rules)
        raise SpecError(f"{who!r} cannot play {title_of(rules)}; it knows {other}") from None
    except StorageError:
        if not text.startswith(KEPT):
            raise
        who = opponent_of(text)["title"]
        raise SpecError(f"what {who!r} has learned cannot be read; choose another player") from None


def _read_agent(text: str, rules: Rules) -> Agent:
    if text.startswith(KEPT):
        return _read_run(_short(text, "agent").removeprefix(KEPT), rules)
    spec = whole(parse(_short(text, "agent")))
    kind = AGENTS.get(spec.name)
    if kind is None and spec.name.partition("@")[0].endswith(".py"):
        raise SpecError(
            f"{spec.name!r} is no file that this server offers; its owner offers those of a folder "
            "with fourlab serve --agents FOLDER"
        )
    if kind is None:
        raise unknown("agent", spec.name, public_agents())
    if spec.name in PRIVATE:
        raise SpecError(f"agent {spec.name!r} is {PRIVATE[spec.name]}; choose another opponent")
    config = configure(kind.Config, spec, "agent")
    if _is_ours(kind):
        for path in _paths(kind, config):
            if not (issubclass(kind, NetworkAgent) and shipped_file(rules, path)):
                _check_path(kind.name, path)
    if isinstance(config, MinimaxConfig) and config.plain and config.time is None:
        _check_plain(rules, config)
    return guarded(made(kind, rules, _held(kind, config)))


def public_agents() -> list[str]:
    """Return the names of agents that a visitor may choose."""
    return [name for name in AGENTS if name not in PRIVATE]


def _read_run(name: str, rules: Rules) -> Agent:
    """Return what a kept run has learned as an agent; raises FourlabError if it has not yet."""
    agent, folder = _find_run(name)
    kind = AGENTS.find(agent)
    config = configure(kind.Config, parse(on_path(agent, folder)), "agent")
    return made(kind, rules, _held(kind, config))


def made(kind: type[Agent], rules: Rules, config: Any) -> Agent:
    """Return an agent; a large file is read where it plays, not on the sessions' thread."""
    if issubclass(kind, Learned | NetworkAgent | DeepQAgent):
        return kind(rules, config, later=True)
    return kind(rules, config)


def written(spec: str, kept: Path) -> str:
    """Return a player as visitors name it: a kept run by name, not by where its file lies.

    `kept` is the folder of a laboratory.
    """
    path = Path(parse(spec).options.get(POSITIONAL, ""))
    return f"{KEPT}{path.name}" if path == kept / "items" / path.name else spec


def _paths(kind: type[Agent], config: Any) -> list[str]:
    """Return the files that an agent's options name, and what stands for one where it needs one."""
    fields = [option.field for option in options_of(type(config)) if option.positional]
    named = [str(getattr(config, field)) for field in fields]
    return [name for name in named if name or issubclass(kind, Learned)]


def _held(kind: type[Agent], config: Any) -> Any:
    """Return an agent's config within the limits; raises SpecError if it asks for more.

    Of an agent that is not ours no free text can be set: it may name a file.
    """
    changes: dict[str, Any] = {}
    for option in options_of(type(config)):
        most, value = _most(kind, option), getattr(config, option.field)
        if option.is_free_text and not _is_ours(kind) and value != option.default:
            raise SpecError(f"agent {kind.name!r}: {option.name} cannot be set on the web")
        if value is not None and most is not None and value > most:
            if value != option.default:
                raise SpecError(
                    f"agent {kind.name!r}: {option.name}={value:.15g} is too much for the web, "
                    f"at most {most:.15g}; in the terminal it is allowed: fourlab play"
                )
            changes[option.field] = type(value)(most)
        elif value is None and option.name == "time" and _is_long(kind.name, config):
            changes[option.field] = MOVE_SECONDS
    return dataclasses.replace(config, **changes) if changes else config


def _is_ours(kind: type[Agent]) -> bool:
    return kind.__module__.startswith("fourlab.") and not issubclass(kind, Offered)


def _most(kind: type[Agent], option: Option) -> float | None:
    """Return the most that a visitor may ask for, None where it does not matter.

    An agent that is not ours and says nothing of it, nor how far an option goes, gets no more than
    it takes by itself.
    """
    if _is_ours(kind) or option.public is not None or option.kind not in (int, float):
        return option.public
    if option.name == "time":
        return MOVE_SECONDS
    return float(option.default or 0.0) if option.high is None else option.high


def _check_plain(rules: Rules, config: MinimaxConfig) -> None:
    """Raise SpecError where every line of play to a depth would be looked at, and they are many."""
    depth, deepest, lines = depth_of(rules, config), 0, 1
    while lines <= MOST_PLAIN and deepest < depth:
        lines *= min(rules.move_count, rules.cells - deepest)
        deepest += lines <= MOST_PLAIN
    if depth > deepest:
        raise SpecError(
            f"agent 'minimax': plain=yes to depth={depth} is too much for the web on this board, "
            f"at most depth={deepest}; in the terminal it is allowed: fourlab play"
        )


def _is_long(name: str, config: Any) -> bool:
    """Whether a limit on time is needed: a small search ends by itself."""
    if name in ("mcts", "zero"):
        return config.sims is not None and config.sims > QUICK_SIMULATIONS
    if name == "minimax":
        return config.depth is not None and config.depth > QUICK_DEPTH
    return True


def _check_path(name: str, path: str) -> None:
    """Raise SpecError for a file that is not in the runs folder; `_short` has seen its letters."""
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


def _short(spec: Any, what: str) -> str:
    """Return a text from a browser; raises SpecError for one that no spec could be."""
    if not isinstance(spec, str):
        raise TypeError(f"{what} is no text")
    if len(spec) > MOST_SPEC:
        raise SpecError(f"{what} {spec[:20]!r}... is too long; at most {MOST_SPEC} characters")
    if not spec.isprintable():
        raise SpecError(f"{what} {spec!r} holds characters that cannot be seen; leave them out")
    return spec


@dataclass(eq=False)
class Guest:
    """A page that was let in; `is_here` once a browser has connected with it."""

    address: str
    put_out: Callable[[], None]
    is_here: bool = False

    def arrive(self) -> None:
        """A browser has connected."""
        self.is_here = True


class Doorkeeper:
    """Counts the open pages, in all and by address.

    One with which no browser has connected yet gives way to a newcomer, the oldest first: whoever
    only asks for pages keeps nobody out.
    """

    def __init__(self, each: int = MOST_PAGES_EACH) -> None:
        self.each = each
        self._guests: list[Guest] = []

    def enter(self, address: str, put_out: Callable[[], None]) -> Guest:
        """Let a page in; raises FourlabError if there are too many. `put_out` ends it."""
        own = [guest for guest in self._guests if guest.address == address]
        if len(own) >= self.each:
            self._make_room(own, f"{self.each} pages are open from here; close some")
        if len(self._guests) >= MOST_PAGES:
            why = "too many pages are open in this laboratory; try again later"
            self._make_room(self._guests, why)
        guest = Guest(address, put_out)
        self._guests.append(guest)
        return guest

    def leave(self, guest: Guest) -> None:
        """Count a page out, if it is in."""
        if guest in self._guests:
            self._guests.remove(guest)

    def _make_room(self, among: list[Guest], why: str) -> None:
        awaited = next((guest for guest in among if not guest.is_here), None)
        if awaited is None:
            raise FourlabError(why)
        self.leave(awaited)
        awaited.put_out()
