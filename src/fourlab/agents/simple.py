"""The two simplest players: `random` and `baseline`."""

from abc import abstractmethod

import numpy as np

from fourlab.agents.base import Agent, Decision
from fourlab.agents.players import BASELINE, RANDOM, Player, simple_player
from fourlab.rules.kernels import cell_move, legal_cells
from fourlab.rules.position import Position
from fourlab.search.choices import baseline_cells, nth_cell


class _DrawFromCells(Agent):
    """Plays a uniformly random one of the cells that it considers."""

    @abstractmethod
    def cells(self, position: Position) -> int:
        """Return the cells to draw from."""

    def decide(self, position: Position, rng: np.random.Generator) -> Decision:
        cells = self.cells(position)
        count = cells.bit_count()
        moves = [cell_move(self.rules, nth_cell(cells, index)) for index in range(count)]
        policy = [0.0] * self.rules.move_count
        for move in moves:
            policy[move] = 1 / count
        return Decision(moves[rng.integers(count)], policy=tuple(policy), effort=count)


class Random(_DrawFromCells):
    """Any legal move, each equally likely."""

    name = "random"

    def cells(self, position: Position) -> int:
        """Return every legal cell."""
        return legal_cells(self.rules, position.occupied)

    def player(self) -> Player:
        return simple_player(self.rules, RANDOM)


class Baseline(_DrawFromCells):
    """Win now if possible, else block a win, else any legal move."""

    name = "baseline"

    def cells(self, position: Position) -> int:
        """Return the wins if there are any, else the blocks, else every legal cell."""
        return baseline_cells(self.rules, position.mover, position.occupied)

    def player(self) -> Player:
        return simple_player(self.rules, BASELINE)
