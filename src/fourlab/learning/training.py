"""The kernel that plays and learns, game after game."""

from __future__ import annotations

import functools
from collections.abc import Callable
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
from fourlab.rules.jit import body, kernel
from fourlab.values.store import Values, teach
from fourlab.values.table import is_crowded

LOSSES, DRAWS, WINS, DECISIONS = range(4)  # indices of a tally


class Plan(NamedTuple):
    """What changes from game to game; each array has an entry for each game."""

    alphas: Numbers
    epsilons: Numbers
    sides: npt.NDArray[np.int64]


@body
def learn(
    rules: Rules,
    values: Values,
    lesson: Lesson,
    method: int,
    episode: Episode,
    length: int,
    alpha: float,
    state: int,
) -> int:
    """Learn from an episode as the lesson says; return the next dice."""
    if method == BEST:
        aim_at_best(lesson, episode, length)
    elif method == RETURNS:
        aim_at_returns(lesson, episode, length)
    elif method == DOUBLED:
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
    if method == AVERAGES:
        state = improve_policy(rules, values, lesson, episode, length, state)
    return state


Trainer = Callable[..., tuple[int, int]]


@functools.cache
def trainer(kind: int, method: int, thinking: bool) -> Trainer:
    """Return the kernel that trains values of one kind by one method.

    Against opponents that do not think, thinking is left out of it. What is known to the compiler
    it need not compile: 10 s instead of 60, and games run twice as fast.
    """

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
        """Play the games of a plan from number `begin` on and learn from each.

        Returns the number of the next game to play, and the next dice. It stops early when the
        table has to grow.
        """
        for game in range(begin, len(plan.sides)):
            if is_crowded(values.table, rules.columns * rules.rows):
                return game, state
            length, result, state = play_episode(
                rules,
                values,
                opponent,
                lesson,
                kind,
                thinking,
                plan.sides[game],
                plan.epsilons[game],
                episode,
                state,
            )
            tally[DRAWS + result] += 1
            tally[DECISIONS] += length
            if method != NOTHING:
                alpha = plan.alphas[game]
                state = learn(rules, values, lesson, method, episode, length, alpha, state)
        return len(plan.sides), state

    return train
