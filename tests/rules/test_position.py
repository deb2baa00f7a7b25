import dataclasses
from typing import Any

import numpy as np
import pytest

from fourlab.core.errors import IllegalMoveError, NotationError
from fourlab.rules import formats
from fourlab.rules.catalog import game
from fourlab.rules.position import Outcome, position_of

CONNECT4 = game("connect4")
TICTACTOE = game("tictactoe")
WIDE = game("connect:columns=12,rows=4,k=4")


@pytest.mark.parametrize(
    ("rules", "moves", "says"),
    [
        (CONNECT4, "4444444", "move 7: column 4 is full in connect4 '444444'; open: 1 2 3 5 6 7"),
        (CONNECT4, "12121212", "move 8: column 2 comes after the end in connect4 '1212121'"),
        (CONNECT4, "12121212", "the game is over (the first player wins)"),
        (TICTACTOE, "11", "move 2: cell 1 is taken in tictactoe '1'; open: 2 3 4 5 6 7 8 9"),
        (WIDE, "1,1,1,1,1", "move 5: column 1 is full"),
    ],
)
def test_illegal_moves_are_refused_with_input_position_and_remedy(rules, moves, says) -> None:
    with pytest.raises(IllegalMoveError) as error:
        position_of(rules, moves)
    assert says in str(error.value)


@pytest.mark.parametrize("move", [-1, 7, 100])
def test_moves_outside_the_board_are_refused(move: int) -> None:
    with pytest.raises(IllegalMoveError, match=f"column {move + 1} does not exist in connect4 ''"):
        CONNECT4.start().play(move)


@pytest.mark.parametrize("move", ["4", 3.0, None, np.float64(3), [3]])
def test_what_is_no_whole_number_is_no_move(move: Any) -> None:
    with pytest.raises(IllegalMoveError, match=r" is no column in connect4 '4'; open: 1 2 3"):
        CONNECT4.start().play(3).play(move)
    assert type(CONNECT4.start().play(np.uint8(3)).moves[0]) is int


@pytest.mark.parametrize(
    ("rules", "moves", "says"),
    [
        (CONNECT4, "48", "move 2: '8' in '48' is no column of connect4; write 1 to 7"),
        (CONNECT4, "4x", "'x'"),
        (CONNECT4, "4²", "'²'"),
        (CONNECT4, "0", "'0'"),
        (WIDE, "13", "write 1 to 12, separated by commas"),
        (WIDE, "1,-2", "'-2'"),
    ],
)
def test_what_is_no_move_is_refused(rules, moves, says) -> None:
    with pytest.raises(NotationError) as error:
        position_of(rules, moves)
    assert says in str(error.value)


def test_separators_are_allowed() -> None:
    assert position_of(CONNECT4, "4 4,5\n5") == position_of(CONNECT4, "4455")
    assert position_of(WIDE, "12, 1 11").moves == (11, 0, 10)
    assert position_of(WIDE, "12, 1 11").notation == "12,1,11"


def test_positions_are_equal_by_rules_and_stones() -> None:
    one, other = position_of(CONNECT4, "1234"), position_of(CONNECT4, "3214")
    assert one == other
    assert len({one, other}) == 1
    assert one.moves != other.moves
    assert position_of(game("connect:columns=8,rows=6"), "1234") != one


def test_positions_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        CONNECT4.start().mover = 1  # type: ignore[misc]


@pytest.mark.parametrize(
    ("rules", "moves", "outcome"),
    [
        (CONNECT4, "1212121", Outcome.FIRST_WINS),  # a column
        (CONNECT4, "71212121", Outcome.SECOND_WINS),
        (CONNECT4, "1122334", Outcome.FIRST_WINS),  # a row
        (CONNECT4, "12233434474", Outcome.FIRST_WINS),  # a rising diagonal
        (CONNECT4, "76655454414", Outcome.FIRST_WINS),  # a falling diagonal
        (CONNECT4, "112233", Outcome.IN_PROGRESS),
        (TICTACTOE, "14253", Outcome.FIRST_WINS),  # the top row
        (TICTACTOE, "123547698", Outcome.DRAW),
        (TICTACTOE, "71924", Outcome.IN_PROGRESS),
        (TICTACTOE, "132567", Outcome.SECOND_WINS),  # a diagonal from the top right
    ],
)
def test_outcomes(rules, moves, outcome) -> None:
    assert position_of(rules, moves).outcome is outcome


SMALL = game("connect:columns=3,rows=3,k=3")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("X..\n...\n...", "a stone floats"),
        ("...\n...\nXX.", "2 stones of the first player and 0 of the second"),
        ("...\n...\nO..", "0 stones of the first player and 1 of the second"),
        ("...\nXXX\nOOO", "both sides have a line"),
        ("..O\nXXO\nXXO", "the second player has a line but the other side moved last"),
        (".X.\nXX.\nOOO", "no order of moves"),  # the line is buried
        ("...\nX..\nO..", "no order of moves"),
        ("..\n..", "lines of 2 2 cells"),
        ("...\n...\n.Z.", "'Z' in line 3, column 2"),
    ],
)
def test_boards_that_cannot_occur_are_refused(text: str, says: str) -> None:
    with pytest.raises(NotationError, match=says):
        formats.read_text(SMALL, text)


@pytest.mark.parametrize("moves", [44, None, 4.5])
def test_what_is_no_row_of_moves_is_told_how_to_write_one(moves: Any) -> None:
    with pytest.raises(NotationError, match="is no row of moves; write '4455' or"):
        game("connect4").start().play_all(moves)
