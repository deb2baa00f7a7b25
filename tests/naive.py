"""A second opinion: the rules once more, slowly, on a list of lists. board[column][row] from the
bottom left holds 0, 1 or 2."""

from collections.abc import Iterator

Board = list[list[int]]


def empty(columns: int, rows: int) -> Board:
    return [[0] * rows for _ in range(columns)]


def windows(columns: int, rows: int, connect: int) -> Iterator[list[tuple[int, int]]]:
    for column in range(columns):
        for row in range(rows):
            for right, up in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(column + right * i, row + up * i) for i in range(connect)]
                if all(0 <= c < columns and 0 <= r < rows for c, r in cells):
                    yield cells


def has_line(board: Board, connect: int, mark: int) -> bool:
    columns, rows = len(board), len(board[0])
    return any(
        all(board[column][row] == mark for column, row in cells)
        for cells in windows(columns, rows, connect)
    )


def line_cells(board: Board, connect: int, mark: int) -> set[tuple[int, int]]:
    columns, rows = len(board), len(board[0])
    return {
        cell
        for cells in windows(columns, rows, connect)
        if all(board[column][row] == mark for column, row in cells)
        for cell in cells
    }


def completes_line(board: Board, connect: int, mark: int, column: int, row: int) -> bool:
    changed = [list(stack) for stack in board]
    changed[column][row] = mark
    return (column, row) in line_cells(changed, connect, mark)


def landing_row(board: Board, column: int) -> int | None:
    return board[column].index(0) if 0 in board[column] else None
