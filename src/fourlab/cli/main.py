"""Registers the commands. They import what they need when they run, so that help comes at once."""

import functools
import importlib
import io
import logging
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

import fourlab
from fourlab.__main__ import INTERRUPTED
from fourlab.core import borrowed, home, waiting
from fourlab.core.errors import FourlabError, one_line, quoted, why

NUMBERS_BELOW = 2**63
NO_THREAD = "can't start new thread"  # how Python says it, with an error of no kind of its own

app = typer.Typer(
    name="fourlab",
    help="A laboratory for Connect-Four-family games in which the truth is known.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
# The commands in the order of their listing, as "module:function", or a group as "module:app".
COMMANDS = {
    "serve": "serve:serve",
    "play": "play:play",
    "analyze": "analyze:analyze",
    "train": "train:train",
    "runs": "runs:runs",
    "table": "table:app",
    "arena": "arena:arena",
    "games": "games:games",
    "ladder": "ladder:ladder",
    "sweep": "sweep:sweep",
    "study": "study:study",
    "grade": "grade:grade",
    "certify": "certify:certify",
    "data": "data:app",
    "book": "book:app",
    "export": "export:app",
    "agents": "agents:agents",
    "learners": "agents:learners",
    "new": "new:app",
    "check": "check:check",
    "engine": "engine:engine",
    "bench": "bench:bench",
}


def _check_folder() -> None:
    """Refuse to work in a folder that was deleted: no path could be found from there."""
    try:
        Path.cwd()
    except OSError:
        raise FourlabError("the current folder is gone; change to one that is there") from None


def _counting(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that refuses numbers with which nothing here counts: inf, nan, 2**63.

    It also refuses to begin where there is no folder.
    """

    @functools.wraps(command)
    def run(**options: Any) -> None:
        _check_folder()
        for name, value in options.items():
            if isinstance(value, int | float) and not abs(value) < NUMBERS_BELOW:
                flag = "--" + name.replace("_", "-")
                raise FourlabError(
                    f"{flag}: {quoted(str(value))} is not allowed; write less than 2**63"
                )
        command(**options)

    return run


SPELLED = {"analyse": "analyze"}  # other spellings that are understood, and not listed

for _name, _place in (COMMANDS | {o: COMMANDS[name] for o, name in SPELLED.items()}).items():
    _module, _, _attribute = _place.partition(":")
    _found = getattr(importlib.import_module(f"fourlab.cli.{_module}"), _attribute)
    if isinstance(_found, typer.Typer):
        for _command in _found.registered_commands:
            _command.callback = _counting(_command.callback)  # type: ignore[arg-type]
        app.add_typer(_found, name=_name)
    else:
        app.command(_name, hidden=_name in SPELLED)(_counting(_found))


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"fourlab {fourlab.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="The version.")
    ] = False,
) -> None:
    """A laboratory for Connect-Four-family games in which the truth is known."""


class Notices(logging.StreamHandler):  # type: ignore[type-arg]
    """Writes to what standard error is by then: a progress bar takes it over while it is drawn."""

    def emit(self, record: logging.LogRecord) -> None:
        self.setStream(sys.stderr)
        super().emit(record)


def _fill_streams() -> None:
    """Let closed standard streams lead nowhere: the next files opened would take their numbers."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
            os.set_inheritable(number, True)  # programs that it starts have the same trouble
            setattr(sys, name, open(number, mode, closefd=False))  # noqa: SIM115


class Output(io.FileIO):
    """Standard output, which says so when it cannot be written, and once is enough."""

    is_lost = False

    def write(self, data: Any) -> int:
        if self.is_lost:  # what waits in buffers is written again when the program ends
            return len(data)
        try:
            return super().write(data)
        except OSError as error:
            self.is_lost = True
            error.filename = "standard output"
            raise


def _prepare_output() -> None:
    """Let standard output take names that it has no letters for: é on ASCII, bytes in a path."""
    out = sys.stdout
    if not isinstance(out, io.TextIOWrapper):
        return
    out.reconfigure(errors="backslashreplace")
    if out is sys.__stdout__ and not out.isatty():
        buffer = io.BufferedWriter(Output(out.fileno(), "w", closefd=False))
        sys.stdout = io.TextIOWrapper(buffer, out.encoding, out.errors)


def main() -> None:
    """Run the command line, and end, whatever threads somebody's own code has left."""
    try:
        _run()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        borrowed.end_if_threads_are_left(code)
        raise
    except KeyboardInterrupt:
        borrowed.end_if_threads_are_left(INTERRUPTED)
        raise


def _run() -> None:
    """Bad input is one line on standard error and exit code 2."""
    _fill_streams()
    _prepare_output()
    logging.basicConfig(level=logging.WARNING, format="%(message)s", handlers=[Notices()])
    logging.getLogger("fourlab").setLevel(logging.INFO)
    waiting.listen(waiting.CompilationNotice(logging.getLogger("fourlab.kernels").info))
    home.tries_first = True
    interrupted: list[bool] = []

    def interrupt(*_: object) -> None:
        interrupted.append(True)
        raise KeyboardInterrupt

    if signal.getsignal(signal.SIGINT) == signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)
    try:
        app()
    except FourlabError as error:
        typer.echo(f"fourlab: {one_line(str(error))}", err=True)
        sys.exit(2)
    except OSError as error:
        what = "" if error.filename is None else f"{error.filename}: "
        typer.echo(f"fourlab: {one_line(what + why(error))}", err=True)
        sys.exit(2)
    except MemoryError:
        typer.echo("fourlab: this machine has not enough memory; ask for less", err=True)
        sys.exit(2)
    except Exception as error:
        if interrupted:  # a compiler that is interrupted fails in ways of its own
            sys.exit(INTERRUPTED)
        from fourlab.core.own import line_of

        line = line_of(error)
        if NO_THREAD in str(error):
            line = "this machine lets no more threads begin; end other programs, or ask for less"
        if not line:
            raise
        typer.echo(f"fourlab: {line}", err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
