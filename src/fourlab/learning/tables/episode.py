"""One training game, written down decision by decision.

No board occurs twice in a game. Therefore learning after a game, decision by decision in order, is
the same as learning while it is played: what a decision was worth when it was made is what it is
worth when the one before it is taught.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fourlab.agents.instant import Instant, instant_cell
from fourlab.core.arrays import Floats, Ints
from fourlab.core.bits import popcount
from fourlab.core.dice import chance, roll
from fourlab.core.jit import kernel
from fourlab.positions.starts import Starts, draw_start
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import cell_move, has_line, move_cell, play, winning_cells
from fourlab.search.choices import baseline_cells, random_cell, random_legal_cell
from fourlab.values.store import POLICY, Store, greedy, stored_choice
from fourlab.values.table import NO_CHOICE

# How an episode is learned from; each is the work of one kernel.
BEST, DOUBLED, RETURNS, AVERAGES = range(4)


class Lesson(NamedTuple):
    """What stays the same over a run, as kernels see it."""

    method: int
    alone: bool  # the learner moves for both sides
    gamma: float
    win: float
    draw: float
    loss: float
    step: float
    block: float
    starts: Starts
    trace: float = 0.0  # lambda of the returns
    cut: bool = False  # returns end at moves of exploration
    keep: float = 1.0  # how often the policy stores the best move, else a random one
    instinct: bool = False  # where the policy has no move yet: win, else block, else at random


class Episode(NamedTuple):
    """The learner's decisions in a game; both sides' where it plays alone."""

    movers: Ints  # [cells] the board before the move
    occupied: Ints
    moves: Ints
    cells: Ints
    rewards: Floats  # what followed until the next decision
    bests: Floats  # worth of the best move, when the decision was made
    takens: Floats  # worth of the move that was made
    targets: Floats  # what it is to be taught
    offsets: Ints  # where in its row: 0, or the second half of a double table
    explored: npt.NDArray[np.bool_]  # whether it was a move of exploration


def new_episode(rules: Rules) -> Episode:
    """Return room for the longest game."""

    def boards() -> Ints:
        return np.zeros(rules.cells, np.int64)

    def numbers() -> Floats:
        return np.zeros(rules.cells)

    return Episode(
        *(boards(), boards(), boards(), boards()),
        *(numbers(), numbers(), numbers(), numbers()),
        offsets=boards(),
        explored=np.zeros(rules.cells, np.bool_),
    )


@kernel
def _follow_policy(
    rules: Rules, values: Store, instinct: bool, mover: int, occupied: int, state: int
) -> tuple[int, int]:
    """Return the stored policy's cell, or in an unseen state a random or instinctive one."""
    move = stored_choice(rules, values, mover, occupied)
    if move != NO_CHOICE and move_cell(rules, occupied, move) != 0:
        return move_cell(rules, occupied, move), state
    if instinct:
        return random_cell(baseline_cells(rules, mover, occupied), state)
    return random_legal_cell(rules, occupied, state)


@kernel
def decide(
    rules: Rules,
    values: Store,
    lesson: Lesson,
    mover: int,
    occupied: int,
    epsilon: float,
    episode: Episode,
    length: int,
    state: int,
) -> tuple[int, int]:
    """Choose the learner's cell, write the decision down, and return it with the next dice."""
    explored = False
    if values.kind == POLICY:
        cell, state = _follow_policy(rules, values, lesson.instinct, mover, occupied, state)
    else:
        cell, best, state = greedy(rules, values, mover, occupied, state)
        taken = best
        if epsilon > 0:
            state = roll(state)
            explored = chance(state) < epsilon
        if explored:
            cell, state = random_legal_cell(rules, occupied, state)
            taken = values.worths[cell_move(rules, cell)]
        episode.bests[length] = best
        episode.takens[length] = taken
    episode.movers[length] = mover
    episode.occupied[length] = occupied
    episode.cells[length] = cell
    episode.moves[length] = cell_move(rules, cell)
    episode.explored[length] = explored
    reward = lesson.step
    if lesson.block != 0 and winning_cells(rules, mover ^ occupied) & cell != 0:
        reward += lesson.block
    episode.rewards[length] = reward
    return cell, state


@kernel
def play_episode(
    rules: Rules,
    values: Store,
    opponent: Instant,
    lesson: Lesson,
    side: int,
    epsilon: float,
    episode: Episode,
    state: int,
) -> tuple[int, int, int]:
    """Play a game; return its decisions, its result and the next dice.

    The result is 1, 0 or -1 for the learner, or for the first player where it plays alone.
    """
    mover, occupied, state = draw_start(rules, lesson.starts, state)
    length, result, won = 0, 0, False
    ply = popcount(occupied)
    while ply < rules.columns * rules.rows and not won:
        learner_moves = lesson.alone or (ply & 1) == side
        if learner_moves:
            cell, state = decide(
                rules, values, lesson, mover, occupied, epsilon, episode, length, state
            )
            length += 1
        else:
            cell, state = instant_cell(rules, opponent, mover, occupied, state)
        won = has_line(rules, mover | cell)
        if won:
            result = 1 if learner_moves else -1
        mover, occupied = play(mover, occupied, cell)
        ply += 1
    if length > 0:
        reward_end(lesson, episode, length - 1, won, result, ply)
    if lesson.alone and ply & 1 == 0:  # the second player made the last move
        result = -result
    return length, result, state


@kernel
def reward_end(
    lesson: Lesson, episode: Episode, last: int, won: bool, result: int, ply: int
) -> None:
    """Write the reward of the last decision: the end of the game instead of a step."""
    blocked = episode.rewards[last] - lesson.step
    if result > 0:
        episode.rewards[last] = lesson.win
    elif won:
        episode.rewards[last] = lesson.loss + blocked
    elif lesson.alone and ply & 1 == 0:  # a draw as the first player sees it
        episode.rewards[last] = -lesson.draw + blocked
    else:
        episode.rewards[last] = lesson.draw + blocked
