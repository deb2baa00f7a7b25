"""`Laboratory`: what all pages of one running server share."""

from __future__ import annotations

import asyncio

from fourlab.web.limits import MOST_PAGES, Doorkeeper
from fourlab.web.warm import Warming
from fourlab.web.workbench import Workbench


class Laboratory:
    """The threads and the door of one server, from its start to its end."""

    def __init__(self, threads: int = 0, pages_each: int = MOST_PAGES) -> None:
        self.threads = threads
        self.door = Doorkeeper(pages_each)
        self.warming = Warming()
        self._bench: Workbench | None = None

    @property
    def bench(self) -> Workbench:
        """The workbench; there is one while the server runs."""
        if self._bench is None:
            raise RuntimeError("the laboratory is not open")
        return self._bench

    def open(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start the threads; sessions live on this loop."""
        self.warming.start()
        self._bench = Workbench(
            loop.call_soon_threadsafe, loop.call_later, self.threads, self.warming
        )

    def close(self) -> None:
        """Stop them."""
        self.warming.close()
        self.bench.close()
        self._bench = None
