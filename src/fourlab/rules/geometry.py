"""The board as data: `Rules`, and how its cells lie in an integer.

Cells are numbered column by column from the bottom, with one guard bit above each column. For
7 columns and 6 rows:

      6 13 20 27 34 41 48    guard bits, always 0
    +---------------------+
    | 5 12 19 26 33 40 47 |  top row
    | 4 11 18 25 32 39 46 |
    | 3 10 17 24 31 38 45 |
    | 2  9 16 23 30 37 44 |
    | 1  8 15 22 29 36 43 |
    | 0  7 14 21 28 35 42 |  bottom row
    +---------------------+

One step up is +1, right is +(rows + 1), diagonally +(rows + 2) and +rows; the guard bits keep a
shifted line from wrapping into the next column. Two integers make a board: `mover`, the stones of
the side to move, and `occupied`, the stones of both. They fit into 63 bits, so that plain Python
and signed 64-bit kernels agree.
"""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fourlab.core.errors import SHOWN, GeometryError

if TYPE_CHECKING:
    from fourlab.rules.position import Position

BOARD_BITS = 63
CONNECT_RANGE = range(2, 10)


class _Fields(NamedTuple):
    columns: int
    rows: int
    connect: int
    gravity: bool
    bottom: int  # the lowest cell of every column
    board: int  # every cell, no guard bit


def _is_whole(size: object) -> bool:
    return isinstance(size, Integral) and not isinstance(size, bool)


class Rules(_Fields):
    """A game: a board of `columns` x `rows`, won by `connect` stones in a line.

    With gravity a move is a column and its stone falls; without, a move is a cell, numbered row by
    row from the top left. Raises GeometryError for a board that cannot exist or does not fit.
    """

    __slots__ = ()

    def __new__(cls, columns: int, rows: int, connect: int, gravity: bool = True) -> Rules:
        if not all(_is_whole(size) for size in (columns, rows, connect)):
            given = zip(("columns", "rows", "k"), (columns, rows, connect), strict=True)
            words = ", ".join(f"{name}={size!r:.{SHOWN}}" for name, size in given)
            raise GeometryError(f"{words}: write whole numbers")
        if not isinstance(gravity, bool | np.bool_):
            raise GeometryError(f"gravity={gravity!r:.{SHOWN}}: write True or False")
        words = f"columns={columns}, rows={rows}, k={connect}"
        if columns < 1 or rows < 1:
            raise GeometryError(f"{words}: a board needs at least 1 column and 1 row")
        if columns * (rows + 1) > BOARD_BITS:
            raise GeometryError(
                f"{words}: the board is too large; columns * (rows + 1) is "
                f"{columns * (rows + 1)}, at most {BOARD_BITS} (7 x 8, 8 x 6 and 9 x 6 fit)"
            )
        if connect not in CONNECT_RANGE:
            raise GeometryError(f"{words}: k is the length of a winning line, 2 to 9")
        if connect > max(columns, rows):
            raise GeometryError(
                f"{words}: a line of {connect} does not fit; k is at most {max(columns, rows)} here"
            )
        bottom = sum(1 << (column * (rows + 1)) for column in range(columns))
        board = bottom * ((1 << rows) - 1)
        return super().__new__(
            cls, int(columns), int(rows), int(connect), bool(gravity), bottom, board
        )

    def __getnewargs__(self) -> tuple[int, int, int, bool]:
        """Return what a copy is made from; the rest follows."""
        return self.columns, self.rows, self.connect, self.gravity

    def __repr__(self) -> str:
        return f"Rules({self.columns}, {self.rows}, {self.connect}, gravity={self.gravity})"

    @property
    def cells(self) -> int:
        """The number of cells."""
        return self.columns * self.rows

    @property
    def move_count(self) -> int:
        """The number of moves there are: columns with gravity, cells without."""
        return self.columns if self.gravity else self.cells

    @property
    def unit(self) -> str:
        """What a move chooses, in words."""
        return "column" if self.gravity else "cell"

    def start(self) -> Position:
        """Return the empty board."""
        from fourlab.rules.position import Position  # position.py stands on this module

        return Position(self, mover=0, occupied=0, moves=())

    def __str__(self) -> str:
        """Return the name the game goes by in a spec string."""
        from fourlab.rules.catalog import name_of  # catalog.py stands on this module

        return name_of(self)


def central_order(rules: Rules) -> list[int]:
    """Return all moves, the most central first."""
    middle_column, middle_row = (rules.columns - 1) / 2, (rules.rows - 1) / 2

    def distance(move: int) -> float:
        if rules.gravity:
            return abs(move - middle_column)
        row, column = divmod(move, rules.columns)
        return abs(column - middle_column) + abs(row - middle_row)

    return sorted(range(rules.move_count), key=distance)
