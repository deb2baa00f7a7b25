"""`fourlab games`: what was recorded, listed, replayed, exported."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fourlab.cli.options import RECORD, Record, print_json, refuse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fourlab.arena.records import Records
    from fourlab.rules.record import GameRecord

LISTED = 20
DELAY = 0.5  # seconds between moves


def games(
    identity: Annotated[str, typer.Argument(metavar="[ID]", help="One game, such as 3.14.")] = "",
    agent: Annotated[str | None, typer.Option(help="Only games of this agent.")] = None,
    game: Annotated[str | None, typer.Option(help="Only games of this game.")] = None,
    result: Annotated[
        str | None, typer.Option(help="Only these: first, second, draw or forfeit.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="How many; a list has 20, a file all.")
    ] = None,
    worst: Annotated[
        bool,
        typer.Option("--worst", help="The quickest loss of --agent, and its worst move."),
    ] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Replay on the board.")] = False,
    delay: Annotated[
        float | None, typer.Option(min=0, max=3600, help="Seconds between moves of --watch; 0.5.")
    ] = None,
    export: Annotated[
        Path | None, typer.Option(help="Write them to a file: .csv, .jsonl or .pgn.")
    ] = None,
    bring: Annotated[
        Path | None, typer.Option("--import", help="Keep the games of a file: .jsonl or .pgn.")
    ] = None,
    csv: Annotated[bool, typer.Option("--csv", help="Print them as CSV.")] = False,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Print them for tables.")] = False,
    pgn: Annotated[bool, typer.Option("--pgn", help="Print them as PGN.")] = False,
    record: Record = RECORD,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON lines.")] = False,
) -> None:
    """List, replay, export or import recorded games."""
    from fourlab.arena.records import Records

    ways = {"--import": bring, "--export": export, "--csv": csv, "--jsonl": jsonl, "--pgn": pgn}
    shown = {"--json": as_json, "--worst" if worst else "--watch": worst or watch}
    way = one_way({**ways, **shown})
    which = {"ID": identity, "--agent": agent, "--game": game, "--result": result}
    if bring is not None:
        refuse("--import keeps all games of a file", {**which, "--limit": limit})
        typer.echo(f"{record}: {keep(bring, record)}")
        return
    refuse("--worst shows one game", {"--limit": worst and limit})
    refuse("without --watch nothing moves", {"--delay": not watch and delay is not None})
    pause = (DELAY if delay is None else delay) if watch else 0.0
    where, values = conditions(identity, game, result)
    with Records(record, to_read=True) as records:
        players = {} if agent is None else records.named(agent)
        if agent is not None:
            numbers = ", ".join(map(str, players))
            where += f" AND (p.a IN ({numbers}) OR p.b IN ({numbers}))"
        check_is_there(records, identity, where, values)
        everything = records.listing(where, values, limit or -1)
        if export is not None:
            typer.echo(f"{export}: {write(export, everything):,} games")
            return
        if way in ("--csv", "--jsonl", "--pgn"):
            stream(f".{way[2:]}", everything)
            return
        found = list(records.listing(where, values, -1 if worst else limit or LISTED))
        total = records.count()
    if worst:
        show_worst(agent, set(players.values()), found, pause, watch)
        return
    if as_json:
        for entry in found:
            print_json(entry.to_json())
    elif watch or identity:
        for entry in found:
            replay(entry, pause, whole=watch)
    else:
        show(found, total)


def one_way(ways: dict[str, object]) -> str:
    """Return the option that says how games come out, "" if none does; raises SpecError."""
    from fourlab.core.errors import SpecError

    asked = [option for option, value in ways.items() if value]
    if len(asked) > 1:
        raise SpecError(f"{' and '.join(asked)} cannot be done at once; ask for one")
    return "".join(asked)


def check_is_there(records: Records, identity: str, where: str, values: tuple[Any, ...]) -> None:
    """Raise FourlabError, which says why, if one game was asked for and is not found."""
    from fourlab.core.errors import FourlabError

    if not identity or any(records.listing(where, values, 1)):
        return
    for one in records.listing(*conditions(identity, None, None)):
        how = "forfeit" if one.forfeit else one.outcome
        raise FourlabError(
            f"game {one.id} in {records.path} is another ({one.game}, {one.first} against "
            f"{one.second}, {how}); leave out --agent, --game and --result"
        )
    raise FourlabError(f"no game {identity} in {records.path}; fourlab games lists them")


def conditions(identity: str, game: str | None, result: str | None) -> tuple[str, tuple[Any, ...]]:
    """Return the filter as SQL and its values; raises SpecError."""
    from fourlab.core.errors import SpecError, quoted
    from fourlab.core.spec import whole_number
    from fourlab.rules.catalog import game as find_game

    first = "CASE number % 2 WHEN 0 THEN result ELSE -result END"
    outcomes = {"first": f"{first} = 1", "draw": "result = 0", "second": f"{first} = -1"}
    outcomes["forfeit"] = "forfeit IS NOT NULL"
    where: list[str] = ["1"]
    values: list[Any] = []
    if identity:
        pairing, dot, number = identity.removeprefix("#").partition(".")
        numbers = [whole_number(pairing), whole_number(number)]
        if not dot or None in numbers:
            raise SpecError(
                f"{quoted(identity)} is no game's number; write it as listed, such as 3.14"
            )
        where.append("pairing = ? AND number = ?")
        values += numbers
    if game is not None:
        where.append("game = ?")
        values.append(str(find_game(game)))
    if result is not None:
        if result not in outcomes:
            raise SpecError(f"no result {result!r}; write one of: {', '.join(outcomes)}")
        where.append(outcomes[result])
    return " AND ".join(where), tuple(values)


def show_worst(
    agent: str | None, names: set[str], found: list[GameRecord], delay: float, whole: bool
) -> None:
    """Put the worst game of an agent on the board."""
    from fourlab.cli.worst import mistake, worst_of
    from fourlab.core.errors import SpecError, quoted

    if agent is None:
        raise SpecError("--worst is of one agent; name it with --agent")
    if not found:
        raise SpecError(
            f"no game of {quoted(agent)} is among these; fourlab games lists who played"
        )
    lost = worst_of(names, found)
    if lost is None:
        typer.echo(f"{agent} lost none of {len(found):,} games")
        return
    replay(lost[0], delay, whole)
    if reason := mistake(*lost):
        typer.echo(reason)


def write(path: Path, entries: Iterator[GameRecord]) -> int:
    """Write games in the format that the file's name asks for; return how many."""
    from fourlab.core.errors import SpecError
    from fourlab.core.storage import check_spare, replacing
    from fourlab.rules.game_files import FORMATS, is_export

    if path.suffix not in FORMATS:
        raise SpecError(f"cannot export to {path}; name a file that ends in {' or '.join(FORMATS)}")
    check_spare(path, "export of games", is_export)
    head, text, _ = FORMATS[path.suffix]
    count = 0
    with replacing(path) as file:
        file.write(head.encode())
        for entry in entries:
            file.write(text(entry).encode())
            count += 1
    return count


def keep(path: Path, record: Path) -> str:
    """Keep the games of a file that are not recorded yet; say how many."""
    from fourlab.arena.records import Records
    from fourlab.rules.game_files import read_games

    def told(game: GameRecord) -> tuple[object, ...]:
        return (game.game, game.first, game.second, game.seed, game.moves, game.forfeit)

    found = read_games(path)
    with Records(record) as records, records.at_once():
        known = {told(game) for game in records.listing()}
        fresh = [game for game in found if told(game) not in known]
        for game in fresh:
            records.keep(game)
    there = f", {len(found) - len(fresh):,} were there" if len(fresh) < len(found) else ""
    return f"{len(fresh):,} games more{there}"


def stream(suffix: str, entries: Iterator[GameRecord]) -> None:
    """Print games in a format."""
    from fourlab.rules.game_files import FORMATS

    head, text, _ = FORMATS[suffix]
    typer.echo(head, nl=False)
    for entry in entries:
        typer.echo(text(entry), nl=False)


def replay(entry: GameRecord, delay: float, whole: bool) -> None:
    """Show a game move by move, or only its end."""
    from rich.live import Live
    from rich.text import Text

    from fourlab.cli.console import board, console, is_plain, result
    from fourlab.rules.catalog import game as find_game
    from fourlab.rules.position import read_moves

    screen = console()
    plain = is_plain(screen)
    rules = find_game(entry.game)
    line = [rules.start()]
    for move in read_moves(rules, entry.moves):
        line.append(line[-1].play(move))
    screen.print(f"game {entry.id}: {entry.first} against {entry.second}", markup=False)
    if whole and screen.is_terminal:
        with Live(board(line[0], plain), console=screen, auto_refresh=False) as picture:
            for position in line[1:]:
                time.sleep(delay)
                picture.update(board(position, plain), refresh=True)
    else:
        for position in line[1:] if whole else line[-1:]:
            screen.print(board(position, plain))
    end = f"forfeit: {entry.forfeit}" if entry.forfeit else result(line[-1], plain)
    screen.print(Text(end, style="bold"))
    screen.print(f"moves: {entry.moves}")
    for text in entry.words():
        screen.print(Text.from_ansi(text), style="dim")


def show(found: list[GameRecord], total: int) -> None:
    """Print a table of games."""
    from rich.table import Table

    from fourlab.cli.console import console, table_console
    from fourlab.rules.game_files import RESULTS

    table = Table(box=None, pad_edge=False)
    for heading in ("id", "game", "first", "second", "result", "moves"):
        table.add_column(heading, overflow="fold")
    for entry in found:
        mark = " (forfeit)" if entry.forfeit else ""
        names = (entry.game, entry.first, entry.second)
        table.add_row(entry.id, *names, RESULTS[entry.outcome] + mark, entry.moves)
    table_console().print(table)
    console().print(f"{len(found):,} shown, {total:,} recorded", style="dim")
