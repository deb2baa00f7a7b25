"""`double-q`: two estimates of every value, so that luck is not taken for worth.

A coin says which estimate learns. It names the best next move, the other says what it is worth:

    A(s, a) += alpha * (r + gamma * B(s', argmax A(s', .)) - A(s, a))
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fourlab.learning.config import Training
from fourlab.learning.episodes import DOUBLED, Episode, Lesson
from fourlab.rules.dice import below, roll
from fourlab.rules.geometry import Rules
from fourlab.rules.jit import body
from fourlab.rules.kernels import move_cell
from fourlab.rules.spec import option
from fourlab.values.keys import mirror_move, table_key
from fourlab.values.knowledge import Shape
from fourlab.values.store import DOUBLE, Values, move_count
from fourlab.values.table import ABSENT, default_value, find


@dataclass(frozen=True)
class DoubleQ(Training):
    """Double Q-learning on state-action pairs."""

    name: ClassVar[str] = "double-q"
    method: ClassVar[int] = DOUBLED

    spread: float = option(0.0, "unseen values are normal with this deviation", low=0)

    def shape(self, seed: int) -> Shape:
        return Shape(DOUBLE, self.symmetric, self.memory_mb, self.spread, seed)


@body
def _other_of_best(rules: Rules, values: Values, mover: int, occupied: int, half: int) -> float:
    """Return what the other estimate thinks of the move that estimate `half` likes best."""
    key, mirrored = table_key(rules, values.symmetric, mover, occupied)
    rows, spread, seed = values.table.values, values.table.spread, values.table.seed
    slot = find(values.table.keys, key)
    moves = move_count(rules)
    best, others = -math.inf, 0.0
    for move in range(moves):
        if move_cell(rules, occupied, move) == 0:
            continue
        column = mirror_move(rules, move) if mirrored else move
        own_column, other_column = half * moves + column, (1 - half) * moves + column
        if slot == ABSENT:
            own = default_value(spread, seed, key, own_column)
            other = default_value(spread, seed, key, other_column)
        else:
            own, other = np.float64(rows[slot, own_column]), np.float64(rows[slot, other_column])
        if own > best:
            best, others = own, other
    return others


@body
def aim_at_other(
    rules: Rules, values: Values, lesson: Lesson, episode: Episode, length: int, state: int
) -> int:
    """Set each decision's target and which estimate is to learn it; return the next dice."""
    turn = -lesson.gamma if lesson.alone else lesson.gamma
    for index in range(length):
        state = roll(state)
        half = below(state, 2)
        target = episode.rewards[index]
        if index + 1 < length:
            mover, occupied = episode.movers[index + 1], episode.occupied[index + 1]
            target += turn * _other_of_best(rules, values, mover, occupied, half)
        episode.targets[index] = target
        episode.offsets[index] = half * move_count(rules)
    return state
