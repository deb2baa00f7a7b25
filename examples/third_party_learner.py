"""OpenSpiel's tabular Q-learner, trained in fourlab's Gymnasium environment on a small board."""

import importlib
import importlib.util

import numpy as np

from fourlab.adapters.gymnasium import FourlabEnv

GAMES = 3000


def main() -> None:
    """Train and watch the share of wins grow."""
    if importlib.util.find_spec("pyspiel") is None:
        print("this example trains OpenSpiel's learner; get it with: pip install open_spiel")
        return
    spiel = importlib.import_module("open_spiel.python.rl_environment")
    algorithms = importlib.import_module("open_spiel.python.algorithms.tabular_qlearner")
    env = FourlabEnv("connect:columns=4,rows=4,k=3", opponent="random", side="first")
    moves = env.rules.move_count
    learner = algorithms.QLearner(player_id=0, num_actions=moves, step_size=0.2)
    np.random.seed(1)  # noqa: NPY002  # OpenSpiel draws from numpy's global generator
    wins = 0
    for game in range(1, GAMES + 1):
        observation, info = env.reset(seed=1 if game == 1 else None)
        reward, over = 0.0, False
        while True:
            legal = np.flatnonzero(info["action_mask"]).tolist()
            seen = {
                "info_state": [observation.ravel().tolist()],
                "legal_actions": [legal],
                "current_player": 0,
            }
            kind = spiel.StepType.LAST if over else spiel.StepType.MID
            step = learner.step(spiel.TimeStep(seen, [reward], [1.0], kind))
            if over:
                break
            observation, reward, over, _, info = env.step(step.action)
        wins += reward > 0
        if game % 500 == 0:
            print(f"{game:5} games: {wins / 5:.0f}% of the last 500 won")
            wins = 0


main()
