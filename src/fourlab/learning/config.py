"""What all learners let you set."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from fourlab.learning.episodes import Lesson
from fourlab.learning.starts import Starts
from fourlab.rules.spec import option
from fourlab.values.knowledge import Shape


@dataclass(frozen=True)
class Training(ABC):
    """The options of every learner. A learner adds its own and says what it writes, and how."""

    name: ClassVar[str]
    method: ClassVar[int]

    games: int = option(100_000, "games to play", low=1)
    opponent: str = option("random", "who it plays: agents, mixtures, curricula, frozen, or self")
    side: str = option("alternating", "its side", choices=("first", "second", "alternating"))
    start: str = option("empty", "where games begin: empty, random:plies=8, moves:44, uci")
    alpha: str = option("0.1", "step size: a number or a schedule")
    gamma: float = option(1.0, "what a reward is worth a turn later", low=0, high=1)
    epsilon: str = option("0.1", "share of random moves: a number or a schedule")
    win: float = option(1.0, "reward for a win")
    draw: float = option(0.0, "reward for a draw")
    loss: float = option(-1.0, "reward for a loss; in self-play it is minus the other's win")
    step: float = option(0.0, "reward for a move after which the game goes on")
    block: float = option(0.0, "reward on top for a move that blocks a line")
    symmetric: bool = option(True, "mirror images share what is learned")
    memory_mb: float = option(1024, "what its table may grow to", low=0.001)
    chunk: int = option(1000, "games between two looks at the clock", low=1)

    @abstractmethod
    def shape(self, seed: int) -> Shape:
        """Return what it writes into, empty."""

    def lesson(self, starts: Starts) -> Lesson:
        """Return what stays the same over a run."""
        return Lesson(
            method=self.method,
            alone=self.opponent == "self",
            gamma=self.gamma,
            win=self.win,
            draw=self.draw,
            loss=self.loss,
            step=self.step,
            block=self.block,
            starts=starts,
        )
