"""`Bench`: what an experiment works with. Calls to arena, learners and grading, and their record.

All that is random comes from the seed, whatever the number of workers, so that one seed gives the
same figures everywhere.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from fourlab.agents.registry import agent
from fourlab.arena.events import Event
from fourlab.arena.grading import Grade, grade
from fourlab.arena.tallies import Tally
from fourlab.arena.tournament import Tournament
from fourlab.core.errors import FourlabError
from fourlab.core.workers import Workers
from fourlab.learning.registry import learner
from fourlab.positions.suites import suite
from fourlab.rules.catalog import game as find_game
from fourlab.studies.schooling import Schooled, Schooling, school

Choice = TypeVar("Choice")
Item = TypeVar("Item")
Found = TypeVar("Found")
SEEDS = 1000  # that one study seed has for its trainings
PREPARED = 32  # trainings that are made ready beforehand; more of them seldom need other kernels


class StoppedError(FourlabError):
    """An experiment that was called off."""


@dataclass(frozen=True)
class Listener:
    """Hears how far an experiment is: `expect` more units of work, `advance` by some.

    `is_over` is asked now and then, by any thread; when it says so, the experiment ends.
    """

    expect: Callable[[int, str], None] = lambda units, unit: None
    advance: Callable[[int], None] = lambda units: None
    is_over: Callable[[], bool] = lambda: False


class Bench:
    """Workers, a seed and a size. `log` is how the experiment was run, in exact specs."""

    def __init__(
        self,
        workers: Workers,
        folder: Path,
        seed: int = 0,
        quick: bool = False,
        listener: Listener | None = None,
    ) -> None:
        self.workers = workers
        self.folder = folder  # for what an experiment keeps between its steps
        self.seed = seed
        self.quick = quick
        self.listener = listener or Listener()
        self.log: list[dict[str, Any]] = []
        self._is_left = False

    def leave(self) -> None:
        """Let trainings that are under way end at once: nobody waits for them any more."""
        self._is_left = True

    def _advance(self, units: int) -> None:
        """Tell of work that is done; called by workers too."""
        if self._is_left or self.listener.is_over():
            raise StoppedError("the experiment was stopped")
        self.listener.advance(units)

    def pick(self, full: Choice, quick: Choice) -> Choice:
        """Return what the size of the run asks for."""
        return quick if self.quick else full

    def seeds(self, full: int = 5, quick: int = 2) -> range:
        """Return the seeds of trainings that are repeated."""
        first = self.seed * SEEDS + 1
        return range(first, first + self.pick(full, quick))

    def match(
        self, a: str, b: str, games: int, game: str = "connect4", plies: int | None = None
    ) -> Tally:
        """Play two agents, sides in turn, pairs of games from shared openings of `plies`."""
        return self.tournament(Event(game, (a, b), games, self.seed, plies=plies)).tallies[0]

    def tournament(self, event: Event) -> Tournament:
        """Play an event to its end."""
        played = Tournament(event)
        played.prepare()
        self.listener.expect(played.total, "games")
        before = 0
        for done in played.run(self.workers):
            self._advance(done - before)
            before = done
        self.log += [
            {
                "kind": "match",
                "game": event.game,
                "a": tally.pairing.a,
                "b": tally.pairing.b,
                "games": tally.games,
                "distinct": tally.distinct,
                "plies": event.plies,
                "seed": event.seed,
            }
            for tally in played.tallies
        ]
        return played

    def school(self, jobs: Sequence[Schooling]) -> list[Schooled]:
        """Train and examine learners; returned in the order of the jobs."""
        for spec, game in list(dict.fromkeys((job.learner, job.game) for job in jobs))[:PREPARED]:
            learner(spec, game).prepare()
        totals = [learner(job.learner, job.game).total for job in jobs]
        self.listener.expect(sum(totals), "games")
        here = functools.partial(school, watch=self._advance)
        found = self._ordered(school if self.workers.cluster else here, jobs)
        if self.workers.cluster:
            self._advance(sum(totals))
        for job, total in zip(jobs, totals, strict=True):
            self.note_training(job.learner, job.game, [job.seed], total, job.exams)
        return found

    def note_training(
        self, learner: str, game: str, seeds: Sequence[int], games: int, exams: Sequence[Any] = ()
    ) -> None:
        """Write down how learners were trained; seeds of one learner stand together."""
        for entry in self.log:
            who = (entry["kind"], entry.get("learner"), entry.get("game"))
            if who == ("training", learner, game) and not {*seeds} & {*entry["seeds"]}:
                entry["seeds"] += seeds
                entry["games"] += games
                return
        self.log.append(
            {
                "kind": "training",
                "game": game,
                "learner": learner,
                "seeds": list(seeds),
                "games": games,
                "exams": [vars(exam) for exam in exams],
            }
        )

    def grade(
        self, spec: str, game: str = "connect4", name: str = "middle", positions: int | None = None
    ) -> Grade:
        """Hold an agent's moves in the positions of a suite against perfect play."""
        asked = suite(find_game(game), name)[:positions]
        self.listener.expect(len(asked), "positions")
        found = grade(agent(spec, game), asked, self.seed, workers=self.workers)
        self._advance(len(asked))
        entry = {"agent": spec, "suite": name, "positions": len(asked), "worst": found.worst}
        self.log.append({"kind": "grade", "game": game, **entry})
        return found

    def each(self, function: Callable[[Item], Found], jobs: Sequence[Item]) -> list[Found]:
        """Return what a function makes of every job, in their order; plain data for any worker."""
        self.listener.expect(len(jobs), "steps")
        return self._ordered(function, jobs, self._advance)

    def _ordered(
        self,
        function: Callable[[Item], Found],
        jobs: Sequence[Item],
        watch: Callable[[int], None] = lambda jobs: None,
    ) -> list[Found]:
        found: dict[int, Found] = {}
        for (place, _), result in self.workers.run(
            functools.partial(_of_numbered, function), enumerate(jobs)
        ):
            found[place] = result
            watch(1)
        return [found[place] for place in range(len(jobs))]

    @property
    def games(self) -> int:
        """The games that were played in matches and trainings."""
        return sum(entry.get("games", 0) for entry in self.log)


def _of_numbered(function: Callable[[Item], Found], job: tuple[int, Item]) -> Found:
    return function(job[1])
