"""What an experiment found: figures with intervals, rows and curves, as plain data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from fourlab.arena.statistics import bootstrap_interval, interquartile_mean, share_interval

Form = Literal["text", "percent", "number", "whole", "seconds"]


@dataclass(frozen=True)
class Measure:
    """A figure with its 95% interval, where it has one."""

    value: float
    low: float | None = None
    high: float | None = None
    units: int = 0  # games, positions or seeds that it rests on
    samples: tuple[float, ...] = ()  # one a seed, where seeds are the units

    def __float__(self) -> float:
        return float(self.value)

    def to_json(self) -> dict[str, Any]:
        """Return plain data: `Measure.from_json` backwards."""
        return {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "units": self.units,
            "samples": list(self.samples),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Return the measure of plain data."""
        return cls(**{**data, "samples": tuple(data["samples"])})


Cell = str | float | int | Measure | None
Row = dict[str, Cell]  # by the names of columns


def share(hits: float, trials: int) -> Measure:
    """Return a share of games or positions with Wilson's interval; hits may hold halves."""
    low, high = share_interval(hits, trials)
    return Measure(hits / trials if trials else 0.0, low, high, trials)


def over_seeds(values: Sequence[float]) -> Measure:
    """Return the interquartile mean over seeds with its bootstrap interval; one seed has none."""
    low, high = bootstrap_interval(values)
    known = math.isfinite(low) and math.isfinite(high)
    return Measure(
        interquartile_mean(values),
        low if known else None,
        high if known else None,
        len(values),
        tuple(values),
    )


def value(cell: Cell) -> float:
    """Return the number of a cell."""
    if isinstance(cell, Measure | int | float):
        return float(cell)
    raise TypeError(f"{cell!r} is no number")


def over_known(values: Sequence[float | None]) -> Measure | None:
    """Return `over_seeds` of the seeds that have a value, None if none has."""
    known = [value for value in values if value is not None]
    return over_seeds(known) if known else None


@dataclass(frozen=True)
class Column:
    """A column of a table. `name` is the key of its cells; shares are 0 to 1 in a percent one."""

    name: str
    title: str
    form: Form = "number"


@dataclass(frozen=True)
class Curve:
    """A line over games or parameters, with one series a seed, or a single one."""

    name: str
    x: tuple[float, ...]
    series: tuple[tuple[float, ...], ...]  # [seeds][points]

    def to_json(self) -> dict[str, Any]:
        """Return plain data: `Curve.from_json` backwards."""
        rounded = [[round(value, 6) for value in line] for line in self.series]
        return {"name": self.name, "x": list(self.x), "series": rounded}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Return the curve of plain data."""
        return cls(data["name"], tuple(data["x"]), tuple(tuple(line) for line in data["series"]))


@dataclass(frozen=True)
class Findings:
    """The table of an experiment; the first column names its rows.

    `curves` and `extra` are for its figure, `notes` are sentences that follow from the figures, and
    `truth` is what the exact solver adds.
    """

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    curves: tuple[Curve, ...] = ()
    notes: tuple[str, ...] = ()
    truth: Findings | None = None
    extra: dict[str, Any] = field(default_factory=dict)

    def row(self, label: str) -> Row:
        """Return the row that the first column names so; raises KeyError."""
        key = self.columns[0].name
        for row in self.rows:
            if row[key] == label:
                return row
        raise KeyError(label)

    def measure(self, label: str, column: str) -> Measure:
        """Return a figure; a plain number comes as one without an interval."""
        cell = self.row(label)[column]
        if isinstance(cell, Measure):
            return cell
        if isinstance(cell, int | float):
            return Measure(float(cell))
        raise KeyError(f"{label}: {column}")

    def curve(self, name: str) -> Curve:
        """Return a curve by its name; raises KeyError."""
        for curve in self.curves:
            if curve.name == name:
                return curve
        raise KeyError(name)

    def to_json(self) -> dict[str, Any]:
        """Return plain data: `Findings.from_json` backwards."""
        return {
            "columns": [vars(column) for column in self.columns],
            "rows": [{name: _plain(cell) for name, cell in row.items()} for row in self.rows],
            "curves": [curve.to_json() for curve in self.curves],
            "notes": list(self.notes),
            "truth": self.truth.to_json() if self.truth else None,
            "extra": self.extra,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Return the findings of plain data; raises KeyError or TypeError if it is none."""
        return cls(
            columns=tuple(Column(**column) for column in data["columns"]),
            rows=tuple({name: _cell(found) for name, found in row.items()} for row in data["rows"]),
            curves=tuple(Curve.from_json(curve) for curve in data["curves"]),
            notes=tuple(data["notes"]),
            truth=cls.from_json(data["truth"]) if data["truth"] else None,
            extra=dict(data["extra"]),
        )


def _plain(cell: Cell) -> Any:
    return cell.to_json() if isinstance(cell, Measure) else cell


def _cell(found: Any) -> Cell:
    return Measure.from_json(found) if isinstance(found, dict) else found
