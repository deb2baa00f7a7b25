"""Tournaments: the games as they come in, and what they prove."""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from fourlab.agents.registry import Named, several, spec_of
from fourlab.agents.registry import agent as find_agent
from fourlab.arena.events import Event
from fourlab.arena.games import Games, joined
from fourlab.arena.match import play, prepare
from fourlab.arena.pairing import Pairing, Stretch, Watch, nobody
from fourlab.arena.ratings import Ratings, rate
from fourlab.arena.records import Records
from fourlab.arena.sprt import Hypotheses, Sprt
from fourlab.arena.tallies import Tally
from fourlab.core.arrays import Ints
from fourlab.core.errors import FourlabError, SpecError
from fourlab.core.kinds import typed
from fourlab.core.limit import never
from fourlab.core.notebook import frame, heading, track
from fourlab.core.sheet import SPAN_STYLE, Sheet
from fourlab.core.showing import shown
from fourlab.core.workers import Workers
from fourlab.rules.catalog import game as find_game
from fourlab.rules.geometry import Rules

JOB_SECONDS = 0.5  # how long a job should take: long enough to be worth sending, and soon done
MOST_GAMES = 1 << 16  # of one job
PREPARED = 16  # pairings that are made ready beforehand; more of them seldom need other kernels


def missing(numbers: Ints, games: int) -> list[range]:
    """Return the runs of numbers below `games` that are not among `numbers`."""
    known = np.ones(games + 2, np.int8)
    known[1:-1] = 0
    known[numbers[numbers < games] + 1] = 1
    edges = np.flatnonzero(np.diff(known)).tolist()  # gaps begin and end by turns
    return [range(low, high) for low, high in zip(edges[::2], edges[1::2], strict=True)]


class Meeting:
    """The meeting at which a pairing is played: what is left, under way, and done."""

    def __init__(self, pairing: Pairing, games: int, hypotheses: Hypotheses | None) -> None:
        self.pairing = pairing
        self.games = games
        self.tally = Tally(pairing)
        self.left = deque([range(games)])
        self.test = Sprt(hypotheses) if hypotheses else None
        self.record_id = 0
        self._held: dict[int, Games] = {}  # games that came before their turn in a test
        self._next = 0
        self._sent = 0

    @property
    def is_decided(self) -> bool:
        """Whether a test has ended it."""
        return self.test is not None and bool(self.test.verdict)

    @property
    def share_sent(self) -> float:
        """How much of it was given to workers."""
        return self._sent / self.games

    def resume(self, recorded: Games) -> None:
        """Begin with games that were played before."""
        self._sent = len(recorded)
        if self.test is None:
            self.left = deque(missing(recorded.numbers, self.games))
            self.tally.add(recorded)
            return
        in_order = recorded.numbers == np.arange(len(recorded))
        count = len(recorded) if in_order.all() else int(in_order.argmin())
        self.take(0, recorded.take(np.arange(len(recorded)) < count // 2 * 2))
        if not self.is_decided:
            self.left = deque([range(self._next, self.games)] if self._next < self.games else [])

    def next_job(self, workers: int) -> Stretch:
        """Return some of the games that are left, as many as a worker does in a moment."""
        here = self.left[0]
        size = 2
        if self.tally.games:
            seconds = max(float(self.tally.seconds.sum()) / self.tally.games, 1e-7)
            size = int(min(JOB_SECONDS / seconds, MOST_GAMES, len(here) / workers))
        size = min(max(2, size // 2 * 2), len(here))
        self.left[0] = here[size:]
        if not self.left[0]:
            self.left.popleft()
        self._sent += size
        return Stretch(self.pairing, here.start, size)

    def take(self, first: int, games: Games) -> Games | None:
        """Count games that were played; return those that count, None if none does.

        A test takes games in the order of their numbers, however they come in, so that it ends
        with the same game for any number of workers.
        """
        if self.test is None:
            self.tally.add(games)
            return games
        self._held[first] = games
        counted = []
        while self._next in self._held and not self.is_decided:
            held = self._held.pop(self._next)
            self._next += len(held)
            counted.append(held.take(np.arange(len(held)) < self._tested(self.test, held)))
            self.tally.add(counted[-1])
        if self.is_decided:
            self.left.clear()
        return joined(counted) if counted else None

    @staticmethod
    def _tested(test: Sprt, games: Games) -> int:
        """Feed a test; return how many of the games it took."""
        quarters = (games.results.reshape(-1, 2) + 1).sum(axis=1).tolist()
        for number, scored in enumerate(quarters, start=1):
            if test.add(scored):
                return 2 * number
        return len(games)


class Tournament:
    """An event under way. Iterate over `run` until it ends; all figures can be read meanwhile."""

    @typed
    def __init__(self, event: Event, records: Records | None = None, resume: bool = False) -> None:
        self.event = event
        self.records = records
        self._begins = event.remark()
        self.meetings = [
            Meeting(pairing, event.games, event.hypotheses) for pairing in event.pairings()
        ]
        if records is not None:
            self._look_up(records, resume)

    def _look_up(self, records: Records, resume: bool) -> None:
        """Find out what was played before."""
        known = 0
        for meeting in self.meetings:
            meeting.record_id = records.pairing(meeting.pairing)
            recorded = records.games(meeting.record_id, meeting.pairing, meeting.games)
            known += len(recorded)
            if resume:
                meeting.resume(recorded)
        if known and not resume:
            raise FourlabError(
                f"{records.path} has {known:,} of these games already; "
                "go on with --resume, or play others with another --seed"
            )
        records.add_run(self.event.to_json())

    @property
    def tallies(self) -> list[Tally]:
        """The tallies of all pairings."""
        return [meeting.tally for meeting in self.meetings]

    @property
    def played(self) -> int:
        """The number of games that count so far."""
        return sum(tally.games for tally in self.tallies)

    @property
    def total(self) -> int:
        """The number of games there will be, if no test ends early."""
        return sum(t.tally.games if t.is_decided else t.games for t in self.meetings)

    @property
    def is_over(self) -> bool:
        """Whether all games were played."""
        return self.played >= self.total

    @property
    def lacks(self) -> str:
        """What the openings lacked, told at the end; "" if nothing."""
        if not self.is_over:
            return ""
        most = max(tally.games for tally in self.tallies)
        return self.meetings[0].pairing.sequence.remark(most // 2)

    @property
    def remarks(self) -> list[str]:
        """What must be said of where games begin."""
        return [line for line in (self._begins, self.lacks) if line]

    def prepare(self) -> None:
        """Compile what the first games need here, where Ctrl-C is heard, and not in a worker."""
        for meeting in self.meetings[:PREPARED]:
            if meeting.left:
                prepare(meeting.pairing)

    def run(
        self, workers: Workers, watch: Watch = nobody, stop: Callable[[], bool] = never
    ) -> Iterator[int]:
        """Play what is left; yields the number of games played so far, again and again.

        Workers call `watch` and `stop`, which other processes can do only with functions of a
        module; once `stop` says so, CalledOffError is raised.
        """
        meetings = {meeting.pairing: meeting for meeting in self.meetings}
        watched = functools.partial(play, watch=watch, stop=stop)
        for job, games in workers.run(watched, self._jobs(workers.count)):
            meeting = meetings[job.pairing]
            counted = meeting.take(job.first, games)
            if self.records is not None and counted is not None:
                counted.check(job.pairing.rules)
                notations = counted.notations(job.pairing.rules)
                self.records.add(meeting.record_id, counted, notations)
            yield self.played

    def _jobs(self, workers: int) -> Iterator[Stretch]:
        """Yield jobs, always of the pairing that is furthest behind."""
        while open_meetings := [meeting for meeting in self.meetings if meeting.left]:
            yield min(open_meetings, key=lambda meeting: meeting.share_sent).next_job(workers)

    def results(self) -> dict[tuple[str, str], tuple[int, int, int]]:
        """Return what `ratings.rate` takes: results by first and second player."""
        found: dict[tuple[str, str], tuple[int, int, int]] = {}
        for tally in self.tallies:
            a, b = tally.pairing.a, tally.pairing.b
            first, second = tally.counts.tolist()
            for pair, counts in (((a, b), first), ((b, a), second[::-1])):
                before = found.get(pair, (0, 0, 0))
                wins, draws, losses = (x + y for x, y in zip(before, counts, strict=True))
                found[pair] = (wins, draws, losses)
        return found

    def ratings(self) -> Ratings:
        """Return the ratings so far."""
        return rate(self.results(), self.event.anchor)

    def sheet(self) -> Sheet:
        """Return the pairings as a table."""
        rows, spans = [], []
        for tally in self.tallies:
            told = tally.figures()
            counts = [f"{told[name]:,}" for name in ("wins", "draws", "losses")]
            low, high = told["low"], told["high"]
            figures = (
                [f"{told['score']:.1%}", f"{low:.0%} to {high:.0%}"] if tally.games else ["", ""]
            )
            rows.append((f"{tally.pairing.a} – {tally.pairing.b}", *counts, *figures))
            spans.append((low, told["score"], high))
        heads = ("pairing", "wins", "draws", "losses", "score", "95%")
        return Sheet("", heads, rows, notes=tuple(self.remarks), spans=spans, zero=0.5)

    def _heading(self) -> tuple[str, ...]:
        count = f"{self.played:,} games" + ("" if self.is_over else f" of {self.total:,}")
        return self.event.game, count, f"seed {self.event.seed}"

    def __repr__(self) -> str:
        parts = [str(self.ratings().sheet())] if self.played else []
        return "\n".join([", ".join(self._heading()), *parts, str(self.sheet())])

    def _repr_html_(self) -> str:
        """Return ratings and pairings as a notebook shows them, under a bar while it goes on."""
        bar = "" if self.is_over else track(self.played / self.total)
        parts = [self.ratings().sheet().table()] if self.played else []
        return frame(
            heading(*self._heading()), bar, *parts, "<br>", self.sheet().table(), style=SPAN_STYLE
        )

    def to_json(self) -> dict[str, Any]:
        """Return what `fourlab arena --json` prints."""
        pairs = [tally.to_json() for tally in self.tallies]
        for pair, meeting in zip(pairs, self.meetings, strict=True):
            if meeting.test is not None:
                pair["sprt"] = {
                    **asdict(meeting.test.hypotheses),
                    "llr": meeting.test.llr,
                    "verdict": meeting.test.verdict or "undecided",
                }
        ratings = self.ratings()
        return {
            "game": self.event.game,
            "games": self.played,
            "seed": self.event.seed,
            "pairs": pairs,
            "ratings": ratings.to_json(),
            "anchor": ratings.anchor,
            "first_move_elo": ratings.advantage,
            "first_move_interval": ratings.advantage_interval(),
            "not_separated": [list(pair) for pair in ratings.not_separated()],
        }


@typed
def tournament(
    *agents: Named | Sequence[Named],
    game: str | Rules = "connect4",
    games: int = 100,
    seed: int = 0,
    against: Named | Sequence[Named] = (),
    gauntlet: bool = False,
    plies: int | None = None,
    move_seconds: float | None = None,
    anchor: str | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    record: Path | str | None = None,
    show: Callable[[Tournament], object] | None = None,
) -> Tournament:
    """Let agents play each other and return the tournament, with its ratings and intervals.

    Each pair plays `games`, an odd number one more, for both sides: everyone meets everyone, or
    with `gauntlet` the first agent all others, or with `against` all agents each of those. Games
    begin with openings of `plies` moves, None for the usual length; a move that takes more than
    `move_seconds` loses; the rating of `anchor` is 1500. In `record`, a file, games are kept, and
    those of an earlier call are not played again. `show` sees the tournament now and then:
    `fourlab.show` draws it.
    """
    if gauntlet and against:
        raise SpecError("gauntlet does nothing beside against, whom all agents meet; leave one out")
    rules = find_game(game)
    names, others = (
        tuple(find_agent(spec_of(one), rules).spec for one in several(some))
        for some in (agents, against)
    )
    settings = {"gauntlet": gauntlet, "against": others, "plies": plies, "anchor": anchor}
    event = Event(str(rules), names, games, seed, move_seconds=move_seconds, **settings)  # type: ignore[arg-type]
    with (
        Workers(workers, cluster=cluster) as pool,
        nullcontext() if record is None else Records(Path(record)) as records,
    ):
        played = Tournament(event, records, resume=True)
        if cluster is None:
            played.prepare()
        with shown(show, played) as look:
            for _ in played.run(pool):
                look()
    return played
