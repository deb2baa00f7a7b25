"""What a move is worth, however it is stored: mirror images, sides, ends and stored choices."""

from pathlib import Path

import numpy as np
import pytest

from fourlab.core.storage import StorageError, save_arrays
from fourlab.rules.boards import boards_of
from fourlab.rules.catalog import game
from fourlab.rules.kernels import move_cell
from fourlab.rules.position import Position, position_of
from fourlab.values.base import load_values
from fourlab.values.knowledge import Knowledge
from fourlab.values.shape import Shape
from fourlab.values.store import ACTIONS, POLICY, TUPLES, store_choice, stored_choice, teach
from fourlab.values.table import LEFT_OUT, NO_CHOICE, grown

RULES = game("connect:columns=4,rows=3,k=3")


def network(won: float = float("nan")) -> Knowledge:
    """A network of random weights."""
    known = Knowledge.new(RULES, Shape(TUPLES, tuples=6, length=3, seed=2, won=won))
    weights = known.values.network.weights
    weights[...] = np.random.default_rng(3).normal(0, 0.1, weights.shape)
    return known


def choose(known: Knowledge, position: Position, move: int) -> None:
    store_choice(RULES, known.values, position.mover, position.occupied, move)


def chosen(known: Knowledge, position: Position) -> int:
    return int(stored_choice(RULES, known.values, position.mover, position.occupied))


def test_a_stored_choice_is_that_of_the_mirror_image_reflected() -> None:
    one, image = position_of(RULES, "1"), position_of(RULES, "4")
    known = Knowledge.new(RULES, Shape(POLICY, symmetric=True))
    for told, move in ((one, 0), (image, 1)):
        choose(known, told, move)
        other = image if told is one else one
        assert (chosen(known, told), chosen(known, other)) == (move, 3 - move)
    alone = Knowledge.new(RULES, Shape(POLICY, symmetric=False))
    choose(alone, one, 0)
    assert (chosen(alone, one), chosen(alone, image)) == (0, NO_CHOICE)


def test_stored_choices_survive_growth_and_reload(tmp_path: Path) -> None:
    known = Knowledge.new(RULES, Shape(POLICY))
    positions = [position_of(RULES, moves) for moves in ("", "1", "12", "123", "2", "33")]
    for number, position in enumerate(positions):
        choose(known, position, number % 4)
    known.values = known.values._replace(table=grown(known.values.table))
    known.save(tmp_path / "values.npz")
    again, _ = Knowledge.load(tmp_path / "values.npz")
    for number, position in enumerate(positions):
        assert chosen(known, position) == chosen(again, position) == number % 4


def test_what_was_left_out_is_remembered(tmp_path: Path) -> None:
    known = Knowledge.new(RULES, Shape(POLICY))
    known.values.table.sizes[LEFT_OUT] = 12
    known.save(tmp_path / "values.npz")
    assert Knowledge.load(tmp_path / "values.npz")[0].left_out == 12


def test_changed_numbers_do_not_pass_the_checksum(tmp_path: Path) -> None:
    path = tmp_path / "values.npz"
    network().save(path)
    with np.load(path) as file:
        arrays = dict(file)
    arrays["weights"][0, 0, 0] += 1
    np.savez(path, **arrays)
    with pytest.raises(StorageError, match=r"values.npz is damaged: its checksum does not fit"):
        Knowledge.load(path)


@pytest.mark.parametrize("moves", ["", "1", "12", "1223", "4431"])
def test_a_network_sees_a_board_and_its_mirror_image_as_one(moves: str) -> None:
    position = position_of(RULES, moves)
    known = network()
    worths = known.move_values(position)
    assert worths == pytest.approx(known.move_values(position.mirror())[::-1])
    assert len(set(worths)) > 1


def test_a_network_has_weights_for_each_side() -> None:
    known = network()
    first, second = position_of(RULES, "12"), position_of(RULES, "121")
    before = known.move_values(first), known.move_values(second)
    known.values.network.weights[0] = 0  # boards with an even number of stones
    assert known.move_values(first) == before[0]
    assert known.move_values(second) == pytest.approx([0.0] * 4)


def test_what_is_known_of_ends_is_not_learned() -> None:
    known, before = network(won=1.0), network().values.network.weights
    position = position_of(RULES, "1424")  # 1 and 2 stand in the lowest row: 3 makes the line
    assert known.move_values(position)[2] == 1.0
    for move, changes in ((2, False), (0, True)):
        cell = move_cell(RULES, position.occupied, move)
        teach(RULES, known.values, position.mover, position.occupied, move, cell, 0, 0.1, -1.0)
        assert bool((known.values.network.weights != before).any()) == changes


def test_values_are_loaded_by_the_kind_of_their_file(tmp_path: Path) -> None:
    about = {"learner": "monte-carlo", "config": {"win": 200.0, "draw": 0.0, "loss": 0.0}}
    known = Knowledge.new(RULES, Shape(ACTIONS), about)
    position = position_of(RULES, "12")
    board = position.mover, position.occupied
    for move, target in ((0, 200.0), (1, 50.0)):
        cell = move_cell(RULES, position.occupied, move)
        teach(RULES, known.values, *board, move, cell, 0, 1.0, target)
    known.save(tmp_path / "checkpoint.npz")
    loaded = load_values(tmp_path, RULES)  # a folder names its checkpoint
    assert loaded.about["learner"] == "monte-carlo"
    worths = loaded.worths(boards_of([position, RULES.start()]))
    np.testing.assert_array_equal(worths[0], [1.0, 0.25, np.nan, np.nan])  # on the common scale
    assert np.isnan(worths[1]).all()
    with pytest.raises(StorageError, match="knows connect:columns=4,rows=3,k=3, not connect4"):
        load_values(tmp_path, game("connect4"))


@pytest.mark.parametrize(("moves", "draw"), [("12", -0.6), ("1", 0.6)])
def test_values_of_both_sides_are_on_the_scale_of_the_rewards_that_each_had(
    moves: str, draw: float
) -> None:
    # Alone, a loss is minus the other's win, whatever `loss` says; the first player sees the draw.
    config = {"win": 0.8, "draw": -0.6, "loss": 0.0, "opponent": "self"}
    known = Knowledge.new(RULES, Shape(ACTIONS), {"config": config})
    position = position_of(RULES, moves)
    board = position.mover, position.occupied
    for move, target in enumerate((0.8, draw, (draw - 0.8) / 2, -0.8)):
        cell = move_cell(RULES, position.occupied, move)
        teach(RULES, known.values, *board, move, cell, 0, 1.0, target)
    [found] = known.worths(boards_of([position]))
    np.testing.assert_allclose(found, [1.0, 0.0, -0.5, -1.0], atol=1e-6)


def test_what_is_no_file_of_values_is_named(tmp_path: Path) -> None:
    save_arrays(tmp_path / "book.npz", "book", 1, {}, {"scores": np.zeros(3)})
    with pytest.raises(StorageError, match=r"book.npz is a fourlab book; values are one of"):
        load_values(tmp_path / "book.npz")
    (tmp_path / "text.npz").write_text("no archive")
    with pytest.raises(StorageError, match=r"text.npz is no file of fourlab"):
        load_values(tmp_path / "text.npz")
    with pytest.raises(StorageError, match="cannot read"):
        load_values(tmp_path / "nowhere")
