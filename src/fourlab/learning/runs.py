"""Run folders: a training run that can be stopped, killed, looked at and gone on with.

config.json       the learner's spec, game, seed and how it is evaluated
metrics.jsonl     a line for each report: games, results, speed, evaluations
checkpoint.npz    what was learned by then, and all that is needed to go on
events            the metrics for TensorBoard, where that is installed
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from fourlab.agents.registry import agent as find_agent
from fourlab.core import own
from fourlab.core.errors import FourlabError, SpecError
from fourlab.core.storage import StorageError, replacing
from fourlab.learning.base import Learner, Progress
from fourlab.learning.evaluation import against_truth, play_off, truth_positions
from fourlab.learning.registry import learner as new_learner
from fourlab.learning.registry import load_learner
from fourlab.learning.tensorboard import Record, event_writer
from fourlab.positions.suites import Scored

CONFIG, METRICS = "config.json", "metrics.jsonl"
CHECKPOINT_SECONDS = 60.0
PAST_START = "random:plies=4"  # of games against its past, which may play without dice


@dataclass(frozen=True)
class RunConfig:
    """What a run is: everything that decides what it learns, and how it is looked at."""

    learner: str  # spec string
    game: str
    seed: int = 0
    every: int = 0  # games between two evaluations; 0: a tenth of the run
    against: tuple[str, ...] = ()  # agents it is evaluated against
    evaluation_games: int = 1000
    truth: str = ""  # a suite to hold its moves and values against

    def save(self, folder: Path) -> None:
        """Write it into a run folder, with people's own files that it names."""
        fields = asdict(self)
        if named := own.mentioned(self.learner, *self.against):
            fields["own"] = named
        with replacing(folder / CONFIG) as file:
            file.write(json.dumps(fields, indent=2).encode() + b"\n")

    def settled(self) -> RunConfig:
        """Return it with files named by their contents, so that it can be gone on with as it is."""
        against = tuple(own.settled(spec) for spec in self.against)
        return replace(self, learner=own.settled(self.learner), against=against)

    @classmethod
    def load(cls, folder: Path) -> RunConfig:
        """Read it from a run folder; raises StorageError if there is none."""
        try:
            fields = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
            own.carry(own.unpacked(fields.pop("own", ())))
            return cls(**{**fields, "against": tuple(fields["against"])})
        except OSError as error:
            raise StorageError(f"{folder} is no run folder: {CONFIG}: {error.strerror}") from None
        except (ValueError, TypeError, KeyError) as error:
            raise StorageError(f"{folder / CONFIG} is damaged: {error}") from None


@dataclass
class Run:
    """A run in its folder. `reports` plays it and yields a line of metrics now and then."""

    folder: Path
    config: RunConfig
    learner: Learner
    checkpoint_seconds: float = CHECKPOINT_SECONDS
    last: Progress | None = field(default=None, init=False)

    @classmethod
    def start(cls, folder: Path, config: RunConfig) -> Run:
        """Begin a run in a new or empty folder."""
        if (folder / CONFIG).exists():
            raise SpecError(f"{folder} holds a run; go on with --resume, or name another --out")
        config = config.settled()
        learner = new_learner(config.learner, config.game, config.seed)
        config.save(folder)
        return cls(folder, config, learner)

    @classmethod
    def resume(cls, folder: Path) -> Run:
        """Take a run up where its last checkpoint left it."""
        config = RunConfig.load(folder)
        learner = new_learner(config.learner, config.game, config.seed)
        checkpoint = folder / learner.file
        if checkpoint.exists():  # else it was killed before the first one
            learner = load_learner(checkpoint)
            if learner.spec != config.learner or str(learner.rules) != config.game:
                raise StorageError(
                    f"{checkpoint} is of {learner.spec} on {learner.rules}, not of "
                    f"{config.learner} on {config.game} as {CONFIG} says"
                )
        _drop_lines_after(folder / METRICS, learner.done)
        return cls(folder, config, learner)

    @property
    def every(self) -> int:
        """Games between two reports."""
        return self.config.every or max(self.learner.total // 10, 1)

    def reports(
        self,
        watch: Callable[[Progress], None] = lambda progress: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> Iterator[dict[str, Any]]:
        """Train to the end and yield a line of metrics every so many games.

        `watch` sees every chunk; when `stop` says so, the run saves after the current one and
        ends. A line is written before the checkpoint that holds its games and dropped if that is
        never reached, so that a run that was killed and taken up again has the lines of one that
        was not.
        """
        with event_writer(self.folder) as record:
            yield from self._reports(record, watch, stop)

    def _reports(
        self, record: Record, watch: Callable[[Progress], None], stop: Callable[[], bool]
    ) -> Iterator[dict[str, Any]]:
        agents = [find_agent(spec, self.learner.rules) for spec in self.config.against]
        truth = truth_positions(self.learner.rules, self.config.truth) if self.config.truth else []
        self.learner.prepare()
        tally = _Results(**self.learner.notes)
        began = saved = time.perf_counter()
        before, games = self.learner.done, 0
        for progress in self.learner.steps():
            self.last = progress
            tally.add(progress)
            self.learner.notes = asdict(tally)
            watch(progress)
            finished = progress.done >= self.learner.total
            due = progress.done // self.every > before // self.every
            games += progress.done - before
            before = progress.done
            if due or finished:
                speed = round(games / max(time.perf_counter() - began, 1e-9))
                line = self._line(progress, tally) | {"games_per_s": speed}
                line |= self._evaluate(agents, truth)
                tally, games = _Results(), 0
                self.learner.notes = asdict(tally)
                self._write(line, record)
                yield line
                began = saved = time.perf_counter()
            elif stop() or time.perf_counter() - saved > self.checkpoint_seconds:
                self.learner.save(self.folder / self.learner.file)
                saved = time.perf_counter()
            if stop():
                return

    def _line(self, progress: Progress, tally: _Results) -> dict[str, Any]:
        return {
            "games": progress.done,
            "wins": tally.wins / tally.games,
            "draws": tally.draws / tally.games,
            "losses": tally.losses / tally.games,
            **{name: value for name, value in progress.metrics.items() if name != "decisions"},
        }

    def _evaluate(self, agents: list[Any], truth: list[Scored]) -> dict[str, Any]:
        """Return the evaluations of a line; they have dice of their own and change nothing."""
        found: dict[str, Any] = {}
        seed = self.config.seed + self.learner.done
        side = self.learner.side
        if agents:
            found["against"] = {
                agent.spec: play_off(
                    self.learner, agent, self.config.evaluation_games, seed, side
                ).to_json()
                for agent in agents
            }
        if (past := self.learner.past()) is not None:
            score = play_off(self.learner, *past, seed, side, PAST_START)
            found["against"] = found.get("against", {}) | {"past": score.to_json()}
        if truth:
            found["truth"] = against_truth(self.learner, truth)
        return found

    def _write(self, line: dict[str, Any], record: Record) -> None:
        """Write the line, then the checkpoint that reaches it, then the events."""
        with (self.folder / METRICS).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        self.learner.save(self.folder / self.learner.file)
        record(line)


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


def read_metrics(folder: Path) -> list[dict[str, Any]]:
    """Return the lines of metrics of a run; a last line that was cut short is passed over."""
    try:
        text = (folder / METRICS).read_text(encoding="utf-8")
    except OSError:
        return []
    lines = []
    for line in text.splitlines():
        try:
            lines.append(json.loads(line))
        except ValueError:
            break
    return lines


def _drop_lines_after(path: Path, games: int) -> None:
    """Keep the lines of metrics that the checkpoint has reached."""
    kept = [line for line in read_metrics(path.parent) if line["games"] <= games]
    if path.exists():
        with replacing(path) as file:
            file.write("".join(json.dumps(line) + "\n" for line in kept).encode())


def find_runs(root: Path) -> list[Path]:
    """Return the run folders below a folder, the latest last."""
    found = [path.parent for path in root.rglob(CONFIG) if _is_run(path)]
    return sorted(found, key=lambda folder: (folder / CONFIG).stat().st_mtime)


def _is_run(path: Path) -> bool:
    try:
        RunConfig.load(path.parent)
    except FourlabError:
        return False
    return True
