"""Tree search: simulations a second beside OpenSpiel's C++ MCTSBot, and what a decision costs.

python -m benchmarks.mcts              # simulations a second, one thread, from Python
python -m benchmarks.mcts --decisions  # minimax and mcts decisions, and how time= is kept
"""

import argparse
import importlib.util
import time
from collections.abc import Callable

import numpy as np

from benchmarks.harness import Contestant, measure, report
from fourlab.agents.registry import agent
from fourlab.rules.catalog import game
from fourlab.rules.position import Position

RULES = game("connect4")


def fourlab_work(simulations: int, decisions: int) -> Callable[[], object]:
    player = agent(f"mcts:sims={simulations}", RULES)
    rng, start = np.random.default_rng(1), RULES.start()
    return lambda: [player.decide(start, rng) for _ in range(decisions)]


def openspiel_work(simulations: int, decisions: int) -> Callable[[], object]:
    import pyspiel

    state = pyspiel.load_game("connect_four").new_initial_state()
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    bot = pyspiel.MCTSBot(state.get_game(), evaluator, 1.4, simulations, 1000, False, 1, False)
    return lambda: [bot.step(state) for _ in range(decisions)]


def simulations_per_second() -> None:
    for simulations in (1_000, 100_000):
        many, few = max(1, 400_000 // simulations), max(1, 20_000 // simulations)
        work = fourlab_work(simulations, many)
        contestants = [Contestant("fourlab", work, many * simulations)]
        if importlib.util.find_spec("pyspiel"):
            name = "OpenSpiel C++ MCTSBot, 1 rollout"
            work = openspiel_work(simulations, few)
            contestants.append(Contestant(name, work, few * simulations))
        title = f"Tree search on 7x6, {simulations:,} simulations a decision"
        report(title, "simulations/s", measure(contestants))


def positions(count: int) -> list[Position]:
    """Return positions of random games that are not over."""
    rng = np.random.default_rng(7)
    found: list[Position] = []
    while len(found) < count:
        position = RULES.start()
        while not position.is_over:
            found.append(position)
            position = position.play(int(rng.choice(position.legal_moves())))
    return found[:count]


def decisions() -> None:
    rng = np.random.default_rng(1)
    print("| agent | mean | 99th percentile | worst |")
    print("|---|---|---|---|")
    for spec, count in (
        ("mcts:sims=200", 2000),
        ("mcts:sims=1000", 1000),
        ("minimax:depth=6", 1000),
        ("minimax:depth=10", 200),
        ("mcts:time=0.05", 200),
        ("mcts:time=0.2,threads=2", 100),
        ("minimax:time=0.05", 200),
    ):
        player = agent(spec, RULES)
        player.decide(RULES.start(), rng)
        taken = []
        for position in positions(count):
            began = time.perf_counter()
            player.decide(position, rng)
            taken.append((time.perf_counter() - began) * 1e3)
        late = np.percentile(taken, 99)
        print(f"| `{spec}` | {np.mean(taken):.3f} ms | {late:.3f} ms | {max(taken):.3f} ms |")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--decisions", action="store_true")
    if parser.parse_args().decisions:
        decisions()
    else:
        simulations_per_second()


if __name__ == "__main__":
    main()
