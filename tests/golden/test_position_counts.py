"""Known numbers of positions and games."""

import functools
import itertools

import pytest

from fourlab.rules.catalog import game
from fourlab.rules.enumeration import positions_by_ply
from fourlab.rules.position import Outcome, Position

CONNECT4_BY_PLY = [1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275]


def test_connect4_positions_by_ply() -> None:
    plies = itertools.islice(positions_by_ply(game("connect4")), len(CONNECT4_BY_PLY))
    assert [len(movers) for movers, _ in plies] == CONNECT4_BY_PLY


@pytest.mark.parametrize(
    ("name", "reachable"),
    [
        ("tictactoe", 5_478),
        ("connect:columns=4,rows=4,k=4", 161_029),
        pytest.param("connect:columns=4,rows=5,k=4", 1_706_255, marks=pytest.mark.slow),
        pytest.param("connect:columns=5,rows=4,k=4", 3_945_711, marks=pytest.mark.slow),
    ],
)
def test_reachable_positions(name: str, reachable: int) -> None:
    assert sum(len(movers) for movers, _ in positions_by_ply(game(name))) == reachable


def test_tictactoe_games() -> None:
    @functools.cache
    def games(position: Position) -> tuple[int, int, int]:
        """First player's wins, second player's wins, draws over all games from here."""
        ends = (Outcome.FIRST_WINS, Outcome.SECOND_WINS, Outcome.DRAW)
        if position.is_over:
            first, second, draw = (int(position.outcome is end) for end in ends)
            return first, second, draw
        totals = [games(position.play(move)) for move in position.legal_moves()]
        first, second, draw = (sum(column) for column in zip(*totals, strict=True))
        return first, second, draw

    assert games(game("tictactoe").start()) == (131_184, 77_904, 46_080)
