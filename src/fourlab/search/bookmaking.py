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
from fourlab.core.storage import (
    StorageError,
    beside,
    is_there,
    reading,
    replacing,
    seal,
    unseal,
)
from fourlab.rules.catalog import name_of
from fourlab.rules.geometry import Rules
from fourlab.search.book import Book, Scores, backed_up, shelves
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
        self._gap = ""
        self._resume()

    @property
    def total(self) -> int:
        """The number of positions to solve."""
        return len(self.scores)

    @property
    def solved(self) -> int:
        """The number of positions solved so far."""
        return int(np.count_nonzero(self.scores != UNSOLVED))

    def _resume(self) -> None:
        """Read what an earlier build has solved, and leave only whole lines behind."""
        entries: list[dict[str, Any]] = [self._header]
        if is_there(self.progress_path):
            with reading(self.progress_path):
                lines = self.progress_path.read_bytes().decode(errors="replace").split("\n")
            if self._entry(lines[0]) != self._header:
                raise StorageError(
                    f"{self.progress_path} belongs to another book, or is damaged: "
                    f"{lines[0][:100]!r}; remove it or choose another file"
                )
            found = [self._entry(line) for line in lines[1:] if line]
            entries += [entry for entry in found if entry is not None]
            if None in found[:-1]:  # the last one was cut off when a build was killed
                log.warning("%s was damaged; what is missing is solved again", self.progress_path)
        for entry in entries[1:]:
            self.scores[entry["at"] : entry["at"] + len(entry["scores"])] = entry["scores"]
        with replacing(self.progress_path) as file:
            file.writelines(_line(entry).encode() for entry in entries)

    def _entry(self, line: str) -> dict[str, Any] | None:
        """Return what a line says, None if it was cut off or changed."""
        try:
            return unseal(json.loads(line), self.progress_path, must=True)
        except (ValueError, RecursionError):
            return None

    def _append(self, entry: dict[str, Any]) -> None:
        """Keep what was solved; a full disk does not stop the build."""
        try:
            with self.progress_path.open("a", encoding="utf-8") as file:
                file.write(self._gap + _line(entry))
            self._gap = ""
        except OSError as error:
            if not self._gap:
                log.warning("cannot write %s: %s; going on", self.progress_path, error.strerror)
            self._gap = "\n"  # ends the line that was cut off

    def run(self, executor: Executor, workers: int) -> Iterator[int]:
        """Solve what is left; yields the number of positions solved so far after each chunk."""
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
        book.save(self.path)
        self.progress_path.unlink(missing_ok=True)
        return book
