"""Tabular Q-learning against a random opponent, beside OpenSpiel where it is installed.

Run with `python -m benchmarks.learning`. A decision is a move of the learner with its update. The
studies' training runs are timed too: `python -m benchmarks.learning studies`.
"""

import importlib.util
import resource
import sys
import time
from collections.abc import Callable

from benchmarks.harness import Contestant, measure, report
from fourlab.learning.registry import learner

DECISIONS = {"tictactoe": 15_000_000, "connect4": 3_000_000}
PEER_DECISIONS = 20_000
PEER_GAMES = {"tictactoe": "tic_tac_toe", "connect4": "connect_four"}
OPTIONS = "alpha=0.1,epsilon=0.1,opponent=random,side=first,games=1000000000,chunk=2000"
STUDY_MCTS = "mcts:sims={0..25},c=1.4,draw=-1,expand=all,depth=4,solver=no"
STUDIES = {
    "mcts-q": (
        "afterstates:games=250000,alpha=0.1,gamma=1,draw=-0.5,step=-0.1,side=first,"
        f"epsilon=(linear:0.5,end=0.02),opponent=({STUDY_MCTS})",
        "connect:columns=5,rows=6,k=4",
    ),
    "minimax-q": (
        "q:games=500000,alpha=(exp:0.9,factor=0.9,every=5000),gamma=0.9,symmetric=no,"
        "epsilon=(exp:1,factor=0.8,every=5000),win=100,draw=50,loss=-100,opponent=baseline",
        "connect4",
    ),
}


def fourlab_decisions(game: str, symmetric: str) -> Callable[[], object]:
    """Go on learning, a fixed number of decisions a call."""
    made = learner(f"q:{OPTIONS},symmetric={symmetric}", game)
    steps = made.steps()

    def run() -> None:
        done = 0
        while done < DECISIONS[game]:
            done += next(steps).metrics["decisions"]

    return run


def open_spiel_decisions(game: str) -> Callable[[], object]:
    from open_spiel.python import rl_environment
    from open_spiel.python.algorithms import random_agent, tabular_qlearner

    environment = rl_environment.Environment(PEER_GAMES[game])
    actions = environment.action_spec()["num_actions"]
    agents = [
        tabular_qlearner.QLearner(player_id=0, num_actions=actions, step_size=0.1),
        random_agent.RandomAgent(player_id=1, num_actions=actions),
    ]

    def run() -> None:
        done = 0
        while done < PEER_DECISIONS:
            step = environment.reset()
            while not step.last():
                player = step.observations["current_player"]
                step = environment.step([agents[player].step(step).action])
                done += player == 0
            for agent in agents:
                agent.step(step)

    return run


def compare() -> None:
    for game in PEER_GAMES:
        contestants = [
            Contestant("fourlab q", fourlab_decisions(game, "no"), DECISIONS[game]),
            Contestant(
                "fourlab q, mirror images as one", fourlab_decisions(game, "yes"), DECISIONS[game]
            ),
        ]
        if importlib.util.find_spec("pyspiel"):
            peer = open_spiel_decisions(game)
            contestants.append(Contestant("OpenSpiel tabular_qlearner", peer, PEER_DECISIONS))
        report(f"Q-learning against random on {game}", "decisions/s", measure(contestants, 7))


def studies() -> None:
    print(
        "\n| study | games | seconds | seconds of processor | peak memory |\n|---|---|---|---|---|"
    )
    for name, (spec, game) in STUDIES.items():
        made = learner(spec, game, seed=1)
        steps = made.steps()
        next(steps)  # compiled and warm
        began, cpu = time.perf_counter(), time.process_time()
        for _ in steps:
            pass
        seconds, processor = time.perf_counter() - began, time.process_time() - cpu
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        games = made.config.games
        print(f"| {name} | {games:,} | {seconds:.1f} | {processor:.1f} | {peak:,.0f} MB |")


if __name__ == "__main__":
    studies() if "studies" in sys.argv else compare()
