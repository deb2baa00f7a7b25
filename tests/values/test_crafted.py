"""Files made by hand, with checksums that fit: nothing in them reaches beyond what it indexes."""

import io
import json
import math
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

from fourlab.core.storage import StorageError, load_arrays, peek, read_arrays, save_arrays
from fourlab.learning.registry import learner, load_learner
from fourlab.rules.boards import boards_of
from fourlab.rules.catalog import game
from fourlab.values.knowledge import CHECKPOINT, FILE_KIND, VERSION, Knowledge
from fourlab.values.shape import Shape

Header = dict[str, Any]
Arrays = dict[str, Any]
Forgery = Callable[[Header, Arrays], object]


def forge(path: Path, spec: str, forgery: Forgery) -> Path:
    """Save a learner, change what its file holds, and give it a checksum that fits."""
    made = learner(spec, "tictactoe", 1, games=40, chunk=20)
    for _ in made.steps():
        pass
    made.save(path / CHECKPOINT)
    header, arrays = load_arrays(path / CHECKPOINT, FILE_KIND, VERSION)
    forgery(header, arrays)
    plain = {name: header[name] for name in ("game", "shape", "left_out", "about")}
    save_arrays(path / CHECKPOINT, FILE_KIND, VERSION, plain, arrays)
    return path / CHECKPOINT


def put(name: str, value: Any) -> Forgery:
    def change(_: Header, arrays: Arrays) -> None:
        arrays[name].flat[0] = value

    return change


def say(*names: str, value: Any) -> Forgery:
    def change(header: Header, _: Arrays) -> None:
        for name in names[:-1]:
            header = header[name]
        header[names[-1]] = value

    return change


def too_early(*_: object) -> NoReturn:
    raise AssertionError("memory is taken, or tuples are drawn, before all is checked")


NET = "n-tuple:tuples=2,length=3"


@pytest.mark.parametrize("name", ["won", "drawn"])
def test_whole_numbers_that_no_kernel_takes_are_floats(name: str, tmp_path: Path) -> None:
    path = forge(tmp_path, "q", say("shape", name, value=10**300))
    known = Knowledge.load(path)[0]
    assert np.isfinite(known.worths(boards_of([game("tictactoe").start()]))).any()


@pytest.mark.parametrize(
    ("spec", "forgery"),
    [
        (NET, put("tuples", 1 << 40)),
        (NET, put("tuples", -1)),
        (NET, put("tuples", 3)),  # above a column: no cell
        (NET, put("weights", np.nan)),
        (NET, put("sums", np.inf)),
        (NET, say("shape", "tuples", value=1_000_000)),
        (NET, say("shape", "tuples", value=2.0)),
        (NET, say("shape", "length", value=16)),
        (NET, say("shape", "length", value=-1)),
        (NET, say("shape", "seed", value=-5)),
        (NET, say("shape", "coherent", value="maybe")),
        ("q", put("columns", 9)),
        ("q", put("columns", -1)),
        ("q", put("visits", 0)),
        ("q", put("visits", -(1 << 31))),
        ("q", put("keys", 0)),
        ("q", put("values", np.nan)),
        ("q", put("values", -np.inf)),
        ("q", say("shape", "megabytes", value=1e300)),
        ("q", say("shape", "megabytes", value=float("inf"))),
        ("q", say("shape", "spread", value=float("nan"))),
        ("q", say("shape", "symmetric", value=3)),
        ("q", say("left_out", value=float("inf"))),
        ("q", say("about", value=[1, 2])),
        ("q", say("about", "config", value=7)),
        ("q", say("about", "config", value={"win": "much"})),
        ("monte-carlo", put("choices", -7)),
        ("monte-carlo", put("choices", 9)),
        ("monte-carlo", put("choice_keys", -1)),
    ],
)
def test_what_does_not_fit_is_refused_when_it_is_read(
    tmp_path: Path, spec: str, forgery: Forgery
) -> None:
    path = forge(tmp_path, spec, forgery)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Shape, "values", too_early)
        with pytest.raises(StorageError, match=r"checkpoint.npz is damaged"):
            Knowledge.load(path)


@pytest.mark.parametrize(
    "forgery",
    [
        say("about", "config", "chunk", value=0),
        say("about", "config", "games", value="many"),
        say("about", "config", "memory_mb", value=1e300),
        say("about", "config", "alpha", value=0.1),
        say("about", "config", "alpha", value="-4"),
        say("about", "config", "symmetric", value=1),
        say("about", "config", "cheat", value=1),
        say("about", "seed", value=1 << 63),
        say("about", "games", value=-1),
        say("about", "games", value=float("inf")),
        say("about", "dice", value=-1),
        say("about", "dice", value=1 << 70),
        say("about", "learner", value=["q"]),
    ],
)
def test_a_run_with_settings_that_nobody_can_set_is_not_gone_on_with(
    tmp_path: Path, forgery: Forgery
) -> None:
    path = forge(tmp_path, "q", forgery)
    with pytest.raises(StorageError, match="nothing to go on with"):
        load_learner(path)


def archive(*members: tuple[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for name, contents in members:
            made.writestr(name, contents)
    return file.getvalue()


def npy(array: Any, shape: str = "") -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array(file, np.asarray(array))
    told = f"'shape': {np.asarray(array).shape}".encode()
    return file.getvalue().replace(told, f"'shape': {shape}".encode()) if shape else file.getvalue()


def test_a_header_with_huge_sizes_is_refused_before_memory_is_taken(tmp_path: Path) -> None:
    header = npy(json.dumps({"kind": "values", "version": 1, "checksum": ""}))
    for size in ("(9000000000000,)", "(40000000,)", "(0,)", "(7,)"):
        data = archive(("header.npy", header), ("keys.npy", npy(np.zeros(3), size)))
        tracemalloc.start()
        with pytest.raises(StorageError, match="is no fourlab values, or it is damaged"):
            read_arrays(data, Path("crafted.npz"), "values", 1)
        taken = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert taken < 1 << 20
    path = tmp_path / "crafted.npz"
    path.write_bytes(archive(("header.npy", npy("{}", "(800000000000,)"))))
    with pytest.raises(StorageError, match="damaged"):
        peek(path)


@pytest.mark.parametrize("config", ["", [], [["win", 1]], {"win": 10**400}, {"loss": math.nan}])
def test_rewards_that_are_none_are_refused(config: Any, tmp_path: Path) -> None:
    path = forge(tmp_path, "q", say("about", "config", value=config))
    with pytest.raises(StorageError, match="its header makes no sense"):
        Knowledge.load(path)
