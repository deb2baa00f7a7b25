"""fourlab's agents as OpenSpiel's bots.

    game = pyspiel.load_game("connect_four")
    bots = [Bot("minimax:depth=6", game), Bot("mcts:sims=1000", game, seed=2)]
    evaluate_bots(game.new_initial_state(), bots, numpy.random)

Moves are numbered alike on both sides: columns, or cells row by row from the top left.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fourlab.agents.human import Human
from fourlab.agents.registry import agent as find_agent
from fourlab.core.errors import SHOWN, MissingExtraError, SpecError
from fourlab.core.spec import counted
from fourlab.rules.geometry import Rules
from fourlab.rules.position import position_of

try:
    import pyspiel
except ImportError:
    raise MissingExtraError("bots need OpenSpiel; install it: pip install open_spiel") from None

GAMES: dict[str, Callable[[dict[str, Any]], Rules]] = {
    "connect_four": lambda given: Rules(given["columns"], given["rows"], given["x_in_row"]),
    "tic_tac_toe": lambda given: Rules(3, 3, 3, gravity=False),
    "mnk": lambda given: Rules(given["m"], given["n"], given["k"], gravity=False),
}


def rules_of(game: Any) -> Rules:
    """Return the rules of OpenSpiel's game; raises SpecError for one that is none of ours."""
    if not hasattr(game, "get_type"):
        raise SpecError(f"{game!r:.{SHOWN}} is no game of OpenSpiel; write pyspiel.load_game(...)")
    kind = game.get_type()
    name = kind.short_name
    if name not in GAMES:
        raise SpecError(f"{name!r} is no game of ours; those of OpenSpiel are: {', '.join(GAMES)}")
    return GAMES[name]({**kind.parameter_specification, **game.get_parameters()})


class Bot(pyspiel.Bot):  # type: ignore[misc]
    """An agent by its spec as a bot for either player; a seed repeats its games."""

    def __init__(self, agent: str, game: Any, seed: int = 0) -> None:
        super().__init__()
        self.agent = find_agent(agent, rules_of(game))
        if isinstance(self.agent, Human):
            raise SpecError("agent 'human' is asked in a terminal; give a bot another")
        self._rng = np.random.default_rng(counted("seed", seed, 0))

    def restart(self) -> None:
        """Begin a new game; the dice go on."""

    def restart_at(self, state: Any) -> None:
        """Begin at a state; a move needs to know no other."""

    def step(self, state: Any) -> int:
        """Return the move in a state; raises SpecError for one of another game."""
        rules = rules_of(state.get_game())
        if rules != self.agent.rules:
            raise SpecError(
                f"a bot for {self.agent.rules} plays no {rules}; make one for that game"
            )
        position = position_of(self.agent.rules, state.history())
        return self.agent.decide(position, self._rng).move

    def provides_policy(self) -> bool:
        """Return that moves are all it gives."""
        return False
