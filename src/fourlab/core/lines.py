"""`LineProcess`: a child process that speaks lines, heard with a time limit and ended for sure."""

from __future__ import annotations

import contextlib
import fcntl
import json
import math
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from fourlab.core.guardian import guardian
from fourlab.core.showing import harmless

KEPT_ERRORS = 4000  # of what a program writes to standard error, the end is worth telling
LONGEST_LINE = 1 << 24  # bytes; what is longer comes in pieces
AT_ONCE = 1 << 16  # bytes to read
STRICT_MEMORY = 2 << 30  # bytes that unknown code may have
STRICT_FILE = 256 << 20  # bytes that a file may have which it writes


def python_with_fourlab(module: str) -> list[str]:
    """Return the command that runs a module of this fourlab, whatever is installed elsewhere."""
    paths = [str(Path(__file__).parents[2]), *(path for path in sys.path if path)]
    start = f"import sys; sys.path[:] = {list(dict.fromkeys(paths))!r}; sys.argv[0] = {module!r};"
    run = f"import runpy; runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"
    return [sys.executable, "-c", f"{start} {run}"]


def own_pipes() -> tuple[IO[str], IO[str]]:
    """Return what this process hears and says, which agents in it then neither read nor write.

    Who reads standard input finds its end at once; what is printed goes where errors go.
    """
    said = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace")
    heard = os.fdopen(os.dup(0), encoding="utf-8", errors="replace")  # it may say anything
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # a stream of text
    return heard, said


def told_in(line: str) -> dict[str, Any]:
    """Return what a line of a child tells, nothing if it is none of ours."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def taken(file: int) -> str:
    """Return the end of what was appended to a file, and empty it."""
    size = os.fstat(file).st_size
    if not size:
        return ""
    end = os.pread(file, KEPT_ERRORS, max(0, size - KEPT_ERRORS))
    os.ftruncate(file, 0)
    return harmless(end.decode(errors="replace").replace("\r\n", "\n"))


class LineProcess:
    """A child process with all that it starts; what it writes to standard error is kept."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str] | None = None) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # lives as long as this
        fcntl.fcntl(self._errors, fcntl.F_SETFL, os.O_APPEND)  # to its end, also once it is emptied
        try:
            self.process = self._start(command, env)
        except OSError:
            self._errors.close()
            raise
        guardian.watch(self.process.pid)
        assert self.process.stdin and self.process.stdout  # noqa: S101, PT018  # they were asked for
        self._input = self.process.stdin
        self._pipe = self.process.stdout.fileno()
        self._poll = select.poll()  # a child that nobody hears waits by itself: pipes are short
        self._poll.register(self._pipe, select.POLLIN)
        self._heard = b""
        os.set_blocking(self._input.fileno(), False)
        self._takes = select.poll()
        self._takes.register(self._input, select.POLLOUT)
        self._unsaid = b""
        self.close = weakref.finalize(self, _end, self.process, self._errors)

    def _start(
        self, command: Sequence[str], env: Mapping[str, str] | None
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603  # whoever makes it says what runs
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
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
        """Send a line; what the process does not take at once is sent while it is heard.

        If it is dead, that is heard.
        """
        self._unsaid += f"{line}\n".encode(errors="replace")
        self._send()

    def _send(self) -> None:
        try:
            while self._unsaid:
                self._unsaid = self._unsaid[os.write(self._input.fileno(), self._unsaid) :]
        except BlockingIOError:  # the pipe is full
            pass
        except (OSError, ValueError):  # it is gone, or was left
            self._unsaid = b""

    @property
    def reads(self) -> bool:
        """Whether it has taken all that was said, if not read it."""
        return not self._unsaid

    def hear(self, seconds: float) -> str | None:
        """Return the next line, or None if the process has died; raises TimeoutError.

        Nothing is heard of a process before it has taken all that was said.
        """
        deadline = time.perf_counter() + seconds
        while self._unsaid:
            _wait(self._takes, deadline)
            self._send()
        while b"\n" not in self._heard and len(self._heard) < LONGEST_LINE:
            _wait(self._poll, deadline)
            try:
                more = os.read(self._pipe, AT_ONCE)
            except OSError:  # another thread has closed it
                return None
            if not more:
                return None
            self._heard += more
        line, _, self._heard = self._heard.partition(b"\n")
        return line.decode(errors="replace")

    def forget(self) -> None:
        """Pass over what it has said and nobody asked for."""
        self._heard = b""
        for _ in range(LONGEST_LINE // AT_ONCE):  # it may speak faster than it is passed over
            if not self._poll.poll(0) or not os.read(self._pipe, AT_ONCE):
                break

    def errors(self) -> str:
        """Return the end of what it has written to standard error since this was asked last."""
        return taken(self._errors.fileno())

    def leave(self, grace: float) -> str:
        """End it for good, dead or alive; return how it ended."""
        try:
            ending = f"ended with code {self.process.wait(grace)}"
        except subprocess.TimeoutExpired:
            ending = "was stopped"
        self.close()
        return ending


def _wait(poll: select.poll, deadline: float) -> None:
    """Return when a pipe is ready, or its process gone; raises TimeoutError."""
    left = max(0.0, deadline - time.perf_counter())
    if not poll.poll(math.ceil(left * 1000)):
        raise TimeoutError


def _end(process: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
    with contextlib.suppress(OSError):  # all of them are gone
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    guardian.forget(process.pid)
    for pipe in (process.stdin, process.stdout, errors):
        if pipe is not None:
            pipe.close()
