"""`q` and `afterstates`: a move is worth its reward plus the best that follows.

    q             Q(s, a) += alpha * (r + gamma * max Q(s', .) - Q(s, a))
    afterstates   V(b)    += alpha * (r + gamma * max V(b')    - V(b))

s' is the learner's next turn, after the opponent's reply; b is the board after the learner's move,
b' the boards it can make next. Playing alone, s' is the other side's turn and its best counts
against the mover: max for one side, min for the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fourlab.learning.config import Training
from fourlab.learning.episodes import BEST, Episode, Lesson
from fourlab.rules.jit import body
from fourlab.rules.spec import option
from fourlab.values.knowledge import Shape
from fourlab.values.store import ACTIONS, AFTERSTATES


@dataclass(frozen=True)
class Q(Training):
    """Q-learning on state-action pairs."""

    name: ClassVar[str] = "q"
    method: ClassVar[int] = BEST

    spread: float = option(0.0, "unseen values are normal with this deviation", low=0)

    def shape(self, seed: int) -> Shape:
        return Shape(ACTIONS, self.symmetric, self.memory_mb, self.spread, seed)


@dataclass(frozen=True)
class Afterstates(Q):
    """Q-learning on the boards after the learner's moves."""

    name: ClassVar[str] = "afterstates"

    def shape(self, seed: int) -> Shape:
        return Shape(AFTERSTATES, self.symmetric, self.memory_mb, self.spread, seed)


@body
def aim_at_best(lesson: Lesson, episode: Episode, length: int) -> None:
    """Set each decision's target: its reward plus the best that the next decision had."""
    turn = -lesson.gamma if lesson.alone else lesson.gamma
    for index in range(length):
        target = episode.rewards[index]
        if index + 1 < length:
            target += turn * episode.bests[index + 1]
        episode.targets[index] = target
