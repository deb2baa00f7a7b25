"""`fourlab data`: data sets made from rules and solver."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Make data sets.", no_args_is_help=True)


@app.callback()
def data() -> None:
    """Make data sets from rules and solver."""


@app.command("uci")
def uci(
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write.")],
) -> None:
    """Write the UCI Connect-4 data set: 67,557 positions and their outcome."""
    from fourlab.rules.storage import replacing
    from fourlab.search.data import uci as make

    rows = make()
    with replacing(out) as file:
        file.writelines(f"{row}\n".encode() for row in rows.rows())
    counts = {name: int((rows.outcomes == sign).sum()) for name, sign in CLASSES.items()}
    classes = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    typer.echo(f"{out}: {len(rows.outcomes):,} rows ({classes})")


CLASSES = {"win": 1, "loss": -1, "draw": 0}
