"""`fourlab serve`: the web laboratory."""

import typer


def serve() -> None:
    """Start the web laboratory (it comes with a later version)."""
    typer.echo("the web laboratory is not part of this version yet; play here: fourlab play")
