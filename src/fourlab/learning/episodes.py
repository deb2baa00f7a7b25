"""One training game, written down decision by decision.

No board occurs twice in a game. Therefore learning after a game, decision by decision in order, is
the same as learning while it is played: what a decision was worth when it was made is what it is
worth when the one before it is taught.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fourlab.agents.players import Player, choose, choose_at_once
from fourlab.learning.starts import Starts, draw_start
from fourlab.rules.bits import popcount
from fourlab.rules.dice import chance, roll
from fourlab.rules.enumeration import Boards
from fourlab.rules.geometry import Rules
from fourlab.rules.jit import body
from fourlab.rules.kernels import cell_move, has_line, move_cell, winning_cells
from fourlab.search.choices import baseline_cells, random_cell, random_legal_cell
from fourlab.values.store import POLICY, Values, greedy, stored_choice
from fourlab.values.table import NO_CHOICE

Numbers = npt.NDArray[np.float64]

# How an episode is learned from; each is the work of one kernel.
NOTHING, BEST, DOUBLED, RETURNS, AVERAGES = range(5)


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

    movers: Boards  # [cells] the board before the move
    occupied: Boards
    moves: Boards
    cells: Boards
    rewards: Numbers  # what followed until the next decision
    bests: Numbers  # worth of the best move, when the decision was made
    takens: Numbers  # worth of the move that was made
    targets: Numbers  # what it is to be taught
    offsets: Boards  # where in its row: 0, or the second half of a double table
    explored: npt.NDArray[np.bool_]  # whether it was a move of exploration


def new_episode(rules: Rules) -> Episode:
    """Return room for the longest game."""

    def boards() -> Boards:
        return np.zeros(rules.cells, np.int64)

    def numbers() -> Numbers:
        return np.zeros(rules.cells)

    return Episode(
        *(boards(), boards(), boards(), boards()),
        *(numbers(), numbers(), numbers(), numbers()),
        offsets=boards(),
        explored=np.zeros(rules.cells, np.bool_),
    )


@body
def _follow_policy(
    rules: Rules, values: Values, instinct: bool, mover: int, occupied: int, state: int
) -> tuple[int, int]:
    """Return the stored policy's cell, or in an unseen state a random or instinctive one."""
    move = stored_choice(rules, values, mover, occupied)
    if move != NO_CHOICE:
        return move_cell(rules, occupied, move), state
    if instinct:
        return random_cell(baseline_cells(rules, mover, occupied), state)
    return random_legal_cell(rules, occupied, state)


@body
def _decide(
    rules: Rules,
    values: Values,
    lesson: Lesson,
    kind: int,
    mover: int,
    occupied: int,
    epsilon: float,
    episode: Episode,
    length: int,
    state: int,
) -> tuple[int, int]:
    """Choose the learner's cell, write the decision down, and return it with the next dice."""
    explored = False
    if kind == POLICY:
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


@body
def play_episode(
    rules: Rules,
    values: Values,
    opponent: Player,
    lesson: Lesson,
    kind: int,
    thinking: bool,
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
            cell, state = _decide(
                rules, values, lesson, kind, mover, occupied, epsilon, episode, length, state
            )
            length += 1
        elif thinking:
            cell, state = choose(rules, opponent, mover, occupied, state)
        else:
            cell, state = choose_at_once(rules, opponent, mover, occupied, state)
        won = has_line(rules, mover | cell)
        if won:
            result = 1 if learner_moves else -1
        mover, occupied = mover ^ occupied, occupied | cell
        ply += 1
    if length > 0:
        _reward_end(lesson, episode, length - 1, won, result, ply)
    if lesson.alone and ply & 1 == 0:  # the second player made the last move
        result = -result
    return length, result, state


@body
def _reward_end(
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
