"""`fourlab sweep`: a grid over options of an agent or a learner."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourlab.cli.options import (
    RECORD,
    AsJson,
    Cluster,
    Game,
    MoveTime,
    NoRecord,
    Plies,
    Plot,
    Record,
    WorkerCount,
    as_folder,
    print_json,
    refuse,
)

if TYPE_CHECKING:
    from fourlab.core.workers import Workers
    from fourlab.studies.courses import Courses
    from fourlab.studies.sweep import Sweep

RUNS = Path("runs/sweep")


def sweep(
    spec: Annotated[str, typer.Argument(help='Values in braces: "perfect:blunder={0,0.1,0.2}".')],
    against: Annotated[list[str] | None, typer.Option(help="An opponent; may be repeated.")] = None,
    games: Annotated[int, typer.Option(min=2, help="Games of each point.")] = 100,
    train: Annotated[
        int | None,
        typer.Option(metavar="GAMES", min=1, help="The spec is a learner: train every point."),
    ] = None,
    game: Game = "connect4",
    seed: Annotated[int, typer.Option(min=0, help="Repeat or vary a sweep.")] = 0,
    plies: Plies = None,
    move_time: MoveTime = None,
    workers: WorkerCount = None,
    cluster: Cluster = None,
    runs: Annotated[
        Path | None,
        typer.Option(
            help=f"The folder that keeps trained points; {RUNS} if none is named.", parser=as_folder
        ),
    ] = None,
    record: Record = RECORD,
    no_record: NoRecord = False,
    plot: Plot = None,
    as_json: AsJson = False,
) -> None:
    """Play a match at every point of a grid; what is trained or recorded is not done again."""
    from fourlab.arena.events import Event
    from fourlab.arena.records import Records
    from fourlab.cli.arena import follow, say_if_odd, say_what_is_known
    from fourlab.core.workers import Workers
    from fourlab.studies.canvas import check, save
    from fourlab.studies.courses import Courses
    from fourlab.studies.figures import drawn_options, sweep_figure
    from fourlab.studies.sweep import Sweep, expand

    refuse("--no-record keeps no games", {"--record": no_record and record != RECORD})
    opponents = tuple(against or ["baseline"])
    grid = expand(spec)
    if plot is not None:
        check(plot)
        drawn_options(grid)
    training = None
    conditions = (game, games, seed, plies, move_time)
    # What is wrong with the matches is said before anything is trained or written.
    if train is not None:
        Event(game, opponents, against=opponents, plies=plies, move_seconds=move_time)
        training = Courses(grid.specs, game, train, seed, runs or RUNS)
    else:
        refuse("without --train nothing is trained", {"--runs": runs})
        Sweep(spec, opponents, *conditions)
    say_if_odd(games)
    with (
        Workers(workers, cluster=cluster) as pool,
        nullcontext() if no_record else Records(record) as records,
    ):
        if training is not None:
            follow_training(training, pool)
        played = Sweep(spec, opponents, *conditions, records, resume=True, training=training)
        say_what_is_known(played.tournament)
        follow(played.tournament, pool, live=False)
    if plot is not None:
        save(sweep_figure(played), plot)
    if as_json:
        print_json(played.to_json())
    else:
        show(played)


def follow_training(training: Courses, pool: Workers) -> None:
    """Train all points and show how far they are."""
    from fourlab.cli.console import progress

    done = 0
    try:
        training.prepare()
        with progress("games") as bar:
            task = bar.add_task("training", total=training.total)
            for _ in training.run(pool, lambda games: bar.advance(task, games)):
                done += 1
    except KeyboardInterrupt:
        count = f"{done} of {len(training.courses)} points trained"
        typer.echo(f"stopped with {count}; the same command goes on", err=True)
        raise typer.Exit(130) from None


def show(grid: Sweep) -> None:
    """Print a line for each point and opponent."""
    from rich.table import Table

    from fourlab.cli.console import table_console

    sheet = grid.sheet()
    table = Table(box=None, pad_edge=False, title_justify="left")
    table.title = f"{grid.text}\n{grid.details}, seed {grid.tournament.event.seed}"
    for place, name in enumerate(sheet.heads):
        table.add_column(name, justify="left" if place < sheet.texts else "right")
    for number, row in enumerate(sheet.rows):
        table.add_row(*row, style="bold" if number in sheet.strong else "")
    table_console().print(table)
    for remark in grid.tournament.remarks:
        table_console().print(remark, style="dim")
