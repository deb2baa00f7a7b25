"""Curves that grow: what came of the learning so far, point by point."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

MOST_POINTS = 300


@dataclass
class Curves:
    """What came of the learning so far, point by point."""

    wins: list[dict[str, float]] = field(default_factory=list)
    truth: list[dict[str, float]] = field(default_factory=list)
    next_at: int = 0

    def is_due(self, games: int) -> bool:
        """Whether it is time for another point: ever more games apart."""
        return games >= self.next_at

    def add(self, games: int, score: dict[str, Any], thrown: float | None) -> None:
        """Add a point; old ones are thinned out when there are many."""
        self.next_at = games + max(100, games // 40)
        total = score["wins"] + score["draws"] + score["losses"]
        self.wins.append({"games": games, "share": score["wins"] / total, "of": total})
        if thrown is not None:
            self.truth.append({"games": games, "share": thrown})
        for points in (self.wins, self.truth):
            if len(points) > MOST_POINTS:
                del points[1:-1:2]
