"""A workbench for tests: real threads, but results are delivered when the test says so."""

import asyncio
import queue
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from fourlab.web.sessions.base import Session
from fourlab.web.workbench import Workbench

Found = TypeVar("Found")
THREADS = 2  # of a pool
PATIENCE = 300.0  # seconds until a test that waits has failed, compiling included


class TestBench(Workbench):
    """Posts go to a queue; what should happen later happens as soon as it is the queue's turn."""

    __test__ = False

    def __init__(self) -> None:
        self.posts: queue.Queue[Callable[[], None]] = queue.Queue()
        super().__init__(self.posts.put, lambda _, action: self.posts.put(action), THREADS)

    def until(self, condition: Callable[[], Any]) -> None:
        """Deliver results until something is so."""
        while not condition():
            self.posts.get(timeout=PATIENCE)()


def opened(session: Session) -> Session:
    """Return a session that a visitor has opened."""
    session.open()
    return session


def on_a_loop(work: Coroutine[Any, Any, Found]) -> Found:
    """Run something on an event loop of its own: the browser's may be running in this thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()
