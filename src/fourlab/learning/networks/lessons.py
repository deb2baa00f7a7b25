"""What games of self-play leave behind: positions, policies and values to learn from.

A lane records its game (`Lanes`); when the game is over its lessons are handed in (`Harvest`), by
blocks of lanes, and gathered in one order whatever thread served which block.
"""

from typing import NamedTuple

import numpy as np

from fourlab.core.arrays import Ints
from fourlab.core.bits import popcount
from fourlab.core.jit import kernel
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import move_count
from fourlab.search.puct import MOVER, OCCUPIED, Reals, tries_move

BLOCK = 64  # lanes that hand in their lessons together
GAME, START, WEAK, LAST_RANDOM, FULL, LESSONS, UNTOLD = range(7)  # columns of `Lanes.marks`
TAKEN, WINS, DRAWS, LOSSES, PLIES = range(5)  # columns of `Harvest.counts`


class Lanes(NamedTuple):
    """The games under way, one a lane, with what they have recorded."""

    dice: Ints  # [lanes]
    marks: Ints  # [lanes, 7]
    boards: Ints  # [lanes, cells + 1, 2]
    policies: Reals  # [lanes, cells + 1, moves]
    values: Reals  # [lanes, cells + 1]
    drafts: Reals  # [lanes, moves], the policy of the move in hand


class Harvest(NamedTuple):
    """Lessons of games that are over, by blocks of lanes."""

    boards: Ints  # [blocks, room, 2]
    policies: Reals  # [blocks, room, moves]
    values: Reals  # [blocks, room]
    counts: Ints  # [blocks, 5]


def new_lanes(rules: Rules, games: Ints) -> Lanes:
    """Return lanes that have not begun; `games` are the numbers of their first ones."""
    lanes, room, moves = len(games), rules.cells + 1, rules.move_count
    made = Lanes(
        dice=np.zeros(lanes, np.int64),
        marks=np.zeros((lanes, 7), np.int64),
        boards=np.zeros((lanes, room, 2), np.int64),
        policies=np.zeros((lanes, room, moves), np.float32),
        values=np.zeros((lanes, room), np.float32),
        drafts=np.zeros((lanes, moves), np.float32),
    )
    made.marks[:, GAME] = games
    return made


def new_harvest(rules: Rules, lanes: int) -> Harvest:
    """Return room for the most that the lanes can hand in at once."""
    blocks, room = -(-lanes // BLOCK), BLOCK * (rules.cells + 2)
    return Harvest(
        boards=np.zeros((blocks, room, 2), np.int64),
        policies=np.zeros((blocks, room, rules.move_count), np.float32),
        values=np.zeros((blocks, room), np.float32),
        counts=np.zeros((blocks, 5), np.int64),
    )


@kernel
def record(lanes: Lanes, lane: int, mover: int, occupied: int, value: float) -> None:
    """Record a position with the draft policy and what it is worth."""
    row = lanes.marks[lane, LESSONS]
    lanes.boards[lane, row, MOVER] = mover
    lanes.boards[lane, row, OCCUPIED] = occupied
    lanes.values[lane, row] = value
    for move in range(lanes.drafts.shape[1]):
        lanes.policies[lane, row, move] = lanes.drafts[lane, move]
    lanes.marks[lane, LESSONS] = row + 1


@kernel
def draft_evenly(rules: Rules, lanes: Lanes, lane: int, cells: int) -> None:
    """Make the draft policy an even one over the moves into these cells."""
    for move in range(move_count(rules)):
        share = 1.0 / popcount(cells) if tries_move(rules, cells, move) else 0.0
        lanes.drafts[lane, move] = share


@kernel
def tell_untold(lanes: Lanes, lane: int, stones: int, value: float) -> None:
    """Give only moves, which were not searched, the value of the position they led to."""
    for row in range(lanes.marks[lane, UNTOLD], lanes.marks[lane, LESSONS]):
        turns = popcount(lanes.boards[lane, row, OCCUPIED]) - stones
        lanes.values[lane, row] = value if turns % 2 == 0 else -value
    lanes.marks[lane, UNTOLD] = lanes.marks[lane, LESSONS]


@kernel
def hand_in(harvest: Harvest, lane: int, mover: int, occupied: int, value: float) -> int:
    """Add a lesson to the harvest, all but its policy; return its row.

    Where more games end at once than there is room for, the last lessons are lost.
    """
    block = lane // BLOCK
    row = min(int(harvest.counts[block, TAKEN]), harvest.values.shape[1] - 1)
    harvest.boards[block, row, MOVER] = mover
    harvest.boards[block, row, OCCUPIED] = occupied
    harvest.values[block, row] = value
    harvest.counts[block, TAKEN] = row + 1
    return int(row)


@kernel
def end_game(
    rules: Rules, share: float, lanes: Lanes, harvest: Harvest, lane: int, stones: int, end: float
) -> None:
    """Hand in a game's lessons; it was worth `end` to the side to move with so many stones.

    Behind the last random move a lesson's value has this share of the result, before it none: the
    result was not the better side's doing. The rest is what the search found.
    """
    tell_untold(lanes, lane, stones, end)
    block = lane // BLOCK
    for row in range(lanes.marks[lane, LESSONS]):
        mover, occupied = lanes.boards[lane, row, MOVER], lanes.boards[lane, row, OCCUPIED]
        ply = popcount(occupied)
        result = end if (ply - stones) % 2 == 0 else -end
        mix = share if ply > lanes.marks[lane, LAST_RANDOM] else 0.0
        value = mix * result + (1.0 - mix) * float(lanes.values[lane, row])
        place = hand_in(harvest, lane, mover, occupied, value)
        for move in range(move_count(rules)):
            harvest.policies[block, place, move] = lanes.policies[lane, row, move]
    first = end if stones % 2 == 0 else -end
    harvest.counts[block, WINS] += first > 0.0
    harvest.counts[block, DRAWS] += first == 0.0
    harvest.counts[block, LOSSES] += first < 0.0
    harvest.counts[block, PLIES] += stones - lanes.marks[lane, START]


@kernel
def gather(harvest: Harvest, boards: Ints, policies: Reals, values: Reals, tally: Ints) -> int:
    """Take all lessons out, block by block, and add up the results; return how many there were."""
    taken = 0
    for block in range(len(harvest.counts)):
        for row in range(harvest.counts[block, TAKEN]):
            boards[taken, MOVER] = harvest.boards[block, row, MOVER]
            boards[taken, OCCUPIED] = harvest.boards[block, row, OCCUPIED]
            values[taken] = harvest.values[block, row]
            for move in range(policies.shape[1]):
                policies[taken, move] = harvest.policies[block, row, move]
            taken += 1
        for column in range(harvest.counts.shape[1]):
            tally[column] += harvest.counts[block, column]
            harvest.counts[block, column] = 0
    return taken
