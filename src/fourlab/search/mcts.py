"""Deciding by Monte Carlo tree search, for one position or many, in one kernel.

`search_rows` grows a tree for each position (`simulation.py`), `best_child` reads the move from it.
"""

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fourlab.core.arrays import Floats, Ints
from fourlab.core.dice import below, roll, seeded
from fourlab.core.jit import kernel
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import cell_move, legal_cells
from fourlab.search import alphabeta
from fourlab.search.choices import nth_cell, random_legal_cell
from fourlab.search.simulation import Variant, search
from fourlab.search.tree import DRAW, LOSS, MEAN, UNPROVEN, VISITS, WIN, Tree, plant

BY_VISITS, BY_SCORE, ROBUST = range(3)
ROBUST_SHARE = 0.5  # of the most visits: enough to be chosen by score
DONE, LINE = range(2)  # indices of `Told.counts`


class Told(NamedTuple):
    """What a search tells of its root, entries by move; without a line it tells nothing."""

    values: Floats  # [moves], mean reward
    visits: Floats  # [moves]
    proven: Ints  # [moves]
    line: Ints  # [cells + 1 or 0]
    counts: Ints  # [2], simulations DONE, moves of the LINE


def new_told(rules: Rules, in_full: bool) -> Told:
    """Return room for what a search tells."""
    moves = rules.move_count
    return Told(
        values=np.full(moves, np.nan),
        visits=np.zeros(moves),
        proven=np.zeros(moves, np.int64),
        line=np.zeros(rules.cells + 1 if in_full else 0, np.int64),
        counts=np.zeros(2, np.int64),
    )


@kernel
def _merit(tree: Tree, variant: Variant, child: int, most: float) -> float:
    """Return what speaks for a move at the end: proof first, then the rule of the variant."""
    if tree.proven[child] == WIN:
        return 1e12 - float(tree.plies[child])
    if tree.proven[child] == LOSS:
        return float(tree.plies[child]) - 1e12
    visits, mean = float(tree.stats[child, VISITS]), float(tree.stats[child, MEAN])
    if variant.final == BY_VISITS:
        return visits
    if visits == 0 or (variant.final == ROBUST and visits < ROBUST_SHARE * most):
        return -1e9 + visits
    return mean


@kernel
def best_child(tree: Tree, variant: Variant, node: int, state: int) -> tuple[int, int]:
    """Return which child of a node to play, counted from 0 and random among equals, and state."""
    first = tree.first_child[node]
    most = 0.0
    for child in range(first, first + tree.children[node]):
        if tree.proven[child] != LOSS:
            most = max(most, tree.stats[child, VISITS])
    best, best_merit, equals = 0, -2e12, 1
    for index in range(tree.children[node]):
        merit = _merit(tree, variant, first + index, most)
        if merit > best_merit:
            best, best_merit, equals = index, merit, 1
        elif merit == best_merit:
            equals += 1
            state = roll(state)
            if below(state, equals) == 0:
                best = index
    return best, state


@kernel
def value_of(tree: Tree, variant: Variant, node: int) -> float:
    """Return what a node is worth to the side that moved into it: exactly where it is proven."""
    known = tree.proven[node]
    if known == WIN:
        return variant.win
    if known == LOSS:
        return variant.loss
    if known == DRAW:
        return variant.draw
    return float(tree.stats[node, MEAN])


@kernel
def _report(
    rules: Rules, tree: Tree, variant: Variant, occupied: int, index: int, told: Told
) -> None:
    """Write what the tree says of the moves of its root, and the line that it expects."""
    cells = legal_cells(rules, occupied)
    first = tree.first_child[0]
    for child in range(tree.children[0]):
        move = cell_move(rules, cells & -cells)
        cells &= cells - 1
        told.visits[move] = tree.stats[first + child, VISITS]
        told.values[move] = value_of(tree, variant, first + child)
        told.proven[move] = tree.proven[first + child]
    node, count = 0, 0
    while tree.children[node] > 0:
        if count > 0:
            index, _ = best_child(tree, variant, node, 0)
        cell = nth_cell(legal_cells(rules, occupied), index)
        node = tree.first_child[node] + index
        if count > 0 and tree.stats[node, VISITS] == 0 and tree.proven[node] == UNPROVEN:
            break
        told.line[count] = cell_move(rules, cell)
        count += 1
        occupied |= cell
    told.counts[LINE] = count


@kernel
def search_rows(
    rules: Rules,
    tree: Tree,
    variant: Variant,
    work: alphabeta.Work | None,
    movers: Ints,
    occupied: Ints,
    simulations: int,
    fresh: bool,
    states: Ints,
    moves: Ints,
    told: Told,
) -> None:
    """Write the move of each row after so many simulations, and the next state of its dice.

    `fresh` begins each row with a root alone and a state that is a seed; else the tree is that of
    the only row. With no simulations at all any move is as good. `told` tells of the last row.
    """
    for row in range(len(movers)):
        if fresh:
            plant(tree)
            told.counts[DONE] = 0
            states[row] = seeded(states[row])
        mover, board = movers[row], occupied[row]
        done, states[row] = search(
            rules, tree, variant, work, mover, board, simulations, states[row]
        )
        told.counts[DONE] += done
        if tree.children[0] == 0:
            moves[row] = cell_move(rules, random_legal_cell(rules, board, states[row])[0])
            continue
        index, _ = best_child(tree, variant, 0, states[row])
        moves[row] = cell_move(rules, nth_cell(legal_cells(rules, board), index))
        if len(told.line) > 0:
            _report(rules, tree, variant, board, index, told)


Search = Callable[..., None]


@functools.cache
def searcher(rules: Rules | None) -> Search:
    """Return the kernel of `search_rows`; for one board, with the geometry known to the compiler.

    That runs 1.5 times as fast and compiles for that board alone.
    """

    @kernel
    def search_here(
        board: Rules,
        tree: Tree,
        variant: Variant,
        work: alphabeta.Work | None,
        movers: Ints,
        occupied: Ints,
        simulations: int,
        fresh: bool,
        states: Ints,
        moves: Ints,
        told: Told,
    ) -> None:
        search_rows(
            board if rules is None else rules,
            tree,
            variant,
            work,
            movers,
            occupied,
            simulations,
            fresh,
            states,
            moves,
            told,
        )

    return search_here
