"""Floats that change as games go by: step sizes and exploration.

0.1                                   always
linear:1,end=0.05,games=50000         in a straight line, then the end
exp:0.8,factor=0.95,every=500         times the factor every so many games
steps:1/0.5/0.1,every=10000           one after the other, then the last
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from fourlab.core.arrays import Floats, Ints
from fourlab.core.errors import SpecError
from fourlab.core.spec import configure, option, parse, spelled, unknown
from fourlab.learning.opponents import Opponents


class Schedule(Protocol):
    """A number for every game."""

    def at(self, games: Ints, total: int) -> Floats:
        """Return the number in each of these games, counted from 0, of a run of `total`."""
        ...

    def ends(self) -> list[float]:
        """Return numbers of which it takes none that is larger or smaller than all."""
        ...


@dataclass(frozen=True)
class Const:
    """The same number always."""

    value: float = option(0.1, "the number", positional=True)

    def at(self, games: Ints, total: int) -> Floats:
        return np.full(len(games), self.value)

    def ends(self) -> list[float]:
        return [self.value]


@dataclass(frozen=True)
class Linear:
    """From start to end in a straight line."""

    start: float = option(1.0, "the number in the first game", positional=True)
    end: float = option(0.0, "the number at the end")
    games: int | None = option(None, "games until the end is reached; none: the whole run", low=1)

    def at(self, games: Ints, total: int) -> Floats:
        share = np.minimum(games / (self.games or max(total, 1)), 1.0)
        return self.start + share * (self.end - self.start)

    def ends(self) -> list[float]:
        return [self.start, self.end]


@dataclass(frozen=True)
class Exp:
    """Times a factor every so many games."""

    start: float = option(1.0, "the number in the first games", positional=True)
    factor: float = option(0.9, "what it is multiplied with", low=0, high=1)
    every: int = option(1000, "games between two multiplications", low=1)
    floor: float = option(0.0, "the number below which it does not fall")

    def at(self, games: Ints, total: int) -> Floats:
        numbers: Floats = np.maximum(self.start * self.factor ** (games // self.every), self.floor)
        return numbers

    def ends(self) -> list[float]:
        return [self.start, self.floor]


@dataclass(frozen=True)
class Steps:
    """One number after the other."""

    values: str = option("1", "the numbers, separated by /", positional=True)
    every: int = option(1000, "games that each of them lasts", low=1)

    def __post_init__(self) -> None:
        """Write numbers in one way; what is none stays as it is, and `ends` raises ValueError."""
        with suppress(ValueError):
            object.__setattr__(self, "values", "/".join(map(spelled, self.ends())))

    def at(self, games: Ints, total: int) -> Floats:
        numbers = np.array(self.ends())
        return numbers[np.minimum(games // self.every, len(numbers) - 1)]

    def ends(self) -> list[float]:
        return [float(number) for number in self.values.split("/")]


def follow_length(schedules: dict[str, Schedule], opponents: Opponents | None) -> tuple[str, ...]:
    """Return what goes by the length of the run: schedules by name, and the opponent."""
    named = [n for n, one in schedules.items() if isinstance(one, Linear) and one.games is None]
    staged = opponents is not None and len(opponents.stages) > 1
    return (*named, *(["opponent"] if staged else []))


KINDS: dict[str, type[Any]] = {"const": Const, "linear": Linear, "exp": Exp, "steps": Steps}


def schedule(text: str, what: str, low: float = 0.0, high: float = 1.0) -> Schedule:
    """Return the schedule that a text describes; raises SpecError, which names `what`.

    All its numbers lie from `low` to `high`.
    """
    spec = parse(text)
    if _is_number(spec.name) and not spec.options:
        found: Schedule = Const(float(spec.name))
    elif spec.name in KINDS:
        found = configure(KINDS[spec.name], spec, f"{what} schedule")
    else:
        raise unknown(f"schedule for {what}", spec.name, KINDS)
    try:
        numbers = found.ends()
    except ValueError:
        raise SpecError(f"{what}: {text!r} is no list of numbers; write steps:1/0.5/0.1") from None
    if not all(low <= number <= high for number in numbers):
        raise SpecError(f"{what}: {text!r} is not allowed; write numbers from {low:g} to {high:g}")
    return found


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
