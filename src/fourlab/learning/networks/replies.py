"""All positions in which a side is asked for a move when it plays one strategy against every reply.

The strategy follows from the labels: the best score, and of equals the most central move. Where the
side can win at once it does, and no solver is asked: those positions are told apart.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from fourlab.arena.certify.kernels import OPEN, distinct, write_ends, write_replies, write_states
from fourlab.core.arrays import Ints
from fourlab.core.bits import popcount
from fourlab.core.jit import kernel
from fourlab.positions.labels import UNKNOWN, UNPLAYABLE, Labeller, Labels, Scores
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import move_cell, move_count, winning_cells
from fourlab.rules.keys import board_of, shared_key
from fourlab.search.scores import win_score

SIDES = {"first": 0, "second": 1}
Watch = Callable[[int, int, int], None]  # ply, positions of the ply, how many are labelled


def replies(rules: Rules, keys: Ints, moves: Ints) -> Ints:
    """Return the keys of the positions in progress after these moves and every reply, each once."""
    movers, occupied = np.empty((2, len(keys)), np.int64)
    states = np.empty(len(keys), np.uint8)
    write_ends(rules, keys, moves.astype(np.uint8), movers, occupied, states)
    return _after(rules, movers, occupied, states)


def _after(rules: Rules, movers: Ints, occupied: Ints, states: npt.NDArray[np.uint8]) -> Ints:
    room = np.empty(len(movers) * rules.move_count, np.int64)
    keys = distinct(room[: write_replies(rules, True, movers, occupied, states, room)])
    after = np.empty(len(keys), np.uint8)
    write_states(rules, keys, after)
    going_on: Ints = keys[after == OPEN]
    return going_on


def beginning(rules: Rules, side: str) -> Ints:
    """Return the keys of the positions in which a side is asked first."""
    if side == "first":
        return np.array([shared_key(rules, 0, 0)])
    empty = np.zeros(1, np.int64)
    return _after(rules, empty, empty, np.full(1, OPEN, np.uint8))


@kernel
def _write_wins(rules: Rules, keys: Ints, scores: Scores, values: Scores) -> None:
    """Write the scores of moves that win at once; the others are UNKNOWN, and so is a value."""
    for row in range(len(keys)):
        mover, occupied = board_of(rules, keys[row])
        wins = winning_cells(rules, mover)
        values[row] = UNKNOWN
        for move in range(move_count(rules)):
            cell = move_cell(rules, occupied, move)
            scores[row, move] = UNKNOWN if cell != 0 else UNPLAYABLE
            if cell & wins != 0:
                scores[row, move] = values[row] = win_score(rules, popcount(occupied))


def at_once(rules: Rules, keys: Ints) -> Labels:
    """Return positions labelled as far as the moves that win at once do it."""
    scores = np.empty((len(keys), rules.move_count), np.int8)
    values = np.empty(len(keys), np.int8)
    _write_wins(rules, keys, scores, values)
    return Labels(rules, keys, values, scores)


def strategy(labels: Labels) -> Ints:
    """Return the move of the strategy for each position: 0 where nothing is known."""
    columns = labels.rules.columns
    aside = np.abs(2 * (np.arange(labels.rules.move_count) % columns) - columns + 1)
    nearness = (2 * columns - aside).astype(np.uint8)
    moves: Ints = np.argmax(labels.best() * nearness, axis=1)
    return moves


def asked(
    labeller: Labeller, side: str, folder: Path | None = None, watch: Watch = lambda *_: None
) -> Iterator[tuple[Labels, Labels]]:
    """Yield, ply by ply, the positions that the strategy is asked: the solved, and the won at once.

    `folder` keeps the solved ones in a file a ply, with which a walk that was ended goes on.
    """
    rules = labeller.rules
    keys, ply = beginning(rules, side), SIDES[side]
    while len(keys):
        quick = at_once(rules, keys)
        is_won = quick.values != UNKNOWN
        path = folder / f"ply-{ply:02}.npz" if folder else None
        told = functools.partial(watch, ply, int((~is_won).sum()))
        solved = labeller.label(keys[~is_won], path, told)
        yield solved, quick.take(np.flatnonzero(is_won))
        keys, ply = replies(rules, solved.keys, strategy(solved)), ply + 2
