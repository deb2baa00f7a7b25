"""What the terminal shows: boards and results, in colour where there is colour."""

import contextlib
import itertools
import sys
from collections.abc import Iterator
from typing import Any, TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Column
from rich.text import Text

from fourlab.agents.base import Decision
from fourlab.core.showing import harmless
from fourlab.rules.formats import row_cells
from fourlab.rules.position import FIRST, SECOND, SIDE_NAMES, Outcome, Position

Item = TypeVar("Item")

PIPED_WIDTH = 200  # columns
STYLES = ("bold yellow", "bold red")
FRAME = "blue"
PLAIN_MARKS = ("X", "O")
DISC_MARKS = ("●", "○")  # filled and hollow: told apart without colour too


class Screen(Console):
    """A console that takes names as they are: folders and records may come from anyone."""

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(harmless(text), **options)


def console() -> Console:
    """Return a console on standard output; plain when piped or under NO_COLOR.

    Names in brackets or between colons, as files may have them, are no markup.
    """
    return Screen(soft_wrap=True, highlight=False, markup=False, emoji=False)


def table_console() -> Console:
    """Return a console for tables: a pipe does not limit their width."""
    target = console()
    if not target.is_terminal:
        target.width = PIPED_WIDTH
    return target


def is_plain(target: Console) -> bool:
    """Return whether to draw in letters and ASCII alone."""
    return target.color_system is None or target.no_color or not target.encoding.startswith("utf")


def marks(plain: bool) -> tuple[str, str]:
    """Return how the first and the second player's stones look."""
    return PLAIN_MARKS if plain else DISC_MARKS


Chips = dict[int, tuple[str, str, str]]  # two short lines and a style for each move
CHIP_WIDTH = 7


def board(position: Position, plain: bool, chips: Chips | None = None) -> Text:
    """Draw a board: the last move in (round), a winning line in [square] brackets.

    `chips` stand above the columns where stones fall, and in the empty cells where they do not.
    """
    rules = position.rules
    width = len(str(rules.columns if rules.gravity else rules.cells)) + 2
    width = width if chips is None else max(width, CHIP_WIDTH)
    side_edge, dash, corners = ("|", "-", "++") if plain else ("│", "─", "╰╯")
    text = Text()
    if chips and rules.gravity:
        for line in (0, 1):
            text.append(" ")
            for column in range(rules.columns):
                text.append(" ")
                text.append(chips[column][line].center(width - 1), style=chips[column][2])
            text.append("\n")
    last, line_cells = _last_cell(position), position.line
    for index, cell in enumerate(row_cells(rules)):
        if index % rules.columns == 0:
            text.append(side_edge, style=FRAME)
        mark, style = _mark(position, index, cell, plain)
        if chips and not rules.gravity and not position.occupied & cell:
            mark, style = "".join(chips[index][:2]).replace("in ", " "), chips[index][2]
        brackets = "[]" if line_cells & cell else "()" if last & cell else "  "
        text.append(f"{brackets[0]}{mark}{brackets[1]}".center(width), style=style)
        if index % rules.columns == rules.columns - 1:
            text.append(f"{side_edge}\n", style=FRAME)
    labels = [str(column + 1) if rules.gravity else "" for column in range(rules.columns)]
    text.append(corners[0], style=FRAME)
    text.append("".join(label.center(width, dash) for label in labels), style=FRAME)
    text.append(corners[1], style=FRAME)
    return text


def thoughts(position: Position, decision: Decision) -> Chips:
    """Return chips with the value and the visits that an agent gave each move, if it gave any."""
    if decision.values is None and decision.visits is None:
        return {}
    chips: Chips = {}
    for move in range(position.rules.move_count):
        value = None if decision.values is None else decision.values[move]
        visits = 0 if decision.visits is None else decision.visits[move]
        style = "bold green" if move == decision.move else "cyan"
        shown = "" if value is None else f"{value:+z.2f}" if abs(value) < 10 else f"{value:+z.0f}"
        counted = (
            short_count(visits) if visits and position.rules.gravity else ""
        )  # cells are small
        chips[move] = (shown, counted, style)
    return chips


def short_count(count: int) -> str:
    """Return a count in at most five characters: 950, 12.5k, 3.4M."""
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if count >= size:
            return f"{count / size:.3g}{unit}"
    return str(count)


def _mark(position: Position, index: int, cell: int, plain: bool) -> tuple[str, str]:
    """Return what stands in a cell and its style."""
    if not position.occupied & cell:
        return "." if position.rules.gravity else str(index + 1), "dim"
    side = FIRST if position.first_stones & cell else SECOND
    return marks(plain)[side], STYLES[side]


def _last_cell(position: Position) -> int:
    if not position.moves:
        return 0
    before = position.rules.start().play_all(position.moves[:-1])
    return position.occupied & ~before.occupied


def result(position: Position, plain: bool) -> str:
    """Say how a game ended."""
    outcome = position.outcome
    if outcome is Outcome.DRAW:
        return f"Draw after {position.ply} moves."
    if outcome.winner is None:
        return f"Stopped after {position.ply} moves."
    side = f"{marks(plain)[outcome.winner]} ({SIDE_NAMES[outcome.winner]})"
    return f"{side} wins after {position.ply} moves."


def progress(unit: str) -> Progress:
    """Return a progress bar with a count of `unit` and the time left, on standard error."""
    columns = (
        TextColumn(
            "{task.description}",
            markup=False,
            table_column=Column(overflow="ellipsis", max_width=30),
        ),
        BarColumn(bar_width=12),  # room for the rest in 80 columns
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeRemainingColumn(compact=True),
    )
    target = Console(stderr=True, markup=False, emoji=False)
    return Progress(*columns, console=target, transient=True, disable=not target.is_terminal)


@contextlib.contextmanager
def prints_apart() -> Iterator[None]:
    """Let what people's own code prints go where errors go: the answer is all that we print."""
    with contextlib.redirect_stdout(sys.stderr):
        yield


def each_apart(items: Iterator[Item]) -> Iterator[Item]:
    """Yield items in whose making people's own code may print."""
    while True:
        with prints_apart():
            found = list(itertools.islice(items, 1))
        if not found:
            return
        yield found[0]
