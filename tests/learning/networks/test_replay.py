"""The replay memory: a ring, and rows drawn by priority."""

import numpy as np
import pytest

from fourlab.core.storage import StorageError
from fourlab.learning.networks.replay import Replay, Rows, find_row, new_rows, set_weights


def rows(*boards: int) -> Rows:
    made = new_rows(len(boards))
    for array in made:
        array[:] = boards
    return made


def test_the_newest_rows_take_the_place_of_the_oldest() -> None:
    memory = Replay(4, moves=2)
    memory.add(rows(1, 2, 3))
    assert len(memory) == 3
    memory.add(rows(4, 5, 6))
    assert len(memory) == 4
    for array in memory.take(np.arange(4)):
        assert array.tolist() == [5, 6, 3, 4]


def test_a_new_row_is_not_taken_for_valued() -> None:
    memory = Replay(2, moves=2)
    memory.add(rows(1, 2))
    memory.stamps[:] = 7
    memory.add(rows(3))
    assert memory.stamps.tolist() == [-1, 7]


def test_even_drawing_reaches_filled_rows_only_and_depends_on_the_dice_alone() -> None:
    memory = Replay(100, moves=2)
    memory.add(rows(*range(10)))
    drawn, state = memory.draw(500, 3)
    assert set(drawn.tolist()) == set(range(10))
    again, same = memory.draw(500, 3)
    assert (drawn == again).all()
    assert state == same != 3


def test_the_tree_of_sums_by_hand() -> None:
    tree = np.zeros(8)
    set_weights(tree, np.arange(4), np.array([1.0, 2.0, 3.0, 4.0]))
    assert tree[1:].tolist() == [10, 3, 7, 1, 2, 3, 4]
    found = [find_row(tree, mass) for mass in (0.0, 0.9, 1.0, 2.9, 3.0, 5.9, 6.0, 9.9)]
    assert found == [0, 0, 1, 1, 2, 2, 3, 3]
    set_weights(tree, np.array([1]), np.array([0.0]))
    assert tree[1:4].tolist() == [8, 1, 7]
    assert find_row(tree, 1.0) == 2
    assert find_row(tree, 8.0) == 3  # what rounding may reach


def test_rows_are_drawn_in_proportion_and_counted_so_that_they_make_up_for_it() -> None:
    memory = Replay(3, moves=2, exponent=0.5)
    memory.add(rows(1, 2, 3))
    memory.learn_errors(np.arange(3), np.array([1.0, -9.0, 0.0]) - 1e-3 * np.array([1, -1, 1]))
    drawn, _ = memory.draw(4000, 5)
    counts = np.bincount(drawn, minlength=3) / 4000
    assert counts == pytest.approx([0.25, 0.74, 0.01], abs=0.01)
    assert memory.corrections(np.array([0, 1]), 1.0).tolist() == pytest.approx([1, 1 / 3])
    memory.add(rows(4))  # counts as much as the worst so far
    assert memory.tree[4 + 0] == pytest.approx(3.0)


def test_a_memory_that_was_put_away_is_the_same() -> None:
    memory = Replay(5, moves=2, exponent=1.0)
    memory.add(rows(1, 2, 3))
    memory.learn_errors(np.array([0, 2]), np.array([0.3, 2.5]))
    memory.worths[:2], memory.stamps[:2] = 0.5, 4
    again = Replay(5, moves=2, exponent=1.0)
    again.restore(memory.written, memory.largest, memory.arrays())
    assert (again.draw(50, 1)[0] == memory.draw(50, 1)[0]).all()
    assert again.tree.tolist() == memory.tree.tolist()
    assert all((a == b).all() for a, b in zip(again.rows, memory.rows, strict=True))
    assert (again.stamps == memory.stamps).all()
    damaged = memory.arrays() | {"rewards": np.zeros(2, np.float32)}
    with pytest.raises(StorageError, match="rewards does not fit"):
        Replay(5, moves=2, exponent=1.0).restore(memory.written, 1.0, damaged)
