"""Checkpoints that nobody wrote: what games under way cannot be is refused before it is used."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

from fourlab.core.storage import StorageError
from fourlab.learning.registry import learner, load_learner
from fourlab.search.puct import CHILD, DEPTH, NODES, NOT_TRIED, PRIOR, WAITING
from fourlab.values.network import KIND, VERSION
from fourlab.values.weights import load_weights, save_weights

TOY = "connect:columns=4,rows=4,k=3"
SPECS = {
    "deep-q": "deep-q:games=4000,batch=32,network=residual,width=4,blocks=1,memory=500,lanes=8,"
    "priority=0.5",
    "zero": "zero:games=4000,width=4,blocks=0,head=2,hidden=4,bins=5,lanes=8,sims=12,fast-sims=4,"
    "batch=16,prefill=32,chunk=8",
}
Arrays = dict[str, Any]


@pytest.fixture(scope="module")
def half_way(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a checkpoint of each, in the middle of games."""
    folder = tmp_path_factory.mktemp("half-way")
    for name, spec in SPECS.items():
        made = learner(spec, TOY, 1)
        for _ in range(2):
            made.advance(40)
        made.save(folder / f"{name}.safetensors")
    return folder


def go_on(path: Path) -> None:
    made = load_learner(path)
    made.prepare()
    made.advance(8)


@pytest.mark.parametrize("name", SPECS)
def test_what_was_saved_is_gone_on_with(name: str, half_way: Path) -> None:
    go_on(half_way / f"{name}.safetensors")


def at(array: str, place: Any, value: float) -> Callable[[Arrays], None]:
    def change(arrays: Arrays) -> None:
        arrays[array][place] = value

    return change


def shortened(array: str) -> Callable[[Arrays], None]:
    def change(arrays: Arrays) -> None:
        arrays[array] = arrays[array][:-1]

    return change


def without(array: str) -> Callable[[Arrays], None]:
    return lambda arrays: arrays.pop(array)


DEEP_Q = {
    f"{part}.{name} {value}": at(f"training.{part}.{name}", 0, value)
    for part, names in {
        "lanes": ("movers", "occupied", "seen_movers", "after_occupied"),
        "memory": ("movers", "occupied", "next_movers", "next_occupied"),
    }.items()
    for name in names
    for value in (-1, 1 << 40, 1 << 4, -(2**63))
}
DEEP_Q |= {
    "lengths": at("training.lanes.lengths", 0, 10**6),
    "lengths below": at("training.lanes.lengths", 0, -1),
    "lengths of others": at("training.lanes.lengths", slice(None), 16),
    "numbers": at("training.lanes.numbers", 0, 10**9),
    "phases": at("training.lanes.phases", 0, 7),
    "results": at("training.lanes.results", 0, 5),
    "worths": at("training.lanes.worths", 0, np.nan),
    "rewards": at("training.memory.rewards", 0, np.inf),
    "weights": at("training.memory.weights", 0, -1),  # the bits of a number that is none
    "gone": without("training.memory.stamps"),
    "cut short": shortened("training.lanes.explored"),
}
EDGES, COUNTS = "training.games.0.Forest.edges", "training.games.0.Forest.counts"
ZERO = {
    "a child that is none": at(EDGES, (slice(None), 0, CHILD), 10**6),
    "a child before its parent": at(EDGES, (slice(None), slice(None), CHILD), -3),
    "half a child": at(EDGES, (slice(None), 0, CHILD), 1.5),
    "moves that are none": at(EDGES, (slice(None), slice(None), PRIOR), NOT_TRIED),
    "priors": at(EDGES, (slice(None), 0, PRIOR), np.nan),
    "nodes": at(COUNTS, (0, NODES), 10**6),
    "nodes below": at(COUNTS, (0, NODES), -1),
    "waiting": at(COUNTS, (0, WAITING), 10**6),
    "depth": at(COUNTS, (0, DEPTH), 10**6),
    "paths": at("training.games.1.Forest.paths", slice(None), 10**6),
    "roots": at("training.games.0.Forest.roots", 0, -1),
    "leaves": at("training.games.0.Forest.leaves", 0, 1 << 40),
    "boards": at("training.games.1.Lanes.boards", 0, 1 << 4),
    "lessons": at("training.games.0.Lanes.marks", (0, 5), 10**6),
    "lessons below": at("training.games.0.Lanes.marks", (0, 5), -5),
    "untold": at("training.games.0.Lanes.marks", (0, 6), -5),
    "window": at("training.games.window.boards", 0, -1),
    "values": at("training.games.window.values", 0, np.nan),
    "counters": at("training.games.counters", 0, -1),
    "cut short": shortened("training.games.0.Forest.paths"),
    "gone": without("training.games.1.Lanes.dice"),
    "weights cut short": shortened("training.module.bins.weight"),
}


def crafted(path: Path, half_way: Path, change: Callable[[Arrays, Any], None]) -> None:
    """Write a checkpoint that was changed, with a checksum that fits."""
    header, kept = load_weights(half_way / path.name, KIND, VERSION)
    arrays = {name: np.array(array) for name, array in kept.items()}
    change(arrays, header)
    plain = {name: header[name] for name in header if name not in ("kind", "version", "fourlab")}
    save_weights(path, KIND, VERSION, plain, arrays)


@pytest.mark.parametrize("what", DEEP_Q)
def test_games_and_memories_of_deep_q_that_cannot_be_are_refused(
    what: str, half_way: Path, tmp_path: Path
) -> None:
    path = tmp_path / "deep-q.safetensors"
    crafted(path, half_way, lambda arrays, _: DEEP_Q[what](arrays))
    with pytest.raises(StorageError, match="is damaged"):
        load_learner(path)


@pytest.mark.parametrize("what", ZERO)
def test_trees_and_games_of_zero_that_cannot_be_are_refused(
    what: str, half_way: Path, tmp_path: Path
) -> None:
    path = tmp_path / "zero.safetensors"
    crafted(path, half_way, lambda arrays, _: ZERO[what](arrays))
    with pytest.raises(StorageError, match=r"zero\.safetensors is damaged"):
        go_on(path)


COUNTS_OF = {
    "deep-q": ("games", "updates", "owed", "dice", "written", "begun"),
    "zero": ("games", "base", "clock", "lessons", "taken_steps"),
}


@pytest.mark.parametrize("value", [-1, 2**70, "x", None, [], float("inf"), float("nan")])
@pytest.mark.parametrize(("name", "count"), [(n, c) for n in COUNTS_OF for c in COUNTS_OF[n]])
def test_counts_that_are_none_are_refused(
    name: str, count: str, value: object, half_way: Path, tmp_path: Path
) -> None:
    path = tmp_path / f"{name}.safetensors"
    crafted(path, half_way, lambda _, header: header["about"].update({count: value}))
    with pytest.raises(StorageError, match=r"is damaged|is no fourlab"):
        load_learner(path)


def test_no_more_steps_are_owed_than_a_checkpoint_can_owe(half_way: Path, tmp_path: Path) -> None:
    path = tmp_path / "deep-q.safetensors"
    crafted(path, half_way, lambda _, header: header["about"].update(owed=2.0**62))
    with pytest.raises(StorageError, match="is no count"):
        load_learner(path)
