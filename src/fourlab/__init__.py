"""fourlab: a laboratory for Connect-Four-family games in which the truth is known.

import fourlab
game = fourlab.game("connect4")
position = game.start().play_all("4455")
agent = fourlab.agent("baseline", game)
agent.decide(position, numpy.random.default_rng(1)).move
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from fourlab.version import __version__

if TYPE_CHECKING:
    from fourlab.agents.base import Agent as Agent
    from fourlab.agents.base import Decision as Decision
    from fourlab.agents.play import play_game as play_game
    from fourlab.agents.registry import agent as agent
    from fourlab.arena.certify.certificate import certify as certify
    from fourlab.arena.grading import grade as grade
    from fourlab.arena.tournament import tournament as tournament
    from fourlab.core.errors import FourlabError as FourlabError
    from fourlab.core.showing import show as show
    from fourlab.learning.mdp.planning import best_response as best_response
    from fourlab.learning.mdp.process import mdp as mdp
    from fourlab.learning.registry import learner as learner
    from fourlab.learning.training import train as train
    from fourlab.positions import uci as data  # noqa: F401
    from fourlab.rules.catalog import game as game
    from fourlab.rules.geometry import Rules as Rules
    from fourlab.rules.position import Outcome as Outcome
    from fourlab.rules.position import Position as Position
    from fourlab.rules.record import GameRecord as GameRecord
    from fourlab.search.solver import Solver as Solver
    from fourlab.search.solver import solve as solve

# Imported on first use, so that `fourlab --help` does not wait for numba.
_HOMES = {
    "Agent": "agents.base",
    "Decision": "agents.base",
    "GameRecord": "rules.record",
    "play_game": "agents.play",
    "agent": "agents.registry",
    "certify": "arena.certify.certificate",
    "game": "rules.catalog",
    "grade": "arena.grading",
    "learner": "learning.registry",
    "show": "core.showing",
    "tournament": "arena.tournament",
    "train": "learning.training",
    "FourlabError": "core.errors",
    "Rules": "rules.geometry",
    "Outcome": "rules.position",
    "Position": "rules.position",
    "data": "positions.uci",
    "mdp": "learning.mdp.process",
    "best_response": "learning.mdp.planning",
    "Solver": "search.solver",
    "solve": "search.solver",
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
