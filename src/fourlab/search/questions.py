"""From questions to scores: which bounds to ask for, over one position or many.

The score of a position lies in [low, high]; each answered question "is it above alpha?" narrows
that. Questions far from 0 are cheap, since a quick win or loss needs a shallow search, so they are
asked first.
"""

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fourlab.core.arrays import Ints
from fourlab.core.bits import popcount
from fourlab.core.jit import kernel
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import has_line, legal_cells, winning_cells
from fourlab.search.exact import (
    ASKED,
    CURSOR,
    NODES,
    START,
    VALUE,
    Stack,
    ask,
    run,
)
from fourlab.search.nodes import UNKNOWN
from fourlab.search.scores import win_score
from fourlab.search.transpositions import SEARCHED, Transpositions, clear

SOLVED, PAUSED = -1, -2
NEAR_ZERO = 4  # from here on the sign is asked for before anything else


@kernel
def next_question(rules: Rules, low: int, high: int, stones: int) -> int:
    """Return the alpha to ask about next, with low <= alpha < high."""
    middle = low + (high - low) // 2
    if low < -NEAR_ZERO or high > NEAR_ZERO:
        if middle <= 0:
            return min(middle, -(-low // 2))
        return min(max(middle, high // 2), high - 1)
    if low < 0 < high:
        # The first player tends to win, but the second where it can follow up to the top.
        favoured = int(rules.rows % 2 == 0 and rules.columns != 7)
        return -((stones ^ favoured) & 1)
    return middle


class Problems(NamedTuple):
    """Positions to solve, and what is known of their scores."""

    movers: Ints  # [positions]
    occupied: Ints  # [positions]
    low: Ints  # [positions], bounds of the score
    high: Ints  # [positions]
    nodes: Ints  # [positions], searched by all threads


def new_problems(movers: Ints, occupied: Ints) -> Problems:
    """Return positions of which nothing is known yet."""
    return Problems(movers, occupied, *np.zeros((3, len(movers)), np.int64))


@kernel
def _bound(rules: Rules, problems: Problems, index: int, weak: bool) -> bool:
    """Write what is known of a score before any search; return False if the game is over.

    `weak` asks for the sign alone.
    """
    mover, occupied = problems.movers[index], problems.occupied[index]
    stones = popcount(occupied)
    if stones == rules.columns * rules.rows or has_line(rules, mover ^ occupied):
        return False
    low, high = -win_score(rules, stones + 1), win_score(rules, stones + 2)
    if winning_cells(rules, mover) & legal_cells(rules, occupied) != 0:
        low = high = win_score(rules, stones)
    if weak:
        low, high = max(-1, min(1, low)), max(-1, min(1, high))
    problems.low[index], problems.high[index], problems.nodes[index] = low, high, 0
    return True


@kernel
def _narrow(
    rules: Rules, problems: Problems, stack: Stack, table: Transpositions, index: int, limit: int
) -> None:
    """Narrow the bounds of one position to its score, as far as the count of nodes allows."""
    movers, occupied, low, high, _ = problems
    state = stack.state
    while low[index] < high[index]:
        alpha = state[ASKED]
        value = UNKNOWN
        if alpha == UNKNOWN:
            alpha = next_question(rules, low[index], high[index], popcount(occupied[index]))
            value = ask(rules, stack, table, movers[index], occupied[index], alpha)
            state[ASKED] = alpha
        if value == UNKNOWN and run(rules, stack, table, low, high, index, limit):
            value = state[VALUE]
        if value > alpha:
            low[index] = min(max(low[index], value), high[index])
        elif value != UNKNOWN:
            high[index] = max(min(high[index], value), low[index])
        elif low[index] <= alpha < high[index]:  # the limit came first
            return
        state[ASKED] = UNKNOWN


@kernel
def solve(
    rules: Rules,
    problems: Problems,
    stack: Stack,
    table: Transpositions,
    begins: bool,
    weak: bool,
    fresh: bool,
    node_limit: int,
) -> int:
    """Narrow all bounds to scores: SOLVED, or PAUSED if the node limit came first: call again then.

    `begins` finds the first bounds, of signs alone if `weak`; a position whose game is over ends it
    with its index. `fresh` clears the table before each position. Threads may share the problems
    and the table: each begins at another position, and all end up at those that are not solved.
    """
    state = stack.state
    count = len(problems.movers)
    if begins:
        for index in range(count):
            if not _bound(rules, problems, index, weak):
                return index
        state[CURSOR], state[ASKED], state[NODES] = 0, UNKNOWN, table.sizes[SEARCHED]
    while state[CURSOR] < count:
        index = (state[START] + state[CURSOR]) % count
        if fresh and state[ASKED] == UNKNOWN:
            clear(table)
            state[NODES] = 0
        before = state[NODES]
        _narrow(rules, problems, stack, table, index, before + node_limit)
        searched = state[NODES] - before
        problems.nodes[index] += searched
        node_limit -= searched
        table.sizes[SEARCHED] = max(table.sizes[SEARCHED], state[NODES])
        if problems.low[index] < problems.high[index]:
            return PAUSED
        state[ASKED] = UNKNOWN
        state[CURSOR] += 1
    return SOLVED


@functools.cache
def solver_kernel(rules: Rules | None) -> Callable[..., int]:
    """Return `solve` for every board, or with the geometry of one known to the compiler.

    That is 1.7 times as fast, and compiles for that board alone.
    """

    @kernel
    def solve_here(
        board: Rules,
        problems: Problems,
        stack: Stack,
        table: Transpositions,
        begins: bool,
        weak: bool,
        fresh: bool,
        node_limit: int,
    ) -> int:
        chosen = board if rules is None else rules
        return solve(chosen, problems, stack, table, begins, weak, fresh, node_limit)

    return solve_here
