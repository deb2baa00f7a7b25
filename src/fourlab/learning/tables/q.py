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

from fourlab.agents.learned import AfterstatesAgent, QAgent
from fourlab.core.spec import option
from fourlab.learning.tables.config import TableConfig
from fourlab.learning.tables.episode import BEST
from fourlab.learning.tables.learner import TableLearner
from fourlab.rules.geometry import Rules
from fourlab.values.shape import MOST_SPREAD, Shape
from fourlab.values.store import ACTIONS, AFTERSTATES


@dataclass(frozen=True)
class QConfig(TableConfig):
    """Q-learning on state-action pairs."""

    method: ClassVar[int] = BEST

    spread: float = option(
        0.0, "unseen values are normal with this deviation", low=0, high=MOST_SPREAD
    )

    def shape(self, rules: Rules, seed: int) -> Shape:
        return Shape(ACTIONS, self.symmetric, self.memory_mb, self.spread, seed)


@dataclass(frozen=True)
class AfterstatesConfig(QConfig):
    """Q-learning on the boards after the learner's moves."""

    def shape(self, rules: Rules, seed: int) -> Shape:
        return Shape(AFTERSTATES, self.symmetric, self.memory_mb, self.spread, seed)


class Q(TableLearner):
    """Q-learning on state-action pairs."""

    name, title = "q", "Q-learning"
    Config, Agent = QConfig, QAgent


class Afterstates(TableLearner):
    """Q-learning on the boards after the learner's moves."""

    name, title = "afterstates", "Afterstates"
    Config, Agent = AfterstatesConfig, AfterstatesAgent
