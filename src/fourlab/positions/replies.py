"""All positions in which a side is asked for a move when it plays one strategy against every reply.

The strategy follows from the labels: the best score, and of equals the most central move. Positions
in which the side can win at once are told apart: the strategy takes the win, and no solver is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from fourlab.core.arrays import Ints
from fourlab.core.bits import popcount
from fourlab.core.jit import kernel
from fourlab.positions.labels import UNKNOWN, UNPLAYABLE, Labeller, Labels, Scores
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import (
    has_line,
    legal_cells,
    move_cell,
    move_count,
    play,
    winning_cells,
)
from fourlab.rules.keys import board_of, shared_key
from fourlab.search.scores import win_score

SIDES = {"first": 0, "second": 1}
Watch = Callable[[int, int, int], None]  # ply, positions labelled, positions of the ply


@kernel
def _replies(rules: Rules, keys: Ints, moves: Ints, after: Ints) -> int:
    """Write the keys of all positions in progress after a move each and every reply to it."""
    count = 0
    for row in range(len(keys)):
        mover, occupied = board_of(rules, keys[row])
        mover, occupied = play(mover, occupied, move_cell(rules, occupied, moves[row]))
        if has_line(rules, mover ^ occupied):
            continue
        cells = legal_cells(rules, occupied)
        if popcount(occupied) + 1 >= rules.columns * rules.rows:
            continue  # full, now or after the reply
        while cells != 0:
            cell = cells & -cells
            cells ^= cell
            if not has_line(rules, mover | cell):
                after[count] = shared_key(rules, *play(mover, occupied, cell))
                count += 1
    return count


@kernel
def _wins_at_once(rules: Rules, keys: Ints, scores: Scores, values: Scores) -> None:
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


def replies(rules: Rules, keys: Ints, moves: Ints) -> Ints:
    """Return the keys of the positions in progress after these moves and every reply, each once."""
    after = np.empty(len(keys) * rules.move_count, np.int64)
    return np.unique(after[: _replies(rules, keys, moves, after)])


def at_once(rules: Rules, keys: Ints) -> Labels:
    """Return positions labelled as far as the moves that win at once do it."""
    scores = np.empty((len(keys), rules.move_count), np.int8)
    values = np.empty(len(keys), np.int8)
    _wins_at_once(rules, keys, scores, values)
    return Labels(rules, keys, values, scores)


def strategy(labels: Labels) -> Ints:
    """Return the move of the strategy for each position."""
    columns = labels.rules.columns
    aside = np.abs(np.arange(labels.rules.move_count) % columns - (columns - 1) / 2)
    worth = np.where(labels.best(), columns - aside, -1.0)
    return np.argmax(worth, axis=1)


def beginning(rules: Rules, side: str) -> Ints:
    """Return the keys of the positions in which a side is asked first."""
    if side == "first":
        return np.array([shared_key(rules, 0, 0)])
    moves = range(rules.move_count)
    boards = [play(0, 0, move_cell(rules, 0, move)) for move in moves]
    return np.unique([shared_key(rules, *board) for board in boards])


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
        open_keys = keys[~is_won]
        path = folder / f"ply-{ply:02}.npz" if folder else None
        size = len(open_keys)
        solved = labeller.label(
            open_keys, path, lambda done, ply=ply, size=size: watch(ply, done, size)
        )
        yield solved, quick.take(np.flatnonzero(is_won))
        keys, ply = replies(rules, solved.keys, strategy(solved)), ply + 2
