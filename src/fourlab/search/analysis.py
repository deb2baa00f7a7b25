"""Analysis: the exact score of every move of a position, as it becomes known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.rules.position import Outcome, Position
from fourlab.search.scores import OUTCOMES, Bounds, sign, win_score
from fourlab.search.solver import Solver


@dataclass
class Analysis:
    """What is known of a position and its moves."""

    position: Position
    moves: dict[int, Bounds] = field(default_factory=dict)
    nodes: int = 0
    seconds: float = 0.0

    @property
    def value(self) -> int | None:
        """The exact score of the position, None while it is not known."""
        if self.position.is_over:
            rules, stones = self.position.rules, self.position.ply
            is_draw = self.position.outcome is Outcome.DRAW
            return 0 if is_draw else -win_score(rules, stones - 1)
        lows = [bounds.low for bounds in self.moves.values()]
        highs = [bounds.high for bounds in self.moves.values()]
        if len(lows) < len(self.position.legal_moves()) or max(lows) < max(highs):
            return None
        return max(lows)

    @property
    def best(self) -> list[int]:
        """The moves that are known to have the best score."""
        value = self.value
        return [move for move, bounds in sorted(self.moves.items()) if bounds.low == value]

    @property
    def source(self) -> str:
        """`book` if nothing had to be searched because it stands there."""
        in_book = any(bounds.source == "book" for bounds in self.moves.values())
        return "book" if in_book and not self.nodes else "search"

    def score(self, move: int) -> int | None:
        """Return the exact score of a move, None if it cannot be played or is not known."""
        bounds = self.moves.get(move)
        return bounds.low if bounds is not None and bounds.is_exact else None

    def to_json(self) -> dict[str, Any]:
        """Return what `fourlab analyze --json` prints."""
        value = self.value
        rules = self.position.rules
        unsure = {
            str(move + 1): [bounds.low, bounds.high]
            for move, bounds in sorted(self.moves.items())
            if not bounds.is_exact
        }
        return {
            "game": str(rules),
            "moves": self.position.notation,
            "scores": [self.score(move) for move in range(rules.move_count)],
            "best": [move + 1 for move in self.best],
            "value": value,
            "outcome": None if value is None else OUTCOMES[sign(value)],
            "nodes": self.nodes,
            "seconds": round(self.seconds, 6),
            "source": self.source,
            **({"bounds": unsure} if unsure else {}),
        }


def analyse(
    position: Position, solver: Solver, limit: Limit = NO_LIMIT, quick_first: bool = False
) -> Iterator[Analysis]:
    """Yield the analysis of a position as it grows, at least once.

    `quick_first` finds win, draw or loss of every move before any exact score.
    """
    watch = limit.watch()
    found = Analysis(position)
    yield found
    if position.is_over:
        return
    most = win_score(position.rules, position.ply)
    for weak in (True, False) if quick_first else (False,):
        for move, bounds in solver.moves(position, watch.rest(found.nodes), weak):
            found.nodes += bounds.nodes
            found.seconds = watch.elapsed
            known = widened(bounds, most) if weak else bounds
            found.moves[move] = found.moves[move] & known if move in found.moves else known
            yield found


def widened(outcome: Bounds, most: int) -> Bounds:
    """Turn bounds of an outcome into bounds of the score, which is at most `most`."""
    low = {1: 1, 0: 0, -1: -most}[outcome.low]
    high = {1: most, 0: 0, -1: -1}[outcome.high]
    return Bounds(low, high, outcome.source, outcome.nodes, outcome.seconds)
