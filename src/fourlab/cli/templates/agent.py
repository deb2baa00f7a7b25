"""An agent of my own: a class with options, which says why it moves.

Is it sound?     fourlab check {file}
How good?        fourlab arena {file} random baseline minimax:depth=4
Play against it  fourlab play --second {file} --show-thinking
"""

from dataclasses import dataclass

import numpy as np

from fourlab import Agent, Decision, Position
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.core.spec import option


@dataclass(frozen=True)
class Options:
    """What can be set: {file}:centre=0.5"""

    centre: float = option(0.1, "how much a step away from the centre costs", low=0, high=1)


class MyAgent(Agent):
    """Wins if it can, blocks if it must, else stays near the centre."""

    Config = Options

    def decide(
        self, position: Position, rng: np.random.Generator, limit: Limit = NO_LIMIT
    ) -> Decision:
        """Choose a move; `limit` says how long one may think, `rng` is the only chance there is."""
        # One value for every move, None where it is not legal: 1 a win, 0 a draw, -1 a loss.
        values = [None] * position.rules.move_count
        for move in position.legal_moves():
            values[move] = self.worth(position, move)
        best = max(value for value in values if value is not None)
        moves = [move for move, value in enumerate(values) if value == best]
        return Decision(int(rng.choice(moves)), values=tuple(values))

    def worth(self, position: Position, move: int) -> float:
        """Return what a move seems to be worth to me."""
        after = position.play(move)  # a new position; the other side is to move
        if after.line:
            return 1.0
        if after.winning_moves():
            return -1.0
        middle = (position.rules.move_count - 1) / 2
        return max(-0.9, -self.config.centre * abs(move - middle))
