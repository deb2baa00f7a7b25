"""PPO and MaskablePPO of Stable-Baselines3, trained against minimax and entered into the arena.

    pip install 'fourlab[envs]' stable-baselines3 sb3-contrib
    python examples/sb3_agent.py 600000 1        # steps, seed; trains both and lets them play
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
TEACHERS = ("random", "baseline", "minimax:depth=2")  # one after the other
BOARDS = 16  # at a time
MOST_RANDOM = 6  # moves of one's own at the beginning of a game
GAME = "fourlab/ConnectFour-v0"
SETTINGS: dict[str, Any] = {
    "n_steps": 128,  # on each board between two updates
    "batch_size": 256,
    "learning_rate": 1e-3,
    "ent_coef": 0.01,
    "policy_kwargs": {"net_arch": [128, 128]},
}
HOMES = {"PPO": "stable_baselines3", "MaskablePPO": "sb3_contrib"}
QUICK = 3 * 2048  # steps, where nothing is said


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


class Anywhere(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Begins games behind some random moves, so that more is seen than the way to one win."""

    dice = np.random.default_rng(0)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, Any]:
        """Begin a game."""
        self.dice = self.dice if seed is None else np.random.default_rng(seed)
        observation, info = self.env.reset(seed=seed)
        for _ in range(self.dice.integers(MOST_RANDOM + 1)):
            move = int(self.dice.choice(np.flatnonzero(info["action_mask"])))
            observation, _, ended, _, info = self.env.step(move)
            if ended:
                observation, info = self.env.reset()
        return observation, info

    def action_masks(self) -> Any:
        """Return which moves are legal, as MaskablePPO asks."""
        return self.env.get_wrapper_attr("action_masks")()


def train(name: str, steps: int, seed: int) -> Path:
    """Train an algorithm against each teacher in turn; return its file.

    Taught by the last one alone it learns little that helps against anybody else.
    """
    helpers = importlib.import_module("stable_baselines3.common.env_util")
    algorithm = getattr(importlib.import_module(HOMES[name]), name)
    model: Any = None
    for teacher in TEACHERS:
        options = {"opponent": teacher, "side": "alternating"}
        envs = helpers.make_vec_env(
            GAME, n_envs=BOARDS, seed=seed, env_kwargs=options, wrapper_class=Anywhere
        )
        model = model or algorithm("MlpPolicy", envs, seed=seed, device="cpu", **SETTINGS)
        model.set_env(envs)
        model.learn(steps // len(TEACHERS), reset_num_timesteps=False)
    FOLDER.mkdir(parents=True, exist_ok=True)
    model.save(FOLDER / f"{name}.zip")
    return FOLDER / f"{name}.zip"


def main() -> None:
    """Train both and let them play."""
    if importlib.util.find_spec("sb3_contrib") is None:
        print("this example needs: pip install stable-baselines3 sb3-contrib")
        return
    given = [int(word) for word in sys.argv[1:] if word.isdigit()]
    steps, seed = [*given, *(QUICK, 1)[len(given) :]][:2]
    entered = tuple(f"{__file__}:model={train(name, steps, seed)}" for name in HOMES)
    games = 4 if steps == QUICK else 200
    tournament = Tournament(Event("connect4", entered, games=games, seed=1, against=TEACHERS))
    with Workers(1) as workers:
        for _ in tournament.run(workers):
            pass
    for pair in tournament.to_json()["pairs"]:
        score, low, high = (f"{pair[name]:.1%}" for name in ("score", "low", "high"))
        print(f"{pair['a']} against {pair['b']}: {score} ({low} to {high}) of {games} games")


if __name__ == "__main__":
    main()
