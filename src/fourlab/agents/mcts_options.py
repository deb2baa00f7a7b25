"""What can be set of `mcts`, and what its kernels make of it."""

from dataclasses import dataclass

from fourlab.core.spec import option
from fourlab.search.mcts import BY_SCORE, BY_VISITS, ROBUST
from fourlab.search.simulation import Variant
from fourlab.search.tree import PUCT, TUNED, UCB1, UCT, Selection

DEFAULT_SIMULATIONS = 1000
FORMULAS = {"uct": UCT, "ucb1": UCB1, "tuned": TUNED, "puct": PUCT}
FINALS = {"visits": BY_VISITS, "score": BY_SCORE, "robust": ROBUST}


@dataclass(frozen=True)
class MctsConfig:
    """Options of `mcts`."""

    sims: int | None = option(
        None,
        f"simulations a move; none: {DEFAULT_SIMULATIONS}, with time= as many as it allows",
        low=0,
        high=10**9,
        public=100_000,
    )
    time: float | None = option(None, "seconds a move at most", low=0.001, high=86400, public=5)
    exploration: float = option(1.4, "how much it explores", name="c", low=0, high=100)
    formula: str = option(
        "uct",
        "uct: c sqrt(ln N / n); ucb1: c sqrt(2 ln N / n); tuned: by variance; "
        "puct: c sqrt(N) / (children (1 + n))",
        choices=FORMULAS,
    )
    win: float = option(1.0, "reward of a win", low=-100, high=100)
    draw: float = option(0.0, "reward of a draw", low=-100, high=100)
    loss: float = option(-1.0, "reward of a loss", low=-100, high=100)
    graded: float = option(
        0.0, "share of a reward that is lost if the game fills the board", low=0, high=1
    )
    expand: str = option(
        "one", "simulate one child of a new node, or all of them at once", choices=("one", "all")
    )
    depth: int = option(64, "plies that the tree may be deep", low=1, high=64)
    final: str = option(
        "visits",
        "the move it plays: most visits, best score, or robust: best score of the much visited",
        choices=FINALS,
    )
    reuse: bool = option(False, "keep the tree from move to move")
    playouts: str = option(
        "light", "random, or heavy: win or block where possible", choices=("light", "heavy")
    )
    solver: bool = option(True, "carry proven wins, draws and losses up the tree")
    minimax: int = option(
        0,
        "plies of alpha-beta at every new leaf, from 2; as far as 100,000 boards go",
        low=0,
        high=8,
        public=4,
    )
    prune: float = option(
        0.0, "drop moves this many standard errors behind the best; 0: none", low=0, high=100
    )
    threads: int = option(1, "threads that grow the tree together", low=1, high=64, public=1)
    nodes: int = option(
        4_000_000,
        "nodes a tree may have; then it grows no more and simulations start from its leaves",
        low=1000,
        high=10**8,
        public=1_000_000,
    )


def variant_of(config: MctsConfig) -> Variant:
    """Return what the kernels want to know."""
    rewards = (config.win, config.draw, config.loss)
    return Variant(
        selection=Selection(
            formula=FORMULAS[config.formula],
            exploration=float(config.exploration),
            range=float(max(rewards) - min(rewards)),
            solver=config.solver,
            prune=float(config.prune),
        ),
        win=float(config.win),
        draw=float(config.draw),
        loss=float(config.loss),
        graded=float(config.graded),
        all_children=config.expand == "all",
        depth=config.depth,
        heavy=config.playouts == "heavy",
        minimax=config.minimax,
        final=FINALS[config.final],
    )
