"""`Session`: the state behind one open page."""

from __future__ import annotations

import reprlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

from fourlab.core.errors import FourlabError
from fourlab.web.workbench import ANALYSIS, BusyError, Job, Workbench

View = dict[str, Any]
# Faults of what was sent, that nobody looks at one by one.
MISTAKEN = TypeError, AttributeError, LookupError, OverflowError, ValueError, RecursionError
MOST_WORDS = 3000  # characters of an error; one that holds what was sent may be of any length


class Session(ABC):
    """The state behind one open page.

    `view()` is all that the page shows, as plain data. `act(name, args)` does what a visitor asked
    for: `name` must be one of `actions`. `changed` is called whenever the view may differ. Work
    begins with `open()` and is called off by `close()`, when the visitor leaves; while `away()` he
    may still come back. `failure` says what work could not be done, until the next action that is
    not `unasked`; `waiting` what it waits for.
    """

    actions: ClassVar[frozenset[str]] = frozenset()
    unasked: ClassVar[frozenset[str]] = frozenset()  # those that a page does by itself
    kept_kind: ClassVar[str] = ""  # the kind of item that it keeps: it is made with a `shelf` then

    def __init__(self, bench: Workbench) -> None:
        self.bench = bench
        self.changed: Callable[[], None] = lambda: None
        self.error: dict[str, str] | None = None
        self.failure = ""
        self.waiting = ""  # what is compiled before work can begin
        self._jobs: dict[str, Job] = {}
        self.is_open = False

    @abstractmethod
    def view(self) -> View:
        """Return everything that the page shows."""

    def refresh(self) -> None:  # noqa: B027  # a page may have no work to start
        """Start the work that the state calls for."""

    def open(self) -> None:
        """A visitor is there: begin to work."""
        if not self.is_open:
            self.is_open = True
            self.refresh()
            self.changed()

    def away(self) -> None:  # noqa: B027  # most pages wait as they are
        """The connection is lost: the visitor has left, or is back in a moment and calls `open`."""

    def close(self) -> None:
        """The visitor has left: call off all work."""
        self.is_open = False
        for job in self._jobs.values():
            job.cancel()
        self._jobs.clear()

    def act(self, name: str, args: list[Any]) -> bool:
        """Do what a visitor asked for; return whether it could be done.

        What cannot be done leaves the state as it was and stands in `error` until the visitor's
        next action.
        """
        refused = None
        if name not in self.unasked:
            self.error, self.failure = None, ""
        try:
            if name not in self.actions:
                raise FourlabError(f"there is no action {name[:20]!r} here")
            try:
                getattr(self, name)(*args)
            except FourlabError:
                raise
            except MISTAKEN as fault:
                given = reprlib.repr(args)  # what is nested deeply cannot be written whole
                raise FourlabError(f"{name!r} does not take {given}"[:200]) from fault
        except FourlabError as error:
            refused = self.error = {"field": name[:40], "text": str(error)[:MOST_WORDS]}
        self.changed()
        return refused is None

    def start(
        self, kind: str, work: Callable[[Job], None], pool: str = ANALYSIS, needs: str = ""
    ) -> None:
        """Start a job of a kind in place of the one of that kind before it.

        `needs` names the task of the warming that must be done first, if any.
        """
        self.stop(kind)

        def prepared(job: Job) -> None:
            if needs:
                job.await_kernels(needs, self._waits)
                job.report(self._waits, "")
            work(job)

        try:
            self._jobs[kind] = self.bench.start(prepared, pool, lambda why: self.failed(kind, why))
        except BusyError as error:
            self.failed(kind, str(error))

    def _waits(self, words: str) -> None:
        if words != self.waiting:
            self.waiting = words
            self.changed()

    def failed(self, kind: str, why: str) -> None:
        """Say that the job of a kind could not be done."""
        self.failure = why
        self.changed()

    def after(self, kind: str, seconds: float, action: Callable[[], None]) -> None:
        """Do something after a while, in place of the job of that kind before it."""
        self.stop(kind)
        self._jobs[kind] = self.bench.after(seconds, action)

    def stop(self, kind: str) -> None:
        """Call off the job of a kind, if there is one."""
        job = self._jobs.pop(kind, None)
        if job is not None:
            job.cancel()


def whole(value: Any, low: int, high: int, what: str) -> int:
    """Return a whole number from a browser; raises FourlabError if it is none or out of range."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise FourlabError(f"{what} {str(value)[:20]!r} is not allowed; {low} to {high}")
    return value


def number(text: Any, low: int, high: int, what: str) -> int:
    """Return a whole number from a field; raises FourlabError if it is none or out of range."""
    try:
        value = int(str(text)[:20])
    except ValueError:
        raise FourlabError(f"{what} {str(text)[:20]!r} is no number; {low} to {high}") from None
    return whole(value, low, high, what)
