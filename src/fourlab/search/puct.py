"""One tree of a forest, whose leaves are evaluated outside: PUCT with proofs.

A simulation walks from the root to a leaf (`descend_one`), which waits for its answer: priors of
its moves and a value (`absorb_one`). A leaf that the rules decide needs none: a win at hand, two
threats of the other side, a full board; and moves that lose at once are not tried. What is proven
is carried up, so that a tree ends when its root is proven.

Everything a node knows is seen by its side to move. Values lie between -1 and 1; a win is worth
more the sooner it comes (`worth_of`). The last column of a node's table, `moves`, is the node
itself: its visits, the sum of its values, the value it was given, its proof.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fourlab.core.arrays import Ints
from fourlab.core.bits import popcount
from fourlab.core.jit import kernel
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import (
    column_cells,
    has_line,
    legal_cells,
    move_cell,
    move_count,
    play,
    winning_cells,
)
from fourlab.search.bounds import safe_replies
from fourlab.search.scores import win_score

Reals = npt.NDArray[np.float32]

FIELDS = 5
VISITS, TOTAL, PRIOR, PROOF, CHILD = range(FIELDS)
NODES, DEPTH, WAITING, DONE, WANTED = range(5)  # columns of `Forest.counts`
NODE, MOVE = range(2)  # of a step of a path
MOVER, OCCUPIED = range(2)  # of a board
OPEN = 9.0  # in the place of a proof: nothing is proven
NOT_TRIED = -1.0  # in the place of a prior: the move is illegal or loses at once
NO_CHILD = 0  # the root is nobody's child
NOBODY = -1  # in the place of a waiting node
LOST = 10.0  # taken off a move that is proven lost: it comes last


class Puct(NamedTuple):
    """How a tree grows, and what it says at the end."""

    exploration: float = 1.5
    urgency: float = 0.2  # how far below its node a move counts that was never tried
    scale: float = 0.25  # of values against priors in the improved policy
    base: float = 50.0  # visits that are added to the most visited move's there
    graded: float = 0.4  # share of a win's worth that is lost if it comes with the last stone
    forced: bool = True  # only moves are made at once: no evaluation is spent on them
    rule: bool = True  # wins at hand, double threats and moves that lose at once are seen


class Forest(NamedTuple):
    """Trees with room for as many nodes as their arrays are long."""

    edges: Reals  # [trees, nodes, FIELDS, moves + 1]
    roots: Ints  # [trees, 2], MOVER and OCCUPIED
    leaves: Ints  # [trees, 2], the boards that wait for an answer
    tries: Ints  # [trees], the cells worth trying there
    priors: Reals  # [trees, moves], of the root as they were given
    paths: npt.NDArray[np.int32]  # [trees, cells + 1, 2], the last walk
    counts: Ints  # [trees, 5]


def new_forest(rules: Rules, trees: int, nodes: int, leaves: Ints | None = None) -> Forest:
    """Return room for trees of so many nodes; `leaves` may lie where the caller wants them."""
    moves = rules.move_count
    return Forest(
        edges=np.zeros((trees, nodes, FIELDS, moves + 1), np.float32),
        roots=np.zeros((trees, 2), np.int64),
        leaves=np.zeros((trees, 2), np.int64) if leaves is None else leaves,
        tries=np.zeros(trees, np.int64),
        priors=np.zeros((trees, moves), np.float32),
        paths=np.zeros((trees, rules.cells + 1, 2), np.int32),
        counts=np.zeros((trees, 5), np.int64),
    )


@kernel
def worth_of(rules: Rules, puct: Puct, score: int) -> float:
    """Return what an exact score is worth: the less of 1 the later the win comes."""
    if score == 0:
        return 0.0
    speed = abs(score) / win_score(rules, 0)
    worth = 1.0 - puct.graded * (1.0 - speed)
    return worth if score > 0 else -worth


@kernel
def look(rules: Rules, puct: Puct, mover: int, occupied: int) -> tuple[float, int]:
    """Return what the rules alone say of a board: its proof or OPEN, and the cells worth trying.

    Where it is decided the cells are those that win, or else block, or all.
    """
    stones = popcount(occupied)
    legal = legal_cells(rules, occupied)
    if not puct.rule:
        if has_line(rules, mover ^ occupied):
            return worth_of(rules, puct, -win_score(rules, stones - 1)), legal
        return 0.0 if legal == 0 else OPEN, legal
    wins = winning_cells(rules, mover) & legal
    if wins != 0:
        return worth_of(rules, puct, win_score(rules, stones)), wins
    if stones + 1 >= rules.columns * rules.rows:
        return 0.0, legal
    threats = winning_cells(rules, mover ^ occupied) & ~occupied
    safe = safe_replies(rules, occupied, threats)
    if safe == 0:
        blocks = legal & threats
        return worth_of(rules, puct, -win_score(rules, stones + 1)), blocks if blocks else legal
    return OPEN, safe


@kernel
def tries_move(rules: Rules, cells: int, move: int) -> bool:
    """Return whether a move fills one of these cells, of which no two lie in one column."""
    if rules.gravity:
        return cells & column_cells(rules, move) != 0
    return cells & move_cell(rules, 0, move) != 0


@kernel
def is_proven(rules: Rules, forest: Forest, tree: int) -> bool:
    """Return whether the root is proven."""
    return bool(forest.edges[tree, 0, PROOF, move_count(rules)] != OPEN)


@kernel
def is_done(rules: Rules, forest: Forest, tree: int) -> bool:
    """Return whether a tree has had its simulations, is proven, or is full."""
    counts = forest.counts
    if counts[tree, WAITING] != NOBODY:
        return False
    enough = counts[tree, DONE] >= counts[tree, WANTED]
    full = counts[tree, NODES] >= forest.edges.shape[1]
    return bool(enough or full) or is_proven(rules, forest, tree)


@kernel
def plant_one(
    rules: Rules, puct: Puct, forest: Forest, tree: int, mover: int, occupied: int, sims: int
) -> int:
    """Make a tree a root alone that wants so many simulations; return the cells worth trying.

    The root waits for an answer unless the rules decide it or leave it a single move.
    """
    proof, cells = look(rules, puct, mover, occupied)
    forest.roots[tree, MOVER] = mover
    forest.roots[tree, OCCUPIED] = occupied
    counts = forest.counts
    counts[tree, NODES] = 1
    counts[tree, DEPTH] = 0
    counts[tree, DONE] = 0
    counts[tree, WANTED] = sims
    if proof == OPEN and not (puct.forced and cells & (cells - 1) == 0):
        forest.edges[tree, 0, PROOF, move_count(rules)] = OPEN
        _wait(forest, tree, 0, mover, occupied, cells)
        return cells
    counts[tree, WAITING] = NOBODY
    _open_evenly(rules, forest, tree, 0, cells)
    forest.edges[tree, 0, PROOF, move_count(rules)] = proof
    for move in range(move_count(rules)):
        prior = float(forest.edges[tree, 0, PRIOR, move])
        forest.priors[tree, move] = prior
        if proof != OPEN and prior != NOT_TRIED:
            forest.edges[tree, 0, PROOF, move] = proof
    return cells


@kernel
def _wait(forest: Forest, tree: int, node: int, mover: int, occupied: int, cells: int) -> None:
    """Let a node wait for its answer."""
    forest.counts[tree, WAITING] = node
    forest.leaves[tree, MOVER] = mover
    forest.leaves[tree, OCCUPIED] = occupied
    forest.tries[tree] = cells


@kernel
def _clear(rules: Rules, forest: Forest, tree: int, node: int) -> None:
    """Empty a node's table."""
    for move in range(move_count(rules) + 1):
        forest.edges[tree, node, VISITS, move] = 0.0
        forest.edges[tree, node, TOTAL, move] = 0.0
        forest.edges[tree, node, PRIOR, move] = NOT_TRIED
        forest.edges[tree, node, PROOF, move] = OPEN
        forest.edges[tree, node, CHILD, move] = NO_CHILD


@kernel
def _open_evenly(rules: Rules, forest: Forest, tree: int, node: int, cells: int) -> None:
    """Give a node that was not evaluated its moves, all alike."""
    _clear(rules, forest, tree, node)
    for move in range(move_count(rules)):
        if tries_move(rules, cells, move):
            forest.edges[tree, node, PRIOR, move] = 1.0 / popcount(cells)


@kernel
def absorb_one(rules: Rules, forest: Forest, tree: int, answers: Reals) -> None:
    """Take the answer to a tree's waiting leaf: priors of its moves and, last, its value.

    What is no number counts for nothing: no walk ends that compares with it.
    """
    node, cells, moves = forest.counts[tree, WAITING], forest.tries[tree], move_count(rules)
    if node == NOBODY:
        return
    total = 0.0
    for move in range(moves):
        if tries_move(rules, cells, move):
            total += float(answers[tree, move])
    is_told = 0.0 < total < math.inf
    if is_told:
        _clear(rules, forest, tree, node)
    else:  # the evaluator saw nothing in the moves that are left
        _open_evenly(rules, forest, tree, node, cells)
    for move in range(moves):
        if is_told and tries_move(rules, cells, move):
            forest.edges[tree, node, PRIOR, move] = float(answers[tree, move]) / total
        if node == 0:
            forest.priors[tree, move] = forest.edges[tree, node, PRIOR, move]
    value = float(answers[tree, moves])
    value = value if abs(value) < math.inf else 0.0
    forest.edges[tree, node, VISITS, moves] = 1.0
    forest.edges[tree, node, TOTAL, moves] = value
    forest.edges[tree, node, PRIOR, moves] = value
    forest.counts[tree, WAITING] = NOBODY
    if node != 0:
        _back_up(rules, forest, tree, -value)


@kernel
def _back_up(rules: Rules, forest: Forest, tree: int, value: float) -> None:
    """Count a value along the walk; it is seen by the side that made the last move of it."""
    edges, moves = forest.edges, move_count(rules)
    for step in range(forest.counts[tree, DEPTH] - 1, -1, -1):
        node, move = forest.paths[tree, step, NODE], forest.paths[tree, step, MOVE]
        edges[tree, node, VISITS, move] += 1.0
        edges[tree, node, TOTAL, move] = float(edges[tree, node, TOTAL, move]) + value
        edges[tree, node, VISITS, moves] += 1.0
        edges[tree, node, TOTAL, moves] = float(edges[tree, node, TOTAL, moves]) + value
        value = -value


@kernel
def settle(rules: Rules, forest: Forest, tree: int, proof: float) -> None:
    """Count what the last move of the walk was proven to be; carry it up as far as it decides."""
    _back_up(rules, forest, tree, proof)
    moves = move_count(rules)
    for step in range(forest.counts[tree, DEPTH] - 1, -1, -1):
        node, move = forest.paths[tree, step, NODE], forest.paths[tree, step, MOVE]
        forest.edges[tree, node, PROOF, move] = proof
        best, is_open = -OPEN, False
        for other in range(moves):
            if forest.edges[tree, node, PRIOR, other] == NOT_TRIED:
                continue
            known = float(forest.edges[tree, node, PROOF, other])
            if known == OPEN:
                is_open = True
            else:
                best = max(best, known)
        if is_open and best <= 0.0:
            return
        forest.edges[tree, node, PROOF, moves] = best
        proof = -best


@kernel
def _select(rules: Rules, puct: Puct, forest: Forest, tree: int, node: int) -> int:
    """Return the move to follow: its value so far and a bonus for what is likely and little tried.

    A move that was never tried counts as the node itself, less the more of it is known.
    """
    edges, moves = forest.edges, move_count(rules)
    seen = 0.0
    for move in range(moves):
        if edges[tree, node, VISITS, move] > 0.0:
            seen += float(edges[tree, node, PRIOR, move])
    visits = max(float(edges[tree, node, VISITS, moves]), 1.0)
    untried = float(edges[tree, node, TOTAL, moves]) / visits - puct.urgency * math.sqrt(seen)
    width = puct.exploration * math.sqrt(visits)
    best, best_score = 0, -1e9
    for move in range(moves):
        prior = float(edges[tree, node, PRIOR, move])
        if prior == NOT_TRIED:
            continue
        tried, proof = float(edges[tree, node, VISITS, move]), float(edges[tree, node, PROOF, move])
        if proof != OPEN:
            value = proof if proof >= 0.0 else proof - LOST
        elif tried > 0.0:
            value = float(edges[tree, node, TOTAL, move]) / tried
        else:
            value = untried
        score = value + width * prior / (1.0 + tried)
        if score > best_score:
            best, best_score = move, score
    return best


@kernel
def descend_one(rules: Rules, puct: Puct, forest: Forest, tree: int) -> bool:
    """Run one simulation; return whether a leaf waits for its answer, else it has ended."""
    counts, edges = forest.counts, forest.edges
    counts[tree, DONE] += 1
    mover, occupied = forest.roots[tree, MOVER], forest.roots[tree, OCCUPIED]
    node, depth = 0, 0
    while True:
        move = _select(rules, puct, forest, tree, node)
        forest.paths[tree, depth, NODE] = node
        forest.paths[tree, depth, MOVE] = move
        depth += 1
        counts[tree, DEPTH] = depth
        known = float(edges[tree, node, PROOF, move])
        if known != OPEN:
            _back_up(rules, forest, tree, known)
            return False
        mover, occupied = play(mover, occupied, move_cell(rules, occupied, move))
        child = int(edges[tree, node, CHILD, move])
        if child != NO_CHILD:
            node = child
            continue
        proof, cells = look(rules, puct, mover, occupied)
        if proof != OPEN:
            settle(rules, forest, tree, -proof)
            return False
        child = counts[tree, NODES]
        counts[tree, NODES] = child + 1
        edges[tree, node, CHILD, move] = child
        node = child
        spare = edges.shape[1] - counts[tree, NODES]
        left = counts[tree, WANTED] - counts[tree, DONE]
        if puct.forced and cells & (cells - 1) == 0 and spare > left:
            _open_evenly(rules, forest, tree, node, cells)
            continue
        _wait(forest, tree, node, mover, occupied, cells)
        return True
