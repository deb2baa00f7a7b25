"""The search tree of MCTS as arrays: which child to follow, what came back, what is proven.

Node 0 is the root; the children of a node lie side by side, in the order of the legal cells of its
position, so that the tree holds no positions. Everything a node knows is seen by the side that
moved into it, the one that chooses it among its siblings.

Several threads may grow one tree. Each takes new nodes from a part of its own, children are shown
to others only when they are complete, and a child that another thread is just trying counts as
lost there until the result is known. Now and then a thread overwrites what another has just
recorded; a simulation is lost then, nothing else.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fourlab.core.arrays import Floats, Ints
from fourlab.core.dice import chance, roll
from fourlab.core.jit import kernel

NEXT, END = range(2)
VISITS, MEAN, SPREAD, DEVIATION = range(4)  # SPREAD is 1 / sqrt(visits), DEVIATION sums squares
UNPROVEN, WIN, LOSS, DRAW = 0, 1, -1, 2
UCT, UCB1, TUNED, PUCT = range(4)
UNTRIED = 1e9  # above every score of a child that was tried
# A search of 100,000 simulations runs 1.1 times as fast as with every logarithm computed.
LOGARITHMS = np.array([0.0, *(math.log(visits) for visits in range(1, 1024))])
ENOUGH_VISITS = 16  # before a child may be called hopeless
NODE_BYTES = 4 * 8 + 4 + 3


class Tree(NamedTuple):
    """A tree with room for as many nodes as its arrays are long, as one thread sees it."""

    stats: Floats  # [nodes, 4]
    first_child: npt.NDArray[np.int32]  # [nodes]
    children: npt.NDArray[np.int8]  # [nodes], 0 while it is a leaf
    proven: npt.NDArray[np.int8]  # [nodes]
    plies: npt.NDArray[np.int8]  # [nodes], to the end of the game where it is proven
    paths: Ints  # [threads, plies of a game], the nodes from the root to the leaf
    rooms: Ints  # [threads, 2], the next free node and the end of a thread's part
    thread: int  # whose path and room are used


class Selection(NamedTuple):
    """How a child is chosen."""

    formula: int
    exploration: float
    range: float  # between the best and the worst reward
    solver: bool  # whether what is proven is used
    prune: float  # children this many standard errors behind are hopeless; 0 keeps all


def new_tree(nodes: int, plies: int, threads: int = 1) -> Tree:
    """Return a root alone, with room for so many nodes in games of so many plies."""
    tree = Tree(
        stats=np.empty((nodes, 4)),
        first_child=np.empty(nodes, np.int32),
        children=np.empty(nodes, np.int8),
        proven=np.empty(nodes, np.int8),
        plies=np.empty(nodes, np.int8),
        paths=np.zeros((threads, plies + 2), np.int64),
        rooms=np.zeros((threads, 2), np.int64),
        thread=0,
    )
    plant(tree)
    return tree


@kernel
def plant(tree: Tree) -> None:
    """Make the tree a root alone."""
    tree.rooms[0, NEXT] = 0
    grow(tree, 1)
    divide(tree)


@kernel
def divide(tree: Tree) -> None:
    """Divide the free nodes, all those behind the last one in use, among the threads."""
    first, threads = int(tree.rooms[0, NEXT]), len(tree.rooms)
    free = len(tree.children) - first
    for thread in range(threads):
        tree.rooms[thread, NEXT] = first + free * thread // threads
        tree.rooms[thread, END] = first + free * (thread + 1) // threads
    tree.paths[:] = 0


@kernel
def has_room(tree: Tree, count: int) -> bool:
    """Return whether so many nodes can be added."""
    room = tree.rooms[tree.thread]
    return bool(room[NEXT] + count <= room[END])


@kernel
def grow(tree: Tree, count: int) -> int:
    """Add `count` fresh nodes side by side and return the first; the caller sees that they fit."""
    first = int(tree.rooms[tree.thread, NEXT])
    tree.rooms[tree.thread, NEXT] = first + count
    for node in range(first, first + count):
        tree.stats[node, VISITS] = 0.0
        tree.stats[node, MEAN] = 0.0
        tree.stats[node, SPREAD] = 0.0
        tree.stats[node, DEVIATION] = 0.0
        tree.children[node] = 0
        tree.proven[node] = UNPROVEN
        tree.plies[node] = 0
    return first


@kernel
def _width(selection: Selection, visits: float, children: int) -> float:
    """Return the factor of exploration that all children of a node share."""
    if selection.formula == PUCT:
        return selection.exploration * math.sqrt(visits) / children
    if visits < len(LOGARITHMS):
        logarithm = float(LOGARITHMS[int(visits)])
    else:
        logarithm = math.log(visits)
    if selection.formula == TUNED:
        return logarithm
    if selection.formula == UCB1:
        logarithm *= 2
    return selection.exploration * math.sqrt(logarithm)


@kernel
def _bonus(tree: Tree, selection: Selection, width: float, child: int) -> float:
    """Return what a child that was tried gets for being less known than others."""
    if selection.formula == UCT or selection.formula == UCB1:
        return width * float(tree.stats[child, SPREAD])
    visits = float(tree.stats[child, VISITS])
    if selection.formula == PUCT:
        return width / (1 + visits)
    variance = tree.stats[child, DEVIATION] / visits + math.sqrt(2 * width / visits)
    most = selection.range * selection.range / 4
    return selection.exploration * math.sqrt(width / visits * min(variance, most))


@kernel
def _floor(tree: Tree, selection: Selection, first: int, count: int) -> float:
    """Return the value that the best child surely has; children surely below it are hopeless."""
    floor = -UNTRIED
    error = selection.prune * selection.range / 2
    for child in range(first, first + count):
        if tree.stats[child, VISITS] >= ENOUGH_VISITS and tree.proven[child] != LOSS:
            floor = max(floor, tree.stats[child, MEAN] - error * tree.stats[child, SPREAD])
    return floor


@kernel
def _busy(tree: Tree, depth: int, child: int) -> int:
    """Return how many other threads are trying a child, or tried it last, at this depth."""
    busy = 0
    for thread in range(len(tree.paths)):
        busy += thread != tree.thread and tree.paths[thread, depth] == child
    return busy


@kernel
def select(tree: Tree, selection: Selection, node: int, depth: int, state: int) -> tuple[int, int]:
    """Return which child of a node at a depth to follow, counted from 0, and the next dice state.

    Children that were never tried come first, in random order.
    """
    first, count = tree.first_child[node], tree.children[node]
    width = _width(selection, tree.stats[node, VISITS], count)
    error = selection.prune * selection.range / 2
    floor = -UNTRIED
    if selection.prune > 0:
        floor = _floor(tree, selection, first, count)
    is_alone = len(tree.paths) == 1
    best, best_score = 0, -2 * UNTRIED
    for index in range(count):
        child = first + index
        if selection.solver and tree.proven[child] == LOSS:
            continue
        busy = 0 if is_alone else _busy(tree, depth + 1, child)
        if tree.stats[child, VISITS] == 0:
            state = roll(state)
            score = UNTRIED / (1 + busy) + chance(state)
        elif (
            selection.prune > 0
            and tree.stats[child, VISITS] >= ENOUGH_VISITS
            and tree.stats[child, MEAN] + error * tree.stats[child, SPREAD] < floor
        ):
            continue
        else:
            score = tree.stats[child, MEAN] + _bonus(tree, selection, width, child)
            if busy > 0:
                score -= busy * selection.range / (tree.stats[child, VISITS] + busy)
        if score > best_score:
            best, best_score = index, score
    return best, state


@kernel
def record(tree: Tree, node: int, reward: float) -> None:
    """Count one simulation through a node."""
    stats = tree.stats
    visits = stats[node, VISITS] + 1
    distance = reward - stats[node, MEAN]
    mean = stats[node, MEAN] + distance / visits
    stats[node, VISITS] = visits
    stats[node, MEAN] = mean
    stats[node, SPREAD] = 1 / math.sqrt(visits)
    stats[node, DEVIATION] += distance * (reward - mean)


@kernel
def verdict(tree: Tree, node: int) -> tuple[int, int]:
    """Return what the children prove of a node, and in how many plies the game then ends.

    A child that wins for the side to move is a loss for the side that moved into the node; a node
    is won only if every child is lost. Wins come as soon as is known, losses as late.
    """
    first = tree.first_child[node]
    soonest, latest = 127, 0
    has_win, has_draw, is_open = False, False, False
    for child in range(first, first + tree.children[node]):
        known = tree.proven[child]
        if known == WIN:
            has_win = True
            soonest = min(soonest, tree.plies[child])
        elif known == UNPROVEN:
            is_open = True
        else:
            has_draw |= known == DRAW
            latest = max(latest, tree.plies[child])
    if has_win:
        return LOSS, soonest + 1
    if is_open:
        return UNPROVEN, 0
    return (DRAW if has_draw else WIN), latest + 1


@kernel
def settle(tree: Tree, depth: int) -> None:
    """Carry what was proven up the path, from the node at this depth on."""
    while depth >= 0:
        node = tree.paths[tree.thread, depth]
        known, plies = verdict(tree, node)
        if known == UNPROVEN:
            return
        tree.proven[node] = known
        tree.plies[node] = plies
        depth -= 1


@kernel
def transplant(tree: Tree, root: int, target: Tree) -> None:
    """Copy the subtree below a node into another tree of the same size, breadth first."""
    target.rooms[0, NEXT] = 0
    _copy_node(tree, root, target, grow(target, 1))
    node = 0
    while node < target.rooms[0, NEXT]:
        count = int(target.children[node])
        if count > 0:
            source = target.first_child[node]
            first = grow(target, count)
            target.first_child[node] = first
            for index in range(count):
                _copy_node(tree, source + index, target, first + index)
        node += 1
    divide(target)


@kernel
def _copy_node(tree: Tree, node: int, target: Tree, place: int) -> None:
    """Copy one node; its first child still names a place in the old tree."""
    for field in range(4):
        target.stats[place, field] = tree.stats[node, field]
    target.first_child[place] = tree.first_child[node]
    target.children[place] = tree.children[node]
    target.proven[place] = tree.proven[node]
    target.plies[place] = tree.plies[node]
