"""Leaves that exact search decides within a few nodes: there no network is asked.

`Prover` walks in the place of `forest.descend`. At first the moves of the root are solved, as far
as nodes suffice. A walk that ends at a leaf which the rules leave open asks the exact search for
win, draw or loss first. Its table is empty each time, so that what
is found depends on the leaf alone, never on the trees beside it.
"""

from typing import NamedTuple

import numpy as np

from fourlab.core.jit import SLOWNESS, kernel
from fourlab.core.scratch import Scratch
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import move_cell, move_count, play
from fourlab.search.exact import Stack, new_stack
from fourlab.search.puct import (
    CHILD,
    DEPTH,
    DONE,
    MOVE,
    MOVER,
    NO_CHILD,
    NOBODY,
    NODE,
    NODES,
    NOT_TRIED,
    OCCUPIED,
    OPEN,
    PRIOR,
    PROOF,
    WAITING,
    Forest,
    Puct,
    descend_one,
    is_done,
    settle,
    worth_of,
)
from fourlab.search.questions import SOLVED, Problems, new_problems, solve
from fourlab.search.transpositions import Transpositions, new_transpositions

TABLE_MB = 0.5
PATIENCE = (1 << 15) // SLOWNESS  # nodes for a tree before its caller looks at the clock: some ms


class Desk(NamedTuple):
    """What one thread proves with."""

    problem: Problems  # the leaf, one position
    stack: Stack
    table: Transpositions
    nodes: int  # that may be searched for a leaf
    patience: int  # nodes for a tree in one walk


@kernel
def _solved(rules: Rules, forest: Forest, desk: Desk, tree: int) -> bool:
    """Solve the leaf that waits, if its nodes are enough: who wins, and, with what is left, when.

    Where they do not tell when, a win or a loss counts as the last of all that there are.
    """
    problem = desk.problem
    problem.movers[0] = forest.leaves[tree, MOVER]
    problem.occupied[0] = forest.leaves[tree, OCCUPIED]
    if solve(rules, problem, desk.stack, desk.table, True, True, True, desk.nodes) != SOLVED:
        return False
    value, left = problem.low[0], desk.nodes - problem.nodes[0]
    if value == 0 or left <= 0:
        return True
    if solve(rules, problem, desk.stack, desk.table, True, False, False, left) != SOLVED:
        problem.low[0] = value
    return True


@kernel
def _decide(rules: Rules, puct: Puct, forest: Forest, desk: Desk, tree: int) -> None:
    """Let exact search answer the leaf that waits, if it can."""
    if not _solved(rules, forest, desk, tree):
        return
    counts = forest.counts
    last = counts[tree, DEPTH] - 1
    parent, move = forest.paths[tree, last, NODE], forest.paths[tree, last, MOVE]
    forest.edges[tree, parent, CHILD, move] = NO_CHILD  # no walk will go on from there
    counts[tree, NODES] -= 1
    counts[tree, WAITING] = NOBODY
    settle(rules, forest, tree, -worth_of(rules, puct, desk.problem.low[0]))


@kernel
def _solve_next(rules: Rules, puct: Puct, forest: Forest, desk: Desk, tree: int) -> bool:
    """Solve the next move of a root, how soon it ends too; once all are, the root is proven.

    False: its nodes are not enough, and the tree has to say.
    """
    edges, problem, moves = forest.edges, desk.problem, move_count(rules)
    best = -OPEN
    for move in range(moves):
        proof = float(edges[tree, 0, PROOF, move])
        if edges[tree, 0, PRIOR, move] == NOT_TRIED:
            continue
        if proof != OPEN:
            best = max(best, proof)
            continue
        mover, occupied = forest.roots[tree, MOVER], forest.roots[tree, OCCUPIED]
        mover, occupied = play(mover, occupied, move_cell(rules, occupied, move))
        problem.movers[0], problem.occupied[0] = mover, occupied
        if solve(rules, problem, desk.stack, desk.table, True, False, True, desk.nodes) != SOLVED:
            return False
        edges[tree, 0, PROOF, move] = -worth_of(rules, puct, problem.low[0])
        return True
    edges[tree, 0, PROOF, moves] = best
    return True


@kernel
def descend_proving(
    rules: Rules, puct: Puct, forest: Forest, desk: Desk, first: int, stop: int
) -> int:
    """Walk trees to a leaf each that stays open; return how many are not done."""
    left = 0
    for tree in range(first, stop):
        spent = 0
        while forest.counts[tree, WAITING] == NOBODY and spent < desk.patience:
            if is_done(rules, forest, tree):
                break
            is_new = forest.counts[tree, DONE] == 0
            if is_new and _solve_next(rules, puct, forest, desk, tree):
                spent += desk.problem.nodes[0]
            elif descend_one(rules, puct, forest, tree):
                _decide(rules, puct, forest, desk, tree)
                spent += desk.problem.nodes[0]
        left += not is_done(rules, forest, tree)
    return left


class Prover:
    """Walks as `descend` does; so many nodes of exact search may decide a leaf."""

    def __init__(self, rules: Rules, nodes: int, patience: int = PATIENCE) -> None:
        def new_desk() -> Desk:
            table = new_transpositions(TABLE_MB)
            problem = new_problems(*np.zeros((2, 1), np.int64))
            return Desk(problem, new_stack(rules, table), table, nodes, patience)

        self._desks = Scratch(new_desk)

    def __call__(self, rules: Rules, puct: Puct, forest: Forest, first: int, stop: int) -> int:
        with self._desks.lent() as desk:
            return descend_proving(rules, puct, forest, desk, first, stop)
