"""The player at the keyboard."""

import numpy as np

from fourlab.agents.base import Agent, Decision
from fourlab.core.errors import SpecError
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.rules.position import Position


class Human(Agent):
    """A person at the keyboard; only in `fourlab play`."""

    name = "human"

    def decide(
        self, position: Position, rng: np.random.Generator, limit: Limit = NO_LIMIT
    ) -> Decision:
        raise SpecError("agent 'human' plays in the terminal only; use fourlab play")
