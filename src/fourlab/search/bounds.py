"""What can be said of a position without searching it."""

from fourlab.core.bits import lowest_index
from fourlab.core.jit import kernel
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import has_line, legal_cells

NO_BOUND = 99


@kernel
def safe_replies(rules: Rules, occupied: int, threats: int) -> int:
    """Return the cells that do not lose at once; `threats` are the other side's winning cells."""
    cells = legal_cells(rules, occupied)
    forced = cells & threats
    if forced != 0:
        if forced & (forced - 1) != 0:
            return 0
        cells = forced
    if rules.gravity:
        cells &= ~(threats >> 1)  # a stone there lifts the other side to its winning cell
    return cells


@kernel
def cells_above(rules: Rules, cells: int) -> int:
    """Return every cell that lies above one of these in its column."""
    bottom = rules.bottom
    capped = cells | (bottom << rules.rows)
    up_to_lowest = (capped - bottom) ^ capped
    return rules.board & ~up_to_lowest


@kernel
def follow_up_bound(
    rules: Rules, mover: int, waiting: int, waiting_wins: int, stones: int, alpha: int
) -> int:
    """Return an upper bound of the score of the side to move, or NO_BOUND; only if <= alpha.

    The waiting side may answer every move in the column where it was made. Counted from the top of
    a column, it then gets the 1st, 3rd, ... empty cell (the upper ones) and the mover the others,
    and at most one cell more of each column: the playable one, where the column holds an odd number
    of empty cells. There is always an answer if the number of empty cells is even. If these cells
    give the mover no line, the mover cannot win.

    A winning cell of the waiting side can end a column early: below it nobody plays, until the
    mover, out of other moves, has to. If the other empty cells are even in number and give the
    mover no line, the waiting side wins, at the latest when they are filled.
    """
    board = rules.board
    occupied = mover | waiting
    empty = board & ~occupied
    playable = (occupied + rules.bottom) & board
    upper = _every_other_row(rules, rules.rows - 1)
    odd = (rules.columns * rules.rows - stones) & 1
    given = mover | (empty & ~upper) | playable
    if odd == 0 and alpha >= -1 and not has_line(rules, given):
        if has_line(rules, waiting | (empty & upper & ~playable)):
            return -1
        if alpha >= 0:
            return 0
    # The rows of a winning cell that leave an even number of other cells.
    parity = _every_other_row(rules, rules.rows - 1 + odd)
    candidates = waiting_wins & parity & ~rules.bottom
    while candidates != 0:
        cell = candidates & -candidates
        candidates ^= cell
        column, row = _column_and_row(rules, cell)
        score = (rules.rows + 1 - row) // 2
        if -score > alpha:
            continue
        below = cell >> 1
        column_mask = ((1 << rules.rows) - 1) << (column * (rules.rows + 1))
        under = column_mask & (below - 1)
        elsewhere = given & ~(column_mask & ~mover)
        here = under & ((empty & ~parity) | playable) | below
        if not has_line(rules, elsewhere | here):
            return -score
    return NO_BOUND


@kernel
def _every_other_row(rules: Rules, row: int) -> int:
    """Return the cells of all rows that lie an even number of rows from this one."""
    pattern = 0x5555555555555555 if row % 2 == 0 else 0x2AAAAAAAAAAAAAAA
    return rules.bottom * (pattern & ((1 << rules.rows) - 1))


@kernel
def _column_and_row(rules: Rules, cell: int) -> tuple[int, int]:
    index = lowest_index(cell)
    return index // (rules.rows + 1), index % (rules.rows + 1)
