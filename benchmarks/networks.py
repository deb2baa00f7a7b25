"""A network's evaluations a second: fourlab's own forward beside torch's, on one core and on all.

Run with `python -m benchmarks.networks`. Random weights: what they are does not change the time.
"""

import os

import numpy as np

from benchmarks.harness import Contestant, measure, report
from fourlab.agents.zero import Zero
from fourlab.rules.boards import Boards, boards_of
from fourlab.rules.catalog import game
from fourlab.rules.position import position_of
from fourlab.values.layers import Shape
from fourlab.values.network import Network

RULES, SHAPE = game("connect4"), Shape()
SEVERAL = 96


def random_network() -> Network:
    rng = np.random.default_rng(1)
    layers = {
        name: (rng.normal(size=sizes) * (2 / np.prod(sizes[1:])) ** 0.5).astype(np.float32)
        for name, sizes in SHAPE.layout(RULES).items()
    }
    return Network(RULES, SHAPE, layers)


def contestants(network: Network, boards: Boards, threads: int) -> list[Contestant]:
    """Both forwards, with so many threads."""
    from fourlab.values.on_torch import TorchEvaluator, torch

    evaluator, count = TorchEvaluator(network), len(boards.movers)

    def own() -> None:
        network.forward.threads = threads
        network.evaluate(boards)

    def by_torch() -> None:
        torch.set_num_threads(threads)
        evaluator(boards)

    return [Contestant("fourlab", own, count), Contestant("torch", by_torch, count)]


def main() -> None:
    network = random_network()
    position = position_of(RULES, "4455")
    for count in (1, SEVERAL):
        boards = boards_of([position] * count)
        for threads in sorted({1, os.cpu_count() or 1}):
            title = f"Residual {SHAPE.width}x{SHAPE.blocks}, {count} boards, {threads} threads"
            report(title, "boards/s", measure(contestants(network, boards, threads)))
    player, rng = Zero(RULES, None, network), np.random.default_rng(1)
    sims = Contestant("zero", lambda: player.decide(position, rng), player.simulations)
    report("zero:sims=100, one position", "simulations/s", measure([sims]))


if __name__ == "__main__":
    main()
