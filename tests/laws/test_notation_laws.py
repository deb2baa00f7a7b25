"""What is written can be read again, on every board."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
from fourlab.core.errors import FourlabError, NotationError
from fourlab.rules import formats
from fourlab.rules.catalog import game, name_of
from fourlab.rules.geometry import Rules
from fourlab.rules.keys import board_of, exact_key, has_keys
from fourlab.rules.position import Position, position_of, read_moves, write_moves


@given(strategies.positions())
def test_every_format_round_trips(position: Position) -> None:
    rules = position.rules
    assert position_of(rules, position.notation) == position
    assert formats.read_kaggle(rules, formats.write_kaggle(position)) == position
    assert formats.read_uci(rules, formats.write_uci(position)) == position
    assert formats.read_uci(rules, formats.write_uci(position) + ",draw") == position
    assert formats.read_text(rules, formats.write_text(position)) == position


@given(strategies.positions())
def test_a_board_read_without_history_gets_one_that_leads_to_it(position: Position) -> None:
    read = formats.read_kaggle(position.rules, formats.write_kaggle(position))
    assert position_of(position.rules, read.moves) == position


@given(strategies.positions(), strategies.positions())
def test_keys_tell_positions_apart(one: Position, other: Position) -> None:
    if one.rules == other.rules:
        assert (one.key == other.key) == (one == other)
    for move in one.legal_moves():
        assert one.play(move).key != one.key


@given(strategies.positions())
def test_an_exact_key_can_be_read_back(position: Position) -> None:
    if has_keys(position.rules):
        stones = position.mover, position.occupied
        assert board_of(position.rules, exact_key(position.rules, *stones)) == stones


@given(strategies.positions(largest=16), st.integers(0, 2**32))
def test_positions_of_small_boards_have_distinct_keys(position: Position, seed: int) -> None:
    children = {position.play(move) for move in position.legal_moves()}
    assert len({child.key for child in children}) == len(children)


@given(strategies.rules())
def test_game_names_round_trip(rules: Rules) -> None:
    assert game(name_of(rules)) == rules
    assert game(str(rules)) == rules


@given(strategies.rules(), st.lists(st.integers(0, 8), max_size=20))
def test_move_strings_round_trip(rules: Rules, numbers: list[int]) -> None:
    moves = [number % rules.move_count for number in numbers]
    assert read_moves(rules, write_moves(rules, moves)) == moves


@given(strategies.rules(), st.text(max_size=12))
def test_any_text_is_a_position_or_a_clear_refusal(rules: Rules, text: str) -> None:
    for read in (position_of, formats.read_uci, formats.read_text):
        try:
            answer = str(read(rules, text).rules)
        except FourlabError as error:
            answer = str(error)
        assert answer
        assert answer.isprintable() or not text.isprintable()


@given(strategies.positions(), st.data())
def test_a_board_with_one_cell_changed_is_refused_unless_it_can_occur(
    position: Position, data: st.DataObject
) -> None:
    board = formats.write_kaggle(position)
    index = data.draw(st.integers(0, len(board) - 1))
    board[index] = data.draw(st.sampled_from([mark for mark in (0, 1, 2) if mark != board[index]]))
    try:
        changed = formats.read_kaggle(position.rules, board)
    except NotationError:
        return
    # Accepted: then a legal game must lead there.
    assert formats.write_kaggle(position_of(position.rules, changed.moves)) == board


def test_overlapping_stones_are_refused() -> None:
    with pytest.raises(NotationError, match="overlap"):
        formats.from_stones(game("connect4"), 1, 1)
