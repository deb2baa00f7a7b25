"""Pairings: two agents and how they meet; every game is determined by the pairing and its number.

Games come in twos: 2i and 2i + 1 begin with the same opening, and in even ones `a` is the first
player. Which worker plays a game, and with which others, makes no difference to it.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from fourlab.core.arrays import Ints
from fourlab.core.spec import POSITIONAL, parse
from fourlab.positions.openings import Openings, Sequence, openings
from fourlab.rules.catalog import game as find_game
from fourlab.rules.geometry import Rules


@dataclass(frozen=True)
class Pairing:
    """Two agents and the conditions under which they meet: plain data, fit for any worker."""

    game: str
    a: str
    b: str
    seed: int
    plies: int  # length of the openings
    move_seconds: float | None = None  # for one move; None: as long as nothing seems to hang
    modules: tuple[str, ...] = ()  # to import first: they register agents of their own
    checksums: tuple[str, str] = ("", "")  # of the files that a and b are loaded from

    @property
    def rules(self) -> Rules:
        """The game."""
        return find_game(self.game)

    def seeds(self, numbers: Ints) -> Ints:
        """Return the seeds of games, 63 bits each, by SplitMix64: unrelated for all numbers."""
        names = zip((self.a, self.b), self.checksums, strict=True)
        a, b = (_wherever(spec, checksum) for spec, checksum in names)
        text = f"{self.game} {a} {b} {self.seed}"
        base = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
        z = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(base)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return ((z ^ (z >> np.uint64(31))) >> np.uint64(1)).astype(np.int64)

    @property
    def sequence(self) -> Sequence:
        """The openings, one for two games."""
        return openings(self.rules, self.plies, self.seed)

    def openings(self, numbers: Ints) -> Openings:
        """Return the openings of games."""
        return self.sequence.take(numbers // 2)


def _wherever(spec: str, checksum: str) -> str:
    """Return a spec with its files in the place of their path: moving them changes no game."""
    name, options = parse(spec).name, parse(spec).options
    if not checksum or POSITIONAL not in options:
        return spec
    named = {**options, POSITIONAL: checksum}
    return f"{name}:{','.join(f'{option}={value}' for option, value in sorted(named.items()))}"


@dataclass(frozen=True)
class Stretch:
    """Games `first` to `first + count - 1` of a pairing."""

    pairing: Pairing
    first: int
    count: int


Watch = Callable[[Stretch, list[int]], object]
"""Told again and again which games go on side by side, and the moves so far of the first of them;
what it raises ends the job."""


def nobody(games: Stretch, moves: list[int]) -> None:
    """Watch no game."""


def import_modules(modules: Iterable[str]) -> None:
    """Import what registers the agents of a pairing."""
    for name in modules:
        importlib.import_module(name)
