"""What is waited for, mostly kernels that are compiled: told to whoever wants to show it.

Needs nothing, so that a program can listen before anything is loaded. Where nobody listens it is
logged, and in a session at a prompt said on standard error.
"""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
from collections.abc import Callable, Iterator

log = logging.getLogger("fourlab.kernels")

Listener = Callable[[str, bool], None]  # a kernel's module, and whether its compilation begins
NOTICE_SECONDS = 5.0  # until a person is told of what has a time of its own
QUIET_SECONDS = 0.3  # that something may take before anything is said of it


class CompilationNotice:
    """Says a line of whatever takes longer than a moment; what is quick passes in silence."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._timer: threading.Timer | None = None
        self._is_first = True

    def __call__(self, name: str, begins: bool) -> None:
        """Hear that a kernel begins or ends to be compiled."""
        if self._timer is not None:
            self._timer.cancel()
        if begins:
            self._timer = threading.Timer(QUIET_SECONDS, self._speak, (name,))
            self._timer.daemon = True
            self._timer.start()

    def _speak(self, name: str) -> None:
        once = " (once on this machine)" if self._is_first else ""
        self._is_first = False
        self._say(f"compiling {name}{once} ...")


def say(words: str) -> None:
    """Tell whoever sits at a prompt, and else the log."""
    if hasattr(sys, "ps1"):  # somebody sits at a prompt
        sys.stderr.write(f"{words}\n")
    else:
        log.info(words)


@contextlib.contextmanager
def notice(words: str) -> Iterator[None]:
    """Say what is waited for, if it takes more than some seconds."""
    timer = threading.Timer(NOTICE_SECONDS, say, (words,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


_unheard = CompilationNotice(say)
_listeners: list[Listener] = []


def listen(listener: Listener) -> None:
    """Call a listener whenever a kernel begins or ends to be compiled, in whichever thread."""
    _listeners.append(listener)


def unlisten(listener: Listener) -> None:
    """Tell a listener no more."""
    _listeners.remove(listener)


def tell(name: str, begins: bool) -> None:
    """Pass on that a kernel begins or ends to be compiled."""
    for listener in list(_listeners) or [_unheard]:
        listener(name, begins)
