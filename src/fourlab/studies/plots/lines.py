"""Curves over games or parameters, and results over a number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fourlab.arena.statistics import bootstrap_interval, interquartile_mean
from fourlab.core.arrays import Floats
from fourlab.studies.base import Published
from fourlab.studies.canvas import (
    FAINT,
    INK,
    LETTER,
    LOW,
    PALETTE,
    PIXELS,
    SECOND,
    SIZE,
    SURFACE,
    is_card,
    page_width,
    plain,
    sheet,
)
from fourlab.studies.findings import Curve, Findings
from fourlab.studies.plots.parts import (
    FILLS,
    WORDS,
    beside,
    cells,
    form,
    key,
    locator,
    number,
    over,
    printed,
    spread,
)

RESAMPLES = 1000  # for a point of a band; a figure in a table has more
CARD_ENDS = 4  # lines that have room for their names at their ends on a card
CROWD = 6  # curves beyond which seeds and bands would hide one another
STYLES: tuple[tuple[str, Any, float], ...] = (  # colour, dashes, width of one curve after another
    ("accent-ink", "solid", 2.5),
    ("text", (0, (6, 4)), 2),
    ("text-3", (0, (2, 2)), 2),
    ("accent", (0, (8, 2, 2, 2)), 2),
    ("text", "solid", 1.2),
    ("accent-ink", (0, (2, 2)), 2),
    ("text-3", "solid", 2),
    ("accent", (0, (4, 2)), 1.4),
)


class End(NamedTuple):
    """The end of a line: where, its name, its last figure."""

    value: float
    name: str
    told: str
    colour: str


def curves(
    found: Findings,
    published: Published | None = None,
    names: Sequence[str] = (),
    x: str = "games",
    y: str = "games won",
    smooth: float = 0.0,
    lines: Sequence[tuple[str, float]] = (),
    percent: bool = True,
    title: str = "",
) -> Any:
    """Draw curves: the interquartile mean over seeds, its 95% band, and every seed thinly.

    `smooth` is the weight of the past in a running mean; `lines` are values to hold them against.
    """
    drawn = [found.curve(name) for name in names] or list(found.curves)
    count = len(drawn) + len(lines)
    figure = sheet(150 + 10 * count if is_card() else max(260, 60 + 36 * count), title)
    axes = figure.subplots()
    plain(axes, "y")
    write = form(percent)
    ends: list[End] = []
    for place, curve in enumerate(drawn):
        colour, dashes, width = STYLES[place % len(STYLES)]
        series = _smoothed(curve, smooth)
        middle, low, high = middle_of(series)
        told = _told(middle[-1], (high[-1] - low[-1]) / 2, percent)
        style = {
            "color": PALETTE[colour],
            "label": curve.name if is_card() else f"{curve.name}, {told}",
        }
        axes.plot(curve.x, middle, linewidth=width, linestyle=dashes, zorder=3, **style)
        dot = {"markersize": 7, "color": PALETTE[colour], "zorder": 3, "clip_on": False}
        axes.plot(curve.x[-1:], middle[-1:], "o", **dot)
        if len(series) > 1 and len(drawn) <= CROWD:
            shade = 0.08 if place else 0.16
            axes.fill_between(curve.x, low, high, color=PALETTE[colour], alpha=shade, linewidth=0)
            for seed in series if place == 0 or len(drawn) <= 2 else ():
                axes.plot(curve.x, seed, color=PALETTE[colour], linewidth=0.8, alpha=0.3)
        ends.append(End(float(middle[-1]), curve.name, told, PALETTE[colour]))
    for label, value in lines:
        style = {"color": PALETTE["win"], "label": _label(label, write(value))}
        axes.axhline(value, linewidth=1.5, linestyle=(0, (5, 4)), **style)
        ends.append(End(value, label, write(value), PALETTE["win"]))
    axes.margins(x=0)
    axes.yaxis.set_major_locator(locator(6))
    axes.yaxis.set_major_formatter(lambda value, _: write(value))
    over(axes, [point for curve in drawn for point in curve.x], x)
    axes.set_title(y, loc="left", fontsize=SIZE, color=FAINT, pad=8)
    _name_ends(figure, axes, ends)
    return figure


def _label(name: str, told: str) -> str:
    """Return what the key says of a line; on a card the name alone."""
    return name if is_card() else f"{name}, {told}"


def middle_of(series: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the interquartile mean over seeds [seeds, points] at each point, and its interval.

    It has none for a single seed, nor on a card, which is drawn sooner without.
    """
    middle = np.array([interquartile_mean(point) for point in series.T])
    if len(series) == 1 or is_card():
        return middle, np.full_like(middle, np.nan), np.full_like(middle, np.nan)
    band = [bootstrap_interval(point, resamples=RESAMPLES) for point in series.T]
    low, high = np.array(band).T
    return middle, low, high


def _smoothed(curve: Curve, weight: float) -> Floats:
    series = np.array(curve.series, np.float64)
    for point in range(1, series.shape[1]):
        series[:, point] = weight * series[:, point - 1] + (1 - weight) * series[:, point]
    return series


def _told(value: float, half: float, percent: bool) -> str:
    """Return a value with half its interval, both as fine as the interval asks for."""
    if not half >= (0.0005 if percent else 1e-12):  # nan for one seed, nothing where all agree
        return form(percent)(value)
    if percent:
        digits = int(half < 0.015)
        return f"{form(percent, digits)(value)} ± {100 * half:.{digits}f} points"
    return f"{form(percent)(value)} ± {half:.2g}"


def _name_ends(figure: Any, axes: Any, ends: Sequence[End]) -> None:
    """Name lines at their ends, or below where there is no room for that."""
    longest = max((max(len(end.name), len(end.told)) for end in ends), default=0)
    if longest * LETTER > page_width() * 0.3 or (is_card() and len(ends) > CARD_ENDS):
        key(figure, axes)
        return
    low, high = axes.get_ylim()
    pixels = figure.get_figheight() * PIXELS - 70
    places = spread([end.value for end in ends], 36 * (high - low) / pixels)
    edge = axes.get_xlim()[1]
    for place, end in zip(places, ends, strict=True):
        style = {"fontsize": SIZE, "va": "center"}
        beside(axes, end.name, edge, place, 12, up=8, color=end.colour, fontweight="bold", **style)
        beside(axes, end.told, edge, place, 12, up=-8, color=SECOND, **style)


def outcome_areas(
    found: Findings,
    published: Published | None = None,
    x: str = "n",
    wins: str = "wins",
    draws: str = "draws",
    losses: str = "losses",
    title: str = "",
) -> Any:
    """Draw results over a column of numbers as areas; published wins are a line with dots."""
    order = sorted(range(len(found.rows)), key=lambda row: number(found.rows[row].get(x)))
    points = [cells(found, x)[row] for row in order]
    figure = sheet(LOW if is_card() else 260, title)
    axes = figure.subplots()
    plain(axes)
    base = np.zeros(len(points))
    ends = []
    for outcome, column in (("win", wins), ("draw", draws), ("loss", losses)):
        part = np.nan_to_num([cells(found, column)[row] for row in order])
        if not part.any():
            continue
        colour = PALETTE[FILLS[outcome]]
        axes.fill_between(
            points, base, base + part, color=colour, linewidth=0, label=WORDS[outcome]
        )
        axes.plot(points, base + part, color=SURFACE, linewidth=1)
        ends.append((float(base[-1] + part[-1] / 2), f"{WORDS[outcome]} {part[-1]:.0%}", outcome))
        base = base + part
    every = printed(found, published, wins)
    told = [(number(found.rows[row][x]), every[row]) for row in order if math.isfinite(every[row])]
    if told:
        style = {"color": INK, "linewidth": 2, "markersize": 7, "markeredgecolor": SURFACE}
        dashes = {"marker": "o", "linestyle": (0, (6, 4)), "label": "won, published"}
        axes.plot(*zip(*told, strict=True), **style, **dashes)
        key(figure, axes)
    axes.set_ylim(0, 1)
    axes.margins(x=0)
    axes.yaxis.set_major_locator(locator(4))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    titles = {column.name: column.title for column in found.columns}
    over(axes, points, titles.get(x, x))
    places = spread([end[0] for end in ends], 20 / 200)
    for place, (_, text, outcome) in zip(places, ends, strict=True):
        style = {"va": "center", "fontsize": SIZE, "fontweight": "bold"}
        beside(axes, text, points[-1], place, 8, color=PALETTE[outcome], **style)
    return figure
