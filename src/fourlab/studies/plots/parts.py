"""What all plots are made of: cells as numbers and words, keys, axes, text beside a point."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from fourlab.studies.base import Published
from fourlab.studies.canvas import FAINT, LETTER, SIZE, is_card, is_narrow, page_width, scale_of
from fourlab.studies.findings import Cell, Findings, Measure

WORDS = {"win": "won", "draw": "drawn", "loss": "lost"}
FILLS = {"win": "heat-high", "draw": "line-strong", "loss": "heat-low"}  # of large surfaces

CARD_ROWS = 7  # that have room on a card


def number(cell: Cell) -> float:
    """Return a cell's figure, nan where it has none."""
    return float(cell) if isinstance(cell, Measure | int | float) else math.nan


def words(cell: Cell) -> str:
    """Return a cell as the name of a row or of a place on an axis."""
    return cell if isinstance(cell, str) else f"{number(cell):,g}".replace("-", "−")


def labels(found: Findings) -> list[str]:
    """Return the names of the rows."""
    return [words(row[found.columns[0].name]) for row in found.rows]


def on_card(found: Findings) -> Findings:
    """Return findings with no more rows than a card has room for, where one is drawn."""
    return replace(found, rows=found.rows[:CARD_ROWS]) if is_card() else found


def cells(found: Findings, column: str) -> list[float]:
    """Return the figures of a column, nan where a row has none."""
    return [number(row.get(column)) for row in found.rows]


def printed(found: Findings, published: Published | None, column: str) -> list[float]:
    """Return what was published of a column, row by row, nan where nothing was."""
    rows = published.rows if published else {}
    return [rows.get(label, {}).get(column, math.nan) for label in labels(found)]


def form(percent: bool, digits: int = 0) -> Callable[[float], str]:
    """Return how figures are written."""

    def write(value: float) -> str:
        text = f"{value:.{digits}%}" if percent else short(value)
        return text.replace("-", "−")

    return write


def beside(axes: Any, text: str, x: float, y: float, right: float = 8, **style: Any) -> None:
    """Write to the right of a point; the layout makes room for it."""
    axes.annotate(
        text,
        (x, y),
        (right, style.pop("up", 0)),
        textcoords="offset points",
        annotation_clip=False,
        **style,
    )


def key(figure: Any, axes: Any) -> None:
    """Name what was given a label, below."""
    handles, names = axes.get_legend_handles_labels()
    if names:
        order = sorted(range(len(names)), key=lambda place: "published" in names[place])
        handles, names = [handles[place] for place in order], [names[place] for place in order]
        style = {"frameon": False, "fontsize": SIZE, "labelcolor": FAINT, "handlelength": 1.2}
        columns = max(1, int(page_width() / (30 + LETTER * max(map(len, names)))))
        figure.legend(handles, names, loc="outside lower left", ncols=columns, **style)


def locator(count: int, fewest: int = 2) -> Any:
    """Return what puts so many round numbers on an axis, at most."""
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(count, steps=[1, 2, 2.5, 5, 10], min_n_ticks=fewest)


def over(axes: Any, points: Sequence[float], name: str) -> None:
    """Set the axis below: thousands as k, and its name."""
    axes.set_xscale(scale_of(points))
    if axes.get_xscale() == "linear":
        axes.xaxis.set_major_locator(locator(4 if is_narrow() else 7))
    axes.minorticks_off()
    axes.xaxis.set_major_formatter(lambda value, _: short(value))
    axes.set_xlabel(name, loc="left", fontsize=SIZE, color=FAINT)


def short(value: float) -> str:
    """Return a number as an axis has it: 50k, 2.5M."""
    for size, unit in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= 10 * size or (abs(value) >= size and unit == "M"):
            return f"{value / size:z.4g}{unit}".replace("-", "−")
    return f"{value:z,.4g}".replace("-", "−")


def spread(values: Sequence[float], gap: float) -> list[float]:
    """Return places as near to the values as a gap between any two of them lets them be."""
    order = sorted(range(len(values)), key=lambda index: values[index])
    groups: list[list[float]] = []  # sum of the places that its first would like, and its size
    for rank, index in enumerate(order):
        groups.append([values[index] - rank * gap, 1])
        while len(groups) > 1 and groups[-2][0] / groups[-2][1] > groups[-1][0] / groups[-1][1]:
            total, size = groups.pop()
            groups[-1][0] += total
            groups[-1][1] += size
    starts = [total / size for total, size in groups for _ in range(int(size))]
    places = [0.0] * len(values)
    for rank, index in enumerate(order):
        places[index] = starts[rank] + rank * gap
    return places
