"""Tables whose cells are coloured by their figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fourlab.studies.base import Published
from fourlab.studies.canvas import (
    FAINT,
    INK,
    PALETTE,
    SECOND,
    SIZE,
    WHITE,
    is_card,
    is_narrow,
    page_width,
    plain,
    sheet,
)
from fourlab.studies.findings import Findings
from fourlab.studies.plots.parts import form, number, words

CELL, LOW_CELL = 44, 30  # pixels high, on a card; as wide as the page lets it be, up to WIDEST
WIDEST = 110
STRONG = 0.5  # of a colour beyond which text on it is white
CONTRAST = 1.16  # how soon a score away from one half is fully coloured

WINNERS = {1: "first", 0: "draw", -1: "second"}
SHORT_WINNERS = {1: "1st", 0: "=", -1: "2nd"}  # where a cell is narrow

Grid = list[list[float]]


def heat(
    found: Findings,
    rows: str,
    columns: str,
    value: str,
    percent: bool = True,
    title: str = "",
) -> Any:
    """Draw a column of a table over two others whose cells are the axes; the best is outlined."""
    down = list(dict.fromkeys(words(row[rows]) for row in found.rows))
    across = list(dict.fromkeys(words(row[columns]) for row in found.rows))
    grid = [[math.nan] * len(across) for _ in down]
    for row in found.rows:
        place = down.index(words(row[rows])), across.index(words(row[columns]))
        grid[place[0]][place[1]] = number(row.get(value))
    known = [cell for line in grid for cell in line if math.isfinite(cell)]
    low, high = min(known, default=0.0), max(known, default=1.0)
    figure, axes = _sheet(len(down), len(across), title, 24)
    _axes(axes, down, across)
    write = form(percent, 0 if percent and high - low > 0.2 else 1)
    shade = _signed(max(-low, high)) if low < 0 else _between(low, high)
    for (y, x), cell in _each(grid):
        _cell(axes, x, y, write(cell), *shade(cell))
        if cell == high:
            axes.add_patch(_box(x, y, fill=False, edgecolor=INK, linewidth=2))
    titles = {column.name: column.title for column in found.columns}
    axes.set_xlabel(titles.get(columns, columns), fontsize=SIZE, color=FAINT, labelpad=8)
    axes.set_ylabel(titles.get(rows, rows), fontsize=SIZE, color=FAINT)
    axes.xaxis.set_label_position("top")
    return figure


def cross_table(found: Findings, published: Published | None = None) -> Any:
    """Draw what each agent of `extra["cross"]` scored against every other one."""
    cross = found.extra["cross"]
    agents, scores = cross["agents"], cross["scores"]
    games = cross.get("games") or [[0] * len(agents) for _ in agents]
    numbers = [str(place + 1) for place in range(len(agents))]
    is_tight = is_narrow() or len(agents) > WIDEST / 10
    across = numbers if is_tight or max(map(len, agents)) > 14 else agents
    down = [
        f"{agent}  {n}" if across is numbers and not agent.endswith(n) else agent
        for agent, n in zip(agents, numbers, strict=True)
    ]
    figure, axes = _sheet(len(agents), len(agents), "", 0)
    _axes(axes, down, across)
    grid = [[math.nan if score is None else score for score in line] for line in scores]
    shade = _signed(0.5 / CONTRAST)
    for y in range(len(agents)):
        axes.add_patch(_box(y, y, facecolor="none", edgecolor=PALETTE["line-strong"], hatch="////"))
    for (y, x), score in _each(grid):
        if x != y:
            played = games[y][x]
            below = f"{played:,}" if played and not is_tight else ""
            _cell(axes, x, y, f"{score:.0%}", *shade(score - 0.5), below=below)
    return figure


def board_sizes(
    published: Mapping[tuple[int, int], int], ours: Mapping[tuple[int, int], float]
) -> Any:
    """Draw who wins on boards of so many columns and rows; values that are ours in full colour."""
    across = sorted({columns for columns, _ in published})
    down = sorted({rows for _, rows in published}, reverse=True)
    figure, axes = _sheet(len(down), len(across), "", 24)
    _axes(axes, [str(rows) for rows in down], [str(columns) for columns in across])
    for size, printed in published.items():
        value = ours.get(size, math.nan)
        is_ours = math.isfinite(value)
        shown = int(value) if is_ours else printed
        colour = {1: "heat-high", 0: "draw", -1: "heat-low"}[shown]
        below = f"published: {WINNERS[printed]}" if shown != printed else ""
        x, y = across.index(size[0]), down.index(size[1])
        word = (SHORT_WINNERS if is_narrow() else WINNERS)[shown]
        _cell(axes, x, y, word, colour, 0.9 if is_ours else 0.12, below)
    axes.set_xlabel("columns; in full colour: solved in this run", fontsize=SIZE, color=FAINT)
    axes.set_ylabel("rows", fontsize=SIZE, color=FAINT)
    axes.xaxis.set_label_position("top")
    return figure


def _sheet(rows: int, columns: int, title: str, extra: float) -> tuple[Any, Any]:
    cell = LOW_CELL if is_card() else CELL if rows < 9 else 30
    figure = sheet(cell * rows + 34 + extra, title)
    room = page_width() * 0.78
    taken = min(room, WIDEST * columns)
    # A second, empty part keeps few columns from growing as wide as the page.
    parts = figure.subplots(1, 2, width_ratios=[taken, max(room - taken, 1)])
    parts[1].set_axis_off()
    return figure, parts[0]


def _axes(axes: Any, rows: Sequence[str], columns: Sequence[str]) -> None:
    plain(axes)
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_yticks(range(len(rows)), rows)
    axes.set_xticks(range(len(columns)), columns)
    axes.xaxis.tick_top()
    axes.tick_params(labelcolor=SECOND)


def _each(grid: Grid) -> list[tuple[tuple[int, int], float]]:
    return [
        ((y, x), cell)
        for y, line in enumerate(grid)
        for x, cell in enumerate(line)
        if math.isfinite(cell)
    ]


Shade = Callable[[float], tuple[str, float]]  # of a figure: colour, and how much of it


def _between(low: float, high: float) -> Shade:
    return lambda value: ("accent", 0.06 + 0.84 * (value - low) / ((high - low) or 1))


def _signed(most: float) -> Shade:
    def shade(value: float) -> tuple[str, float]:
        amount = min(1.0, abs(value) / (most or 1)) ** 0.9 * 0.92
        return ("heat-high" if value > 0 else "heat-low"), amount

    return shade


def _box(x: int, y: int, **style: Any) -> Any:
    from matplotlib.patches import Rectangle

    style = {"linewidth": 0, **style}
    return Rectangle((x - 0.47, y - 0.45), 0.94, 0.9, **style)


def _cell(
    axes: Any, x: int, y: int, text: str, colour: str, amount: float, below: str = ""
) -> None:
    """Draw a cell: a colour that shines through more or less lets the ground be light or dark."""
    axes.add_patch(_box(x, y, facecolor=PALETTE["heat-zero"]))
    axes.add_patch(_box(x, y, facecolor=PALETTE[colour], alpha=round(amount, 3)))
    style = {"ha": "center", "va": "center", "color": WHITE if amount > STRONG else INK}
    axes.text(x, y - 0.17 * bool(below), text, fontsize=SIZE, fontweight="bold", **style)
    if below:
        axes.text(x, y + 0.22, below, fontsize=SIZE - 2, **style)
