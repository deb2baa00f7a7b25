"""Exact search: alpha-beta to the end of the game, as an explicit stack.

`run` answers one question, "is the score above alpha?", and returns after a number of nodes, so
that a caller can stop it or go on where it was. A node is a position in which the side to move has
a choice: it cannot win at once, and at least two moves do not lose at once. Forced replies are
played out without becoming nodes.

The steps for one node:
 1. Look at all moves. One that leaves no safe reply wins: done.
 2. Follow each move through forced replies to the next choice, or to a known value.
 3. Bound each child without search: time left, follow-up strategy, no line left.
 4. Ask the transposition table about all children before searching any.
 5. Search the others, those that make most threats first.
"""

from typing import NamedTuple

import numpy as np

from fourlab.rules.bits import lowest_index, multiply63, popcount, prefetch
from fourlab.rules.geometry import Rules
from fourlab.rules.jit import body, kernel
from fourlab.rules.kernels import all_cells, bottom_row, line_cells, mirror, winning_cells
from fourlab.search.bounds import NO_BOUND, cells_above, follow_up_bound, safe_replies
from fourlab.search.scores import win_score
from fourlab.search.transpositions import (
    CAPACITY,
    NEXT_GROWTH,
    SEARCHED,
    USED,
    Table,
    Words,
    grow,
    lower,
    probe,
    slot_and_tag,
    store,
    upper,
)


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
RECORD = 11  # number of fields

# Fields of a frame, the search of one node.
NODE, ALPHA, BEST, COUNT, NEXT, STARTED = range(6)
FRAME = 6  # number of fields

# Fields of the state: of the question that is searched, and of the job it belongs to.
DEPTH, NODES, VALUE, NOISE, START, CURSOR, ASKED = range(7)
STATE = 7  # number of fields

UNKNOWN = -100  # below every score
FRESH = -1  # in NEXT: the node has not been expanded
CHILD_BITS = 8  # an entry of `order` is a rank and below it the number of the child
CHILD_MASK = (1 << CHILD_BITS) - 1


class Stack(NamedTuple):
    """The search of one thread; `width` is the number of moves of the game."""

    records: Words  # [(depth * width + child) * RECORD + field]
    order: Words  # [depth * width + rank], entries: rank and child
    frames: Words  # [depth * FRAME + field]
    state: Words  # [STATE]


def new_stack(rules: Rules, table: Table, noise: int = 0, start: int = 0) -> Stack:
    """Return an empty stack: `noise` disturbs the order of moves, `start` is where a job begins."""
    deepest = rules.cells + 2
    slots = deepest * rules.move_count
    stack = Stack(
        np.empty(slots * RECORD, np.int64),
        np.empty(slots, np.int64),
        np.empty(deepest * FRAME, np.int64),
        np.zeros(STATE, np.int64),
    )
    stack.state[NODES] = table.sizes[SEARCHED]
    stack.state[NOISE], stack.state[START], stack.state[ASKED] = noise, start, UNKNOWN
    return stack


@kernel
def read_node(records: Words, at: int) -> Node:
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
def write_node(records: Words, at: int, node: Node) -> None:
    """Make a node the node of a record."""
    records[at + MOVER], records[at + WAITING] = node.mover, node.waiting
    records[at + MOVER_WINS], records[at + WAITING_WINS] = node.mover_wins, node.waiting_wins
    records[at + REPLIES], records[at + STONES] = node.replies, node.stones


@kernel
def table_key(rules: Rules, node: Node, buckets: int) -> tuple[int, int, int, int]:
    """Return slot, tag, and the cells of the lines still open to the mover and to the other.

    The score depends on the heights, on the side to move, and on the stones that lie in a line
    still open to their own side. Cells above one that wins for both sides are never reached.
    """
    board = all_cells(rules)
    shape = node.mover | node.waiting
    if rules.gravity:
        shape += bottom_row(rules)
        contested = node.mover_wins & node.waiting_wins
        if contested != 0:
            board &= ~cells_above(rules, contested)
    mover_lines = line_cells(rules, board & ~node.waiting)
    waiting_lines = line_cells(rules, board & ~node.mover)
    mover, waiting = node.mover & mover_lines, node.waiting & waiting_lines
    if node.stones * 8 <= rules.columns * rules.rows * 3:  # later, mirror images are rare
        reflected = (mirror(rules, shape), mirror(rules, mover), mirror(rules, waiting))
        if reflected < (shape, mover, waiting):
            shape, mover, waiting = reflected
    slot, tag = slot_and_tag(mover, waiting, shape, buckets)
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
def look(rules: Rules, records: Words, at: int, alpha: int, words: Words) -> int:
    """Ask the table about a record; return its value for the parent or UNKNOWN."""
    sign: int = records[at + SIGN]
    if sign < 0:
        alpha = -alpha - 1
    stones = records[at + STONES]
    low, high = -win_score(rules, stones + 3), win_score(rules, stones + 2)
    data = probe(words, records[at + SLOT], records[at + TAG])
    if data != 0:
        low, high = lower(data), upper(data)
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
def survey(rules: Rules, records: Words, node: Node, first: int) -> int:
    """Step 1: note each move, its new threats and the replies; return their number, 0 for a win.

    (Arrays come one by one, not as a Stack: taking one out of a tuple counts references, which
    would cost 7% of the time of a node.)
    """
    occupied = node.mover | node.waiting
    moves = node.replies
    count = 0
    while moves != 0:
        cell = moves & -moves
        moves ^= cell
        wins = winning_cells(rules, node.mover | cell) & ~(occupied | cell)
        replies = safe_replies(rules, occupied | cell, wins)
        if replies == 0:
            return 0
        child = first + count * RECORD
        records[child + MOVER], records[child + WAITING_WINS] = cell, wins
        records[child + REPLIES] = replies
        count += 1
    return count


@kernel
def weigh(
    rules: Rules,
    records: Words,
    order: Words,
    words: Words,
    buckets: int,
    node: Node,
    first: int,
    ranks: int,
    count: int,
    alpha: int,
    noise: int,
) -> tuple[int, int]:
    """Steps 2 and 3: return (best value known, number of children whose value is not known)."""
    best = UNKNOWN
    opened = 0
    for index in range(count):
        child = first + index * RECORD
        cell, wins = records[child + MOVER], records[child + WAITING_WINS]
        replies = records[child + REPLIES]
        mover = node.mover | cell
        other_wins = node.waiting_wins & ~cell
        after = Node(node.waiting, mover, other_wins, wins, replies, node.stones + 1)
        value, after, sign = settle(rules, after, alpha)
        if value == UNKNOWN:
            slot, tag, mover_lines, waiting_lines = table_key(rules, after, buckets)
            hopes = mover_lines if (alpha >= 0) == (sign > 0) else waiting_lines
            if hopes == 0:
                value = 0
            else:
                write_node(records, child, after)
                records[child + SIGN] = sign
                records[child + SLOT], records[child + TAG] = slot, tag
                prefetch(words, 2 * slot)
                promise = rank(rules, cell, wins, node.mover_wins, replies, noise)
                order[ranks + opened] = (promise << CHILD_BITS) | index
                opened += 1
                continue
        best = max(best, value)
        if value > alpha:
            return best, opened
    return best, opened


@kernel
def consult(
    rules: Rules,
    records: Words,
    order: Words,
    words: Words,
    first: int,
    ranks: int,
    count: int,
    alpha: int,
) -> tuple[int, int]:
    """Step 4: return (best value in the table, number of children left), best rank first."""
    best = UNKNOWN
    left = 0
    for index in range(count):
        entry = order[ranks + index]
        value = look(rules, records, first + (entry & CHILD_MASK) * RECORD, alpha, words)
        if value == UNKNOWN:
            place = left
            while place > 0 and order[ranks + place - 1] >> CHILD_BITS < entry >> CHILD_BITS:
                order[ranks + place] = order[ranks + place - 1]
                place -= 1
            order[ranks + place] = entry
            left += 1
            continue
        best = max(best, value)
        if value > alpha:
            return best, left
    return best, left


@kernel
def expand(
    rules: Rules,
    records: Words,
    order: Words,
    words: Words,
    buckets: int,
    at: int,
    first: int,
    ranks: int,
    alpha: int,
    noise: int,
) -> tuple[int, int, int]:
    """Return (value, number of children to search, best value among the others).

    The value is UNKNOWN if children have to be searched. Their records stand from `first` on,
    their ranks, best first, in `order` from `ranks` on.
    """
    node = read_node(records, at)
    count = survey(rules, records, node, first)
    if count == 0:
        return win_score(rules, node.stones + 2), 0, UNKNOWN
    ceiling = min(records[at + HIGH], win_score(rules, node.stones + 4))
    records[at + HIGH] = ceiling
    if ceiling <= alpha:
        return ceiling, 0, UNKNOWN
    best, count = weigh(
        rules, records, order, words, buckets, node, first, ranks, count, alpha, noise
    )
    if best <= alpha:
        found, count = consult(rules, records, order, words, first, ranks, count, alpha)
        best = max(best, found)
    if best > alpha:
        store(words, records[at + SLOT], records[at + TAG], best, ceiling, 1)
        return best, 0, UNKNOWN
    return UNKNOWN, count, best


@body
def run(
    rules: Rules, stack: Stack, table: Table, low: Words, high: Words, position: int, limit: int
) -> bool:
    """Go on with the search on the stack; return whether it has ended, with its value in the state.

    The value is exact or a bound on the side of the root's alpha where it lies. The search pauses
    at a count of `limit` nodes, and when `low` and `high` of the position, which threads share,
    have made its question moot.
    """
    records, order, frames, state = stack
    words, sizes = table
    width = rules.columns if rules.gravity else rules.columns * rules.rows
    depth, nodes, noise = state[DEPTH], state[NODES], state[NOISE]
    question = frames[ALPHA]
    while True:
        frame = depth * FRAME
        at, alpha = frames[frame + NODE], frames[frame + ALPHA]
        first, ranks = (depth + 1) * width * RECORD, depth * width
        value = UNKNOWN
        if frames[frame + NEXT] == FRESH:
            if nodes >= limit or low[position] > question or high[position] <= question:
                state[DEPTH], state[NODES] = depth, nodes
                return False
            nodes += 1
            if nodes > sizes[NEXT_GROWTH]:
                grow(table)
            value, count, best = expand(
                rules, records, order, words, sizes[USED], at, first, ranks, alpha, noise
            )
            frames[frame + COUNT], frames[frame + BEST] = count, best
            frames[frame + NEXT], frames[frame + STARTED] = 0, nodes
        if value == UNKNOWN:
            index = frames[frame + NEXT]
            if index < frames[frame + COUNT]:
                frames[frame + NEXT] = index + 1
                child = first + (order[ranks + index] & CHILD_MASK) * RECORD
                depth += 1
                frame += FRAME
                frames[frame + NODE], frames[frame + NEXT] = child, FRESH
                frames[frame + ALPHA] = alpha if records[child + SIGN] > 0 else -alpha - 1
                continue
            value = min(frames[frame + BEST], records[at + HIGH])
            lowest = min(records[at + LOW], value)
            cost = nodes - frames[frame + STARTED] + 1
            store(words, records[at + SLOT], records[at + TAG], lowest, value, cost)
        while True:  # the value goes up, as far as it ends the search of a parent
            if depth == 0:
                state[DEPTH], state[NODES], state[VALUE] = 0, nodes, value
                return True
            value *= records[at + SIGN]
            depth -= 1
            frame -= FRAME
            at = frames[frame + NODE]
            frames[frame + BEST] = max(frames[frame + BEST], value)
            if value <= frames[frame + ALPHA]:
                break
            highest = max(records[at + HIGH], value)
            cost = nodes - frames[frame + STARTED] + 1
            store(words, records[at + SLOT], records[at + TAG], value, highest, cost)


@kernel
def ask(rules: Rules, stack: Stack, table: Table, mover: int, occupied: int, alpha: int) -> int:
    """Put the question "is the score above alpha?" on the stack, or return the score if known.

    The side to move cannot win at once. The root has a bucket of its own behind the table: it is
    never looked up, since its children are.
    """
    records, frames = stack.records, stack.frames
    waiting = mover ^ occupied
    stones = popcount(occupied)
    wins = winning_cells(rules, waiting) & ~occupied
    replies = safe_replies(rules, occupied, wins)
    if replies == 0 and stones < rules.columns * rules.rows:
        return -win_score(rules, stones + 1)
    if stones >= rules.columns * rules.rows - 2:
        return 0
    own_wins = winning_cells(rules, mover) & ~occupied
    write_node(records, 0, Node(mover, waiting, own_wins, wins, replies, stones))
    records[LOW], records[HIGH] = -win_score(rules, stones + 3), win_score(rules, stones + 2)
    records[SLOT], records[TAG] = table.sizes[CAPACITY], 1
    frames[NODE], frames[ALPHA], frames[NEXT] = 0, alpha, FRESH
    stack.state[DEPTH] = 0
    return UNKNOWN
