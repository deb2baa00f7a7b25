"""The player that knows: `perfect`, and weaker ones made of it by blunders."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fourlab.agents.base import Decision, kernel_seed
from fourlab.agents.by_heart import exact_scores, exact_values, is_small
from fourlab.agents.instant import LEARNED, Instant, InstantAgent
from fourlab.agents.minimax import Minimax, MinimaxConfig
from fourlab.core.arrays import Floats
from fourlab.core.dice import chance, roll, seeded
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.core.spec import option
from fourlab.rules.boards import Boards
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import mirror_move
from fourlab.rules.position import Position
from fourlab.search.analysis import widened
from fourlab.search.scores import Bounds, sign, win_score
from fourlab.search.solver import shared_solver
from fourlab.values.store import ILLEGAL, best_of

SOLVER_SHARE = 0.8  # of a limited time; the rest is for a guess where the solver was not done


@dataclass(frozen=True)
class PerfectConfig:
    """Options of `perfect`."""

    prefer: str = option(
        "fastest",
        "fastest: the soonest win or latest loss; any: whatever keeps win, draw or loss",
        choices=("fastest", "any"),
    )
    ties: str = option(
        "random",
        "which of equal moves it plays; first: always the same",
        choices=("random", "first"),
    )
    blunder: float = option(0.0, "how often it plays a worse move on purpose", low=0, high=1)
    time: float | None = option(
        None, "seconds a move at most; then the best move it knows", low=0.001, high=86400, public=5
    )


class Perfect(InstantAgent):
    """Exact play from the solver and its book; blunders at will."""

    name = "perfect"
    Config = PerfectConfig

    def __init__(self, rules: Rules, config: PerfectConfig | None = None) -> None:
        super().__init__(rules, config)
        draws = self.config.ties == "random" or self.config.blunder > 0
        self.is_deterministic = self.mirrors_alike = not draws and self.config.time is None

    @property
    def chooses_many(self) -> bool:
        return self.config == PerfectConfig(ties=self.config.ties) and is_small(self.rules)

    def form(self, limit: Limit = NO_LIMIT) -> Instant | None:
        values = exact_values(self.rules, limit) if self.chooses_many else None
        return None if values is None else Instant(LEARNED, values, first=self.is_deterministic)

    def decide(
        self, position: Position, rng: np.random.Generator, limit: Limit = NO_LIMIT
    ) -> Decision:
        self.prepare()
        state = seeded(kernel_seed(rng))
        limit = limit.within(self.config.time)
        found = self._known(position, limit)
        best, worse = self._sides(found)
        if not all(found[move].is_exact for move in best):
            best = self._likeliest(position, best, rng, limit)
        if self.config.ties == "first":
            best = [_first(position, best)]
        moves = range(self.rules.move_count)
        slip = self.config.blunder if worse else 0.0
        state = roll(state) if slip else state
        drawn = worse if slip and chance(state) < slip else best
        exact = {move: bounds.low for move, bounds in found.items() if bounds.is_exact}
        worths = np.array([0.0 if move in drawn else ILLEGAL for move in moves])
        if self.config == PerfectConfig() and len(exact) == len(found):  # as those by heart do
            worths = np.array([float(exact.get(move, ILLEGAL)) for move in moves])
        policy = np.zeros(self.rules.move_count)
        policy[best] = (1 - slip) / len(best)
        if worse:
            policy[worse] = slip / len(worse)
        return Decision(
            move=int(best_of(worths, state)[0]),
            values=tuple(float(sign(exact[move])) if move in exact else None for move in moves),
            raw=tuple(float(exact[move]) if move in exact else None for move in moves),
            policy=tuple(policy.tolist()),
            effort=sum(bounds.nodes for bounds in found.values()),
        )

    def policies(self, boards: Boards) -> Floats | None:
        if self.config.time is not None:
            return None
        if self.is_deterministic:
            return super().policies(boards)
        scores = exact_scores(self.rules, boards) if self.config.ties == "random" else None
        if scores is None:
            rng = np.random.default_rng(0)  # no matter which: a policy is the same for all dice
            rows = range(len(boards.movers))
            decided = [self.decide(boards.position(self.rules, row), rng).policy for row in rows]
            return np.array(decided, np.float64).reshape(len(rows), self.rules.move_count)
        worths = np.sign(scores) if self.config.prefer == "any" else scores
        is_legal = scores != ILLEGAL
        is_best = is_legal & (worths == worths.max(axis=1, initial=ILLEGAL, keepdims=True))
        is_worse = is_legal & ~is_best
        slips = np.where(is_worse.any(axis=1, keepdims=True), self.config.blunder, 0.0)
        best, worse = (side.sum(axis=1, keepdims=True) for side in (is_best, is_worse))
        policies: Floats = is_best * (1 - slips) / best
        policies += is_worse * slips / np.maximum(worse, 1)
        return policies

    def prepare(self) -> None:
        shared_solver(self.rules).prepare()  # the table of a small board waits for many games

    def _known(self, position: Position, limit: Limit) -> dict[int, Bounds]:
        """Return what the solver finds of every move; against the clock the outcomes first."""
        solver = shared_solver(self.rules)
        if limit.seconds == float("inf"):
            return dict(solver.moves(position, limit))
        watch = Limit(SOLVER_SHARE * limit.seconds, limit.nodes, limit.stop).watch()
        most = win_score(self.rules, position.ply)
        outcomes = dict(solver.moves(position, limit.within(limit.seconds / 2), weak=True))
        return {
            move: widened(outcomes[move], most) & bounds
            for move, bounds in solver.moves(position, watch.rest())
        }

    def _likeliest(
        self, position: Position, moves: list[int], rng: np.random.Generator, limit: Limit
    ) -> list[int]:
        """Return which of moves that are not told apart `minimax` prefers."""
        if len(moves) == 1:
            return moves
        rest = limit.within((1 - SOLVER_SHARE) * limit.seconds)
        adviser = Minimax(self.rules, MinimaxConfig(depth=self.rules.cells))
        raw = adviser.decide(position, rng, rest).raw or ()
        top = max(raw[move] or 0.0 for move in moves)
        return [move for move in moves if (raw[move] or 0.0) == top]

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


def _first(position: Position, moves: list[int]) -> int:
    """Return the first of some moves, seen on whichever of the board and its mirror comes first."""
    if position.mirror().key >= position.key:
        return min(moves)
    mirrored = [int(mirror_move(position.rules, move)) for move in moves]
    return moves[mirrored.index(min(mirrored))]
