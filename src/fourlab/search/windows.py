"""The window score: what a position is worth by the lines that each side may still complete.

A window is any place for a winning line. Only windows without a stone of the other side count: by
what they lack to a line, one stone (`own3` in Connect Four's terms) or two (`own2`).
"""

from typing import NamedTuple

from fourlab.core.bits import popcount
from fourlab.core.jit import kernel
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import DIRECTIONS, line_starts, line_step


class Weights(NamedTuple):
    """What one window is worth to the side that evaluates."""

    own2: int
    own3: int
    opp2: int
    opp3: int


NO_WEIGHTS = Weights(0, 0, 0, 0)


@kernel
def open_windows(rules: Rules, stones: int, others: int) -> tuple[int, int]:
    """Return how many windows free of `others` lack two of `stones`, and how many lack one."""
    lack_two, lack_one = 0, 0
    for direction in range(DIRECTIONS):
        step = line_step(rules, direction)
        if step == 0:
            continue
        free = line_starts(rules, rules.board, step)
        none, one, two = free, 0, 0  # windows by the stones they lack among the cells seen so far
        for place in range(rules.connect):
            here = stones >> (place * step)
            free &= ~(others >> (place * step))
            two = (two & here) | (one & ~here)
            one = (one & here) | (none & ~here)
            none &= here
        lack_two += popcount(two & free)
        lack_one += popcount(one & free)
    if rules.connect == 2:  # a window that lacks two of two holds no stone
        lack_two = 0
    return lack_two, lack_one


@kernel
def window_score(rules: Rules, weights: Weights, stones: int, others: int) -> int:
    """Return the score of a board, seen by the side with `stones`, whoever is to move."""
    own2, own3 = open_windows(rules, stones, others)
    opp2, opp3 = open_windows(rules, others, stones)
    return weights.own2 * own2 + weights.own3 * own3 + weights.opp2 * opp2 + weights.opp3 * opp3
