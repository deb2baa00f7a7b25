"""An analysis only ever learns."""

from collections.abc import Iterator

from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.rules.catalog import game
from fourlab.rules.position import Position
from fourlab.search.analysis import analyse
from fourlab.search.scores import Bounds
from fourlab.search.solver import Solver


class Hasty(Solver):
    """Knows every outcome at once and runs out of time before any score."""

    def moves(
        self, position: Position, limits: Limit = NO_LIMIT, weak: bool = False
    ) -> Iterator[tuple[int, Bounds]]:
        for move in position.legal_moves():
            yield move, Bounds(1, 1) if weak else Bounds(-5, 2 if move == 0 else 9)


def test_an_outcome_once_known_is_not_forgotten_when_time_runs_out() -> None:
    solver = Hasty("connect4", table_mb=1)
    [*_, found] = analyse(game("connect4").start(), solver, quick_first=True)
    assert (found.moves[0].low, found.moves[0].high) == (1, 2)
    assert {bounds.low for bounds in found.moves.values()} == {1}
    assert found.moves[1].high == 9
