"""Perfect play inside kernels, on boards small enough to know every position."""

from __future__ import annotations

import functools

import numpy as np

from fourlab.core.arrays import Floats, Ints
from fourlab.core.jit import kernel
from fourlab.rules.boards import Boards
from fourlab.rules.geometry import Rules
from fourlab.rules.keys import shared_key
from fourlab.search.book import backed_up, shelves
from fourlab.values.knowledge import Knowledge
from fourlab.values.shape import Arrays, Shape
from fourlab.values.store import AFTERSTATES, Store, weigh, with_own_space
from fourlab.values.table import fill

# Ways to fill the columns, many times what games reach. 5 x 4 has 29 million of them and, mirror
# images as one, 1.6 million positions: a table of 32 MB, made in seconds with 350 MB. 4 x 6 would
# take four times that, 6 x 4 thirty times.
MOST_BOARDS = 100_000_000
CERTAIN_WIN = 127.0  # above every score: a line is never passed over for one that comes later


@kernel
def _write_keys(rules: Rules, movers: Ints, occupied: Ints, keys: Ints) -> None:
    """Write the keys of positions, those of the mirror image where they are lower."""
    for index in range(len(movers)):
        keys[index] = shared_key(rules, movers[index], occupied[index])


def is_small(rules: Rules) -> bool:
    """Return whether every position of a board can be known."""
    if rules.gravity:
        return bool((2 ** (rules.rows + 1) - 1) ** rules.columns <= MOST_BOARDS)
    return bool(3**rules.cells <= MOST_BOARDS)


@functools.cache
def exact_values(rules: Rules) -> Store | None:
    """Return the exact score of every board, as values of afterstates; None for a large board."""
    if not is_small(rules):
        return None
    listed = shelves(rules, rules.cells)
    scores = np.concatenate(backed_up(rules, listed, np.empty(0, np.int8)))
    movers = np.concatenate([shelf.movers for shelf in listed])
    occupied = np.concatenate([shelf.occupied for shelf in listed])
    keys = np.empty(len(movers), np.int64)
    _write_keys(rules, movers, occupied, keys)
    known = Knowledge.new(rules, Shape(AFTERSTATES, megabytes=1024, won=CERTAIN_WIN))
    entries: Arrays = {
        "keys": keys,
        "columns": np.zeros(len(keys), np.int16),
        "values": -scores.astype(np.float32),  # seen by the side that has just moved
        "visits": np.ones(len(keys), np.int32),
    }
    return known.values._replace(table=fill(known.values.table, entries))


@kernel
def _write_scores(
    rules: Rules, values: Store, movers: Ints, occupied: Ints, scores: Floats
) -> None:
    """Write what every move of each row is worth, ILLEGAL where it cannot be played."""
    for row in range(len(movers)):
        weigh(rules, values, movers[row], occupied[row])
        for move in range(len(values.worths)):
            scores[row, move] = values.worths[move]


def exact_scores(rules: Rules, boards: Boards) -> Floats | None:
    """Return [boards, moves], the exact score of every move; None for a large board.

    A move that wins at once scores CERTAIN_WIN, one that cannot be played ILLEGAL.
    """
    values = exact_values(rules)
    if values is None:
        return None
    scores = np.empty((len(boards.movers), rules.move_count))
    _write_scores(rules, with_own_space(values), boards.movers, boards.occupied, scores)
    return scores
