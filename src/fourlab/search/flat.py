"""Flat Monte Carlo: play every move out a number of times, and take the best average."""

import functools
from collections.abc import Callable

from fourlab.core.arrays import Floats, Ints
from fourlab.core.dice import below, roll, seeded
from fourlab.core.jit import kernel
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import cell_move, has_line, is_full, legal_cells, play
from fourlab.search.choices import playout

ROUND = 256  # playouts of each move before the next is looked at: a search may stop in between


@kernel
def play_out(
    rules: Rules,
    mover: int,
    occupied: int,
    playouts: int,
    heavy: bool,
    totals: Floats,  # [moves], sums of results, 1 for a win
    state: int,
) -> int:
    """Add the results of so many playouts of every legal move; return the next dice state."""
    while playouts > 0:
        size = min(playouts, ROUND)
        playouts -= size
        cells = legal_cells(rules, occupied)
        while cells != 0:
            cell = cells & -cells
            cells ^= cell
            total = 0
            if has_line(rules, mover | cell):
                total = size
            elif not is_full(rules, occupied | cell):
                for _ in range(size):
                    result, _, state = playout(rules, *play(mover, occupied, cell), heavy, state)
                    total -= result
            totals[cell_move(rules, cell)] += total
    return state


@kernel
def best_move(rules: Rules, occupied: int, totals: Floats, state: int) -> int:
    """Return the legal move with the best sum, random among equals."""
    cells = legal_cells(rules, occupied)
    best, best_total, equals = 0, 0.0, 0
    while cells != 0:
        move = cell_move(rules, cells & -cells)
        cells &= cells - 1
        if equals == 0 or totals[move] > best_total:
            best, best_total, equals = move, totals[move], 1
        elif totals[move] == best_total:
            equals += 1
            state = roll(state)
            if below(state, equals) == 0:
                best = move
    return best


@kernel
def flat_rows(
    rules: Rules,
    movers: Ints,
    occupied: Ints,
    playouts: int,
    heavy: bool,
    states: Ints,
    totals: Floats,  # [moves], of the last row
    fresh: bool,
    moves: Ints,
) -> None:
    """Write the best move of each row and the next state of its dice.

    `fresh` begins anew, with states that are seeds; else the only row is played out some more.
    """
    for row in range(len(movers)):
        if fresh:
            totals[:] = 0.0
            states[row] = seeded(states[row])
        mover, board = movers[row], occupied[row]
        states[row] = play_out(rules, mover, board, playouts, heavy, totals, states[row])
        moves[row] = best_move(rules, board, totals, states[row])


@functools.cache
def flat_searcher(rules: Rules | None) -> Callable[..., None]:
    """Return `flat_rows` for every board, or with the geometry of one known to the compiler."""

    @kernel
    def search_here(
        board: Rules,
        movers: Ints,
        occupied: Ints,
        playouts: int,
        heavy: bool,
        states: Ints,
        totals: Floats,
        fresh: bool,
        moves: Ints,
    ) -> None:
        chosen = board if rules is None else rules
        flat_rows(chosen, movers, occupied, playouts, heavy, states, totals, fresh, moves)

    return search_here
