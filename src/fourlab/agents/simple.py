"""The two simplest players: `random` and `baseline`."""

from abc import abstractmethod

from fourlab.agents.base import Decision
from fourlab.agents.instant import BASELINE, RANDOM, Instant, InstantAgent, drawn_cells
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.rules.kernels import cell_move
from fourlab.rules.position import Position


class _DrawFromCells(InstantAgent):
    """Plays a uniformly random one of the cells that it considers."""

    @abstractmethod
    def form(self, limit: Limit = NO_LIMIT) -> Instant: ...

    def explain(self, position: Position, move: int) -> Decision:
        cells = drawn_cells(self.rules, self.form(), position.mover, position.occupied)
        policy = [0.0] * self.rules.move_count
        for index in range(cells.bit_length()):
            if cells >> index & 1:
                policy[cell_move(self.rules, 1 << index)] = 1 / cells.bit_count()
        return Decision(move, policy=tuple(policy), effort=cells.bit_count())


class Random(_DrawFromCells):
    """Any legal move, each equally likely."""

    name = "random"

    def form(self, limit: Limit = NO_LIMIT) -> Instant:
        return Instant(RANDOM)


class Baseline(_DrawFromCells):
    """Win now if possible, else block a win, else any legal move."""

    name = "baseline"

    def form(self, limit: Limit = NO_LIMIT) -> Instant:
        return Instant(BASELINE)
