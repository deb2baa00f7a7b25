"""`fourlab arena`: agents against each other."""

from __future__ import annotations

import dataclasses
import json
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from fourlab.arena.executors import Workers
    from fourlab.arena.sprt import Hypotheses
    from fourlab.arena.tournament import Tournament

RECORD = Path("games.db")
GAMES = 100
SEED_BITS = 31
PIPED_WIDTH = 200  # columns of a table that no terminal limits


def arena(
    agents: Annotated[list[str] | None, typer.Argument(help="Two agents or more.")] = None,
    games: Annotated[int | None, typer.Option(min=2, help="Games of each pair.")] = None,
    game: Annotated[str, typer.Option(help="The game.")] = "connect4",
    seed: Annotated[int | None, typer.Option(min=0, help="Repeat a tournament.")] = None,
    gauntlet: Annotated[bool, typer.Option(help="Only the first against all others.")] = False,
    sprt: Annotated[
        str, typer.Option(metavar="LOW,HIGH", help="Stop a pair once it is LOW or HIGH Elo apart.")
    ] = "",
    alpha: Annotated[float, typer.Option(help="Chance to accept HIGH wrongly.")] = 0.05,
    beta: Annotated[float, typer.Option(help="Chance to accept LOW wrongly.")] = 0.05,
    anchor: Annotated[str | None, typer.Option(help="The agent that is rated 0.")] = None,
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
    resume: Annotated[bool, typer.Option("--resume", help="Go on where it stopped.")] = False,
    plot: Annotated[
        Path | None, typer.Option(help="Draw cross table and ratings, .png or .svg.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Let agents play each other; rate them, with intervals."""
    from fourlab.arena.events import Event
    from fourlab.arena.executors import Workers
    from fourlab.arena.records import Records
    from fourlab.arena.tournament import Tournament

    with nullcontext() if no_record else Records(record, create=not resume) as records:
        given: dict[str, Any] = {
            "agents": tuple(agents or ()),
            "games": games,
            "seed": seed,
        }
        last = records.last_run() if resume and records is not None else {}
        if resume and not agents:
            changed = {name: value for name, value in given.items() if value}
            event = dataclasses.replace(Event.from_json(last), **changed)
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
        from fourlab.studies.figures import save, tournament_figure

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
    from fourlab.rules.errors import SpecError

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

    from fourlab.cli.console import console, progress
    from fourlab.cli.standings import standings

    screen = console()
    if not screen.is_terminal:
        screen.width = PIPED_WIDTH
    try:
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
