"""The simplest player that samples: `flat`."""

from dataclasses import dataclass

import numpy as np

from fourlab.agents.base import Agent, Decision, kernel_seed
from fourlab.core.arrays import Floats, Ints
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.core.spec import option
from fourlab.rules.boards import Boards, boards_of
from fourlab.rules.catalog import is_named
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position
from fourlab.search.flat import ROUND, flat_searcher


@dataclass(frozen=True)
class FlatConfig:
    """Options of `flat`."""

    playouts: int = option(100, "games played out for each move", low=1, high=10**8, public=20_000)
    heavy: bool = option(False, "playouts win or block where they can")


class Flat(Agent):
    """Flat Monte Carlo: plays every move out at random and takes the best average."""

    name = "flat"
    Config = FlatConfig

    def __init__(self, rules: Rules, config: FlatConfig | None = None) -> None:
        super().__init__(rules, config)
        self._search = flat_searcher(rules if is_named(rules) else None)

    def choose(self, boards: Boards, dice: Ints, limit: Limit = NO_LIMIT) -> Ints:
        moves, totals = np.empty(len(dice), np.int64), np.zeros(self.rules.move_count)
        states = dice.copy()
        wanted, heavy = self.config.playouts, self.config.heavy
        many = limit.at_once(wanted, ROUND)
        for rows, rest in boards.portions(self.rules, many, limit, moves):
            hand = boards.take(rows), states[rows], totals, moves[rows]
            if many == 1:
                self._play_out(*hand, rest)
            else:
                two = hand[0][:2]
                self._search(self.rules, *two, wanted, heavy, *hand[1:3], True, hand[3])
        return moves

    def _play_out(
        self, boards: Boards, states: Ints, totals: Floats, moves: Ints, limit: Limit
    ) -> int:
        """Write the move on one board; return after how many playouts."""
        watch, wanted, done = limit.watch(), self.config.playouts, 0
        while done == 0 or (done < wanted and not watch.is_over(done)):
            size = min(ROUND, wanted - done)
            heavy, fresh = self.config.heavy, done == 0
            self._search(self.rules, *boards[:2], size, heavy, states, totals, fresh, moves)
            done += size
        return done

    def decide(
        self, position: Position, rng: np.random.Generator, limit: Limit = NO_LIMIT
    ) -> Decision:
        move, totals = np.zeros(1, np.int64), np.zeros(self.rules.move_count)
        states = np.array([kernel_seed(rng)], np.int64)
        done = self._play_out(self.board(position), states, totals, move, limit)
        return self._decision(position, int(move[0]), totals / done, done)

    def _decision(self, position: Position, move: int, means: Floats, count: int) -> Decision:
        legal, moves = position.legal_moves(), range(self.rules.move_count)
        best = [m for m in legal if means[m] == means[move]]
        values = tuple(float(means[m]) if m in legal else None for m in moves)
        return Decision(
            move=move,
            values=values,
            raw=values,
            policy=tuple((m in best) / len(best) for m in moves),
            visits=tuple(count if m in legal else 0 for m in moves),
            line=(move,),
            effort=count * len(legal),
        )

    def prepare(self) -> None:
        nothing, totals = np.zeros(0, np.int64), np.zeros(self.rules.move_count)
        self._play_out(boards_of([]), nothing, totals, nothing, Limit(nodes=0))
