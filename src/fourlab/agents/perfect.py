"""The player that knows: `perfect`, and weaker ones made of it by blunders."""

import time
from dataclasses import dataclass

import numpy as np

from fourlab.agents.base import Agent, Decision
from fourlab.agents.exact import exact_values
from fourlab.agents.minimax import Minimax, MinimaxConfig
from fourlab.agents.players import Player, learned_player
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position
from fourlab.rules.spec import option
from fourlab.search.analysis import widened
from fourlab.search.scores import sign, win_score
from fourlab.search.solver import Bounds, Limits, shared_solver
from fourlab.values.store import with_own_space

SOLVER_SHARE = 0.8  # of a limited time; the rest is for a guess where the solver was not done


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

    def __init__(self, rules: Rules, config: PerfectConfig | None = None) -> None:
        super().__init__(rules, config)
        self._adviser: Minimax | None = None

    def decide(self, position: Position, rng: np.random.Generator) -> Decision:
        found = self._known(position)
        best, worse = self._sides(found)
        if not all(found[move].is_exact for move in best):
            best = self._likeliest(position, best, rng)
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

    def _known(self, position: Position) -> dict[int, Bounds]:
        """Return what the solver finds of every move; against the clock the outcomes first."""
        solver = shared_solver(self.rules)
        if self.config.time is None:
            return dict(solver.moves(position))
        deadline = time.perf_counter() + SOLVER_SHARE * self.config.time
        most = win_score(self.rules, position.ply)
        outcomes = dict(solver.moves(position, Limits(seconds=self.config.time / 2), weak=True))
        left = deadline - time.perf_counter()
        return {
            move: widened(outcomes[move], most) & bounds
            for move, bounds in solver.moves(position, Limits(seconds=left))
        }

    def _likeliest(
        self, position: Position, moves: list[int], rng: np.random.Generator
    ) -> list[int]:
        """Return which of moves that are not told apart `minimax` prefers."""
        if len(moves) == 1:
            return moves
        if self._adviser is None:
            self._adviser = Minimax(self.rules)
        seconds = (1 - SOLVER_SHARE) * self.config.time
        self._adviser.config = MinimaxConfig(time=seconds)
        values = self._adviser.decide(position, rng).values or ()
        top = max(values[move] or 0.0 for move in moves)
        return [move for move in moves if (values[move] or 0.0) == top]

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
        return learned_player(self.rules, with_own_space(values))
