"""`fourlab sweep`: a grid over options of an agent."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourlab.cli.arena import RECORD

if TYPE_CHECKING:
    from fourlab.studies.sweep import Sweep


def sweep(
    spec: Annotated[str, typer.Argument(help='Values in braces: "perfect:blunder={0,0.1,0.2}".')],
    against: Annotated[list[str] | None, typer.Option(help="An opponent; may be repeated.")] = None,
    games: Annotated[int, typer.Option(min=2, help="Games of each point.")] = 100,
    game: Annotated[str, typer.Option(help="The game.")] = "connect4",
    seed: Annotated[int, typer.Option(min=0, help="Repeat or vary a sweep.")] = 0,
    plies: Annotated[
        int | None, typer.Option(min=0, help="Length of the openings; 0: from the empty board.")
    ] = None,
    move_time: Annotated[
        float | None, typer.Option(min=0.001, help="Seconds for a move; more is a forfeit.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Default: one a core.")] = None,
    cluster: Annotated[str | None, typer.Option(help="A Dask scheduler, tcp://host:8786.")] = None,
    record: Annotated[Path, typer.Option(help="The file that keeps the games.")] = RECORD,
    no_record: Annotated[bool, typer.Option("--no-record", help="Keep no games.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Draw it, .png or .svg.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Play a match at every point of a grid; games that were recorded are not played again."""
    from fourlab.arena.executors import Workers
    from fourlab.arena.records import Records
    from fourlab.cli.arena import follow
    from fourlab.studies.sweep import Sweep

    with nullcontext() if no_record else Records(record) as records:
        conditions = (game, games, seed, plies, move_time)
        opponents = tuple(against or ["baseline"])
        grid = Sweep(spec, opponents, *conditions, records=records, resume=True)
        with Workers(workers, cluster=cluster) as pool:
            follow(grid.tournament, pool, live=False)
    if plot is not None:
        from fourlab.studies.figures import save, sweep_figure

        save(sweep_figure(grid), plot)
    if as_json:
        typer.echo(json.dumps(grid.to_json()))
    else:
        show(grid)


def show(grid: Sweep) -> None:
    """Print a line for each point and opponent."""
    from rich.table import Table

    from fourlab.cli.console import console

    figures = grid.to_json()
    table = Table(box=None, pad_edge=False, title_justify="left")
    table.title = f"{grid.text} on {figures['game']}, seed {figures['seed']}"
    for name in (*grid.grid.options, "against"):
        table.add_column(name)
    for name in ("wins", "draws", "losses", "score", "95%", "moves"):
        table.add_column(name, justify="right")
    best = max(point["score"] for point in figures["points"])
    for point in figures["points"]:
        counts = [f"{point[name]:,}" for name in ("wins", "draws", "losses")]
        span = f"{point['low']:.1%} to {point['high']:.1%}"
        row = [*point["options"].values(), point["against"], *counts, f"{point['score']:.1%}"]
        style = "bold" if point["score"] == best else ""
        table.add_row(*row, span, f"{point['mean_moves']:.1f}", style=style)
    console().print(table)
