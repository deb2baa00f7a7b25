"""Alpha-beta, plain minimax and a minimax on lists agree; so do the kernels and plain Python."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import strategies
from fourlab.core.limit import UNLIMITED
from fourlab.rules.catalog import game
from fourlab.rules.kernels import mirror
from fourlab.rules.position import Outcome, Position
from fourlab.search.alphabeta import NODES, UNKNOWN, begin, forget, new_work, run, search, win_in
from fourlab.search.windows import Weights, open_windows, window_score

WEIGHTS = Weights(5, 10, -4, -8)


def naive_board(position: Position) -> naive.Board:
    rules, height = position.rules, position.rules.rows + 1
    board = naive.empty(rules.columns, rules.rows)
    for column in range(rules.columns):
        for row in range(rules.rows):
            bit = 1 << (column * height + row)
            if position.occupied & bit:
                board[column][row] = 1 if position.first_stones & bit else 2
    return board


def naive_windows(position: Position, mark: int) -> tuple[int, int]:
    rules, board = position.rules, naive_board(position)
    lacking = {1: 0, 2: 0}
    for cells in naive.windows(rules.columns, rules.rows, rules.connect):
        stones = [board[column][row] for column, row in cells]
        lacks = stones.count(0)
        if lacks in lacking and lacks < rules.connect and 3 - mark not in stones:
            lacking[lacks] += 1
    return lacking[2], lacking[1]


def naive_estimate(position: Position, mark: int) -> int:
    own2, own3 = naive_windows(position, mark)
    opp2, opp3 = naive_windows(position, 3 - mark)
    return 5 * own2 + 10 * own3 - 4 * opp2 - 8 * opp3


def naive_minimax(position: Position, depth: int, mark: int) -> int:
    """The value for the side to move; `mark` is the side that evaluates."""
    if position.outcome is Outcome.DRAW:
        return 0
    if position.is_over:
        return -win_in(position.ply)
    sign = 1 if position.to_move + 1 == mark else -1
    if depth == 0:
        return sign * naive_estimate(position, mark)
    children = [position.play(move) for move in position.legal_moves()]
    return max(-naive_minimax(child, depth - 1, mark) for child in children)


@given(strategies.positions())
def test_windows_are_counted_as_on_paper(position: Position) -> None:
    first = position.first_stones
    second = position.occupied ^ first
    assert open_windows(position.rules, first, second) == naive_windows(position, 1)
    assert open_windows(position.rules, second, first) == naive_windows(position, 2)


@given(strategies.positions())
def test_the_window_score_knows_neither_left_nor_right(position: Position) -> None:
    rules, stones = position.rules, position.mover
    others = position.mover ^ position.occupied
    reflected = mirror(rules, stones), mirror(rules, others)
    assert window_score(rules, WEIGHTS, stones, others) == window_score(rules, WEIGHTS, *reflected)


@settings(max_examples=40, deadline=None)
@given(strategies.positions(largest=24), st.integers(1, 3), st.booleans())
def test_every_move_has_the_value_that_minimax_on_lists_gives_it(
    position: Position, depth: int, prune: bool
) -> None:
    if position.is_over:
        return
    rules, work = position.rules, new_work(position.rules, 6)
    search(rules, work, WEIGHTS, prune, position.mover, position.occupied, depth, UNLIMITED)
    mark = position.to_move + 1
    for move in range(rules.move_count):
        if move in position.legal_moves():
            expected = -naive_minimax(position.play(move), depth - 1, mark)
        else:
            expected = UNKNOWN
        assert work.root_values[move] == expected


@pytest.mark.parametrize(
    ("name", "depth"),
    [
        ("connect4", 3),
        ("tictactoe", 5),
        ("connect:columns=5,rows=6,k=4", 3),
        ("connect:columns=6,rows=5,k=5", 3),
        ("connect:columns=4,rows=4,k=2", 4),
        ("mnk:columns=4,rows=4,k=3", 3),
    ],
)
def test_pruning_changes_no_value(name: str, depth: int) -> None:
    rules = game(name)
    work, effort = new_work(rules), {True: 0, False: 0}
    for position in strategies.random_positions(rules, 40 if is_plain() else 500):
        found = {}
        for prune in (True, False):
            before = work.registers[NODES]
            board = position.mover, position.occupied
            value = search(rules, work, WEIGHTS, prune, *board, depth, UNLIMITED)
            found[prune] = [value, *work.root_values.tolist()]
            effort[prune] += work.registers[NODES] - before
        assert found[True] == found[False]
    assert effort[True] < effort[False]


def test_the_table_changes_no_value() -> None:
    """Deep enough for positions to be met again with other bounds."""
    rules = game("connect4")
    work = new_work(rules)
    for position in strategies.random_positions(rules, 1 if is_plain() else 100):
        found = []
        for prune in (True, False):
            search(rules, work, WEIGHTS, prune, position.mover, position.occupied, 6, UNLIMITED)
            found.append(work.root_values.tolist())
        assert found[0] == found[1]


def is_plain() -> bool:
    """Whether kernels run as plain Python, a hundred times slower."""
    return not hasattr(search, "py_func")


@pytest.mark.parametrize("slice_of_nodes", [1, 7, 100])
def test_a_search_in_slices_is_the_same_search(slice_of_nodes: int) -> None:
    rules = game("connect4")
    for position in strategies.random_positions(rules, 10):
        whole, sliced = new_work(rules, 8), new_work(rules, 8)
        for work, nodes in ((whole, 1 << 40), (sliced, slice_of_nodes)):
            forget(work)
            begin(rules, work, position.mover, position.occupied, 4)
            while not run(rules, work, WEIGHTS, True, nodes):
                pass
        assert sliced.root_values.tolist() == whole.root_values.tolist()
        assert sliced.registers.tolist() == whole.registers.tolist()
