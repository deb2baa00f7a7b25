"""Games of self-play inside kernels, one tree of a forest each.

`advance` takes the network's answers and brings every game to the next leaf that wants one: it
ends searches, records what they taught, moves, ends games and begins others. Game `n` of a run has
dice of its own, and lanes are served in blocks of one size, so that the lessons and their order
depend on the seed and the answers alone, not on the number of threads.
"""

import functools
import math
from collections.abc import Callable
from typing import NamedTuple

from fourlab.core.arrays import Ints
from fourlab.core.bits import popcount
from fourlab.core.dice import below, chance, roll, seeded
from fourlab.core.jit import kernel
from fourlab.learning.networks.lessons import (
    BLOCK,
    FULL,
    GAME,
    LAST_RANDOM,
    LESSONS,
    START,
    UNTOLD,
    WEAK,
    Harvest,
    Lanes,
    draft_evenly,
    end_game,
    hand_in,
    record,
    tell_untold,
)
from fourlab.positions.walks import walk
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import move_cell, move_count, play
from fourlab.search.forest import best_move, improve, root_value, value_of
from fourlab.search.puct import (
    MOVER,
    NOBODY,
    NOT_TRIED,
    OCCUPIED,
    OPEN,
    PRIOR,
    PROOF,
    VISITS,
    WAITING,
    Forest,
    Puct,
    Reals,
    absorb_one,
    descend_one,
    is_done,
    is_proven,
    look,
    plant_one,
    tries_move,
)

NO_SIDE = -1
OPENINGS = 8  # tries to find a random opening that is not decided
BLUNDER = 0.1  # a drawn move that is worth so much less than the search says counts as random
ASIDE_PLIES = 4  # random moves at most from a game to a decided position beside it


class Course(NamedTuple):
    """What the games of a run are like."""

    seed: int
    games: int  # of the whole run
    stride: int  # between the numbers of two games of a lane
    full_sims: int  # of a move that is recorded
    fast_sims: int  # of one that is not
    full_share: float
    noise: float  # share of chance in the priors of the root of a recorded move
    hot: int  # plies from the start of a game in which moves are drawn by their visits
    mix: float  # of the result in the value that is taught; the rest is what the search found
    random_share: float  # games that begin with random moves
    random_plies: int  # at most
    weak_share: float  # games in which a side makes random moves
    weak_first: float  # share of those in which it is the first player
    weak_rate: float  # of its moves that are random
    start_share: float  # games that begin at one of the given positions, where there are any
    asides: float  # share of recorded positions beside which a decided one is looked for


class Games(NamedTuple):
    """Games under way, and all that they are played with."""

    puct: Puct
    course: Course
    starts: Ints  # [positions, 2], where games may begin
    forest: Forest
    lanes: Lanes
    harvest: Harvest


@kernel
def _draw(lanes: Lanes, lane: int) -> float:
    """Return a uniform number of a lane's own dice."""
    lanes.dice[lane] = roll(lanes.dice[lane])
    return chance(lanes.dice[lane])


@kernel
def _begin_game(rules: Rules, games: Games, lane: int) -> tuple[int, int]:
    """Return the board that the lane's next game begins with, and mark what kind of game it is."""
    course, lanes, marks = games.course, games.lanes, games.lanes.marks
    lanes.dice[lane] = seeded(seeded(course.seed) // 2 + marks[lane, GAME])
    mover, occupied = 0, 0
    if len(games.starts) > 0 and _draw(lanes, lane) < course.start_share:
        index = int(_draw(lanes, lane) * len(games.starts))
        mover, occupied = games.starts[index, MOVER], games.starts[index, OCCUPIED]
    elif _draw(lanes, lane) < course.random_share:
        for _ in range(OPENINGS):
            lanes.dice[lane] = roll(lanes.dice[lane])
            plies = below(lanes.dice[lane], course.random_plies + 1)
            plies = min(plies, rules.columns * rules.rows - 1)
            mover, occupied, _, lanes.dice[lane] = walk(rules, 0, 0, plies, lanes.dice[lane])
            if look(rules, games.puct, mover, occupied)[0] == OPEN:
                break
    marks[lane, START] = popcount(occupied)
    marks[lane, LAST_RANDOM] = -1
    marks[lane, LESSONS] = 0
    marks[lane, UNTOLD] = 0
    marks[lane, WEAK] = NO_SIDE
    if _draw(lanes, lane) < course.weak_share:
        marks[lane, WEAK] = 0 if _draw(lanes, lane) < course.weak_first else 1
    return mover, occupied


@kernel
def _go_on(rules: Rules, games: Games, lane: int, mover: int, occupied: int) -> None:
    """Go on from a board to the next one that wants a search, in the next game if need be.

    Only moves are made at once. When all games are begun the lane rests: nobody waits.
    """
    course, lanes, forest = games.course, games.lanes, games.forest
    while True:
        full = _draw(lanes, lane) < course.full_share
        sims = course.full_sims if full else course.fast_sims
        cells = plant_one(rules, games.puct, forest, lane, mover, occupied, sims)
        lanes.marks[lane, FULL] = full
        if forest.counts[lane, WAITING] != NOBODY:
            return
        proof = float(forest.edges[lane, 0, PROOF, move_count(rules)])
        if full or proof != OPEN:
            draft_evenly(rules, lanes, lane, cells)
            record(lanes, lane, mover, occupied, 0.0)
        if proof == OPEN:
            mover, occupied = play(mover, occupied, cells)
            continue
        if not _end(rules, games, lane, popcount(occupied), proof):
            return
        mover, occupied = _begin_game(rules, games, lane)


@kernel
def _end(rules: Rules, games: Games, lane: int, stones: int, value: float) -> bool:
    """End a lane's game; return whether it has another."""
    end_game(rules, games.course.mix, games.lanes, games.harvest, lane, stones, value)
    games.lanes.marks[lane, GAME] += games.course.stride
    return bool(games.lanes.marks[lane, GAME] < games.course.games)


@kernel
def _look_aside(rules: Rules, games: Games, lane: int) -> None:
    """Hand in a position a few random moves from here if the rules decide it.

    Games avoid such positions, so that without these a bare network would not know a win at hand.
    """
    lanes, roots = games.lanes, games.forest.roots
    lanes.dice[lane] = roll(lanes.dice[lane])
    mover, occupied = roots[lane, MOVER], roots[lane, OCCUPIED]
    plies = 1 + below(lanes.dice[lane], ASIDE_PLIES)
    plies = min(plies, rules.columns * rules.rows - 1 - popcount(occupied))
    mover, occupied, _, lanes.dice[lane] = walk(rules, mover, occupied, plies, lanes.dice[lane])
    proof, cells = look(rules, games.puct, mover, occupied)
    if proof != OPEN:
        row = hand_in(games.harvest, lane, mover, occupied, proof)
        for move in range(move_count(rules)):
            share = 1.0 / popcount(cells) if tries_move(rules, cells, move) else 0.0
            games.harvest.policies[lane // BLOCK, row, move] = share


@kernel
def _drawn_move(rules: Rules, games: Games, lane: int, evenly: bool) -> int:
    """Return a move drawn by visits among those that are not proven lost, or evenly among all."""
    edges, chosen, total = games.forest.edges, -1, 0.0
    for move in range(move_count(rules)):
        if edges[lane, 0, PRIOR, move] == NOT_TRIED:
            continue
        weight = 1.0 if evenly else float(edges[lane, 0, VISITS, move])
        if weight == 0.0 or (not evenly and edges[lane, 0, PROOF, move] < 0.0):
            continue
        total += weight
        if _draw(games.lanes, lane) * total < weight:
            chosen = move
    return chosen


@kernel
def _finish_move(rules: Rules, games: Games, lane: int) -> None:
    """Record what a search found, make a move and go on; a proven game is over."""
    course, lanes, forest, marks = games.course, games.lanes, games.forest, games.lanes.marks
    mover, occupied = forest.roots[lane, MOVER], forest.roots[lane, OCCUPIED]
    stones, proven = popcount(occupied), is_proven(rules, forest, lane)
    improve(rules, games.puct, forest, lane, lanes.drafts)
    value = root_value(rules, forest, lane, lanes.drafts)
    tell_untold(lanes, lane, stones, value)
    if marks[lane, FULL] or proven:
        record(lanes, lane, mover, occupied, value)
        marks[lane, UNTOLD] = marks[lane, LESSONS]
        if _draw(lanes, lane) < course.asides:
            _look_aside(rules, games, lane)
    if proven:
        if not _end(rules, games, lane, stones, value):
            return
        mover, occupied = _begin_game(rules, games, lane)
    else:
        move = -1
        if marks[lane, WEAK] == stones % 2 and _draw(lanes, lane) < course.weak_rate:
            move = _drawn_move(rules, games, lane, True)
            marks[lane, LAST_RANDOM] = stones
        elif stones < marks[lane, START] + course.hot:
            move = _drawn_move(rules, games, lane, False)
            if move >= 0 and value_of(forest, lane, move, value) < value - BLUNDER:
                marks[lane, LAST_RANDOM] = stones
        if move < 0:
            move = best_move(rules, forest, lane, lanes.drafts)
        mover, occupied = play(mover, occupied, move_cell(rules, occupied, move))
    _go_on(rules, games, lane, mover, occupied)


@kernel
def _add_noise(rules: Rules, games: Games, lane: int) -> None:
    """Mix chance into the priors of the root: shares drawn evenly from all that sum to 1."""
    edges, lanes, noise = games.forest.edges, games.lanes, games.course.noise
    total = 0.0
    for move in range(move_count(rules)):
        if edges[lane, 0, PRIOR, move] != NOT_TRIED:
            lanes.drafts[lane, move] = -math.log(1e-9 + _draw(lanes, lane))
            total += float(lanes.drafts[lane, move])
    for move in range(move_count(rules)):
        prior = float(edges[lane, 0, PRIOR, move])
        if prior != NOT_TRIED:
            share = float(lanes.drafts[lane, move]) / total
            edges[lane, 0, PRIOR, move] = (1.0 - noise) * prior + noise * share


@kernel
def _advance_one(rules: Rules, games: Games, answers: Reals, lane: int) -> None:
    """Bring a game from one leaf that waits to the next."""
    forest = games.forest
    node = forest.counts[lane, WAITING]
    if node == NOBODY:  # all its games are played
        return
    absorb_one(rules, forest, lane, answers)
    if node == 0 and games.lanes.marks[lane, FULL] and games.course.noise > 0.0:
        _add_noise(rules, games, lane)
    while True:
        if is_done(rules, forest, lane):
            _finish_move(rules, games, lane)
            return
        if descend_one(rules, games.puct, forest, lane):
            return


@kernel
def begin(rules: Rules, games: Games, first: int, stop: int) -> None:
    """Begin the next game of lanes `first` to `stop`, as far as there are any."""
    for lane in range(first, stop):
        games.forest.counts[lane, WAITING] = NOBODY
        if games.lanes.marks[lane, GAME] < games.course.games:
            mover, occupied = _begin_game(rules, games, lane)
            _go_on(rules, games, lane, mover, occupied)


@kernel
def advance_blocks(rules: Rules, games: Games, answers: Reals, first: int, stop: int) -> None:
    """Bring the games of blocks `first` to `stop` from one leaf that waits to the next."""
    for lane in range(first * BLOCK, min(stop * BLOCK, len(games.lanes.dice))):
        _advance_one(rules, games, answers, lane)


Advance = Callable[[Rules, Games, Reals, int, int], None]


@functools.cache
def advancer(rules: Rules | None) -> Advance:
    """Return the kernel of `advance_blocks`; for one board, its geometry known to the compiler.

    That runs 1.5 times as fast and compiles for that board alone.
    """

    @kernel
    def advance_here(board: Rules, games: Games, answers: Reals, first: int, stop: int) -> None:
        advance_blocks(board if rules is None else rules, games, answers, first, stop)

    return advance_here
