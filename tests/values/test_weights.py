"""Files of weights: what is written is read, and nothing else is taken for one."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fourlab.core.storage import StorageError, peek
from fourlab.values.weights import load_weights, read_weights, save_weights, write_weights

ARRAYS = {
    "layer.weight": np.arange(12, dtype=np.float32).reshape(3, 4),
    "layer.bias": np.linspace(0, 1, 3).astype(np.float16),
    "steps": np.array(7, np.int64),
    "marks": np.arange(5, dtype=np.uint8),
    "nothing": np.zeros((0, 3), np.float32),
}
HEADER = {"game": "connect4", "about": {"learner": "zero"}}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "deep" / "file.safetensors"
    save_weights(path, "network", 1, HEADER, ARRAYS)
    return path


def check(arrays: dict[str, Any]) -> None:
    assert list(arrays) == list(ARRAYS)
    for name, array in arrays.items():
        assert array.dtype == ARRAYS[name].dtype
        assert array.shape == ARRAYS[name].shape
        assert (array == ARRAYS[name]).all()


def test_what_is_saved_is_loaded(path: Path) -> None:
    header, arrays = load_weights(path, "network", 1)
    check(arrays)
    assert header["about"] == HEADER["about"]
    assert peek(path)["about"] == HEADER["about"]
    assert peek(path)["kind"] == "network"


def test_it_is_a_safetensors_file(path: Path) -> None:
    """By the format's own words: length, JSON with types, shapes and places, then the bytes."""
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    front = json.loads(data[8 : 8 + length])
    assert all(isinstance(note, str) for note in front["__metadata__"].values())
    entry = front["layer.weight"]
    assert entry["dtype"] == "F32"
    assert entry["shape"] == [3, 4]
    begin, end = entry["data_offsets"]
    numbers = np.frombuffer(data[8 + length :][begin:end], "<f4")
    assert numbers.tolist() == ARRAYS["layer.weight"].ravel().tolist()
    assert (8 + length) % 8 == 0


def test_other_kinds_and_formats_are_told_apart(path: Path) -> None:
    with pytest.raises(StorageError, match=r"is a fourlab network, not a values"):
        load_weights(path, "values", 1)
    with pytest.raises(StorageError, match=r"has format 1 of a network, .* reads format 2"):
        load_weights(path, "network", 2)
    with pytest.raises(StorageError, match=r"cannot read .*nowhere"):
        load_weights(path.with_name("nowhere"), "network", 1)


@given(st.data())
def test_damage_is_noticed(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged.safetensors"
    save_weights(path, "network", 1, HEADER, ARRAYS)
    found = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(found) - 1))
        if data.draw(st.booleans()):
            found[place] ^= data.draw(st.integers(1, 255))
        else:
            del found[place:]
            break
    try:
        header, arrays = read_weights(bytes(found), path, "network", 1)
    except StorageError:
        return
    check(arrays)  # a blank that became another one
    assert header["about"] == HEADER["about"]


@given(st.binary(max_size=200))
@example(b"\xff" * 8)
@example((2).to_bytes(8, "little") + b"[]")
@example((4).to_bytes(8, "little") + b"null")
def test_foreign_files_are_refused(data: bytes) -> None:
    with pytest.raises(StorageError, match=r"x is no fourlab network, or it is damaged"):
        read_weights(data, Path("x"), "network", 1)


def forged(**entry: Any) -> bytes:
    """A file whose one array of six numbers says something else of itself."""
    notes = {"fourlab": json.dumps({"kind": "network", "version": 1, "checksum": ""})}
    honest = {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}
    extra = entry.pop("extra", {})
    text = json.dumps({"__metadata__": notes, "a": {**honest, **entry}, **extra}).encode()
    return len(text).to_bytes(8, "little") + text + bytes(24)


@pytest.mark.parametrize(
    "lie",
    [
        {"shape": [1 << 40, 1 << 40]},
        {"shape": [2, 4]},
        {"shape": [-2, -3]},
        {"shape": [2.0, 3]},
        {"shape": [True, 6]},
        {"shape": 6},
        {"shape": [1] * 20 + [6]},
        {"dtype": "F64"},
        {"dtype": ["F32"]},
        {"data_offsets": [0, 20]},
        {"data_offsets": [4, 28]},
        {"data_offsets": [24, 0]},
        {"data_offsets": [0]},
        {"extra": {"b": {"dtype": "U8", "shape": [8], "data_offsets": [8, 16]}}},
        {"extra": {"b": {"dtype": "U8", "shape": [8], "data_offsets": [24, 32]}}},
        {"extra": {"b": 1}},
        {"shape": [2], "data_offsets": [0, 8]},
    ],
    ids=str,
)
def test_claims_that_do_not_fit_are_refused(lie: dict[str, Any]) -> None:
    with pytest.raises(StorageError, match=r"no fourlab network, or it is damaged"):
        read_weights(forged(**lie), Path("x"), "network", 1)


def test_an_honest_forgery_fails_by_its_checksum() -> None:
    with pytest.raises(StorageError, match=r"x is damaged: its checksum does not fit"):
        read_weights(forged(), Path("x"), "network", 1)


def test_a_file_that_cannot_be_written_leaves_the_old_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    before = path.read_bytes()
    monkeypatch.setattr("os.fsync", fails)
    with pytest.raises(StorageError, match=r"No space left"):
        save_weights(path, "network", 1, HEADER, {})
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_names_that_stand_twice_are_refused() -> None:
    text = b'{"__metadata__": {"fourlab": "{}"}, "a": 1, "a": 2}'
    with pytest.raises(StorageError):
        read_weights(len(text).to_bytes(8, "little") + text, Path("x"), "network", 1)


def test_only_types_that_are_read_are_written(tmp_path: Path) -> None:
    with (tmp_path / "x").open("wb") as file, pytest.raises(KeyError):
        write_weights(file, "network", 1, {}, {"a": np.zeros(3)})
