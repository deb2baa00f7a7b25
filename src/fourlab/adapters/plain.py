"""A player for any board in plain Python: what is played where nothing better can be.

It needs no numpy and no bit boards, and it answers at once: win, block, do not hand over a win,
stay central. A board is the flat list of the other side's interface, top row first.
"""

from collections.abc import Sequence
from typing import NamedTuple

EMPTY = 0
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))  # rows down, columns right


class Grid(NamedTuple):
    """A board on which stones fall."""

    cells: Sequence[int]  # [rows * columns], 0 empty, 1 first player, 2 second
    columns: int
    rows: int
    inarow: int


def open_columns(grid: Grid) -> list[int]:
    """Return the columns that are not full, the most central first."""
    by_distance = sorted(range(grid.columns), key=lambda column: abs(2 * column + 1 - grid.columns))
    return [column for column in by_distance if grid.cells[column] == EMPTY]


def drop(grid: Grid, column: int, mark: int) -> Grid:
    """Return the board after a stone fell into an open column."""
    cells = list(grid.cells)
    cells[_landing_row(grid, column) * grid.columns + column] = mark
    return grid._replace(cells=cells)


def _landing_row(grid: Grid, column: int) -> int:
    fallen = [r for r in range(grid.rows) if grid.cells[r * grid.columns + column] == EMPTY]
    return max(fallen)


def wins(grid: Grid, column: int, mark: int) -> bool:
    """Return whether a stone of `mark` in an open column completes a line."""
    row = _landing_row(grid, column)
    return any(
        1
        + _run(grid, row, column, down, right, mark)
        + _run(grid, row, column, -down, -right, mark)
        >= grid.inarow
        for down, right in DIRECTIONS
    )


def _run(grid: Grid, row: int, column: int, down: int, right: int, mark: int) -> int:
    """Count the stones of `mark` that follow a cell in one direction."""
    count = 0
    row, column = row + down, column + right
    while (
        0 <= row < grid.rows
        and 0 <= column < grid.columns
        and grid.cells[row * grid.columns + column] == mark
    ):
        count += 1
        row, column = row + down, column + right
    return count


def plain_move(grid: Grid, mark: int) -> int:
    """Return an open column of a board that is not full: win, else block, else safe and central."""
    columns, other = open_columns(grid), 3 - mark
    for side in (mark, other):
        for column in columns:
            if wins(grid, column, side):
                return column
    for column in columns:
        after = drop(grid, column, mark)
        if after.cells[column] != EMPTY or not wins(after, column, other):
            return column
    return columns[0]
