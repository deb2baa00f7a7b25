"""A game between known players as arrays: ply by ply, every position that they can reach.

A player is an agent that can tell the probabilities of its moves, or nobody (None): then every
move is followed. Games have no cycles, so that whatever is computed from the last layer back to the
first is exact.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fourlab.agents.base import Agent
from fourlab.core.arrays import Floats, Ints
from fourlab.core.bits import multiply63
from fourlab.core.errors import GeometryError
from fourlab.core.jit import kernel
from fourlab.learning.mdp.process import known_policies
from fourlab.rules.boards import Boards
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import has_line, is_full, move_cell, move_count, play
from fourlab.rules.position import Position

MOST_POSITIONS = 20_000_000  # about 80 bytes each
NOT_PLAYED, WON, DRAWN = -1, -2, -3  # instead of a child: no such move, or the game ends with it
EMPTY = -1
SPREADERS = 0x1E3779B97F4A7C15, 0x3C6EF372FE94F82B  # odd, unrelated

Indices = npt.NDArray[np.int32]


class Layer(NamedTuple):
    """The positions with one number of stones that are not over and can be reached."""

    movers: Ints  # [positions]
    occupied: Ints  # [positions]
    chances: Floats  # [positions, moves] of who is to move, [0, moves] where that is nobody
    children: Indices  # [positions, moves]: a row of the next layer, NOT_PLAYED, WON or DRAWN


@kernel
def _slot(slots: Indices, movers: Ints, occupied: Ints, mover: int, board: int) -> int:
    """Return where a position stands in the hash table, or the empty slot where it belongs."""
    mixed = multiply63(mover, SPREADERS[0]) ^ multiply63(board, SPREADERS[1])
    slot = (multiply63(mixed, SPREADERS[0]) >> 20) & (len(slots) - 1)
    while slots[slot] != EMPTY:
        row = slots[slot]
        if movers[row] == mover and occupied[row] == board:
            break
        slot = (slot + 1) & (len(slots) - 1)
    return slot


@kernel
def _follow(
    rules: Rules,
    movers: Ints,
    occupied: Ints,
    chances: Floats,
    children: Indices,
    slots: Indices,  # [a power of two, more than there are children], EMPTY
    next_movers: Ints,
    next_occupied: Ints,
) -> int:
    """Write the children of every position and the next layer; return how long that is."""
    count = 0
    for row in range(len(movers)):
        mover, board = movers[row], occupied[row]
        for move in range(move_count(rules)):
            cell = move_cell(rules, board, move)
            if cell == 0 or (len(chances) > 0 and chances[row, move] == 0.0):
                children[row, move] = NOT_PLAYED
            elif has_line(rules, mover | cell):
                children[row, move] = WON
            elif is_full(rules, board | cell):
                children[row, move] = DRAWN
            else:
                after, taken = play(mover, board, cell)
                slot = _slot(slots, next_movers, next_occupied, after, taken)
                if slots[slot] == EMPTY:
                    slots[slot] = count
                    next_movers[count] = after
                    next_occupied[count] = taken
                    count += 1
                children[row, move] = slots[slot]
    return count


def layers(
    start: Position, players: tuple[Agent | None, Agent | None], most: int = MOST_POSITIONS
) -> list[Layer]:
    """Return the layers of a game from a position that is not over, as long as it can go on.

    Raises GeometryError for more than `most` positions, SpecError for a player whose probabilities
    are not known.
    """
    rules, moves = start.rules, start.rules.move_count
    movers, occupied = np.array([start.mover], np.int64), np.array([start.occupied], np.int64)
    found: list[Layer] = []
    total = 0
    while len(movers):
        count = len(movers)
        total += count
        if total > most:
            raise GeometryError(
                f"more than {most:,} positions of {rules} can be reached; take a smaller board, "
                "start later in the game, or raise most= where memory allows (80 bytes each)"
            )
        player = players[(start.ply + len(found)) % 2]
        boards = Boards(movers, occupied, np.zeros((count, 0), np.uint8))
        chances = np.zeros((0, moves)) if player is None else known_policies(player, boards)
        children = np.empty((count, moves), np.int32)
        room = count * moves
        slots = np.full(1 << room.bit_length(), EMPTY, np.int32)  # half of all children are twins
        after = np.empty((2, room), np.int64)
        size = _follow(rules, movers, occupied, chances, children, slots, *after)
        found.append(Layer(movers, occupied, chances, children))
        movers, occupied = after[0, :size].copy(), after[1, :size].copy()
    return found
