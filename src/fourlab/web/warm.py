"""Kernels are compiled before the first visitor comes: afterwards nobody waits for them."""

import numpy as np

from fourlab.rules.catalog import game
from fourlab.rules.position import position_of
from fourlab.search.solver import Limits
from fourlab.web.limits import read_agent
from fourlab.web.sessions.truth import solver_of
from fourlab.web.words import DEFAULT_OPPONENT

FIRST_AGENTS = (DEFAULT_OPPONENT, "minimax:depth=2", "flat:playouts=2", "baseline", "random")

# Boards with a name have a solver of their own; the third stands for all others.
FIRST_POSITIONS = {
    "connect4": "4444441526",
    "tictactoe": "5",
    "connect:columns=5,rows=4,k=4": "33332",
}


def prepare() -> None:
    """Let every agent move once, and solve something."""
    for name, moves in FIRST_POSITIONS.items():
        position = position_of(game(name), moves)
        for weak in (True, False):
            list(solver_of(position.rules).moves(position, Limits(seconds=1.0), weak))
        for spec in FIRST_AGENTS:
            read_agent(spec, position.rules).decide(position, np.random.default_rng(0))
