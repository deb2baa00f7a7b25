"""Labels are the solver's, whoever makes them and however often he is interrupted."""

import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fourlab.core.arrays import Ints
from fourlab.core.limit import CalledOffError, Limit
from fourlab.core.storage import StorageError
from fourlab.positions import labels as module
from fourlab.positions.labels import (
    UNPLAYABLE,
    Labeller,
    Labels,
    joined,
    label,
    load_labels,
    packed,
    save_labels,
    unpacked,
)
from fourlab.positions.walks import wander
from fourlab.rules.catalog import game
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position
from fourlab.search.scores import sign
from fourlab.search.solver import Solver

BOARDS = [Rules(4, 4, 3), Rules(5, 3, 4), game("tictactoe")]


def some_positions(rules: Rules, count: int, seed: int = 1) -> list[Position]:
    rng = np.random.default_rng(seed)
    walks = (wander(rules.start(), rng, int(rng.integers(rules.cells)))[-1] for _ in range(count))
    return [position for position in walks if not position.is_over]


def keys_of(positions: list[Position]) -> module.Ints:
    movers = np.array([position.mover for position in positions])
    occupied = np.array([position.occupied for position in positions])
    return packed(positions[0].rules, movers, occupied)


@pytest.mark.parametrize("rules", BOARDS, ids=str)
def test_labels_are_what_the_solver_says(rules: Rules) -> None:
    solver = Solver(rules, table_mb=1)
    keys = np.unique(keys_of(some_positions(rules, 60)))
    found = label(rules, keys, solver)
    for row, board in enumerate(zip(*unpacked(rules, keys), strict=True)):
        scores = solver.scores(Position(rules, int(board[0]), int(board[1]), ()))
        legal = [score for score in scores if score is not None]
        told = [UNPLAYABLE if score is None else score for score in scores]
        assert found.scores[row].tolist() == told
        assert found.values[row] == max(legal)
        keeping = [s is not None and sign(s) == sign(max(legal)) for s in scores]
        assert found.keeping()[row].tolist() == keeping
        assert found.best()[row].tolist() == [score == max(legal) for score in scores]


def test_hard_positions_are_called_off_in_the_middle_of_a_search() -> None:
    rules = game("connect4")
    keys = keys_of([rules.start().play_all("12345")])
    with pytest.raises(CalledOffError):
        label(rules, keys, Solver(rules, table_mb=1), Limit(stop=lambda: True))


@pytest.mark.parametrize("rules", BOARDS, ids=str)
def test_a_key_is_one_for_mirror_images(rules: Rules) -> None:
    positions = some_positions(rules, 40)
    keys = keys_of(positions)
    assert (keys == keys_of([position.mirror() for position in positions])).all()
    assert (packed(rules, *unpacked(rules, keys)) == keys).all()


def test_labelling_goes_on_where_it_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = BOARDS[0]
    keys = np.unique(keys_of(some_positions(rules, 300)))
    path = tmp_path / "labels.npz"
    with Labeller(rules, 2) as labeller:
        whole = labeller.label(keys)
        save_labels(path, whole.take(slice(0, 20)))
        asked: list[int] = []
        chunk = labeller._chunk
        monkeypatch.setattr(
            labeller, "_chunk", lambda keys, at, limit: asked.append(at) or chunk(keys, at, limit)
        )
        again = labeller.label(keys, path)
        assert min(asked) == 20
        assert (again.scores == whole.scores).all()
        assert (load_labels(path).scores == whole.scores).all()
        with pytest.raises(StorageError, match="labels of other positions"):
            labeller.label(keys[::-1].copy(), path)


def test_files_that_are_no_labels_are_refused(tmp_path: Path) -> None:
    rules = BOARDS[0]
    whole = label(rules, np.unique(keys_of(some_positions(rules, 20))), Solver(rules, table_mb=1))
    save_labels(tmp_path / "one.npz", whole)
    save_labels(tmp_path / "two.npz", whole)
    assert len(load_labels(tmp_path)) == len(joined([whole, whole]))
    damaged = module.Labels(rules, whole.keys, whole.values, whole.scores[:, :-1])
    save_labels(tmp_path / "two.npz", damaged)
    with pytest.raises(
        StorageError, match=r"two\.npz is damaged: its arrays do not fit.*; remove it"
    ):
        load_labels(tmp_path)
    (tmp_path / "two.npz").write_bytes(b"x")
    with pytest.raises(StorageError, match=r"two\.npz is no fourlab labels, .*; remove it, and"):
        load_labels(tmp_path)
    with pytest.raises(StorageError, match=r"none\.npz: No such file or directory$"):
        load_labels(tmp_path / "none.npz")
    with pytest.raises(StorageError, match="no labels of one game"):
        load_labels(Path(__file__).parent)


@pytest.mark.parametrize("rules", [game("connect4"), game("tictactoe")])
def test_labels_of_boards_that_cannot_be_are_refused(tmp_path: Path, rules: Rules) -> None:
    path, start = tmp_path / "crafted.npz", rules.start().key
    scores = np.zeros((1, rules.move_count), np.int8)
    whole = module.Labels(rules, np.array([start]), scores[:, 0], scores)
    save_labels(path, whole)
    assert load_labels(path).keys.tolist() == [start]
    for key in (0, -1, 1 << 61, start + 2, (1 << 63) - 1):
        save_labels(path, replace(whole, keys=np.array([key])))
        with pytest.raises(StorageError, match=r"crafted\.npz is damaged: its entries do not fit"):
            load_labels(path)
    for field, values in (("values", scores[:, 0] + 60), ("scores", scores - 100)):
        save_labels(path, replace(whole, **{field: values}))
        with pytest.raises(StorageError, match="its entries do not fit"):
            load_labels(path)
    save_labels(path, replace(whole, keys=np.array(start)))
    with pytest.raises(StorageError, match="its arrays do not fit"):
        load_labels(path)


def test_ctrl_c_calls_off_what_other_threads_label(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = BOARDS[0]
    keys = np.arange(2 * module.CHUNK)
    done = label(rules, keys_of(some_positions(rules, 20)), Solver(rules, table_mb=1))
    begun, called_off = threading.Event(), []

    def chunk(_: Labeller, keys: Ints, at: int, limit: Limit) -> Labels:
        if at == 0:
            begun.wait(30)
            return done
        begun.set()
        deadline = time.monotonic() + 30  # where it is not called off this would not end
        while not limit.stop() and time.monotonic() < deadline:
            pass
        called_off.append(limit.stop())
        return done

    def interrupted(_: int) -> None:
        if threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt

    monkeypatch.setattr(Labeller, "_chunk", chunk)
    with pytest.raises(KeyboardInterrupt), Labeller(rules, 2) as labeller:
        labeller.label(keys, watch=interrupted)
    assert called_off == [True]
