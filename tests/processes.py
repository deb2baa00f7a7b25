"""A second opinion on planning: a Markov decision process solved by plain recursion."""

import functools

from fourlab.learning.mdp.process import MDP
from fourlab.rules.position import Position


def brute_value(process: MDP) -> float:
    """The most that can be had from the start, or by two sides with opposite wishes."""

    @functools.cache
    def value(state: Position) -> float:
        sign = process.sign(state)
        worths = [
            sum(
                chance * (process.reward(state, action, after) + value(after))
                for after, chance in process.transitions(state, action).items()
            )
            for action in process.actions(state)
        ]
        return sign * max((sign * worth for worth in worths), default=0.0)

    return value(process.start_state)
