"""`monte-carlo`: on-policy Monte Carlo control, in three phases for each game.

1. Generation: follow the stored policy; in an unseen state move at random, or with `instinct` make
   the move of the best reward at once.
2. Evaluation: the return G(t) = r(t) + gamma * G(t+1) enters the mean of (s, a) with its count.
   No state occurs twice in a game, so that every visit is a first visit.
3. Improvement: store the best-valued move of each visited state with probability `keep`, else a
   random one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fourlab.learning.config import Training
from fourlab.learning.episodes import AVERAGES, Episode, Lesson
from fourlab.learning.starts import Starts
from fourlab.rules.dice import chance, roll
from fourlab.rules.geometry import Rules
from fourlab.rules.jit import body
from fourlab.rules.kernels import cell_move
from fourlab.rules.spec import option
from fourlab.search.choices import random_legal_cell
from fourlab.values.knowledge import Shape
from fourlab.values.store import POLICY, Values, greedy, store_choice

MEAN = -1.0  # the rate that makes a value the mean of its targets


@dataclass(frozen=True)
class MonteCarlo(Training):
    """On-policy Monte Carlo control with a stored policy."""

    name: ClassVar[str] = "monte-carlo"
    method: ClassVar[int] = AVERAGES

    alpha: str = option("-1", "-1: values are means of returns; else a step size or a schedule")
    gamma: float = option(0.5, "what a reward is worth a turn later", low=0, high=1)
    epsilon: str = option("0", "not used: the policy stores its own random moves (keep)")
    win: float = option(200.0, "reward for a win")
    loss: float = option(0.0, "reward for a loss")
    block: float = option(100.0, "reward on top for a move that blocks a line")
    symmetric: bool = option(False, "mirror images share what is learned")
    keep: float = option(
        0.9, "how often the policy stores the best move, else random", low=0, high=1
    )
    instinct: bool = option(False, "in an unseen state take the best reward at once", name="td")

    def shape(self, seed: int) -> Shape:
        return Shape(POLICY, self.symmetric, self.memory_mb)

    def lesson(self, starts: Starts) -> Lesson:
        return super().lesson(starts)._replace(keep=self.keep, instinct=self.instinct)


@body
def aim_at_results(lesson: Lesson, episode: Episode, length: int) -> None:
    """Set each decision's target: all rewards to come."""
    turn = -lesson.gamma if lesson.alone else lesson.gamma
    following = 0.0
    for index in range(length - 1, -1, -1):
        following = episode.rewards[index] + turn * following
        episode.targets[index] = following


@body
def improve_policy(
    rules: Rules, values: Values, lesson: Lesson, episode: Episode, length: int, state: int
) -> int:
    """Store a move for each state of the episode; return the next dice."""
    for index in range(length):
        mover, occupied = episode.movers[index], episode.occupied[index]
        state = roll(state)
        if chance(state) < lesson.keep:
            cell, _, state = greedy(rules, values, mover, occupied, state)
        else:
            cell, state = random_legal_cell(rules, occupied, state)
        store_choice(rules, values, mover, occupied, cell_move(rules, cell))
    return state
