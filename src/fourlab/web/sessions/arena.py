"""Arena: agents against each other, and what the games prove."""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import numpy as np

from fourlab.agents.registry import agent as find_agent
from fourlab.arena.events import Event
from fourlab.arena.match import play
from fourlab.arena.pairing import Stretch, Watch
from fourlab.arena.records import Records
from fourlab.arena.statistics import Z95
from fourlab.arena.tournament import Tournament
from fourlab.core.errors import FourlabError
from fourlab.core.workers import Workers
from fourlab.rules.catalog import name_of
from fourlab.rules.geometry import Rules
from fourlab.web.limits import RECORD, read_agent, read_game
from fourlab.web.sessions.arena_view import arena_view
from fourlab.web.sessions.base import Session, View, number, whole
from fourlab.web.words import DEFAULT_GAME
from fourlab.web.workbench import ARENA, Job

DEFAULT_PLAYERS = ("mcts:sims=200", "minimax:depth=4", "flat:playouts=20", "baseline", "random")
MOST_PLAYERS = 8
MOST_GAMES = 50_000  # of a pair
MOST_IN_ALL = 56_000  # games of an event
MOST_SECONDS = 1800.0  # that an event may be expected to take
SEPARATOR = ";"
LATEST = 6
LAST_OF_EACH = (
    "(pairing, number) IN (SELECT pairing, max(number) FROM games "
    "WHERE pairing IN ({marks}) GROUP BY pairing)"
)
BETWEEN_REPORTS = 0.2  # seconds


class CalledOffError(Exception):
    """Nobody waits for these games any more."""


def read_players(specs: list[str], rules: Rules) -> list[str]:
    """Return agents by their shortest specs, held to the limits of the web."""
    if not 2 <= len(specs) <= MOST_PLAYERS:
        raise FourlabError(f"{len(specs)} players: choose 2 to {MOST_PLAYERS}")
    found = []
    for spec in specs:
        held = read_agent(spec, rules)
        free = find_agent(spec, rules)
        found.append(free.spec if free.chooses_many else held.spec)
    if len(set(found)) < len(found):
        raise FourlabError("an agent is chosen twice; choose each once")
    return found


def check_total(players: int, per_pair: int) -> int:
    """Return the games of a pair; raises FourlabError if there are too many in all."""
    pairs = players * (players - 1) // 2
    if pairs * per_pair > MOST_IN_ALL:
        raise FourlabError(
            f"{pairs * per_pair:,} games in all are too many for the web; at most "
            f"{MOST_IN_ALL // pairs:,} a pair, or in the terminal: fourlab arena"
        )
    return per_pair


class ArenaSession(Session):
    """An event, from its setting to its result; stopped and gone on with at will."""

    actions = frozenset({"add", "remove", "replace", "game", "games", "seed", "run", "dismiss"})

    def __init__(self, bench: Any, query: Mapping[str, str]) -> None:
        super().__init__(bench)
        self.notice = ""
        self.rules = read_game(DEFAULT_GAME)
        self.players = list(DEFAULT_PLAYERS)
        self.per_pair, self.number = 40, 7
        self.plies: int | None = None  # of openings, where an address names them
        self._read(query)
        self._forget()

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
        self.per_pair = check_total(len(self.players), per_pair)
        self.number = number(query.get("seed", "7"), 0, 2**31, "seed")
        if "plies" in query:
            self.plies = number(query["plies"], 0, self.rules.cells - 1, "plies")

    def _forget(self) -> None:
        """Forget the results shown: the setting has changed."""
        for kind in ("estimate", "arena"):
            self.stop(kind)
        self.running = False
        self.estimate: float | None = None
        self.report: dict[str, Any] | None = None
        self.now: dict[str, Any] | None = None  # the game that is going on
        self.began: tuple[float, int] | None = None  # when this run began, and with how many games

    @property
    def url(self) -> str:
        """The address of this event."""
        query = {
            "game": name_of(self.rules),
            "agents": SEPARATOR.join(self.players),
            "games": str(self.per_pair),
            "seed": str(self.number),
        }
        query |= {} if self.plies is None else {"plies": str(self.plies)}
        return "/arena?" + urlencode(query, safe=":=,;")

    @property
    def total(self) -> int:
        """The number of games of the whole event."""
        count = len(self.players)
        return count * (count - 1) // 2 * (self.per_pair + self.per_pair % 2)

    def view(self) -> View:
        return arena_view(self)

    # What a visitor does

    def add(self, spec: str) -> None:
        """Let another agent take part."""
        self._set(players=read_players([*self.players, spec], self.rules))

    def remove(self, index: int) -> None:
        """Leave an agent out."""
        whole(index, 0, len(self.players) - 1, "player")
        left = [spec for at, spec in enumerate(self.players) if at != index]
        self._set(players=read_players(left, self.rules))

    def replace(self, index: int, spec: str) -> None:
        """Put another agent in one's place."""
        whole(index, 0, len(self.players) - 1, "player")
        players = [spec if at == index else old for at, old in enumerate(self.players)]
        self._set(players=read_players(players, self.rules))

    def game(self, spec: str) -> None:
        """Play another game."""
        rules = read_game(spec)
        self._set(rules=rules, players=read_players(self.players, rules), plies=None)

    def games(self, text: str) -> None:
        """Play another number of games for each pair."""
        self._set(per_pair=number(text, 2, MOST_GAMES, "games"))

    def seed(self, text: str) -> None:
        """Play other games."""
        self._set(number=number(text, 0, 2**31, "seed"))

    def run(self) -> None:
        """Start or go on; or stop and keep what was played."""
        if self.running:
            self.stop("arena")
            self.running, self.now = False, None
            self.refresh()
            return
        if self.estimate is not None:
            _check_time(self.estimate)
        self.stop("estimate")
        self.running = True
        self.began = None
        event, is_measured = self._event(), self.estimate is not None
        work = functools.partial(self._play, event=event, is_measured=is_measured)
        self.start("arena", work, ARENA, needs="arena@any")

    def dismiss(self) -> None:
        """Take the notice away."""
        self.notice = ""

    # What follows from it

    def _set(self, **changes: Any) -> None:
        wanted = {"players": self.players, "per_pair": self.per_pair, **changes}
        check_total(len(wanted["players"]), wanted["per_pair"])
        for name, value in changes.items():
            setattr(self, name, value)
        self._forget()
        self.refresh()

    def refresh(self) -> None:
        if self.is_open and self.estimate is None and not self.running:
            event = self._event()
            work = functools.partial(self._measure, event=event)
            self.start("estimate", work, ARENA, needs="arena@any")

    def _event(self) -> Event:
        players = tuple(self.players)
        return Event(name_of(self.rules), players, self.per_pair, self.number, plies=self.plies)

    def _measure(self, job: Job, event: Event) -> None:
        """Play two games of each pair to see how long all of them will take."""
        seconds = 0.0
        with contextlib.suppress(CalledOffError):
            for pairing in event.pairings():
                began = time.perf_counter()
                games = play(Stretch(pairing, 0, 2), lambda *_: _go_on(job))
                spent = max(float(games.seconds.sum()), 1e-6)
                seconds += min(spent, time.perf_counter() - began) / 2 * event.games
        job.report(self._estimated, seconds)

    def _estimated(self, seconds: float) -> None:
        self.estimate = seconds
        try:
            _check_time(seconds if self.running else 0.0)
        except FourlabError as error:
            self.run()  # stops it
            self.error = {"field": "run", "text": str(error)}
        self.changed()

    def _play(self, job: Job, event: Event, is_measured: bool) -> None:
        """Play the event; what was played before is taken from the record."""
        if not is_measured:
            self._measure(job, event)
        with (
            contextlib.suppress(CalledOffError),
            Records(RECORD) as records,
            Workers(1) as workers,
        ):
            tournament = Tournament(event, records, resume=True)
            job.report(self._reported, _report(tournament, records))
            shown = time.monotonic()
            for _ in tournament.run(workers, self._watch(job)):
                _go_on(job)
                if time.monotonic() - shown > BETWEEN_REPORTS:
                    job.report(self._reported, _report(tournament, records))
                    shown = time.monotonic()
            job.report(self._reported, _report(tournament, records))
            job.report(self._finished)

    def _watch(self, job: Job) -> Watch:
        """Return a watch that shows the game that goes on, some times a second."""
        shown = 0.0

        def watch(games: Stretch, moves: list[int]) -> None:
            nonlocal shown
            _go_on(job)
            if time.monotonic() - shown > BETWEEN_REPORTS:
                shown = time.monotonic()
                job.report(self._watched, _current(games, moves))

        return watch

    def _watched(self, now: dict[str, Any]) -> None:
        self.now = now
        self.changed()

    def _reported(self, report: dict[str, Any]) -> None:
        self.report = report
        if self.began is None:
            self.began = (time.monotonic(), report["played"])
        self.changed()

    def failed(self, kind: str, why: str) -> None:
        if kind == "arena":
            self.running, self.now = False, None
        super().failed(kind, why)

    def _finished(self) -> None:
        self.running, self.now = False, None
        self.changed()


def _go_on(job: Job) -> None:
    if job.cancelled():
        raise CalledOffError


def _check_time(seconds: float) -> None:
    """Refuse an event that would take too long."""
    if seconds > MOST_SECONDS:
        raise FourlabError(
            f"this would take about {seconds / 60:.0f} minutes; choose fewer games, or "
            "run it in the terminal: fourlab arena"
        )


def _current(games: Stretch, moves: list[int]) -> dict[str, Any]:
    """Return games that go on side by side as plain data, with the moves of the first."""
    pairing = games.pairing
    players = [pairing.a, pairing.b] if games.first % 2 == 0 else [pairing.b, pairing.a]
    return {"players": players, "first": games.first, "count": games.count, "moves": moves}


def _report(tournament: Tournament, records: Records) -> dict[str, Any]:
    """Return the standing of a tournament as plain data."""
    ids = [meeting.record_id for meeting in tournament.meetings]
    latest = records.listing(
        LAST_OF_EACH.format(marks=",".join("?" * len(ids))), tuple(ids), LATEST
    )
    return {
        "played": tournament.played,
        "total": tournament.total,
        "pairs": [tally.figures() for tally in tournament.tallies],
        "ratings": _ratings(tournament) if tournament.played else [],
        "latest": [game.to_json() for game in latest],
    }


def _ratings(tournament: Tournament) -> list[dict[str, Any]]:
    """Return the ratings around the mean of the field, with 95% intervals."""
    rated = tournament.ratings()
    count = len(rated.agents)
    centred = np.eye(count) - 1 / count
    spread = centred @ rated.covariance @ centred.T
    halves = Z95 * np.sqrt(np.maximum(0.0, np.diag(spread)))
    close = {pair: rated.difference(*pair) for pair in rated.not_separated()}
    elo = rated.elo - rated.elo.mean()
    listing: list[dict[str, Any]] = []
    for name in rated.ranking():
        index = rated.agents.index(name)
        figures = {"elo": 1500 + float(elo[index]), "half": float(halves[index])}
        below = [(other, gap) for (one, other), gap in close.items() if one == name]
        listing.append({"agent": name, **figures, "close": below[0] if below else None})
    return listing
