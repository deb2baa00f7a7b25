"""A bar or an interval for every row of a table."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fourlab.studies.base import Published
from fourlab.studies.canvas import (
    ACCENT,
    FAINT,
    INK,
    LETTER,
    PALETTE,
    SECOND,
    SIZE,
    SURFACE,
    is_card,
    is_narrow,
    page_width,
    plain,
    sheet,
)
from fourlab.studies.findings import Findings, Form, Measure
from fourlab.studies.plots.parts import (
    FILLS,
    WORDS,
    beside,
    cells,
    form,
    key,
    labels,
    locator,
    on_card,
    printed,
)
from fourlab.studies.wording import digits
from fourlab.studies.wording import figure as figure_text

ROW, LOW_ROW = 28, 22  # pixels of a bar and the gap to the next one, and on a card


def outcome_bars(
    found: Findings,
    published: Published | None = None,
    wins: str = "wins",
    draws: str = "draws",
    losses: str = "losses",
    title: str = "",
) -> Any:
    """Draw the results of every row as one bar, and published wins as a line on it."""
    found = on_card(found)
    figure, axes = _rows(labels(found), title, extra=30)
    begin = np.zeros(len(found.rows))
    for outcome, column in zip(WORDS, (wins, draws, losses), strict=True):
        part = np.nan_to_num(cells(found, column))
        if part.any():
            axes.barh(
                range(len(part)),
                part,
                0.62,
                begin,
                color=PALETTE[FILLS[outcome]],
                edgecolor=SURFACE,
                linewidth=1,
                label=WORDS[outcome],
            )
        begin += part
    _published_lines(axes, printed(found, published, wins), halo=True)
    axes.set_xlim(0, 1)
    axes.set_xticks([])
    _values(axes, cells(found, wins), form(True, 1), at=1.0)
    key(figure, axes)
    return figure


def intervals(
    found: Findings,
    published: Published | None = None,
    column: str = "",
    title: str = "",
    line: float | None = None,
    percent: bool = True,
) -> Any:
    """Draw a dot with its 95% interval for every row; `line` is a value to hold them against."""
    found = on_card(found)
    measures = [row.get(column) for row in found.rows]
    values = cells(found, column)
    told = printed(found, published, column)
    figure, axes = _rows(labels(found), title, extra=46 if _any(told) else 26)
    plain(axes, "x")
    for place, (cell, value) in enumerate(zip(measures, values, strict=True)):
        if line is not None:
            axes.barh(place, value - line, 0.5, line, color=PALETTE["accent-track"], alpha=0.55)
        if isinstance(cell, Measure) and cell.low is not None and cell.high is not None:
            ends = [[max(0.0, value - cell.low)], [max(0.0, cell.high - value)]]
            axes.errorbar(
                value, place, xerr=ends, color=ACCENT, elinewidth=2, capsize=4, capthick=2
            )
        axes.plot(value, place, "o", color=ACCENT, markersize=7)
    if line is not None:
        axes.axvline(line, color=FAINT, linewidth=1, linestyle=(0, (4, 3)))
    _published_lines(axes, told)
    axes.margins(x=0.06)
    write = form(percent)
    axes.xaxis.set_major_locator(locator(3 if is_narrow() else 6))
    axes.xaxis.set_major_formatter(lambda value, _: write(value))
    kind: Form = "percent" if percent else "number"
    places = digits(kind, measures)
    sign = "%" if percent else ""
    _values(axes, values, lambda value: figure_text(value, kind, places) + sign, axes.get_xlim()[1])
    key(figure, axes)
    return figure


def _rows(names: Sequence[str], title: str, extra: float = 0) -> tuple[Any, Any]:
    """Return a figure with a place for each row, its name on the left."""
    room = int(page_width() / 3 / LETTER)  # letters
    names = [_in_two_lines(name, room) for name in names]
    row = (LOW_ROW if is_card() else ROW) + 8 * any("\n" in name for name in names)
    figure = sheet(row * len(names) + 12 + extra, title)
    axes = figure.subplots()
    plain(axes)
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", labelcolor=SECOND)
    axes.set_ylim(len(names) - 0.4, -0.6)
    return figure, axes


def _in_two_lines(name: str, room: int) -> str:
    lines = textwrap.wrap(name, room)
    if len(lines) > 2:
        lines = [lines[0], lines[1][: room - 1] + "…"]
    return "\n".join(lines)


def _any(values: Sequence[float]) -> bool:
    return any(math.isfinite(value) for value in values)


def _published_lines(axes: Any, values: Sequence[float], halo: bool = False) -> None:
    """Draw a line of two pixels at what was published; a halo lifts it off a bar."""
    colour = INK if halo else FAINT
    if _any(values):
        style = {"color": colour, "linestyle": "none", "markersize": 12, "markeredgewidth": 2}
        axes.plot([], [], marker="|", label="published", **style)
    for place, value in enumerate(values):
        if math.isfinite(value):
            ends = [place - 0.42, place + 0.42]
            if halo:
                axes.plot([value] * 2, ends, color=SURFACE, linewidth=5, solid_capstyle="butt")
            style = {"color": colour, "linewidth": 2, "solid_capstyle": "butt"}
            axes.plot([value] * 2, ends, zorder=3, **style)


def _values(axes: Any, values: Sequence[float], write: Callable[[float], str], at: float) -> None:
    """Write figures at the right of their rows."""
    for place, value in enumerate(values):
        if math.isfinite(value):
            style = {"va": "center", "fontsize": SIZE, "fontweight": "bold"}
            beside(axes, write(value), at, place, 8, color=INK, **style)
