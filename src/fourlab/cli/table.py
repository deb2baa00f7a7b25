"""`fourlab table show`: what a learned table or network holds."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from fourlab.rules.position import Position
    from fourlab.values.knowledge import Knowledge

app = typer.Typer(help="Tables of learned values.", no_args_is_help=True)
BAR = 40


@app.callback()
def table() -> None:
    """Look into what was learned."""


@app.command("show")
def show(
    file: Annotated[Path, typer.Argument(help="A run folder or a file of values.")],
    position: Annotated[str, typer.Argument(help="A position, by its moves.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print the values of a position, sizes, and histograms of visits and chosen columns."""
    from fourlab.rules.position import position_of
    from fourlab.values.knowledge import Knowledge
    from fourlab.values.survey import survey

    known, _ = Knowledge.load(file)
    where = position_of(known.rules, position)
    found: dict[str, Any] = {
        "game": str(known.rules),
        "learner": known.about.get("learner"),
        "games": known.about.get("games"),
        "size": len(known),
        "bytes": known.bytes,
        "left_out": known.left_out,
        "position": where.notation,
        "values": known.move_values(where),
        "visits": known.visits(where),
        **survey(known),
    }
    if as_json:
        typer.echo(json.dumps(found))
    else:
        _draw(found, where, known)


def _draw(found: dict[str, Any], position: "Position", known: "Knowledge") -> None:
    from rich.table import Table

    from fourlab.cli.console import board, console, is_plain
    from fourlab.rules.position import SIDE_NAMES
    from fourlab.values.store import KINDS

    target = console()
    target.print(
        f"{found['learner']} on {found['game']}: {found['size']:,} "
        f"{'weights' if KINDS[known.values.kind] == 'tuples' else 'rows'}, "
        f"{found['bytes'] / 2**20:,.1f} MB, {found['games'] or 0:,} games, "
        f"{found['left_out']:,} left out"
    )
    target.print()
    target.print(board(position, is_plain(target)))
    values = Table(box=None, pad_edge=False, title=f"the {SIDE_NAMES[position.to_move]} to move")
    for heading in (known.rules.unit, "value", "visits"):
        values.add_column(heading, justify="right")
    best = max((v for v in found["values"] if v is not None), default=None)
    for move, (value, visits) in enumerate(zip(found["values"], found["visits"], strict=True)):
        if value is not None:
            seen = "" if visits == -1 else f"{visits:,}"
            style = "bold" if value == best else ""
            values.add_row(str(move + 1), f"{value:+.3f}", seen, style=style)
    target.print(values)
    _histogram("how often values were taught", found["visit_histogram"])
    _histogram(f"best {known.rules.unit} of each state", found["choice_histogram"])


def _histogram(title: str, counts: dict[str, int]) -> None:
    from rich.table import Table

    from fourlab.cli.console import console

    if not counts:
        return
    top = max(counts.values()) or 1
    picture = Table(box=None, pad_edge=False, show_header=False, title=title, title_justify="left")
    picture.add_column(justify="right")
    picture.add_column(justify="right")
    picture.add_column()
    for label, count in counts.items():
        picture.add_row(label, f"{count:,}", "#" * round(BAR * count / top))
    console().print()
    console().print(picture)
