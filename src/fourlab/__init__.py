"""fourlab: a laboratory for Connect-Four-family games in which the truth is known.

import fourlab
game = fourlab.game("connect4")
position = game.start().play_all("4455")
agent = fourlab.agent("baseline", game)
agent.decide(position, numpy.random.default_rng(1)).move
fourlab.tournament("mcts", "baseline", games=20).ratings()
"""

from __future__ import annotations

from importlib import import_module

from fourlab.adapters.registration import offer
from fourlab.version import __version__

TYPE_CHECKING = False  # as in `typing`, which takes longer to import than all that is here
if TYPE_CHECKING:
    from typing import Any

    from fourlab.agents.base import Agent as Agent
    from fourlab.agents.base import Decision as Decision
    from fourlab.agents.play import play_game as play_game
    from fourlab.agents.registry import agent as agent
    from fourlab.arena.certify.certificate import Certificate as Certificate
    from fourlab.arena.certify.certificate import certify as certify
    from fourlab.arena.grading import Grade as Grade
    from fourlab.arena.grading import grade as grade
    from fourlab.arena.ratings import Ratings as Ratings
    from fourlab.arena.tournament import Tournament as Tournament
    from fourlab.arena.tournament import tournament as tournament
    from fourlab.core.errors import FourlabError as FourlabError
    from fourlab.core.limit import Limit as Limit
    from fourlab.core.showing import show as show
    from fourlab.learning.base import Learner as Learner
    from fourlab.learning.mdp.planning import best_response as best_response
    from fourlab.learning.mdp.process import mdp as mdp
    from fourlab.learning.registry import learner as learner
    from fourlab.learning.runs import Run as Run
    from fourlab.learning.training import train as train
    from fourlab.positions import uci as data  # noqa: F401
    from fourlab.rules.catalog import game as game
    from fourlab.rules.geometry import Rules as Rules
    from fourlab.rules.position import Outcome as Outcome
    from fourlab.rules.position import Position as Position
    from fourlab.rules.record import GameRecord as GameRecord
    from fourlab.search.solver import Solver as Solver
    from fourlab.search.solver import solve as solve
    from fourlab.studies.sweep import Sweep as Sweep
    from fourlab.studies.sweep import sweep as sweep

# Imported on first use, so that `fourlab --help` does not wait for numba.
_HOMES = {
    "Agent": "agents.base",
    "agent": "agents.registry",
    "best_response": "learning.mdp.planning",
    "Certificate": "arena.certify.certificate",
    "certify": "arena.certify.certificate",
    "data": "positions.uci",
    "Decision": "agents.base",
    "FourlabError": "core.errors",
    "game": "rules.catalog",
    "GameRecord": "rules.record",
    "Grade": "arena.grading",
    "grade": "arena.grading",
    "Learner": "learning.base",
    "learner": "learning.registry",
    "Limit": "core.limit",
    "mdp": "learning.mdp.process",
    "Outcome": "rules.position",
    "play_game": "agents.play",
    "Position": "rules.position",
    "Ratings": "arena.ratings",
    "Rules": "rules.geometry",
    "Run": "learning.runs",
    "show": "core.showing",
    "solve": "search.solver",
    "Solver": "search.solver",
    "Sweep": "studies.sweep",
    "sweep": "studies.sweep",
    "Tournament": "arena.tournament",
    "tournament": "arena.tournament",
    "train": "learning.training",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'fourlab' has no attribute {name!r}")
    module = import_module(f"fourlab.{_HOMES[name]}")
    value = module if name == "data" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


offer()
