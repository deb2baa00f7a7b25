"""A forest of search trees that grow side by side: one leaf a tree, one batch for the evaluator.

`plant` sets the roots; then `descend` walks every tree to a leaf, the caller evaluates the leaves
that wait, and `absorb` hands the answers back, until nobody waits. `grow` is that loop.

A tree is nobody's but its own: what happens in it depends on its root and its answers, not on the
trees beside it or on the thread that serves it.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fourlab.core.arrays import Array, Floats, Ints
from fourlab.core.bits import popcount
from fourlab.core.jit import kernel
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.core.team import ALONE, Team
from fourlab.rules.boards import Boards
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import legal_cells, move_count
from fourlab.search.puct import (
    CHILD,
    MOVER,
    NO_CHILD,
    NOBODY,
    NOT_TRIED,
    OCCUPIED,
    OPEN,
    PRIOR,
    PROOF,
    TOTAL,
    VISITS,
    WAITING,
    Forest,
    Puct,
    Reals,
    absorb_one,
    descend_one,
    is_done,
    new_forest,
    plant_one,
    tries_move,
    worth_of,
)
from fourlab.search.scores import win_score

Evaluator = Callable[[Boards], tuple[Array, Array]]  # priors [boards, moves], values [boards]
Walk = Callable[[Rules, Puct, Forest, int, int], int]  # `descend`, or `proving.Prover`

__all__ = ["Evaluator", "Forest", "Puct", "Told", "absorb", "choices", "descend", "grow"]
__all__ += ["line", "new_forest", "plant", "search", "tell"]

UNLIKELY = 1e-6  # added to a prior before its logarithm is taken


class Told(NamedTuple):
    """What the trees say of their roots, seen by the side to move."""

    moves: Ints  # [trees], the move to play
    policies: Reals  # [trees, moves], priors improved by what the search found
    values: Floats  # [trees, moves], nan where a move is illegal or was never tried
    visits: Ints  # [trees, moves]
    proofs: Floats  # [trees, moves], what a move is proven to be worth, nan where it is not
    worths: Floats  # [trees], of the root


@kernel
def plant(
    rules: Rules, puct: Puct, forest: Forest, boards: Ints, sims: int, first: int, stop: int
) -> None:
    """Plant trees `first` to `stop` at boards [trees, 2], each to have so many simulations."""
    for tree in range(first, stop):
        mover, occupied = boards[tree, MOVER], boards[tree, OCCUPIED]
        plant_one(rules, puct, forest, tree, mover, occupied, sims)


@kernel
def descend(rules: Rules, puct: Puct, forest: Forest, first: int, stop: int) -> int:
    """Walk trees `first` to `stop` to a leaf each unless they are done; return how many wait."""
    waiting = 0
    for tree in range(first, stop):
        while forest.counts[tree, WAITING] == NOBODY and not is_done(rules, forest, tree):
            descend_one(rules, puct, forest, tree)
        waiting += forest.counts[tree, WAITING] != NOBODY
    return waiting


@kernel
def absorb(rules: Rules, forest: Forest, answers: Reals, first: int, stop: int) -> None:
    """Take the answers [trees, moves + 1] to trees `first` to `stop`; the value stands last."""
    for tree in range(first, stop):
        absorb_one(rules, forest, tree, answers)


@kernel
def value_of(forest: Forest, tree: int, move: int, otherwise: float) -> float:
    """Return what a move of the root is worth: proven, or found, or else as is said."""
    proof = float(forest.edges[tree, 0, PROOF, move])
    if proof != OPEN:
        return proof
    visits = float(forest.edges[tree, 0, VISITS, move])
    return float(forest.edges[tree, 0, TOTAL, move]) / visits if visits > 0.0 else otherwise


@kernel
def _mixed_value(rules: Rules, forest: Forest, tree: int) -> float:
    """Return what a move that was never tried counts as: the root as given and as found so far."""
    moves = move_count(rules)
    weight, weighted, visits = 0.0, 0.0, 0.0
    for move in range(moves):
        if forest.edges[tree, 0, PRIOR, move] == NOT_TRIED:
            continue
        visits += float(forest.edges[tree, 0, VISITS, move])
        value = value_of(forest, tree, move, OPEN)
        if value != OPEN:
            weight += float(forest.priors[tree, move])
            weighted += float(forest.priors[tree, move]) * value
    given = float(forest.edges[tree, 0, PRIOR, moves])
    return (given + visits * (weighted / weight if weight > 0.0 else given)) / (1.0 + visits)


@kernel
def improve(rules: Rules, puct: Puct, forest: Forest, tree: int, policies: Reals) -> None:
    """Write the improved policy: softmax of log prior + scale (base + most visits) value."""
    moves = move_count(rules)
    most = 0.0
    for move in range(moves):
        most = max(most, float(forest.edges[tree, 0, VISITS, move]))
    scale = puct.scale * (puct.base + most)
    mixed = _mixed_value(rules, forest, tree)
    top = -1e9
    for move in range(moves):
        policies[tree, move] = -1e9
        if forest.edges[tree, 0, PRIOR, move] != NOT_TRIED:
            prior = math.log(float(forest.priors[tree, move]) + UNLIKELY)
            policies[tree, move] = prior + scale * value_of(forest, tree, move, mixed)
            top = max(top, float(policies[tree, move]))
    total = 0.0
    for move in range(moves):
        policies[tree, move] = math.exp(float(policies[tree, move]) - top)
        total += float(policies[tree, move])
    for move in range(moves):
        policies[tree, move] = float(policies[tree, move]) / total


@kernel
def root_value(rules: Rules, forest: Forest, tree: int, policies: Reals) -> float:
    """Return what the root is worth: proven, or what the improved policy would come to.

    The mean of all that was found is lower, the more so the more was tried for the sake of
    looking: by 0.02 in openings of 7x6 with noise, and its error is 8% larger.
    """
    moves = move_count(rules)
    proof = float(forest.edges[tree, 0, PROOF, moves])
    if proof != OPEN:
        return proof
    mixed, worth = _mixed_value(rules, forest, tree), 0.0
    for move in range(moves):
        if forest.edges[tree, 0, PRIOR, move] != NOT_TRIED:
            worth += float(policies[tree, move]) * value_of(forest, tree, move, mixed)
    return worth


@kernel
def best_move(rules: Rules, forest: Forest, tree: int, policies: Reals) -> int:
    """Return the move to play: what is proven to win soonest, else what is likeliest.

    A move that is proven lost comes last, the soonest loss of all.
    """
    best, best_merit = -1, -1e9
    for move in range(move_count(rules)):
        if forest.edges[tree, 0, PRIOR, move] == NOT_TRIED:
            continue
        proof = float(forest.edges[tree, 0, PROOF, move])
        merit = float(policies[tree, move])
        if proof != OPEN and proof != 0.0:
            merit += 100.0 * proof
        if merit > best_merit:
            best, best_merit = move, merit
    return best


@kernel
def choices(
    rules: Rules, puct: Puct, forest: Forest, policies: Reals, moves: Ints, first: int, stop: int
) -> None:
    """Write the improved policies of trees `first` to `stop`, and the moves to play."""
    for tree in range(first, stop):
        improve(rules, puct, forest, tree, policies)
        moves[tree] = best_move(rules, forest, tree, policies)


@kernel
def _read(
    rules: Rules,
    puct: Puct,
    forest: Forest,
    policies: Reals,
    values: Floats,
    proofs: Floats,
    worths: Floats,
) -> None:
    """Write what is known of every move of the roots; `values` and `proofs` are full of nan."""
    for tree in range(len(worths)):
        worths[tree] = root_value(rules, forest, tree, policies)
        occupied = forest.roots[tree, OCCUPIED]
        legal = legal_cells(rules, occupied)
        at_once = worth_of(rules, puct, -win_score(rules, popcount(occupied) + 1))
        won = worths[tree] > 0.0 and forest.edges[tree, 0, PROOF, move_count(rules)] != OPEN
        for move in range(move_count(rules)):
            if forest.edges[tree, 0, PRIOR, move] != NOT_TRIED:
                values[tree, move] = value_of(forest, tree, move, np.nan)
                if forest.edges[tree, 0, PROOF, move] != OPEN:
                    proofs[tree, move] = forest.edges[tree, 0, PROOF, move]
            elif tries_move(rules, legal, move) and not won:
                values[tree, move] = at_once
                proofs[tree, move] = at_once


@kernel
def line(rules: Rules, forest: Forest, tree: int, first_move: int, moves: Ints) -> int:
    """Write the moves that a tree expects after and with the first one; return how many."""
    node, count, move = 0, 0, first_move
    while count < len(moves):
        moves[count] = move
        count += 1
        node = int(forest.edges[tree, node, CHILD, move])
        if node == NO_CHILD or forest.edges[tree, node, VISITS, move_count(rules)] < 2.0:
            break
        most = 0.0
        for other in range(move_count(rules)):
            if forest.edges[tree, node, VISITS, other] > most:
                move, most = other, float(forest.edges[tree, node, VISITS, other])
        if most == 0.0:
            break
    return count


def grow(
    rules: Rules,
    puct: Puct,
    forest: Forest,
    evaluate: Evaluator,
    limit: Limit = NO_LIMIT,
    team: Team = ALONE,
    walk: Walk = descend,
) -> None:
    """Let planted trees have their simulations; the evaluator sees those leaves alone that wait."""
    watch = limit.watch()
    trees, answers = len(forest.counts), new_answers(rules, len(forest.counts))
    nothing = np.zeros((trees, 0), np.uint8)
    while True:
        waits = forest.counts[:, WAITING] != NOBODY
        if waits.any():
            leaves = forest.leaves[waits]
            rows = Boards(leaves[:, MOVER].copy(), leaves[:, OCCUPIED].copy(), nothing[waits])
            answers[waits, :-1], answers[waits, -1] = evaluate(rows)
            team.share(lambda first, stop: absorb(rules, forest, answers, first, stop), trees)
        if limit.stop() or watch.left <= 0:
            return
        counts = team.share(lambda first, stop: walk(rules, puct, forest, first, stop), trees)
        if sum(counts) == 0:
            return


def new_answers(rules: Rules, trees: int) -> Reals:
    """Return room for the answers to the leaves of so many trees."""
    return np.zeros((trees, rules.move_count + 1), np.float32)


def tell(rules: Rules, puct: Puct, forest: Forest) -> Told:
    """Return what the trees say of their roots."""
    trees, moves = forest.priors.shape
    told = Told(
        moves=np.zeros(trees, np.int64),
        policies=np.zeros((trees, moves), np.float32),
        values=np.full((trees, moves), np.nan),
        visits=forest.edges[:, 0, VISITS, :moves].astype(np.int64),
        proofs=np.full((trees, moves), np.nan),
        worths=np.zeros(trees),
    )
    choices(rules, puct, forest, told.policies, told.moves, 0, trees)
    _read(rules, puct, forest, told.policies, told.values, told.proofs, told.worths)
    return told


def search(
    rules: Rules,
    evaluate: Evaluator,
    boards: Boards,
    sims: int,
    puct: Puct | None = None,
    limit: Limit = NO_LIMIT,
    team: Team = ALONE,
) -> Told:
    """Search positions in progress with so many simulations each, side by side.

    With none at all the evaluator's own policy decides, after the rules.
    """
    puct = puct or Puct()
    forest = new_forest(rules, len(boards.movers), nodes_for(sims))
    roots = np.stack([boards.movers, boards.occupied], axis=1)
    plant(rules, puct, forest, roots, sims, 0, len(roots))
    grow(rules, puct, forest, evaluate, limit, team)
    return tell(rules, puct, forest)


def nodes_for(sims: int) -> int:
    """Return the nodes of a tree of so many simulations, with room for forced moves."""
    return sims + sims // 2 + 4
