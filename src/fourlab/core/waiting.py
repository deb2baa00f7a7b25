"""What is waited for: kernels that are being compiled, told to whoever wants to show it.

Needs nothing, so that a program can listen before anything is loaded.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

log = logging.getLogger("fourlab.kernels")

Listener = Callable[[str, bool], None]  # a kernel's module, and whether its compilation begins

_listeners: list[Listener] = []
_said = threading.Event()


def listen(listener: Listener) -> None:
    """Call a listener whenever a kernel begins or ends to be compiled, in whichever thread."""
    _listeners.append(listener)


def unlisten(listener: Listener) -> None:
    """Tell a listener no more."""
    _listeners.remove(listener)


def tell(name: str, begins: bool) -> None:
    """Pass on that a kernel begins or ends to be compiled; without listeners, log it once."""
    if not _listeners and begins and not _said.is_set():
        _said.set()
        log.info("compiling (once on this machine)")
    for listener in list(_listeners):
        listener(name, begins)
