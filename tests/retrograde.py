"""The truth about small games without any search: every position, from the end of the game back."""

import functools

import numpy as np

from fourlab.rules.catalog import game
from fourlab.rules.position import Outcome, Position
from fourlab.search.book import Scores, Shelf, backed_up, shelves


@functools.cache
def truth(name: str) -> tuple[list[Shelf], list[Scores]]:
    """All positions of a game that are not over, ply by ply, with their scores.

    The last shelf is a full board: no position of it goes on, so that nothing has to be known.
    """
    rules = game(name)
    listed = shelves(rules, rules.cells)
    assert len(listed[-1].keys) == 0
    return listed, backed_up(rules, listed, np.empty(0, np.int8))


@functools.cache
def naive_score(position: Position) -> int:
    """The score of a position by plain recursion over `Position`, with no kernel but the rules."""
    cells, stones = position.rules.cells, position.ply
    best = -cells
    for move in position.legal_moves():
        child = position.play(move)
        if child.outcome is Outcome.DRAW:
            score = 0
        elif child.is_over:
            score = (cells + 1 - stones) // 2
        else:
            score = -naive_score(child)
        best = max(best, score)
    return best
