"""Figures of study `mcts-q` alone."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from fourlab.studies.base import Published
from fourlab.studies.canvas import FAINT, PALETTE, SIZE, plain, sheet
from fourlab.studies.findings import Findings
from fourlab.studies.plots.lines import STYLES, middle_of
from fourlab.studies.plots.parts import form, key, locator, over

PANEL = 150  # pixels of height
PAST = 0.6  # its weight in the running mean
PANELS = (  # what the study drew of training: title, curves, whether they are shares
    ("games won and lost", ("won", "lost"), True),
    ("games won for each lost", ("won for each lost",), False),
    ("moves of a game", ("moves",), False),
)


def rivals(found: Findings, published: Published | None = None) -> Any:
    """Draw the training of both learners, measure by measure, smoothed, with bands over seeds."""
    kinds = [str(row["kind"]) for row in found.rows]
    figure = sheet(len(PANELS) * PANEL + 40)
    every = figure.subplots(len(PANELS), 1, sharex=True)
    for axes, (title, measures, percent) in zip(every, PANELS, strict=True):
        plain(axes, "y")
        for measure in measures:
            for (colour, dashes, width), kind in zip(STYLES, kinds, strict=False):
                curve = found.curve(f"{kind}: {measure}")
                series = np.array(curve.series)
                for point in range(1, series.shape[1]):
                    series[:, point] = PAST * series[:, point - 1] + (1 - PAST) * series[:, point]
                middle, low, high = middle_of(series)
                style = {"color": PALETTE[colour], "linewidth": width, "linestyle": dashes}
                label = kind if measure == measures[0] else None
                axes.plot(curve.x, middle, label=label, **style)
                shade = {"color": PALETTE[colour], "alpha": 0.12, "linewidth": 0}
                axes.fill_between(curve.x, low, high, **shade)
        axes.margins(x=0)
        axes.yaxis.set_major_locator(locator(4))
        axes.yaxis.set_major_formatter(functools.partial(_write, percent))
        axes.set_title(title, loc="left", fontsize=SIZE, color=FAINT, pad=6)
    over(every[-1], list(found.curves[0].x), "games")
    key(figure, every[0])
    return figure


def _write(percent: bool, value: float, place: int) -> str:
    return form(percent)(value)
