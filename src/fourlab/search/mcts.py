"""Monte Carlo tree search: select, expand, play out, back up.

One family of kernels for every variant: `Settings` say which. `search` runs simulations from a
position on the tree of that position; `best_child` reads the answer.
"""

import functools
from collections.abc import Callable
from typing import NamedTuple

from fourlab.rules.bits import popcount, publish
from fourlab.rules.dice import below, roll
from fourlab.rules.enumeration import Boards
from fourlab.rules.geometry import Rules
from fourlab.rules.jit import body, kernel
from fourlab.rules.kernels import cell_move, legal_cells, winning_cells
from fourlab.search import alphabeta
from fourlab.search.choices import nth_cell, playout
from fourlab.search.tree import (
    DRAW,
    LOSS,
    MEAN,
    UNPROVEN,
    VISITS,
    WIN,
    Selection,
    Tree,
    grow,
    has_room,
    record,
    select,
    settle,
)
from fourlab.search.windows import NO_WEIGHTS

BY_VISITS, BY_SCORE, ROBUST = range(3)
ROBUST_SHARE = 0.5  # of the most visits: enough to be chosen by score


class Settings(NamedTuple):
    """Which variant of the search."""

    selection: Selection
    win: float
    draw: float
    loss: float
    graded: float  # share of a reward that is lost if the game ends with a full board
    all_children: bool  # play out every child of a new node at once
    depth: int  # of the tree at most
    heavy: bool  # playouts win or block where they can
    minimax: int  # plies of alpha-beta at a leaf
    final: int  # rule of the choice at the end


@body
def _expand(rules: Rules, tree: Tree, node: int, mover: int, occupied: int) -> None:
    """Give a leaf its children; those that end the game are proven at once."""
    cells = legal_cells(rules, occupied)
    count = popcount(cells)
    first = grow(tree, count)
    tree.first_child[node] = first
    wins = winning_cells(rules, mover)
    is_last = popcount(occupied) + 1 == rules.columns * rules.rows
    for child in range(first, first + count):
        cell = cells & -cells
        cells ^= cell
        if wins & cell != 0:
            tree.proven[child] = WIN
        elif is_last:
            tree.proven[child] = DRAW
    publish(tree.children, node, count)


@body
def _look_ahead(
    rules: Rules,
    tree: Tree,
    settings: Settings,
    work: alphabeta.Work,
    depth: int,
    mover: int,
    occupied: int,
) -> None:
    """Prove the node at the end of the path by a shallow search, if that can be."""
    value = alphabeta.search(rules, work, NO_WEIGHTS, True, mover, occupied, settings.minimax)
    if abs(value) >= alphabeta.SURE:
        node = tree.paths[tree.thread, depth]
        tree.proven[node] = LOSS if value > 0 else WIN
        tree.plies[node] = alphabeta.WIN - abs(value) - popcount(occupied)
        if settings.selection.solver:
            settle(tree, depth - 1)


@kernel
def _evaluate(
    rules: Rules, tree: Tree, settings: Settings, depth: int, mover: int, occupied: int, state: int
) -> int:
    """Find a result for the node at the end of the path, proven or played out, and back it up."""
    node = tree.paths[tree.thread, depth]
    stones = popcount(occupied)
    if tree.proven[node] == UNPROVEN:
        seen, length, state = playout(rules, mover, occupied, settings.heavy, state)
        result = -seen
    else:
        result = 0 if tree.proven[node] == DRAW else int(tree.proven[node])
        length = int(tree.plies[node])
    late = (stones + length) / (rules.columns * rules.rows)
    worth = 1 - settings.graded * late
    for level in range(depth, -1, -1):
        reward = settings.draw
        if result > 0:
            reward = settings.win * worth
        elif result < 0:
            reward = settings.loss * worth
        record(tree, tree.paths[tree.thread, level], reward)
        result = -result
    return state


@body
def _try_children(
    rules: Rules, tree: Tree, settings: Settings, depth: int, mover: int, occupied: int, state: int
) -> tuple[int, int]:
    """Simulate every child of the new node at the end of the path; return how many, and state."""
    node = tree.paths[tree.thread, depth]
    cells = legal_cells(rules, occupied)
    for index in range(tree.children[node]):
        cell = cells & -cells
        cells ^= cell
        tree.paths[tree.thread, depth + 1] = tree.first_child[node] + index
        state = _evaluate(
            rules, tree, settings, depth + 1, mover ^ occupied, occupied | cell, state
        )
    return int(tree.children[node]), state


@body
def _simulate(
    rules: Rules,
    tree: Tree,
    settings: Settings,
    work: alphabeta.Work,
    looks_ahead: bool,
    mover: int,
    occupied: int,
    state: int,
) -> tuple[int, int]:
    """Run one simulation, or one for every child; return how many, and the next dice state."""
    node, depth = 0, 0
    tree.paths[tree.thread, 0] = 0
    moves = rules.columns * (1 if rules.gravity else rules.rows)
    while tree.proven[node] == UNPROVEN:
        if tree.children[node] == 0:
            is_new = depth > 0 and tree.stats[node, VISITS] == 0
            if looks_ahead:  # noqa: SIM102  # alone, a constant removes what is below
                if is_new:
                    _look_ahead(rules, tree, settings, work, depth, mover, occupied)
            if is_new or depth >= settings.depth or not has_room(tree, moves):
                break
            _expand(rules, tree, node, mover, occupied)
            if settings.selection.solver:
                settle(tree, depth)
                if tree.proven[node] != UNPROVEN:
                    break
            if settings.all_children:
                return _try_children(rules, tree, settings, depth, mover, occupied, state)
        index, state = select(tree, settings.selection, node, depth, state)
        cell = nth_cell(legal_cells(rules, occupied), index)
        node = tree.first_child[node] + index
        mover, occupied = mover ^ occupied, occupied | cell
        depth += 1
        tree.paths[tree.thread, depth] = node
    return 1, _evaluate(rules, tree, settings, depth, mover, occupied, state)


@body
def search(
    rules: Rules,
    tree: Tree,
    settings: Settings,
    work: alphabeta.Work,
    looks_ahead: bool,
    mover: int,
    occupied: int,
    simulations: int,
    state: int,
) -> tuple[int, int]:
    """Run simulations from the position of the root; return how many, and the next dice state.

    It stops early once the root is proven. When the arrays of the tree are full it grows no more
    and simulations start from its leaves.
    """
    done = 0
    while done < simulations and tree.proven[0] == UNPROVEN:
        count, state = _simulate(rules, tree, settings, work, looks_ahead, mover, occupied, state)
        done += count
    return done, state


Search = Callable[..., tuple[int, int]]


@functools.cache
def search_on(rules: Rules, looks_ahead: bool) -> Search:
    """Return `search` for one board, with the geometry known to the compiler."""

    @kernel
    def search_here(
        tree: Tree,
        settings: Settings,
        work: alphabeta.Work,
        mover: int,
        occupied: int,
        simulations: int,
        state: int,
    ) -> tuple[int, int]:
        return search(rules, tree, settings, work, looks_ahead, mover, occupied, simulations, state)

    return search_here


@kernel
def _merit(tree: Tree, settings: Settings, child: int, most: float) -> float:
    """Return what speaks for a move at the end: proof first, then the rule of the settings."""
    if tree.proven[child] == WIN:
        return 1e12 - float(tree.plies[child])
    if tree.proven[child] == LOSS:
        return float(tree.plies[child]) - 1e12
    visits, mean = float(tree.stats[child, VISITS]), float(tree.stats[child, MEAN])
    if settings.final == BY_VISITS:
        return visits
    if visits == 0 or (settings.final == ROBUST and visits < ROBUST_SHARE * most):
        return -1e9 + visits
    return mean


@kernel
def best_child(tree: Tree, settings: Settings, node: int, state: int) -> tuple[int, int]:
    """Return which child of a node to play, counted from 0 and random among equals, and state."""
    first = tree.first_child[node]
    most = 0.0
    for child in range(first, first + tree.children[node]):
        if tree.proven[child] != LOSS:
            most = max(most, tree.stats[child, VISITS])
    best, best_merit, equals = 0, -2e12, 1
    for index in range(tree.children[node]):
        merit = _merit(tree, settings, first + index, most)
        if merit > best_merit:
            best, best_merit, equals = index, merit, 1
        elif merit == best_merit:
            equals += 1
            state = roll(state)
            if below(state, equals) == 0:
                best = index
    return best, state


@kernel
def value_of(tree: Tree, settings: Settings, node: int) -> float:
    """Return what a node is worth to the side that moved into it: exactly where it is proven."""
    known = tree.proven[node]
    if known == WIN:
        return settings.win
    if known == LOSS:
        return settings.loss
    if known == DRAW:
        return settings.draw
    return float(tree.stats[node, MEAN])


@kernel
def principal_line(
    rules: Rules, tree: Tree, settings: Settings, occupied: int, index: int, moves: Boards
) -> int:
    """Write the moves that the search expects, the child `index` first; return how many."""
    node, count = 0, 0
    while tree.children[node] > 0:
        if count > 0:
            index, _ = best_child(tree, settings, node, 0)
        cell = nth_cell(legal_cells(rules, occupied), index)
        node = tree.first_child[node] + index
        if count > 0 and tree.stats[node, VISITS] == 0 and tree.proven[node] == UNPROVEN:
            break
        moves[count] = cell_move(rules, cell)
        count += 1
        occupied |= cell
    return count
