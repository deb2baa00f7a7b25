"""`Team`: threads that share one range of work, again and again, with little ado.

They serve kernels, which release the GIL. Each gets one piece: a call of a kernel takes the GIL for
some 20 microseconds.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")


class Team:
    """Some threads; with one alone the caller does the work."""

    def __init__(self, threads: int = 1) -> None:
        self.threads = threads
        self._orders: SimpleQueue[Any] = SimpleQueue()
        self._done: SimpleQueue[Any] = SimpleQueue()
        self._pieces = 0
        for _ in range(threads if threads > 1 else 0):
            threading.Thread(target=_serve, args=(self._orders, self._done), daemon=True).start()

    def begin(self, work: Callable[[int, int], T], count: int) -> None:
        """Start `work(first, stop)` over pieces of 0 to `count`; `end` waits for it."""
        piece = max(-(-count // self.threads), 1)
        edges = [*range(0, count, piece), count] if count else [0]
        self._pieces = len(edges) - 1
        if self.threads == 1:
            for index in range(self._pieces):
                self._done.put((index, work(edges[index], edges[index + 1]), None))
            return
        for index in range(self._pieces):
            self._orders.put((index, work, edges[index], edges[index + 1]))

    def end(self) -> list[Any]:
        """Return the results of the pieces in order; raises what one of them raised."""
        results: list[Any] = [None] * self._pieces
        failure: BaseException | None = None
        for _ in range(self._pieces):
            index, result, error = self._done.get()
            results[index] = result
            failure = failure or error
        self._pieces = 0
        if failure is not None:
            raise failure
        return results

    def share(self, work: Callable[[int, int], T], count: int) -> list[T]:
        """Do the work and return the results of its pieces."""
        if self.threads == 1:
            return [work(0, count)]
        self.begin(work, count)
        return self.end()

    def close(self) -> None:
        """Let the threads go."""
        for _ in range(self.threads):
            self._orders.put(None)


def _serve(orders: SimpleQueue[Any], done: SimpleQueue[Any]) -> None:
    while (order := orders.get()) is not None:
        index, work, first, stop = order
        try:
            done.put((index, work(first, stop), None))
        except BaseException as error:  # the caller raises it
            done.put((index, None, error))


ALONE = Team()
