"""What a learner knows, as a list: the positions that follow some moves, the most visited first."""

from __future__ import annotations

from typing import Any

from fourlab.core.errors import FourlabError
from fourlab.learning.base import Learner
from fourlab.rules.position import Position, position_of
from fourlab.values.knowledge import Knowledge

MOST_ROWS = 60
MOST_LOOKED = 1500  # positions that one search may look at


def policy_of(learner: Learner, text: str) -> dict[str, Any]:
    """Return what is known of a position and of those that follow it, nearest first.

    `text` is a line of moves; the empty board lists everything from the beginning.
    """
    known = getattr(learner, "knowledge", None)
    found: dict[str, Any] = {"text": text, "rows": [], "error": "", "more": False}
    if not isinstance(known, Knowledge):
        return {**found, "error": "This learner keeps no table that could be listed."}
    try:
        start = position_of(learner.rules, text.strip())
    except FourlabError as error:
        return {**found, "error": str(error)}
    rows, level, looked = found["rows"], [start], 0
    seen: set[tuple[int, int]] = set()
    while level and looked < MOST_LOOKED and len(rows) < MOST_ROWS:
        there = [row for row in (_row(known, one) for one in level) if row is not None]
        rows += sorted(there, key=lambda row: -(row["trials"] or 0))
        looked += len(level)
        after: list[Position] = []
        for position in level:
            for move in () if position.is_over else position.legal_moves():
                child = position.play(move)
                board = (child.mover, child.occupied)
                if board not in seen and not child.is_over:
                    seen.add(board)
                    after.append(child)
        level = after[: MOST_LOOKED - looked]
    found["more"] = bool(level) or len(rows) > MOST_ROWS
    del rows[MOST_ROWS:]
    return found


def _row(known: Knowledge, position: Position) -> dict[str, Any] | None:
    """Return the best-valued move of a position; None where nothing was taught."""
    move = None if position.is_over else best_known(known, position)
    if move is None:
        return None
    count = known.visits(position)[move]
    return {
        "state": position.notation,
        "moves": list(position.moves),
        "move": move,
        "value": round(known.move_values(position)[move] or 0.0, 4),
        "trials": None if count == -1 else count,  # a network does not count
    }


def best_known(known: Knowledge, position: Position) -> int | None:
    """Return the best-valued move of those taught; None where nothing was taught."""
    taught = [move for move, count in enumerate(known.visits(position)) if count]
    values = known.move_values(position)
    return max(taught, key=lambda move: values[move] or 0.0, default=None)
