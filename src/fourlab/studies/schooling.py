"""A learner trained with one seed and examined: a job of plain data for any worker."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fourlab.agents.play import play_game
from fourlab.agents.registry import agent
from fourlab.learning.base import Learner, Progress
from fourlab.learning.evaluation import against_truth, play_off, truth_positions
from fourlab.learning.registry import learner
from fourlab.learning.tables.learner import SIDES, TableLearner
from fourlab.rules.position import FIRST
from fourlab.values.survey import sizes

GAMES = 100_000  # seeds that one training has for the games it tells


@dataclass(frozen=True)
class Exam:
    """Games without exploration against an opponent."""

    opponent: str
    games: int
    side: str = ""  # first, second, alternating; '' for the learner's own
    start: str = ""  # where games begin, as in `positions.starts`; '' for where training games do
    told: int = 0  # games from the empty board on top, of which the moves are kept


@dataclass(frozen=True)
class Schooling:
    """A training run, and what is asked of it.

    Something is written down every `every` games: results, `looks` (the values of all moves in the
    position after those moves), and with `often` the exams too, which else are held at the end.
    """

    learner: str
    game: str
    seed: int
    every: int = 1000
    exams: tuple[Exam, ...] = ()
    often: bool = False
    suite: str = ""  # of positions on which it is held against the truth, where it is to move
    looks: tuple[str, ...] = ()
    keeps: bool = False  # whether the learner comes back, as its file


@dataclass
class Schooled:
    """What a schooling came to."""

    done: list[int] = field(default_factory=list)  # games at each report
    results: list[tuple[int, int, int]] = field(default_factory=list)  # since the last: w, d, l
    decisions: list[int] = field(default_factory=list)  # of the learner, since the last report
    looks: list[list[list[float | None]]] = field(default_factory=list)  # [report][look][move]
    exams: list[list[tuple[int, int, int]]] = field(default_factory=list)  # [report][exam]
    told: list[list[str]] = field(default_factory=list)  # [exam] games in notation, at the end
    truth: dict[str, Any] = field(default_factory=dict)  # as `evaluation.against_truth`
    size: int = 0
    sizes: dict[str, int] = field(default_factory=dict)  # of a table, as `survey.sizes`
    seconds: float = 0.0  # of learning alone
    kept: bytes = b""  # the learner's file


def school(job: Schooling, watch: Callable[[int], None] = lambda games: None) -> Schooled:
    """Train to the end and examine; `watch` hears of games as they are played."""
    made = learner(job.learner, job.game, job.seed, chunk=job.every)
    made.prepare()
    found = Schooled()
    heard = 0
    steps = made.steps()
    while True:
        began = time.perf_counter()
        progress = next(steps, None)
        found.seconds += time.perf_counter() - began
        if progress is None:
            break
        _note(found, job, made, progress)
        watch(progress.done - heard)
        heard = progress.done
        if job.often:
            found.exams.append(_examine(job, made))
    if not job.often:
        found.exams.append(_examine(job, made))
    found.told = [_tell(job, made, exam) for exam in job.exams]
    if job.suite:
        side = SIDES.get(made.side)
        asked = truth_positions(made.rules, job.suite)
        asked = [scored for scored in asked if side in (None, scored.position.to_move)]
        found.truth = against_truth(made, asked)
    found.size = made.size
    if isinstance(made, TableLearner):
        found.sizes = sizes(made.knowledge)
    if job.keeps:
        with tempfile.TemporaryDirectory() as folder:
            made.save(Path(folder) / made.file)
            found.kept = (Path(folder) / made.file).read_bytes()
    return found


def _note(found: Schooled, job: Schooling, made: Learner, progress: Progress) -> None:
    found.done.append(progress.done)
    found.results.append((progress.wins, progress.draws, progress.losses))
    found.decisions.append(int(progress.metrics.get("decisions", 0)))
    if job.looks:
        player = made.agent()
        seen = []
        for look in job.looks:
            position = made.rules.start().play_all(look)
            values = player.decide(position, np.random.default_rng(0)).values
            seen.append(list(values) if values is not None else [])
        found.looks.append(seen)


def _examine(job: Schooling, made: Learner) -> list[tuple[int, int, int]]:
    marks = []
    for exam in job.exams:
        opponent = agent(exam.opponent, made.rules)
        side = exam.side or made.side
        score = play_off(made, opponent, exam.games, job.seed, side, exam.start)
        marks.append((score.wins, score.draws, score.losses))
    return marks


def _tell(job: Schooling, made: Learner, exam: Exam) -> list[str]:
    """Return the moves of games, sides in turn where the exam has none."""
    players = (made.agent(), agent(exam.opponent, made.rules))
    lines = []
    for number in range(exam.told):
        side = SIDES.get(exam.side or made.side, number % 2)
        first, second = players if side == FIRST else players[::-1]
        lines.append(play_game(made.rules, first, second, job.seed * GAMES + number).moves)
    return lines
