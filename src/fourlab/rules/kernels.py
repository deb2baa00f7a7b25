"""The rules, all of them: the only place that knows what a legal move or a line is.

Every function takes `rules` first and works on integers laid out as `geometry.py` draws them.
`stones` is one side's stones; `cell` is a single bit, `cells` a set of them.
"""

from fourlab.core.bits import lowest_index, popcount
from fourlab.core.jit import kernel
from fourlab.rules.geometry import Rules

VERTICAL, FALLING, HORIZONTAL, RISING = range(4)
DIRECTIONS = 4


@kernel
def column_cells(rules: Rules, column: int) -> int:
    """Return every cell of one column."""
    return ((1 << rules.rows) - 1) << (column * (rules.rows + 1))


@kernel
def move_count(rules: Rules) -> int:
    """Return `rules.move_count`, which kernels cannot ask for."""
    return rules.columns if rules.gravity else rules.columns * rules.rows


@kernel
def legal_cells(rules: Rules, occupied: int) -> int:
    """Return the cells where a stone may be placed while the game goes on."""
    if rules.gravity:
        return (occupied + rules.bottom) & rules.board
    return rules.board & ~occupied


@kernel
def move_cell(rules: Rules, occupied: int, move: int) -> int:
    """Return the cell that a move fills, or 0 if its column or cell is taken."""
    if rules.gravity:
        fallen = occupied + (1 << (move * (rules.rows + 1)))
        return fallen & column_cells(rules, move)
    row = rules.rows - 1 - move // rules.columns
    cell = 1 << (move % rules.columns * (rules.rows + 1) + row)
    return cell & ~occupied


@kernel
def cell_move(rules: Rules, cell: int) -> int:
    """Return the move that fills this cell: the inverse of `move_cell`."""
    index = lowest_index(cell)
    column = index // (rules.rows + 1)
    if rules.gravity:
        return column
    return (rules.rows - 1 - index % (rules.rows + 1)) * rules.columns + column


@kernel
def mirror_move(rules: Rules, move: int) -> int:
    """Return the move reflected left to right."""
    return move - 2 * (move % rules.columns) + rules.columns - 1


@kernel
def play(mover: int, occupied: int, cell: int) -> tuple[int, int]:
    """Return the board after the mover filled a cell, seen by the other side, which moves next."""
    return mover ^ occupied, occupied | cell


@kernel
def line_step(rules: Rules, direction: int) -> int:
    """Return the distance in bits between neighbours in a direction, or 0 if no line fits there."""
    if direction != VERTICAL and rules.columns < rules.connect:
        return 0
    if direction != HORIZONTAL and rules.rows < rules.connect:
        return 0
    if direction == VERTICAL:
        return 1
    return rules.rows + direction - FALLING


@kernel
def line_starts(rules: Rules, stones: int, step: int) -> int:
    """Return the stones that begin a full line of `stones` at this step.

    Runs of 2, 4 and 8 by doubling, then one overlap for the rest. Without a loop LLVM folds it to
    a few shifts: random games run 2.5 times as fast as with one.
    """
    starts = stones & (stones >> step)
    length = 2
    if rules.connect >= 4:
        starts &= starts >> (2 * step)
        length = 4
    if rules.connect >= 8:
        starts &= starts >> (4 * step)
        length = 8
    return starts & (starts >> ((rules.connect - length) * step))


@kernel
def has_line(rules: Rules, stones: int) -> bool:
    """Return whether the stones hold a line of the winning length."""
    for direction in range(DIRECTIONS):
        step = line_step(rules, direction)
        if step > 0 and line_starts(rules, stones, step) != 0:
            return True
    return False


@kernel
def line_cells(rules: Rules, stones: int) -> int:
    """Return the stones that belong to a line of the winning length."""
    cells = 0
    for direction in range(DIRECTIONS):
        step = line_step(rules, direction)
        if step > 0:
            cells |= spread(rules, line_starts(rules, stones, step), step)
    return cells


@kernel
def all_line_starts(rules: Rules, stones: int) -> tuple[int, int, int, int]:
    """Return `line_starts` for every direction."""
    return (
        _starts_towards(rules, stones, VERTICAL),
        _starts_towards(rules, stones, FALLING),
        _starts_towards(rules, stones, HORIZONTAL),
        _starts_towards(rules, stones, RISING),
    )


@kernel
def _starts_towards(rules: Rules, stones: int, direction: int) -> int:
    step = line_step(rules, direction)
    return line_starts(rules, stones, step) if step > 0 else 0


@kernel
def lines_through(rules: Rules, starts: tuple[int, int, int, int], cell: int) -> int:
    """Return how many of the lines that begin at `starts` contain a cell."""
    count = 0
    for direction in range(DIRECTIONS):
        step = line_step(rules, direction)
        reach = cell  # where a line through the cell can begin
        for _ in range(rules.connect - 1):
            reach |= reach >> step
        count += popcount(starts[direction] & reach)
    return count


@kernel
def spread(rules: Rules, starts: int, step: int) -> int:
    """Return all cells of the lines that begin at `starts`: `line_starts` backwards."""
    cells = starts | (starts << step)
    length = 2
    if rules.connect >= 4:
        cells |= cells << (2 * step)
        length = 4
    if rules.connect >= 8:
        cells |= cells << (4 * step)
        length = 8
    return cells | (cells << ((rules.connect - length) * step))


@kernel
def winning_cells(rules: Rules, stones: int) -> int:
    """Return the cells that would complete a line, reachable or not, empty or not."""
    board = rules.board
    cells = 0
    for direction in range(DIRECTIONS):
        step = line_step(rules, direction)
        if step > 0:
            cells |= _gaps(rules, stones, step, board)
    return cells & board


@kernel
def _gaps(rules: Rules, stones: int, step: int, board: int) -> int:
    """Return the cells whose neighbours at this step lack only them to be a line.

    `b3` has three stones just before it, `a2` two just after. A formula for each length, since
    LLVM does not unroll the loop over it.
    """
    k = rules.connect
    b1 = (stones << step) & board
    a1 = stones >> step
    if k == 2:
        return b1 | a1
    b2 = b1 & (b1 << step)
    a2 = a1 & (a1 >> step)
    if k == 3:
        return b2 | (b1 & a1) | a2
    b3 = b2 & (b2 << step)
    a3 = a2 & (a2 >> step)
    if k == 4:
        return b3 | (b2 & a1) | (b1 & a2) | a3
    b4 = b3 & (b3 << step)
    a4 = a3 & (a3 >> step)
    if k == 5:
        return b4 | (b3 & a1) | (b2 & a2) | (b1 & a3) | a4
    b5 = b4 & (b4 << step)
    a5 = a4 & (a4 >> step)
    if k == 6:
        return b5 | (b4 & a1) | (b3 & a2) | (b2 & a3) | (b1 & a4) | a5
    b6 = b5 & (b5 << step)
    a6 = a5 & (a5 >> step)
    if k == 7:
        return b6 | (b5 & a1) | (b4 & a2) | (b3 & a3) | (b2 & a4) | (b1 & a5) | a6
    b7 = b6 & (b6 << step)
    a7 = a6 & (a6 >> step)
    if k == 8:
        return b7 | (b6 & a1) | (b5 & a2) | (b4 & a3) | (b3 & a4) | (b2 & a5) | (b1 & a6) | a7
    ends = (b7 & (b7 << step)) | (a7 & (a7 >> step))
    middle = (b5 & a3) | (b4 & a4) | (b3 & a5)
    return ends | (b7 & a1) | (b6 & a2) | middle | (b2 & a6) | (b1 & a7)


@kernel
def is_full(rules: Rules, occupied: int) -> bool:
    """Return whether no empty cell is left."""
    return popcount(occupied) == rules.columns * rules.rows


@kernel
def mirror(rules: Rules, stones: int) -> int:
    """Return the stones reflected left to right."""
    height = rules.rows + 1
    column_mask = (1 << rules.rows) - 1
    reflected = 0
    for column in range(rules.columns):
        opposite = rules.columns - 1 - column
        reflected |= ((stones >> (column * height)) & column_mask) << (opposite * height)
    return reflected
