"""PPO and MaskablePPO of Stable-Baselines3, trained against minimax and entered into the arena.

    pip install 'fourlab[envs]' stable-baselines3 sb3-contrib
    python examples/sb3_agent.py 50000           # steps; trains both and lets them play
    fourlab arena examples/sb3_agent.py:model=runs/sb3/MaskablePPO.zip random minimax:depth=2

This file trains, and it is the agent. Loading a model of Stable-Baselines3 runs what is in it: load
none that you do not trust.
"""

import functools
import importlib
import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

import fourlab
from fourlab.adapters.gymnasium import planes
from fourlab.arena.events import Event
from fourlab.arena.tournament import Tournament
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.core.spec import option
from fourlab.core.workers import Workers

FOLDER = Path("runs/sb3")
OPPONENT = "minimax:depth=2"
HOMES = {"PPO": "stable_baselines3", "MaskablePPO": "sb3_contrib"}
QUICK = 2048  # steps, where nothing is said


@functools.cache
def load(path: str) -> Any:
    """Return a trained policy; the name of the file says of which algorithm."""
    name = Path(path).stem
    return getattr(importlib.import_module(HOMES[name]), name).load(path, device="cpu").policy


@dataclass(frozen=True)
class Options:
    """What can be set."""

    model: str = option("runs/sb3/MaskablePPO.zip", "the file of a trained model")


class Trained(fourlab.Agent):
    """Takes the legal move to which a policy of Stable-Baselines3 leans most."""

    Config = Options
    is_deterministic = True

    def prepare(self) -> None:
        """Load the model, off the clock."""
        load(self.config.model)

    def sources(self) -> tuple[Path, ...]:
        """Return the model: trained anew, it is another agent."""
        return (Path(self.config.model),)

    def decide(
        self, position: fourlab.Position, rng: np.random.Generator, limit: Limit = NO_LIMIT
    ) -> fourlab.Decision:
        """Ask the policy."""
        policy = load(self.config.model)
        seen, _ = policy.obs_to_tensor(planes(position, position.to_move))
        leanings = policy.get_distribution(seen).distribution.probs[0].tolist()
        move = max(position.legal_moves(), key=lambda move: float(leanings[move]))
        return fourlab.Decision(move, policy=tuple(leanings))


def train(name: str, steps: int) -> Path:
    """Train an algorithm on eight boards at a time; return its file."""
    helpers = importlib.import_module("stable_baselines3.common.env_util")
    envs = helpers.make_vec_env(
        lambda: gymnasium.make("fourlab/ConnectFour-v0", opponent=OPPONENT), n_envs=8, seed=1
    )
    algorithm = getattr(importlib.import_module(HOMES[name]), name)
    options = {"n_steps": min(512, steps // 8), "ent_coef": 0.01, "gamma": 0.99}
    model = algorithm("MlpPolicy", envs, seed=1, device="cpu", **options)
    model.learn(steps)
    FOLDER.mkdir(parents=True, exist_ok=True)
    model.save(FOLDER / f"{name}.zip")
    return FOLDER / f"{name}.zip"


def main() -> None:
    """Train both and let them play."""
    if importlib.util.find_spec("sb3_contrib") is None:
        print("this example needs: pip install stable-baselines3 sb3-contrib")
        return
    given = sys.argv[1] if len(sys.argv) > 1 else ""
    steps = int(given) if given.isdigit() else QUICK
    entered = tuple(f"{__file__}:model={train(name, steps)}" for name in HOMES)
    games = 4 if steps == QUICK else 200
    rivals = ("random", "baseline", OPPONENT)
    tournament = Tournament(Event("connect4", entered, games=games, seed=1, against=rivals))
    with Workers(1) as workers:
        for _ in tournament.run(workers):
            pass
    for pair in tournament.to_json()["pairs"]:
        score, low, high = (f"{pair[name]:.1%}" for name in ("score", "low", "high"))
        print(f"{pair['a']} against {pair['b']}: {score} ({low} to {high}) of {games} games")


if __name__ == "__main__":
    main()
