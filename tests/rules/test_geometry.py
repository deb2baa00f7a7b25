import pickle
from typing import Any

import numpy as np
import pytest

from fourlab.core.errors import GeometryError, SpecError
from fourlab.rules.catalog import game
from fourlab.rules.geometry import Rules


@pytest.mark.parametrize(
    ("board", "says"),
    [
        ((0, 6, 4), "at least 1 column"),
        ((7, 0, 4), "at least 1 column"),
        ((-1, 6, 4), "at least 1 column"),
        ((8, 8, 4), r"columns \* \(rows \+ 1\) is 72, at most 63"),
        ((7, 6, 1), "k is the length of a winning line, 2 to 9"),
        ((10, 5, 10), "2 to 9"),
        ((3, 3, 4), "a line of 4 does not fit; k is at most 3"),
    ],
)
def test_bad_boards_are_refused(board: tuple[int, int, int], says: str) -> None:
    with pytest.raises(GeometryError, match=says):
        Rules(*board)


@pytest.mark.parametrize("board", [(7, 8, 4), (9, 6, 9), (31, 1, 2), (1, 62, 9), (3, 20, 4)])
def test_boards_up_to_63_bits_exist(board: tuple[int, int, int]) -> None:
    rules = Rules(*board)
    assert rules.cells == board[0] * board[1]
    assert len(rules.start().legal_moves()) == board[0]


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("conect4", "did you mean 'connect4'"),
        ("chess", "known: connect4, tictactoe, connect, mnk"),
        ("connect4:columns=8", "has no option 'columns'; it has no options"),
        ("connect:colums=8", r"options: columns=7 \(whole number from 1\), rows=6"),
        ("connect:columns=eight", "columns='eight' is not allowed"),
        ("connect:columns=7.5", "columns='7.5' is not allowed"),
        ("connect:k=10", r"k=4 \(whole number 2 to 9\)"),
        ("connect:columns=5,columns=6", "'columns' stands twice"),
        ("connect:", "is no spec"),
        ("", "is no spec"),
        ("connect:columns=5,rows", "'rows' in .* is no option"),
        ("connect:columns=(5", "brackets"),
        ("connect:7x6", "takes no value '7x6'"),
    ],
)
def test_bad_game_specs_are_answered_with_what_exists(spec: str, says: str) -> None:
    with pytest.raises(SpecError, match=says):
        game(spec)


def test_games_are_data() -> None:
    assert game("connect4") == Rules(7, 6, 4, True)
    assert game("tictactoe") == Rules(3, 3, 3, False)
    assert pickle.loads(pickle.dumps(game("tictactoe"))) == game("tictactoe")
    assert game(" connect:columns=5 , rows=6,k=4") == Rules(5, 6, 4)
    assert game("connect:columns=1e1,rows=5") == Rules(10, 5, 4)
    assert game("mnk:columns=4,rows=4,k=3").move_count == 16
    assert str(Rules(5, 6, 4)) == "connect:columns=5,rows=6,k=4"


@pytest.mark.parametrize("gravity", ["no", None, 1, np.array([True, False]), np.array([])])
def test_stones_fall_or_they_do_not(gravity: Any) -> None:
    """Text would be taken for yes, whatever it says."""
    with pytest.raises(GeometryError, match=r"^gravity=.{,60}: write True or False$"):
        Rules(4, 4, 3, gravity=gravity)
    assert Rules(4, 4, 3, gravity=np.False_) == Rules(4, 4, 3, gravity=False)  # type: ignore[arg-type]


def test_an_error_of_sizes_is_one_line() -> None:
    for size in (game("tictactoe").start(), [["7"] * 99], True):
        with pytest.raises(GeometryError, match=r"^columns=.{,60}, rows=6, k=4: write whole numb"):
            Rules(size, 6, 4)  # type: ignore[arg-type]


@pytest.mark.parametrize("board", [("7", 6, 4), (7.0, 6, 4), (7, None, 4), (7, 6, float("nan"))])
def test_sizes_are_whole_numbers(board: tuple[Any, Any, Any]) -> None:
    with pytest.raises(GeometryError, match=r"columns=.*: write whole numbers"):
        Rules(*board)
