"""Events of the arena: played by the server whether or not a page looks, and kept by name.

Games go into the record as they are played, so that an event that was stopped, or whose server was
killed, goes on with the rest. What is kept of it beside them is its setting and how far it is.
"""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Callable
from typing import Any

from fourlab.arena.events import Event
from fourlab.arena.match import play
from fourlab.arena.pairing import Stretch, Watch
from fourlab.arena.ratings import rate
from fourlab.arena.records import Records
from fourlab.arena.tournament import Tournament
from fourlab.core.errors import FourlabError
from fourlab.core.limit import CalledOffError
from fourlab.core.storage import StorageError
from fourlab.core.workers import Workers
from fourlab.web.keep.shelf import Shelf
from fourlab.web.keep.store import Keep, UnknownItemError
from fourlab.web.limits import RECORD
from fourlab.web.workbench import ARENA, Job, Workbench

MOST_SECONDS = 1800.0  # that an event may be expected to take
LONGEST = 2 * MOST_SECONDS  # after which it is stopped, whatever was expected
READY_SECONDS = 60.0  # for what is compiled or made before the games of a pair
MOST_RUNNING = 3  # events of one visitor at a time
MOST_OPEN = 60  # events that are held in memory; those that nobody looks at go first
BETWEEN_REPORTS = 0.2  # seconds
BETWEEN_NOTES = 5.0  # seconds between two notes on the disk of how far it is
LATEST = 6
LAST_OF_EACH = (
    "(pairing, number) IN (SELECT pairing, max(number) FROM games "
    "WHERE pairing IN ({marks}) GROUP BY pairing)"
)
GONE = (
    "a player of this event is gone, or what it has learned cannot be read: neither can its games "
    "be shown nor can it go on; begin another event without it"
)
IDLE, RUNNING, DONE = "stopped", "running", "finished"


def go_on(job: Job) -> None:
    """Raise CalledOffError if a job was called off."""
    if job.cancelled():
        raise CalledOffError


def check_time(seconds: float) -> None:
    """Refuse an event that would take too long."""
    if seconds > MOST_SECONDS:
        raise FourlabError(
            f"this would take about {seconds / 60:.0f} minutes; choose fewer games, or "
            "run it in the terminal: fourlab arena"
        )


def measure(job: Job, event: Event, listener: Callable[[int, int], None]) -> float:
    """Return how long all games will take, from two of each pair; the listener hears how far."""
    seconds, pairings = 0.0, event.pairings()
    stop = job.within(READY_SECONDS + 2 * MOST_SECONDS / event.games)
    for number, pairing in enumerate(pairings):
        job.report(listener, number, len(pairings))
        began = time.perf_counter()
        try:
            games = play(Stretch(pairing, 0, 2), lambda *_: go_on(job), stop)
        except CalledOffError:
            go_on(job)
            raise FourlabError(
                f"this would take more than {MOST_SECONDS / 60:.0f} minutes: {pairing.a} against "
                f"{pairing.b} is too slow; choose quicker agents, or in the terminal: fourlab arena"
            ) from None
        spent = max(float(games.seconds.sum()), 1e-6)
        seconds += min(spent, time.perf_counter() - began) / 2 * event.games
    return seconds


class LiveEvent:
    """An event at the server. Pages listen; it goes on until all games are played or it is stopped.

    `settings` are those of `Event.to_json`. `item` is the name under which it is kept, '' for one
    that is not.
    """

    def __init__(
        self, bench: Workbench, settings: dict[str, Any], keep: Keep | None, item: str
    ) -> None:
        self.bench, self.settings, self.keep, self.item = bench, settings, keep, item
        self.state = IDLE
        self.report: dict[str, Any] | None = None
        self.now: dict[str, Any] | None = None  # the game that is going on
        self.began: tuple[float, int] | None = None  # when it was begun, and with how many games
        self.estimate: float | None = None
        self.failure = ""
        self.listeners: list[Callable[[], None]] = []
        self._job: Job | None = None
        self._noted = 0.0

    @property
    def running(self) -> bool:
        """Whether games are being played, or wait for a place."""
        return self.state == RUNNING

    def event(self) -> Event:
        """Return what is played; called on a thread, since it reads what its players learned."""
        try:
            return Event.from_json(self.settings)
        except StorageError:  # it says where the file lay, and what a terminal would do
            raise FourlabError(GONE) from None

    def look_up(self) -> None:
        """Find out what was played before, and show it."""

        def read(job: Job) -> None:
            with Records(RECORD) as records:
                tournament = Tournament(self.event(), records, resume=True)
                job.report(self._reported, report_of(tournament, records))
                if tournament.is_over:
                    job.report(self._become, DONE)

        self._start(read)

    def run(self, estimate: float | None) -> None:
        """Play what is left; an event that was not measured is measured first."""
        if estimate is not None:
            check_time(estimate)
        self.estimate, self.began, self.failure = estimate, None, ""
        self._start(functools.partial(self._play, is_measured=estimate is not None))
        self._become(RUNNING)

    def stop(self) -> None:
        """Stop; all games are kept."""
        if self._job is not None:
            self._job.cancel()
        self._become(IDLE)

    def _start(self, work: Callable[[Job], None]) -> None:
        def prepared(job: Job) -> None:
            job.await_kernels("arena@any", lambda words: None)
            with contextlib.suppress(CalledOffError):
                work(job)

        if self._job is not None:
            self._job.cancel()
        self._job = self.bench.start(prepared, ARENA, self._failed)

    def _play(self, job: Job, is_measured: bool) -> None:
        """Play the event within its time; what was played before is taken from the record."""
        try:
            self._play_on(job, is_measured, job.within(LONGEST))
        except CalledOffError:
            go_on(job)
            raise FourlabError(
                f"stopped after {LONGEST / 60:.0f} minutes; what was played is kept, go on with it"
            ) from None

    def _play_on(self, job: Job, is_measured: bool, stop: Callable[[], bool]) -> None:
        event = self.event()
        if not is_measured:
            seconds = measure(job, event, lambda *_: None)
            job.report(self._estimated, seconds)
            check_time(seconds)
        with Records(RECORD) as records, Workers(1) as workers:
            tournament = Tournament(event, records, resume=True)
            job.report(self._reported, report_of(tournament, records))
            shown = time.monotonic()
            for _ in tournament.run(workers, self.watch(job), stop):
                go_on(job)
                if time.monotonic() - shown > BETWEEN_REPORTS:
                    job.report(self._reported, report_of(tournament, records))
                    shown = time.monotonic()
            job.report(self._reported, report_of(tournament, records))
            job.report(self._become, DONE)

    def watch(self, job: Job) -> Watch:
        """Return a watch that shows the game that goes on, some times a second."""
        shown = 0.0

        def watch(games: Stretch, moves: list[int]) -> None:
            nonlocal shown
            go_on(job)
            if time.monotonic() - shown > BETWEEN_REPORTS:
                shown = time.monotonic()
                job.report(self._going_on, _current(games, moves))

        return watch

    def _going_on(self, now: dict[str, Any]) -> None:
        self.now = now
        self._tell()

    def _estimated(self, seconds: float) -> None:
        self.estimate = seconds
        self._tell()

    def _reported(self, report: dict[str, Any]) -> None:
        self.report = report
        if self.began is None and self.running:
            self.began = (time.monotonic(), report["played"])
        self._note(at_once=False)
        self._tell()

    def _become(self, state: str) -> None:
        self.state = state
        if state != RUNNING:
            self.now = None
        self._note(at_once=True)
        self._tell()

    def _failed(self, why: str) -> None:
        self.failure = why
        if self.running:
            self._become(IDLE)
        else:  # it was only looked at
            self._tell()

    def _note(self, at_once: bool) -> None:
        """Keep how far it is; if it was deleted meanwhile, it ends."""
        if self.keep is None or not (at_once or time.monotonic() - self._noted > BETWEEN_NOTES):
            return
        self._noted = time.monotonic()
        far: dict[str, Any] = {"state": self.state}
        if self.report is not None:
            far |= {name: self.report[name] for name in ("played", "total")}
        try:
            body = self.keep.get(self.item).body
            if {**body, **far} != body:
                self.keep.put(self.item, {**body, **far})
        except UnknownItemError:
            if self._job is not None:
                self._job.cancel()
            self.state = IDLE
        except FourlabError as error:  # the disk is full: the games are in the record all the same
            self.failure = str(error)

    def _tell(self) -> None:
        for listener in list(self.listeners):
            listener()


class Events:
    """The events of a server: kept by name, played whether or not somebody looks."""

    def __init__(self, keep: Keep | None = None) -> None:
        self._live: dict[str, LiveEvent] = {}
        if keep is not None:
            for item in keep.items("event"):
                if item.body.get("state") == RUNNING:  # a server that is gone was playing it
                    keep.put(item.name, {**item.body, "state": IDLE})

    def begin(self, bench: Workbench, event: Event, shelf: Shelf, title: str) -> LiveEvent:
        """Keep a new event; raises FourlabError where no more may be kept, or are running."""
        self._check_running(shelf)
        settings = event.to_json()
        body = {"event": settings, "state": IDLE, "played": 0, "total": 0}
        item = shelf.add("event", body, title, "event")
        return self._hold(LiveEvent(bench, settings, shelf.keep, item.name))

    def run(self, event: LiveEvent, estimate: float | None, shelf: Shelf | None) -> None:
        """Play what is left of an event; raises FourlabError where too many of a visitor's run."""
        if shelf is not None:
            self._check_running(shelf)
        event.run(estimate)

    def _check_running(self, shelf: Shelf) -> None:
        own = [one for one in self._live.values() if one.running and self.is_of(one, shelf)]
        if len(own) >= MOST_RUNNING:
            raise FourlabError(f"{MOST_RUNNING} events of yours are running; stop one first")

    def of(self, bench: Workbench, name: str, shelf: Shelf) -> LiveEvent:
        """Return an event by name, with what was played of it; raises FourlabError if none."""
        item = shelf.open("event", name)
        if name not in self._live:
            self._hold(LiveEvent(bench, item.body["event"], shelf.keep, name)).look_up()
        return self._live[name]

    def is_of(self, event: LiveEvent, shelf: Shelf) -> bool:
        """Whether an event was begun by this visitor, and is still kept."""
        with contextlib.suppress(UnknownItemError):
            return shelf.owns(shelf.keep.get(event.item))
        return False

    def _hold(self, event: LiveEvent) -> LiveEvent:
        idle = [name for name, one in self._live.items() if not one.running and not one.listeners]
        for name in idle[: max(0, len(self._live) + 1 - MOST_OPEN)]:
            del self._live[name]
        self._live[event.item] = event
        return event


def _current(games: Stretch, moves: list[int]) -> dict[str, Any]:
    """Return games that go on side by side as plain data, with the moves of the first."""
    pairing = games.pairing
    players = [pairing.a, pairing.b] if games.first % 2 == 0 else [pairing.b, pairing.a]
    return {"players": players, "first": games.first, "count": games.count, "moves": moves}


def report_of(tournament: Tournament, records: Records) -> dict[str, Any]:
    """Return the standing of a tournament as plain data."""
    ids = [meeting.record_id for meeting in tournament.meetings]
    latest = records.listing(
        LAST_OF_EACH.format(marks=",".join("?" * len(ids))), tuple(ids), LATEST
    )
    return {
        "played": tournament.played,
        "total": tournament.total,
        "pairs": [tally.figures() for tally in tournament.tallies],
        "ratings": _ratings(tournament),
        "lacks": tournament.lacks,
        "latest": [game.to_json() for game in latest],
    }


def _ratings(tournament: Tournament) -> list[dict[str, Any]]:
    """Return the ratings of those who have played, around their mean, with 95% intervals."""
    results = {pair: counts for pair, counts in tournament.results().items() if sum(counts)}
    if not results:
        return []
    rated = rate(results)
    met = {frozenset(pair) for pair in results}
    close = {
        pair: rated.difference(*pair) for pair in rated.not_separated() if frozenset(pair) in met
    }
    listing: list[dict[str, Any]] = []
    for name in rated.ranking():
        elo, half = rated.rating(name)
        below = [(other, gap) for (one, other), gap in close.items() if one == name]
        figures = {"agent": name, "elo": elo, "half": half}
        listing.append({**figures, "close": below[0] if below else None})
    return listing
