"""The kernel that plays and learns, game after game."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fourlab.agents.players import Player
from fourlab.learning.double_q import aim_at_other
from fourlab.learning.episodes import (
    AVERAGES,
    BEST,
    DOUBLED,
    NOTHING,
    RETURNS,
    Episode,
    Lesson,
    Numbers,
    play_episode,
)
from fourlab.learning.monte_carlo import aim_at_results, improve_policy
from fourlab.learning.q import aim_at_best
from fourlab.learning.td_lambda import aim_at_returns
from fourlab.rules.geometry import Rules
from fourlab.rules.jit import kernel
from fourlab.values.store import Values, teach
from fourlab.values.table import is_crowded

LOSSES, DRAWS, WINS, DECISIONS = range(4)  # indices of a tally


class Plan(NamedTuple):
    """What changes from game to game; each array has an entry for each game."""

    alphas: Numbers
    epsilons: Numbers
    sides: npt.NDArray[np.int64]


@kernel
def learn(
    rules: Rules,
    values: Values,
    lesson: Lesson,
    episode: Episode,
    length: int,
    alpha: float,
    state: int,
) -> int:
    """Learn from an episode as the lesson says; return the next dice."""
    if lesson.method == BEST:
        aim_at_best(lesson, episode, length)
    elif lesson.method == RETURNS:
        aim_at_returns(lesson, episode, length)
    elif lesson.method == DOUBLED:
        state = aim_at_other(rules, values, lesson, episode, length, state)
    else:
        aim_at_results(lesson, episode, length)
    for index in range(length):
        teach(
            rules,
            values,
            episode.movers[index],
            episode.occupied[index],
            episode.moves[index],
            episode.cells[index],
            episode.offsets[index],
            alpha,
            episode.targets[index],
        )
    if lesson.method == AVERAGES:
        state = improve_policy(rules, values, lesson, episode, length, state)
    return state


@kernel
def train(
    rules: Rules,
    values: Values,
    opponent: Player,
    lesson: Lesson,
    plan: Plan,
    begin: int,
    episode: Episode,
    tally: npt.NDArray[np.int64],
    state: int,
) -> tuple[int, int]:
    """Play the games of a plan from number `begin` on and learn from each as the lesson says.

    Returns the number of the next game to play, and the next dice. It stops early when the table
    has to grow.
    """
    for game in range(begin, len(plan.sides)):
        if is_crowded(values.table, rules.columns * rules.rows):
            return game, state
        length, result, state = play_episode(
            rules, values, opponent, lesson, plan.sides[game], plan.epsilons[game], episode, state
        )
        tally[DRAWS + result] += 1
        tally[DECISIONS] += length
        if lesson.method != NOTHING:
            state = learn(rules, values, lesson, episode, length, plan.alphas[game], state)
    return len(plan.sides), state
