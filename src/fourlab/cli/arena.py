"""`fourlab arena`: agents against each other."""

from __future__ import annotations

import json
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fourlab.cli.options import (
    RECORD,
    Anchor,
    AsJson,
    Cluster,
    Game,
    MoveTime,
    NoRecord,
    Plies,
    Plot,
    Record,
    WorkerCount,
)

if TYPE_CHECKING:
    from fourlab.arena.sprt import Hypotheses
    from fourlab.arena.tournament import Tournament
    from fourlab.core.workers import Workers

GAMES = 100
SEED_BITS = 31


def arena(
    agents: Annotated[list[str] | None, typer.Argument(help="Two agents or more.")] = None,
    games: Annotated[int | None, typer.Option(min=2, help="Games of each pair.")] = None,
    game: Game = "connect4",
    seed: Annotated[int | None, typer.Option(min=0, help="Repeat a tournament.")] = None,
    gauntlet: Annotated[bool, typer.Option(help="Only the first against all others.")] = False,
    sprt: Annotated[
        str, typer.Option(metavar="LOW,HIGH", help="Stop a pair once it is LOW or HIGH Elo apart.")
    ] = "",
    alpha: Annotated[float, typer.Option(help="Chance to accept HIGH wrongly.")] = 0.05,
    beta: Annotated[float, typer.Option(help="Chance to accept LOW wrongly.")] = 0.05,
    anchor: Anchor = None,
    plies: Plies = None,
    move_time: MoveTime = None,
    workers: WorkerCount = None,
    cluster: Cluster = None,
    record: Record = RECORD,
    no_record: NoRecord = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where it stopped.")] = False,
    plot: Plot = None,
    as_json: AsJson = False,
) -> None:
    """Let agents play each other; rate them, with intervals."""
    from fourlab.arena.events import Event
    from fourlab.arena.records import Records
    from fourlab.arena.tournament import Tournament
    from fourlab.core.errors import SpecError
    from fourlab.core.workers import Workers

    if plot is not None:
        from fourlab.studies.canvas import check, save
        from fourlab.studies.figures import tournament_figure

        check(plot)
    if resume and no_record:
        raise SpecError("--resume goes on with recorded games; leave out --no-record")
    with nullcontext() if no_record else Records(record, create=not resume) as records:
        last: dict[str, Any] = records.last_run() if resume and records is not None else {}
        if resume and not agents:
            event = Event.from_json({**last, "games": games or last["games"]})
        else:
            event = Event(
                game,
                tuple(agents or ()),
                games or GAMES,
                last.get("seed", fresh_seed()) if seed is None else seed,
                gauntlet=gauntlet,
                plies=plies,
                move_seconds=move_time,
                hypotheses=hypotheses(sprt, alpha, beta),
                anchor=anchor,
            )
        tournament = Tournament(event, records, resume)
        with Workers(workers, cluster=cluster) as pool:
            follow(tournament, pool, live=not as_json)
    if plot is not None:
        save(tournament_figure(tournament), plot)
    if as_json:
        typer.echo(json.dumps(tournament.to_json()))


def fresh_seed() -> int:
    """Return a seed that was not used before."""
    import secrets

    return secrets.randbits(SEED_BITS)


def hypotheses(text: str, alpha: float, beta: float) -> Hypotheses | None:
    """Read `LOW,HIGH`; raises SpecError."""
    from fourlab.arena.sprt import Hypotheses
    from fourlab.core.errors import SpecError

    if not text:
        return None
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise SpecError(f"--sprt {text!r}: write two numbers of Elo points, such as 0,20") from None
    return Hypotheses(low, high, alpha, beta)


def follow(tournament: Tournament, pool: Workers, live: bool) -> None:
    """Play a tournament and show how it goes; the standings stay on the screen."""
    from rich.live import Live

    from fourlab.cli.console import progress, table_console
    from fourlab.cli.standings import standings

    screen = table_console()
    try:
        if pool.cluster is None:
            tournament.prepare()
        if live and screen.is_terminal:
            with Live(console=screen, transient=True, get_renderable=lambda: standings(tournament)):
                for _ in tournament.run(pool):
                    pass
        else:
            with progress("games") as bar:
                task = bar.add_task("arena", total=tournament.total, completed=tournament.played)
                for played in tournament.run(pool):
                    bar.update(task, completed=played, total=tournament.total)
    except KeyboardInterrupt:
        going_on = "; --resume goes on" if tournament.records is not None else ""
        count = f"{tournament.played:,} of {tournament.total:,} games"
        typer.echo(f"stopped at {count}{going_on}", err=True)
        raise typer.Exit(130) from None
    if live:
        screen.print(standings(tournament))
