"""One simulation of Monte Carlo tree search after another: select, expand, play out, back up.

One family of kernels for every variant: `Variant` says which. `search` runs simulations from a
position on the tree of that position.
"""

from typing import NamedTuple

from fourlab.core.bits import popcount, publish
from fourlab.core.jit import kernel
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import legal_cells, move_count, play, winning_cells
from fourlab.search import alphabeta
from fourlab.search.bounds import safe_replies
from fourlab.search.choices import nth_cell, playout
from fourlab.search.tree import (
    DRAW,
    LOSS,
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

QUICK_PLIES = 2  # of alpha-beta at a leaf that need no search
LEAF_NODES = 100_000  # of alpha-beta at a leaf at most: some milliseconds, whatever the board


class Variant(NamedTuple):
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


@kernel
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


@kernel
def _look_ahead(
    rules: Rules,
    tree: Tree,
    variant: Variant,
    work: alphabeta.Work | None,
    depth: int,
    mover: int,
    occupied: int,
) -> None:
    """Prove the node at the end of the path by a shallow search, if that can be.

    Without work space it looks two plies ahead, whatever the variant says.
    """
    value = _two_plies(rules, mover, occupied)
    if work is not None:  # noqa: SIM102  # alone, so that None removes the search when it compiles
        if value == 0:
            plies = variant.minimax
            value = alphabeta.search(
                rules, work, NO_WEIGHTS, True, mover, occupied, plies, LEAF_NODES
            )
    if abs(value) >= alphabeta.SURE:
        node = tree.paths[tree.thread, depth]
        tree.proven[node] = LOSS if value > 0 else WIN
        tree.plies[node] = alphabeta.WIN - abs(value) - popcount(occupied)
        if variant.selection.solver:
            settle(tree, depth - 1)


@kernel
def _two_plies(rules: Rules, mover: int, occupied: int) -> int:
    """Return what alpha-beta to two plies proves, or 0: four times as fast as asking it."""
    if winning_cells(rules, mover) & legal_cells(rules, occupied) != 0:
        return alphabeta.win_in(popcount(occupied) + 1)
    threats = winning_cells(rules, mover ^ occupied) & ~occupied
    if safe_replies(rules, occupied, threats) == 0:
        return -alphabeta.win_in(popcount(occupied) + 2)
    return 0


@kernel
def _evaluate(
    rules: Rules, tree: Tree, variant: Variant, depth: int, mover: int, occupied: int, state: int
) -> int:
    """Find a result for the node at the end of the path, proven or played out, and back it up."""
    node = tree.paths[tree.thread, depth]
    stones = popcount(occupied)
    if tree.proven[node] == UNPROVEN:
        seen, length, state = playout(rules, mover, occupied, variant.heavy, state)
        result = -seen
    else:
        result = 0 if tree.proven[node] == DRAW else int(tree.proven[node])
        length = int(tree.plies[node])
    late = (stones + length) / (rules.columns * rules.rows)
    worth = 1 - variant.graded * late
    for level in range(depth, -1, -1):
        reward = variant.draw
        if result > 0:
            reward = variant.win * worth
        elif result < 0:
            reward = variant.loss * worth
        record(tree, tree.paths[tree.thread, level], reward)
        result = -result
    return state


@kernel
def _try_children(
    rules: Rules, tree: Tree, variant: Variant, depth: int, mover: int, occupied: int, state: int
) -> tuple[int, int]:
    """Simulate every child of the new node at the end of the path; return how many, and state."""
    node = tree.paths[tree.thread, depth]
    cells = legal_cells(rules, occupied)
    for index in range(tree.children[node]):
        cell = cells & -cells
        cells ^= cell
        tree.paths[tree.thread, depth + 1] = tree.first_child[node] + index
        state = _evaluate(rules, tree, variant, depth + 1, *play(mover, occupied, cell), state)
    return int(tree.children[node]), state


@kernel
def _simulate(
    rules: Rules,
    tree: Tree,
    variant: Variant,
    work: alphabeta.Work | None,
    mover: int,
    occupied: int,
    state: int,
) -> tuple[int, int]:
    """Run one simulation, or one for every child; return how many, and the next dice state."""
    node, depth = 0, 0
    tree.paths[tree.thread, 0] = 0
    moves = move_count(rules)
    while tree.proven[node] == UNPROVEN:
        if tree.children[node] == 0:
            is_new = depth > 0 and tree.stats[node, VISITS] == 0
            if is_new and variant.minimax > 0:
                _look_ahead(rules, tree, variant, work, depth, mover, occupied)
            if is_new or depth >= variant.depth or not has_room(tree, moves):
                break
            _expand(rules, tree, node, mover, occupied)
            if variant.selection.solver:
                settle(tree, depth)
                if tree.proven[node] != UNPROVEN:
                    break
            if variant.all_children:
                return _try_children(rules, tree, variant, depth, mover, occupied, state)
        index, state = select(tree, variant.selection, node, depth, state)
        cell = nth_cell(legal_cells(rules, occupied), index)
        node = tree.first_child[node] + index
        mover, occupied = play(mover, occupied, cell)
        depth += 1
        tree.paths[tree.thread, depth] = node
    return 1, _evaluate(rules, tree, variant, depth, mover, occupied, state)


@kernel
def search(
    rules: Rules,
    tree: Tree,
    variant: Variant,
    work: alphabeta.Work | None,
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
        count, state = _simulate(rules, tree, variant, work, mover, occupied, state)
        done += count
    return done, state
