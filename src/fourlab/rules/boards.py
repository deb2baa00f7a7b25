"""`Boards`: many positions at once, as arrays that kernels take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from fourlab.core.arrays import Bytes, Ints
from fourlab.core.errors import IllegalMoveError, NotationError
from fourlab.core.limit import Limit
from fourlab.rules.geometry import Rules
from fourlab.rules.history import ordered
from fourlab.rules.kernels import cell_move, legal_cells
from fourlab.rules.position import Position


class Boards(NamedTuple):
    """Positions in progress, one a row.

    `moves` are those that led there, as far as they are known: [boards, 0] where nobody asks.
    """

    movers: Ints  # [boards]
    occupied: Ints  # [boards]
    moves: Bytes  # [boards, plies or 0]

    def take(self, rows: Ints | slice) -> Boards:
        """Return some of the rows."""
        return Boards(self.movers[rows], self.occupied[rows], self.moves[rows])

    def position(self, rules: Rules, row: int) -> Position:
        """Return one row as a position; its moves are as many as its stones, or none."""
        mover, occupied = int(self.movers[row]), int(self.occupied[row])
        line = self.moves[row, : occupied.bit_count()]
        moves = tuple(line.tolist()) if len(line) == occupied.bit_count() else ()
        return Position(rules, mover, occupied, moves)

    def portions(
        self, rules: Rules, size: int, limit: Limit, moves: Ints
    ) -> Iterator[tuple[slice, Limit]]:
        """Yield so many rows at a time, each with what is left of the limit.

        Once it is over, all rows that are left get any legal move, written into `moves`.
        """
        watch = limit.watch()
        for begin in range(0, len(moves), size):
            if watch.is_over():
                for row in range(begin, len(moves)):
                    cells = legal_cells(rules, self.occupied[row])
                    moves[row] = cell_move(rules, cells & -cells)
                return
            yield slice(begin, begin + size), watch.rest()


def refusal(rules: Rules, boards: Boards, moves: Ints) -> str:
    """Say which of many moves is not legal, and why."""
    for row, move in enumerate(moves.tolist()):
        try:
            ordered(boards.position(rules, row)).play(move)
        except IllegalMoveError as error:
            return str(error)
    raise ValueError("all of these moves are legal")


def boards_of(positions: Sequence[Position]) -> Boards:
    """Return positions as rows, without their moves."""
    return Boards(
        np.array([position.mover for position in positions], np.int64),
        np.array([position.occupied for position in positions], np.int64),
        np.zeros((len(positions), 0), np.uint8),
    )


def checked_boards(rules: Rules, movers: Ints, occupied: Ints) -> tuple[Ints, Ints]:
    """Return arrays that kernels may take: a whole number a board, with stones as games have them.

    Raises NotationError for any other.
    """
    movers, occupied = np.asarray(movers), np.asarray(occupied)
    if movers.ndim != 1 or movers.shape != occupied.shape:
        raise NotationError(
            f"boards of shapes {movers.shape} and {occupied.shape}: give two arrays of one length"
        )
    for stones in (movers, occupied):
        if stones.size and stones.dtype.kind not in "iu":
            raise NotationError(f"boards of {stones.dtype}: give whole numbers, a bit for a stone")
    movers, occupied = movers.astype(np.int64), occupied.astype(np.int64)
    sound = (movers & ~occupied == 0) & (occupied & ~rules.board == 0)
    sound &= np.bitwise_count(movers) == np.bitwise_count(occupied) // 2
    if rules.gravity:
        sound &= (occupied + rules.bottom) & occupied == 0
    if not sound.all():
        row = int(np.argmin(sound))
        raise NotationError(
            f"board {row} is no position of {rules}: stones of the side to move, and all stones, "
            "as players have them who take turns"
        )
    return movers, occupied
