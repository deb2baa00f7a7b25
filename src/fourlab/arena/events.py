"""Events: what is to be played, as plain data."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from fourlab.agents.base import Agent
from fourlab.agents.human import Human
from fourlab.agents.registry import agent
from fourlab.arena.identity import checksum, identity, in_short
from fourlab.arena.pairing import Pairing
from fourlab.arena.ratings import check_anchor
from fourlab.arena.sprt import Hypotheses
from fourlab.core import cells, own
from fourlab.core.errors import SpecError
from fourlab.core.spec import counted
from fourlab.positions.openings import default_plies, openings
from fourlab.rules.catalog import game as find_game
from fourlab.rules.geometry import Rules


def _plies(players: Iterable[Agent], rules: Rules) -> int:
    """Return the usual length of openings: where everyone knows the game."""
    homes = [player.home_plies for player in players if player.home_plies is not None]
    return min(homes, default=default_plies(rules))


LEAST_SECONDS = 0.001  # for a move
MOST_GAMES = 1_000_000_000  # of a pair: every one that was played is looked for among the recorded


def _seconds(number: Any) -> float:
    """Return how long a move may take; raises SpecError if that is no time."""
    try:
        found = float(number)
    except (TypeError, ValueError):
        found = math.nan
    if not LEAST_SECONDS <= found < math.inf:
        raise SpecError(f"move_seconds={number!r}: write a number from {LEAST_SECONDS}")
    return found


@dataclass(frozen=True)
class Event:
    """What is to be played. Agents are spec strings, made canonical; `games` counts a pairing's.

    Everyone meets everyone, or with `gauntlet` the first agent all others, or with `against` all
    agents each of those. Games begin with openings of `plies`; None: of the usual length, or where
    an agent was trained that knows nothing else.
    """

    game: str
    agents: tuple[str, ...]
    games: int = 100
    seed: int = 0
    gauntlet: bool = False
    against: tuple[str, ...] = ()
    plies: int | None = None
    move_seconds: float | None = None
    hypotheses: Hypotheses | None = None
    anchor: str | None = None
    modules: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        rules = find_game(self.game)
        known = {}
        for text in (*self.agents, *self.against, *filter(None, [self.anchor])):
            found = agent(text, rules)
            if isinstance(found, Human):
                raise SpecError("agent 'human' plays in the terminal only; use fourlab play")
            known[text] = found
        kinds = [type(found) for found in known.values() if not own.is_own(found.name)]
        registering = {kind.__module__ for kind in kinds}
        registering = {name for name in registering if not name.startswith("fourlab.")}
        if cells.MAIN in registering:
            raise SpecError(
                "an agent that was registered in this session is unknown to those who play; "
                "give fourlab.tournament its class or function itself, or name a file"
            )
        change = object.__setattr__  # a frozen dataclass normalises its own fields
        change(self, "game", str(rules))
        change(self, "agents", tuple(known[text].spec for text in self.agents))
        change(self, "against", tuple(known[text].spec for text in self.against))
        change(self, "anchor", known[self.anchor].spec if self.anchor else None)
        games = counted("games", self.games, 1, MOST_GAMES)
        change(self, "games", games + games % 2)
        change(self, "seed", counted("seed", self.seed, 0))
        plies = _plies(known.values(), rules) if self.plies is None else self.plies
        change(self, "plies", counted("plies", plies, 0, rules.cells - 1))
        if plies > default_plies(rules):  # every board has openings of the usual length
            openings(rules, plies, self.seed).count(1)
        change(self, "modules", tuple(sorted({*self.modules, *registering})))
        if self.move_seconds is not None:
            change(self, "move_seconds", _seconds(self.move_seconds))
        if len(self.agents) < (1 if self.against else 2):
            raise SpecError("a tournament needs two agents, such as: random baseline")
        self._check_names(known.values())

    def _check_names(self, players: Iterable[Agent]) -> None:
        """Refuse who is given twice; an anchor is one of the others by whatever path."""
        who = {player.spec: identity(player.spec, checksum(player)) for player in players}
        for names, fewest in ((self.agents, 3), (self.against, 2)):  # two agents may be the same
            given: dict[str, str] = {}
            for name in names if len(names) >= fewest else ():
                before = given.setdefault(who[name], name)
                if before != name or names.count(name) > 1:
                    as_what = "" if before == name else f", also as {before!r}"
                    raise SpecError(f"agent {name!r} is given twice{as_what}; give each once")
        if self.anchor is not None:
            called = {who[name]: name for name in (*self.agents, *self.against)}
            object.__setattr__(self, "anchor", called.get(who[self.anchor], self.anchor))
        check_anchor([*self.agents, *self.against], self.anchor)

    def pairings(self) -> list[Pairing]:
        """Return who meets whom."""
        if self.against:
            pairs = list(itertools.product(self.agents, self.against))
        elif self.gauntlet:
            pairs = [(self.agents[0], other) for other in self.agents[1:]]
        else:
            pairs = list(itertools.combinations(self.agents, 2))
        assert self.plies is not None  # noqa: S101  # set above
        conditions = (self.seed, self.plies, self.move_seconds, self.modules)
        sums = {spec: checksum(agent(spec, self.game)) for spec in {*self.agents, *self.against}}
        return [Pairing(self.game, a, b, *conditions, (sums[a], sums[b])) for a, b in pairs]

    def remark(self) -> str:
        """Say where games begin, if that decides what agents of this event can show."""
        players = [agent(spec, self.game) for spec in dict.fromkeys(self.agents + self.against)]
        trained = [player.spec for player in players if player.home_plies == 0]
        if not trained:
            return ""
        who = f"{in_short(trained)} {'was' if len(trained) == 1 else 'were'} trained"
        if self.plies == 0:
            usual = default_plies(find_game(self.game))
            return f"games begin on the empty board, where {who}; --plies {usual} for openings"
        return f"{who} from the empty board, not from these openings; --plies 0 begins there"

    def to_json(self) -> dict[str, Any]:
        """Return the settings as plain data, people's own files by name: `from_json` backwards."""
        return {**asdict(self), "own": own.notes(*self.agents, *self.against)}

    @classmethod
    def from_json(cls, settings: dict[str, Any]) -> Event:
        """Return the event of some settings."""
        settings = dict(settings)
        own.recall(settings.pop("own", ()))
        hypotheses = settings["hypotheses"]
        lists = {name: tuple(settings[name]) for name in ("agents", "against", "modules")}
        tested = Hypotheses(**hypotheses) if hypotheses else None
        return cls(**{**settings, **lists, "hypotheses": tested})
