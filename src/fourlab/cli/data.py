"""`fourlab data`: data sets made from rules and solver."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fourlab.cli.options import as_folder

if TYPE_CHECKING:
    from fourlab.rules.position import Position

app = typer.Typer(help="Make data sets.", no_args_is_help=True)

CLASSES = {"win": 1, "loss": -1, "draw": 0}


@app.callback()
def data() -> None:
    """Make data sets from rules and solver."""


@app.command("uci")
def uci(
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write.")],
) -> None:
    """Write the UCI Connect-4 data set: 67,557 positions and their outcome."""
    from fourlab.core.storage import check_place, check_spare, replacing
    from fourlab.positions.uci import uci as make

    check_place(out)
    check_spare(out, "UCI set", _first_row)
    rows = make()
    with replacing(out) as file:
        file.writelines(f"{row}\n".encode() for row in rows.rows())
    counts = {name: int((rows.outcomes == sign).sum()) for name, sign in CLASSES.items()}
    classes = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    typer.echo(f"{out}: {len(rows.outcomes):,} rows ({classes})")


def _first_row(path: Path) -> Position:
    """Return the position with which a file of the set begins; raises FourlabError."""
    from fourlab.core.files import lines_of
    from fourlab.core.storage import reading
    from fourlab.rules.catalog import game as find_game
    from fourlab.rules.formats import read_uci

    with reading(path):
        return read_uci(find_game("connect4"), next(lines_of(path)))


@app.command("suites")
def suites(
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write.")],
    game: Annotated[str, typer.Option(help="The game.")] = "connect4",
) -> None:
    """Make and solve the positions that `fourlab grade` uses, as they ship with fourlab."""
    from fourlab.cli.console import progress
    from fourlab.core.storage import check_place, check_same, check_spare, peek
    from fourlab.positions.suites import KIND, make_suite, names, save_suites, score_positions
    from fourlab.rules.catalog import game as find_game
    from fourlab.rules.catalog import name_of

    rules = find_game(game)
    check_place(out)
    if check_spare(out, "file of suites", lambda path: peek(path)["kind"] == KIND):
        check_same(out, f"suites of {peek(out).get('game')}", f"suites of {name_of(rules)}")
    with progress("positions") as bar:
        made = {}
        for name in names(rules):
            positions = make_suite(rules, name)
            tracked = bar.track(positions, total=len(positions), description=name)
            made[name] = list(score_positions(tracked))
    save_suites(out, rules, made)
    typer.echo(f"{out}: {', '.join(f'{len(made[name]):,} {name}' for name in made)}")


@app.command("labels")
def labels(
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The folder that keeps them.", parser=as_folder)
    ],
    positions: Annotated[
        str, typer.Option(help="walk:first|second, games:of=SPEC, suite:NAME, uci or file:PATH.")
    ] = "walk:first",
    game: Annotated[str, typer.Option(help="The game.")] = "connect4",
) -> None:
    """Label positions with the exact score of every move, for `fourlab train distil`."""
    from fourlab.cli.console import progress
    from fourlab.learning.networks.sources import lessons
    from fourlab.rules.catalog import game as find_game

    with progress("positions") as bar:
        tasks: dict[tuple[int, int], Any] = {}  # several sources may have positions of one ply

        def watch(ply: int, total: int, done: int) -> None:
            if (ply, total) not in tasks:
                tasks[ply, total] = bar.add_task(f"ply {ply}", total=total)
            bar.update(tasks[ply, total], completed=done)

        made = lessons(positions, find_game(game), out, watch)
    typer.echo(f"{out}: {len(made):,} positions")
