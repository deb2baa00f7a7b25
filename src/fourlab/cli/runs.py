"""`fourlab runs`: the training runs there are, side by side."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from fourlab.cli.options import as_folder

RUNS = Path("runs")


def runs(
    root: Annotated[Path, typer.Argument(help="The folder to look in.", parser=as_folder)] = RUNS,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List training runs and compare what they have come to."""
    from fourlab.core.errors import SpecError
    from fourlab.core.storage import is_folder
    from fourlab.learning.runs import RunConfig, find_runs, read_metrics

    nothing = f"no runs in {root}; make one with fourlab train q, or name their folder"
    if root != RUNS and not is_folder(root):
        raise SpecError(nothing)
    listing: list[dict[str, Any]] = []
    for folder in find_runs(root):
        config = RunConfig.load(folder)
        lines = read_metrics(folder)
        listing.append(
            {
                "folder": str(folder),
                "game": config.game,
                "learner": config.learner,
                "seed": config.seed,
                "last": lines[-1] if lines else None,
            }
        )
    if as_json:
        typer.echo(json.dumps(listing))
    elif listing:
        show(listing)
    else:
        typer.echo(nothing)


def show(listing: list[dict[str, Any]]) -> None:
    """Print runs as a table."""
    from rich.table import Table

    from fourlab.cli.console import table_console

    table = Table(box=None, pad_edge=False)
    for heading in ("run", "game", "learner", "games", "won", "values", "evaluations"):
        right = heading in ("games", "won", "values")
        table.add_column(heading, justify="right" if right else "left", overflow="fold")
    for entry in listing:
        last = entry["last"]
        cells = ("", "", "", "") if last is None else _cells(last)
        table.add_row(entry["folder"], entry["game"], entry["learner"], *cells)
    table_console().print(table)


def _cells(last: dict[str, Any]) -> tuple[str, str, str, str]:
    return f"{last['games']:,}", f"{last['wins']:.0%}", f"{last['size']:,}", evaluations(last)


def evaluations(last: dict[str, Any]) -> str:
    """Return how a run fared by a line of its metrics: against agents, against perfect play."""
    found = [
        f"{score['score']:.0%} ± {(score['high'] - score['low']) / 2:.0%} against {agent}"
        for agent, score in last.get("against", {}).items()
    ]
    if "truth" in last:
        truth = last["truth"]
        found.append(f"of its moves {truth['perfect']:.0%} perfect, {truth['good']:.0%} good")
    if "held_kept" in last:
        found.append(f"of positions set aside {last['held_kept']:.0%} kept")
    return ", ".join(found)
