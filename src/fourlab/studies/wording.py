"""Figures as people read them: digits by what is known, intervals, times, numbers in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fourlab.studies.findings import Cell, Form, Measure

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
MOST_DIGITS = 4  # behind the point, and in all where nothing says how precise a figure is
SKEWED = 0.2  # of an interval: the least difference of its two halves that is shown
NONE = "–"


def spell(seconds: float) -> str:
    """Return a time as people say it: 8.9 µs, 0.08 s, 40 s, 8 min, 2 h."""
    if 0 < seconds < 0.01:
        size, unit = (1e-3, "ms") if seconds >= 1e-3 else (1e-6, "µs")
        return f"{seconds / size:.3g} {unit}"
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.{int(seconds < 9.5 * size)}f} {unit}".replace(".0 ", " ")
    return f"{seconds:.0f} s" if seconds >= 9.5 else f"{seconds:.2g} s"


def number(amount: int) -> str:
    """Return a whole number, a small one as a word."""
    return NUMBERS[amount] if amount < len(NUMBERS) else f"{amount:,}"


def count(amount: int, one: str) -> str:
    """Return a number of things: "one game", "five games", "20,000 games"."""
    return f"{number(amount)} {one}{'' if amount == 1 else 's'}"


def span(numbers: Sequence[int]) -> str:
    """Return whole numbers in short: "1 to 5", "1, 4"."""
    ordered = sorted(set(numbers))
    if len(ordered) > 2 and ordered[-1] - ordered[0] == len(ordered) - 1:
        return f"{ordered[0]} to {ordered[-1]}"
    return ", ".join(map(str, ordered))


def chance(p_value: float) -> str:
    """Return a p-value in words."""
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.2g}"


def digits(form: Form, cells: Sequence[Cell], told: Sequence[float] = ()) -> int:
    """Return the digits behind the point that all figures of a column have."""
    scale = 100.0 if form == "percent" else 1.0
    halves = [
        scale * (cell.high - cell.low) / 2
        for cell in cells
        if isinstance(cell, Measure) and cell.low is not None and cell.high is not None
    ]
    known = sorted(half for half in halves if half > 0)
    own = [float(cell) for cell in cells if isinstance(cell, Measure | float | int)]
    values = [scale * value for value in [*own, *told]]
    if known:
        by_interval = -math.floor(math.log10(known[len(known) // 2]))
        places = min(by_interval, _enough(values))
    else:
        places = _exact(values)
    return min(max(places, int(form == "percent")), MOST_DIGITS)


def _enough(values: Sequence[float]) -> int:
    """Return the digits behind the point with which the greatest value has four (0.9999: 1)."""
    most = max((abs(value) for value in values), default=0.0)
    return max(0, MOST_DIGITS - 1 - math.floor(math.log10(most) + 1e-3)) if most else 0


def _exact(values: Sequence[float]) -> int:
    """Return the digits that show values as they are, as far as that is enough."""
    enough = _enough(values)
    for places in range(enough):
        if all(abs(round(value, places) - value) < 1e-9 for value in values):
            return places
    return enough


def figure(value: float, form: Form, places: int = 1) -> str:
    """Return a figure; percent without its sign, which the heading has."""
    if form == "seconds":
        return spell(value)
    if form == "whole":
        places = 0
    shown = 100 * value if form == "percent" else value
    return f"{shown:z,.{places}f}".replace("-", "−")


def interval(cell: Measure, form: Form, places: int) -> str:
    """Return "± 0.9", or "(0.0 to 0.4)" where the halves differ; '' without an interval."""
    if cell.low is None or cell.high is None:
        return ""
    below, above = cell.value - cell.low, cell.high - cell.value
    if abs(above - below) > SKEWED * (above + below) or form == "seconds":
        return f"({figure(cell.low, form, places)} to {figure(cell.high, form, places)})"
    return f"± {figure((above + below) / 2, form, places)}"
