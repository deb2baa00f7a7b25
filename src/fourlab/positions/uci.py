"""The UCI Connect-4 data set, made from the rules and the solver.

All positions after 8 plies in which neither side can win at once, one of each mirror pair, with
their outcome for the first player, who is to move. The original set has the same positions and
classes; the order of its rows, and which of two mirror images it holds, are its own.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fourlab.core.arrays import Ints
from fourlab.core.jit import kernel
from fourlab.rules import formats
from fourlab.rules.catalog import game
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import legal_cells, winning_cells
from fourlab.rules.position import Position
from fourlab.search.book import shelves, shipped_book
from fourlab.search.scores import OUTCOMES
from fourlab.search.solver import shared_solver

PLIES = 8


class Uci(NamedTuple):
    """The set as arrays, one entry a row."""

    movers: Ints  # stones of the first player, who is to move
    occupied: Ints
    outcomes: npt.NDArray[np.int8]  # 1 win, 0 draw, -1 loss of the first player

    def where(self, outcome: int) -> Uci:
        """Return the rows with one outcome: 1, 0 or -1."""
        return self.take(np.flatnonzero(self.outcomes == outcome))

    def take(self, rows: Ints) -> Uci:
        """Return some of the rows."""
        return Uci(self.movers[rows], self.occupied[rows], self.outcomes[rows])

    def positions(self) -> list[Position]:
        """Return the rows as positions."""
        rules = game("connect4")
        return [
            formats.from_stones(rules, mover, mover ^ occupied)
            for mover, occupied in zip(self.movers.tolist(), self.occupied.tolist(), strict=True)
        ]

    def rows(self) -> Iterator[str]:
        """Yield the rows in the format of the original file."""
        for position, outcome in zip(self.positions(), self.outcomes.tolist(), strict=True):
            yield f"{formats.write_uci(position)},{OUTCOMES[outcome]}"


@kernel
def _is_quiet(rules: Rules, movers: Ints, occupied: Ints, result: npt.NDArray[np.bool_]) -> None:
    """Write whether neither side can win at once, for each position."""
    for index in range(len(movers)):
        mover, waiting = movers[index], movers[index] ^ occupied[index]
        wins = winning_cells(rules, mover) | winning_cells(rules, waiting)
        result[index] = wins & legal_cells(rules, occupied[index]) == 0


@functools.cache
def uci() -> Uci:
    """Return the set; its outcomes come from the shipped book, or are solved if it is missing."""
    rules = game("connect4")
    book = shipped_book(rules)
    shelf = shelves(rules, PLIES)[-1] if book is None else book.shelves[PLIES]
    quiet = np.empty(len(shelf.movers), np.bool_)
    _is_quiet(rules, shelf.movers, shelf.occupied, quiet)
    movers, occupied = shelf.movers[quiet], shelf.occupied[quiet]
    if book is not None:
        return Uci(movers, occupied, np.sign(book.scores[PLIES][quiet]))
    solved = shared_solver(rules).solve_arrays(movers, occupied, weak=True)
    return Uci(movers, occupied, solved.low.astype(np.int8))
