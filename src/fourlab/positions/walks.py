"""The random walk: moves drawn from all legal ones, as long as the game goes on."""

import numpy as np

from fourlab.core.arrays import Bytes
from fourlab.core.jit import kernel
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import cell_move, has_line, play
from fourlab.rules.position import Position
from fourlab.search.choices import random_legal_cell


@kernel
def walk(
    rules: Rules, mover: int, occupied: int, plies: int, state: int
) -> tuple[int, int, int, int]:
    """Make so many random moves in a game in progress, none of which completes a line.

    Returns the board as mover and occupied, the moves made, fewer where the next would have
    completed a line, and the next dice.
    """
    for made in range(plies):
        cell, state = random_legal_cell(rules, occupied, state)
        if has_line(rules, mover | cell):
            return mover, occupied, made, state
        mover, occupied = play(mover, occupied, cell)
    return mover, occupied, plies, state


@kernel
def random_line(rules: Rules, state: int, moves: Bytes) -> tuple[int, int, bool, int]:
    """Write the moves of a walk from the empty board; return the position and the next dice.

    The position comes as mover, occupied, and whether the game goes on after all the moves.
    """
    mover, occupied = 0, 0
    for ply in range(len(moves)):
        before = occupied
        mover, occupied, made, state = walk(rules, mover, occupied, 1, state)
        if made == 0:
            return mover, occupied, False, state
        moves[ply] = cell_move(rules, occupied ^ before)
    return mover, occupied, len(moves) < rules.columns * rules.rows, state


def wander(
    position: Position, rng: np.random.Generator, plies: int | None = None
) -> list[Position]:
    """Return a position and those after one, two, ... random moves: so many, or to the end."""
    line = [position]
    while (plies is None or len(line) <= plies) and (moves := line[-1].legal_moves()):
        line.append(line[-1].play(int(rng.choice(moves))))
    return line


def late(position: Position) -> Position:
    """Return a position from which at most two moves of a random game are left."""
    line = wander(position, np.random.default_rng(0))
    return line[max(0, len(line) - 3)]
