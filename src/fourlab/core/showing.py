"""Things that are drawn again and again while they grow: in one place of a notebook, or one line.

A notebook draws what has `_repr_html_`; IPython is looked for only where it runs already.
"""

from __future__ import annotations

import sys
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

PAUSE = 0.25  # seconds between two drawings
LINE = "\r\x1b[K"  # back to the beginning of the line, which is wiped

Thing = TypeVar("Thing")

_places: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()  # where things are drawn


def harmless(text: str) -> str:
    """Return a text of others without what steers a terminal, or cannot be written at all."""
    return "".join(mark if mark.isprintable() or mark in "\n\t" else "\ufffd" for mark in text)


def show(thing: Any) -> None:
    """Draw a thing in a notebook, the next time in the same place; in a terminal on one line.

    What is `show=` in `train`, `tournament` and `sweep` may be this, or a function of one's own.
    What does not grow, such as a position, is drawn or printed whole.
    """
    kind: Any = type(thing)
    grows = kind.__hash__ is object.__hash__ and hasattr(thing, "__weakref__")  # it is itself alone
    if _in_notebook():
        display: Callable[..., Any] = sys.modules["IPython"].display.display
        if not grows:
            display(thing)
        elif thing in _places:
            _places[thing].update(thing)
        else:
            _places[thing] = display(thing, display_id=True)
    elif not grows:
        sys.stdout.write(f"{thing}\n")
    elif sys.stdout.isatty():
        sys.stdout.write(LINE + str(thing).partition("\n")[0])
        sys.stdout.flush()


def _in_notebook() -> bool:
    """Return whether this is the kernel of a notebook, and not a terminal."""
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return getattr(shell, "kernel", None) is not None


@contextmanager
def shown(show: Callable[[Thing], object] | None, thing: Thing) -> Iterator[Callable[[], None]]:
    """Give what is called whenever the thing has grown; it is shown now and then, and at the end.

    Without `show` nothing is.
    """
    due = 0.0

    def look() -> None:
        nonlocal due
        if show is not None and time.monotonic() >= due:
            show(thing)
            due = time.monotonic() + PAUSE

    try:
        yield look
    finally:
        if show is not None:
            show(thing)
