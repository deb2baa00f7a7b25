"""A transposition table of one integer an entry, safe to share between threads without a lock.

Entries lie in buckets of two. The first slot of a bucket keeps the entry that cost more nodes, the
second takes the newest. An entry packs, from the top:

    tag, 47 bits | lower bound + 32, 6 bits | upper bound + 32, 6 bits | effort, 4 bits

The part of the array in use grows with the search: small searches stay in the cache, and clearing
costs little.
"""

from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from fourlab.core.arrays import Ints
from fourlab.core.bits import MASK63, add63, multiply63
from fourlab.core.errors import SHOWN, FourlabError
from fourlab.core.jit import kernel

# (buckets, nodes to be searched before the next step). With replacement by effort a table serves
# searches of a hundred times its size, and one that fits the cache doubles the node rate.
GROWTH = (
    (1 << 9, 1 << 10),
    (1 << 15, 1 << 18),
    (1 << 17, 1 << 22),
    (1 << 19, 1 << 25),
    (MASK63, MASK63),
)

# Fields of `sizes`. SEARCHED counts nodes since the table was cleared.
USED, CAPACITY, STEP, NEXT_GROWTH, SEARCHED = range(5)
SIZES = 5  # number of fields

SCORE_OFFSET = 32  # scores lie within -31..31 on every board
SCORE_MASK = 63
DATA_BITS = 16
DATA_MASK = 0xFFFF
EFFORT_MASK = 15
BUCKET_BYTES = 16
MOST_MB = 1 << 20


class Transpositions(NamedTuple):
    """The table: entries, and how much of them is in use."""

    words: Ints  # [2 * (capacity + 1)], the last bucket never looked up
    sizes: Ints  # [SIZES]


def new_transpositions(megabytes: float) -> Transpositions:
    """Return an empty table of at most this size; memory is taken as it is used."""
    given: Any = megabytes
    if not isinstance(given, Real) or not 0 < megabytes <= MOST_MB:
        raise FourlabError(f"a table of {megabytes!s:.{SHOWN}} MB; write 1 to {MOST_MB:,}")
    buckets = max(1, int(megabytes * 2**20 / BUCKET_BYTES))
    capacity = 1 << (buckets.bit_length() - 1)
    try:
        words = np.zeros(2 * (capacity + 1), np.int64)
    except MemoryError:
        raise FourlabError(
            f"a table of {megabytes:,.0f} MB does not fit into this machine's memory; ask for less"
        ) from None
    table = Transpositions(words, np.zeros(SIZES, np.int64))
    table.sizes[CAPACITY] = capacity
    clear(table)
    return table


@kernel
def slot_and_tag(mover: int, waiting: int, shape: int, buckets: int) -> tuple[int, int]:
    """Hash the three parts of a key into a bucket and a tag.

    A tag may be 0: what an empty entry would say of it is no data.
    """
    h = multiply63(mover, 0x1E3779B97F4A7C15) ^ multiply63(
        add63(waiting, multiply63(shape, 3)), 0x42B2AE3D27D4EB4F
    )
    h ^= h >> 32
    h = multiply63(h, 0x56E8FEB86659FD93)
    h ^= h >> 29
    g = add63(
        multiply63(waiting, 0x1F83D9ABFB41BD6B),
        add63(multiply63(mover, 0x3C6EF372FE94F82B), multiply63(shape, 0x510E527FADE682D1)),
    )
    g ^= g >> 31
    tag = multiply63(g, 0x1FB21C651E98DF25) >> DATA_BITS
    return h & (buckets - 1), tag


@kernel
def probe(words: Ints, slot: int, tag: int) -> int:
    """Return the data of an entry, or 0 if there is none."""
    first: int = words[2 * slot]
    if first >> DATA_BITS == tag:
        return first & DATA_MASK
    second: int = words[2 * slot + 1]
    if second >> DATA_BITS == tag:
        return second & DATA_MASK
    return 0


@kernel
def lower(data: int) -> int:
    """Return the lower bound of an entry's data."""
    return ((data >> 10) & SCORE_MASK) - SCORE_OFFSET


@kernel
def upper(data: int) -> int:
    """Return the upper bound of an entry's data."""
    return ((data >> 4) & SCORE_MASK) - SCORE_OFFSET


@kernel
def effort_of(nodes: int) -> int:
    """Return half the number of binary digits of a node count, at most 15."""
    effort = 0
    while nodes > 0 and effort < EFFORT_MASK:
        nodes >>= 2
        effort += 1
    return effort


@kernel
def store(words: Ints, slot: int, tag: int, low: int, high: int, nodes: int) -> None:
    """Keep bounds that took `nodes` to find."""
    effort = effort_of(nodes)
    bounds = ((low + SCORE_OFFSET) << 10) | ((high + SCORE_OFFSET) << 4)
    entry = (tag << DATA_BITS) | bounds | effort
    first = words[2 * slot]
    if first >> DATA_BITS == tag:
        words[2 * slot] = entry
    elif effort >= first & EFFORT_MASK:
        words[2 * slot + 1] = first
        words[2 * slot] = entry
    else:
        words[2 * slot + 1] = entry


@kernel
def clear(table: Transpositions) -> None:
    """Forget everything and start small again."""
    sizes = table.sizes
    sizes[STEP], sizes[SEARCHED] = 0, 0
    sizes[USED] = min(GROWTH[0][0], sizes[CAPACITY])
    sizes[NEXT_GROWTH] = GROWTH[0][1]
    table.words[: 2 * sizes[USED]] = 0


@kernel
def grow(table: Transpositions) -> None:
    """Use more of the array; entries whose bucket changes are lost, the others are kept."""
    sizes = table.sizes
    step = sizes[STEP] + 1
    buckets, nodes = GROWTH[step]
    larger = min(buckets, sizes[CAPACITY])
    table.words[2 * sizes[USED] : 2 * larger] = 0
    sizes[USED], sizes[STEP] = larger, step
    sizes[NEXT_GROWTH] = MASK63 if larger == sizes[CAPACITY] else sizes[NEXT_GROWTH] + nodes
