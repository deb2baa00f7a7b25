"""Tables are dictionaries that grow, fill up, and survive a trip to disk."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourlab.core.errors import GeometryError
from fourlab.core.storage import StorageError, load_arrays, save_arrays
from fourlab.rules.catalog import game
from fourlab.rules.keys import exact_key, table_key
from fourlab.values.knowledge import FILE_KIND, VERSION, Knowledge
from fourlab.values.shape import Shape
from fourlab.values.store import ACTIONS, AFTERSTATES, POLICY, TUPLES, nudge
from fourlab.values.table import (
    ABSENT,
    LEFT_OUT,
    USED,
    Table,
    default_value,
    entries,
    fill,
    find,
    grown,
    insert,
    is_crowded,
    new_table,
)
from strategies import positions

KEYS = st.integers(1, 40) | st.integers(1, 2**62)
OPERATIONS = st.lists(st.tuples(KEYS, st.integers(0, 2), st.floats(-4, 4)), max_size=200)


def contents(table: Table) -> dict[tuple[int, int], tuple[float, int]]:
    found = entries(table)
    return {
        (key, column): (value, visits)
        for key, column, value, visits in zip(
            *(found[name].tolist() for name in ("keys", "columns", "values", "visits")),
            strict=True,
        )
    }


@given(OPERATIONS)
def test_a_table_is_a_dict_through_growth_and_reload(
    operations: list[tuple[int, int, float]],
) -> None:
    table, model = new_table(3, 1.0, rows=16), {}
    for key, column, target in operations:
        if is_crowded(table, 1):
            table = grown(table)
        nudge(table, insert(table, key), column, 0.5, target)
        value, visits = model.get((key, column), (np.float32(0), 0))
        model[key, column] = np.float32(float(value) + 0.5 * (target - float(value))), visits + 1
    assert contents(table) == {where: (float(v), n) for where, (v, n) in model.items()}
    assert table.sizes[USED] == len({key for key, _ in model})
    assert contents(fill(new_table(3, 1.0, rows=16), entries(table))) == contents(table)
    for key, _, _ in operations:
        assert table.keys[find(table.keys, key)] == key
    assert find(table.keys, 2**62 + 1) == ABSENT


def test_growth_keeps_values_and_counts() -> None:
    table = new_table(2, 1.0, rows=64)
    for key in range(1, 41):
        for _ in range(key % 5):
            nudge(table, insert(table, key * 977), key % 2, 0.5, float(key))
    before = contents(table)
    assert len(before) == 32
    assert contents(grown(grown(table))) == before


def test_at_its_limit_a_table_keeps_what_it_has_and_counts_the_rest() -> None:
    table = new_table(1, 0.0)  # the smallest there is
    rows = len(table.keys)
    assert not is_crowded(table, 1000)
    slots = [insert(table, key) for key in range(1, rows + 11)]
    kept = rows - rows // 8
    assert slots[kept:] == [ABSENT] * (rows + 10 - kept)
    assert table.sizes[LEFT_OUT] == rows + 10 - kept
    assert [insert(table, key) for key in range(1, kept + 1)] == slots[:kept]
    nudge(table, ABSENT, 0, 0.5, 1.0)  # nothing to teach
    assert not table.visits.any()


def test_unseen_values_are_normal_and_always_the_same() -> None:
    table = new_table(4, 1.0, spread=0.3, seed=5)
    before = [default_value(0.3, 5, key, column) for key in range(1, 2000) for column in range(4)]
    slot = insert(table, 77)
    assert table.values[slot].tolist() == before[76 * 4 : 77 * 4]
    assert np.mean(before) == pytest.approx(0, abs=0.02)
    assert np.std(before) == pytest.approx(0.3, abs=0.02)
    other = [default_value(0.3, 6, key, 0) for key in range(1, 50)]
    assert other != before[0:196:4]


@given(positions(31), positions(31))
def test_keys_tell_positions_apart_and_mirror_images_not(one, other) -> None:  # type: ignore[no-untyped-def]
    rules = one.rules
    assert exact_key(rules, one.mover, one.occupied) > 0
    if other.rules == rules:
        same = exact_key(rules, one.mover, one.occupied) == exact_key(
            rules, other.mover, other.occupied
        )
        assert same == (one == other)
    image = one.mirror()
    key, mirrored = table_key(rules, True, one.mover, one.occupied)
    assert key == table_key(rules, True, image.mover, image.occupied)[0]
    assert mirrored == (key != exact_key(rules, one.mover, one.occupied))


def test_a_board_without_exact_keys_is_refused() -> None:
    rules = game("mnk:columns=6,rows=6,k=4")
    with pytest.raises(GeometryError, match="no table of positions for mnk:columns=6,rows=6,k=4"):
        Knowledge.new(rules, Shape(ACTIONS))


def saved(folder: Path, kind: int = ACTIONS) -> Path:
    rules = game("tictactoe")
    known = Knowledge.new(rules, Shape(kind, tuples=3, length=2, coherent=True), {"learner": "q"})
    path = folder / "values.npz"
    if kind == TUPLES:
        known.values.network.weights[...] = np.arange(known.values.network.weights.size).reshape(
            known.values.network.weights.shape
        )
    else:
        nudge(known.values.table, insert(known.values.table, 99), 0, 1.0, 0.25)
        if kind == POLICY:
            known.values.table.choices[insert(known.values.table, 55)] = 3
    known.save(path)
    return path


@pytest.mark.parametrize("kind", [ACTIONS, AFTERSTATES, POLICY, TUPLES])
def test_what_is_saved_is_loaded(tmp_path: Path, kind: int) -> None:
    path = saved(tmp_path, kind)
    known, extra = Knowledge.load(path)
    again = tmp_path / "again.npz"
    known.save(again)
    first, second = (load_arrays(file, FILE_KIND, VERSION) for file in (path, again))
    assert first[0] == second[0]  # headers with checksums of all arrays
    assert known.about["learner"] == "q"
    assert math.isnan(known.shape.won)
    assert extra == {}


def test_the_file_is_readable_by_numpy_alone(tmp_path: Path) -> None:
    with np.load(saved(tmp_path), allow_pickle=False) as file:
        assert file["keys"].tolist() == [99]
        assert file["values"].tolist() == [0.25]
        assert file["visits"].tolist() == [1]


def test_a_wrong_game_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"values.npz knows tictactoe, not connect4"):
        Knowledge.load(saved(tmp_path), game("connect4"))


def test_a_truncated_file_is_refused_by_name(tmp_path: Path) -> None:
    path = saved(tmp_path)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(StorageError, match=r"values.npz is no fourlab values, or it is damaged"):
        Knowledge.load(path)


def test_another_version_is_refused_by_name(tmp_path: Path) -> None:
    path = saved(tmp_path)
    header, arrays = load_arrays(path, FILE_KIND, VERSION)
    save_arrays(path, FILE_KIND, VERSION + 1, {"game": header["game"]}, arrays)
    with pytest.raises(StorageError, match=r"values.npz has format 2 of a values"):
        Knowledge.load(path)


@pytest.mark.parametrize(
    ("kind", "name", "array", "said"),
    [
        (ACTIONS, "keys", np.zeros((2, 2), np.int64), "shape .2, 2. for keys"),
        (ACTIONS, "values", np.zeros(1), "float64 of shape"),
        (ACTIONS, "visits", None, "nothing for visits"),
        (ACTIONS, "columns", np.array([9], np.int16), "do not fit tictactoe"),
        (ACTIONS, "keys", np.array([-1]), "do not fit tictactoe"),
        (ACTIONS, "values", np.zeros(2, np.float32), "do not fit tictactoe"),
        (POLICY, "choices", np.array([9], np.int32), "do not fit tictactoe"),
        (TUPLES, "weights", np.zeros((2, 3, 4), np.float32), "for weights"),
    ],
)
def test_a_wrong_shape_is_refused_by_name(
    tmp_path: Path, kind: int, name: str, array: np.ndarray | None, said: str
) -> None:
    path = saved(tmp_path, kind)
    header, arrays = load_arrays(path, FILE_KIND, VERSION)
    arrays.pop(name)
    if array is not None:
        arrays[name] = array
    rest = {key: header[key] for key in ("game", "shape", "left_out", "about")}
    save_arrays(path, FILE_KIND, VERSION, rest, arrays)
    with pytest.raises(StorageError, match=rf"values.npz is damaged: .*{said}"):
        Knowledge.load(path)


def test_a_header_without_sense_is_refused_by_name(tmp_path: Path) -> None:
    path = saved(tmp_path)
    _, arrays = load_arrays(path, FILE_KIND, VERSION)
    save_arrays(path, FILE_KIND, VERSION, {"game": "checkers", "shape": {}}, arrays)
    with pytest.raises(StorageError, match=r"values.npz is damaged: its header makes no sense"):
        Knowledge.load(path)
