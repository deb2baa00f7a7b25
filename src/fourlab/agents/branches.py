"""Search trees seen from outside: as branches to be drawn, and a position found in one."""

from __future__ import annotations

from dataclasses import dataclass

from fourlab.rules.kernels import cell_move, legal_cells, play
from fourlab.rules.position import Position
from fourlab.search.choices import nth_cell
from fourlab.search.mcts import value_of
from fourlab.search.simulation import Variant
from fourlab.search.tree import UNPROVEN, VISITS, Tree

KEPT_PLIES = 4  # how far behind a kept tree may be: both sides' moves, and one undo each


@dataclass(frozen=True)
class Branch:
    """A node of a tree, ready to be drawn; `value` is seen by the side that played `move`."""

    move: int | None  # None at the root
    visits: int
    value: float
    proven: bool
    children: tuple[Branch, ...]


def branch_of(tree: Tree, variant: Variant, root: Position, depth: int) -> Branch:
    """Return the tree of a position down to a depth."""

    def at(node: int, move: int | None, occupied: int, depth: int) -> Branch:
        cells = legal_cells(root.rules, occupied)
        children = []
        for index in range(int(tree.children[node]) if depth > 0 else 0):
            cell = nth_cell(cells, index)
            child = int(tree.first_child[node]) + index
            reached = cell_move(root.rules, cell)
            children.append(at(child, reached, occupied | cell, depth - 1))
        return Branch(
            move=move,
            visits=int(tree.stats[node, VISITS]),
            value=float(value_of(tree, variant, node)),
            proven=bool(tree.proven[node] != UNPROVEN),
            children=tuple(children),
        )

    return at(0, None, root.occupied, depth)


def find(tree: Tree, root: Position, target: Position) -> int | None:
    """Return the node of a position in the tree of another, or None: it is looked up by board."""
    if root.rules != target.rules or root.occupied & ~target.occupied:
        return None
    if target.ply - root.ply > KEPT_PLIES:
        return None
    return _find(tree, 0, root.mover, root.occupied, target)


def _find(tree: Tree, node: int, mover: int, occupied: int, target: Position) -> int | None:
    if occupied == target.occupied:
        return node if mover == target.mover else None
    cells = legal_cells(target.rules, occupied)
    for index in range(int(tree.children[node])):
        cell = nth_cell(cells, index)
        if cell & target.occupied:
            child = int(tree.first_child[node]) + index
            found = _find(tree, child, *play(mover, occupied, cell), target)
            if found is not None:
                return found
    return None
