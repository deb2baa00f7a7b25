"""Many positions through a forest of fewer trees: a tree that is done takes the next position.

Tree i serves positions i, i + trees, i + 2 trees, ...: who sits beside whom depends on nothing but
the order of the positions, and what is found on that not at all.
"""

from typing import NamedTuple

import numpy as np

from fourlab.core.arrays import Ints
from fourlab.core.jit import kernel
from fourlab.rules.geometry import Rules
from fourlab.search.forest import best_move, improve
from fourlab.search.puct import (
    MOVER,
    NOBODY,
    OCCUPIED,
    WAITING,
    Forest,
    Puct,
    Reals,
    absorb_one,
    descend_one,
    is_done,
    plant_one,
)


class Counter(NamedTuple):
    """Positions that are served, and what has been found."""

    puct: Puct
    forest: Forest
    sims: int
    boards: Ints  # [positions, 2]
    moves: Ints  # [positions], to play
    rows: Ints  # [trees], the position that a tree serves
    policies: Reals  # [trees, moves], work space


def new_counter(puct: Puct, forest: Forest, sims: int, boards: Ints) -> Counter:
    """Return what serves these positions with so many simulations each; `open_trees` begins."""
    trees = len(forest.counts)
    forest.counts[:, WAITING] = NOBODY
    return Counter(
        puct,
        forest,
        sims,
        boards,
        np.zeros(len(boards), np.int64),
        np.arange(trees, dtype=np.int64) - trees,
        np.zeros_like(forest.priors),
    )


@kernel
def serve(rules: Rules, counter: Counter, answers: Reals, first: int, stop: int) -> int:
    """Bring trees `first` to `stop` to their next leaf, in their next position if need be.

    A tree that waits takes its answer. Returns how many wait then.
    """
    forest, waiting = counter.forest, 0
    for tree in range(first, stop):
        row = counter.rows[tree]
        if row >= len(counter.boards):
            continue
        absorb_one(rules, forest, tree, answers)
        while forest.counts[tree, WAITING] == NOBODY:
            if row >= 0 and not is_done(rules, forest, tree):
                descend_one(rules, counter.puct, forest, tree)
                continue
            if row >= 0:
                improve(rules, counter.puct, forest, tree, counter.policies)
                counter.moves[row] = best_move(rules, forest, tree, counter.policies)
            row += len(counter.rows)
            counter.rows[tree] = row
            if row >= len(counter.boards):
                break
            mover, occupied = counter.boards[row, MOVER], counter.boards[row, OCCUPIED]
            plant_one(rules, counter.puct, forest, tree, mover, occupied, counter.sims)
        waiting += forest.counts[tree, WAITING] != NOBODY
    return waiting
