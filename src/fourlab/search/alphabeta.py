"""Search to a depth: alpha-beta with a window score at the horizon, as an explicit stack.

`run` searches every move of the root with an open window, so that each gets its exact value, and
returns after a number of nodes: a caller can stop it or go on where it was. Values are seen by the
side to move; a win is worth `win_in` of the stones on the board after it, so that sooner wins are
worth more and values at different depths agree.
"""

from typing import NamedTuple

import numpy as np

from fourlab.core.arrays import Ints
from fourlab.core.bits import multiply63, popcount
from fourlab.core.jit import kernel
from fourlab.rules.geometry import Rules, central_order
from fourlab.rules.kernels import (
    cell_move,
    has_line,
    legal_cells,
    move_cell,
    play,
    winning_cells,
)
from fourlab.search.windows import Weights, window_score

WIN = 1_000_000
SURE = WIN - 100  # from here on a value is a forced win and no estimate
UNKNOWN = 2 * WIN  # beyond every value

# Fields of a frame, the search of one position.
MOVER, OCCUPIED, ALPHA, BETA, BEST, BEST_LANE, NEXT_LANE, FIRST_LANE, CELLS, ASKED = range(10)
NO_LANE = 63

# Registers of a search that can be left and resumed.
LEVEL, DEPTH, AGE, NODES, REACHED, LINE = range(6)

# A table entry: mover, occupied, and a word that packs value, depth, kind, lane and age.
EXACT, AT_LEAST, AT_MOST = range(3)
TABLE_BITS = 16
MIXER = 0x1E3779B97F4A7C15


class Work(NamedTuple):
    """What a search works on; one for each thread."""

    lanes: Ints  # [moves] cells that a move may fill, the most central first
    frames: Ints  # [levels, fields]
    root_values: Ints  # [moves], UNKNOWN where there is none
    values: Ints  # [moves], the root values of the last depth that was finished
    line: Ints  # [cells], the moves that it expects
    registers: Ints
    table: Ints  # [entries, 3]


def new_work(rules: Rules, table_bits: int = TABLE_BITS) -> Work:
    """Return room for searches on this board."""
    column = (1 << rules.rows) - 1 if rules.gravity else 1
    lanes = [move_cell(rules, 0, move) * column for move in central_order(rules)]
    return Work(
        lanes=np.array(lanes, np.int64),
        frames=np.zeros((rules.cells + 2, ASKED + 1), np.int64),
        root_values=np.zeros(rules.move_count, np.int64),
        values=np.zeros(rules.move_count, np.int64),
        line=np.zeros(rules.cells + 1, np.int64),
        registers=np.zeros(LINE + 1, np.int64),
        table=np.zeros((1 << table_bits, 3), np.int64),
    )


@kernel
def win_in(stones: int) -> int:
    """Return the value of a win that is on the board with this many stones."""
    return WIN - stones


@kernel
def forget(work: Work) -> None:
    """Make the table entries of earlier roots invalid: their windows were seen by another side."""
    work.registers[AGE] = (work.registers[AGE] + 1) & 0xFFFFF


@kernel
def begin(rules: Rules, work: Work, mover: int, occupied: int, depth: int) -> None:
    """Set up a search of a game in progress."""
    work.registers[LEVEL], work.registers[DEPTH] = 0, depth
    work.root_values[:] = UNKNOWN
    _open(rules, work, 0, mover, occupied, -UNKNOWN, UNKNOWN, legal_cells(rules, occupied), NO_LANE)


@kernel
def _open(
    rules: Rules,
    work: Work,
    level: int,
    mover: int,
    occupied: int,
    alpha: int,
    beta: int,
    cells: int,
    first_lane: int,
) -> None:
    frame = work.frames[level]
    frame[MOVER], frame[OCCUPIED] = mover, occupied
    frame[ALPHA], frame[BETA], frame[ASKED] = alpha, beta, alpha
    frame[BEST], frame[BEST_LANE] = -UNKNOWN, NO_LANE
    frame[NEXT_LANE], frame[FIRST_LANE] = 0, first_lane
    frame[CELLS] = cells


@kernel
def _slot(table: Ints, mover: int, occupied: int) -> int:
    mixed = multiply63(mover ^ multiply63(occupied, MIXER), MIXER)
    return (mixed >> 32) & (len(table) - 1)


@kernel
def probe(work: Work, mover: int, occupied: int, depth: int) -> tuple[int, int, int]:
    """Return value, kind and best lane of a position; UNKNOWN if the value serves not this depth.

    A forced win or loss serves every depth at which there is something to search.
    """
    entry = work.table[_slot(work.table, mover, occupied)]
    word = entry[2]
    if entry[0] != mover or entry[1] != occupied or (word >> 40) != work.registers[AGE]:
        return UNKNOWN, EXACT, NO_LANE
    lane, kind = word & 63, (word >> 6) & 3
    value = ((word >> 16) & 0xFFFFFF) - UNKNOWN
    if ((word >> 8) & 255) != depth and not (kind == EXACT and abs(value) >= SURE):
        value = UNKNOWN
    return value, kind, lane


@kernel
def _store(work: Work, frame: Ints, depth: int) -> None:
    value = frame[BEST]
    kind = EXACT
    if value >= frame[BETA]:
        kind = AT_LEAST
    elif value <= frame[ASKED]:
        kind = AT_MOST
    entry = work.table[_slot(work.table, frame[MOVER], frame[OCCUPIED])]
    entry[0], entry[1] = frame[MOVER], frame[OCCUPIED]
    packed = ((value + UNKNOWN) << 16) | (depth << 8) | (kind << 6) | frame[BEST_LANE]
    entry[2] = packed | (work.registers[AGE] << 40)


@kernel
def _next_cell(work: Work, frame: Ints) -> tuple[int, int]:
    """Return the next cell to try and its lane: the table's first, then from the middle; or 0."""
    lane = frame[FIRST_LANE]
    if lane != NO_LANE:
        frame[FIRST_LANE] = NO_LANE
        cell = frame[CELLS] & work.lanes[lane]
        if cell != 0:
            frame[CELLS] ^= cell
            return cell, lane
    for lane in range(frame[NEXT_LANE], len(work.lanes)):
        cell = frame[CELLS] & work.lanes[lane]
        if cell != 0:
            frame[CELLS] ^= cell
            frame[NEXT_LANE] = lane + 1
            return cell, lane
    return 0, NO_LANE


@kernel
def _estimate(rules: Rules, weights: Weights, mover: int, occupied: int, level: int) -> int:
    """Return the value at the horizon: the root's side evaluates, whoever is to move."""
    sign = 1 - 2 * (level % 2)
    evaluating = mover if sign > 0 else mover ^ occupied
    return sign * window_score(rules, weights, evaluating, evaluating ^ occupied)


@kernel
def _visit(
    rules: Rules,
    work: Work,
    weights: Weights,
    prune: bool,
    level: int,
    mover: int,
    occupied: int,
    alpha: int,
    beta: int,
) -> int:
    """Return the value of a position if it needs no search; else open it and return UNKNOWN.

    The value is exact if alpha < v < beta, else a bound on it.
    """
    stones = popcount(occupied)
    depth = work.registers[DEPTH] - level
    if has_line(rules, mover ^ occupied):
        return -win_in(stones)
    if stones == rules.columns * rules.rows:
        return 0
    if depth == 0:
        return _estimate(rules, weights, mover, occupied, level)
    cells = legal_cells(rules, occupied)
    lane = NO_LANE
    if prune:
        if winning_cells(rules, mover) & cells != 0:
            return win_in(stones + 1)
        threats = winning_cells(rules, mover ^ occupied) & cells
        if threats != 0 and depth >= 2:
            if threats & (threats - 1) != 0:  # two at once cannot be met
                return -win_in(stones + 2)
            cells = threats  # every other move loses at once
        value, kind, lane = probe(work, mover, occupied, depth)
        if value != UNKNOWN and (
            kind == EXACT
            or (kind == AT_LEAST and value >= beta)
            or (kind == AT_MOST and value <= alpha)
        ):
            return value
    _open(rules, work, level, mover, occupied, alpha, beta, cells, lane)
    return UNKNOWN


@kernel
def _close(work: Work, level: int, prune: bool) -> int:
    """Finish the search of a position and return its value."""
    frame = work.frames[level]
    if prune and level > 0:
        _store(work, frame, work.registers[DEPTH] - level)
    return int(frame[BEST])


@kernel
def _receive(rules: Rules, work: Work, level: int, lane: int, cell: int, value: int) -> None:
    """Take the value of a child; the root keeps them all and an open window."""
    frame = work.frames[level]
    if value > frame[BEST]:
        frame[BEST], frame[BEST_LANE] = value, lane
    if level == 0:
        work.root_values[cell_move(rules, cell)] = value
    elif value > frame[ALPHA]:
        frame[ALPHA] = value


@kernel
def run(rules: Rules, work: Work, weights: Weights, prune: bool, nodes: int) -> bool:
    """Search on for about so many nodes; return whether the search is finished.

    Without `prune` it is plain minimax: every move, no bounds, no table, no forced replies.
    """
    level = work.registers[LEVEL]
    stop = work.registers[NODES] + nodes
    while work.registers[NODES] < stop:
        frame = work.frames[level]
        cell, lane = 0, NO_LANE
        if not prune or frame[ALPHA] < frame[BETA]:
            cell, lane = _next_cell(work, frame)
        if cell != 0:
            work.registers[NODES] += 1
            mover, occupied = play(frame[MOVER], frame[OCCUPIED], cell)
            value = _visit(
                rules,
                work,
                weights,
                prune,
                level + 1,
                mover,
                occupied,
                -frame[BETA] if prune else -UNKNOWN,
                -frame[ALPHA] if prune else UNKNOWN,
            )
            if value == UNKNOWN:
                level += 1
                work.registers[LEVEL] = level
            else:
                _receive(rules, work, level, lane, cell, -value)
            continue
        value = _close(work, level, prune)
        if level == 0:
            return True
        level -= 1
        work.registers[LEVEL] = level
        parent, child = work.frames[level], work.frames[level + 1]
        cell = child[OCCUPIED] ^ parent[OCCUPIED]
        lane = 0
        while work.lanes[lane] & cell == 0:
            lane += 1
        _receive(rules, work, level, lane, cell, -value)
    return False


@kernel
def search(
    rules: Rules,
    work: Work,
    weights: Weights,
    prune: bool,
    mover: int,
    occupied: int,
    depth: int,
    nodes: int,
) -> int:
    """Return the value of a game in progress to a depth, deepening step by step where it prunes.

    Where a number of nodes does not suffice, it is the value of the last depth that was finished.
    """
    forget(work)
    value = 0
    stop = work.registers[NODES] + nodes
    for reached in range(1 if prune else depth, depth + 1):
        begin(rules, work, mover, occupied, reached)
        if not run(rules, work, weights, prune, stop - work.registers[NODES]):
            break
        value = int(work.frames[0][BEST])
    return value
