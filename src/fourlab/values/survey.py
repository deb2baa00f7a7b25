"""What a table holds as a whole: how often values were taught, and which moves it likes."""

from __future__ import annotations

from typing import Any

import numpy as np

from fourlab.rules.keys import KEY_BITS
from fourlab.values.knowledge import Knowledge
from fourlab.values.store import AFTERSTATES, DOUBLE, POLICY, TUPLES
from fourlab.values.table import NO_CHOICE


def survey(known: Knowledge) -> dict[str, Any]:
    """Return histograms of visits, by powers of two, and of the best or stored move of each state.

    A table of afterstates does not know states, and a network counts no visits: theirs are empty.
    """
    if known.values.kind == TUPLES:
        return {"visit_histogram": {}, "choice_histogram": {}}
    table = known.values.table
    rows = np.flatnonzero(table.keys)
    visits = table.visits[rows]
    return {
        "visit_histogram": _by_powers(visits[visits > 0]),
        "choice_histogram": _choices(known, rows, visits),
    }


def sizes(known: Knowledge) -> dict[str, int]:
    """Return how many states a table has, their legal moves, and the values taught in them.

    Its `moves` are the pairs of state and move that a learner meets who looks at all moves of
    every state it comes to. Kinds without a row for each state have their `states` alone.
    """
    found = {"states": len(known), "moves": 0, "taught": 0}
    if known.values.kind in (AFTERSTATES, TUPLES):
        return found
    rules, table = known.rules, known.values.table
    rows = np.flatnonzero(table.keys)
    keys = table.keys[rows]
    if rules.gravity:  # a full column's height lies in its guard bit, see `keys.exact_key`
        barred = keys & (rules.bottom << rules.rows)
    else:
        barred = keys >> KEY_BITS & rules.board
    found["moves"] = len(rows) * rules.move_count - int(np.bitwise_count(barred).sum())
    found["taught"] = int(np.count_nonzero(table.visits[rows]))
    return found


def _by_powers(counts: np.ndarray[Any, np.dtype[np.int32]]) -> dict[str, int]:
    """Count numbers that lie between powers of two: 1, 2-3, 4-7 and so on."""
    if not len(counts):
        return {}
    powers = np.bincount(np.log2(counts).astype(np.int64))
    labels = [str(1 << p) if p == 0 else f"{1 << p}-{(2 << p) - 1}" for p in range(len(powers))]
    return dict(zip(labels, powers.tolist(), strict=True))


def _choices(
    known: Knowledge,
    rows: np.ndarray[Any, np.dtype[np.int64]],
    visits: np.ndarray[Any, np.dtype[np.int32]],
) -> dict[str, int]:
    """Count for each move in how many states it is the stored or the best visited one."""
    moves = known.rules.move_count
    table = known.values.table
    if known.values.kind == AFTERSTATES or not len(rows):
        return {}
    if known.values.kind == POLICY:
        chosen = table.choices[rows]
        chosen = chosen[chosen != NO_CHOICE]
    else:
        values = np.where(visits > 0, table.values[rows], -np.inf)
        if known.values.kind == DOUBLE:
            values = np.maximum(values[:, :moves], values[:, moves:])
        chosen = values.argmax(axis=1)
    counts = np.bincount(chosen, minlength=moves).tolist()
    return {str(move + 1): count for move, count in enumerate(counts)}
