"""Where a walk fails: the positions from which the agent can be beaten, and the games that do it.

An outcome is 1, 0 or -1 as seen by the agent. A position is below a threshold if some replies end
in an outcome under it; it holds the threshold if perfect play would reach it.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from fourlab.arena.certify.kernels import (
    DRAWN,
    LOST,
    NOWHERE,
    OPEN,
    UNASKED,
    find_parents,
    write_ends,
    write_games,
)
from fourlab.arena.certify.questions import boards_at
from fourlab.arena.certify.walk import Walk
from fourlab.core.arrays import Bytes, Ints
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position
from fourlab.search.scores import Bounds, sign, words
from fourlab.search.solver import Solver, shared_solver

Places = dict[int, Ints]  # keys by ply, sorted, of positions with the agent to move
Game = tuple[int, ...]
NOBODY = np.empty(0, np.int64)


def ends_below(walk: Walk, threshold: int) -> Places:
    """Return where games end under the threshold: after a reply, or with the agent's own move."""
    found = {}
    for ply in walk.plies:
        states = walk.states(ply)
        over = states == LOST if threshold == 0 else states != OPEN
        found[ply] = walk.keys(ply)[over] if threshold > -1 else NOBODY
        if threshold > 0:
            asked, moves = walk.asked(ply)
            found[ply] = np.union1d(found[ply], asked[_after(walk, asked, moves)[1] == DRAWN])
    return found


def below(walk: Walk, threshold: int) -> Places:
    """Return the asked positions from which replies lead under the threshold."""
    ends = ends_below(walk, threshold)
    found: Places = {}
    wanted = NOBODY
    for ply in reversed(walk.plies):
        asked, moves = walk.asked(ply)
        marks = _parents(walk, asked, moves, wanted)[1]
        marks[np.isin(asked, ends[ply])] = 1  # those that its own move ends
        found[ply] = asked[marks == 1]
        wanted = np.union1d(found[ply], ends[ply])
    return found


def holes(
    walk: Walk, threshold: int, places: Places | None = None, limit: Limit = NO_LIMIT
) -> Places:
    """Return the positions that held the threshold until the agent's move gave it away, exactly."""
    places = below(walk, threshold) if places is None else places
    solver, clock, found = shared_solver(walk.rules), limit.watch(), dict[int, Ints]()
    for ply in reversed(walk.plies):  # what the solver finds late in the game helps before
        found[ply] = keys = places[ply]
        if not len(keys):
            continue
        boards = boards_at(walk.rules, keys)
        held = outcomes(solver, ply, boards.movers, boards.occupied, clock.rest())
        keys = keys[held >= threshold]
        asked, moves = walk.asked(ply)
        after, states = _after(walk, keys, moves[np.searchsorted(asked, keys)])
        reached = np.zeros(len(keys), np.int64)
        goes_on = states == OPEN
        movers, occupied = after[:, goes_on]
        reached[goes_on] = -outcomes(solver, ply + 1, movers, occupied, clock.rest())
        found[ply] = keys[reached < threshold]
    return found


def given_away(walk: Walk, thresholds: Sequence[int], limit: Limit = NO_LIMIT) -> Places:
    """Return the positions where the agent's move gave one of some thresholds away."""
    clock = limit.watch()
    found = [holes(walk, threshold, limit=clock.rest()) for threshold in thresholds]
    return {ply: functools.reduce(np.union1d, [one[ply] for one in found]) for ply in walk.plies}


def turning_point(rules: Rules, side: int, game: Game, value: int | None, limit: Limit) -> str:
    """Say which move of a side, the last one, gave the value away, None: a win or a draw.

    '' if that is not found.
    """
    solver, watch = shared_solver(rules), limit.watch()
    positions = [rules.start()]
    for move in game:
        positions.append(positions[-1].play(move))
    for ply in range(len(game) - 1, -1, -1):
        before, after = positions[ply : ply + 2]
        if before.to_move != side:
            continue
        held = solver.bounds(before, watch.rest(), weak=True)
        left = _reached(solver, after, watch.rest(), weak=True)
        if not held.is_exact or not left.is_exact:
            break
        if held.low >= value > left.low if value is not None else held.low > left.low:
            held = solver.bounds(before, watch.rest())
            left = _reached(solver, after, watch.rest())
            if held.is_exact and left.is_exact:
                told = words(rules, ply, held.low), words(rules, ply, left.low)
                return f"move {ply + 1}: {told[0]} became {told[1]}"
    return ""


def _reached(solver: Solver, after: Position, limit: Limit, weak: bool = False) -> Bounds:
    """Return what is known of a position after a move, seen by who made it."""
    if after.is_over:
        return Bounds(0, 0)  # a move that wins gives nothing away
    return -solver.bounds(after, limit, weak)


def outcomes(
    solver: Solver, ply: int, movers: Ints, occupied: Ints, limit: Limit = NO_LIMIT
) -> Ints:
    """Return 1, 0 or -1 for the side to move on boards in progress with `ply` stones."""
    if solver.book is not None and ply <= solver.book.plies:
        rows = zip(movers.tolist(), occupied.tolist(), strict=True)
        scores = [solver.book.score(Position(solver.rules, *row, ())) for row in rows]
        return np.array([sign(score or 0) for score in scores], np.int64)
    if not len(movers):
        return np.empty(0, np.int64)
    return solver.score_arrays(movers, occupied, weak=True, limit=limit)


def games_in(walk: Walk, places: Places, most: int, moves_too: bool = False) -> list[Game]:
    """Return games of the walk to some positions, one each, the shortest first; `most` at most.

    With the agent's moves in them, if `moves_too`, where they are not finished.
    """
    ends = np.repeat(walk.plies, [len(places.get(ply, NOBODY)) for ply in walk.plies])[:most]
    if not len(ends):
        return []
    keys = np.concatenate([places.get(ply, NOBODY) for ply in walk.plies])[:most]
    plies = [ply for ply in walk.plies if ply <= ends[-1]]
    path = np.full((len(keys), len(plies)), NOWHERE, np.int64)
    moves = np.full((len(keys), len(plies)), UNASKED, np.uint8)
    for level in range(len(plies) - 1, -1, -1):
        asked, chosen = walk.asked(plies[level])
        here, on = ends == plies[level], ends > plies[level]
        path[here, level] = keys[here]
        wanted, place = np.unique(path[on, min(level + 1, len(plies) - 1)], return_inverse=True)
        path[on, level] = asked[_parents(walk, asked, chosen, wanted)[0][place]]
        moving = on | (here & np.isin(keys, asked) if moves_too else False)
        moves[moving, level] = chosen[np.searchsorted(asked, path[moving, level])]
    games = np.full((len(keys), 2 * len(plies)), UNASKED, np.uint8)
    begin = walk.start.mover, walk.start.occupied, walk.replies_first
    write_games(walk.rules, walk.mirrors, *begin, path, moves, games)
    played = [[move for move in game if move != UNASKED] for game in games.tolist()]
    return [(*walk.start.moves, *game) for game in played]


def _after(walk: Walk, keys: Ints, moves: Bytes) -> tuple[Ints, Bytes]:
    """Return boards after the agent's moves, [movers and occupied, positions], and their states."""
    after, states = np.empty((2, len(keys)), np.int64), np.empty(len(keys), np.uint8)
    write_ends(walk.rules, keys, moves, after[0], after[1], states)
    return after, states


def _parents(walk: Walk, keys: Ints, moves: Bytes, wanted: Ints) -> tuple[Ints, Bytes]:
    """Return the first parent of each wanted position, and which positions are parents."""
    parents, marks = np.full(len(wanted), NOWHERE), np.zeros(len(keys), np.uint8)
    if len(wanted):
        find_parents(walk.rules, walk.mirrors, keys, moves, wanted, parents, marks)
    return parents, marks
