"""The two simplest ways to choose a move: at random, and win, else block, else at random."""

import functools
from collections.abc import Callable

from fourlab.core.bits import popcount
from fourlab.core.dice import below, roll
from fourlab.core.jit import kernel
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import column_cells, has_line, legal_cells, play, winning_cells


@kernel
def nth_cell(cells: int, n: int) -> int:
    """Return the n-th cell of a set, counted from 0 and from the lowest."""
    for _ in range(n):
        cells &= cells - 1
    return cells & -cells


@kernel
def random_cell(cells: int, state: int) -> tuple[int, int]:
    """Return a random cell of a set that is not empty, and the next state of the dice."""
    state = roll(state)
    return nth_cell(cells, below(state, popcount(cells))), state


@kernel
def baseline_cells(rules: Rules, mover: int, occupied: int) -> int:
    """Return the cells that `baseline` draws from: wins if any, else blocks, else all."""
    cells = legal_cells(rules, occupied)
    wins = winning_cells(rules, mover) & cells
    if wins != 0:
        return wins
    blocks = winning_cells(rules, mover ^ occupied) & cells
    if blocks != 0:
        return blocks
    return cells


@kernel
def random_legal_cell(rules: Rules, occupied: int, state: int) -> tuple[int, int]:
    """Return a random legal cell of a board that is not full, and the next state of the dice.

    Guessing columns until one is open: random games run 2.8 times as fast as with counting the
    open columns and taking the n-th.
    """
    if not rules.gravity:
        return random_cell(legal_cells(rules, occupied), state)
    while True:
        state = roll(state)
        column = below(state, rules.columns)
        fallen = occupied + (1 << (column * (rules.rows + 1)))
        cell = fallen & column_cells(rules, column)
        if cell != 0:
            return cell, state


@kernel
def playout(
    rules: Rules, mover: int, occupied: int, heavy: bool, state: int
) -> tuple[int, int, int]:
    """Play to the end of a game in progress: at random, or as `baseline` does if `heavy`.

    Returns the result for the side to move (1 win, 0 draw, -1 loss), the number of moves played,
    and the next state of the dice.
    """
    sign = 1
    stones = popcount(occupied)
    for ply in range(stones, rules.columns * rules.rows):
        if heavy:
            cell, state = random_cell(baseline_cells(rules, mover, occupied), state)
        else:
            cell, state = random_legal_cell(rules, occupied, state)
        if has_line(rules, mover | cell):
            return sign, ply + 1 - stones, state
        mover, occupied = play(mover, occupied, cell)
        sign = -sign
    return 0, rules.columns * rules.rows - stones, state


Playouts = Callable[[int, int], tuple[int, int, int, int]]


@functools.cache
def playouts_on(rules: Rules) -> Playouts:
    """Return a kernel that plays `games` random games from the empty board of these rules.

    It takes the number of games and a state of the dice, and returns the first player's wins, the
    draws, the second player's wins, and the moves of all games. With the geometry known to the
    compiler it runs 1.6 times as fast as with `rules` as an argument.
    """

    @kernel
    def playouts(games: int, state: int) -> tuple[int, int, int, int]:
        wins, losses, moves = 0, 0, 0
        for _ in range(games):
            result, length, state = playout(rules, 0, 0, False, state)
            moves += length
            if result > 0:
                wins += 1
            elif result < 0:
                losses += 1
        return wins, games - wins - losses, losses, moves

    return playouts
