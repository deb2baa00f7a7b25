"""Laws of the rules, over random boards. They run jitted here and once more as plain Python."""

import pytest
from hypothesis import given

import naive
import strategies
from fourlab.rules import kernels
from fourlab.rules.geometry import CONNECT_RANGE, Rules
from fourlab.rules.position import FIRST, Outcome, Position


def as_board(rules: Rules, first: int, second: int = 0) -> naive.Board:
    board = naive.empty(rules.columns, rules.rows)
    for column in range(rules.columns):
        for row in range(rules.rows):
            cell = 1 << (column * (rules.rows + 1) + row)
            board[column][row] = 1 if first & cell else 2 if second & cell else 0
    return board


def as_cells(rules: Rules, bits: int) -> set[tuple[int, int]]:
    indices = [index for index in range(63) if bits >> index & 1]
    return {divmod(index, rules.rows + 1) for index in indices}


@given(strategies.stones())
def test_lines_equal_the_naive_checker(case: tuple[Rules, int]) -> None:
    rules, stones = case
    board = as_board(rules, stones)
    assert kernels.has_line(rules, stones) == naive.has_line(board, rules.connect, 1)
    found = as_cells(rules, kernels.line_cells(rules, stones))
    assert found == naive.line_cells(board, rules.connect, 1)


BOARDS = [(9, 6), (7, 8), (3, 20), (21, 2), (31, 1), (1, 62)]


@pytest.mark.parametrize("connect", CONNECT_RANGE)
@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_exactly_the_winning_length_makes_a_line(board: tuple[int, int], connect: int) -> None:
    if connect > max(board):
        connect = max(board)
    rules = Rules(*board, connect)
    for cells in naive.windows(*board, connect):
        stones = sum(1 << (column * (rules.rows + 1) + row) for column, row in cells)
        assert kernels.has_line(rules, stones)
        for column, row in cells:
            gap = 1 << (column * (rules.rows + 1) + row)
            assert not kernels.has_line(rules, stones & ~gap)
            assert kernels.winning_cells(rules, stones & ~gap) & gap


@given(strategies.stones())
def test_winning_cells_equal_the_naive_checker(case: tuple[Rules, int]) -> None:
    rules, stones = case
    board = as_board(rules, stones)
    expected = {
        (column, row)
        for column in range(rules.columns)
        for row in range(rules.rows)
        if naive.completes_line(board, rules.connect, 1, column, row)
    }
    assert as_cells(rules, kernels.winning_cells(rules, stones)) == expected


@given(strategies.positions())
def test_legal_moves_equal_the_naive_checker(position: Position) -> None:
    rules = position.rules
    board = as_board(rules, position.first_stones, position.occupied ^ position.first_stones)
    expected: dict[int, tuple[int, int]] = {}
    for move in range(rules.move_count):
        if rules.gravity:
            column, row = move, naive.landing_row(board, move)
        else:
            column, row = move % rules.columns, rules.rows - 1 - move // rules.columns
        if row is not None and board[column][row] == 0:
            expected[move] = (column, row)
    if not position.is_over:
        assert position.legal_moves() == tuple(expected)
    for move in range(rules.move_count):
        cell = kernels.move_cell(rules, position.occupied, move)
        assert as_cells(rules, cell) == ({expected[move]} if move in expected else set())
        if cell:
            assert kernels.cell_move(rules, cell) == move


@given(strategies.positions())
def test_outcome_equals_the_naive_checker(position: Position) -> None:
    rules = position.rules
    board = as_board(rules, position.first_stones, position.occupied ^ position.first_stones)
    lines = [naive.has_line(board, rules.connect, mark) for mark in (1, 2)]
    if lines[FIRST]:
        expected = Outcome.FIRST_WINS
    elif lines[1]:
        expected = Outcome.SECOND_WINS
    elif all(0 not in stack for stack in board):
        expected = Outcome.DRAW
    else:
        expected = Outcome.IN_PROGRESS
    assert position.outcome is expected
    assert (position.legal_moves() == ()) == (expected is not Outcome.IN_PROGRESS)
    assert (position.line != 0) == any(lines)


@given(strategies.positions())
def test_mirroring_commutes_with_play(position: Position) -> None:
    mirrored = position.mirror()
    assert mirrored.mirror() == position
    assert mirrored.outcome == position.outcome
    assert position.rules.start().play_all(mirrored.moves) == mirrored
    columns = position.rules.columns
    for move in position.legal_moves():
        reflected = move - move % columns + columns - 1 - move % columns
        assert position.play(move).mirror() == mirrored.play(reflected)


@given(strategies.positions())
def test_playing_changes_exactly_one_cell_and_the_side(position: Position) -> None:
    for move in position.legal_moves():
        child = position.play(move)
        assert (child.occupied ^ position.occupied).bit_count() == 1
        assert child.occupied & position.occupied == position.occupied
        assert child.waiting & position.mover == position.mover
        assert child.mover == position.waiting
        assert child.to_move == 1 - position.to_move
        assert child.moves == (*position.moves, move)


@given(strategies.positions())
def test_winning_moves_are_the_ones_that_win(position: Position) -> None:
    winner = {Outcome.FIRST_WINS: 0, Outcome.SECOND_WINS: 1}
    wins = [
        move
        for move in position.legal_moves()
        if winner.get(position.play(move).outcome) == position.to_move
    ]
    assert list(position.winning_moves()) == wins
