"""Labelled positions: what the solver says of every move, in files made once and in parts.

One of each mirror pair is held, the one that `shared_key` stands for. The labels of a file are a
beginning of what it was made for: whoever makes it goes on where it ends.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fourlab.core.arrays import Array, Ints
from fourlab.core.bits import popcount
from fourlab.core.jit import kernel
from fourlab.core.limit import NO_LIMIT, CalledOffError, Limit
from fourlab.core.storage import StorageError, is_there, load_arrays, save_arrays
from fourlab.core.workers import Workers, is_left
from fourlab.rules.catalog import game, name_of
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import has_line, move_cell, move_count, play
from fourlab.rules.keys import board_of, check_size, shared_key
from fourlab.rules.position import Position
from fourlab.search.book import Book, shipped_book
from fourlab.search.scores import win_score
from fourlab.search.solver import Solver

REMEDY = "remove it, and fourlab data labels makes it again"
KIND, VERSION = "labels", 1
UNPLAYABLE, UNKNOWN = -128, -127  # in the place of a score
CHUNK = 64  # positions a thread labels at once: about a second of the hard ones
BLOCK = 16  # chunks of a thread between two looks at the clock
SAVE_SECONDS = 60.0
TABLE_MB = 256

Scores = npt.NDArray[np.int8]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Labels:
    """Positions in progress with exact scores, seen by the side to move.

    A position's own score may be known where those of its moves are not, and the other way round.
    """

    rules: Rules
    keys: Ints  # [positions], `shared_key`
    values: Scores  # [positions]
    scores: Scores  # [positions, moves], UNPLAYABLE or UNKNOWN where there is none

    def __len__(self) -> int:
        return len(self.keys)

    def take(self, rows: Ints | slice) -> Labels:
        """Return some of the rows."""
        return Labels(self.rules, self.keys[rows], self.values[rows], self.scores[rows])

    def boards(self) -> tuple[Ints, Ints]:
        """Return the positions as movers and occupied."""
        return unpacked(self.rules, self.keys)

    def keeping(self) -> Flags:
        """Return [positions, moves]: is it known to keep win, draw or loss?"""
        same: Flags = np.sign(self.scores) == np.sign(self.values)[:, None]
        return same & (self.scores > UNKNOWN)

    def best(self) -> Flags:
        """Return [positions, moves]: is it known to have the best score?"""
        same: Flags = self.scores == self.values[:, None]
        return same & (self.scores > UNKNOWN)


@kernel
def _pack(rules: Rules, movers: Ints, occupied: Ints, keys: Ints) -> None:
    for row in range(len(movers)):
        keys[row] = shared_key(rules, movers[row], occupied[row])


@kernel
def _unpack(rules: Rules, keys: Ints, movers: Ints, occupied: Ints) -> None:
    for row in range(len(keys)):
        movers[row], occupied[row] = board_of(rules, keys[row])


def packed(rules: Rules, movers: Ints, occupied: Ints) -> Ints:
    """Return the keys of positions, the same for mirror images."""
    keys = np.empty(len(movers), np.int64)
    _pack(rules, movers, occupied, keys)
    return keys


def unpacked(rules: Rules, keys: Ints) -> tuple[Ints, Ints]:
    """Return positions by their keys, as movers and occupied."""
    movers, occupied = np.empty((2, len(keys)), np.int64)
    _unpack(rules, keys, movers, occupied)
    return movers, occupied


@kernel
def _children(rules: Rules, keys: Ints, scores: Scores, places: Ints, children: Ints) -> int:
    """Write the scores that need no search, and where and what the other children are."""
    count = 0
    for row in range(len(keys)):
        mover, occupied = board_of(rules, keys[row])
        stones = popcount(occupied)
        for move in range(move_count(rules)):
            cell = move_cell(rules, occupied, move)
            if cell == 0:
                scores[row, move] = UNPLAYABLE
            elif has_line(rules, mover | cell):
                scores[row, move] = win_score(rules, stones)
            elif stones + 1 == rules.columns * rules.rows:
                scores[row, move] = 0
            else:
                places[count] = row * move_count(rules) + move
                children[count] = shared_key(rules, *play(mover, occupied, cell))
                count += 1
    return count


def label(rules: Rules, keys: Ints, solver: Solver, limit: Limit = NO_LIMIT) -> Labels:
    """Return positions in progress with the exact scores of all moves; raises CalledOffError."""
    scores = np.empty((len(keys), rules.move_count), np.int8)
    places, children = np.empty((2, scores.size), np.int64)
    count = _children(rules, keys, scores, places, children)
    distinct, inverse = np.unique(children[:count], return_inverse=True)
    scores.reshape(-1)[places[:count]] = -_solved(rules, distinct, solver, limit)[inverse]
    return Labels(rules, keys, scores.max(axis=1, initial=UNPLAYABLE), scores)


def _solved(rules: Rules, keys: Ints, solver: Solver, limit: Limit) -> Scores:
    """Return the scores of positions, of one ply if the solver has a book."""
    movers, occupied = unpacked(rules, keys)
    if _in_book(solver.book, occupied):
        stones = zip(movers.tolist(), occupied.tolist(), strict=True)
        positions = [Position(rules, *board, ()) for board in stones]
        return np.array(solver.score_many(positions), np.int8)
    found = solver.solve_arrays(movers, occupied, limit)
    if (found.low < found.high).any():
        raise CalledOffError
    return found.low.astype(np.int8)


def _in_book(book: Book | None, occupied: Ints) -> bool:
    return book is not None and len(occupied) > 0 and int(occupied[0]).bit_count() <= book.plies


class Labeller:
    """Labels positions on threads that share one table; a context manager that ends them."""

    def __init__(self, rules: Rules, threads: int | None = None) -> None:
        self.rules = rules
        self.solver = Solver(rules, TABLE_MB, book=shipped_book(rules), tuned=True)
        self._workers = Workers(threads)

    def __enter__(self) -> Labeller:
        return self

    def __exit__(self, *error: Any) -> None:
        self._workers.__exit__(*error)

    def label(
        self, keys: Ints, path: Path | None = None, watch: Callable[[int], None] = lambda _: None
    ) -> Labels:
        """Label positions, those of a ply together; what `path` holds of them is not done again.

        `watch` hears again and again how many are done; a CalledOffError of it calls all off.
        """
        heard = 0

        def is_off() -> bool:
            try:
                watch(heard)
            except CalledOffError:
                return True
            return is_left()  # after Ctrl-C

        limit = Limit(stop=is_off)
        done = self._resumed(keys, path)
        if len(done) < len(keys):
            self.solver.prepare()
        block, saved = CHUNK * self._workers.count * BLOCK, time.monotonic()
        while len(done) < len(keys):
            begin = len(done)
            parts = range(begin, min(begin + block, len(keys)), CHUNK)
            made = dict[int, Labels]()
            for at, chunk in self._workers.run(lambda at: self._chunk(keys, at, limit), parts):
                made[at] = chunk
                heard = min(begin + len(made) * CHUNK, len(keys))
                watch(heard)
            done = joined([done, *(made[at] for at in parts)])
            if path and (len(done) == len(keys) or time.monotonic() - saved > SAVE_SECONDS):
                save_labels(path, done)
                saved = time.monotonic()
        return done

    def _chunk(self, keys: Ints, at: int, limit: Limit) -> Labels:
        return label(self.rules, keys[at : at + CHUNK], self.solver, limit)

    def _resumed(self, keys: Ints, path: Path | None) -> Labels:
        done = begun(path, self.rules, keys) if path else nothing(self.rules)
        if done is None:
            raise StorageError(
                f"{path} holds labels of other positions, or of another game; name another folder"
            )
        return done


def begun(path: Path, rules: Rules, keys: Ints) -> Labels | None:
    """Return what a file holds of the labels of positions, None if it is a file of others."""
    done = load_labels(path) if path.exists() else nothing(rules)
    is_beginning = done.rules == rules and np.array_equal(done.keys, keys[: len(done)])
    return done if is_beginning else None


def nothing(rules: Rules) -> Labels:
    """Return no labels at all."""
    empty = np.empty((0, rules.move_count), np.int8)
    return Labels(rules, np.empty(0, np.int64), empty[:, 0], empty)


def joined(parts: Sequence[Labels]) -> Labels:
    """Return the labels of all parts, which are of one game."""
    return Labels(
        parts[0].rules,
        np.concatenate([part.keys for part in parts]),
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.scores for part in parts]),
    )


def save_labels(path: Path, labels: Labels) -> None:
    """Write labels; an old file at `path` stays until the new one is complete."""
    arrays: dict[str, Array] = {
        "keys": labels.keys,
        "values": labels.values,
        "scores": labels.scores,
    }
    save_arrays(path, KIND, VERSION, {"game": name_of(labels.rules)}, arrays)


def load_labels(path: Path) -> Labels:
    """Read the labels of a file, or of all files of a folder; raises StorageError."""
    if path.is_dir():
        found = [load_labels(file) for file in sorted(path.rglob("*.npz"))]
        if not found or any(part.rules != found[0].rules for part in found):
            raise StorageError(
                f"{path} holds no labels of one game; make some: fourlab data labels"
            )
        return joined(found)
    try:
        return _read(path)
    except StorageError as error:
        raise StorageError(f"{error}; {REMEDY}" if is_there(path) else str(error)) from None


def _read(path: Path) -> Labels:
    """Return the labels of a file; raises StorageError."""
    header, arrays = load_arrays(path, KIND, VERSION)
    rules = game(str(header.get("game", "")))
    check_size(rules)
    keys, values, scores = (arrays.get(name, np.empty(0)) for name in ("keys", "values", "scores"))
    shapes = (keys.shape, values.shape, scores.shape)
    count = keys.size
    fits = shapes == ((count,), (count,), (count, rules.move_count))
    kinds = [array.dtype for array in (keys, values, scores)]
    if not fits or kinds != [np.dtype(kind) for kind in (np.int64, np.int8, np.int8)]:
        raise StorageError(f"{path} is damaged: its arrays do not fit {rules}")
    if not _are_of(rules, keys) or not (_are_scores(rules, values) and _are_scores(rules, scores)):
        raise StorageError(f"{path} is damaged: its entries do not fit {rules}")
    return Labels(rules, keys, values, scores)


def _are_of(rules: Rules, keys: Ints) -> bool:
    """Return whether keys are of boards of a game, with the stones of either side."""
    movers, occupied = unpacked(rules, keys)
    inside = (movers & ~occupied == 0) & (occupied & ~rules.board == 0)
    stones, own = np.bitwise_count(occupied), np.bitwise_count(movers)
    return bool((inside & (own == stones // 2) & (packed(rules, movers, occupied) == keys)).all())


def _are_scores(rules: Rules, scores: Scores) -> bool:
    return bool(((scores <= UNKNOWN) | (np.abs(scores.astype(int)) <= rules.cells)).all())
