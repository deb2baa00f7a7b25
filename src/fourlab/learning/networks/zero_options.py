"""What the learner `zero` lets you set. Defaults were measured on 7x6, see docs/deep/zero.md."""

from __future__ import annotations

from dataclasses import dataclass

from fourlab.core.spec import needs, option
from fourlab.search.puct import Puct
from fourlab.values.layers import Shape


@dataclass(frozen=True)
class ZeroConfig:
    """Learns from nothing but the rules: a network that plays itself, guided by tree search."""

    games: int = option(2_000_000, "games to play", low=1)
    seconds: float | None = option(None, "seconds of training after which it ends", low=0)
    width: int = option(64, "channels of the network", low=1, high=512, public=64)
    blocks: int = option(6, "residual blocks of two convolutions", low=0, high=64, public=6)
    head: int = option(32, "channels of its heads", low=1, high=512, public=64)
    hidden: int = option(128, "units of its value head", low=1, high=4096, public=256)
    bins: int = option(65, "of the distribution of values", low=2, high=1025, public=129)
    paired: bool = option(False, "half of the channels see mirrored what the others see")

    lanes: int | None = option(
        None,
        "games under way in each of two groups; none: 8192 on a GPU, else 64",
        low=1,
        high=65_536,
        public=256,
    )
    sims: int = option(64, "simulations of a move that is recorded", low=1, high=10_000, public=400)
    fast_sims: int = option(16, "simulations of one that is not", low=0, high=10_000, public=400)
    full: float = option(0.33, "share of moves that are recorded", low=0.01, high=1)
    c: float = option(1.5, "exploration in the tree", low=0)
    urgency: float = option(0.2, "how far below its node an untried move counts", low=0)
    scale: float = option(0.25, "of values against priors in the policy that is taught", low=0)
    graded: float = option(0.4, "share of a win's worth that speed makes", low=0, high=0.99)
    forced: bool = option(True, "only moves are made without asking the network")
    rule: bool = option(True, "wins, double threats and losing moves are seen without the network")
    noise: float = option(
        0.25, "share of chance in the priors of the root", low=0, high=1, label="Noise", live=True
    )
    hot: int = option(12, "plies in which moves are drawn by their visits", low=0)
    mix: float = option(
        0.5,
        "share of the result in the value that is taught",
        low=0,
        high=1,
        label="Result",
        live=True,
    )
    random: float = option(0.5, "share of games that begin with random moves", low=0, high=1)
    random_plies: int = option(20, "random moves at most", low=0)
    weak: float = option(0.7, "share of games in which a side makes random moves", low=0, high=1)
    weak_first: float = option(0.35, "share of those in which it is the first", low=0, high=1)
    weak_rate: float = option(0.5, "of its moves that are random", low=0, high=1)
    starts: str = option("", "a file of positions, moves a line, where games begin too")
    start_share: float = option(
        0.25, "share of games that begin there, or where it was refuted", low=0, high=1
    )
    asides: float = option(0.3, "how often a decided position is shown beside one", low=0, high=1)

    window: int = option(5_000_000, "lessons that are kept", low=1, high=100_000_000)
    recent: float = option(0.6, "share of all lessons so far that is learned from", low=0, high=1)
    batch: int | None = option(
        None,
        "lessons of a step; none: 4096 on a GPU, else 256",
        low=1,
        high=65_536,
        public=1024,
    )
    reuse: float = option(
        8.0, "how often a lesson is learned on average; 0: never", low=0, high=1000, public=64
    )
    rate: float = option(2e-3, "step size at first", low=0, high=1, label="Rate", live=True)
    rate_end: float = option(0.02, "share of it that is left at the end", low=0, high=1)
    decay: float = option(1e-4, "of weights", low=0, high=1)
    turn: float = option(
        0.0, "times the rate: how far blocks' weights turn in a step; 0: AdamW's", low=0, high=100
    )
    prefill: int | None = option(
        None, "lessons before training; none: 20 batches", low=1, high=100_000_000
    )
    refresh: int = option(50, "steps after which self-play takes the new network", low=1)

    device: str = option("auto", "where the network runs", choices=("auto", "cpu", "cuda"))
    threads: int | None = option(None, "threads of self-play; none: one a core", low=1, high=1024)
    look: int = option(16, "simulations of the agent that is evaluated", low=0, public=400)
    past_games: int = option(
        40, "games of a report against its self of the last one", low=0, public=200
    )
    chunk: int = option(200, "games between two looks at the clock", low=1)

    def __post_init__(self) -> None:
        needs(self, "fast_sims", used=self.full < 1, why="with full=1")
        needs(self, "turn", used=self.blocks > 0, why="without blocks")
        needs(self, "random_plies", used=self.random > 0, why="with random=0")
        for name in ("weak_first", "weak_rate"):
            needs(self, name, used=self.weak > 0, why="with weak=0")

    @property
    def shape(self) -> Shape:
        """The network."""
        sizes = (self.width, self.blocks, self.head, self.hidden, self.bins)
        return Shape("residual", *sizes, paired=int(self.paired))

    @property
    def puct(self) -> Puct:
        """The search."""
        return Puct(
            self.c,
            self.urgency,
            self.scale,
            graded=self.graded,
            forced=self.forced,
            rule=self.rule,
        )
