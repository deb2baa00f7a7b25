"""What a decision is to be taught: the targets of all methods, side by side.

Each function sets `episode.targets` of a game's decisions. Playing alone, the next decision is the
other side's, so that what follows counts against the mover.
"""

from __future__ import annotations

import math

import numpy as np

from fourlab.core.dice import below, chance, roll
from fourlab.core.jit import kernel
from fourlab.learning.tables.episode import Episode, Lesson
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import cell_move, mirror_move, move_cell, move_count
from fourlab.rules.keys import table_key
from fourlab.search.choices import random_legal_cell
from fourlab.values.store import Store, greedy, store_choice
from fourlab.values.table import ABSENT, default_value, find


@kernel
def aim_at_best(lesson: Lesson, episode: Episode, length: int) -> None:
    """Set each decision's target: its reward plus the best that the next decision had."""
    turn = -lesson.gamma if lesson.alone else lesson.gamma
    for index in range(length):
        target = episode.rewards[index]
        if index + 1 < length:
            target += turn * episode.bests[index + 1]
        episode.targets[index] = target


@kernel
def aim_at_returns(lesson: Lesson, episode: Episode, length: int) -> None:
    """Set each decision's target: its return, from the last to the first."""
    turn = -lesson.gamma if lesson.alone else lesson.gamma
    for index in range(length - 1, -1, -1):
        after = index + 1
        target = episode.rewards[index]
        if after < length and lesson.cut and episode.explored[after]:
            target += turn * episode.bests[after]
        elif after < length:
            told, came = episode.takens[after], episode.targets[after]
            target += turn * ((1 - lesson.trace) * told + lesson.trace * came)
        episode.targets[index] = target


@kernel
def _other_of_best(rules: Rules, values: Store, mover: int, occupied: int, half: int) -> float:
    """Return what the other estimate thinks of the move that estimate `half` likes best."""
    key, mirrored = table_key(rules, values.symmetric, mover, occupied)
    rows, spread, seed = values.table.values, values.table.spread, values.table.seed
    slot = find(values.table.keys, key)
    moves = move_count(rules)
    best, others = -math.inf, 0.0
    for move in range(moves):
        if move_cell(rules, occupied, move) == 0:
            continue
        column = mirror_move(rules, move) if mirrored else move
        own_column, other_column = half * moves + column, (1 - half) * moves + column
        if slot == ABSENT:
            own = default_value(spread, seed, key, own_column)
            other = default_value(spread, seed, key, other_column)
        else:
            own, other = np.float64(rows[slot, own_column]), np.float64(rows[slot, other_column])
        if own > best:
            best, others = own, other
    return others


@kernel
def aim_at_other(
    rules: Rules, values: Store, lesson: Lesson, episode: Episode, length: int, state: int
) -> int:
    """Set each decision's target and which estimate is to learn it; return the next dice."""
    turn = -lesson.gamma if lesson.alone else lesson.gamma
    for index in range(length):
        state = roll(state)
        half = below(state, 2)
        target = episode.rewards[index]
        if index + 1 < length:
            mover, occupied = episode.movers[index + 1], episode.occupied[index + 1]
            target += turn * _other_of_best(rules, values, mover, occupied, half)
        episode.targets[index] = target
        episode.offsets[index] = half * move_count(rules)
    return state


@kernel
def aim_at_results(lesson: Lesson, episode: Episode, length: int) -> None:
    """Set each decision's target: all rewards to come."""
    turn = -lesson.gamma if lesson.alone else lesson.gamma
    following = 0.0
    for index in range(length - 1, -1, -1):
        following = episode.rewards[index] + turn * following
        episode.targets[index] = following


@kernel
def improve_policy(
    rules: Rules, values: Store, lesson: Lesson, episode: Episode, length: int, state: int
) -> int:
    """Store a move for each state of the episode; return the next dice."""
    for index in range(length):
        mover, occupied = episode.movers[index], episode.occupied[index]
        state = roll(state)
        if chance(state) < lesson.keep:
            cell, _, state = greedy(rules, values, mover, occupied, state)
        else:
            cell, state = random_legal_cell(rules, occupied, state)
        store_choice(rules, values, mover, occupied, cell_move(rules, cell))
    return state
