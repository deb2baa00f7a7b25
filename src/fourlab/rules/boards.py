"""`Boards`: many positions at once, as arrays that kernels take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fourlab.core.arrays import Bytes, Ints
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position


class Boards(NamedTuple):
    """Positions in progress, one a row.

    `moves` are those that led there, as far as they are known: [boards, 0] where nobody asks.
    """

    movers: Ints  # [boards]
    occupied: Ints  # [boards]
    moves: Bytes  # [boards, plies or 0]

    def take(self, rows: Ints) -> Boards:
        """Return some of the rows."""
        return Boards(self.movers[rows], self.occupied[rows], self.moves[rows])

    def position(self, rules: Rules, row: int) -> Position:
        """Return one row as a position; its moves are as many as its stones, or none."""
        mover, occupied = int(self.movers[row]), int(self.occupied[row])
        line = self.moves[row, : occupied.bit_count()]
        moves = tuple(line.tolist()) if len(line) == occupied.bit_count() else ()
        return Position(rules, mover, occupied, moves)


def boards_of(positions: Sequence[Position]) -> Boards:
    """Return positions as rows, without their moves."""
    return Boards(
        np.array([position.mover for position in positions], np.int64),
        np.array([position.occupied for position in positions], np.int64),
        np.zeros((len(positions), 0), np.uint8),
    )
