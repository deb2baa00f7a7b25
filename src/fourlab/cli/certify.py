"""`fourlab certify`: an agent against every reply."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fourlab.cli.options import AsJson, Cluster, print_json, spare

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fourlab.agents.base import Agent
    from fourlab.arena.certify.certificate import Certificate
    from fourlab.arena.certify.walk import Progress

NOT_CERTIFIED, INTERRUPTED = 1, 130  # exit codes
SHOWN = 10  # refuting games
ADDRESS = "http://127.0.0.1:8080"  # where `fourlab serve` answers


def certify(
    agent: Annotated[str, typer.Argument(help="An agent without dice: q:PATH,ties=first.")] = "",
    game: Annotated[str | None, typer.Option(help="The game; connect4 if none is named.")] = None,
    side: Annotated[
        str | None, typer.Option(help="first or second; first if none is named.")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="It also punishes every mistake on the way.")
    ] = False,
    start: Annotated[
        str | None, typer.Option(metavar="MOVES", help="Begin after these moves.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The certificate's file.")] = None,
    check: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Repeat a certificate, a file or one that ships."),
    ] = None,
    holes: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write where the value was given away.")
    ] = None,
    no_solver: Annotated[
        bool, typer.Option("--no-solver", help="--holes: all positions on refuting games instead.")
    ] = False,
    moves: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write its moves, for docs/deep/check.py.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with --out's walk.")] = False,
    most: Annotated[int, typer.Option(min=1, help="Positions at most.")] = 100_000_000,
    workers: Annotated[int, typer.Option(min=1, help="Processes that decide.")] = 1,
    cluster: Cluster = None,
    as_json: AsJson = False,
) -> None:
    """Play an agent against every reply: does it always reach the value of the game?"""
    from fourlab.agents.registry import agent as find_agent
    from fourlab.arena.certify.certificate import Certificate, differences, find_file
    from fourlab.arena.certify.certificate import certify as run
    from fourlab.arena.certify.walk import remove
    from fourlab.cli.console import prints_apart
    from fourlab.core.errors import SpecError
    from fourlab.core.storage import beside, replacing
    from fourlab.core.workers import Workers
    from fourlab.positions.suites import position_lines

    old = None if check is None else Certificate.load(find_file(check))
    if not agent and old is None:
        raise SpecError("name an agent, such as perfect:ties=first, or --check a certificate")
    if resume and out is None:
        raise SpecError("--resume goes on with the walk of a certificate: name it with --out")
    written = [place for place in (out, holes, moves) if place is not None]
    _check_places(written, check)
    asked = {"game": game, "side": side, "strict": strict or None, "start": start}
    usual = {"game": "connect4", "side": "first", "strict": False, "start": ""}
    told: dict[str, Any] = {
        **usual,
        **{name: one for name, one in asked.items() if one is not None},
    }
    if old is not None:
        _refuse_others(asked, old)
        told = {name: getattr(old, name) for name in told} | {"mirrors": old.mirrors}
    folder = None if out is None else beside(out, ".walk")
    spec = agent or (old.agent if old is not None else "")
    player = find_agent(spec, told["game"])
    spare(player, *written)
    _check_spare(out, holes, moves, player, told)
    alone = workers == 1 and cluster is None
    with (
        nullcontext() if alone else Workers(workers, "processes", cluster) as pool,
        _following(spec, out) as watch,
        prints_apart(),
    ):
        found = run(
            spec,
            **told,
            starts="" if holes is None else "refuted" if no_solver else "holes",
            explain=not no_solver,
            moves=moves,
            folder=folder,
            resume=resume,
            workers=pool,
            most=most,
            watch=watch,
        )
    if holes is not None:
        with replacing(holes) as file:
            file.write(position_lines(found.starts))
    if out is not None and folder is not None:
        found.save(out)
        remove(folder)
    if as_json:
        print_json(found.to_json())
    else:
        show(found)
    if old is not None:
        _compare(old, found, differences(old, found))
    elif not found.certified:
        raise typer.Exit(NOT_CERTIFIED)


def _check_places(written: list[Path], read: Path | None) -> None:
    """Refuse files that cannot be written, or would overwrite others: before the walk."""
    from fourlab.core.errors import SpecError
    from fourlab.core.storage import check_place

    for place in written:
        check_place(place)
        if [*written, read].count(place) > 1:
            raise SpecError(f"{place} is named twice; every file needs a name of its own")


def _check_spare(
    out: Path | None, holes: Path | None, moves: Path | None, player: Agent, told: dict[str, Any]
) -> None:
    """Refuse files that hold something else than what would be written there."""
    from fourlab.arena.certify.certificate import Certificate, holds_moves
    from fourlab.arena.certify.walk import words
    from fourlab.core.storage import check_same, check_spare
    from fourlab.positions.suites import is_of_positions
    from fourlab.rules.position import position_of, write_moves

    rules = player.rules
    if out is not None and check_spare(out, "certificate", Certificate.load):
        start = write_moves(rules, position_of(rules, told["start"]).moves)
        old = Certificate.load(out)
        held = words(old.agent, old.game, old.side, old.start)
        mine = words(player.spec, str(rules), told["side"], start)
        check_same(out, f"a certificate of {held}", f"a certificate of {mine}")
    if holes is not None:
        check_spare(holes, "file of positions", lambda path: is_of_positions(rules, path))
    if moves is not None:
        check_spare(moves, "file of moves", holds_moves)


def _refuse_others(asked: dict[str, Any], old: Certificate) -> None:
    """Say that a certificate is repeated as it is, where something else was asked for."""
    from fourlab.core.errors import SpecError

    for name, given in asked.items():
        claimed = getattr(old, name)
        if given not in (None, claimed):
            raise SpecError(f"the certificate has {name} {claimed}, not {given}; leave it out")


@contextmanager
def _following(agent: str, out: Path | None) -> Iterator[Callable[[Progress], None]]:
    """Give what draws the progress of a walk; Ctrl-C says how to go on."""
    from fourlab.cli.console import progress

    with progress("positions") as bar:
        task = bar.add_task(agent, total=None)

        def watch(walk: Progress) -> None:
            words = f"ply {walk.ply}, {walk.positions:,} so far"
            bar.update(task, description=words, completed=walk.done, total=walk.total)

        try:
            yield watch
        except KeyboardInterrupt:
            typer.echo("stopped" + ("" if out is None else "; --resume goes on"), err=True)
            raise typer.Exit(INTERRUPTED) from None


def _compare(old: Certificate, new: Certificate, others: list[str]) -> None:
    """Say whether a certificate was repeated; one that was not exits with a code of its own."""
    if others:
        arithmetic = old.versions.get("arithmetic", "")
        made = f"; its moves were found in {arithmetic}" if arithmetic else ""
        typer.echo(f"not repeated: other {', '.join(others)}{made}", err=True)
        raise typer.Exit(NOT_CERTIFIED)
    changed = "" if old.sources == new.sources else "; its files differ, its moves do not"
    typer.echo(f"repeated: the same positions, moves and results{changed}", err=True)


def show(found: Certificate) -> None:
    """Print a certificate: the verdict, the plies, and how it was refuted."""
    from rich.table import Table

    from fourlab.arena.certify.certificate import verdict
    from fourlab.cli.console import console

    screen = console()
    title, sentence = verdict(found)
    screen.print(title, style="bold green" if found.certified else "bold red")
    screen.print(sentence)
    screen.print(f"{found.agent} in {found.game}" + (f" from {found.start}" if found.start else ""))
    table = Table(box=None, pad_edge=False)
    names = ("ply", "positions", "asked", "won", "drawn", "lost")
    for heading in names:
        table.add_column(heading, justify="right")
    for tally in found.by_ply:
        table.add_row(str(tally.ply), *(f"{count:,}" for count in tally[1:]))
    table.add_section()
    totals = (sum(getattr(tally, name) for tally in found.by_ply) for name in names[1:])
    table.add_row("all", *(f"{count:,}" for count in totals), style="bold")
    screen.print(table)
    equal = "equal and mirrored positions" if found.mirrors else "equal positions"
    screen.print(f"{equal} count once; won by its move, lost by a reply", style="dim")
    screen.print(f"sha256 {found.digest}", style="dim")
    screen.print(f"{found.seconds:,.1f} s", style="dim")
    if found.refutations:
        _show_refutations(found)


def _show_refutations(found: Certificate) -> None:
    from fourlab.arena.certify.certificate import analyse_address
    from fourlab.cli.console import console

    screen = console()
    shown = min(SHOWN, len(found.refutations))
    screen.print(f"\nRefuting games, shortest first ({shown} of {found.refuted:,}):")
    for moves, turn in list(zip(found.refutations, found.turns, strict=True))[:SHOWN]:
        screen.print(f"{moves}  {turn}".rstrip())
        screen.print(f"  {ADDRESS}{analyse_address(found.game, moves)}", style="dim")
