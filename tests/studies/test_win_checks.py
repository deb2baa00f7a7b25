import pytest

from fourlab.rules.catalog import game
from fourlab.studies.connectx.win_checks import BITS, LAST, WHOLE, most_reads, timed, timed_plainly

BOARDS = ["connect4", "connect:columns=5,rows=4,k=3", "connect:columns=4,rows=7,k=4"]


@pytest.mark.parametrize("board", BOARDS)
def test_all_checks_play_the_same_games(board: str) -> None:
    found = [timed(board, check, 2000, seed=3) for check in (WHOLE, LAST, BITS)]
    results = {(one.wins, one.draws, one.moves) for one in found}
    assert len(results) == 1
    assert all(one.seconds > 0 for one in found)
    [(wins, draws, moves)] = results
    assert 0 < wins < 2000 - draws
    assert game(board).connect * 2 - 1 <= moves / 2000 <= game(board).cells


@pytest.mark.parametrize("check", [WHOLE, LAST])
def test_plain_python_plays_them_too(check: str) -> None:
    plain, compiled = (play("connect4", check, 50, 1) for play in (timed_plainly, timed))
    assert (plain.wins, plain.draws, plain.moves) == (compiled.wins, compiled.draws, compiled.moves)
    assert not plain.compiled


def test_cells_read_at_most() -> None:
    board = game("connect4")
    assert most_reads(board, WHOLE) == 69 * 4  # a 7 x 6 board has 69 places for a line of four
    assert most_reads(board, LAST) == 24
    assert most_reads(game("connect:columns=3,rows=3,k=3"), WHOLE) == 8 * 3
