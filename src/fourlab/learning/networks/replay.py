"""The replay memory: what was lived through, in a ring, drawn evenly or by priority.

A row says: after the board that a decision led to came, one or some decisions later, the next one,
with so much reward on the way; its value counts `factors` times, 0 where the game had ended. All
values are those to the first player.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fourlab.core.arrays import Array, Floats, Ints
from fourlab.core.dice import below, chance, roll
from fourlab.core.jit import kernel
from fourlab.core.storage import StorageError
from fourlab.values.outlook import Singles

NEVER = -1  # no target network has valued this row yet


class Rows(NamedTuple):
    """Rows of a memory, or those that are to be added."""

    movers: Ints  # the board after a decision, seen by the side that moves next
    occupied: Ints
    next_movers: Ints  # the board before a later decision
    next_occupied: Ints
    rewards: Singles
    factors: Singles

    def take(self, rows: Ints | slice) -> Rows:
        """Return some of the rows."""
        return Rows._make(array[rows] for array in self)


def new_rows(count: int) -> Rows:
    """Return room for some rows."""
    kinds = [np.int64] * 4 + [np.float32] * 2
    return Rows._make(np.zeros(count, kind) for kind in kinds)


@kernel
def set_weights(tree: Floats, rows: Ints, weights: Floats) -> None:
    """Give rows their weights; node i of the tree holds the sum of nodes 2i and 2i + 1."""
    leaves = len(tree) // 2
    for index in range(len(rows)):
        node = leaves + rows[index]
        tree[node] = weights[index]
        while node > 1:
            node //= 2
            tree[node] = tree[2 * node] + tree[2 * node + 1]


@kernel
def find_row(tree: Floats, mass: float) -> int:
    """Return the row in whose stretch of the sum of all weights `mass` lies."""
    leaves = len(tree) // 2
    node = 1
    while node < leaves:
        node *= 2
        if mass >= tree[node] and tree[node + 1] > 0:
            mass -= tree[node]
            node += 1
    return node - leaves


@kernel
def _draw_evenly(filled: int, rows: Ints, state: int) -> int:
    for index in range(len(rows)):
        state = roll(state)
        rows[index] = below(state, filled)
    return state


@kernel
def _draw_weighted(tree: Floats, rows: Ints, state: int) -> int:
    """Draw one row from each of equal stretches of the sum of all weights."""
    stretch = tree[1] / len(rows)
    for index in range(len(rows)):
        state = roll(state)
        rows[index] = find_row(tree, (index + chance(state)) * stretch)
    return state


class Replay:
    """A ring of rows: the newest take the place of the oldest.

    With an `exponent` above 0 rows are drawn in proportion to (error + 1e-3) ** exponent, a new one
    as if it had the largest error so far.
    """

    def __init__(self, size: int, moves: int, exponent: float = 0.0) -> None:
        self.size = size
        self.exponent = exponent
        self.rows = new_rows(size)
        self.written = 0  # rows ever
        self.worths = np.zeros((size, moves), np.float32)  # of the moves of the next board
        self.stamps = np.full(size, NEVER, np.int64)  # the target network that gave them
        self.largest = 1.0  # weight so far
        leaves = 1 << (size - 1).bit_length() if exponent > 0 else 0
        self.tree = np.zeros(2 * leaves)

    def __len__(self) -> int:
        return min(self.written, self.size)

    def add(self, rows: Rows) -> None:
        """Take in rows, at most as many as there is room for in all."""
        count = len(rows.movers)
        places = (self.written + np.arange(count)) % self.size
        for name, array in self.rows._asdict().items():
            array[places] = getattr(rows, name)
        self.stamps[places] = NEVER
        self.written += count
        if self.exponent > 0:
            set_weights(self.tree, places, np.full(count, self.largest))

    def draw(self, count: int, state: int) -> tuple[Ints, int]:
        """Return the numbers of some rows, which may repeat, and the next dice."""
        rows = np.empty(count, np.int64)
        if self.exponent > 0:
            return rows, _draw_weighted(self.tree, rows, state)
        return rows, _draw_evenly(len(self), rows, state)

    def take(self, rows: Ints) -> Rows:
        """Return some rows."""
        return self.rows.take(rows)

    def corrections(self, rows: Ints, exponent: float) -> Singles:
        """Return what each row counts so that the mean is that of even drawing, 1 at most."""
        if self.exponent == 0 or exponent == 0:
            return np.ones(len(rows), np.float32)
        weights = self.tree[len(self.tree) // 2 + rows] ** -exponent
        corrections: Singles = (weights / weights.max()).astype(np.float32)
        return corrections

    def learn_errors(self, rows: Ints, errors: Floats) -> None:
        """Hear how far off the values of some rows were."""
        if self.exponent > 0:
            weights = (np.abs(errors) + 1e-3) ** self.exponent
            self.largest = max(self.largest, float(weights.max()))
            set_weights(self.tree, rows, weights)

    def arrays(self) -> dict[str, Array]:
        """Return what is needed to go on, rows that are not filled left out."""
        count = len(self)
        found = {name: array[:count] for name, array in self.rows._asdict().items()}
        found |= {"worths": self.worths[:count], "stamps": self.stamps[:count]}
        if self.exponent > 0:
            leaves = self.tree[len(self.tree) // 2 :]
            found["weights"] = leaves[:count].view(np.int64)  # their bits: files have no float64
        return found

    def restore(self, written: int, largest: float, arrays: dict[str, Array]) -> None:
        """Take back what `arrays` returned; raises StorageError if it does not fit."""
        self.written, self.largest = written, largest
        targets = {**self.rows._asdict(), "worths": self.worths, "stamps": self.stamps}
        if self.exponent > 0:
            targets["weights"] = self.tree[len(self.tree) // 2 :].view(np.int64)
        for name, target in targets.items():
            array = arrays.get(name)
            shape = (len(self), *target.shape[1:])
            if array is None or array.dtype != target.dtype or array.shape != shape:
                raise StorageError(f"its memory is damaged: {name} does not fit")
            target[: len(self)] = array
        if self.exponent > 0:
            leaves = self.tree[len(self.tree) // 2 :][: len(self)]
            set_weights(self.tree, np.arange(len(self)), leaves.copy())
