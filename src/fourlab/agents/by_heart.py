"""Perfect play inside kernels, on boards small enough to know every position."""

from __future__ import annotations

import threading

import numpy as np

from fourlab.core.arrays import Floats, Ints
from fourlab.core.jit import kernel
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.rules.boards import Boards
from fourlab.rules.geometry import Rules
from fourlab.search.book import backed_up, shelves
from fourlab.values.knowledge import Knowledge
from fourlab.values.shape import Arrays, Shape
from fourlab.values.store import AFTERSTATES, Store, weigh, with_own_space
from fourlab.values.table import fill

# Ways to fill the columns, many times what games reach. 5 x 4 has 29 million of them and, mirror
# images as one, 1.6 million positions: a table of 32 MB, made in seconds with 350 MB. 4 x 6 would
# take four times that, 6 x 4 thirty times.
MOST_BOARDS = 100_000_000
KEPT = 4  # boards whose tables are held, up to 100 MB each
WAIT = 0.05  # seconds between two looks at a limit, while another board is made
CERTAIN_WIN = 127.0  # above every score: a line is never passed over for one that comes later

_one_at_a_time = threading.Lock()
_kept: dict[Rules, Store] = {}  # the last that was asked for at the end


def is_small(rules: Rules) -> bool:
    """Return whether every position of a board can be known."""
    if rules.gravity:
        return bool((2 ** (rules.rows + 1) - 1) ** rules.columns <= MOST_BOARDS)
    return bool(3**rules.cells <= MOST_BOARDS)


def exact_values(rules: Rules, limit: Limit = NO_LIMIT) -> Store | None:
    """Return the exact score of every board, as values of afterstates; None for a large board.

    That takes seconds and much memory: it is done for one board at a time, and kept for a few.
    Raises CalledOffError once the limit is over, also while another board is waited for.
    """
    if not is_small(rules):
        return None
    watch = limit.watch()
    while not _one_at_a_time.acquire(timeout=WAIT):
        watch.check()
    try:
        found = _kept.get(rules) or _made(rules, watch.rest())
        _kept.pop(rules, None)
        _kept[rules] = found
        if len(_kept) > KEPT:
            del _kept[next(iter(_kept))]
        return found
    finally:
        _one_at_a_time.release()


def _made(rules: Rules, limit: Limit) -> Store:
    watch = limit.watch()
    listed = shelves(rules, rules.cells, limit=limit)
    scores = np.concatenate(backed_up(rules, listed, np.empty(0, np.int8), watch.rest()))
    keys = np.concatenate([shelf.keys for shelf in listed])
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
