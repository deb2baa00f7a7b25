"""`fourlab study`: rerun a published study, or one's own, and write its report."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourlab.cli.options import AsJson, Cluster, WorkerCount, as_folder, print_json, refuse

if TYPE_CHECKING:
    from fourlab.studies.archive import Archive

REPORTS = Path("reports")


def study(
    name: Annotated[
        str | None, typer.Argument(help="A study, or a file.py that holds one; none: list them.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small samples, under a minute.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where it was stopped.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            help="The folder for results and report.", show_default=False, parser=as_folder
        ),
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(help="Run this experiment alone; may be repeated.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Repeat or vary a study.")] = None,
    workers: WorkerCount = None,
    cluster: Cluster = None,
    as_json: AsJson = False,
) -> None:
    """Rerun a study: its experiments beside the published figures, its claims tested."""
    from fourlab.studies.archive import Archive, check_only
    from fourlab.studies.registry import STUDIES

    if name is None:
        options = {"--quick": quick, "--resume": resume, "--out": out, "--only": only}
        refuse("no study is named, and they are listed", {**options, "--seed": seed is not None})
        list_studies(as_json)
        return
    found = STUDIES.find(name)
    chosen = tuple(only or ())
    check_only(found, chosen)
    folder = out or REPORTS / (f"{found.name}-quick" if quick else found.name)
    if resume:
        archive = Archive.open(found, folder)
        refuse_contradictions(archive, quick, seed)
    else:
        archive = Archive.start(found, folder, quick, seed or 0)
    follow(archive, workers, cluster, chosen)
    finish(archive, as_json)


def list_studies(as_json: bool) -> None:
    """Print what there is."""
    from rich.table import Table

    from fourlab.cli.console import table_console
    from fourlab.studies.registry import STUDIES
    from fourlab.studies.wording import spell

    studies = [STUDIES.find(name) for name in STUDIES]
    if as_json:
        print_json(
            [
                {
                    "study": study.name,
                    "title": study.title,
                    "game": study.game,
                    "experiments": [experiment.name for experiment in study.experiments],
                    "claims": len(study.claims),
                }
                for study in studies
            ]
        )
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("study", "about", "board", "in its time"):
        table.add_column(heading)
    for heading in ("experiments", "claims", "full", "quick"):
        table.add_column(heading, justify="right")
    for study in studies:
        full, quick = (sum(e.takes[size] for e in study.experiments) for size in (0, 1))
        counts = [str(len(study.experiments)), str(len(study.claims))]
        table.add_row(
            study.name, study.title, study.game, study.took, *counts, spell(full), spell(quick)
        )
    table_console().print(table)
    typer.echo("\nTimes are for two cores. Rerun one: fourlab study mcts-q --quick")


def refuse_contradictions(archive: Archive, quick: bool, seed: int | None) -> None:
    """Say that a study goes on as it began, where other settings were asked for."""
    from fourlab.core.errors import FourlabError

    size = "quick" if archive.quick else "full"
    if quick and not archive.quick:
        raise FourlabError(f"{archive.folder} holds a full run; resume it without --quick")
    if seed is not None and seed != archive.seed:
        raise FourlabError(
            f"{archive.folder} holds a {size} run with seed {archive.seed}; "
            "resume it without --seed, or name another --out"
        )


def follow(
    archive: Archive, workers: int | None, cluster: str | None, only: tuple[str, ...]
) -> None:
    """Run what is left with a bar for each experiment."""
    from fourlab.cli.console import progress
    from fourlab.core.workers import Workers
    from fourlab.studies.bench import Listener
    from fourlab.studies.wording import count, spell

    with Workers(workers, cluster=cluster) as pool, progress("") as bar:
        if left := archive.chosen(only):
            typer.echo(
                f"{archive.study.title}: {count(len(left), 'experiment')}, about "
                f"{spell(archive.estimate(pool.count, only))}, into {archive.folder}",
                err=True,
            )
        tasks: list[object] = []

        def expect(units: int, unit: str) -> None:
            task = bar.tasks[-1]
            bar.update(task.id, total=(task.total or 0) + units)

        listener = Listener(expect, lambda units: bar.advance(bar.tasks[-1].id, units))
        try:
            for experiment in archive.run(pool, listener, only):
                for task in bar.tasks:
                    bar.update(task.id, completed=task.total)
                tasks.append(bar.add_task(experiment.name, total=None))
        except KeyboardInterrupt:
            done = len(archive.finished)
            typer.echo(
                f"stopped with {done} of {len(archive.study.experiments)} experiments; "
                f"go on with --resume --out {shlex.quote(str(archive.folder))}",
                err=True,
            )
            raise typer.Exit(130) from None


def finish(archive: Archive, as_json: bool) -> None:
    """Write the report and print what came out."""
    from fourlab.cli.console import table_console
    from fourlab.studies.report import summary, write_report

    for name, error in archive.missing.items():
        typer.echo(f"{name} was not run: {error}", err=True)
    files = write_report(archive)
    verdicts = archive.study.judge(archive.results)
    if as_json:
        print_json(
            {
                "study": archive.study.name,
                "quick": archive.quick,
                "seed": archive.seed,
                "experiments": {
                    name: done.findings.to_json() for name, done in archive.finished.items()
                },
                "claims": [
                    {
                        "claim": verdict.claim.text,
                        "ruling": verdict.ruling,
                        "says": verdict.evidence.says,
                        "p_value": verdict.p_value,
                        "games": verdict.evidence.games,
                    }
                    for verdict in verdicts
                ],
                "report": [str(path) for path in files],
            }
        )
        return
    for part in summary(archive):
        table_console().print(part)
    typer.echo(f"report: {files[0]}")
