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

from fourlab.agents.learned import MonteCarloAgent
from fourlab.core.spec import option
from fourlab.learning.tables.config import MOST_REWARD, TableConfig
from fourlab.learning.tables.episode import AVERAGES, Lesson
from fourlab.learning.tables.learner import TableLearner
from fourlab.positions.starts import Starts
from fourlab.rules.geometry import Rules
from fourlab.values.shape import Shape
from fourlab.values.store import POLICY


@dataclass(frozen=True)
class MonteCarloConfig(TableConfig):
    """On-policy Monte Carlo control with a stored policy."""

    method: ClassVar[int] = AVERAGES
    means: ClassVar[tuple[str, ...]] = ("-1",)

    alpha: str = option(
        "-1",
        "-1: values are means of returns; else a step size or a schedule",
        label="Rate α",
        live=True,
    )
    gamma: float = option(
        0.5, "what a reward is worth a turn later", low=0, high=1, label="Discount γ", live=True
    )
    epsilon: str = option("0", "the policy stores its own random moves (keep)", fixed=True)
    win: float = option(
        200.0, "reward for a win", low=-MOST_REWARD, high=MOST_REWARD, label="Win", live=True
    )
    loss: float = option(
        0.0, "reward for a loss", low=-MOST_REWARD, high=MOST_REWARD, label="Loss", live=True
    )
    block: float = option(
        100.0,
        "reward on top for a move that blocks a line",
        low=-MOST_REWARD,
        high=MOST_REWARD,
        label="Block",
        live=True,
    )
    symmetric: bool = option(False, "mirror images share what is learned")
    keep: float = option(
        0.9, "how often the policy stores the best move, else random", low=0, high=1
    )
    instinct: bool = option(
        False,
        "in an unseen state take the best reward at once",
        name="td",
        label="TD: in unseen states take the best reward at once",
        live=True,
    )

    def shape(self, rules: Rules, seed: int) -> Shape:
        return Shape(POLICY, self.symmetric, self.memory_mb)

    def lesson(self, starts: Starts) -> Lesson:
        return super().lesson(starts)._replace(keep=self.keep, instinct=self.instinct)


class MonteCarlo(TableLearner):
    """On-policy Monte Carlo control with a stored policy."""

    name, title = "monte-carlo", "Monte Carlo control"
    Config, Agent = MonteCarloConfig, MonteCarloAgent
