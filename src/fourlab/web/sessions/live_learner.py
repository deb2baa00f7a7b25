"""A learner that is watched: played game by game, retuned while it learns, and shown as it is."""

from __future__ import annotations

import dataclasses
import functools
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from fourlab.agents.base import kernel_seed
from fourlab.learning.config import Training
from fourlab.learning.episodes import AVERAGES, RETURNS
from fourlab.learning.learner import Learner, Progress
from fourlab.learning.schedules import schedule
from fourlab.learning.starts import starts
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position
from fourlab.search.scores import sign
from fourlab.search.solver import Limits
from fourlab.web.sessions.truth import solver_of

EXACT_SECONDS = 0.02  # for the best moves of one row; where it does not suffice there is no dot
MOST_CHUNK = 50_000


@dataclass(frozen=True)
class Row:
    """One decision of a game: what was known before it, and what was learned from it."""

    position: Position
    move: int
    values: list[float | None]  # after the game; the chosen move's is `new`
    trials: list[int | None]
    best: list[int]  # exactly best moves, none where that is not known
    old: float
    new: float
    reward: float
    target: float


@dataclass(frozen=True)
class Sample:
    """A training game, whole, with the learner's decisions."""

    number: int
    last: Position
    rows: list[Row]
    side: int | None  # the learner's, None where it plays both
    result: int
    after_game: bool  # learned from when it was over, not while it was played

    def position(self, stones: int) -> Position:
        """Return the position after so many moves."""
        return self.positions[stones]

    @functools.cached_property
    def positions(self) -> list[Position]:
        """All positions of the game."""
        found = [self.last.rules.start()]
        for move in self.last.moves:
            found.append(found[-1].play(move))
        return found

    @functools.cached_property
    def frames(self) -> list[tuple[int, int, str]]:
        """The steps in which it can be watched: stones shown, decisions learned from, phase."""
        stones = range(self.rows[0].position.ply if self.rows else 0, self.last.ply + 1)
        turns = [row.position.ply for row in self.rows]
        if not self.after_game:
            learned = {n: sum(turn < n and self._known(i, n) for i, turn in enumerate(turns))
                       for n in stones}  # fmt: skip
            return [(n, learned[n], "play") for n in stones]
        played = [(n, 0, "episode generation") for n in stones]
        taught = [(self.last.ply, i + 1, "episode evaluation") for i in range(len(self.rows))]
        return [*played, *taught, (self.last.ply, len(self.rows), "policy improvement")]

    def _known(self, index: int, stones: int) -> bool:
        """Whether by now it is known what followed a decision."""
        if stones == self.last.ply:
            return True
        return index + 1 < len(self.rows) and stones >= self.rows[index + 1].position.ply


class LiveLearner(Learner):
    """A learner that plays as many games as it is told and shows the last one."""

    def __init__(self, rules: Rules, config: Training, seed: int = 0) -> None:
        super().__init__(rules, config, seed)
        self._dice = kernel_seed(np.random.default_rng(seed))

    def retune(self, changes: dict[str, Any]) -> None:
        """Change rates and rewards at once, without a reset."""
        self.config = dataclasses.replace(self.config, **changes)
        self._alpha = schedule(self.config.alpha, "alpha")
        self._epsilon = schedule(self.config.epsilon, "epsilon")
        self.lesson = self.config.lesson(starts(self.config.start, self.rules))
        self.knowledge.about["config"] = dataclasses.asdict(self.config)

    def play(self, games: int) -> Progress:
        """Play and learn from some games."""
        return self._chunk(self.games + games)

    def play_for(self, seconds: float, most: int) -> list[int]:
        """Play for a while, at most so many games; return wins, draws and losses."""
        began = time.perf_counter()
        tally = [0, 0, 0]
        size, done = 16, 0
        while True:
            progress = self.play(min(size, most - done))
            done += min(size, most - done)
            for index, count in enumerate((progress.wins, progress.draws, progress.losses)):
                tally[index] += count
            spent = time.perf_counter() - began
            if spent >= seconds or done >= most:
                return tally
            size = int(min(MOST_CHUNK, max(16, done / spent * (seconds - spent))))

    def sample(self) -> tuple[Sample, Progress]:
        """Play one game and return it, whole."""
        self.knowledge.make_room(self.rules.cells)
        progress = self.play(1)
        alone = self.lesson.alone
        side = None if alone else (self.games - 1) % 2
        if self.config.side in ("first", "second"):
            side = ("first", "second").index(self.config.side)
        result = progress.wins - progress.losses
        rows, last = self._read(progress, result)
        late = self.lesson.method in (AVERAGES, RETURNS)
        return Sample(self.games, last, rows, side, result, late), progress

    def _read(self, progress: Progress, result: int) -> tuple[list[Row], Position]:
        """Return the decisions of the last game, and its last position."""
        episode = self._episode
        position = self.rules.start()
        rows = []
        for index in range(progress.decisions):
            position = _reply(position, int(episode.occupied[index]))
            move = int(episode.moves[index])
            rows.append(self._row(position, move, index, progress.alpha))
            position = position.play(move)
        if not position.is_over:  # the opponent ended the game, by a line or on a full board
            wins = position.winning_moves()
            position = position.play(wins[0] if result < 0 and wins else position.legal_moves()[0])
        return rows, position

    def _row(self, position: Position, move: int, index: int, alpha: float) -> Row:
        episode = self._episode
        values = self.knowledge.move_values(position)
        trials = self.knowledge.visits(position)
        new, target = float(values[move] or 0.0), float(episode.targets[index])
        old = float(episode.takens[index])
        if self.lesson.method == AVERAGES:  # a mean tells what it was before
            count = trials[move] or 1
            old = (count * new - target) / (count - 1) if count > 1 else 0.0
        return Row(
            position, move, values, trials, _best(position), old, new,
            float(episode.rewards[index]), target,
        )  # fmt: skip


def _reply(position: Position, occupied: int) -> Position:
    """Return the position with these stones, one move after the given one at most."""
    if position.occupied == occupied:
        return position
    for move in position.legal_moves():
        after = position.play(move)
        if after.occupied == occupied:
            return after
    raise ValueError("the stones of two decisions do not follow from each other")


def _best(position: Position) -> list[int]:
    limits = Limits(seconds=EXACT_SECONDS)
    known = dict(solver_of(position.rules).moves(position, limits, weak=True))
    if not all(bounds.is_exact for bounds in known.values()):
        return []
    top = max(sign(bounds.low) for bounds in known.values())
    return [move for move, bounds in known.items() if sign(bounds.low) == top]
