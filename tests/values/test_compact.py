"""Networks of few bits: what a file keeps, and what is no such file."""

import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourlab.core.errors import SpecError
from fourlab.core.storage import StorageError
from fourlab.rules.boards import boards_of
from fourlab.rules.catalog import game
from fourlab.values.compact import pack, unpack
from fourlab.values.layers import Shape
from fourlab.values.network import KIND, VERSION, Network
from fourlab.values.weights import save_weights
from nets import random_network
from strategies import random_positions

RULES = game("connect:columns=4,rows=4,k=3")
SMALL = Shape(width=7, blocks=4, head=3, hidden=5, bins=4, bits=5, distinct=2)
EVEN = replace(SMALL, width=8, head=4)


@given(
    bits=st.integers(2, 8),
    distinct=st.integers(0, 4),
    paired=st.integers(0, 1),
    seed=st.integers(0, 100),
)
def test_what_was_rounded_once_stays_as_it_is(
    bits: int, distinct: int, paired: int, seed: int
) -> None:
    shape = replace(EVEN, bits=bits, distinct=distinct, paired=paired)
    kept = pack(shape, RULES, random_network(RULES, shape, seed).layers)
    layers = unpack(shape, RULES, kept)
    assert {name: layer.shape for name, layer in layers.items()} == shape.layout(RULES)
    again = pack(shape, RULES, layers)
    assert (again["wholes"] == kept["wholes"]).all()
    assert again["reals"] == pytest.approx(kept["reals"], rel=1e-3)


def test_more_bits_are_nearer_and_larger() -> None:
    layers = random_network(RULES, SMALL).layers
    errors, sizes = [], []
    for bits in range(2, 9):
        shape = replace(SMALL, bits=bits, distinct=0)
        network = Network(RULES, shape, layers)
        near = unpack(shape, RULES, pack(shape, RULES, layers))
        errors.append(sum(float(np.square(near[name] - layers[name]).sum()) for name in layers))
        sizes.append(len(network.packed()))
    assert errors == sorted(errors, reverse=True)
    assert errors[0] > 100 * errors[-1]
    assert sizes == sorted(sizes)


def test_few_bits_are_those_of_blocks_and_the_little_beside_them_has_all() -> None:
    shape = replace(SMALL, bits=2, distinct=0)
    layers = random_network(RULES, shape).layers
    near = unpack(shape, RULES, pack(shape, RULES, layers))
    for name in (name for name in layers if name.endswith(".weight")):
        rows = near[name].reshape(len(near[name]), -1)
        whole = layers[name].reshape(rows.shape)
        largest = np.abs(whole).max(1, keepdims=True)
        if name.startswith("blocks."):
            assert all(len(np.unique(row)) <= 3 for row in rows)
        else:
            assert (np.abs(rows - whole) < largest / 127).all(), name


def test_rows_that_are_whole_in_fewer_bits_stay_so_and_cost_less() -> None:
    shape = replace(SMALL, bits=6, distinct=0)
    few = replace(shape, bits=3)
    coarse = unpack(few, RULES, pack(few, RULES, random_network(RULES, few).layers))
    kept = pack(shape, RULES, coarse)
    for name, layer in unpack(shape, RULES, kept).items():
        assert layer == pytest.approx(coarse[name], rel=1e-3), name
    assert kept["wholes"].size == pack(few, RULES, coarse)["wholes"].size


def test_blocks_that_repeat_others_cost_their_scales_alone() -> None:
    sizes = []
    for distinct in (4, 1):
        shape = replace(SMALL, distinct=distinct)
        kept = pack(shape, RULES, random_network(RULES, shape).layers)
        sizes.append(sum(array.nbytes for array in kept.values()))
    assert sizes[0] - sizes[1] > 0.8 * 3 * 2 * 7 * 7 * 9 * 5 / 8


def test_channels_in_pairs_cost_half_and_come_back_turned() -> None:
    sizes = []
    for paired in (0, 1):
        shape = replace(EVEN, width=24, distinct=0, paired=paired)
        kept = pack(shape, RULES, random_network(RULES, shape).without_values().layers)
        sizes.append(sum(array.nbytes for array in kept.values()))
    assert 0.45 < sizes[1] / sizes[0] < 0.6
    layers = unpack(shape, RULES, kept)
    first, weight = layers["stem.weight"], layers["blocks.1.b.weight"]
    assert (first[12:] == first[:12, :, :, ::-1]).all()
    assert (weight[12:, 12:] == weight[:12, :12, :, ::-1]).all()
    assert (weight[12:, :12] == weight[:12, 12:, :, ::-1]).all()
    moves = layers["moves.weight"].reshape(4, 2, 2, 4, 4)
    assert (moves[3] == moves[0, ::-1, :, :, ::-1]).all()
    assert (layers["blocks.1.b.bias"][12:] == layers["blocks.1.b.bias"][:12]).all()


def test_frequent_numbers_cost_less_than_their_bits() -> None:
    shape = replace(SMALL, width=24, distinct=0)
    network = random_network(RULES, shape)
    coded = pack(shape, RULES, network.layers)["wholes"].size
    none = pack(shape, RULES, network.without_values().layers)["wholes"].size
    weights = [layer for name, layer in network.layers.items() if name.endswith(".weight")]
    assert coded < 0.95 * sum(layer.size for layer in weights) * shape.bits / 8
    assert none < coded


def test_a_file_gives_the_same_network(tmp_path: Path) -> None:
    random_network(RULES, SMALL).save(tmp_path / "a.safetensors", extra={"steps": np.array([3])})
    first, extra = Network.load_all(tmp_path / "a.safetensors", RULES)
    first.save(tmp_path / "b.safetensors")
    second = Network.load(tmp_path / "b.safetensors", RULES)
    boards = boards_of(random_positions(RULES, 9))
    assert extra["steps"].tolist() == [3]
    assert first.shape == second.shape == SMALL
    assert second.evaluate(boards)[0] == pytest.approx(first.evaluate(boards)[0], abs=1e-3)


def test_files_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "file.safetensors"
    network = random_network(RULES, SMALL)
    header, arrays = network.header(), pack(SMALL, RULES, network.layers)

    def refused(words: str, header: dict[str, Any] = header, **other: Any) -> None:
        save_weights(path, KIND, VERSION, header, {**arrays, **other})
        with pytest.raises(StorageError, match=words):
            Network.load(path)

    shape = header["shape"]
    wider = random_network(RULES, replace(SMALL, width=8))
    longer = pack(wider.shape, RULES, wider.layers)["reals"]
    for wrong in ({"bits": 1}, {"bits": 9}, {"bits": -3}, {"distinct": 5}, {"bits": 0}):
        refused("header makes no sense", {**header, "shape": {**shape, **wrong}})
    refused("more than 4 bits", {**header, "shape": {**shape, "bits": 4}})
    refused("whole numbers are not", wholes=arrays["wholes"][:-1])
    refused("whole numbers are not", wholes=np.append(arrays["wholes"], np.uint8(0)))
    refused("whole numbers are not", {**header, "shape": {**shape, "width": 8}}, reals=longer)
    refused("layers do not fit", reals=arrays["reals"][:-1])
    refused("of other kinds", more=arrays["reals"])
    refused("of other kinds", wholes=arrays["wholes"].astype(np.float32))
    spoilt = arrays["reals"].copy()
    spoilt[2] = np.nan
    refused("weights that are no numbers", reals=spoilt)


class Decoder:
    """One that nothing may be asked of."""

    eof, unused_data = False, b""

    def decompress(self, *_: Any) -> bytes:
        raise AssertionError("it was decoded")


def test_little_code_takes_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    shape = replace(SMALL, width=512, blocks=64, distinct=0)  # of 300 million weights
    outputs = [s[0] for name, s in shape.layout(RULES).items() if name.endswith(".weight")]
    arrays = {
        "wholes": np.zeros(1000, np.uint8),
        "reals": np.zeros(2 * sum(outputs), np.float16),
    }
    monkeypatch.setattr(zlib, "decompressobj", lambda _: Decoder())
    with pytest.raises(ValueError, match="whole numbers are not"):
        unpack(shape, RULES, arrays)


def test_shapes_are_checked() -> None:
    with pytest.raises(SpecError, match="bits are 2 to 8"):
        Shape(bits=1)
    with pytest.raises(SpecError, match="the study's are 0"):
        Shape("study", bits=8)
    with pytest.raises(SpecError, match="need bits"):
        Shape(distinct=2)
    for wrong in ({"width": 7}, {"head": 3}, {"kind": "study"}):
        with pytest.raises(SpecError, match="paired network is residual"):
            replace(Shape(width=8, head=4, paired=1), **wrong)
