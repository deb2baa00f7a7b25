"""What can be said of a position without searching it."""

from fourlab.core.bits import lowest_index
from fourlab.core.jit import kernel
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import DIRECTIONS, has_line, legal_cells, line_starts, line_step, spread

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
    a column, it then gets the 1st, 3rd, ... empty cell (the upper ones) and the mover the others.
    Where a column holds an odd number of empty cells, its playable one is single: either side may
    get it, and a move there is answered by another single one. There is always an answer if the
    number of empty cells is even. If the mover cannot complete a line of the cells that are left
    to it, the mover cannot win.

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
    taken = empty & upper & ~playable
    single = playable & upper
    if odd == 0 and alpha >= -1:
        loses = has_line(rules, waiting | taken)
        if (loses or alpha >= 0) and not _may_win(rules, given, waiting, taken, single):
            return -1 if loses else 0
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
        given_here = (given & ~column_mask) | (mover & column_mask) | below
        given_here |= under & ((empty & ~parity) | playable)
        taken_here = (taken & ~column_mask) | (under & empty & parity & ~playable)
        single_here = (single & ~column_mask) | (under & playable & parity)
        if not _may_win(rules, given_here, waiting, taken_here, single_here):
            return -score
    return NO_BOUND


@kernel
def _may_win(rules: Rules, given: int, waiting: int, taken: int, single: int) -> bool:
    """Return whether the mover may complete a line first, out of the cells given to it.

    Not a line above cells that, taken by the waiting side, are a line: that side is first. And not
    a line of two single cells: the waiting side answers one of them by the other.
    """
    pair1 = pair2 = 0
    ahead = has_line(rules, waiting | taken)
    for direction in range(DIRECTIONS):
        step = line_step(rules, direction)
        if step == 0:
            continue
        starts = line_starts(rules, given, step)
        while starts != 0:
            start = starts & -starts
            starts ^= start
            line = spread(rules, start, step)
            if ahead and has_line(rules, waiting | (taken & cells_below(rules, line))):
                continue
            if line & pair1 == pair1 != 0 or line & pair2 == pair2 != 0:
                continue
            first = line & single & -(line & single)
            second = line & single & ~first
            second &= -second
            if second == 0 or pair2 != 0:
                return True
            single &= ~(first | second)
            pair2 = pair1
            pair1 = first | second
    return False


@kernel
def nonempty_columns(rules: Rules, cells: int) -> int:
    """Return all cells of the columns that hold one of these."""
    tops = (cells + rules.board) & (rules.bottom << rules.rows)  # a sum carries where it holds one
    return tops - (tops >> rules.rows)


@kernel
def cells_below(rules: Rules, cells: int) -> int:
    """Return the cells that lie below the lowest of these in its column."""
    up_to_lowest = (cells | (rules.bottom << rules.rows)) - rules.bottom
    return up_to_lowest & nonempty_columns(rules, cells)


@kernel
def _every_other_row(rules: Rules, row: int) -> int:
    """Return the cells of all rows that lie an even number of rows from this one."""
    pattern = 0x5555555555555555 if row % 2 == 0 else 0x2AAAAAAAAAAAAAAA
    return rules.bottom * (pattern & ((1 << rules.rows) - 1))


@kernel
def _column_and_row(rules: Rules, cell: int) -> tuple[int, int]:
    index = lowest_index(cell)
    return index // (rules.rows + 1), index % (rules.rows + 1)
