"""The algebra of exact scores.

A score is seen by the side to move: a move that wins with `stones` on the board before it scores
`win_score`, a loss is the negative of what the opponent then scores, a draw is 0. Sooner wins
score higher.
"""

from fourlab.rules.geometry import Rules
from fourlab.rules.jit import kernel


@kernel
def win_score(rules: Rules, stones: int) -> int:
    """Return the score of a move that wins with `stones` on the board before it."""
    return (rules.columns * rules.rows + 1 - stones) // 2
