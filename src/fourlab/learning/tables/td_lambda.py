"""`td-lambda` and `n-tuple`: afterstates learn from the whole rest of the game.

The return of a decision mixes what the next afterstate is thought to be worth with what came of it:

    G(t) = r(t) + gamma * ((1 - lambda) * V(b(t+1)) + lambda * G(t+1))
    V(b(t)) += alpha * (G(t) - V(b(t)))

lambda 0 is sarsa, lambda 1 is the result of the game. Where `cut` is set, a move of exploration
ends the return: what follows a slip is no news of the moves before it, the best move's worth is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fourlab.agents.learned import NTupleAgent, TdLambdaAgent
from fourlab.core.spec import option
from fourlab.learning.tables.config import TableConfig
from fourlab.learning.tables.episode import RETURNS, Lesson
from fourlab.learning.tables.learner import TableLearner
from fourlab.positions.starts import Starts
from fourlab.rules.geometry import Rules
from fourlab.values.knowledge import SELF
from fourlab.values.shape import LONGEST_TUPLE, MOST_SPREAD, MOST_TUPLES, Shape
from fourlab.values.store import AFTERSTATES, TUPLES


@dataclass(frozen=True)
class TdLambdaConfig(TableConfig):
    """TD(lambda) on the boards after the learner's moves; lambda=0 is sarsa."""

    method: ClassVar[int] = RETURNS

    trace: float = option(0.7, "weight of what came of it", name="lambda", low=0, high=1)
    cut: bool = option(False, "a move of exploration ends the return")
    spread: float = option(
        0.0, "unseen values are normal with this deviation", low=0, high=MOST_SPREAD
    )

    def shape(self, rules: Rules, seed: int) -> Shape:
        return Shape(AFTERSTATES, self.symmetric, self.memory_mb, self.spread, seed)

    def lesson(self, starts: Starts) -> Lesson:
        return super().lesson(starts)._replace(trace=self.trace, cut=self.cut)


@dataclass(frozen=True)
class NTupleConfig(TableConfig):
    """TD(lambda) with an n-tuple network, by self-play."""

    method: ClassVar[int] = RETURNS

    opponent: str = option("self", "who it plays: self, agents, mixtures, curricula, frozen")
    alpha: str = option(
        "0.004", "step size of a weight: a number or a schedule", label="Rate α", live=True
    )
    trace: float = option(0.0, "weight of what came of it", name="lambda", low=0, high=1)
    cut: bool = option(True, "a move of exploration ends the return")
    tuples: int = option(70, "sets of cells", low=1, high=MOST_TUPLES, public=100)
    length: int = option(8, "cells in a set", low=1, high=LONGEST_TUPLE, public=8)
    coherent: bool = option(True, "temporal coherence: a step size for each weight")
    symmetric: bool = option(True, "every tuple is looked up on the mirror image too", fixed=True)
    memory_mb: float = option(1024, "it has no table", fixed=True)

    def shape(self, rules: Rules, seed: int) -> Shape:
        # A draw is seen by the first player where both are the learner.
        by_second = self.opponent == SELF and rules.cells % 2 == 0
        return Shape(
            TUPLES,
            symmetric=True,
            seed=seed,
            won=self.win,
            drawn=0.0 - self.draw if by_second else self.draw,  # no -0.0: files would differ
            tuples=self.tuples,
            length=self.length,
            coherent=self.coherent,
        )

    def lesson(self, starts: Starts) -> Lesson:
        return super().lesson(starts)._replace(trace=self.trace, cut=self.cut)


class TdLambda(TableLearner):
    """TD(lambda) on the boards after the learner's moves; lambda=0 is sarsa."""

    name, title = "td-lambda", "TD(λ)"
    Config, Agent = TdLambdaConfig, TdLambdaAgent


class NTuple(TableLearner):
    """TD(lambda) with an n-tuple network, by self-play."""

    name, title = "n-tuple", "N-tuple network"
    size_label = "Weights"
    size_unit = "weights"
    Config, Agent = NTupleConfig, NTupleAgent
