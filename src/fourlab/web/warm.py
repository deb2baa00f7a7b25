"""Kernels are compiled before the first visitor comes: afterwards nobody waits for them."""

import numpy as np

from fourlab.agents.registry import agent as find_agent
from fourlab.learning.evaluation import play_off
from fourlab.rules.catalog import game
from fourlab.rules.position import position_of
from fourlab.rules.spec import configure, parse
from fourlab.search.solver import Limits
from fourlab.web.limits import read_agent
from fourlab.web.sessions.learn_setup import Settings
from fourlab.web.sessions.live_learner import LiveLearner
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
    """Let every agent move once, solve something, and learn from a game."""
    for name, moves in FIRST_POSITIONS.items():
        position = position_of(game(name), moves)
        for weak in (True, False):
            list(solver_of(position.rules).moves(position, Limits(seconds=1.0), weak))
        for spec in FIRST_AGENTS:
            read_agent(spec, position.rules).decide(position, np.random.default_rng(0))
    settings = Settings()
    config = configure(settings.kind, parse(settings.spec), "learner")
    learner = LiveLearner(settings.rules, config)
    learner.sample()
    play_off(learner, find_agent(settings.opponent, settings.rules), 2, 0, "both")
