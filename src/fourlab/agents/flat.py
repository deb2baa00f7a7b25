"""The simplest player that samples: `flat`."""

from dataclasses import dataclass

import numpy as np

from fourlab.agents.base import Agent, Decision, kernel_seed
from fourlab.agents.players import Player, flat_player
from fourlab.rules.dice import seeded
from fourlab.rules.kernels import cell_move
from fourlab.rules.position import Position
from fourlab.rules.spec import option
from fourlab.search.flat import flat_search


@dataclass(frozen=True)
class FlatConfig:
    """Options of `flat`."""

    playouts: int = option(100, "games played out for each move", low=1, high=10**8)
    heavy: bool = option(False, "playouts win or block where they can")


class Flat(Agent):
    """Flat Monte Carlo: plays every move out at random and takes the best average."""

    name = "flat"
    Config = FlatConfig

    def decide(self, position: Position, rng: np.random.Generator) -> Decision:
        count, moves = self.config.playouts, self.rules.move_count
        found = np.full(moves, np.nan)
        state = seeded(kernel_seed(rng))
        board = position.mover, position.occupied
        cell, _ = flat_search(self.rules, *board, count, self.config.heavy, found, state)
        move = cell_move(self.rules, cell)
        legal = position.legal_moves()
        best = [m for m in legal if found[m] == found[move]]
        return Decision(
            move=move,
            values=tuple(float(found[m]) if m in legal else None for m in range(moves)),
            policy=tuple((m in best) / len(best) for m in range(moves)),
            visits=tuple(count if m in legal else 0 for m in range(moves)),
            line=(move,),
            effort=count * len(legal),
        )

    def player(self) -> Player:
        return flat_player(self.rules, self.config.playouts, self.config.heavy)
