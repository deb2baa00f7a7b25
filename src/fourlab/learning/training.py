"""The kernel that plays and learns, game after game."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fourlab.agents.players import Player
from fourlab.learning.double_q import learn_doubled
from fourlab.learning.episodes import (
    AVERAGES,
    BEST,
    DOUBLED,
    RETURNS,
    Episode,
    Lesson,
    Numbers,
    play_episode,
)
from fourlab.learning.monte_carlo import learn_averages
from fourlab.learning.q import learn_best
from fourlab.learning.td_lambda import learn_returns
from fourlab.rules.geometry import Rules
from fourlab.rules.jit import kernel
from fourlab.values.store import Values
from fourlab.values.table import is_crowded

LOSSES, DRAWS, WINS, DECISIONS = range(4)  # indices of a tally


class Plan(NamedTuple):
    """What changes from game to game; each array has an entry for each game."""

    alphas: Numbers
    epsilons: Numbers
    sides: npt.NDArray[np.int64]


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
        alpha = plan.alphas[game]
        if lesson.method == BEST:
            learn_best(rules, values, lesson, episode, length, alpha)
        elif lesson.method == RETURNS:
            learn_returns(rules, values, lesson, episode, length, alpha)
        elif lesson.method == DOUBLED:
            state = learn_doubled(rules, values, lesson, episode, length, alpha, state)
        elif lesson.method == AVERAGES:
            state = learn_averages(rules, values, lesson, episode, length, alpha, state)
    return len(plan.sides), state
