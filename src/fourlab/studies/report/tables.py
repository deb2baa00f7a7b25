"""Tables of a report as text in cells: ours, what was published, how they differ."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from textwrap import shorten

from fourlab.arena.statistics import interquartile_mean, share_interval
from fourlab.studies.base import Published
from fourlab.studies.findings import Cell, Column, Curve, Findings, Form, Measure
from fourlab.studies.wording import NONE, count, digits, figure, interval, number

WITHIN = "within"
ROUNDING = 1e-12  # the last digits of a figure, which turn no verdict
DATA_ROWS = 20
BRIEF = 20  # letters of a column's name in a verdict


@dataclass(frozen=True)
class Difference:
    """How ours differs from a published figure; `is_within` is None where no interval tells."""

    value: float
    is_within: bool | None
    size: float = 0.0  # of the difference, to be compared with others: points, or a share


@dataclass(frozen=True)
class Entry:
    """A cell: our figure, its interval, what was published, and "within" or "1.4 above"."""

    ours: str
    spread: str = ""
    published: str = ""
    verdict: str = ""
    gap: Difference | None = None
    part: float | None = None  # a share, to be drawn as a bar


@dataclass(frozen=True)
class Head:
    """A column's title; `is_beside` where published figures stand beside ours."""

    title: str
    form: Form
    is_beside: bool = False

    @property
    def name(self) -> str:
        """The title without its unit."""
        return self.title.removesuffix(", %")


@dataclass(frozen=True)
class Table:
    """Heads and rows; `verdicts` has for each row "within", or how it differs, the most first."""

    heads: tuple[Head, ...]
    rows: tuple[tuple[Entry, ...], ...]
    verdicts: tuple[tuple[str, ...], ...] = ()

    def in_short(self, row: int) -> str:
        """Return the verdict on a row in a few words, with the number of those left out."""
        first, *others = self.verdicts[row] or ("",)
        return f"{first} +{len(others)}" if others else first


def difference(cell: Cell, told: float, games: int = 0) -> Difference:
    """Hold a figure against a published one.

    Ours agrees where the 95% interval of the difference holds 0: our own interval, widened by that
    of the published share where its games are known.
    """
    ours = cell if isinstance(cell, Measure) else Measure(float(cell or 0))
    value = float(ours) - told
    below = above = 0.0
    is_known = False
    if ours.low is not None and ours.high is not None:
        below, above, is_known = ours.value - ours.low, ours.high - ours.value, True
    if games and 0 <= told <= 1:
        low, high = share_interval(told * games, games)
        below, above = math.hypot(below, high - told), math.hypot(above, told - low)
    is_within = value - below <= ROUNDING and value + above >= -ROUNDING
    size = abs(value) if 0 <= told <= 1 else abs(value / told)
    return Difference(value, is_within if is_known else None, size)


def table(found: Findings, published: Published | None = None) -> Table:
    """Return the table of findings, with what was published beside them."""
    rows = _all_rows(found, published)
    told = published.rows if published else {}
    key = found.columns[0].name
    heads, columns = [], []
    for column in found.columns:
        beside = {
            label: row[column.name]
            for label, row in told.items()
            if column.name in row and column.form != "text"
        }
        heads.append(Head(title_of(column), column.form, bool(beside)))
        places = digits(column.form, [row.get(column.name) for row in rows], list(beside.values()))
        games = published.games if published and column.form == "percent" else 0
        columns.append(
            [
                _entry(row.get(column.name), column, places, beside.get(str(row.get(key))), games)
                for row in rows
            ]
        )
    lines = tuple(zip(*columns, strict=True))
    is_judged = any(entry.verdict for line in lines for entry in line)
    verdicts = tuple(_verdict(heads, line) for line in lines) if is_judged else ()
    return Table(tuple(heads), lines, verdicts)


def title_of(column: Column) -> str:
    """Return a heading that says where figures are percents."""
    is_bare = column.form == "percent" and "%" not in column.title
    return f"{column.title}, %" if is_bare else column.title


def _all_rows(found: Findings, published: Published | None) -> list[dict[str, Cell]]:
    """Return our rows, and the labels of those that were published and that we do not have."""
    key = found.columns[0].name
    own = [row[key] for row in found.rows]
    told = published.rows if published else {}
    others: list[dict[str, Cell]] = [{key: label} for label in told if label not in own]
    return [*found.rows, *others]


def _entry(cell: Cell, column: Column, places: int, told: float | None, games: int) -> Entry:
    published = "" if told is None else figure(told, column.form, places)
    if cell is None or isinstance(cell, str):
        return Entry(cell if cell is not None else NONE, published=published)
    spread = interval(cell, column.form, places) if isinstance(cell, Measure) else ""
    part = float(cell) if column.form == "percent" else None
    ours = figure(float(cell), column.form, places)
    gap = None if told is None else difference(cell, told, games)
    if gap and gap.is_within is False and ours == published:
        gap = replace(gap, is_within=True)  # it was printed with no more digits than are shown
    verdict = _word(gap, column.form, places) if gap else ""
    return Entry(ours, spread, published, verdict, gap, part)


def _word(found: Difference, form: Form, places: int) -> str:
    if found.is_within is None:
        return ""
    if found.is_within:
        return WITHIN
    return f"{figure(abs(found.value), form, places)} {'above' if found.value > 0 else 'below'}"


def _verdict(heads: list[Head], line: tuple[Entry, ...]) -> tuple[str, ...]:
    """Return the words for a row: within, or the columns in which it differs."""
    judged = [(head, entry) for head, entry in zip(heads, line, strict=True) if entry.verdict]
    outside = [(head, entry) for head, entry in judged if entry.verdict != WITHIN]
    if not outside:
        return (WITHIN,) if judged else ()
    if sum(head.is_beside for head in heads) == 1:
        return (outside[0][1].verdict,)
    outside.sort(key=lambda one: one[1].gap.size if one[1].gap else 0.0, reverse=True)
    return tuple(
        f"{shorten(head.name, BRIEF, placeholder='…')} {entry.verdict}" for head, entry in outside
    )


def agreement(made: Table) -> str:
    """Return how far ours and the published figures agree, in words; '' where none is told."""
    judged = [
        (head, line[0].ours, entry, entry.gap)
        for line in made.rows
        for head, entry in zip(made.heads, line, strict=True)
        if entry.gap is not None and entry.gap.is_within is not None
    ]
    if not judged:
        return ""
    inside = sum(bool(gap.is_within) for *_, gap in judged)
    head, label, entry, _ = max(judged, key=lambda one: one[3].size)
    sign = "%" if head.form == "percent" else ""
    where = f"{head.name} for {label}, {entry.ours}{sign} here, {entry.published}{sign} published"
    if len(judged) == 1:
        return (
            f"The published figure lies {'within' if inside else 'outside'} our interval: {where}."
        )
    many = count(len(judged), "published figure")
    if inside == len(judged):
        share = "Both published figures lie" if inside == 2 else f"All {many} lie"
    elif inside == 0:
        share = f"None of {many} lies"
    else:
        share = f"{number(inside).capitalize()} of {many} {'lie' if inside > 1 else 'lies'}"
    largest = f" The largest difference: {where}." if entry.ours != entry.published else ""
    return f"{share} within our intervals.{largest}"


def rests_on(found: Findings, published: Published | None) -> str:
    """Return what the intervals of a table rest on."""
    cells = [cell for row in found.rows for cell in row.values() if isinstance(cell, Measure)]
    known = [cell for cell in cells if cell.low is not None]
    seeds = sorted({cell.units for cell in known if cell.samples})
    units = sorted({cell.units for cell in known if not cell.samples and cell.units})
    parts = []
    if seeds:
        parts.append(f"over {_range(seeds)} seeds")
    if units:
        parts.append(f"over {_range(units)} games or positions")
    said = f"95% intervals {', or '.join(parts)}".strip() + "." if known else ""
    if published and published.games and published.rows and known:
        said += f" The published figures rest on {published.games:,} games, which counts too."
    return said.strip()


def _range(numbers: list[int]) -> str:
    low, high = numbers[0], numbers[-1]
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


# ---- what a figure shows ------------------------------------------------------------------------


def data(found: Findings) -> list[Table]:
    """Return what a figure shows beside its table: curves, boards, a cross table."""
    tables = []
    if found.curves:
        tables += _of_curves(found.curves)
    for board in found.extra.get("boards", ()):
        if "shares" in board:
            names = ("column", *map(str, range(1, len(board["shares"]) + 1)))
            shares = [figure(share, "percent") for share in board["shares"]]
            tables.append(_plain(names, [(str(board["title"]), *shares)]))
    if "cross" in found.extra:
        agents, scores = found.extra["cross"]["agents"], found.extra["cross"]["scores"]
        rows = [
            (agent, *(NONE if score is None else figure(score, "percent", 0) for score in line))
            for agent, line in zip(agents, scores, strict=True)
        ]
        tables.append(_plain(("score, %", *agents), rows))
    return tables


def _of_curves(curves: tuple[Curve, ...]) -> list[Table]:
    """Return a table for the curves over each set of points, at most 20 of them."""
    grouped: dict[tuple[float, ...], list[Curve]] = {}
    for curve in curves:
        grouped.setdefault(curve.x, []).append(curve)
    tables = []
    for x, group in grouped.items():
        step = max(1, -(-len(x) // DATA_ROWS))
        picked = list(range(len(x) - 1, -1, -step))[::-1]
        middles = [[*map(interquartile_mean, zip(*curve.series, strict=True))] for curve in group]
        rows = [
            (f"{x[point]:,g}", *(f"{middle[point]:z.3f}".replace("-", "−") for middle in middles))
            for point in picked
        ]
        tables.append(_plain(("at", *(curve.name for curve in group)), rows))
    return tables


def _plain(names: tuple[str, ...], rows: list[tuple[str, ...]]) -> Table:
    heads = tuple(
        Head(name, "text" if place == 0 else "number") for place, name in enumerate(names)
    )
    return Table(heads, tuple(tuple(Entry(cell) for cell in row) for row in rows))


def published_alone(published: Published | None) -> Table | None:
    """Return the table of what was published where nothing was run; None without any figure."""
    if published is None or not published.rows:
        return None
    names = list(dict.fromkeys(name for row in published.rows.values() for name in row))
    rows = [
        (label, *(f"{row[name]:,.4g}" if name in row else NONE for name in names))
        for label, row in published.rows.items()
    ]
    return _plain(("", *names), rows)
