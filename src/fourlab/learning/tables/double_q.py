"""`double-q`: two estimates of every value, so that luck is not taken for worth.

A coin says which estimate learns. It names the best next move, the other says what it is worth:

    A(s, a) += alpha * (r + gamma * B(s', argmax A(s', .)) - A(s, a))
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fourlab.agents.learned import DoubleQAgent
from fourlab.core.spec import option
from fourlab.learning.tables.config import TableConfig
from fourlab.learning.tables.episode import DOUBLED
from fourlab.learning.tables.learner import TableLearner
from fourlab.rules.geometry import Rules
from fourlab.values.shape import MOST_SPREAD, Shape
from fourlab.values.store import DOUBLE


@dataclass(frozen=True)
class DoubleQConfig(TableConfig):
    """Double Q-learning on state-action pairs."""

    method: ClassVar[int] = DOUBLED

    spread: float = option(
        0.0, "unseen values are normal with this deviation", low=0, high=MOST_SPREAD
    )

    def shape(self, rules: Rules, seed: int) -> Shape:
        return Shape(DOUBLE, self.symmetric, self.memory_mb, self.spread, seed)


class DoubleQ(TableLearner):
    """Double Q-learning on state-action pairs."""

    name, title = "double-q", "Double Q-learning"
    Config, Agent = DoubleQConfig, DoubleQAgent
