"""`LineProcess`: a child process that speaks lines, heard with a time limit and ended for sure."""

from __future__ import annotations

import contextlib
import queue
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

KEPT_ERRORS = 4000  # bytes of its standard error that are worth telling


def python_with_fourlab(module: str) -> list[str]:
    """Return the command that runs a module of this fourlab, whatever is installed elsewhere."""
    paths = [str(Path(__file__).parents[2]), *(path for path in sys.path if path)]
    start = f"import sys; sys.path[:] = {list(dict.fromkeys(paths))!r}; sys.argv[0] = {module!r};"
    run = f"import runpy; runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"
    return [sys.executable, "-c", f"{start} {run}"]


class LineProcess:
    """A child process; what it writes to standard error is kept."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str] | None = None) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # lives as long as this
        self.process = subprocess.Popen(  # noqa: S603  # whoever makes it says what runs
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env=None if env is None else dict(env),
        )
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        pipe = self.process.stdout
        threading.Thread(target=_read, args=(pipe, self._lines), daemon=True).start()
        self.close = weakref.finalize(self, _end, self.process, self._errors)

    @property
    def is_alive(self) -> bool:
        """Whether it runs."""
        return self.process.poll() is None

    def say(self, line: str) -> None:
        """Send a line; if the process is dead, that is heard."""
        assert self.process.stdin is not None  # noqa: S101  # it was asked for
        with contextlib.suppress(OSError, ValueError):  # it is gone, or was left
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()

    def hear(self, seconds: float) -> str | None:
        """Return the next line, or None if the process has died; raises TimeoutError."""
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            raise TimeoutError from None
        return line.rstrip("\n") if line else None

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


def _read(pipe: IO[str], lines: queue.SimpleQueue[str]) -> None:
    """Pass on lines as they come, and "" at the end."""
    for line in pipe:
        lines.put(line)
    lines.put("")


def _end(process: subprocess.Popen[str], errors: IO[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, errors):
        if pipe is not None:
            with contextlib.suppress(OSError):  # what was still to be written to the dead
                pipe.close()
