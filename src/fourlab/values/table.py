"""Hash tables inside kernels: rows of values and visit counts by 64-bit keys.

Open addressing with linear probing. A table never grows inside a kernel: whoever fills it asks
`is_crowded` now and then, and lets Python make a larger one (`grown`), which loses nothing. At its
limit a table stops taking new keys, counts them, and goes on with those that it has.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fourlab.core.arrays import Array, Ints
from fourlab.core.bits import add63, multiply63
from fourlab.core.dice import chance, roll, seeded
from fourlab.core.jit import kernel

EMPTY = 0
ABSENT = -1
NO_CHOICE = -1
USED, LIMIT, LEFT_OUT, DIVERGED = range(4)  # indices of `sizes`
FIRST_ROWS = 1 << 10
SPREADER = 0x1E3779B97F4A7C15  # odd, near 2**63 over the golden ratio
LINE_BYTES = 64


class Table(NamedTuple):
    """Rows by key. Values of what was never visited are 0, or normal with deviation `spread`."""

    keys: Ints  # [rows]
    values: npt.NDArray[np.float32]  # [rows, width]
    visits: npt.NDArray[np.int32]  # [rows, width]
    choices: npt.NDArray[
        np.int32
    ]  # [rows] the stored policy's move or NO_CHOICE; one entry where there is none
    sizes: Ints  # USED rows, their LIMIT, keys LEFT_OUT for lack of room, values that DIVERGED
    spread: float
    seed: int

    @property
    def width(self) -> int:
        """Values in a row."""
        return int(self.values.shape[1])

    @property
    def row_bytes(self) -> int:
        """Memory for a row."""
        return 8 + 8 * self.width + (4 if len(self.choices) > 1 else 0)


def new_table(
    width: int,
    megabytes: float,
    spread: float = 0.0,
    seed: int = 0,
    with_choices: bool = False,
    rows: int = FIRST_ROWS,
) -> Table:
    """Return an empty table that may grow to a power of two of rows within `megabytes`."""
    row_bytes = 8 + 8 * width + 4 * with_choices
    limit = 1 << max(4, int(megabytes * 2**20 / row_bytes).bit_length() - 1)
    rows = min(rows, limit)
    # A row lies in one piece, for seven columns in one cache line: 1.3 times the speed of arrays
    # apart.
    words = 2 + 2 * width
    buffer = np.zeros(rows * words + LINE_BYTES // 4, np.int32)
    start = -buffer.ctypes.data % LINE_BYTES // 4
    block = buffer[start : start + rows * words].reshape(rows, words)
    return Table(
        keys=block.view(np.int64)[:, 0],
        values=block.view(np.float32)[:, 2 : 2 + width],
        visits=block[:, 2 + width :],
        choices=np.full(rows if with_choices else 1, NO_CHOICE, np.int32),
        sizes=np.array([0, limit, 0, 0]),
        spread=float(spread),
        seed=int(seed),
    )


def _like(table: Table, rows: int) -> Table:
    """Return an empty table of the same kind and limit."""
    megabytes = table.sizes[LIMIT] * table.row_bytes / 2**20
    with_choices = len(table.choices) > 1
    other = new_table(table.width, megabytes, table.spread, table.seed, with_choices, rows)
    other.sizes[LIMIT] = table.sizes[LIMIT]
    other.sizes[LEFT_OUT:] = table.sizes[LEFT_OUT:]
    return other


def grown(table: Table) -> Table:
    """Return a table of twice as many rows with the same contents."""
    larger = _like(table, 2 * len(table.keys))
    _copy_rows(table, larger)
    return larger


def copied(table: Table) -> Table:
    """Return a table with the same contents in memory of its own."""
    same = _like(table, len(table.keys))
    for name in ("keys", "values", "visits", "choices", "sizes"):
        getattr(same, name)[...] = getattr(table, name)
    return same


@kernel
def _first_slot(keys: Ints, key: int) -> int:
    return (multiply63(key, SPREADER) >> 31) * len(keys) >> 32


@kernel
def find(keys: Ints, key: int) -> int:
    """Return the row of a key, or ABSENT."""
    slot = _first_slot(keys, key)
    while keys[slot] != key:
        if keys[slot] == EMPTY:
            return ABSENT
        slot = (slot + 1) & (len(keys) - 1)
    return slot


@kernel
def insert(table: Table, key: int) -> int:
    """Return the row of a key, new if need be; ABSENT if the table is full."""
    keys, sizes = table.keys, table.sizes
    rows = len(keys)
    slot = _first_slot(keys, key)
    while keys[slot] != key:
        if keys[slot] == EMPTY:
            if sizes[USED] >= rows - (rows >> 3):
                sizes[LEFT_OUT] += 1
                return ABSENT
            sizes[USED] += 1
            keys[slot] = key
            if table.spread > 0:
                for column in range(table.values.shape[1]):
                    table.values[slot, column] = default_value(
                        table.spread, table.seed, key, column
                    )
            return slot
        slot = (slot + 1) & (rows - 1)
    return slot


@kernel
def is_crowded(table: Table, newcomers: int) -> bool:
    """Return whether so many new keys would fill a table that may still grow beyond its comfort."""
    rows = len(table.keys)
    if rows >= table.sizes[LIMIT]:
        return False
    return bool(table.sizes[USED] + newcomers > rows - (rows >> 2))


@kernel
def default_value(spread: float, seed: int, key: int, column: int) -> float:
    """Return the value of what was never visited: the same whenever it is asked for.

    The sum of twelve uniform numbers is as good as normal, and the same in every arithmetic.
    """
    if spread == 0:
        return 0.0
    state = seeded(add63(multiply63(key, 64) ^ seed, column))
    total = -6.0
    for _ in range(12):
        state = roll(state)
        total += chance(state)
    return np.float64(np.float32(spread * total))


@kernel
def _copy_rows(table: Table, larger: Table) -> None:
    for row in range(len(table.keys)):
        if table.keys[row] != EMPTY:
            slot = insert(larger, table.keys[row])
            for column in range(table.values.shape[1]):
                larger.values[slot, column] = table.values[row, column]
                larger.visits[slot, column] = table.visits[row, column]
            if len(table.choices) > 1:
                larger.choices[slot] = table.choices[row]


@kernel
def _list(
    table: Table,
    rows: Ints,
    keys: Ints,
    columns: npt.NDArray[np.int16],
    values: npt.NDArray[np.float32],
    visits: npt.NDArray[np.int32],
) -> None:
    """Write a line for each visited value of some rows."""
    line = 0
    for index in range(len(rows)):
        row = rows[index]
        for column in range(table.visits.shape[1]):
            if table.visits[row, column] != 0:
                keys[line], columns[line] = table.keys[row], column
                values[line], visits[line] = table.values[row, column], table.visits[row, column]
                line += 1


def entries(table: Table) -> dict[str, Array]:
    """Return the contents as plain arrays by key: a line for each visited value of each row.

    Equal contents give equal arrays, whatever happened to the table before.
    """
    rows = np.flatnonzero(table.keys)
    rows = rows[np.argsort(table.keys[rows])]
    count = int(np.count_nonzero(table.visits))
    found: dict[str, Array] = {
        "keys": np.empty(count, np.int64),
        "columns": np.empty(count, np.int16),
        "values": np.empty(count, np.float32),
        "visits": np.empty(count, np.int32),
    }
    _list(table, rows, *found.values())
    if len(table.choices) > 1:
        chosen = rows[table.choices[rows] != NO_CHOICE]
        found |= {"choice_keys": table.keys[chosen], "choices": table.choices[chosen]}
    return found


def fill(table: Table, found: dict[str, Array]) -> Table:
    """Return the table with entries put into it: the inverse of `entries` on an empty table."""
    keys = np.sort(found["keys"])  # some ten times as fast as np.unique at a million
    needed = int(np.count_nonzero(np.diff(keys))) + 1 if len(keys) else 0
    needed += len(found["choices"]) if len(table.choices) > 1 else 0
    while is_crowded(table, needed):
        table = grown(table)
    _fill(table, found["keys"], found["columns"], found["values"], found["visits"])
    if len(table.choices) > 1:
        _fill_choices(table, found["choice_keys"], found["choices"])
    return table


@kernel
def _fill(
    table: Table,
    keys: Ints,
    columns: npt.NDArray[np.int16],
    values: npt.NDArray[np.float32],
    visits: npt.NDArray[np.int32],
) -> None:
    for index in range(len(keys)):
        slot = insert(table, keys[index])
        if slot != ABSENT:
            table.values[slot, columns[index]] = values[index]
            table.visits[slot, columns[index]] = visits[index]


@kernel
def _fill_choices(table: Table, keys: Ints, choices: npt.NDArray[np.int32]) -> None:
    for index in range(len(keys)):
        slot = insert(table, keys[index])
        if slot != ABSENT:
            table.choices[slot] = choices[index]
