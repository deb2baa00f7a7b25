"""`ArenaSetting`: who meets whom on Arena, read from an address and written into one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

from fourlab.arena.events import Event
from fourlab.core.errors import FourlabError
from fourlab.positions.openings import default_plies
from fourlab.rules.catalog import name_of
from fourlab.rules.geometry import Rules
from fourlab.web.keep.shelf import Shelf
from fourlab.web.limits import read_game, written
from fourlab.web.sessions.arena_players import (
    Fact,
    check_total,
    kept_runs,
    player,
    read_players,
)
from fourlab.web.sessions.arena_view import short
from fourlab.web.sessions.base import Session, number
from fourlab.web.words import DEFAULT_GAME

DEFAULT_PLAYERS = ("mcts:sims=200", "minimax:depth=4", "flat:playouts=20", "baseline", "random")
MOST_GAMES = 50_000  # of a pair
SEPARATOR = ";"


class ArenaSetting(Session):
    """The setting of an event: a game, its players, and how they meet."""

    def __init__(self, bench: Any, shelf: Shelf | None) -> None:
        super().__init__(bench)
        self.shelf = shelf
        self.notice = ""
        self._facts: dict[tuple[str, Rules], Fact] = {}
        self.rules = read_game(DEFAULT_GAME)
        self.players = list(DEFAULT_PLAYERS)
        self.per_pair, self.number = 40, 7
        self.plies: int | None = None  # of openings, where somebody chose them
        self.was_odd = False  # whether an odd number of games a pair was asked for
        self.runs: list[str] = []  # of the server's, that can take part

    def _read(self, query: Mapping[str, str]) -> None:
        problems = []
        for read in (self._read_game, self._read_players, self._read_numbers):
            try:
                read(query)
            except FourlabError as error:
                problems.append(str(error))
        self.notice = "; ".join(problems)

    def _read_game(self, query: Mapping[str, str]) -> None:
        self.rules = read_game(query.get("game", DEFAULT_GAME))

    def _read_players(self, query: Mapping[str, str]) -> None:
        if "agents" in query:
            self.players = read_players(query["agents"].split(SEPARATOR), self.rules)

    def _read_numbers(self, query: Mapping[str, str]) -> None:
        per_pair = number(query.get("games", "40"), 2, MOST_GAMES, "games")
        self.per_pair = check_total(len(self.players), per_pair + per_pair % 2)
        self.was_odd = bool(per_pair % 2)
        self.number = number(query.get("seed", "7"), 0, 2**31, "seed")
        if "plies" in query:
            self.plies = number(query["plies"], 0, self.rules.cells - 1, "plies")

    @property
    def begin_plies(self) -> int:
        """The random plies before each game: none where a learned player takes part."""
        if self.plies is not None:
            return self.plies
        learned = any(self.fact(spec).is_learned for spec in self.players)
        return 0 if learned else default_plies(self.rules)

    def fact(self, spec: str) -> Fact:
        """Return what is so of a player; it is made once. Of one that is gone nothing is said."""
        if (spec, self.rules) not in self._facts:
            try:
                agent = player(self.written(spec), self.rules)
            except FourlabError:
                return Fact(False, False)
            known = Fact(hasattr(agent.config, "path"), agent.is_deterministic)
            self._facts[spec, self.rules] = known
        return self._facts[spec, self.rules]

    def offered(self) -> dict[str, str]:
        """Return the runs that can take part, by spec: the visitor's own, then the server's."""
        own = {} if self.shelf is None else kept_runs(self.shelf, self.rules)
        return {**own, **{spec: short(spec) for spec in self.runs}}

    @property
    def address(self) -> str:
        """The address of the setting."""
        query = {
            "game": name_of(self.rules),
            "agents": SEPARATOR.join(self.written(spec) for spec in self.players),
            "games": str(self.per_pair),
            "seed": str(self.number),
        }
        query |= {} if self.plies is None else {"plies": str(self.plies)}
        return "/arena?" + urlencode(query, safe=":=,;")

    def written(self, spec: str) -> str:
        """Return a player as visitors name it."""
        return spec if self.shelf is None else written(spec, self.shelf.keep.root)

    @property
    def total(self) -> int:
        """The number of games of the whole event."""
        count = len(self.players)
        return count * (count - 1) // 2 * self.per_pair

    def _players(self, specs: list[str], rules: Rules | None = None) -> list[str]:
        """Return players as they are read from an address: errors then name runs, not folders."""
        return read_players([self.written(spec) for spec in specs], rules or self.rules)

    def _event(self) -> Callable[[], Event]:
        """Return what makes the event, on a thread: it reads what its players have learned."""
        setting = name_of(self.rules), tuple(self._players(self.players)), self.per_pair
        return functools.partial(Event, *setting, self.number, plies=self.begin_plies)
