"""The player that knows: `perfect`, and weaker ones made of it by blunders."""

from dataclasses import dataclass

import numpy as np

from fourlab.agents.base import Agent, Decision
from fourlab.agents.exact import exact_values
from fourlab.agents.players import Player, learned_player
from fourlab.rules.position import Position
from fourlab.rules.spec import option
from fourlab.search.scores import sign
from fourlab.search.solver import Bounds, Limits, shared_solver


@dataclass(frozen=True)
class PerfectConfig:
    """Options of `perfect`."""

    prefer: str = option(
        "fastest",
        "fastest: the soonest win or latest loss; any: whatever keeps win, draw or loss",
        choices=("fastest", "any"),
    )
    blunder: float = option(0.0, "how often it plays a worse move on purpose", low=0, high=1)
    time: float | None = option(
        None, "seconds a move at most; then the best move it knows", low=0.001, high=86400
    )


class Perfect(Agent):
    """Exact play from the solver and its book; blunders at will."""

    name = "perfect"
    Config = PerfectConfig

    def decide(self, position: Position, rng: np.random.Generator) -> Decision:
        seconds = float("inf") if self.config.time is None else self.config.time
        solver = shared_solver(self.rules)
        found = dict(solver.moves(position, Limits(seconds=seconds)))
        best, worse = self._sides(found)
        policy = np.zeros(self.rules.move_count)
        slip = self.config.blunder if worse else 0.0
        policy[best] = (1 - slip) / len(best)
        if worse:
            policy[worse] = slip / len(worse)
        moves = range(self.rules.move_count)
        return Decision(
            move=int(rng.choice(self.rules.move_count, p=policy)),
            values=tuple(
                float(found[move].low) if move in found and found[move].is_exact else None
                for move in moves
            ),
            policy=tuple(policy.tolist()),
            effort=sum(bounds.nodes for bounds in found.values()),
        )

    def _sides(self, found: dict[int, Bounds]) -> tuple[list[int], list[int]]:
        """Return the moves to play, and the others to blunder with.

        Where time ran out, a move is worth what is proven of it, then what is possible.
        """
        worth = {move: (bounds.low, bounds.high) for move, bounds in found.items()}
        if self.config.prefer == "any":
            worth = {move: (sign(low), sign(high)) for move, (low, high) in worth.items()}
        top = max(worth.values())
        best = [move for move in worth if worth[move] == top]
        return best, [move for move in worth if worth[move] != top]

    def player(self) -> Player | None:
        if self.config != PerfectConfig():
            return None
        values = exact_values(self.rules)
        if values is None:
            return None
        own = values._replace(worths=np.zeros(self.rules.move_count))
        return learned_player(self.rules, own)
