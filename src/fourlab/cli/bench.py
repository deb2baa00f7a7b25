"""`fourlab bench`: how fast fourlab is on this machine."""

import os
import platform
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated

import typer

from fourlab.cli.options import print_json


def bench(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    seconds: Annotated[float, typer.Option(min=0.05, help="Time for each figure.")] = 1.0,
) -> None:
    """Measure the speed of this machine."""
    import numba

    from fourlab.core.machine import cpu_name

    figures: dict[str, float | str] = {
        "playouts_per_s": round(playouts_per_second(seconds, threads=1)),
        "playouts_per_s_all_threads": round(playouts_per_second(seconds, os.cpu_count() or 1)),
        "mcts_sims_per_s": round(simulations_per_second(seconds)),
        "solver_nodes_per_s": round(solver_nodes_per_second(seconds)),
        "q_games_per_s": round(q_games_per_second(seconds)),
        "kernel_call_us": round(kernel_call_microseconds(seconds), 3),
        "threads": os.cpu_count() or 1,
        "python": platform.python_version(),
        "numba": numba.__version__,
        "cpu": cpu_name(),
    }
    if as_json:
        print_json(figures)
        return
    from rich.table import Table

    from fourlab.cli.console import console

    table = Table(box=None, show_header=False, pad_edge=False)
    for name, figure in figures.items():
        text = f"{figure:,}" if isinstance(figure, int | float) else figure
        table.add_row(name.replace("_per_s", " per second").replace("_", " "), text)
    console().print(table)


def rate(work: Callable[[int], object], seconds: float) -> float:
    """Return how many units of work are done in a second, over about `seconds`."""
    work(1)  # compiled and warm
    amount = 1
    while True:
        began = time.perf_counter()
        work(amount)
        elapsed = time.perf_counter() - began
        if elapsed >= seconds:
            return amount / elapsed
        amount = int(amount * min(100, 1.2 * seconds / max(elapsed, 1e-9))) + 1


def playouts_per_second(seconds: float, threads: int) -> float:
    """Return random games a second on the 7x6 board."""
    from fourlab.core.dice import seeded
    from fourlab.rules.catalog import game
    from fourlab.search.choices import playouts_on

    playouts = playouts_on(game("connect4"))
    with ThreadPoolExecutor(threads) as pool:

        def work(games: int) -> None:
            list(pool.map(lambda seed: playouts(games, seeded(seed)), range(threads)))

        return threads * rate(work, seconds)


def simulations_per_second(seconds: float) -> float:
    """Return simulations a second of `mcts` in decisions of 1,000 on the empty 7x6 board."""
    import numpy as np

    from fourlab.agents.registry import agent

    player, rng = agent("mcts:sims=1000"), np.random.default_rng(1)
    start = player.rules.start()
    return 1000 * rate(lambda times: [player.decide(start, rng) for _ in range(times)], seconds)


def solver_nodes_per_second(seconds: float) -> float:
    """Return nodes a second of the exact search of the empty 7x6 board, one thread, no book."""
    from fourlab.core.limit import Limit
    from fourlab.search.solver import Solver

    solver = Solver("connect4")
    start = solver.rules.start()
    solver.prepare()
    found = solver.bounds(start, Limit(seconds=seconds))
    return found.nodes / found.seconds


def q_games_per_second(seconds: float) -> float:
    """Return games a second of Q-learning against random on the 7x6 board, one thread."""
    from fourlab.learning.registry import learner

    steps = learner(f"q:games={1 << 40}").steps()

    def work(games: int) -> None:
        done = 0
        while done < games:
            progress = next(steps)
            done += progress.played

    return 1000 * rate(lambda chunks: work(1000 * chunks), seconds)


def kernel_call_microseconds(seconds: float) -> float:
    """Return what it costs Python to call a kernel that does next to nothing."""
    from fourlab.rules.catalog import game
    from fourlab.rules.kernels import is_full

    rules = game("connect4")

    def work(calls: int) -> None:
        for _ in range(calls):
            is_full(rules, 0)

    return 1e6 / rate(work, seconds)
