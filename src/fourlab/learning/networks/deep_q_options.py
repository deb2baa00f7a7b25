"""What deep Q-learning lets you set."""

from __future__ import annotations

from dataclasses import dataclass

from fourlab.core.spec import needs, option
from fourlab.learning.schedules import Schedule, schedule
from fourlab.values.layers import RESIDUAL, STUDY, Shape

BEST, RETURNS = "best", "returns"  # targets, beside that of the study


@dataclass(frozen=True)
class DeepQConfig:
    """Approximate Q-learning over afterstates with a network and experience replay."""

    games: int = option(15_000, "games to play", low=1)
    opponent: str = option("self", "who it plays: agents, mixtures, curricula, frozen, or self")
    side: str = option(
        "alternating",
        "its side; in self-play only that of its examinations",
        choices=("first", "second", "alternating"),
    )
    start: str = option("empty", "where games begin: empty, random:plies=8, moves:44, uci")
    network: str = option(STUDY, "kind of network", choices=(STUDY, RESIDUAL))
    width: int = option(64, "channels of its convolutions", low=1, high=512, public=64)
    blocks: int = option(4, "blocks of a residual network", low=0, high=64, public=6)
    rate: str = option("0.001", "step size: a number or a schedule", label="Rate", live=True)
    epsilon: str = option(
        "0.1", "share of random moves: a number or a schedule", label="Explore ε", live=True
    )
    gamma: float = option(0.99, "what a reward is worth a decision later", low=0, high=1)
    target: str = option(
        BEST,
        "what a board is taught: its best continuation's value, what came of it in its game, or, "
        "as the study did, its own value",
        choices=(BEST, RETURNS, STUDY),
    )
    trace: float = option(
        0.8, "weight of what came of it, with target=returns", name="lambda", low=0, high=1
    )
    steps: int = option(1, "decisions from a board to the one that it learns from", low=1)
    sync: int = option(500, "learning steps from one target network to the next; 0: none", low=0)
    soft: float = option(1.0, "share of the way that the target network goes then", low=0, high=1)
    double: bool = option(False, "the network picks the best move, the target network values it")
    priority: float = option(0.0, "exponent of errors as priorities; 0: none", low=0, high=2)
    correct: float = option(0.4, "exponent that makes up for priorities", low=0, high=1)
    mirror: bool = option(True, "boards are learned from mirrored or not, by lot")
    ends: str = option(
        "rule", "who values boards on which the game is over", choices=("rule", "network")
    )
    optimiser: str = option("adam", "how steps are taken", choices=("adam", "sgd"))
    batch: int = option(256, "boards in a learning step", low=1, high=65_536, public=1024)
    memory: int = option(50_000, "boards that it remembers", low=1, high=10_000_000, public=200_000)
    reuse: float = option(
        4.0, "times that a board is learned from, on average; 0: never", low=0, high=1000, public=64
    )
    half: bool = option(False, "arithmetic in bfloat16, for processors that have it")
    lanes: int = option(64, "games played at once", low=1, high=65_536, public=256)
    chunk: int = option(500, "games between two looks at the clock", low=1)

    def __post_init__(self) -> None:
        later = self.target == BEST  # a target network is asked
        needs(self, "blocks", used=self.network == RESIDUAL, why="without network=residual")
        returns = self.target == RETURNS
        needs(self, "trace", used=returns, why=f"without target={RETURNS}")
        needs(self, "steps", used=not returns, why=f"with target={RETURNS}")
        needs(self, "correct", used=self.priority > 0, why="without priorities")
        needs(self, "sync", used=later or self.sync == 0, why=f"with target={self.target}")
        for name in ("soft", "double"):
            why = "without a target network (target=best, sync=N)"
            needs(self, name, used=later and self.sync > 0, why=why)
        self.rates()

    def rates(self) -> tuple[Schedule, Schedule]:
        """Return the step sizes and the shares of random moves; raises SpecError if it cannot."""
        return schedule(self.rate, "rate"), schedule(self.epsilon, "epsilon")

    @property
    def shape(self) -> Shape:
        """The network it learns."""
        return Shape(kind=self.network, width=self.width, blocks=self.blocks)

    @property
    def by_rule(self) -> bool:
        """Whether ended games are worth what the rules say."""
        return self.ends == "rule"
