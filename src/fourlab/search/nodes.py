"""The nodes of the exact search: what they hold, their keys, and what is known without children."""

from typing import NamedTuple

from fourlab.core.arrays import Ints
from fourlab.core.bits import add63, lowest_index, multiply63, popcount
from fourlab.core.jit import kernel
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import all_line_starts, line_cells, lines_through, mirror, winning_cells
from fourlab.search.bounds import (
    NO_BOUND,
    cells_above,
    follow_up_bound,
    nonempty_columns,
    safe_replies,
)
from fourlab.search.scores import win_score
from fourlab.search.transpositions import lower, probe, slot_and_tag, upper

UNKNOWN = -100  # below every score


class Node(NamedTuple):
    """A position with what the search knows of it."""

    mover: int  # stones of the side to move
    waiting: int  # stones of the other
    mover_wins: int  # empty cells that win for the mover
    waiting_wins: int  # empty cells that win for the other
    replies: int  # moves that do not lose at once
    stones: int  # on the board


# Fields of a record, a node on the stack or a child that may become one.
MOVER, WAITING, MOVER_WINS, WAITING_WINS, REPLIES, STONES = range(6)
SIGN = 6  # +1 if after forced replies the parent's side is to move again, else -1
LOW, HIGH = 7, 8  # bounds of the score, seen by the mover
SLOT, TAG = 9, 10
CELL = 11  # of the move that led there
RECORD = 12  # number of fields

CHILD_BITS = 8  # an entry of `order` is a rank and below it the number of the child
CHILD_MASK = (1 << CHILD_BITS) - 1
CLOSE, EARLY = 4, 20  # a hard question: so near to 0, with so many cells empty


@kernel
def read_node(records: Ints, at: int) -> Node:
    """Return the node of a record."""
    return Node(
        records[at + MOVER],
        records[at + WAITING],
        records[at + MOVER_WINS],
        records[at + WAITING_WINS],
        records[at + REPLIES],
        records[at + STONES],
    )


@kernel
def write_node(records: Ints, at: int, node: Node) -> None:
    """Make a node the node of a record."""
    records[at + MOVER], records[at + WAITING] = node.mover, node.waiting
    records[at + MOVER_WINS], records[at + WAITING_WINS] = node.mover_wins, node.waiting_wins
    records[at + REPLIES], records[at + STONES] = node.replies, node.stones


@kernel
def node_key(rules: Rules, node: Node, buckets: int) -> tuple[int, int, int, int]:
    """Return slot, tag, and the cells of the lines still open to the mover and to the other.

    The score depends on the heights, on the side to move, and on the stones that lie in a line
    still open to their own side. Cells above one that wins for both sides are never reached.
    Columns whose empty cells lie in no open line are places to pass: what counts is how often.
    """
    board = rules.board
    shape = node.mover | node.waiting
    if rules.gravity:
        shape += rules.bottom
        contested = node.mover_wins & node.waiting_wins
        if contested != 0:
            board &= ~cells_above(rules, contested)
    mover_lines = line_cells(rules, board & ~node.waiting)
    waiting_lines = line_cells(rules, board & ~node.mover)
    mover, waiting = node.mover & mover_lines, node.waiting & waiting_lines
    passes = 0
    if rules.gravity:
        live = (mover_lines | waiting_lines) & rules.board & ~(node.mover | node.waiting)
        columns = nonempty_columns(rules, live)
        passes = popcount(rules.board & ~(node.mover | node.waiting | columns))
        shape &= columns | (columns << 1)
    if node.stones * 8 <= rules.columns * rules.rows * 3:  # later, mirror images are rare
        reflected = (mirror(rules, shape), mirror(rules, mover), mirror(rules, waiting))
        if reflected < (shape, mover, waiting):
            shape, mover, waiting = reflected
    slot, tag = slot_and_tag(
        mover, waiting, add63(shape, multiply63(passes, 0x2545F4914F6CDD1D)), buckets
    )
    return slot, tag, mover_lines, waiting_lines


@kernel
def time_bound(rules: Rules, stones: int, alpha: int) -> int:
    """Return a value that the time left alone decides, or UNKNOWN.

    The mover cannot win at once and will not lose at once.
    """
    if stones >= rules.columns * rules.rows - 2:
        return 0
    if win_score(rules, stones + 2) <= alpha:
        return win_score(rules, stones + 2)
    if -win_score(rules, stones + 3) > alpha:
        return -win_score(rules, stones + 3)
    return UNKNOWN


@kernel
def settle(rules: Rules, node: Node, alpha: int) -> tuple[int, Node, int]:
    """Play out forced replies; return (value for the parent or UNKNOWN, node then, sign then).

    `alpha` is the parent's. A value is exact, or a bound on the side of alpha where it lies.
    """
    sign = -1
    alpha = -alpha - 1
    while True:
        value = time_bound(rules, node.stones, alpha)
        if value != UNKNOWN:
            return sign * value, node, sign
        cell = node.replies
        if cell & (cell - 1) != 0:
            break
        mover = node.mover | cell
        occupied = mover | node.waiting
        wins = winning_cells(rules, mover) & ~occupied
        replies = safe_replies(rules, occupied, wins)
        if replies == 0:
            return sign * win_score(rules, node.stones + 2), node, sign
        node = Node(node.waiting, mover, node.waiting_wins & ~cell, wins, replies, node.stones + 1)
        sign = -sign
        alpha = -alpha - 1
    if rules.gravity:
        value = follow_up_bound(
            rules, node.mover, node.waiting, node.waiting_wins, node.stones, alpha
        )
        if value != NO_BOUND:
            return sign * value, node, sign
    return UNKNOWN, node, sign


@kernel
def look(rules: Rules, records: Ints, at: int, alpha: int, words: Ints) -> int:
    """Ask the table about a record; return its value for the parent or UNKNOWN.

    Bounds that the number of stones rules out are another position's, with the same tag by chance.
    """
    sign: int = records[at + SIGN]
    if sign < 0:
        alpha = -alpha - 1
    stones = records[at + STONES]
    low, high = -win_score(rules, stones + 3), win_score(rules, stones + 2)
    data = probe(words, records[at + SLOT], records[at + TAG])
    if data != 0:
        told_low, told_high = lower(data), upper(data)
        if low <= told_low <= told_high <= high:
            low, high = told_low, told_high
            if low > alpha:
                return sign * low
            if high <= alpha:
                return sign * high
    records[at + LOW], records[at + HIGH] = low, high
    return UNKNOWN


@kernel
def rank(rules: Rules, cell: int, wins: int, own_wins: int, replies: int, noise: int) -> int:
    """Return how promising a move is: threats first, then few replies and the centre.

    A stone below one's own winning cell wastes it.
    """
    column = lowest_index(cell) // (rules.rows + 1)
    promise = 32 * popcount(wins) - 2 * popcount(replies) - abs(2 * column + 1 - rules.columns)
    if not rules.gravity:
        row = lowest_index(cell) % (rules.rows + 1)
        promise -= abs(2 * row + 1 - rules.rows)
    elif (own_wins >> 1) & cell != 0:
        promise -= 16
    if noise != 0:  # another order for each helper thread
        promise += multiply63(cell ^ noise, 0x1E3779B97F4A7C15) >> 61
    return promise


@kernel
def arrange(
    rules: Rules,
    records: Ints,
    order: Ints,
    node: Node,
    first: int,
    ranks: int,
    count: int,
    alpha: int,
) -> None:
    """Step 5: sort the children to be searched, best first.

    Hard questions are worth a closer look: at the lines through a cell open to either side.
    """
    if count < 2:
        return
    is_hard = -CLOSE <= alpha < CLOSE and rules.columns * rules.rows - node.stones >= EARLY
    if is_hard:
        own = all_line_starts(rules, rules.board & ~node.waiting)
        other = all_line_starts(rules, rules.board & ~node.mover)
        for index in range(count):
            cell = records[first + (order[ranks + index] & CHILD_MASK) * RECORD + CELL]
            lines = lines_through(rules, own, cell) + lines_through(rules, other, cell)
            aside = abs(2 * (lowest_index(cell) // (rules.rows + 1)) + 1 - rules.columns)
            order[ranks + index] += (2 * (lines - aside)) << CHILD_BITS
    for index in range(1, count):
        entry = order[ranks + index]
        place = index
        while place > 0 and order[ranks + place - 1] >> CHILD_BITS < entry >> CHILD_BITS:
            order[ranks + place] = order[ranks + place - 1]
            place -= 1
        order[ranks + place] = entry
