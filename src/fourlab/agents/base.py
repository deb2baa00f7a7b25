"""What an agent is: a thing that decides, and shows why."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from fourlab.agents.players import Player
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position
from fourlab.rules.spec import write

SEED_LIMIT = 1 << 63  # kernels keep the state of their dice in 63 bits


@dataclass(frozen=True)
class Decision:
    """A move and the reasons for it.

    `values` holds what the agent thinks each move is worth for the side to move (None where it
    does not know), `policy` how strongly it leans to each move (the probabilities where it draws
    lots), `visits` how often a search tried each move; all have one entry for every move of the
    game, legal or not. `line` is how it expects the game to go on, this move first. `effort` counts
    what it looked at this time; it is no part of the decision, since what an agent remembers makes
    it smaller.
    """

    move: int
    values: tuple[float | None, ...] | None = None
    policy: tuple[float, ...] | None = None
    visits: tuple[int, ...] | None = None
    line: tuple[int, ...] = ()
    effort: int = field(default=0, compare=False)


@dataclass(frozen=True)
class NoOptions:
    """The config of an agent that has nothing to set."""


class Agent(ABC):
    """A player of one game.

    Laws: `decide` returns a legal move, never changes the position, and gives the same decision
    for the same position and the same state of `rng`. The first line of an agent's docstring
    describes it in `fourlab agents`.
    """

    Config: ClassVar[type[Any]] = NoOptions
    name: ClassVar[str]

    def __init__(self, rules: Rules, config: Any = None) -> None:
        self.rules = rules
        self.config = self.Config() if config is None else config

    @property
    def spec(self) -> str:
        """The shortest spec string that gives this agent."""
        return write(self.name, self.config)

    @abstractmethod
    def decide(self, position: Position, rng: np.random.Generator) -> Decision:
        """Choose a move in a position that is not over."""

    def player(self) -> Player | None:
        """Return a new jitted form of this agent for use inside kernels, or None if it has none."""
        return None

    def __repr__(self) -> str:
        return f"<agent {self.spec} for {self.rules}>"


def kernel_seed(rng: np.random.Generator) -> int:
    """Draw a seed for the dice of a kernel."""
    return int(rng.integers(SEED_LIMIT, dtype=np.uint64))
