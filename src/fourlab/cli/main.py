"""Registers the commands. They import what they need when they run, so that help comes at once."""

import logging
import sys
from typing import Annotated

import typer

import fourlab
from fourlab.cli import (
    agents,
    analyze,
    arena,
    bench,
    book,
    data,
    export,
    games,
    grade,
    ladder,
    play,
    runs,
    serve,
    sweep,
    table,
    train,
)
from fourlab.cli.waiting import announce_compilation
from fourlab.core.errors import FourlabError

app = typer.Typer(
    name="fourlab",
    help="A laboratory for Connect-Four-family games in which the truth is known.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.command("serve")(serve.serve)
app.command("play")(play.play)
app.command("analyze")(analyze.analyze)
app.command("train")(train.train)
app.command("runs")(runs.runs)
app.add_typer(table.app, name="table")
app.command("arena")(arena.arena)
app.command("games")(games.games)
app.command("ladder")(ladder.ladder)
app.command("sweep")(sweep.sweep)
app.command("grade")(grade.grade)
app.add_typer(data.app, name="data")
app.add_typer(book.app, name="book")
app.add_typer(export.app, name="export")
app.command("agents")(agents.agents)
app.command("bench")(bench.bench)


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


def main() -> None:
    """Run the command line: bad input is one line on standard error and exit code 2."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s", handlers=[Notices()])
    logging.getLogger("fourlab").setLevel(logging.INFO)
    announce_compilation()
    try:
        app()
    except FourlabError as error:
        typer.echo(f"fourlab: {error}", err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
