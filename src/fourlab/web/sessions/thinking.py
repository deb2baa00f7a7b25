"""What agents think of a position: a search tree, two agents side by side, a map of the cells."""

from __future__ import annotations

from typing import Any

import numpy as np

from fourlab.agents.base import Agent, Decision
from fourlab.agents.branches import Branch
from fourlab.agents.mcts import Thought
from fourlab.positions.walks import wander
from fourlab.rules.formats import row_cells
from fourlab.rules.position import Outcome, Position
from fourlab.web.words import opponent_of

WIDTHS = (7, 3, 2)  # children shown at each level, unless a visitor asks for all
WORTH_SHOWING = 0.025  # share of all visits below which a deeper node waits to be asked for
DEEPEST = 8
PLAYOUTS = 300
MOST_NODES = 160  # that a browser draws smoothly


def tree_view(thought: Thought, expanded: set[tuple[int, ...]]) -> dict[str, Any]:
    """Return the tree of a thought, cut to what can be seen."""
    deepest = max((len(path) for path in expanded), default=0)
    depth = min(DEEPEST, max(len(WIDTHS), deepest + 1))
    root = thought.branch(depth)
    return _Cut(expanded, int(root.visits * WORTH_SHOWING)).node(root, ())


def guesses_of(thought: Thought) -> dict[int, float]:
    """Return the share that each move wins, as far as the search tried it."""
    return {_move(child): _share(child) for child in thought.branch(1).children if child.visits}


class _Cut:
    """Cuts a tree to what is worth showing and can be drawn."""

    def __init__(self, expanded: set[tuple[int, ...]], least: int) -> None:
        self.expanded = expanded
        self.least = least
        self.room = MOST_NODES

    def node(self, branch: Branch, path: tuple[int, ...]) -> dict[str, Any]:
        """Return a node and those below it that are shown."""
        visited = sorted((c for c in branch.children if c.visits), key=lambda child: -child.visits)
        shown = visited if path in self.expanded else self.usual(visited, len(path))
        shown = shown[: max(0, self.room)]
        self.room -= len(shown)
        children = [self.node(child, (*path, _move(child))) for child in shown]
        return _picture(branch, path, children, len(visited) - len(shown))

    def usual(self, visited: list[Branch], depth: int) -> list[Branch]:
        """Return the children that are shown without being asked for."""
        width = WIDTHS[depth] if depth < len(WIDTHS) else 0
        return [child for child in visited[:width] if depth == 0 or child.visits > self.least]


def _picture(
    branch: Branch, path: tuple[int, ...], children: list[dict[str, Any]], hidden: int
) -> dict[str, Any]:
    return {
        "path": list(path),
        "visits": branch.visits,
        "share": _share(branch),
        "proven": branch.proven,
        "hidden": hidden if len(path) < DEEPEST - 1 else 0,
        "children": children,
    }


def _share(branch: Branch) -> float:
    """Return the share that the side wins that played to a branch."""
    return round((1 + max(-1.0, min(1.0, branch.value))) / 2, 3)


def _move(branch: Branch) -> int:
    return -1 if branch.move is None else branch.move


def opinion(agent: Agent, spec: str, decision: Decision) -> dict[str, Any]:
    """Return what one agent thinks, move by move."""
    policy = decision.policy or ()
    values = decision.values or ()
    return {
        **opponent_of(spec),
        "move": decision.move,
        "policy": [round(share, 4) for share in policy],
        "values": [None if value is None else round(value, 3) for value in values],
        "visits": list(decision.visits or ()),
        "line": list(decision.line),
        "effort": decision.effort,
    }


def cell_values(position: Position, seed: int) -> dict[str, Any]:
    """Return for each cell how random games end for the first player when it holds the cell.

    Cells are counted row by row from the top left; None stands for cells that hold a stone now.
    Values run from -1, always lost, to 1, always won; `baseline` is the average over all games.
    """
    rng = np.random.default_rng(seed)
    rules = position.rules
    cells = row_cells(rules)
    sums, counts = np.zeros(len(cells)), np.zeros(len(cells))
    total = 0.0
    for _ in range(PLAYOUTS):
        first, result = _playout(position, rng)
        held = np.array([bool(first & cell) for cell in cells])
        sums += held * result
        counts += held
        total += result
    taken = [bool(position.occupied & cell) for cell in cells]
    values = [
        None if is_taken or count == 0 else round(float(value / count), 3)
        for is_taken, value, count in zip(taken, sums, counts, strict=True)
    ]
    return {"values": values, "baseline": round(total / PLAYOUTS, 3), "games": PLAYOUTS}


def _playout(position: Position, rng: np.random.Generator) -> tuple[int, int]:
    """Return the first player's stones at the end of a random game, and 1, 0 or -1 for it."""
    last = wander(position, rng)[-1]
    result = {Outcome.FIRST_WINS: 1, Outcome.SECOND_WINS: -1}.get(last.outcome, 0)
    return last.first_stones, result
