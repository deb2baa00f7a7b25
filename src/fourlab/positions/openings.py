"""Openings: short random lines to balanced positions, so that no two games need be the same.

The openings of a seed are a fixed sequence: a longer match uses more of them, never others. A
position is balanced if its score is near 0, or as long as nothing else is proven of it: by the
book that ships for the game, else by a small search. All openings of a game have the same, even
length, so that the first player is to move after each of them.
"""

from __future__ import annotations

import functools
import threading
from typing import NamedTuple

import numpy as np

from fourlab.core.arrays import Bytes, Ints
from fourlab.core.dice import seeded
from fourlab.core.errors import SpecError
from fourlab.core.limit import Limit
from fourlab.positions.walks import random_line
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position
from fourlab.search.book import shipped_book
from fourlab.search.solver import Solver

LONGEST = 8  # plies; the book of connect4 goes that far
MOST = 5000  # openings of one seed; a longer match begins again with the first
PATIENCE = 200  # fruitless draws in a row after which a small board has no more openings
LAST_PATIENCE = 20_000  # before a board has none at all: a fifth of a second
PROOF_NODES = 2000  # of search, about half a millisecond


class Openings(NamedTuple):
    """Positions to begin with, and a line of moves to each."""

    moves: Bytes  # [openings, plies]
    movers: Ints  # [openings]
    occupied: Ints  # [openings]


def default_plies(rules: Rules) -> int:
    """Return the length of a game's openings: about a quarter of the board, even."""
    return min(LONGEST, rules.cells // 8 * 2)


class Sequence:
    """The openings of one game, length and seed, found as far as they were asked for.

    They are distinct positions, also after reflection. A board with no balanced position gives
    those it has; one with no position of this length is refused with SpecError.
    """

    def __init__(self, rules: Rules, plies: int, seed: int) -> None:
        self.rules = rules
        self._seed = seed
        self._plies = plies
        self._lock = threading.Lock()
        self._begin(balanced=True)

    def _begin(self, balanced: bool, patience: int = PATIENCE) -> None:
        self._patience = patience
        self._state = seeded(self._seed)
        self._book = shipped_book(self.rules) if balanced else None
        self._solver = Solver(self.rules, table_mb=1) if balanced else None
        start = self.rules.start()
        self._is_complete = self._plies == 0
        self._found = {start.shared_key: start} if self._is_complete else {}
        self._arrays = _arrays(list(self._found.values()))

    def take(self, indices: Ints) -> Openings:
        """Return openings by their place in the sequence, which begins again at its end."""
        with self._lock:
            self._reach(int(indices.max(initial=0)) + 1)
            moves, movers, occupied = self._arrays
        rows = indices % (len(movers) if self._is_complete else MOST)
        return Openings(moves[rows], movers[rows], occupied[rows])

    def count(self, wanted: int) -> int:
        """Return how many different ones are among the first so many."""
        with self._lock:
            self._reach(wanted)
            return min(wanted, MOST, len(self._found))

    def remark(self, wanted: int) -> str:
        """Say what so many openings lack: enough different ones, or balance; "" if nothing."""
        count, lacks = self.count(wanted), []
        if count < wanted and self._plies:
            of = f"opening{'' if count == 1 else 's'} of {self._plies} plies"
            lacks.append(f"only {count:,} different {of} for {2 * wanted:,} games")
        if self._solver is None:
            lacks.append(f"no balanced opening of {self._plies} plies was found: any will do")
        return "; ".join(lacks)

    def _reach(self, wanted: int) -> None:
        """Find so many, or all there are; raises SpecError if there are none."""
        wanted = min(MOST, wanted)
        if not self._is_complete and len(self._found) < wanted:
            self._find(min(MOST, 2 * wanted))
            self._arrays = _arrays(list(self._found.values()))
        if not self._found:
            raise SpecError(
                f"no openings of {self._plies} plies were found on {self.rules}: "
                "random games end before; ask for fewer --plies"
            )

    def _find(self, wanted: int) -> None:
        """Draw lines until there are enough, or no more are found."""
        moves = np.zeros(self._plies, np.uint8)
        fruitless = 0
        while len(self._found) < wanted and fruitless < self._patience:
            mover, occupied, goes_on, self._state = random_line(self.rules, self._state, moves)
            fruitless += 1
            if not goes_on:
                continue
            position = Position(self.rules, mover, occupied, tuple(moves.tolist()))
            if position.shared_key not in self._found and self._is_balanced(position):
                self._found[position.shared_key] = position
                fruitless = 0
        self._is_complete = len(self._found) < wanted
        if not self._found and self._patience < LAST_PATIENCE:
            self._begin(
                balanced=False, patience=LAST_PATIENCE if self._solver is None else PATIENCE
            )
            self._find(wanted)

    def _is_balanced(self, position: Position) -> bool:
        if self._solver is None:
            return True
        slack = self.rules.cells // 20
        known = None if self._book is None else self._book.score(position)
        if known is not None:
            return abs(known) <= slack
        score = self._solver.bounds(position, Limit(nodes=PROOF_NODES))
        return score.low <= slack and score.high >= -slack


def _arrays(positions: list[Position]) -> Openings:
    return Openings(
        np.array([position.moves for position in positions], np.uint8),
        np.array([position.mover for position in positions], np.int64),
        np.array([position.occupied for position in positions], np.int64),
    )


@functools.lru_cache(maxsize=32)
def openings(rules: Rules, plies: int, seed: int) -> Sequence:
    """Return the openings of a seed."""
    return Sequence(rules, plies, seed)
