"""Whether a thread still starts: what only a first call does, and may do for long.

Importing a big package or compiling looks from outside like hanging. From inside it is told apart:
by the modules whose functions are under way.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator

EVERY = 1.0  # seconds between two looks
LOOKS = 120  # after which it is hanging all the same
MODULES = ("importlib.", "numba.", "torch._dynamo.", "torch._inductor.", "jax.")


@contextlib.contextmanager
def signs_of_starting(tell: Callable[[], None]) -> Iterator[None]:
    """Call `tell` from another thread, every second in which this one imports or compiles."""
    here, over = threading.get_ident(), threading.Event()

    def look() -> None:
        for _ in range(LOOKS):
            if over.wait(EVERY):
                return
            if _is_starting(here):
                tell()

    looking = threading.Thread(target=look, daemon=True)
    looking.start()
    try:
        yield
    finally:
        over.set()
        looking.join()  # it says nothing afterwards


def _is_starting(thread: int) -> bool:
    frame = sys._current_frames().get(thread)
    while frame is not None:
        if f"{frame.f_globals.get('__name__', '')}.".startswith(MODULES):
            return True
        frame = frame.f_back
    return False
