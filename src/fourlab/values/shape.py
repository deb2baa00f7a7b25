"""What values look like before anything is learned, and what a file of them must hold.

Every number from a file is checked here against what it indexes or costs, before memory is taken.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from fourlab.core.arrays import Array, Ints
from fourlab.core.storage import StorageError
from fourlab.rules.geometry import Rules
from fourlab.rules.keys import check_size
from fourlab.values.store import AFTERSTATES, DOUBLE, LEARNED, POLICY, TUPLES, Store
from fourlab.values.table import new_table
from fourlab.values.tuples import MARKS, SIDES, Network, new_network, random_tuples

MOST_MEGABYTES = 1 << 20
MOST_SPREAD = 1e6
MOST_TUPLES, LONGEST_TUPLE = 1000, 12
MOST = (1 << 63) - 1  # that a whole number in a file can be
Arrays = dict[str, Array]
Wanted = dict[str, tuple[type[Any], tuple[int | None, ...]]]


@dataclass(frozen=True)
class Shape:
    """What values look like before anything is learned."""

    kind: int
    symmetric: bool = True
    megabytes: float = 1024
    spread: float = 0.0
    seed: int = 0
    won: float = LEARNED
    drawn: float = 0.0
    tuples: int = 0
    length: int = 0
    coherent: bool = False

    def check(self) -> Shape:
        """Return itself, read from a file, if values may look so; raises ValueError.

        What it is worth to be over is a float then: kernels take no whole number of 300 digits.
        """
        ranges: dict[str, tuple[float, float]] = {
            "megabytes": (0, MOST_MEGABYTES),
            "spread": (0, MOST_SPREAD),
            "drawn": (-math.inf, math.inf),
        }
        ranges |= {} if self.won != self.won else {"won": (-math.inf, math.inf)}
        wholes = {"seed": (0, (1 << 63) - 1)}
        if self.kind == TUPLES:
            wholes |= {"tuples": (1, MOST_TUPLES), "length": (1, LONGEST_TUPLE)}
        for name, (low, high) in (ranges | wholes).items():
            value = getattr(self, name)
            kinds = (int,) if name in wholes else (int, float)
            if type(value) not in kinds or not low <= value <= high or math.isinf(value):
                raise ValueError(f"{name} is {value!r:.40}")
        if not isinstance(self.symmetric, bool) or not isinstance(self.coherent, bool):
            raise ValueError("yes or no, and nothing else")
        return replace(self, won=float(self.won), drawn=float(self.drawn))

    def width(self, rules: Rules) -> int:
        """Return how many values a row of the table has."""
        if self.kind in (AFTERSTATES, TUPLES):
            return 1
        return rules.move_count * (2 if self.kind == DOUBLE else 1)

    def check_board(self, rules: Rules) -> None:
        """Raise GeometryError for a board of which no values of this shape can be held."""
        if self.kind != TUPLES:
            check_size(rules)

    def values(self, rules: Rules, walks: Ints | None = None) -> Store:
        """Return values of this shape, nothing learned yet; `walks` are a network's tuples."""
        self.check_board(rules)
        network: Network | None = None
        if self.kind == TUPLES:
            if walks is None:
                walks = random_tuples(rules, self.tuples, self.length, self.seed)
            network = new_network(rules, walks, self.coherent)
        table = new_table(
            self.width(rules), self.megabytes, self.spread, self.seed, self.kind == POLICY
        )
        worths = np.zeros(rules.move_count)
        return Store(self.kind, self.symmetric, self.won, self.drawn, table, network, worths)


def wanted(rules: Rules, shape: Shape) -> Wanted:
    """Return type and shape of every array of the file; None is any length."""
    if shape.kind != TUPLES:
        wanted: Wanted = {
            "keys": (np.int64, (None,)),
            "columns": (np.int16, (None,)),
            "values": (np.float32, (None,)),
            "visits": (np.int32, (None,)),
        }
        if shape.kind == POLICY:
            wanted |= {"choice_keys": (np.int64, (None,)), "choices": (np.int32, (None,))}
        return wanted
    length = min(shape.length, rules.cells)
    weights = (SIDES, shape.tuples, MARKS**length)
    wanted = {"tuples": (np.int64, (shape.tuples, length)), "weights": (np.float32, weights)}
    if shape.coherent:
        wanted |= {"sums": (np.float32, weights), "sizes": (np.float32, weights)}
    return wanted


def fitting(path: Path, arrays: Arrays, wanted: Wanted) -> Arrays:
    """Take arrays of the right types and shapes out of a dictionary; raises StorageError."""
    taken: Arrays = {}
    for name, (kind, shape) in wanted.items():
        array = arrays.pop(name, None)
        if array is None or array.dtype != kind or not _fits(array.shape, shape):
            what = "nothing" if array is None else f"{array.dtype} of shape {array.shape}"
            raise StorageError(
                f"{path} is damaged: {what} for {name}, {np.dtype(kind)} of {shape} expected"
            )
        taken[name] = array
    return taken


def check_contents(path: Path, rules: Rules, shape: Shape, taken: Arrays) -> None:
    """Raise StorageError unless all that indexes anything lies inside of it, and all is finite."""

    def inside(name: str, low: int, high: int) -> bool:
        return bool(((taken[name] >= low) & (taken[name] <= high)).all())

    if shape.kind == TUPLES:
        height = rules.rows + 1
        fits = inside("tuples", 0, rules.columns * height - 1)
        fits = fits and bool((taken["tuples"] % height < rules.rows).all())
    else:
        width = shape.width(rules)
        fits = len({len(taken[name]) for name in ("keys", "columns", "values", "visits")}) == 1
        fits = fits and inside("columns", 0, width - 1) and inside("keys", 1, MOST)
        fits = fits and inside("visits", 1, MOST)
    if shape.kind == POLICY:
        fits = fits and len(taken["choices"]) == len(taken["choice_keys"])
        fits = fits and inside("choices", 0, width - 1) and inside("choice_keys", 1, MOST)
    if not fits:
        raise StorageError(f"{path} is damaged: its entries do not fit {rules}")
    if not all(np.isfinite(array).all() for array in taken.values()):
        raise StorageError(f"{path} is damaged: values that are no numbers")


def _fits(shape: tuple[int, ...], wanted: tuple[int | None, ...]) -> bool:
    return len(shape) == len(wanted) and all(
        want is None or have == want for have, want in zip(shape, wanted, strict=True)
    )
