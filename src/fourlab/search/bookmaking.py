"""Makes opening books: solves every position of one ply, in any number of workers, resumably.

What has been solved is appended to a progress file beside the book, so that a build that was
stopped, or killed, goes on where it was.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from pathlib import Path
from typing import Any

import numpy as np

from fourlab.core.arrays import Ints
from fourlab.core.storage import StorageError
from fourlab.rules.catalog import name_of
from fourlab.rules.geometry import Rules
from fourlab.search.book import VERSION, Book, Scores, backed_up, shelves
from fourlab.search.solver import Solver

CHUNK = 32  # positions a worker solves between two reports, fewer where there are few
UNSOLVED = -128


@functools.cache
def _worker_solver(rules: Rules, table_mb: float) -> Solver:
    """Return the solver of this process; threads share its table."""
    return Solver(rules, table_mb=table_mb)


def solve_chunk(rules: Rules, movers: Ints, occupied: Ints, table_mb: float) -> list[int]:
    """Return the scores of some positions; runs in a worker."""
    job = _worker_solver(rules, table_mb).solve_arrays(movers, occupied)
    scores: list[int] = job.low.tolist()
    return scores


class Build:
    """The making of one book. Iterate over `run` until it ends, then `finish`."""

    def __init__(self, rules: Rules, plies: int, path: Path, table_mb: float = 256) -> None:
        self.rules = rules
        self.path = path
        self.table_mb = table_mb
        self.shelves = shelves(rules, plies)
        self.scores: Scores = np.full(len(self.shelves[-1].keys), UNSOLVED, np.int8)
        self.progress_path = path.with_name(path.name + ".progress")
        self._header = {"game": name_of(rules), "plies": plies, "version": VERSION}
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
        """Read what an earlier build has solved; a last line that was cut off is passed over."""
        if not self.progress_path.exists():
            self.progress_path.parent.mkdir(parents=True, exist_ok=True)
            self._append(self._header)
            return
        lines = self.progress_path.read_text(encoding="utf-8").split("\n")
        if json.loads(lines[0]) != self._header:
            raise StorageError(
                f"{self.progress_path} belongs to another book: {lines[0]}; "
                "remove it or choose another file"
            )
        whole = 0
        for line in lines[:-1]:
            whole += len(line) + 1
        for line in lines[1:-1]:
            entry = json.loads(line)
            self.scores[entry["at"] : entry["at"] + len(entry["scores"])] = entry["scores"]
        os.truncate(self.progress_path, whole)

    def _append(self, entry: dict[str, Any]) -> None:
        with self.progress_path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

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
        self.progress_path.unlink()
        return book
