"""Ends what a process has started when the process itself is killed.

A program whose input ends is meant to end, but one that loops never looks. So a process that starts
children starts this file too, once, as a program: it is told which groups of processes live, knows
by the end of its input that its owner is gone, and ends them. It imports nothing of fourlab.
"""

from __future__ import annotations

import atexit
import contextlib
import inspect
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable


class Guardian:
    """The guardian of this process, which is started when it is first needed."""

    def __init__(self) -> None:
        self.groups: set[int] = set()  # that live
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def watch(self, group: int) -> None:
        """End a group of processes should this process be killed."""
        with self._lock:
            self.groups.add(group)
            if self._process is None or self._process.poll() is not None:
                self._process = self._start()
                self._tell("+", self.groups)
            else:
                self._tell("+", [group])

    def forget(self, group: int) -> None:
        """A group has ended; its number may become somebody else's."""
        with self._lock:
            self.groups.discard(group)
            self._tell("-", [group])

    def leave(self) -> None:
        """End it, and all that still lives."""
        if self._process is not None:
            self._process.communicate()

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603  # this very text
            [sys.executable, "-I", "-S", "-c", inspect.getsource(sys.modules[__name__])],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # what interrupts its owner is not meant for it
        )

    def _tell(self, sign: str, groups: Iterable[int]) -> None:
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(OSError, ValueError):  # it is gone; the next call starts one
                self._process.stdin.write("".join(f"{sign}{g}\n" for g in groups).encode())


guardian = Guardian()
atexit.register(guardian.leave)


def main() -> None:
    """Hear of groups until the owner is gone, and end those that live."""
    living: set[int] = set()
    for line in sys.stdin:
        (living.add if line[0] == "+" else living.discard)(int(line[1:]))
    for group in living:
        with contextlib.suppress(OSError):
            os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    main()
