"""Makes opening books: solves every position of one ply, in any number of workers, resumably.

What has been solved is appended to a progress file beside the book, so that a build that was
stopped, or killed, goes on where it was. Every line of it carries a checksum: one that was cut off
or changed is passed over, and its positions are solved again.
"""

from __future__ import annotations

import functools
import json
import logging
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from pathlib import Path
from typing import Any

import numpy as np

from fourlab.core.arrays import Ints
from fourlab.core.errors import why
from fourlab.core.files import at_once, contents
from fourlab.core.held import Held, alone
from fourlab.core.storage import (
    StorageError,
    beside,
    check_place,
    check_same,
    check_spare,
    peek,
    reading,
    replacing,
    seal,
    unseal,
    writing,
)
from fourlab.rules.catalog import name_of
from fourlab.rules.geometry import Rules
from fourlab.search.book import KIND, Book, Scores, backed_up, shelves
from fourlab.search.solver import Solver

log = logging.getLogger("fourlab.book")

PROGRESS_VERSION = 2
CHUNK = 32  # positions a worker solves between two reports, fewer where there are few
UNSOLVED = -128


def _line(entry: dict[str, Any]) -> str:
    return json.dumps(seal(entry)) + "\n"


@functools.cache
def _worker_solver(rules: Rules, table_mb: float) -> Solver:
    """Return the solver of this process; threads share its table."""
    return Solver(rules, table_mb=table_mb)


def solve_chunk(rules: Rules, movers: Ints, occupied: Ints, table_mb: float) -> list[int]:
    """Return the scores of some positions; runs in a worker."""
    scores: list[int] = _worker_solver(rules, table_mb).score_arrays(movers, occupied).tolist()
    return scores


class Build:
    """The making of one book. Iterate over `run` until it ends, then `finish`."""

    def __init__(self, rules: Rules, plies: int, path: Path, table_mb: float = 256) -> None:
        self.rules = rules
        self.path = path
        self.table_mb = table_mb
        self.shelves = shelves(rules, plies)
        self.scores: Scores = np.full(len(self.shelves[-1].keys), UNSOLVED, np.int8)
        self._header = {"game": name_of(rules), "plies": plies, "version": PROGRESS_VERSION}
        self.progress_path = beside(path, ".progress")
        self._gap = ""  # ends a line of it that was cut off
        self._is_told = False  # that it cannot be written
        self._held: Held | None = None  # the progress file, while it is written
        check_place(path)
        self._check_spare()
        self._resume()

    def _check_spare(self) -> None:
        """Refuse to write over a book of another game or of more plies, or over no book."""
        if check_spare(self.path, "book", lambda path: peek(path)["kind"] == KIND):
            old, new = peek(self.path), self._header
            if old.get("game") != new["game"] or old.get("plies", 0) > new["plies"]:
                held, made = (f"{one.get('game')}, {one.get('plies')} plies" for one in (old, new))
                check_same(self.path, f"a book of {held}", f"one of {made}")

    @property
    def total(self) -> int:
        """The number of positions to solve."""
        return len(self.scores)

    @property
    def solved(self) -> int:
        """The number of positions solved so far."""
        return int(np.count_nonzero(self.scores != UNSOLVED))

    def _resume(self) -> None:
        """Read what an earlier build has solved; it may be at work."""
        path, first = self.progress_path, _line(self._header)
        with writing(path), open(path, "ab", opener=at_once):
            pass
        with reading(path):
            text = contents(path).decode(errors="replace")
        if len(text) < len(first) and first.startswith(text):  # a full disk may have cut it off
            with replacing(path) as file:
                file.write(first.encode())
            return
        *lines, cut = text.split("\n")
        first = (lines or [cut])[0]
        if self._entry(first) != self._header:
            raise StorageError(
                f"{path} belongs to another book, or is damaged: {first[:100]!r}; "
                "remove it or choose another file"
            )
        self._gap = "\n" if cut else ""  # when a build was killed
        found = [self._entry(line) for line in lines[1:] if line]
        if None in found:
            log.warning("%s was damaged; what is missing is solved again", path)
        for entry in found:
            if entry and self._fits(entry):
                self.scores[entry["at"] : entry["at"] + len(entry["scores"])] = entry["scores"]

    def _entry(self, line: str) -> dict[str, Any] | None:
        """Return what a line says, None if it was cut off or changed."""
        try:
            return unseal(json.loads(line), self.progress_path, must=True)
        except (ValueError, RecursionError):
            return None

    def _fits(self, entry: dict[str, Any]) -> bool:
        """Return whether an entry is scores of positions of this book."""
        at, scores = entry.get("at"), entry.get("scores")
        return (
            type(at) is int
            and isinstance(scores, list)
            and 0 <= at <= self.total - len(scores)
            and all(type(one) is int and abs(one) <= self.rules.cells for one in scores)
        )

    def _append(self, entry: dict[str, Any]) -> None:
        """Keep what was solved; a full disk does not stop the build."""
        try:
            if self._held is not None:
                self._held.check()
            with self.progress_path.open("a", encoding="utf-8") as file:
                file.write(self._gap + _line(entry))
            self._gap, self._is_told = "", False
        except (OSError, StorageError) as error:
            if not self._is_told:
                log.warning("cannot write %s: %s; going on", self.progress_path, why(error))
            self._gap, self._is_told = "\n", True

    def run(self, executor: Executor, workers: int) -> Iterator[int]:
        """Solve what is left; yields the number of positions solved so far after each chunk.

        Raises StorageError if another program makes the same file.
        """
        with alone(self.progress_path) as self._held:
            yield from self._solve(executor, workers)

    def _solve(self, executor: Executor, workers: int) -> Iterator[int]:
        chunk = max(1, min(CHUNK, self.total // (4 * workers)))
        starts = iter(
            start
            for start in range(0, self.total, chunk)
            if (self.scores[start : start + chunk] == UNSOLVED).any()
        )
        waiting: dict[Future[list[int]], int] = {}
        try:
            while True:
                for start in starts:
                    shelf = self.shelves[-1]
                    part = slice(start, start + chunk)
                    future = executor.submit(
                        solve_chunk,
                        self.rules,
                        shelf.movers[part],
                        shelf.occupied[part],
                        self.table_mb,
                    )
                    waiting[future] = start
                    if len(waiting) >= 2 * workers:
                        break
                if not waiting:
                    return
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    start = waiting.pop(future)
                    scores = future.result()
                    self.scores[start : start + len(scores)] = scores
                    self._append({"at": start, "scores": scores})
                    yield self.solved
        finally:
            for future in waiting:
                future.cancel()

    def finish(self) -> Book:
        """Work out the plies above, write the book, and remove the progress file."""
        book = Book(self.rules, backed_up(self.rules, self.shelves, self.scores))
        self._check_spare()  # it may have taken hours
        book.save(self.path)
        if self._held is None or not self._held.is_elsewhere:
            self.progress_path.unlink(missing_ok=True)
        return book
