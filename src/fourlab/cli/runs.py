"""`fourlab runs`: the training runs there are, side by side."""

from pathlib import Path
from typing import Annotated, Any

import typer

from fourlab.cli.options import as_folder, print_json

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
        print_json(listing)
    elif listing:
        show(listing)
    else:
        typer.echo(nothing)


def show(listing: list[dict[str, Any]]) -> None:
    """Print runs as a table, or one below the other where names would be broken."""
    from rich.table import Table

    from fourlab.cli.console import console, table_console

    heads = ("run", "game", "learner", "games", "in training", "size", "evaluations")
    table = Table(box=None, pad_edge=False)
    for head in heads:
        right = head in ("games", "in training", "size")
        table.add_column(head, justify="right" if right else "left", overflow="fold")
    rows = [
        (entry["folder"], entry["game"], entry["learner"], *_cells(entry["learner"], entry["last"]))
        for entry in listing
    ]
    for row in rows:
        table.add_row(*row)
    screen = table_console()
    room = screen.options.update(max_width=10 * screen.width)
    if screen.measure(table, options=room).maximum <= screen.width:
        screen.print(table)
        return
    for run, game, learner, *figures in rows:
        told = [f"{head} {figure}" for head, figure in zip(heads[3:], figures, strict=True)]
        console().print(f"{run}\n  {learner} on {game}")
        if figures[0]:
            console().print(f"  {', '.join(told).removesuffix(', evaluations ')}")


def _cells(learner: str, last: dict[str, Any] | None) -> tuple[str, str, str, str]:
    if last is None:
        return "", "", "", ""
    share = f"{_best(learner)} {last['wins']:.0%}".strip()
    return f"{last['games']:,}", share, f"{last['size']:,}", evaluations(last)


def _best(learner: str) -> str:
    """Return what a learner calls its best result, "" for one that is not here."""
    from fourlab.core.errors import FourlabError
    from fourlab.core.spec import configure, parse
    from fourlab.learning.registry import LEARNERS

    try:
        spec = parse(learner)
        kind = LEARNERS.find(spec.name)
        return kind.results(configure(kind.Config, spec, "learner"))[0]
    except FourlabError:
        return ""


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
