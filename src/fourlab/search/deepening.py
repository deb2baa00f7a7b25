"""Deciding by alpha-beta: deeper and deeper, for one position or many, in one kernel."""

from fourlab.core.arrays import Ints
from fourlab.core.bits import popcount
from fourlab.core.dice import seeded
from fourlab.core.jit import kernel
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import cell_move, has_line, legal_cells, move_cell, play
from fourlab.search.alphabeta import (
    DEPTH,
    LINE,
    NO_LANE,
    NODES,
    REACHED,
    SURE,
    UNKNOWN,
    Work,
    begin,
    forget,
    probe,
    run,
)
from fourlab.search.choices import random_cell
from fourlab.search.windows import Weights

# Which of equal moves is played.
ANY, FIRST, CENTRAL = range(3)


@kernel
def _finish(work: Work) -> int:
    """Keep the values of a depth that is searched through; return the best of them."""
    top = -UNKNOWN
    for move in range(len(work.values)):
        work.values[move] = work.root_values[move]
        if work.values[move] != UNKNOWN:
            top = max(top, work.values[move])
    work.registers[REACHED] = work.registers[DEPTH]
    return top


@kernel
def _pick(rules: Rules, work: Work, ties: int, occupied: int, state: int) -> int:
    """Return the cell of a best move by the values of the last depth."""
    top, cells = -UNKNOWN, 0
    for move in range(len(work.values)):
        value = work.values[move]
        if value == UNKNOWN or value < top:
            continue
        if value > top:
            top, cells = value, 0
        if ties != FIRST or cells == 0:
            cells |= move_cell(rules, occupied, move)
    if ties == CENTRAL:
        for lane in range(len(work.lanes)):
            if cells & work.lanes[lane] != 0:
                return int(cells & work.lanes[lane])
    return random_cell(cells, state)[0]


@kernel
def _write_line(rules: Rules, work: Work, mover: int, occupied: int, cell: int) -> None:
    """Write the moves that the search expects, this one first, as far as its table knows."""
    count = 0
    while cell != 0:
        work.line[count] = cell_move(rules, cell)
        count += 1
        mover, occupied = play(mover, occupied, cell)
        if count >= work.registers[REACHED] or has_line(rules, mover ^ occupied):
            break
        _, _, lane = probe(work, mover, occupied, 0)
        cell = 0 if lane == NO_LANE else legal_cells(rules, occupied) & work.lanes[lane]
    work.registers[LINE] = count


@kernel
def search_rows(
    rules: Rules,
    work: Work,
    weights: Weights,
    prune: bool,
    ties: int,
    movers: Ints,
    occupied: Ints,
    first: int,  # depth to begin with
    deepest: int,
    nodes: int,
    goes_on: bool,
    dice: Ints,
    moves: Ints,
) -> bool:
    """Write the move of each row, deepening step by step; return False if the nodes ran out.

    Then the move is that of the last depth, if any was finished, and the same call with `goes_on`
    goes on. `work` tells values and line of the last row.
    """
    stop = work.registers[NODES] + nodes
    for row in range(len(movers)):
        mover, board = movers[row], occupied[row]
        limit = min(deepest, rules.columns * rules.rows - popcount(board))
        if not goes_on:
            forget(work)
            work.registers[REACHED] = 0
            begin(rules, work, mover, board, min(first, limit))
        is_done = False
        while not is_done and run(rules, work, weights, prune, stop - work.registers[NODES]):
            top = _finish(work)
            is_done = work.registers[DEPTH] >= limit or top >= SURE  # nothing beats a soonest win
            if not is_done:
                begin(rules, work, mover, board, work.registers[DEPTH] + 1)
        if work.registers[REACHED] > 0:
            cell = _pick(rules, work, ties, board, seeded(dice[row]))
            moves[row] = cell_move(rules, cell)
            _write_line(rules, work, mover, board, cell)
        if not is_done:
            return False
    return True
