"""Every reply to an agent's moves, as sorted keys: what a walk does besides asking the agent.

A level holds the positions of one ply with the agent to move, finished ones too, by key. Where
mirror images count as one, a key is the lower of the two.
"""

from __future__ import annotations

import numpy as np

from fourlab.core.arrays import Bytes, Ints
from fourlab.core.jit import kernel
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import (
    has_line,
    is_full,
    legal_cells,
    mirror_move,
    move_cell,
    move_count,
    play,
)
from fourlab.rules.keys import board_of, table_key

OPEN, WON, DRAWN, LOST = range(4)  # how a position stands, seen by the agent
NOWHERE = -1  # the parent of a position that none was found for
UNASKED = 255  # instead of a move


def distinct(keys: Ints) -> Ints:
    """Return keys sorted, each once; the array given is sorted in place."""
    keys.sort()
    fresh = np.ones(len(keys), bool)
    np.not_equal(keys[1:], keys[:-1], out=fresh[1:])
    return keys[fresh]


@kernel
def write_boards(rules: Rules, keys: Ints, movers: Ints, occupied: Ints) -> None:
    """Write the boards of keys."""
    for row in range(len(keys)):
        movers[row], occupied[row] = board_of(rules, keys[row])


@kernel
def write_states(rules: Rules, keys: Ints, states: Bytes) -> None:
    """Write how positions with the agent to move stand: OPEN, DRAWN or LOST."""
    for row in range(len(keys)):
        mover, occupied = board_of(rules, keys[row])
        if has_line(rules, mover ^ occupied):
            states[row] = LOST
        elif is_full(rules, occupied):
            states[row] = DRAWN
        else:
            states[row] = OPEN


@kernel
def _after(rules: Rules, key: int, move: int) -> tuple[int, int, int]:
    """Return the board after the agent's move, and how it stands: OPEN, WON or DRAWN."""
    mover, occupied = board_of(rules, key)
    cell = move_cell(rules, occupied, move)
    has_won = has_line(rules, mover | cell)
    mover, occupied = play(mover, occupied, cell)
    if has_won:
        return mover, occupied, WON
    return mover, occupied, DRAWN if is_full(rules, occupied) else OPEN


@kernel
def write_ends(
    rules: Rules, keys: Ints, moves: Bytes, movers: Ints, occupied: Ints, states: Bytes
) -> int:
    """Write the boards after moves and how they stand; return the row of an illegal move or -1."""
    for row in range(len(keys)):
        if moves[row] >= move_count(rules):
            return row
        if move_cell(rules, board_of(rules, keys[row])[1], moves[row]) == 0:
            return row
        movers[row], occupied[row], states[row] = _after(rules, keys[row], moves[row])
    return -1


@kernel
def write_replies(
    rules: Rules, mirrors: bool, movers: Ints, occupied: Ints, states: Bytes, children: Ints
) -> int:
    """Write the keys after every reply on boards that are OPEN; return how many there are."""
    count = 0
    for row in range(len(movers)):
        cells = legal_cells(rules, occupied[row]) if states[row] == OPEN else 0
        while cells != 0:
            board = play(movers[row], occupied[row], cells & -cells)
            children[count], _ = table_key(rules, mirrors, *board)
            cells &= cells - 1
            count += 1
    return count


@kernel
def _place(keys: Ints, key: int) -> int:
    """Return where a key stands among sorted ones, -1 if nowhere."""
    place = int(np.searchsorted(keys, key))
    return place if place < len(keys) and keys[place] == key else -1


@kernel
def find_parents(
    rules: Rules,
    mirrors: bool,
    keys: Ints,
    moves: Bytes,
    wanted: Ints,  # [sorted]
    parents: Ints,  # [wanted], NOWHERE
    is_parent: Bytes,  # [keys]
) -> None:
    """Mark the positions from which a reply leads to wanted ones, and write the first of each."""
    for row in range(len(keys)):
        mover, occupied, state = _after(rules, keys[row], moves[row])
        cells = legal_cells(rules, occupied) if state == OPEN else 0
        while cells != 0:
            key, _ = table_key(rules, mirrors, *play(mover, occupied, cells & -cells))
            cells &= cells - 1
            place = _place(wanted, key)
            if place >= 0:
                is_parent[row] = 1
                if parents[place] == NOWHERE:
                    parents[place] = row


@kernel
def _reply(rules: Rules, mirrors: bool, mover: int, occupied: int, wanted: int) -> int:
    """Return the lowest move that leads to a key."""
    for move in range(move_count(rules)):
        cell = move_cell(rules, occupied, move)
        if cell != 0 and table_key(rules, mirrors, *play(mover, occupied, cell))[0] == wanted:
            return move
    return -1


@kernel
def write_games(
    rules: Rules,
    mirrors: bool,
    mover: int,
    occupied: int,
    replies_first: bool,
    keys: Ints,  # [games, levels]: the positions with the agent to move, then NOWHERE
    moves: Bytes,  # [games, levels]: its moves, on the boards of the keys; UNASKED at the end
    games: Bytes,  # [games, at least 2 * levels]
) -> None:
    """Write the moves of games from one position through the levels, on the boards they reach."""
    for game in range(len(keys)):
        own, taken, ply = mover, occupied, 0
        for level in range(keys.shape[1]):
            if keys[game, level] == NOWHERE:
                break
            if level > 0 or replies_first:
                move = _reply(rules, mirrors, own, taken, keys[game, level])
                games[game, ply] = move
                ply += 1
                own, taken = play(own, taken, move_cell(rules, taken, move))
            if moves[game, level] != UNASKED:
                move = int(moves[game, level])
                if table_key(rules, mirrors, own, taken)[1]:
                    move = mirror_move(rules, move)
                games[game, ply] = move
                ply += 1
                own, taken = play(own, taken, move_cell(rules, taken, move))
