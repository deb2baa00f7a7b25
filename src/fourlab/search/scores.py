"""The algebra of exact scores, and how to say them.

A score is seen by the side to move: a move that wins with `stones` on the board before it scores
`win_score`, a loss is the negative of what the opponent then scores, a draw is 0. Sooner wins
score higher.
"""

from __future__ import annotations

from dataclasses import dataclass

from fourlab.core.jit import kernel
from fourlab.rules.geometry import Rules

OUTCOMES = {1: "win", 0: "draw", -1: "loss"}


@dataclass(frozen=True)
class Bounds:
    """What is known of a score: it lies in [low, high]."""

    low: int
    high: int
    source: str = "search"  # or "book"
    nodes: int = 0
    seconds: float = 0.0

    @property
    def is_exact(self) -> bool:
        """Whether the score is known."""
        return self.low == self.high

    def __and__(self, other: Bounds) -> Bounds:
        """Return what is known of a score by both."""
        return Bounds(
            max(self.low, other.low),
            min(self.high, other.high),
            other.source,
            self.nodes + other.nodes,
            self.seconds + other.seconds,
        )

    def __neg__(self) -> Bounds:
        """Return the same for the other side."""
        return Bounds(-self.high, -self.low, self.source, self.nodes, self.seconds)


@kernel
def win_score(rules: Rules, stones: int) -> int:
    """Return the score of a move that wins with `stones` on the board before it."""
    return (rules.columns * rules.rows + 1 - stones) // 2


def sign(score: int) -> int:
    """Return 1 for a win, 0 for a draw, -1 for a loss."""
    return (score > 0) - (score < 0)


def stones_to_come(rules: Rules, stones: int, score: int) -> int:
    """Return how many stones the winner still has to place, the winning one included.

    `stones` lie on the board and `score`, which is no draw, is seen by the side to move.
    """
    winner_moves_next = score > 0
    # The winner's last stone is placed on a board of this many stones, or of one less: whichever
    # has the winner to move.
    before = rules.cells + 1 - 2 * abs(score)
    if (before - stones) % 2 == winner_moves_next:
        before -= 1
    return (before - stones + winner_moves_next + 1) // 2


def words(rules: Rules, stones: int, score: int) -> str:
    """Say a score: 'Win in 9', 'Draw', 'Loss in 12', counting the winner's own stones to come."""
    if score == 0:
        return "Draw"
    return f"{'Win' if score > 0 else 'Loss'} in {stones_to_come(rules, stones, score)}"
