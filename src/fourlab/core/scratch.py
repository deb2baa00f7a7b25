"""`Scratch`: work space that a decision takes out and puts back, so that no two ever share it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

T = TypeVar("T")


class Scratch(Generic[T]):
    """Spare work space of one kind; as much is made as is in use at once.

    With `keeps=False` none is held between two uses: for space that is large and quickly made.
    """

    def __init__(self, make: Callable[[], T], keeps: bool = True) -> None:
        self._make = make
        self._keeps = keeps
        self._idle: list[T] = []

    @contextmanager
    def lent(self) -> Iterator[T]:
        """Give work space that nobody else has until the end of the block."""
        try:
            space = self._idle.pop()  # one step, which no other thread can divide
        except IndexError:
            space = self._make()
        try:
            yield space
        finally:
            if self._keeps:
                self._idle.append(space)
