"""What all learners let you set."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from fourlab.core.spec import needs, option
from fourlab.learning.schedules import Schedule, schedule
from fourlab.learning.tables.episode import Lesson
from fourlab.positions.starts import Starts
from fourlab.rules.geometry import Rules
from fourlab.values.knowledge import SELF
from fourlab.values.shape import MOST_MEGABYTES, Shape

MOST_REWARD = 1e6  # sums of such rewards stay numbers that a table can hold


@dataclass(frozen=True)
class TableConfig(ABC):
    """The options of every learner. A learner adds its own and says what it writes, and how."""

    method: ClassVar[int]
    means: ClassVar[tuple[str, ...]] = ()  # what it may say for alpha: the mean of all targets

    games: int = option(100_000, "games to play", low=1)
    opponent: str = option("random", "who it plays: agents, mixtures, curricula, frozen, or self")
    side: str = option(
        "alternating",
        "its side; in self-play only that of its examinations",
        choices=("first", "second", "alternating"),
    )
    start: str = option("empty", "where games begin: empty, random:plies=8, moves:44, uci")
    alpha: str = option("0.1", "step size: a number or a schedule", label="Rate α", live=True)
    gamma: float = option(
        1.0, "what a reward is worth a turn later", low=0, high=1, label="Discount γ", live=True
    )
    epsilon: str = option(
        "0.1", "share of random moves: a number or a schedule", label="Explore ε", live=True
    )
    win: float = option(
        1.0, "reward for a win", low=-MOST_REWARD, high=MOST_REWARD, label="Win", live=True
    )
    draw: float = option(
        0.0, "reward for a draw", low=-MOST_REWARD, high=MOST_REWARD, label="Draw", live=True
    )
    loss: float = option(
        -1.0,
        "reward for a loss; in self-play it is minus the other's win",
        low=-MOST_REWARD,
        high=MOST_REWARD,
        label="Loss",
        live=True,
    )
    step: float = option(
        0.0,
        "reward for a move after which the game goes on",
        low=-MOST_REWARD,
        high=MOST_REWARD,
        label="Move",
        live=True,
    )
    block: float = option(
        0.0,
        "reward on top for a move that blocks a line",
        low=-MOST_REWARD,
        high=MOST_REWARD,
        label="Block",
        live=True,
    )
    symmetric: bool = option(True, "mirror images share what is learned")
    memory_mb: float = option(1024, "what its table may grow to", low=0.001, high=MOST_MEGABYTES)
    chunk: int = option(1000, "games between two looks at the clock", low=1)

    def __post_init__(self) -> None:
        used = self.opponent != SELF or self.loss == -self.win
        needs(self, "loss", used=used, why="in self-play, where it is minus the other's win")
        self.rates()

    def rates(self) -> tuple[Schedule, Schedule]:
        """Return the step sizes and the shares of random moves; raises SpecError if it cannot."""
        lowest = -1 if self.alpha in self.means else 0
        return schedule(self.alpha, "alpha", low=lowest), schedule(self.epsilon, "epsilon")

    @abstractmethod
    def shape(self, rules: Rules, seed: int) -> Shape:
        """Return what it writes into, empty."""

    def lesson(self, starts: Starts) -> Lesson:
        """Return what stays the same over a run."""
        return Lesson(
            method=self.method,
            alone=self.opponent == SELF,
            gamma=self.gamma,
            win=self.win,
            draw=self.draw,
            loss=self.loss,
            step=self.step,
            block=self.block,
            starts=starts,
        )
