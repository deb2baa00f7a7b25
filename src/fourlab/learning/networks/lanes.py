"""Many games side by side: they start, step and are handed over when they end.

Every game has a number and dice of its own that follow from the seed, so that nothing depends on
when it is played. Only the learner's decisions are written down.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fourlab.core.arrays import Bytes, Floats, Ints
from fourlab.core.bits import popcount
from fourlab.core.dice import below, chance, roll, seeded
from fourlab.core.jit import kernel
from fourlab.learning.networks.replay import Rows
from fourlab.positions.starts import Starts, draw_start
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import has_line, is_full, move_cell, move_count, play
from fourlab.values.outlook import Singles

NOBODY = -1  # the number of a game that is none
PLAYING, ENDED = 0, 1


class Lanes(NamedTuple):
    """Games, and what was decided in them."""

    numbers: Ints  # [lanes]
    movers: Ints  # [lanes]
    occupied: Ints  # [lanes]
    states: Ints  # [lanes], of the dice
    phases: Ints  # [lanes], PLAYING or ENDED
    results: Ints  # [lanes], 1, 0 or -1 for the first player
    lengths: Ints  # [lanes], decisions written down
    seen_movers: Ints  # [lanes, cells], the boards before them
    seen_occupied: Ints  # [lanes, cells]
    after_movers: Ints  # [lanes, cells], and after them
    after_occupied: Ints  # [lanes, cells]
    explored: Bytes  # [lanes, cells]
    worths: Singles  # [lanes, cells], of the boards before them, to the first player


def new_lanes(rules: Rules, count: int) -> Lanes:
    """Return lanes without games."""
    shapes = [(count,)] * 7 + [(count, rules.cells)] * 6
    kinds = [np.int64] * 11 + [np.uint8, np.float32]
    lanes = Lanes._make(np.zeros(shape, kind) for shape, kind in zip(shapes, kinds, strict=True))
    lanes.numbers[:] = NOBODY
    return lanes


@kernel
def begin(rules: Rules, starts: Starts, lanes: Lanes, seed: int, number: int, stop: int) -> int:
    """Begin games in all empty lanes, up to game number `stop`; return the next number."""
    for lane in range(len(lanes.numbers)):
        if lanes.numbers[lane] == NOBODY and number < stop:
            state = seeded(seeded(seed) ^ number)
            mover, occupied, state = draw_start(rules, starts, state)
            lanes.movers[lane], lanes.occupied[lane], lanes.states[lane] = mover, occupied, state
            lanes.numbers[lane], lanes.lengths[lane] = number, 0
            lanes.phases[lane] = PLAYING
            number += 1
    return number


@kernel
def explore(rules: Rules, lanes: Lanes, rows: Ints, epsilons: Floats, moves: Ints) -> None:
    """Write a random move where a lane explores this time, and -1 where it is to choose."""
    for index in range(len(rows)):
        lane = rows[index]
        state = roll(lanes.states[lane])
        moves[index] = -1
        if chance(state) < epsilons[index]:
            legal = 0
            for move in range(move_count(rules)):
                legal += move_cell(rules, lanes.occupied[lane], move) != 0
            state = roll(state)
            wanted = below(state, legal)
            for move in range(move_count(rules)):
                if move_cell(rules, lanes.occupied[lane], move) != 0:
                    if wanted == 0:
                        moves[index] = move
                    wanted -= 1
        lanes.states[lane] = state


@kernel
def deal(lanes: Lanes, rows: Ints, dice: Ints) -> None:
    """Write dice for whoever moves in some lanes."""
    for index in range(len(rows)):
        lanes.states[rows[index]] = roll(lanes.states[rows[index]])
        dice[index] = lanes.states[rows[index]]


@kernel
def put(rules: Rules, lanes: Lanes, rows: Ints, moves: Ints, decided: bool, random: Bytes) -> int:
    """Make a move in each of some lanes; `decided` writes it down as the learner's decision.

    Return the first row whose move is not legal, else their number.
    """
    for index in range(len(rows)):
        lane, move = rows[index], moves[index]
        mover, occupied = lanes.movers[lane], lanes.occupied[lane]
        cell = move_cell(rules, occupied, move) if 0 <= move < move_count(rules) else 0
        if cell == 0:
            return index
        won = has_line(rules, mover | cell)
        lanes.movers[lane], lanes.occupied[lane] = play(mover, occupied, cell)
        ply = popcount(occupied) + 1
        if won or ply == rules.columns * rules.rows:
            lanes.phases[lane] = ENDED
            lanes.results[lane] = (1 if ply % 2 == 1 else -1) if won else 0
        if decided:
            at = lanes.lengths[lane]
            lanes.seen_movers[lane, at], lanes.seen_occupied[lane, at] = mover, occupied
            lanes.after_movers[lane, at] = lanes.movers[lane]
            lanes.after_occupied[lane, at] = lanes.occupied[lane]
            lanes.explored[lane, at] = random[index]
            lanes.lengths[lane] = at + 1
    return len(rows)


@kernel
def harvest(lanes: Lanes, steps: int, gamma: float, rows: Rows) -> int:
    """Write what the games teach that have ended, and clear their lanes; return how many rows.

    A row looks `steps` decisions ahead, but not past a random one: from there on the game went
    another way than the learner's own.
    """
    count = 0
    for lane in range(len(lanes.numbers)):
        if lanes.numbers[lane] == NOBODY or lanes.phases[lane] != ENDED:
            continue
        length = lanes.lengths[lane]
        for at in range(length):
            ahead = 1
            while ahead < steps and at + ahead < length and not lanes.explored[lane, at + ahead]:
                ahead += 1
            rows.movers[count] = lanes.after_movers[lane, at]
            rows.occupied[count] = lanes.after_occupied[lane, at]
            if at + ahead < length:
                rows.next_movers[count] = lanes.seen_movers[lane, at + ahead]
                rows.next_occupied[count] = lanes.seen_occupied[lane, at + ahead]
                rows.rewards[count], rows.factors[count] = 0.0, gamma**ahead
            else:
                rows.next_movers[count], rows.next_occupied[count] = 0, 0
                rows.rewards[count] = lanes.results[lane] * gamma ** (length - 1 - at)
                rows.factors[count] = 0.0
            count += 1
        lanes.numbers[lane] = NOBODY
    return count


@kernel
def harvest_returns(
    rules: Rules, lanes: Lanes, trace: float, gamma: float, by_rule: bool, rows: Rows
) -> int:
    """Write what the games teach that have ended, as `harvest` does, with all they will ever learn.

    A board is worth, a decision later, `trace` parts what came of it and the rest what was thought
    of the next one; only the latter where the next decision was a random one. The board that a game
    began with is learned, too; those on which it is over are not, where the rules value them.
    """
    count = 0
    for lane in range(len(lanes.numbers)):
        if lanes.numbers[lane] == NOBODY or lanes.phases[lane] != ENDED:
            continue
        came = float(lanes.results[lane])
        for at in range(lanes.lengths[lane] - 1, -2, -1):
            mover, occupied = lanes.seen_movers[lane, 0], lanes.seen_occupied[lane, 0]
            if at >= 0:
                mover, occupied = lanes.after_movers[lane, at], lanes.after_occupied[lane, at]
            over = has_line(rules, mover ^ occupied) or is_full(rules, occupied)
            if not (by_rule and over):
                rows.movers[count], rows.occupied[count] = mover, occupied
                rows.next_movers[count], rows.next_occupied[count] = 0, 0
                rows.rewards[count], rows.factors[count] = came, 0.0
                count += 1
            if at >= 0:
                weight = 0.0 if lanes.explored[lane, at] else trace
                came = gamma * (weight * came + (1 - weight) * lanes.worths[lane, at])
        lanes.numbers[lane] = NOBODY
    return count
