"""Where training games begin.

empty                 the empty board
moves:3758            after these moves
random:plies=8        after 0 to 8 random moves, any number of them equally likely
uci                   a position of the UCI data set (connect4), uci:win|draw|loss one of a class
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fourlab.core.arrays import Ints
from fourlab.core.bits import popcount
from fourlab.core.dice import below, roll, seeded
from fourlab.core.errors import SpecError
from fourlab.core.jit import kernel
from fourlab.core.spec import configure, option, parse, unknown
from fourlab.positions.uci import uci
from fourlab.positions.walks import walk
from fourlab.rules.boards import Boards
from fourlab.rules.geometry import Rules
from fourlab.rules.position import position_of
from fourlab.search.scores import OUTCOMES


class Starts(NamedTuple):
    """Positions to draw from, and how many random moves may follow."""

    movers: Ints  # [positions]
    occupied: Ints  # [positions]
    plies: int


def beside(begun: Starts, also: Boards) -> Starts:
    """Return starts of which one half is drawn from others."""
    most = max(len(begun.movers), len(also.movers))
    movers = np.concatenate([np.resize(of.movers, most) for of in (begun, also)])
    occupied = np.concatenate([np.resize(of.occupied, most) for of in (begun, also)])
    return Starts(movers, occupied, begun.plies)


@dataclass(frozen=True)
class _Empty:
    """`empty` has nothing to set."""


@dataclass(frozen=True)
class _Moves:
    """Options of `moves`."""

    moves: str = option("", "the moves played", positional=True)


@dataclass(frozen=True)
class _Random:
    """Options of `random`."""

    plies: int = option(8, "random moves at most", low=0, high=62)


@dataclass(frozen=True)
class _Uci:
    """Options of `uci`."""

    outcome: str = option(
        "all", "which class", choices=("all", "win", "draw", "loss"), positional=True
    )


KINDS: dict[str, type[Any]] = {"empty": _Empty, "moves": _Moves, "random": _Random, "uci": _Uci}


def start_of(text: str) -> Any:
    """Return what a text says of the start, as a config object; raises SpecError."""
    spec = parse(text)
    if spec.name not in KINDS:
        raise unknown("start", spec.name, KINDS)
    return configure(KINDS[spec.name], spec, "start")


def starts(text: str, rules: Rules) -> Starts:
    """Return the start positions that a text describes; raises SpecError if it is none."""
    config = start_of(text)
    nothing = np.zeros(1, np.int64)
    if isinstance(config, _Uci):
        return _uci(rules, config.outcome)
    if isinstance(config, _Moves):
        position = position_of(rules, config.moves)
        if position.is_over:
            raise SpecError(f"start={text!r}: the game is over there; leave out the last moves")
        return Starts(np.array([position.mover]), np.array([position.occupied]), 0)
    return Starts(nothing, nothing, config.plies if isinstance(config, _Random) else 0)


def _uci(rules: Rules, outcome: str) -> Starts:
    if str(rules) != "connect4":
        raise SpecError(f"start=uci: the UCI data is of connect4, not of {rules}")
    signs = {words: number for number, words in OUTCOMES.items()}
    data = uci() if outcome == "all" else uci().where(signs[outcome])
    return Starts(data.movers, data.occupied, 0)


@kernel
def _draw_rows(rules: Rules, starts: Starts, dice: Ints, movers: Ints, occupied: Ints) -> None:
    for row in range(len(dice)):
        movers[row], occupied[row], _ = draw_start(rules, starts, seeded(dice[row]))


def draw_boards(rules: Rules, starts: Starts, dice: Ints) -> Boards:
    """Return a position to begin with for each of the dice."""
    movers, occupied = np.empty((2, len(dice)), np.int64)
    _draw_rows(rules, starts, dice, movers, occupied)
    return Boards(movers, occupied, np.zeros((len(dice), 0), np.uint8))


@kernel
def draw_start(rules: Rules, starts: Starts, state: int) -> tuple[int, int, int]:
    """Return a position in progress to begin with, as (mover, occupied), and the next dice."""
    state = roll(state)
    index = below(state, len(starts.movers))
    state = roll(state)
    wanted = below(state, starts.plies + 1)
    cells = rules.columns * rules.rows
    while True:  # a random game that ends on the way is drawn anew
        mover, occupied = starts.movers[index], starts.occupied[index]
        plies = min(wanted, cells - 1 - popcount(occupied))
        mover, occupied, made, state = walk(rules, mover, occupied, plies, state)
        if made == plies:
            return mover, occupied, state
        wanted = max(wanted - 1, 0)  # fewer each time, so that it ends on every board
