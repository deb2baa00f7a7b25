"""Flat Monte Carlo: play every move out a number of times, and take the best average."""

import numpy as np
import numpy.typing as npt

from fourlab.rules.dice import below, roll
from fourlab.rules.geometry import Rules
from fourlab.rules.jit import kernel
from fourlab.rules.kernels import cell_move, has_line, is_full, legal_cells
from fourlab.search.choices import playout


@kernel
def flat_search(
    rules: Rules,
    mover: int,
    occupied: int,
    playouts: int,
    heavy: bool,
    values: npt.NDArray[np.float64],
    state: int,
) -> tuple[int, int]:
    """Write the mean result of every legal move, 1 for a win, into `values` [moves].

    Returns the cell of the best move, random among equals, and the next state of the dice.
    """
    cells = legal_cells(rules, occupied)
    best, best_value, equals = 0, -2.0, 0
    while cells != 0:
        cell = cells & -cells
        cells ^= cell
        total = 0
        if has_line(rules, mover | cell):
            total = playouts
        elif not is_full(rules, occupied | cell):
            for _ in range(playouts):
                result, _, state = playout(rules, mover ^ occupied, occupied | cell, heavy, state)
                total -= result
        value = total / playouts
        values[cell_move(rules, cell)] = value
        if value > best_value:
            best, best_value, equals = cell, value, 1
        elif value == best_value:
            equals += 1
            state = roll(state)
            if below(state, equals) == 0:
                best = cell
    return best, state
