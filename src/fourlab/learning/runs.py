"""Run folders: a training run that can be stopped, killed, looked at and gone on with.

config.json       the learner's spec, game, seed and how it is evaluated
metrics.jsonl     a line for each report: games, results, speed, evaluations
checkpoint.npz    what was learned by then, and all that is needed to go on
events            the metrics for TensorBoard, where that is installed
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from fourlab.agents.base import Agent
from fourlab.agents.registry import agent as find_agent
from fourlab.core.errors import SpecError
from fourlab.core.files import written_at
from fourlab.core.held import Held, alone
from fourlab.core.kinds import typed
from fourlab.core.limit import CalledOffError, never
from fourlab.core.spec import nameable, on_path, parse, write
from fourlab.core.storage import AtWorkError, check_spare, is_there, writing
from fourlab.learning.base import Learner, Progress
from fourlab.learning.evaluation import against_truth, play_off, truth_positions
from fourlab.learning.registry import learner as new_learner
from fourlab.learning.run_checks import (
    agreed_length,
    check_exams,
    check_is_left,
    check_looks,
    examiners,
    is_same,
    loaded,
)
from fourlab.learning.run_files import (
    CONFIG,
    METRICS,
    RunConfig,
    add_metrics,
    drop_metrics_after,
    find_runs,
    read_metrics,
)
from fourlab.learning.tensorboard import Record, event_writer
from fourlab.positions.suites import Scored

__all__ = ["CONFIG", "METRICS", "Run", "RunConfig", "agreed_length", "find_runs", "read_metrics"]

CHECKPOINT_SECONDS = 60.0  # between two checkpoints, if no report is due
LONG_TRAIL = 400  # points, an even number
SAVING_SHARE = 0.1  # of its time that a run spends on checkpoints, at most
PAST_START = "random:plies=4"  # of games against its past, which may play without dice


@dataclass(eq=False)  # one is the same as itself alone
class Run:
    """A run in its folder. `reports` plays it and yields a line of metrics now and then."""

    folder: Path
    config: RunConfig
    learner: Learner
    checkpoint_seconds: float = CHECKPOINT_SECONDS
    stamp: int = 0  # when the checkpoint it was taken up from was written; 0: it began
    last: Progress | None = field(default=None, init=False)
    trail: list[tuple[float, float]] = field(default_factory=list, init=False)
    # games, and the share that was won about then: few enough to be drawn
    _held: Held | None = field(default=None, init=False)  # its folder, while it is played
    _saved_at: float = field(default=0.0, init=False)
    _save_cost: float = field(default=0.0, init=False)
    _saved_games: int = field(default=-1, init=False)

    @classmethod
    @typed
    def start(cls, folder: Path | str, config: RunConfig) -> Run:
        """Begin a run in a folder that holds none, or one that has never saved anything."""
        folder = Path(folder)
        if is_there(folder):
            with alone(folder):
                _check_free(folder)
        config = config.settled()
        learner = new_learner(config.learner, config.game, config.seed)
        config = replace(config, learner=learner.spec, game=str(learner.rules))  # as files say it
        check_looks(config, learner)
        check_exams(config, learner)
        run = cls(folder, config, learner)
        parse(nameable(run.spec))  # before anything is learned that nobody could call by its name
        learner.prepare()  # what it needs may be refused: an opponent, a device
        with writing(folder / CONFIG):
            pass  # makes the folder
        with alone(folder):  # who is at work there clears half-written files away
            _check_free(folder)
            config.save(folder)
        return run

    @classmethod
    def again(cls, folder: Path, config: RunConfig) -> Run:
        """Take up the run that a folder holds if it is just this one, or begin it there."""
        if is_there(folder / CONFIG) and is_same(RunConfig.load(folder), config.settled()):
            return cls.resume(folder)
        return cls.start(folder, config)

    @classmethod
    @typed
    def resume(cls, folder: Path | str, games: int | None = None, **looks: Any) -> Run:
        """Take a run up where its last checkpoint left it.

        With `games` it goes on to so many in all; `looks` are fields of its config that decide how
        it is looked at from now on.
        """
        folder = Path(folder)
        begun = RunConfig.load(folder)
        config = replace(begun, **looks)
        learner = new_learner(config.learner, config.game, config.seed)
        if games is not None and games != learner.config.games:
            longer = write(learner.name, replace(learner.config, games=games))
            config = replace(config, learner=longer)
            learner = new_learner(config.learner, config.game, config.seed)
        checkpoint = folder / learner.file
        stamp = written_at(checkpoint)
        if stamp:  # else it was killed before the first one
            learner = loaded(checkpoint, config, learner.config.games)
        if learner.done > learner.config.games:
            raise SpecError(
                f"--games {learner.config.games}: {folder} has played {learner.done:,} "
                f"{learner.unit} already; ask for more"
            )
        if looks:
            check_looks(config, learner)
            check_exams(config, learner)
            check_is_left(folder, begun, config, learner)
        return cls(folder, config, learner, stamp=stamp)

    @property
    def spec(self) -> str:
        """The spec string of the agent that plays what the run has saved."""
        name, _, options = self.learner.agent().spec.partition(":")
        return ",".join([on_path(name, self.folder), *([options] if options else [])])

    def agent(self) -> Agent:
        """Return the agent that plays what the run has saved, fit to be sent to workers."""
        return find_agent(self.spec, self.learner.rules)

    def __repr__(self) -> str:
        from fourlab.learning.drawing import run_text  # drawing.py stands on this module

        return run_text(self)

    def _repr_html_(self) -> str:
        """Return how far it is and what it reached, as a notebook shows it."""
        from fourlab.learning.drawing import run_html

        return run_html(self)

    @property
    def is_over(self) -> bool:
        """Whether it has come to its end."""
        return self.learner.done >= self.learner.total

    @property
    def to_go_on(self) -> str:
        """The command that goes on with it, and makes it longer if it is over."""
        longer = " --games N" if self.is_over else ""
        return f"fourlab train --resume --out {shlex.quote(str(self.folder))}{longer}"

    @property
    def remark(self) -> str:
        """What is to be said before its reports, or once it is over after them; mostly nothing."""
        if self.is_over:
            why = self.learner.untaught
            return f"nothing was learned ({why}): it plays as it began" if why else ""
        every = self.config.every
        when = self.learner.looks(every) if every else ""
        said = f"--every {every}: {self.learner.name} is looked at {when}; a report comes with"
        return f"{said} the first look from each {every} on" if when else ""

    @property
    def every(self) -> int:
        """Games between two reports."""
        return self.config.every or max(self.learner.total // 10, 1)

    def reports(
        self,
        watch: Callable[[Progress], None] = lambda progress: None,
        stop: Callable[[], bool] = never,
    ) -> Iterator[dict[str, Any]]:
        """Train to the end and yield a line of metrics every so many games.

        `watch` sees every chunk; when `stop` says so, the run saves after the current one and
        ends; where an opponent thinks, in the middle of it, or of an evaluation. A line is written
        before the checkpoint that holds its games and dropped if that is never reached, so that a
        run that was killed and taken up again has the lines of one that was not. Nobody else may
        be at work in the folder.
        """
        with alone(self.folder) as self._held:
            if written_at(self.folder / self.learner.file) != self.stamp:
                raise AtWorkError(f"{self.folder} has gone on meanwhile; take it up again")
            if RunConfig.load(self.folder) != self.config:
                self.config.save(self.folder)
            drop_metrics_after(self.folder, self.learner.done)
            self.learner.pause_every, self.learner.halt = self.every, stop
            with event_writer(self.folder) as record:
                yield from self._reports(record, watch, stop)

    def _reports(
        self, record: Record, watch: Callable[[Progress], None], stop: Callable[[], bool]
    ) -> Iterator[dict[str, Any]]:
        agents = examiners(self.config, self.learner)
        truth = truth_positions(self.learner.rules, self.config.truth) if self.config.truth else []
        self.learner.prepare()
        tally = _Results(**self.learner.notes)
        began = self._saved_at = time.perf_counter()
        before, games = self.learner.done, 0
        for progress in self.learner.steps():
            self.last = progress
            self._follow(progress)
            tally.add(progress)
            self.learner.notes = asdict(tally)
            watch(progress)
            finished = progress.done >= self.learner.total
            due = progress.done // self.every > before // self.every
            games += progress.done - before
            before = progress.done
            line: dict[str, Any] = {}
            if due or finished:
                speed = round(games / max(time.perf_counter() - began, 1e-9))
                line = self._line(progress, tally) | {"games_per_s": speed}
                line |= self._evaluate(agents, truth, stop)
                tally, games = _Results(), 0
                self.learner.notes = asdict(tally)
                self._check_folder()
                add_metrics(self.folder, line)
            stopped = stop()
            if finished or stopped or self._is_time_to_save(bool(line)):
                self.save()
            if line:
                record(line)
                try:
                    yield line
                except GeneratorExit:  # nobody wants to hear the rest
                    self.save()
                    raise
                began = time.perf_counter()
            if stopped:
                return
        if self.learner.done < self.learner.total:  # called off in the middle of a chunk
            self.save()

    def _follow(self, progress: Progress) -> None:
        """Add a chunk to the trail; when it is long, neighbours are taken together."""
        self.trail.append((float(progress.done), progress.wins / max(progress.played, 1)))
        if len(self.trail) >= LONG_TRAIL:
            pairs = zip(self.trail[::2], self.trail[1::2], strict=True)
            self.trail = [(later, (one + other) / 2) for (_, one), (later, other) in pairs]

    def _is_time_to_save(self, reported: bool) -> bool:
        """Return whether a checkpoint is due: at reports, and now and then, unless it is dear."""
        waited = time.perf_counter() - self._saved_at
        if waited < self._save_cost / SAVING_SHARE:
            return False
        return reported or waited > self.checkpoint_seconds

    def save(self, again: bool = False) -> None:
        """Write the checkpoint; one of the same games only `again` if that is asked for."""
        if self._saved_games == self.learner.done and not again:
            return
        began = time.perf_counter()
        self._check_folder()
        self.learner.save(self.folder / self.learner.file)
        self.stamp = written_at(self.folder / self.learner.file)
        self._saved_at, self._saved_games = time.perf_counter(), self.learner.done
        self._save_cost = self._saved_at - began

    def _check_folder(self) -> None:
        if self._held is not None:
            self._held.check()

    def _line(self, progress: Progress, tally: _Results) -> dict[str, Any]:
        return {
            "games": progress.done,
            "wins": tally.wins / tally.games,
            "draws": tally.draws / tally.games,
            "losses": tally.losses / tally.games,
            **{name: value for name, value in progress.metrics.items() if name != "decisions"},
        }

    def _evaluate(
        self, agents: list[Agent], truth: list[Scored], stop: Callable[[], bool]
    ) -> dict[str, Any]:
        """Return the evaluations of a line; they have dice of their own and change nothing.

        One that was called off, as its opponent takes long, is left out, with those after it.
        """
        found: dict[str, Any] = {}
        rivals = [(agent.spec, agent, self.config.evaluation_games, "") for agent in agents]
        if (past := self.learner.past()) is not None:
            rivals.append(("past", *past, PAST_START))
        seed, side = self.config.seed + self.learner.done, self.learner.side
        with suppress(CalledOffError):
            for name, rival, games, start in rivals:
                score = play_off(self.learner, rival, games, seed, side, start, stop)
                found.setdefault("against", {})[name] = score.to_json()
        if truth:
            found["truth"] = against_truth(self.learner, truth)
        return found


@dataclass
class _Results:
    """Results since the last line of metrics."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    def add(self, progress: Progress) -> None:
        self.wins += progress.wins
        self.draws += progress.draws
        self.losses += progress.losses


def described(folder: Path) -> str:
    """Say what run a folder holds and how to go on with it; raises StorageError."""
    if not is_there(folder / CONFIG):
        return f"what it has learned, but no {CONFIG}; remove it"
    config = RunConfig.load(folder)
    run = Run.resume(folder)
    done, total, unit = run.learner.done, run.learner.total, run.learner.unit
    how = f"go on with: {run.to_go_on}"
    return f"{config.learner} on {config.game}, {done:,} of {total:,} {unit}; {how}"


def _check_free(folder: Path) -> None:
    """Raise FourlabError for a folder with what a run has come to, or with another's config."""
    if any(folder.glob("checkpoint.*")) or is_there(folder / METRICS):
        raise SpecError(f"{folder} holds a run: {described(folder)}; or name another --out")
    check_spare(folder / CONFIG, "config of a run", lambda path: RunConfig.load(path.parent))
