"""Opening books: the exact score of every position up to some ply, a byte or less for each.

A book holds no positions. Its maker and its reader both list the positions that are not over, one
of each mirror pair, by key, ply by ply; the file is the scores in that order.
"""

from __future__ import annotations

import functools
import logging
import operator
import pkgutil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fourlab.core.arrays import Array, Ints
from fourlab.core.bits import popcount
from fourlab.core.errors import FourlabError
from fourlab.core.jit import kernel
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.core.storage import StorageError, load_arrays, read_arrays, save_arrays
from fourlab.rules.catalog import game, name_of
from fourlab.rules.enumeration import expand
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import has_line, legal_cells, play, winning_cells
from fourlab.rules.keys import KEY_BITS, shared_key
from fourlab.rules.position import Position
from fourlab.search.scores import win_score

log = logging.getLogger("fourlab.book")

KIND, VERSION = "book", 1
MOST = 10_000_000  # positions of one ply: more of them take gigabytes to list
PORTION = 1 << 16  # positions between two looks at a limit
Scores = npt.NDArray[np.int8]


class Shelf(NamedTuple):
    """The positions of one ply that are not over, one of each mirror pair, by key."""

    keys: Ints
    movers: Ints
    occupied: Ints


@kernel
def _write_keys(rules: Rules, movers: Ints, occupied: Ints, keys: Ints) -> None:
    """Write the keys of positions; finished ones get -1."""
    full = rules.columns * rules.rows
    for index in range(len(movers)):
        is_lost = has_line(rules, movers[index] ^ occupied[index])
        if is_lost or popcount(occupied[index]) == full:
            keys[index] = -1
        else:
            keys[index] = shared_key(rules, movers[index], occupied[index])


def shelves(rules: Rules, plies: int, most: int = MOST, limit: Limit = NO_LIMIT) -> list[Shelf]:
    """List the positions with 0 to `plies` stones; the same on every machine.

    Raises StorageError for a board without keys, and where a ply has more than `most` positions;
    CalledOffError once the limit is over.
    """
    watch = limit.watch()
    if not 0 <= plies <= rules.cells:
        raise StorageError(f"no book of {plies} plies for {rules}: write 0 to {rules.cells}")
    if not rules.gravity and rules.columns * (rules.rows + 1) > KEY_BITS:
        raise StorageError(f"no book for {rules}: without gravity a board may take {KEY_BITS} bits")
    movers = occupied = np.zeros(1, np.int64)
    found = []
    for ply in range(plies + 1):
        watch.check()
        keys = np.empty(len(movers), np.int64)
        _write_keys(rules, movers, occupied, keys)
        unique, first = np.unique(keys, return_index=True)
        first = first[unique >= 0]
        if len(first) > most:
            raise StorageError(
                f"no book of {plies} plies for {rules}: already {ply} plies have {len(first):,} "
                f"positions, at most {most:,} fit; choose fewer plies"
            )
        movers, occupied = movers[first], occupied[first]
        found.append(Shelf(unique[unique >= 0], movers, occupied))
        children = np.empty((2, len(first) * rules.move_count), np.int64)
        count = expand(rules, movers, occupied, *children)
        movers, occupied = children[0, :count], children[1, :count]
    return found


@kernel
def _back_up(rules: Rules, shelf: Shelf, keys: Ints, scores: Scores, result: Scores) -> None:
    """Write a shelf's scores, from the keys and scores of the shelf with one stone more."""
    for index in range(len(shelf.movers)):
        mover, occupied = shelf.movers[index], shelf.occupied[index]
        stones = popcount(occupied)
        cells = legal_cells(rules, occupied)
        best = -127
        if winning_cells(rules, mover) & cells != 0:
            best = win_score(rules, stones)
            cells = 0
        elif stones + 1 == rules.columns * rules.rows:
            best = 0
            cells = 0
        while cells != 0:
            child = shared_key(rules, *play(mover, occupied, cells & -cells))
            cells &= cells - 1
            best = max(best, -scores[np.searchsorted(keys, child)])
        result[index] = best


def backed_up(
    rules: Rules, listed: list[Shelf], deepest: Scores, limit: Limit = NO_LIMIT
) -> list[Scores]:
    """Return the scores of all shelves, from those of the last; raises CalledOffError."""
    scores, watch = [deepest], limit.watch()
    for shelf, deeper in zip(listed[-2::-1], listed[:0:-1], strict=True):
        result = np.empty(len(shelf.keys), np.int8)
        for begin in range(0, len(result), PORTION):
            watch.check()
            rows = slice(begin, begin + PORTION)
            part = Shelf(*(column[rows] for column in shelf))
            _back_up(rules, part, deeper.keys, scores[0], result[rows])
        scores.insert(0, result)
    return scores


class Book:
    """The exact scores of all positions of one game with up to `plies` stones."""

    def __init__(self, rules: Rules, scores: list[Scores]) -> None:
        self.rules = rules
        self.plies = len(scores) - 1
        self.scores = scores  # one array a ply, in the order of its shelf

    @functools.cached_property
    def shelves(self) -> list[Shelf]:
        """The positions that the scores belong to."""
        return shelves(self.rules, self.plies)

    def score(self, position: Position) -> int | None:
        """Return the exact score of a position that is not over, or None if it lies too deep."""
        if position.ply > self.plies or position.rules != self.rules:
            return None
        key = shared_key(self.rules, position.mover, position.occupied)
        keys = self.shelves[position.ply].keys
        index = int(np.searchsorted(keys, key))
        if index == len(keys) or keys[index] != key:
            return None
        return int(self.scores[position.ply][index])

    def save(self, path: Path) -> None:
        """Write the book; an old one at `path` stays until the new one is complete."""
        header = {"game": name_of(self.rules), "plies": self.plies}
        save_arrays(path, KIND, VERSION, header, {"scores": np.concatenate(self.scores)})

    @classmethod
    def load(cls, path: Path) -> Book:
        """Read a book; raises StorageError, which names the file, if it is none or damaged."""
        return cls._checked(path, *load_arrays(path, KIND, VERSION))

    @classmethod
    def read(cls, data: bytes, path: Path) -> Book:
        """Read the contents of a book's file; `path` names it in errors."""
        return cls._checked(path, *read_arrays(data, path, KIND, VERSION))

    @classmethod
    def _checked(cls, path: Path, header: dict[str, Any], arrays: dict[str, Array]) -> Book:
        scores = arrays.get("scores", np.empty(0))
        try:
            rules = game(header["game"])
            listed = shelves(rules, operator.index(header["plies"]), most=scores.size)
        except (FourlabError, KeyError, TypeError) as error:
            raise StorageError(f"{path} is damaged: {error}") from None
        sizes = [len(shelf.keys) for shelf in listed]
        if scores.dtype != np.int8 or scores.shape != (sum(sizes),):
            raise StorageError(
                f"{path} is damaged: {scores.size} scores for {sum(sizes)} positions"
            )
        return cls(rules, np.split(scores, np.cumsum(sizes)[:-1]))


@functools.cache
def has_shipped_book(rules: Rules) -> bool:
    """Whether a book ships for a game; it is not read for that, which takes a moment."""
    return _shipped(_name_of_book(rules)) is not None


@functools.cache
def shipped_book(rules: Rules) -> Book | None:
    """Return the book that ships for a game, or None; a damaged one is done without."""
    name = _name_of_book(rules)
    data = _shipped(name)
    if data is None:
        return None
    try:
        return Book.read(data, Path(name))
    except StorageError as error:
        log.warning("%s; going on without it", error)
        return None


def _name_of_book(rules: Rules) -> str:
    return f"books/{name_of(rules).replace(':', '-')}.npz"


def _shipped(name: str) -> bytes | None:
    """Return a file that ships, None if there is none."""
    try:
        return pkgutil.get_data(__name__, name)  # the package may lie in an archive, or in memory
    except OSError:
        return None
