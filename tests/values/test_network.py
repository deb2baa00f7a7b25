"""Networks: their shapes, their files, and what they say of boards."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fourlab.core.errors import DivergedError, SpecError
from fourlab.core.storage import StorageError, peek
from fourlab.rules.boards import boards_of
from fourlab.rules.catalog import game
from fourlab.rules.position import position_of
from fourlab.values.base import WrongGameError, load_values, values_file
from fourlab.values.layers import Shape
from fourlab.values.network import KIND, VERSION, Network
from fourlab.values.weights import save_weights
from nets import TINY, random_network
from strategies import random_positions

RULES = game("connect:columns=4,rows=4,k=3")
STUDY = Shape("study", width=4)


@pytest.mark.parametrize("shape", [TINY, STUDY], ids=["residual", "study"])
def test_a_file_gives_the_same_network(tmp_path: Path, shape: Shape) -> None:
    network = random_network(RULES, shape)
    extra = {"steps": np.array([3, 4])}
    network.save(tmp_path / "checkpoint.safetensors", extra=extra)
    found = load_values(tmp_path, RULES)
    assert isinstance(found, Network)
    assert found.about == network.about
    assert found.shape == shape
    boards = boards_of(random_positions(RULES, 9))
    assert (found.evaluate(boards)[1] == network.evaluate(boards)[1]).all()
    _, kept = Network.load_all(values_file(tmp_path))
    assert kept["steps"].tolist() == [3, 4]
    assert peek(values_file(tmp_path))["about"]["learner"] == "nobody"


def test_half_as_many_bits_make_half_the_file(tmp_path: Path) -> None:
    network = random_network(RULES, Shape(width=16, blocks=2))
    whole, half = len(network.packed()), len(network.packed(half=True))
    assert half < 0.55 * whole
    network.save(tmp_path / "half.safetensors", half=True)
    boards = boards_of(random_positions(RULES, 20))
    near = Network.load(tmp_path / "half.safetensors").values(boards)
    assert near == pytest.approx(network.values(boards), abs=0.01)


def test_files_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "file.safetensors"
    network = random_network(RULES)
    header = network.header()

    def refused(words: str, header: dict[str, Any] = header, **layers: Any) -> None:
        arrays = {**network.layers, **layers}
        arrays = {name: array for name, array in arrays.items() if array is not None}
        save_weights(path, KIND, VERSION, header, arrays)
        with pytest.raises(StorageError, match=words):
            Network.load(path)

    network.save(path)
    with pytest.raises(WrongGameError, match=r"knows connect:.*play --game"):
        Network.load(path, game("connect4"))
    shape = header["shape"]
    refused("header makes no sense", {**header, "game": "chess"})
    refused("header makes no sense", {**header, "shape": {**shape, "width": 1 << 40}})
    refused("header makes no sense", {**header, "shape": {**shape, "width": "8"}})
    refused("header makes no sense", {**header, "shape": {**shape, "taste": 8}})
    refused("header makes no sense", {**header, "about": None})
    refused("layers do not fit", {**header, "shape": {**shape, "width": 9}})
    refused("layers do not fit", {**header, "game": "connect4"})
    refused("layers do not fit", bias=np.zeros(3, np.float32))
    refused("layers do not fit", **{"bins.bias": None})
    refused("layers do not fit", **{"bins.bias": np.zeros((1, TINY.bins), np.float32)})
    spoilt = network.layers["stem.weight"].copy()
    spoilt[0, 0, 0, 0] = np.nan
    refused("weights that are no numbers", **{"stem.weight": spoilt})


def test_weights_that_are_no_numbers_are_not_saved(tmp_path: Path) -> None:
    path = tmp_path / "file.safetensors"
    network = random_network(RULES)
    network.save(path)
    before = path.read_bytes()
    network.layers["stem.weight"][0, 0, 0, 0] = np.inf
    with pytest.raises(DivergedError, match=r"not saved; .* is as it was"):
        network.save(path)
    assert path.read_bytes() == before


def test_weights_too_large_to_give_numbers_are_told(tmp_path: Path) -> None:
    rules = game("tictactoe")
    made = random_network(rules)
    largest = {name: np.full_like(layer, 3e38) for name, layer in made.layers.items()}
    Network(rules, made.shape, largest, {}).save(tmp_path / "large.safetensors")
    network, boards = Network.load(tmp_path / "large.safetensors"), boards_of([rules.start()])
    for ask in (network.evaluate, network.values):
        with pytest.raises(DivergedError, match="its weights are too large"):
            ask(boards)


def test_shapes_are_checked() -> None:
    with pytest.raises(SpecError, match=r"width is 1 to 512, not 0"):
        Shape(width=0)
    with pytest.raises(SpecError, match=r"no network is of kind 'deep'"):
        Shape("deep")
    with pytest.raises(SpecError, match=r"3 columns and 3 rows at least"):
        STUDY.layout(game("connect:columns=2,rows=6,k=3"))
    assert Shape("study").layout(game("connect4"))["hidden.weight"] == (256, 64 * 5 * 4)
    sizes = Shape().layout(game("connect4"))
    assert sum(int(np.prod(size)) for size in sizes.values()) == 638_472


@pytest.mark.parametrize("shape", [TINY, STUDY], ids=["residual", "study"])
def test_moves_are_worth_what_their_boards_are_worth_to_the_other_side(shape: Shape) -> None:
    network = random_network(RULES, shape)
    positions = random_positions(RULES, 60)
    worths = network.worths(boards_of(positions))
    for position, row in zip(positions, worths, strict=True):
        for move in range(RULES.move_count):
            if move not in position.legal_moves():
                assert np.isnan(row[move])
                continue
            after = position.play(move)
            if after.is_over:
                assert row[move] == (1 if after.line else 0)
            else:
                assert row[move] == -network.values(boards_of([after]))[0]


def test_priors_are_shares_of_legal_moves() -> None:
    network = random_network(RULES)
    positions = random_positions(RULES, 60)
    priors, values = network.evaluate(boards_of(positions))
    assert (abs(values) <= 1).all()
    assert len(set(values.tolist())) > 30
    for position, row in zip(positions, priors, strict=True):
        assert row.sum() == pytest.approx(1)
        assert tuple(np.flatnonzero(row)) == position.legal_moves()
    uniform = random_network(RULES, STUDY).evaluate(boards_of([position_of(RULES, "1111")]))[0]
    assert uniform.tolist() == [[0, *[pytest.approx(1 / 3)] * 3]]


def test_a_policy_and_a_value_follow_their_logits() -> None:
    network = random_network(RULES)
    still = {name: np.zeros_like(layer) for name, layer in network.layers.items()}
    still["moves.bias"] = np.log(np.array([1, 2, 3, 4], np.float32))
    still["bins.bias"][-1] = 50.0
    priors, values = replace(network, layers=still).evaluate(boards_of([RULES.start()]))
    assert priors[0] == pytest.approx([0.1, 0.2, 0.3, 0.4])
    assert values[0] == pytest.approx(1.0)


def test_the_header_is_plain_json() -> None:
    json.dumps(random_network(RULES).header(), allow_nan=False)
