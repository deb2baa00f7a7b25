"""`fourlab arena`: agents against each other."""

from __future__ import annotations

import time
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fourlab.cli.options import (
    RECORD,
    Anchor,
    AsJson,
    Cluster,
    MoveTime,
    NoRecord,
    Plies,
    Plot,
    Record,
    WorkerCount,
    as_text,
    print_json,
    refuse,
)

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import RenderableType

    from fourlab.arena.events import Event
    from fourlab.arena.sprt import Hypotheses
    from fourlab.arena.tournament import Tournament
    from fourlab.core.workers import Workers

GAMES = 100
SEED_BITS = 31


def arena(
    agents: Annotated[list[str] | None, typer.Argument(help="Two agents or more.")] = None,
    games: Annotated[int | None, typer.Option(min=2, help="Games of each pair.")] = None,
    game: Annotated[
        str | None, typer.Option(help="The game; connect4 if none is named.", parser=as_text)
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Repeat a tournament.")] = None,
    gauntlet: Annotated[bool, typer.Option(help="Only the first against all others.")] = False,
    sprt: Annotated[
        str | None,
        typer.Option(
            metavar="LOW,HIGH",
            help="Stop a pair once LOW or HIGH Elo more is settled.",
            parser=as_text,
        ),
    ] = None,
    alpha: Annotated[
        float | None, typer.Option(help="Chance to accept HIGH wrongly; 0.05 if none is named.")
    ] = None,
    beta: Annotated[
        float | None, typer.Option(help="Chance to accept LOW wrongly; 0.05 if none is named.")
    ] = None,
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
    refuse("--no-record keeps no games", {"--record": no_record and record != RECORD})
    if resume and no_record:
        raise SpecError("--resume goes on with recorded games; leave out --no-record")
    last: dict[str, Any] = last_run(record) if resume else {}
    if resume and not agents:
        begun = {**last, "games": games or last["games"], "anchor": anchor or last["anchor"]}
        event = Event.from_json(begun)
        tested = hypotheses(sprt, alpha, beta)
        refuse_contradictions(event, record, game, seed, gauntlet, plies, move_time, tested)
    else:
        event = Event(
            game or "connect4",
            tuple(agents or ()),
            games or GAMES,
            last.get("seed", fresh_seed()) if seed is None else seed,
            gauntlet=gauntlet,
            plies=plies,
            move_seconds=move_time,
            hypotheses=hypotheses(sprt, alpha, beta),
            anchor=anchor,
        )
    say_if_odd(games)
    with (  # what is refused leaves no file behind
        Workers(workers, cluster=cluster) as pool,
        nullcontext() if no_record else Records(record) as records,
    ):
        tournament = Tournament(event, records, resume=True)
        if not resume:
            say_what_is_known(tournament)
        follow(tournament, pool, live=not as_json)
    if plot is not None:
        save(tournament_figure(tournament), plot)
    if as_json:
        print_json(tournament.to_json())


def last_run(record: Path) -> dict[str, Any]:
    """Return the settings of the last tournament of a record."""
    from fourlab.arena.records import Records

    with Records(record, to_read=True) as records:
        return records.last_run()


def refuse_contradictions(
    event: Event,
    record: Path,
    game: str | None,
    seed: int | None,
    gauntlet: bool,
    plies: int | None,
    move_time: float | None,
    tested: Hypotheses | None,
) -> None:
    """Raise SpecError for whatever the last tournament of a record was not begun with."""
    from fourlab.core.errors import SpecError
    from fourlab.rules.catalog import game as find_game

    asked = {
        "--game": (game and str(find_game(game)), event.game),
        "--seed": (seed, event.seed),
        "--gauntlet": (gauntlet or None, event.gauntlet),
        "--plies": (plies, event.plies),
        "--move-time": (move_time, event.move_seconds),
        "--sprt": (tested, event.hypotheses),
    }
    for option, (value, begun) in asked.items():
        if value is not None and value != begun:
            raise SpecError(
                f"{option}: the last tournament in {record} was begun with another; leave it out, "
                "or name the agents too"
            )


def say_if_odd(games: int | None) -> None:
    """Say that one game more is played than was asked for."""
    if games is not None and games % 2:
        even = f"{games + 1:,} games a pair, not {games:,}: each opening from both sides"
        typer.echo(even, err=True)


def say_what_is_known(tournament: Tournament) -> None:
    """Say that games were played before, and how to play more of them or others."""
    event, played, total = tournament.event, tournament.played, tournament.total
    if played:
        more = f"more with --games {2 * event.games}, others with --seed {event.seed + 1}"
        known = "all" if played == total else f"{played:,} of {total:,}"
        typer.echo(f"{known} of these games were recorded before; {more}", err=True)


def fresh_seed() -> int:
    """Return a seed that was not used before."""
    import secrets

    return secrets.randbits(SEED_BITS)


def hypotheses(text: str | None, alpha: float | None, beta: float | None) -> Hypotheses | None:
    """Read `LOW,HIGH` and the chances of errors; raises SpecError."""
    from fourlab.arena.sprt import Hypotheses
    from fourlab.core.errors import SpecError

    chances = {"alpha": alpha, "beta": beta}
    given = {name: chance for name, chance in chances.items() if chance is not None}
    if not text:
        if given:
            raise SpecError(f"--{' and --'.join(given)}: of a test; name it with --sprt LOW,HIGH")
        return None
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise SpecError(f"--sprt {text!r}: write two numbers of Elo points, such as 0,20") from None
    return Hypotheses(low, high, **given)


def follow(tournament: Tournament, pool: Workers, live: bool) -> None:
    """Play a tournament and show how it goes; the standings stay on the screen."""
    from rich.live import Live

    from fourlab.cli.console import progress, table_console
    from fourlab.cli.standings import standings

    screen = table_console()
    pace = Pace(tournament)
    try:
        if pool.cluster is None:
            tournament.prepare()
        if live and screen.is_terminal:

            def now() -> RenderableType:
                return standings(tournament, screen.width, pace.left)

            with Live(console=screen, transient=True, get_renderable=now):
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
        screen.print(standings(tournament, screen.width))


class Pace:
    """How fast a tournament goes, from here on."""

    def __init__(self, tournament: Tournament) -> None:
        self._tournament = tournament
        self._began, self._before = time.monotonic(), tournament.played

    @property
    def left(self) -> str:
        """The time left in words; nothing before a game was played."""
        from fourlab.studies.wording import spell

        tournament = self._tournament
        done = tournament.played - self._before
        if not done:
            return ""
        seconds = (time.monotonic() - self._began) / done * (tournament.total - tournament.played)
        return f"about {spell(max(seconds, 1))} left"
