"""`fourlab book build`: make an opening book."""

import os
from pathlib import Path
from typing import Annotated

import typer

from fourlab.cli.options import Cluster, Game

app = typer.Typer(help="Opening books.", no_args_is_help=True)


@app.callback()
def book() -> None:
    """Make opening books."""


@app.command("build")
def build(
    plies: Annotated[int, typer.Option(min=0, help="Positions with up to so many stones.")] = 6,
    game: Game = "connect4",
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The file to write.")] = None,
    workers: Annotated[int, typer.Option(min=1, help="Threads.")] = os.cpu_count() or 1,
    cluster: Cluster = None,
    table_mb: Annotated[float, typer.Option(min=1, help="Memory for the search.")] = 256,
) -> None:
    """Solve every position up to a number of stones; goes on where an earlier build stopped."""
    from fourlab.cli.console import progress
    from fourlab.core.workers import Workers
    from fourlab.rules.catalog import game as find_game
    from fourlab.search.bookmaking import Build

    rules = find_game(game)
    path = out or Path(f"{str(rules).replace(':', '-')}-{plies}.npz")
    making = Build(rules, plies, path, table_mb)
    try:
        with Workers(workers, cluster=cluster) as pool, progress("positions") as bar:
            task = bar.add_task(f"book of {plies} plies", total=making.total)
            bar.update(task, completed=making.solved)
            for solved in making.run(pool.executor, pool.count):
                bar.update(task, completed=solved)
    except KeyboardInterrupt:
        typer.echo(f"stopped at {making.solved:,} of {making.total:,}; the same command goes on")
        raise typer.Exit(130) from None
    finished = making.finish()
    count = sum(len(scores) for scores in finished.scores)
    typer.echo(f"{path}: {count:,} positions, {path.stat().st_size:,} bytes")
