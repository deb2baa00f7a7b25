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

from fourlab.learning.config import Training
from fourlab.learning.episodes import RETURNS, Episode, Lesson
from fourlab.learning.starts import Starts
from fourlab.rules.jit import body
from fourlab.rules.spec import option
from fourlab.values.knowledge import Shape
from fourlab.values.store import AFTERSTATES, TUPLES


@dataclass(frozen=True)
class TdLambda(Training):
    """TD(lambda) on the boards after the learner's moves; lambda=0 is sarsa."""

    name: ClassVar[str] = "td-lambda"
    method: ClassVar[int] = RETURNS

    trace: float = option(0.7, "weight of what came of it", name="lambda", low=0, high=1)
    cut: bool = option(False, "a move of exploration ends the return")
    spread: float = option(0.0, "unseen values are normal with this deviation", low=0)

    def shape(self, seed: int) -> Shape:
        return Shape(AFTERSTATES, self.symmetric, self.memory_mb, self.spread, seed)

    def lesson(self, starts: Starts) -> Lesson:
        return super().lesson(starts)._replace(trace=self.trace, cut=self.cut)


@dataclass(frozen=True)
class NTuple(Training):
    """TD(lambda) with an n-tuple network, by self-play."""

    name: ClassVar[str] = "n-tuple"
    method: ClassVar[int] = RETURNS

    opponent: str = option("self", "who it plays: self, agents, mixtures, curricula, frozen")
    alpha: str = option("0.004", "step size of a weight: a number or a schedule")
    trace: float = option(0.0, "weight of what came of it", name="lambda", low=0, high=1)
    cut: bool = option(True, "a move of exploration ends the return")
    tuples: int = option(70, "sets of cells", low=1, high=1000)
    length: int = option(8, "cells in a set", low=1, high=12)
    coherent: bool = option(True, "temporal coherence: a step size for each weight")

    def shape(self, seed: int) -> Shape:
        return Shape(
            TUPLES,
            symmetric=True,
            seed=seed,
            won=self.win,
            drawn=self.draw,
            tuples=self.tuples,
            length=self.length,
            coherent=self.coherent,
        )

    def lesson(self, starts: Starts) -> Lesson:
        return super().lesson(starts)._replace(trace=self.trace, cut=self.cut)


@body
def aim_at_returns(lesson: Lesson, episode: Episode, length: int) -> None:
    """Set each decision's target: its return, from the last to the first."""
    turn = -lesson.gamma if lesson.alone else lesson.gamma
    for index in range(length - 1, -1, -1):
        after = index + 1
        target = episode.rewards[index]
        if after < length and lesson.cut and episode.explored[after]:
            target += turn * episode.bests[after]
        elif after < length:
            told, came = episode.takens[after], episode.targets[after]
            target += turn * ((1 - lesson.trace) * told + lesson.trace * came)
        episode.targets[index] = target
