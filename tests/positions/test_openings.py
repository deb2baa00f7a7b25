import numpy as np
import pytest

from fourlab.core.errors import SpecError
from fourlab.positions.openings import MOST, Sequence, default_plies
from fourlab.rules.catalog import game
from fourlab.rules.position import position_of
from fourlab.search.solver import shared_solver

GAMES = ["connect4", "tictactoe", "connect:columns=5,rows=6,k=4", "mnk:columns=4,rows=4,k=3"]

LINES_OF_2 = "connect:columns=7,rows=6,k=2"  # on which hardly a game has 8 plies, and none 35


def first(name: str, count: int, seed: int = 1) -> list[tuple[int, ...]]:
    rules = game(name)
    taken = Sequence(rules, default_plies(rules), seed).take(np.arange(count))
    return [tuple(line) for line in taken.moves.tolist()]


@pytest.mark.parametrize("name", GAMES)
def test_openings_are_positions_that_go_on_with_the_first_player_to_move(name: str) -> None:
    rules = game(name)
    taken = Sequence(rules, default_plies(rules), 3).take(np.arange(20))
    for line, mover, occupied in zip(*taken, strict=True):
        position = position_of(rules, line.tolist())
        assert (position.mover, position.occupied) == (mover, occupied)
        assert position.to_move == 0
        assert position.legal_moves()


def test_a_seed_has_one_sequence_however_it_is_asked_for() -> None:
    whole = first("connect4", 100)
    assert first("connect4", 30) == whole[:30]
    assert first("connect4", 100, seed=2) != whole
    bit_by_bit = Sequence(game("connect4"), 8, 1)
    parts = [bit_by_bit.take(np.array([index])).moves[0].tolist() for index in (99, 0, 57)]
    assert [tuple(part) for part in parts] == [whole[99], whole[0], whole[57]]


def test_openings_differ_even_after_reflection() -> None:
    rules = game("connect4")
    positions = [position_of(rules, line) for line in first("connect4", 200)]
    assert len({*positions, *(position.mirror() for position in positions)}) >= 399


def test_openings_are_balanced() -> None:
    for name, slack in (("connect4", 2), ("tictactoe", 0), ("connect:columns=4,rows=4,k=4", 0)):
        rules = game(name)
        solver = shared_solver(rules)
        for line in first(name, 30):
            assert abs(solver.score(position_of(rules, line))) <= slack


def test_small_boards_begin_again() -> None:
    lines = first("tictactoe", 100)
    assert 1 < len(set(lines)) < 30
    assert lines[len(set(lines))] == lines[0]
    assert first("connect:columns=2,rows=2,k=2", 3) == [(), (), ()]


def test_without_balanced_positions_any_will_do() -> None:
    rules = game("connect:columns=3,rows=3,k=2")  # the first player always wins at once
    assert len(set(first(str(rules), 10))) > 1
    lacks = Sequence(rules, default_plies(rules), 1).remark(3)
    assert lacks == "no balanced opening of 2 plies was found: any will do"


@pytest.mark.parametrize(("name", "plies"), [("connect4", 39), ("connect4", 41), (LINES_OF_2, 8)])
def test_rare_openings_are_looked_for_and_never_shorter(name: str, plies: int) -> None:
    for seed in range(4):
        taken = Sequence(game(name), plies, seed).take(np.arange(5))
        assert taken.moves.shape == (5, plies)
        assert all(occupied.bit_count() == plies for occupied in taken.occupied.tolist())


def test_a_length_that_no_game_reaches_is_refused() -> None:
    sequence = Sequence(game(LINES_OF_2), 35, 1)
    for _ in range(2):
        with pytest.raises(SpecError, match=f"no openings of 35 plies were found on {LINES_OF_2}"):
            sequence.take(np.arange(2))


def test_how_many_openings_there_are_is_told_where_they_repeat() -> None:
    few = Sequence(game("tictactoe"), 2, 1)
    there_are = few.count(MOST)
    assert there_are == len(set(first("tictactoe", 100)))
    assert few.remark(there_are) == ""
    more = few.remark(there_are + 1)
    assert more == f"only {there_are} different openings of 2 plies for {2 * there_are + 2} games"
    assert Sequence(game("tictactoe"), 0, 1).remark(50) == ""
    assert Sequence(game("connect4"), 8, 1).remark(100) == ""


def test_beyond_the_last_opening_comes_the_first() -> None:
    sequence = Sequence(game("connect4"), 8, 1)
    taken = sequence.take(np.array([0, MOST - 1, MOST, 3 * MOST])).moves.tolist()
    assert taken[0] == taken[2] == taken[3] != taken[1]


def test_a_board_whose_bits_fill_a_key_keeps_its_openings_apart() -> None:
    rules = game("mnk:columns=7,rows=7,k=5")
    positions = [position_of(rules, line) for line in first(str(rules), 60)]
    stones = {(position.mover, position.occupied) for position in positions}
    assert len(stones) == 60
    assert len({position.shared_key for position in positions}) == 60
    assert all(position.shared_key == position.mirror().shared_key for position in positions)
    after = [rules.start().play(move) for move in rules.start().legal_moves()]
    assert len({position.key for position in after}) == 49
    assert len({position.shared_key for position in after}) == 28  # 7 in the middle, 21 pairs
