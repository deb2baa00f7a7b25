"""`LineProcess`: a child process that speaks lines, heard with a time limit and ended for sure."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

KEPT_ERRORS = 4000  # bytes of its standard error that are worth telling
MOST_WAITING = 10_000  # lines that nobody has heard; then the child waits
LONGEST_LINE = 1 << 16  # characters; what is longer comes in pieces
STRICT_MEMORY = 2 << 30  # bytes that unknown code may have
STRICT_FILE = 256 << 20  # bytes that a file may have which it writes


def python_with_fourlab(module: str) -> list[str]:
    """Return the command that runs a module of this fourlab, whatever is installed elsewhere."""
    paths = [str(Path(__file__).parents[2]), *(path for path in sys.path if path)]
    start = f"import sys; sys.path[:] = {list(dict.fromkeys(paths))!r}; sys.argv[0] = {module!r};"
    run = f"import runpy; runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"
    return [sys.executable, "-c", f"{start} {run}"]


class LineProcess:
    """A child process with all that it starts; what it writes to standard error is kept."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str] | None = None) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # lives as long as this
        try:
            self.process = self._start(command, env)
        except OSError:
            self._errors.close()
            raise
        self._lines: queue.Queue[str] = queue.Queue(MOST_WAITING)
        pipe = self.process.stdout
        reader = threading.Thread(target=_read, args=(pipe, self._lines), daemon=True)
        reader.start()
        self.close = weakref.finalize(self, _end, self.process, self._errors, reader, self._lines)

    def _start(
        self, command: Sequence[str], env: Mapping[str, str] | None
    ) -> subprocess.Popen[str]:
        return subprocess.Popen(  # noqa: S603  # whoever makes it says what runs
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            errors="replace",
            env=None if env is None else dict(env),
            start_new_session=True,  # a group of its own, so that its children end with it
        )

    @property
    def is_alive(self) -> bool:
        """Whether it runs."""
        return self.process.poll() is None

    def restrict(self, strictly: bool) -> None:
        """Hold it to the memory and the size of files that unknown code may have, or let it go."""
        try:
            from resource import RLIM_INFINITY, RLIMIT_DATA, RLIMIT_FSIZE, prlimit
        except ImportError:  # not on this system
            return
        limits = ((RLIMIT_DATA, STRICT_MEMORY), (RLIMIT_FSIZE, STRICT_FILE))
        for what, most in limits:
            with contextlib.suppress(OSError, ValueError):  # it is gone, or held to less
                _, hard = prlimit(self.process.pid, what)
                soft = hard if not strictly else most if hard == RLIM_INFINITY else min(most, hard)
                prlimit(self.process.pid, what, (soft, hard))

    def say(self, line: str) -> None:
        """Send a line; if the process is dead, that is heard."""
        assert self.process.stdin is not None  # noqa: S101  # it was asked for
        with contextlib.suppress(OSError, ValueError):  # it is gone, or was left
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()

    def hear(self, seconds: float) -> str | None:
        """Return the next line, or None if the process has died; raises TimeoutError."""
        try:
            line = self._lines.get(timeout=max(seconds, 0.0))
        except queue.Empty:
            raise TimeoutError from None
        return line.rstrip("\n") if line else None

    def forget(self) -> None:
        """Pass over what it has said and nobody asked for."""
        with contextlib.suppress(queue.Empty):
            while self.is_alive:
                self._lines.get_nowait()

    def errors(self) -> str:
        """Return the end of what it has written to standard error."""
        size = self._errors.seek(0, 2)
        self._errors.seek(max(0, size - KEPT_ERRORS))
        return self._errors.read().decode(errors="replace").strip()

    def leave(self, grace: float) -> str:
        """End it for good, dead or alive; return how it ended."""
        try:
            ending = f"ended with code {self.process.wait(grace)}"
        except subprocess.TimeoutExpired:
            ending = "was stopped"
        self.close()
        return ending


def _read(pipe: IO[str], lines: queue.Queue[str]) -> None:
    """Pass on lines as they come, and "" at the end."""
    with contextlib.suppress(ValueError, OSError):  # closed meanwhile
        while line := pipe.readline(LONGEST_LINE):
            lines.put(line)
    lines.put("")


def _end(
    process: subprocess.Popen[str],
    errors: IO[bytes],
    reader: threading.Thread,
    lines: queue.Queue[str],
) -> None:
    with contextlib.suppress(OSError):  # all of them are gone
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    while reader.is_alive():  # it may wait for room
        with contextlib.suppress(queue.Empty):
            while True:
                lines.get_nowait()
        reader.join(0.01)
    for pipe in (process.stdin, process.stdout, errors):
        if pipe is not None:
            with contextlib.suppress(OSError):  # what was still to be written to the dead
                pipe.close()
