"""What somebody's own code has of this process while it is imported, and what is taken back.

Streams, the folder one is in, signals, timers and limits are everybody's: a file that sets them for
itself would set them for whoever imports it.
"""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
import threading
from collections.abc import Iterator

is_shared = True  # whether others look for files from the folder that this process is in
threads_left: list[threading.Thread] = []  # that imports have begun
UNWRITTEN = 120  # the exit code with which Python itself says that not all could be written
ITIMERS = ("ITIMER_REAL", "ITIMER_VIRTUAL", "ITIMER_PROF")


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Let code do with standard output what it likes: what it prints goes where errors go.

    Who asks for input finds its end. Both streams are everybody's, and who takes them over must
    give them back in turn: so only the main thread does. It may ask for deeper recursion, not for
    less: that would be everybody's too. If it forks, one of the two is enough. All settings of the
    process are as they were, but a process of its own stays in the folder that it went to.
    """
    kept, depth, here = io.BytesIO(), sys.getrecursionlimit(), os.getpid()
    printed = io.TextIOWrapper(kept, "utf-8", write_through=True)
    is_main = threading.current_thread() is threading.main_thread()
    typed = sys.stdin
    try:
        with (
            _settings() if os.name == "posix" else contextlib.nullcontext(),
            contextlib.redirect_stdout(printed) if is_main else contextlib.nullcontext(),
            _watched(),
        ):
            sys.stdin = io.StringIO() if is_main else typed
            yield
    finally:
        if os.getpid() != here:
            os._exit(0)
        sys.stdin = typed if is_main else sys.stdin
        sys.setrecursionlimit(max(depth, sys.getrecursionlimit()))
        with contextlib.suppress(ValueError):  # it has closed it
            sys.stderr.write(kept.getvalue().decode(errors="replace"))


@contextlib.contextmanager
def _watched() -> Iterator[None]:
    """Note the threads that are begun meanwhile: for a pool Python waits even if it is a daemon."""
    before = set(threading.enumerate())
    try:
        yield
    finally:
        threads_left.extend(set(threading.enumerate()) - before)


@contextlib.contextmanager
def _settings() -> Iterator[None]:
    """Give the process back its folder, umask, limits, signals and timers."""
    import resource

    folder = -1
    with contextlib.suppress(OSError):  # it may be gone
        folder = os.open(".", getattr(os, "O_PATH", os.O_RDONLY))
    umask = _umask()
    kinds = [value for name, value in vars(resource).items() if name.startswith("RLIMIT_")]
    limits = {kind: resource.getrlimit(kind) for kind in kinds}
    timers = {getattr(signal, name): signal.getitimer(getattr(signal, name)) for name in ITIMERS}
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    handlers = {number: signal.getsignal(number) for number in signal.valid_signals()}
    errors = sys.stderr
    try:
        yield
    finally:
        sys.stderr = errors
        for number, handler in handlers.items():
            if handler is not None and signal.getsignal(number) != handler:
                with contextlib.suppress(ValueError):  # in the main thread alone
                    signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        for timer, (seconds, interval) in timers.items():
            if not seconds:  # else it is ours, and goes on
                signal.setitimer(timer, seconds, interval)
        for kind, (most, hard) in limits.items():
            hard_now = resource.getrlimit(kind)[1]
            try:
                resource.setrlimit(kind, (most, hard))
            except (ValueError, OSError):  # only a superuser may raise what is hard
                far = resource.RLIM_INFINITY
                most = hard_now if most == far or far != hard_now < most else most
                resource.setrlimit(kind, (most, hard_now))
        os.umask(umask)
        if folder >= 0:
            if is_shared:
                os.fchdir(folder)
            os.close(folder)


def _umask() -> int:
    """Return the umask, which cannot be asked for without setting it: to the safest, meanwhile."""
    umask = os.umask(0o077)
    os.umask(umask)
    return umask


def end_if_threads_are_left(code: int) -> None:
    """End this process at once where Python would wait for threads of somebody's own code."""
    import atexit

    if any(thread.is_alive() for thread in threads_left):
        atexit._run_exitfuncs()
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except (OSError, ValueError):
            code = code or UNWRITTEN
        os._exit(code)
