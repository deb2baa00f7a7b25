"""Whether what a checkpoint says of games under way can be: compiled code goes by it unasked."""

import math

import numpy as np

from fourlab.core.arrays import Array, Bytes, Ints
from fourlab.core.bits import popcount
from fourlab.core.jit import kernel
from fourlab.core.storage import StorageError
from fourlab.learning.networks import lanes as rows
from fourlab.learning.networks import lessons
from fourlab.learning.networks.lanes import NOBODY, PLAYING
from fourlab.learning.networks.replay import Replay
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import has_line, is_full, move_cell, move_count, play
from fourlab.search.puct import (
    CHILD,
    DEPTH,
    MOVE,
    MOVER,
    NODE,
    NODES,
    NOT_TRIED,
    OCCUPIED,
    PRIOR,
    PROOF,
    TOTAL,
    VISITS,
    WAITING,
    Forest,
)

MOST = 1 << 63  # what a kernel takes for a count


def _inside(array: Array, low: int, high: int) -> bool:
    return bool(((array >= low) & (array <= high)).all())


@kernel
def _are_possible(rules: Rules, movers: Ints, occupied: Ints) -> bool:
    """Return whether all stones lie on the board, and on each other where they fall."""
    for row in range(len(movers)):
        stones = occupied[row]
        if movers[row] & ~stones != 0 or stones & ~rules.board != 0:
            return False
        if rules.gravity and (stones + rules.bottom) & stones != 0:
            return False
    return True


def are_boards(rules: Rules, boards: Array) -> bool:
    """Return whether whole numbers [..., 2] are boards."""
    return boards.dtype == np.int64 and bool(
        _are_possible(rules, boards[..., MOVER].ravel(), boards[..., OCCUPIED].ravel())
    )


def counted(value: float, most: float = MOST) -> float:
    """Return a count of a checkpoint that is less than `most`; raises ValueError if it is none."""
    if not 0 <= value < most:
        raise ValueError(f"{value!r:.40} is no count")
    return value


def check_starts(rules: Rules, starts: Array) -> None:
    """Raise StorageError unless games can begin at these boards, [positions, 2]."""
    if starts.ndim != 2 or starts.shape[1] != 2 or not are_boards(rules, starts):
        raise StorageError("its starts cannot be")


@kernel
def _go_on(rules: Rules, games: rows.Lanes) -> bool:
    """Return whether games are under way only where they are not over, with room for the rest."""
    for lane in range(len(games.numbers)):
        mover, occupied = games.movers[lane], games.occupied[lane]
        if not 0 <= games.lengths[lane] <= popcount(occupied):
            return False
        is_over = is_full(rules, occupied) or has_line(rules, mover ^ occupied)
        if is_over and games.numbers[lane] != NOBODY and games.phases[lane] == PLAYING:
            return False
    return True


def check_lanes(rules: Rules, games: rows.Lanes, begun: int) -> None:
    """Raise StorageError unless these can be games of `deep-q`."""
    pairs = (
        (games.movers, games.occupied),
        (games.seen_movers, games.seen_occupied),
        (games.after_movers, games.after_occupied),
    )
    fits = (
        all(_are_possible(rules, movers.ravel(), occupied.ravel()) for movers, occupied in pairs)
        and _inside(games.numbers, NOBODY, begun - 1)
        and _inside(games.phases, 0, 1)
        and _inside(games.results, -1, 1)
        and bool(np.isfinite(games.worths).all())
        and _go_on(rules, games)
    )
    if not fits:
        raise StorageError("its games cannot be")


def check_memory(rules: Rules, memory: Replay) -> None:
    """Raise StorageError unless this can be the memory of `deep-q`."""
    held = memory.rows.take(slice(len(memory)))
    weights = memory.tree[len(memory.tree) // 2 :]
    numbers = (held.rewards, held.factors, weights, np.array(memory.largest))
    fits = (
        _are_possible(rules, held.movers, held.occupied)
        and _are_possible(rules, held.next_movers, held.next_occupied)
        and all(np.isfinite(array).all() for array in numbers)
        and bool((weights >= 0).all())
        and (memory.exponent == 0 or len(memory) == 0 or bool(weights[: len(memory)].all()))
    )
    if not fits:
        raise StorageError("its memory cannot be")


def check_lessons(rules: Rules, kept: dict[str, Array], made: int) -> None:
    """Raise StorageError unless these can be the lessons that `zero` learns from."""
    boards, policies, values = (kept[name] for name in ("boards", "policies", "values"))
    fits = (
        boards.shape == (len(values), 2)
        and policies.shape == (len(values), rules.move_count)
        and values.ndim == 1
        and len(values) <= made
        and are_boards(rules, boards)
        and all(part.dtype == np.float32 and np.isfinite(part).all() for part in (policies, values))
    )
    if not fits:
        raise StorageError("its lessons cannot be")


@kernel
def _trees_fit(rules: Rules, forest: Forest, boards: Ints, reached: Bytes) -> bool:
    """Return whether every tree can have grown from its root: no walk leaves it, or the board."""
    edges, counts, moves = forest.edges, forest.counts, move_count(rules)
    for tree in range(len(counts)):
        nodes, waiting, depth = counts[tree, NODES], counts[tree, WAITING], counts[tree, DEPTH]
        if not (0 <= nodes <= edges.shape[1] and 0 <= depth < forest.paths.shape[1]):
            return False
        if not -1 <= waiting < max(nodes, 1):
            return False
        for step in range(depth):
            node, move = forest.paths[tree, step, NODE], forest.paths[tree, step, MOVE]
            if not (0 <= node < nodes and 0 <= move < moves):
                return False
        reached[:] = 0
        reached[0] = 1
        boards[0, MOVER], boards[0, OCCUPIED] = forest.roots[tree]
        for node in range(nodes):
            if reached[node] == 0:
                return False
            if node != waiting and not _node_fits(rules, forest, tree, node, boards, reached):
                return False
    return True


@kernel
def _node_fits(
    rules: Rules, forest: Forest, tree: int, node: int, boards: Ints, reached: Bytes
) -> bool:
    """Return whether a node tries legal moves alone, and leads to nodes that came after it."""
    mover, occupied = boards[node, MOVER], boards[node, OCCUPIED]
    table, tried = forest.edges[tree, node], 0
    for field in (VISITS, TOTAL, PRIOR, PROOF):
        for move in range(table.shape[1]):
            if not math.isfinite(table[field, move]):
                return False
    for move in range(move_count(rules)):
        child, cell = table[CHILD, move], move_cell(rules, occupied, move)
        if table[PRIOR, move] == NOT_TRIED:
            if child != 0:
                return False
            continue
        tried += 1
        if cell == 0:
            return False
        if child != 0:
            if not (node < child < forest.counts[tree, NODES] and child == int(child)):
                return False
            boards[int(child), MOVER], boards[int(child), OCCUPIED] = play(mover, occupied, cell)
            reached[int(child)] = 1
    return tried > 0


def check_trees(rules: Rules, forest: Forest, games: lessons.Lanes) -> None:
    """Raise StorageError unless these can be the trees and the games of `zero`."""
    nodes, marks = forest.edges.shape[1], games.marks
    stones = np.bitwise_count(forest.roots[:, OCCUPIED])
    taught = marks[:, lessons.LESSONS]
    numbers = (forest.priors, games.policies, games.values, games.drafts)
    fits = (
        all(are_boards(rules, boards) for boards in (forest.roots, forest.leaves, games.boards))
        and all(np.isfinite(array).all() for array in numbers)
        and bool(((taught >= 0) & (taught <= stones + 1)).all())
        and bool(((marks[:, lessons.UNTOLD] >= 0) & (marks[:, lessons.UNTOLD] <= taught)).all())
        and _inside(marks[:, lessons.START], 0, rules.cells)
        and _inside(marks[:, lessons.WEAK], -1, 1)
        and bool((marks[:, lessons.GAME] >= 0).all())
        and _trees_fit(rules, forest, np.zeros((nodes, 2), np.int64), np.zeros(nodes, np.uint8))
    )
    if not fits:
        raise StorageError("its games cannot be")
