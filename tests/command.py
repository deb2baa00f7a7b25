"""The command line in this process: a program of its own takes a second to start."""

import contextlib
import io
import logging
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess
from unittest import mock

from fourlab.cli import main as command_line
from fourlab.core import home, own, waiting


@contextlib.contextmanager
def as_a_program(*arguments: str) -> Iterator[None]:
    """Let `main` meet what a new program meets, and take back what it set."""
    root, ours = logging.getLogger(), logging.getLogger("fourlab")
    handlers, levels, listeners = root.handlers[:], (root.level, ours.level), waiting._listeners[:]
    interrupt = signal.getsignal(signal.SIGINT)
    root.handlers.clear()
    try:
        with (
            mock.patch.object(sys, "argv", ["fourlab", *arguments]),
            mock.patch.object(sys, "stdin", io.StringIO("")),
            mock.patch.object(own, "_try_out"),  # tests/core/test_trial.py does
        ):
            yield
    finally:
        root.handlers[:], waiting._listeners[:] = handlers, listeners
        home.tries_first = False
        root.setLevel(levels[0])
        ours.setLevel(levels[1])
        signal.signal(signal.SIGINT, interrupt)


def run(*arguments: str, folder: Path | None = None, **environment: str) -> CompletedProcess[str]:
    """Run a command in a folder, without input, as `subprocess.run` does in a pipe."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with (
        as_a_program(*arguments),
        contextlib.chdir(folder or Path.cwd()),
        mock.patch.dict(os.environ, environment),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            command_line.main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
    return CompletedProcess(arguments, code, out.getvalue(), err.getvalue())
