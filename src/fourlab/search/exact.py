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
 5. Search the others, those that make most threats first, then those with most open lines.
"""

from typing import NamedTuple

import numpy as np

from fourlab.core.arrays import Ints
from fourlab.core.bits import popcount, prefetch
from fourlab.core.jit import kernel
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import winning_cells
from fourlab.search.bounds import safe_replies
from fourlab.search.nodes import (
    CELL,
    CHILD_BITS,
    CHILD_MASK,
    HIGH,
    LOW,
    MOVER,
    RECORD,
    REPLIES,
    SIGN,
    SLOT,
    TAG,
    UNKNOWN,
    WAITING_WINS,
    Node,
    arrange,
    look,
    node_key,
    rank,
    read_node,
    settle,
    write_node,
)
from fourlab.search.scores import win_score
from fourlab.search.transpositions import (
    CAPACITY,
    NEXT_GROWTH,
    SEARCHED,
    USED,
    Transpositions,
    grow,
    store,
)

# Fields of a frame, the search of one node.
NODE, ALPHA, BEST, COUNT, NEXT, STARTED = range(6)
FRAME = 6  # number of fields

# Fields of the state: of the question that is searched, and of the job it belongs to.
DEPTH, NODES, VALUE, NOISE, START, CURSOR, ASKED = range(7)
STATE = 7  # number of fields

FRESH = -1  # in NEXT: the node has not been expanded


class Stack(NamedTuple):
    """The search of one thread; `width` is the number of moves of the game."""

    records: Ints  # [(depth * width + child) * RECORD + field]
    order: Ints  # [depth * width + rank], entries: rank and child
    frames: Ints  # [depth * FRAME + field]
    state: Ints  # [STATE]


def new_stack(rules: Rules, table: Transpositions, noise: int = 0, start: int = 0) -> Stack:
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
def survey(rules: Rules, records: Ints, node: Node, first: int) -> int:
    """Step 1: note each move, its new threats and the replies; return their number, 0 for a win."""
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
    records: Ints,
    order: Ints,
    words: Ints,
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
            slot, tag, mover_lines, waiting_lines = node_key(rules, after, buckets)
            hopes = mover_lines if (alpha >= 0) == (sign > 0) else waiting_lines
            if hopes == 0:
                value = 0
            else:
                write_node(records, child, after)
                records[child + SIGN] = sign
                records[child + SLOT], records[child + TAG] = slot, tag
                prefetch(words, 2 * slot)
                records[child + CELL] = cell
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
    records: Ints,
    order: Ints,
    words: Ints,
    first: int,
    ranks: int,
    count: int,
    alpha: int,
) -> tuple[int, int]:
    """Step 4: return (best value in the table, number of children left)."""
    best = UNKNOWN
    left = 0
    for index in range(count):
        entry = order[ranks + index]
        value = look(rules, records, first + (entry & CHILD_MASK) * RECORD, alpha, words)
        if value == UNKNOWN:
            order[ranks + left] = entry
            left += 1
            continue
        best = max(best, value)
        if value > alpha:
            return best, left
    return best, left


@kernel
def expand(
    rules: Rules,
    records: Ints,
    order: Ints,
    words: Ints,
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
    arrange(rules, records, order, node, first, ranks, count, alpha)
    return UNKNOWN, count, best


@kernel
def run(
    rules: Rules,
    stack: Stack,
    table: Transpositions,
    low: Ints,
    high: Ints,
    position: int,
    limit: int,
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
def ask(
    rules: Rules, stack: Stack, table: Transpositions, mover: int, occupied: int, alpha: int
) -> int:
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
