"""Courses: every point of a grid of learners, in any workers, as if never stopped.

A point is the run that `fourlab train` would make, in a folder named by what decides what it
learns: so a sweep that was stopped goes on, and one with more values trains only those. Two sweeps
at once share what they train: a point that another program is at is waited for.
"""

from __future__ import annotations

import hashlib
import logging
import re
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from fourlab.core.errors import SpecError
from fourlab.core.held import alone
from fourlab.core.limit import never
from fourlab.core.spec import on_path, parse
from fourlab.core.storage import AtWorkError, StorageError
from fourlab.core.workers import Workers
from fourlab.learning.base import Learner
from fourlab.learning.meaning import meaning_of
from fourlab.learning.registry import learner
from fourlab.learning.runs import CONFIG, Run, RunConfig

LONGEST_NAME = 60  # of a folder, in letters
LOOK_SECONDS = 0.2  # between two looks whether another program is done with a point

log = logging.getLogger("fourlab.sweep")


@dataclass(frozen=True)
class Course:
    """A run and its folder: plain data, fit for any worker."""

    folder: str
    run: RunConfig
    games: int
    plays: str  # the agent that plays what it has learned

    @property
    def agent(self) -> str:
        """The spec of the agent that plays what the run has learned."""
        return on_path(self.plays, self.folder)


def course(text: str, game: str, games: int, seed: int, runs: Path) -> Course:
    """Return the run of a learner; its own option `games` goes before `games`. Raises SpecError."""
    return _course(_made(text, game, games, seed), runs)


def _made(text: str, game: str, games: int, seed: int) -> Learner:
    own = "games" in parse(text).options
    return learner(text, game, seed, **({} if own else {"games": games}))


def _course(made: Learner, runs: Path) -> Course:
    run = RunConfig(made.spec, str(made.rules), made.seed)
    return Course(str(runs / folder_name(run)), run, made.total, made.agent().name)


def folder_name(run: RunConfig) -> str:
    """Return a name that says what a run is: its options, and its game and seed if unusual.

    Where that would be long, or lose a sign that no path may have, a digest tells runs apart.
    """
    parts = [run.learner.replace(":", "-", 1).replace(",", "-").replace("=", "")]
    parts += [run.game] if run.game != "connect4" else []
    parts += [f"seed{run.seed}"] if run.seed else []
    name = "-".join(parts)
    plain = re.sub(r"[^\w.+-]+", "-", name)
    if plain == name and len(name) <= LONGEST_NAME:
        return name
    digest = hashlib.sha256(f"{run.learner} {run.game} {run.seed}".encode()).hexdigest()[:6]
    return f"{plain[:LONGEST_NAME].strip('-')}-{digest}"


def train(
    course: Course,
    watch: Callable[[int], None] = lambda games: None,
    stop: Callable[[], bool] = never,
) -> int:
    """Train to the end, from where an earlier one stopped; return the games; runs in a worker.

    `watch` hears of games as they are played, those of an earlier training or of another program at
    once; that is waited for.
    """
    heard = 0

    def hear(done: int) -> None:
        nonlocal heard
        watch(done - heard)
        heard = done

    while not stop():
        try:
            return _train(course, hear, stop)
        except AtWorkError:
            _await(Path(course.folder), stop)
    return heard


def _await(folder: Path, stop: Callable[[], bool]) -> None:
    """Return once no other program is at work in a folder, or `stop` says so."""
    told = False
    while not stop():
        try:
            with alone(folder):
                return
        except AtWorkError:
            if not told:
                log.info(f"another program trains {folder}; waiting until it ends ...")
            told = True
            time.sleep(LOOK_SECONDS)


def _train(course: Course, hear: Callable[[int], None], stop: Callable[[], bool]) -> int:
    """Train to the end; raises AtWorkError if another program is at it. `hear` hears how far."""
    folder = Path(course.folder)
    known = (folder / CONFIG).exists()
    run = Run.resume(folder) if known else Run.start(folder, course.run)
    if run.config != course.run:
        raise StorageError(f"{folder} holds another run: {run.config.learner}; name other --runs")
    hear(run.learner.done)
    if not run.is_over:
        for _ in run.reports(lambda progress: hear(progress.done), stop):
            pass
    return run.learner.done


class Courses:
    """The training of all points of a grid. Iterate over `run` until it ends."""

    def __init__(
        self, specs: tuple[str, ...], game: str, games: int, seed: int, runs: Path
    ) -> None:
        self.courses = []
        first: dict[Hashable, str] = {}
        for text in specs:
            made = _made(text, game, games, seed)
            told = meaning_of(made)
            if first.setdefault(told, text) != text:
                raise SpecError(f"{first[told]!r} and {text!r} are one learner; give it once")
            self.courses.append(_course(made, runs))

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents that play what was learned, in the order of the points."""
        return tuple(course.agent for course in self.courses)

    @property
    def total(self) -> int:
        """The games of all points."""
        return sum(course.games for course in self.courses)

    def prepare(self) -> None:
        """Compile what training needs here, where Ctrl-C is heard, and not in a worker."""
        for first in self.courses[:1]:
            learner(first.run.learner, first.run.game).prepare()

    def run(
        self, workers: Workers, watch: Callable[[int], None] = lambda games: None
    ) -> Iterator[Course]:
        """Train what is left; yields points as they are done.

        When it is left early, points that are under way save what they have learned. On a cluster
        they go on to their end, and `watch` hears of whole points.
        """
        stopped = threading.Event()
        here = partial(train, watch=watch, stop=stopped.is_set)
        try:
            for done, games in workers.run(train if workers.cluster else here, self.courses):
                if not any(Path(done.folder).glob("checkpoint.*")):
                    raise StorageError(
                        f"{done.folder} was trained, but not here: name a folder that all machines "
                        "of the cluster share with --runs"
                    )
                if workers.cluster:
                    watch(games)
                yield done
        finally:
            stopped.set()
