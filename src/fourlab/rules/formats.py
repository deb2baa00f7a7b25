"""Boards in other people's formats, read with every check and written.

Kaggle: a flat list, top row first, 0 empty, 1 first player, 2 second. UCI: cells a1..a6, b1..g6
over b, x, o, separated by commas, optionally followed by the class. Text: a picture of the board,
top row first, with `.` for an empty cell, X for the first player and O for the second.
"""

from collections.abc import Iterable, Sequence

from fourlab.core.errors import NotationError
from fourlab.rules import kernels
from fourlab.rules.geometry import Rules
from fourlab.rules.history import order_of_moves
from fourlab.rules.position import FIRST, SECOND, SIDE_NAMES, Position

TEXT_MARKS = ".XO"  # indexed by Kaggle's 0, 1, 2
UCI_MARKS = "bxo"
UCI_CLASSES = ("win", "loss", "draw")


def from_stones(rules: Rules, first: int, second: int, source: str = "the board") -> Position:
    """Return the position with these stones; raises NotationError if no game leads to it."""
    fault = _fault(rules, first, second)
    moves = None if fault else order_of_moves(rules, first, second)
    if moves is None:
        why = fault or "no order of moves that leads to it was found"
        raise NotationError(f"{source} is no position of {rules}: {why}")
    mover = first if len(moves) % 2 == FIRST else second
    return Position(rules, mover, first | second, moves)


def _fault(rules: Rules, first: int, second: int) -> str:
    """Return what is wrong with these stones and how to mend it, or nothing."""
    occupied = first | second
    if first & second or occupied & ~rules.board:
        return "stones overlap or lie outside the board"
    counts = first.bit_count(), second.bit_count()
    if counts[FIRST] - counts[SECOND] not in (0, 1):
        return (
            f"it has {counts[FIRST]} stones of the first player and {counts[SECOND]} of the "
            "second; they take turns and the first begins"
        )
    if rules.gravity and (occupied + rules.bottom) & occupied:
        return "a stone floats; it would fall to the lowest empty cell of its column"
    lines = [kernels.has_line(rules, stones) for stones in (first, second)]
    last = (sum(counts) - 1) % 2
    if all(lines):
        return "both sides have a line; the game ends with the first one"
    if lines[1 - last]:
        return f"the {SIDE_NAMES[1 - last]} has a line but the other side moved last"
    return ""


def _stones(rules: Rules, marks: Iterable[int], cells: Iterable[int]) -> tuple[int, int]:
    """Return both sides' stones for marks 0, 1, 2 on cells."""
    stones = [0, 0]
    for mark, cell in zip(marks, cells, strict=True):
        if mark:
            stones[mark - 1] |= cell
    return stones[FIRST], stones[SECOND]


def _marks(position: Position, cells: Iterable[int]) -> list[int]:
    """Return 0, 1 or 2 for each cell: the inverse of `_stones`."""
    first = position.first_stones
    return [bool(position.occupied & cell) * (1 if first & cell else 2) for cell in cells]


def row_cells(rules: Rules) -> list[int]:
    """Return the cells row by row from the top left."""
    height = rules.rows + 1
    return [
        1 << (column * height + row)
        for row in reversed(range(rules.rows))
        for column in range(rules.columns)
    ]


def column_cells(rules: Rules) -> list[int]:
    """Return the cells column by column from the bottom left."""
    height = rules.rows + 1
    return [
        1 << (column * height + row) for column in range(rules.columns) for row in range(rules.rows)
    ]


def read_kaggle(rules: Rules, board: Sequence[int]) -> Position:
    """Return the position of Kaggle's flat list; raises NotationError if it is none."""
    if len(board) != rules.cells:
        raise NotationError(
            f"a board list of {len(board)} entries is no board of {rules}: it has {rules.cells}"
        )
    for index, mark in enumerate(board):
        if mark not in (0, 1, 2):
            raise NotationError(f"entry {index} of the board list is {mark!r}; write 0, 1 or 2")
    return from_stones(rules, *_stones(rules, board, row_cells(rules)), "the board list")


def write_kaggle(position: Position) -> list[int]:
    """Return Kaggle's flat list of a position."""
    return _marks(position, row_cells(position.rules))


def read_uci(rules: Rules, row: str) -> Position:
    """Return the position of a UCI data row, with or without its class."""
    entries = [entry.strip().lower() for entry in row.split(",")]
    if len(entries) == rules.cells + 1 and entries[-1] in UCI_CLASSES:
        entries.pop()
    if len(entries) != rules.cells:
        raise NotationError(
            f"a UCI row of {len(entries)} entries is no board of {rules}: it has {rules.cells}, "
            f"then optionally {', '.join(UCI_CLASSES)}"
        )
    for index, entry in enumerate(entries):
        if entry not in tuple(UCI_MARKS):
            raise NotationError(f"entry {index + 1} of the UCI row is {entry!r}; write x, o or b")
    marks = [UCI_MARKS.index(entry) for entry in entries]
    return from_stones(rules, *_stones(rules, marks, column_cells(rules)), "the UCI row")


def write_uci(position: Position) -> str:
    """Return the cells of a position as a UCI data row, without a class."""
    return ",".join(UCI_MARKS[mark] for mark in _marks(position, column_cells(position.rules)))


def read_text(rules: Rules, text: str) -> Position:
    """Return the position of a board in text; a last line of column numbers is passed over."""
    lines = ["".join(line.split()).strip("|") for line in text.strip().splitlines()]
    if len(lines) == rules.rows + 1 and lines[-1].isdigit():
        lines.pop()
    if len(lines) != rules.rows or any(len(line) != rules.columns for line in lines):
        sizes = " ".join(str(len(line)) for line in lines)
        raise NotationError(
            f"a board with lines of {sizes} cells is no board of {rules}: "
            f"write {rules.rows} lines of {rules.columns} cells"
        )
    cells = "".join(lines).upper()
    for index, mark in enumerate(cells):
        if mark not in TEXT_MARKS:
            row, column = divmod(index, rules.columns)
            raise NotationError(
                f"{mark!r} in line {row + 1}, column {column + 1} is no stone; write X, O or ."
            )
    marks = [TEXT_MARKS.index(mark) for mark in cells]
    return from_stones(rules, *_stones(rules, marks, row_cells(rules)))


def write_text(position: Position, base: int = 1) -> str:
    """Return the board in text, with column numbers, counted from `base`, where stones fall."""
    rules = position.rules
    marks = [TEXT_MARKS[mark] for mark in _marks(position, row_cells(rules))]
    numbers = [str(base + column) for column in range(rules.columns)] if rules.gravity else []
    width = len(numbers[-1]) if numbers else 1
    rows = [marks[start : start + rules.columns] for start in range(0, len(marks), rules.columns)]
    if numbers:
        rows.append(numbers)
    return "\n".join(" ".join(mark.rjust(width) for mark in row) for row in rows)
