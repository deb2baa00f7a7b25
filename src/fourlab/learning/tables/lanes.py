"""Training against opponents that think: games in step, in rounds of lanes side by side.

The opponent is asked for all lanes at once. Values stay as they are during a round; then every
game is learned from, in the order of the lanes. Rounds end at fixed numbers of games, so that what
is learned depends on neither chunks nor interruptions.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fourlab.agents.base import Agent
from fourlab.core.arrays import Ints
from fourlab.core.bits import popcount
from fourlab.core.dice import roll, seeded
from fourlab.core.errors import IllegalMoveError
from fourlab.core.jit import kernel
from fourlab.core.limit import NO_LIMIT, CalledOffError, Limit
from fourlab.learning.tables.episode import Episode, Lesson, decide, new_episode, reward_end
from fourlab.learning.tables.loop import DECISIONS, DRAWS, Rates, learn
from fourlab.positions.starts import draw_start
from fourlab.rules.boards import Boards, refusal
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import has_line, move_cell, move_count, play
from fourlab.values.knowledge import Knowledge
from fourlab.values.store import Store, of_kind

LANES = 64
NO_MOVES = np.zeros((LANES, 0), np.uint8)  # nobody asks how a board came about


class Lanes(NamedTuple):
    """Games side by side, each with its episode."""

    movers: Ints  # [lanes]
    occupied: Ints  # [lanes]
    states: Ints  # [lanes], of the dice
    lengths: Ints  # [lanes], decisions of the learner
    over: Ints  # [lanes], 1 when the game has ended
    results: Ints  # [lanes], 1, 0 or -1 for the learner
    rows: Ints  # [lanes], those that wait for the opponent, side by side with
    asked_movers: Ints  # [lanes], their boards
    asked_occupied: Ints  # [lanes]
    dice: Ints  # [lanes], and its dice there
    episodes: Episode  # [lanes, cells]


def new_lanes(rules: Rules) -> Lanes:
    """Return room for a round."""
    ints = {name: np.zeros(LANES, np.int64) for name in Lanes._fields[:-1]}
    episodes = Episode._make(
        np.zeros((LANES, len(array)), array.dtype) for array in new_episode(rules)
    )
    return Lanes(**ints, episodes=episodes)


@kernel
def episode_of(episodes: Episode, lane: int) -> Episode:
    """Return the episode of one lane."""
    return Episode(
        episodes.movers[lane],
        episodes.occupied[lane],
        episodes.moves[lane],
        episodes.cells[lane],
        episodes.rewards[lane],
        episodes.bests[lane],
        episodes.takens[lane],
        episodes.targets[lane],
        episodes.offsets[lane],
        episodes.explored[lane],
    )


@kernel
def _advance(
    rules: Rules, values: Store, lesson: Lesson, rates: Rates, lanes: Lanes, lane: int
) -> None:
    """Let the learner move in a lane until the game is over or waits for the opponent."""
    mover, occupied = lanes.movers[lane], lanes.occupied[lane]
    ply = popcount(occupied)
    if ply < rules.columns * rules.rows and (ply & 1) == rates.sides[lane]:
        cell, lanes.states[lane] = decide(
            rules,
            values,
            lesson,
            mover,
            occupied,
            rates.epsilons[lane],
            episode_of(lanes.episodes, lane),
            lanes.lengths[lane],
            lanes.states[lane],
        )
        lanes.lengths[lane] += 1
        _put(rules, lesson, lanes, lane, cell, 1)


@kernel
def _put(rules: Rules, lesson: Lesson, lanes: Lanes, lane: int, cell: int, result: int) -> None:
    """Fill a cell; `result` is what a line means to the learner."""
    mover, occupied = lanes.movers[lane], lanes.occupied[lane]
    won = has_line(rules, mover | cell)
    lanes.movers[lane], lanes.occupied[lane] = play(mover, occupied, cell)
    ply = popcount(occupied) + 1
    if won or ply == rules.columns * rules.rows:
        lanes.over[lane] = 1
        lanes.results[lane] = result if won else 0
        if lanes.lengths[lane] > 0:
            episode = episode_of(lanes.episodes, lane)
            reward_end(lesson, episode, lanes.lengths[lane] - 1, won, lanes.results[lane], ply)


@kernel
def _begin(rules: Rules, lesson: Lesson, lanes: Lanes, lane: int) -> None:
    """Put a new game into a lane, whose state is its seed."""
    mover, occupied, state = draw_start(rules, lesson.starts, seeded(lanes.states[lane]))
    lanes.movers[lane], lanes.occupied[lane], lanes.states[lane] = mover, occupied, state
    lanes.lengths[lane], lanes.over[lane], lanes.results[lane] = 0, 0, 0


@kernel
def _cell(rules: Rules, occupied: int, move: int) -> int:
    """Return the cell of a move, 0 if it is not legal."""
    return move_cell(rules, occupied, move) if 0 <= move < move_count(rules) else 0


@kernel
def _wait(lanes: Lanes, count: int) -> int:
    """Write which lanes wait for the opponent, and its dice there; return how many."""
    waiting = 0
    for lane in range(count):
        if lanes.over[lane] == 0:
            lanes.states[lane] = roll(lanes.states[lane])
            lanes.rows[waiting], lanes.dice[waiting] = lane, lanes.states[lane]
            lanes.asked_movers[waiting] = lanes.movers[lane]
            lanes.asked_occupied[waiting] = lanes.occupied[lane]
            waiting += 1
    return waiting


@kernel
def draw_seeds(state: int, seeds: Ints) -> int:
    """Write a seed for each game of a round; return the next dice."""
    for game in range(len(seeds)):
        state = roll(state)
        seeds[game] = state
    return state


@functools.cache
def rounds(kind: int, method: int) -> Callable[..., int]:
    """Return the kernel that plays rounds for values of one kind, learned by one method."""

    @kernel
    def step(
        rules: Rules,
        stored: Store,
        lesson: Lesson,
        rates: Rates,
        lanes: Lanes,
        moves: Ints,  # [lanes that waited], the opponent's
        begins: bool,
        tally: Ints,
    ) -> int:
        """Begin a round or take the opponent's moves; return how many lanes wait for it now.

        -1 - lane says that a move was illegal. When no lane waits, all games are over and learned
        from.
        """
        values = of_kind(stored, kind)
        if begins:
            for lane in range(len(rates.sides)):
                _begin(rules, lesson, lanes, lane)
                _advance(rules, values, lesson, rates, lanes, lane)
        for index in range(len(moves)):
            lane = lanes.rows[index]
            cell = _cell(rules, lanes.occupied[lane], moves[index])
            if cell == 0:
                return -1 - int(lane)
            _put(rules, lesson, lanes, lane, cell, -1)
            if lanes.over[lane] == 0:
                _advance(rules, values, lesson, rates, lanes, lane)
        waiting = _wait(lanes, len(rates.sides))
        if waiting == 0:
            for lane in range(len(rates.sides)):
                length, state = lanes.lengths[lane], lanes.states[lane]
                tally[DRAWS + lanes.results[lane]] += 1
                tally[DECISIONS] += length
                episode, alpha = episode_of(lanes.episodes, lane), rates.alphas[lane]
                learn(rules, values, lesson, method, episode, length, alpha, state)
        return waiting

    return step


def play_round(
    knowledge: Knowledge,
    lesson: Lesson,
    opponent: Agent,
    rates: Rates,
    lanes: Lanes,
    seeds: Ints,
    tally: Ints,
    limit: Limit = NO_LIMIT,
) -> None:
    """Play and learn from a round of games; `rates` and `seeds` have an entry for each.

    Raises CalledOffError when the limit is over before the games are: nothing was learned then.
    """
    watch = limit.watch()
    rules, step = knowledge.rules, rounds(knowledge.values.kind, lesson.method)
    knowledge.make_room(len(seeds) * rules.cells)
    lanes.states[: len(seeds)] = seeds
    moves, begins = np.zeros(0, np.int64), True
    while True:
        waiting = step(rules, knowledge.values, lesson, rates, lanes, moves, begins, tally)
        if waiting < 0:
            asked = Boards(lanes.asked_movers, lanes.asked_occupied, NO_MOVES)
            raise IllegalMoveError(f"opponent {opponent.spec}: {refusal(rules, asked, moves)}")
        if waiting == 0:
            return
        boards = Boards(
            lanes.asked_movers[:waiting], lanes.asked_occupied[:waiting], NO_MOVES[:waiting]
        )
        found = opponent.choose(boards, lanes.dice[:waiting], watch.rest().heard)
        moves = np.asarray(found, np.int64)
        if watch.is_over():
            raise CalledOffError
        begins = False
