"""`Limit`: when to stop thinking. The one kind of limit, and always an argument of a call."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from fourlab.core.errors import SHOWN, SpecError

UNLIMITED = 1 << 60  # nodes that nobody counts to


class CalledOffError(Exception):
    """Nobody waits any more for what was being worked on, or its time is over: no result."""


def never() -> bool:
    """Call nothing off."""
    return False


@dataclass(frozen=True)
class Limit:
    """Seconds and nodes at most; `stop` is asked every few milliseconds and calls it off."""

    seconds: float = math.inf
    nodes: int = UNLIMITED
    stop: Callable[[], bool] = never

    def __post_init__(self) -> None:
        """Raise SpecError for what would never end, or ends in the middle of a search."""
        seconds: Any = self.seconds
        nodes: Any = self.nodes
        if not isinstance(seconds, Real) or math.isnan(seconds):
            raise SpecError(f"seconds={seconds!r:.{SHOWN}}: write a number, or leave it out")
        if not isinstance(nodes, Integral) or nodes < 0:
            raise SpecError(f"nodes={nodes!r:.{SHOWN}}: write a whole number from 0 on")
        if not callable(self.stop):
            raise SpecError(f"stop={self.stop!r:.{SHOWN}}: write a function that tells when")

    @property
    def is_open(self) -> bool:
        """Whether nothing is limited: then nobody need look at the clock."""
        return self.seconds == math.inf and self.nodes >= UNLIMITED and self.stop is never

    @property
    def heard(self) -> Limit:
        """The limit for work that comes back to Python now and then: there Ctrl-C is heard."""
        return Limit(stop=lambda: False) if self.is_open else self

    def at_once(self, nodes: int, most: int) -> int:
        """Return how many decisions of so many nodes are made between two looks at the clock.

        Together they have `most` nodes, unless nothing is limited: that takes all.
        """
        if self.is_open:
            return UNLIMITED
        return max(most // max(nodes, 1), 1) if nodes <= self.nodes else 1

    def within(self, seconds: float | None) -> Limit:
        """Return the limit with no more than so many seconds; None adds nothing."""
        if seconds is None or seconds >= self.seconds:
            return self
        return Limit(seconds, self.nodes, self.stop)

    def watch(self) -> Watch:
        """Start the clock."""
        return Watch(self)


NO_LIMIT = Limit()


class Watch:
    """A limit whose clock runs."""

    def __init__(self, limit: Limit) -> None:
        self._limit = limit
        self._began = time.perf_counter()

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self._began

    @property
    def left(self) -> float:
        """Seconds that are left, less than 0 when they are over."""
        return self._limit.seconds - self.elapsed

    def is_over(self, nodes: int = 0) -> bool:
        """Return whether time, or this many nodes, have used the limit up, or it was called off."""
        limit = self._limit
        return self.left <= 0 or nodes >= limit.nodes or limit.stop()

    def check(self) -> None:
        """Raise CalledOffError if it is over: for work that comes to nothing half done."""
        if self.is_over():
            raise CalledOffError

    def rest(self, nodes: int = 0) -> Limit:
        """Return what is left of the limit after so many nodes."""
        return Limit(self.left, max(0, self._limit.nodes - nodes), self._limit.stop)
