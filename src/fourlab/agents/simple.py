"""The two simplest players: `random` and `baseline`."""

from abc import abstractmethod

from fourlab.agents.base import Decision
from fourlab.agents.instant import BASELINE, RANDOM, Instant, InstantAgent
from fourlab.rules.kernels import cell_move, legal_cells
from fourlab.rules.position import Position
from fourlab.search.choices import baseline_cells


class _DrawFromCells(InstantAgent):
    """Plays a uniformly random one of the cells that it considers."""

    @abstractmethod
    def cells(self, position: Position) -> int:
        """Return the cells to draw from."""

    def explain(self, position: Position, move: int) -> Decision:
        cells = self.cells(position)
        policy = [0.0] * self.rules.move_count
        for index in range(cells.bit_length()):
            if cells >> index & 1:
                policy[cell_move(self.rules, 1 << index)] = 1 / cells.bit_count()
        return Decision(move, policy=tuple(policy), effort=cells.bit_count())


class Random(_DrawFromCells):
    """Any legal move, each equally likely."""

    name = "random"

    def cells(self, position: Position) -> int:
        """Return every legal cell."""
        return legal_cells(self.rules, position.occupied)

    def form(self) -> Instant:
        return Instant(RANDOM)


class Baseline(_DrawFromCells):
    """Win now if possible, else block a win, else any legal move."""

    name = "baseline"

    def cells(self, position: Position) -> int:
        """Return the wins if there are any, else the blocks, else every legal cell."""
        return baseline_cells(self.rules, position.mover, position.occupied)

    def form(self) -> Instant:
        return Instant(BASELINE)
