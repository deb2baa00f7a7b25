"""Says in the terminal what is waited for while kernels are compiled."""

from __future__ import annotations

import logging
import threading

from fourlab.core import waiting

log = logging.getLogger("fourlab.kernels")

QUIET_SECONDS = 0.3  # that something may take before anything is said of it


class CompilationNotice:
    """A line for whatever takes longer than a moment to compile; quick ones pass in silence."""

    def __init__(self) -> None:
        self._timer: threading.Timer | None = None
        self._count = 0

    def __call__(self, name: str, begins: bool) -> None:
        """Hear that a kernel begins or ends to be compiled."""
        if self._timer is not None:
            self._timer.cancel()
        if begins:
            self._timer = threading.Timer(QUIET_SECONDS, self._say, (name,))
            self._timer.daemon = True
            self._timer.start()

    def _say(self, name: str) -> None:
        once = " (once on this machine)" if self._count == 0 else ""
        self._count += 1
        log.info("compiling %s%s ...", name, once)


def announce_compilation() -> None:
    """Announce what is compiled from now on; nothing is loaded for that."""
    waiting.listen(CompilationNotice())
