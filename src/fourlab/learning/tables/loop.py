"""The kernel that plays and learns, game after game, against opponents that move at once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

from fourlab.agents.instant import Instant
from fourlab.core.arrays import Floats, Ints
from fourlab.core.jit import kernel
from fourlab.learning.tables.episode import (
    AVERAGES,
    BEST,
    DOUBLED,
    RETURNS,
    Episode,
    Lesson,
    play_episode,
)
from fourlab.learning.tables.targets import (
    aim_at_best,
    aim_at_other,
    aim_at_results,
    aim_at_returns,
    improve_policy,
)
from fourlab.rules.geometry import Rules
from fourlab.values.store import Store, of_kind, teach
from fourlab.values.table import is_crowded

LOSSES, DRAWS, WINS, DECISIONS = range(4)  # indices of a tally


class Rates(NamedTuple):
    """What changes from game to game; each array has an entry for each game."""

    alphas: Floats
    epsilons: Floats
    sides: Ints


@kernel
def learn(
    rules: Rules,
    values: Store,
    lesson: Lesson,
    method: int,
    episode: Episode,
    length: int,
    alpha: float,
    state: int,
) -> int:
    """Learn from an episode as the method says; return the next dice."""
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


@functools.cache
def trainer(kind: int, method: int) -> Callable[..., tuple[int, int]]:
    """Return the kernel that trains values of one kind by one method.

    Constants cut away what others need: it compiles in 3 s instead of 6.
    """

    @kernel
    def train(
        rules: Rules,
        stored: Store,
        opponent: Instant,
        lesson: Lesson,
        rates: Rates,
        begin: int,
        episode: Episode,
        tally: Ints,
        state: int,
    ) -> tuple[int, int]:
        """Play games from number `begin` on and learn from each.

        Returns the number of the next game to play, and the next dice. It stops early when the
        table has to grow.
        """
        values = of_kind(stored, kind)
        for game in range(begin, len(rates.sides)):
            if is_crowded(values.table, rules.columns * rules.rows):
                return game, state
            side, epsilon, alpha = rates.sides[game], rates.epsilons[game], rates.alphas[game]
            length, result, state = play_episode(
                rules, values, opponent, lesson, side, epsilon, episode, state
            )
            tally[DRAWS + result] += 1
            tally[DECISIONS] += length
            state = learn(rules, values, lesson, method, episode, length, alpha, state)
        return len(rates.sides), state

    return train
