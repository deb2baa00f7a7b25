"""N-tuple networks: a sum of table look-ups, one for each small set of cells, squashed by tanh.

Each cell of a tuple shows one of four marks: empty and out of reach, empty and playable, a stone
of the side that has just moved, a stone of the other. The marks of a tuple spell an index into its
weights. Every tuple is looked up on the board and on its mirror image with the same weights; the
two sides have weights of their own, since who fills the last cell of a column matters.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fourlab.core.arrays import Ints
from fourlab.core.bits import popcount
from fourlab.core.jit import kernel
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import legal_cells

MARKS = 4
SIDES = 2
STEPS = tuple((dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0))


class Network(NamedTuple):
    """The weights, and what temporal coherence learning remembers of each (empty without it)."""

    cells: Ints  # [2 * tuples, length] bit indices; the second half is mirrored
    weights: npt.NDArray[np.float32]  # [SIDES, tuples, MARKS ** length]
    sums: npt.NDArray[np.float32]  # like weights: the sum of all changes asked of a weight
    sizes: npt.NDArray[np.float32]  # like weights: the sum of their absolute values
    marks: Ints  # [bits of a board] work space
    hits: Ints  # [2 * tuples] work space: indices into a tuple's weights


def random_tuples(rules: Rules, count: int, length: int, seed: int) -> Ints:
    """Return random walks over neighbouring cells, as bit indices."""
    rng = np.random.default_rng([seed, 0x70])
    length = min(length, rules.cells)
    tuples = np.zeros((count, length), np.int64)
    for index in range(count):
        walk = [(int(rng.integers(rules.columns)), int(rng.integers(rules.rows)))]
        place = walk[0]
        while len(walk) < length:
            dx, dy = STEPS[rng.integers(len(STEPS))]
            column, row = place[0] + dx, place[1] + dy
            if 0 <= column < rules.columns and 0 <= row < rules.rows:
                place = (column, row)
                if place not in walk:
                    walk.append(place)
        tuples[index] = sorted(column * (rules.rows + 1) + row for column, row in walk)
    return tuples


def new_network(rules: Rules, tuples: Ints, coherent: bool) -> Network:
    """Return a network of zero weights over tuples of bit indices."""
    height = rules.rows + 1
    columns, rows = tuples // height, tuples % height
    mirrored = (rules.columns - 1 - columns) * height + rows
    shape = (SIDES, len(tuples), MARKS ** tuples.shape[1])
    memory = shape if coherent else (0, 0, 0)
    return Network(
        cells=np.concatenate([tuples, mirrored]),
        weights=np.zeros(shape, np.float32),
        sums=np.zeros(memory, np.float32),
        sizes=np.zeros(memory, np.float32),
        marks=np.zeros(rules.columns * height, np.int64),
        hits=np.zeros(2 * len(tuples), np.int64),
    )


@kernel
def _find_hits(rules: Rules, network: Network, mover: int, occupied: int) -> None:
    """Write which weight of each tuple an afterstate hits; `mover` has the side that moves next."""
    playable = legal_cells(rules, occupied)
    waiting = mover ^ occupied
    for index in range(len(network.marks)):
        network.marks[index] = (
            ((playable >> index) & 1) + 2 * ((waiting >> index) & 1) + 3 * ((mover >> index) & 1)
        )
    tuples, length = network.cells.shape
    for number in range(tuples):
        hit = 0
        for place in range(length):
            hit = hit * MARKS + network.marks[network.cells[number, place]]
        network.hits[number] = hit


@kernel
def network_value(rules: Rules, network: Network, mover: int, occupied: int) -> float:
    """Return what an afterstate is worth for the side that has just moved, between -1 and 1."""
    _find_hits(rules, network, mover, occupied)
    side = popcount(occupied) & 1
    tuples = network.weights.shape[1]
    total = 0.0
    for number in range(2 * tuples):
        total += np.float64(network.weights[side, number % tuples, network.hits[number]])
    return math.tanh(total)


@kernel
def teach_network(
    rules: Rules, network: Network, mover: int, occupied: int, rate: float, target: float
) -> None:
    """Move the value of an afterstate towards `target`: a gradient step of size `rate`.

    With temporal coherence each weight's step shrinks as the changes asked of it disagree.
    """
    value = network_value(rules, network, mover, occupied)
    change = (target - value) * (1 - value * value)
    side = popcount(occupied) & 1
    tuples = network.weights.shape[1]
    for number in range(2 * tuples):
        index, hit = number % tuples, network.hits[number]
        own_rate = rate
        if len(network.sums) > 0:
            size = np.float64(network.sizes[side, index, hit])
            if size > 0:
                own_rate *= abs(np.float64(network.sums[side, index, hit])) / size
            network.sums[side, index, hit] += np.float32(change)
            network.sizes[side, index, hit] += np.float32(abs(change))
        network.weights[side, index, hit] += np.float32(own_rate * change)
