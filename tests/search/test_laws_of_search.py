"""Laws of the parts of the exact search, checked on every position of small games."""

import numpy as np
import pytest

import retrograde
from fourlab.core.jit import kernel
from fourlab.rules.catalog import game
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import legal_cells, winning_cells
from fourlab.search.bounds import NO_BOUND, follow_up_bound, safe_replies
from fourlab.search.nodes import Node, node_key

BOARDS = [
    "connect:columns=4,rows=4,k=3",
    "connect:columns=4,rows=4,k=4",
    "connect:columns=4,rows=5,k=4",
    "connect:columns=5,rows=3,k=3",
    "connect:columns=3,rows=6,k=3",
]
WIDEST = 1 << 40  # so many buckets that the slot is a second hash


@kernel
def _nodes(rules: Rules, movers, occupied, slots, tags, lines):
    """Write keys and open lines of positions in which the mover has a choice, else slot -1."""
    for index in range(len(movers)):
        mover, waiting = movers[index], movers[index] ^ occupied[index]
        wins = winning_cells(rules, mover) & ~occupied[index]
        threats = winning_cells(rules, waiting) & ~occupied[index]
        replies = safe_replies(rules, occupied[index], threats)
        slots[index] = -1
        if wins & legal_cells(rules, occupied[index]) == 0 and replies & (replies - 1) != 0:
            stones = 0
            left = occupied[index]
            while left != 0:
                left &= left - 1
                stones += 1
            node = Node(mover, waiting, wins, threats, replies, stones)
            slots[index], tags[index], lines[index, 0], lines[index, 1] = node_key(
                rules, node, WIDEST
            )


@kernel
def _bounds(rules: Rules, movers, occupied, stones, alpha, result):
    for index in range(len(movers)):
        waiting = movers[index] ^ occupied[index]
        wins = winning_cells(rules, waiting) & ~occupied[index]
        result[index] = follow_up_bound(rules, movers[index], waiting, wins, stones, alpha)


def nodes(name: str):
    """Yield slots, tags, open lines, scores of all positions with a choice, ply by ply."""
    rules = game(name)
    for shelf, scores in zip(*retrograde.truth(name), strict=True):
        slots = np.empty(len(scores), np.int64)
        tags, lines = np.empty_like(slots), np.zeros((len(scores), 2), np.int64)
        _nodes(rules, shelf.movers, shelf.occupied, slots, tags, lines)
        chosen = slots >= 0
        yield slots[chosen], tags[chosen], lines[chosen], scores[chosen]


@pytest.mark.parametrize("name", BOARDS)
def test_equal_keys_mean_equal_scores(name: str) -> None:
    plies = list(nodes(name))  # together: the number of stones is a part of the key, too
    slots, tags, scores = (np.concatenate([ply[place] for ply in plies]) for place in (0, 1, 3))
    keys, where = np.unique(np.stack([slots, tags], axis=1), axis=0, return_inverse=True)
    lowest = np.full(len(keys), 99, np.int64)
    highest = np.full(len(keys), -99, np.int64)
    np.minimum.at(lowest, where.ravel(), scores)
    np.maximum.at(highest, where.ravel(), scores)
    assert np.array_equal(lowest, highest)
    assert len(keys) < len(scores) or "k=3" in name  # the law is not empty: some do share a key


@pytest.mark.parametrize("name", BOARDS)
def test_without_a_line_left_a_side_cannot_win(name: str) -> None:
    cases = 0
    for _, _, lines, scores in nodes(name):
        assert (scores[lines[:, 0] == 0] <= 0).all()
        assert (scores[lines[:, 1] == 0] >= 0).all()
        cases += int((lines == 0).sum())
    assert cases > 0 or "k=3" in name


@pytest.mark.parametrize("name", BOARDS)
def test_following_up_bounds_the_score(name: str) -> None:
    rules = game(name)
    found = 0
    for stones, (shelf, scores) in enumerate(zip(*retrograde.truth(name), strict=True)):
        threats = [
            winning_cells(rules, m ^ o) & legal_cells(rules, o)
            for m, o in zip(shelf.movers.tolist(), shelf.occupied.tolist(), strict=True)
        ]
        # As in the search: neither side can win at once.
        quiet = np.array([threat == 0 for threat in threats], bool)
        quiet &= scores < (rules.cells + 1 - stones) // 2
        movers, occupied = shelf.movers[quiet], shelf.occupied[quiet]
        for alpha in range(-3, 3):
            bounds = np.empty(len(movers), np.int64)
            _bounds(rules, movers, occupied, stones, alpha, bounds)
            told = bounds != NO_BOUND
            assert (bounds[told] <= alpha).all()
            assert (scores[quiet][told] <= bounds[told]).all()
            found += int(told.sum())
    assert found > 0
