"""`fourlab analyze`: the exact score of every move."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourlab.cli.options import print_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.text import Text

    from fourlab.core.limit import Limit
    from fourlab.search.analysis import Analysis
    from fourlab.search.solver import Solver

STYLES = {1: "cyan", 0: "white", -1: "magenta"}


def analyze(
    moves: Annotated[str, typer.Argument(help="The moves played, such as 4455.")] = "",
    game: Annotated[str, typer.Option(help="The game.")] = "connect4",
    file: Annotated[
        Path | None, typer.Option(help="Analyse a position a line; prints JSON lines.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    seconds: Annotated[
        float | None, typer.Option(min=0.001, help="Give up after so long, with bounds.")
    ] = None,
    threads: Annotated[int, typer.Option(min=1, help="Threads that search together.")] = 1,
    table_mb: Annotated[float, typer.Option(min=1, help="Memory for the search.")] = 128,
    book: Annotated[bool, typer.Option(help="Use the opening book.")] = True,
) -> None:
    """Show the exact score of every move, seen by the side to move."""
    from fourlab.core.errors import SpecError, quoted
    from fourlab.core.limit import Limit
    from fourlab.positions.suites import read_positions
    from fourlab.rules.catalog import game as find_game
    from fourlab.rules.position import position_of
    from fourlab.search.analysis import analyse
    from fourlab.search.book import shipped_book
    from fourlab.search.solver import Solver

    if moves and file:
        raise SpecError(f"{quoted(moves)}: --file names the positions; leave one of them out")
    rules = find_game(game)
    positions = read_positions(rules, file) if file else [position_of(rules, moves)]
    solver = Solver(rules, table_mb, threads, shipped_book(rules) if book else None)
    limits = Limit(seconds=float("inf") if seconds is None else seconds)
    if not file and not as_json:
        show(analyse(positions[0], solver, limits, quick_first=True), solver, limits)
        return
    for position in positions:
        [*_, found] = analyse(position, solver, limits)
        print_json(found.to_json())
        sys.stdout.flush()


def show(steps: Iterator[Analysis], solver: Solver, limits: Limit) -> None:
    """Draw the board, and the scores above it as they are found."""
    from rich.live import Live

    from fourlab.cli.console import console, is_plain
    from fourlab.search.sizes import known

    screen = console()
    plain = is_plain(screen)
    found = next(steps)
    if solver.book is None and found.position.ply == 0 and (board := known(solver.rules)):
        screen.print(f"The empty board: {board.words}")
    if plain:
        [found, *_] = [*steps, found]  # the same object all along, complete now
        screen.print(picture(found, plain))
    else:
        with Live(picture(found, plain), console=screen, refresh_per_second=10) as live:
            for found in steps:
                live.update(picture(found, plain))
    for line in sentences(found, solver, limits):
        screen.print(line)


def picture(found: Analysis, plain: bool) -> Text:
    """Draw the board with a chip above each column, or beside it where stones do not fall."""
    from fourlab.cli.console import board

    return board(found.position, plain, chips=chips(found))


def chips(found: Analysis) -> dict[int, tuple[str, str, str]]:
    """Return for each move two short lines and a style."""
    from fourlab.search.scores import sign, stones_to_come

    rules, stones = found.position.rules, found.position.ply
    result = {}
    for move in range(rules.move_count):
        bounds = found.moves.get(move)
        if bounds is None:
            legal = move in found.position.legal_moves()
            result[move] = ("...", "", "dim") if legal else ("", "", "dim")
            continue
        known = sign(bounds.low) == sign(bounds.high)
        word = {1: "Win", 0: "Draw", -1: "Loss"}[sign(bounds.low)] if known else "?"
        detail = ""
        if known and bounds.low:
            exact = f"in {stones_to_come(rules, stones, bounds.low)}"
            detail = exact if bounds.is_exact else "..."
        style = STYLES[sign(bounds.low)] if known else "dim"
        best = " bold reverse" if move in found.best else ""
        result[move] = (word, detail, style + best)
    return result


def sentences(found: Analysis, solver: Solver, limits: Limit) -> list[str]:
    """Return the value in words, the best moves, the best line, and what it cost."""
    from fourlab.cli.console import result
    from fourlab.rules.position import SIDE_NAMES, write_moves
    from fourlab.search.scores import words

    position = found.position
    if position.is_over:
        return [result(position, plain=True)]
    side = SIDE_NAMES[position.to_move].capitalize()
    searched = f"{found.nodes:,} nodes, {found.seconds:.2f} s"
    cost = "from the book" if found.source == "book" else searched
    if found.value is None:
        return [f"{side} to move: not solved in the time given", cost]
    verdict = words(position.rules, position.ply, found.value)
    best = ", ".join(str(move + 1) for move in found.best)
    line = write_moves(position.rules, solver.line(position, limits))
    return [
        f"{side} to move: {verdict} (score {found.value:+d})",
        f"best: {position.rules.unit} {best}",
        f"line: {line}",
        cost,
    ]
