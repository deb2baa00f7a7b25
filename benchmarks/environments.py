"""Boards a second of environments, beside PettingZoo's `connect_four_v3`.

Run with `taskset -c 0 python -m benchmarks.environments`: everyone on the same core. Moves are
random and legal; reading the mask and drawing the move count. A board is one that was moved on; the
steps in which games begin anew are not counted.
"""

import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.harness import Contestant, measure, report
from fourlab.adapters.gymnasium import FourlabEnv
from fourlab.adapters.vector import FourlabVectorEnv

BOARDS, STEPS = 4096, 250
MOVES = 5000  # of those who make one at a time


def many(opponent: str) -> Callable[[], int]:
    """Step many boards at once; return how many were moved on."""
    envs = FourlabVectorEnv(BOARDS, "connect4", opponent)

    def run() -> int:
        rng = np.random.default_rng(1)
        _, infos = envs.reset(seed=1)
        begun = 0
        for _ in range(STEPS):
            draws = rng.random((BOARDS, 7), np.float32) + 1
            _, _, ends, _, infos = envs.step((infos["action_mask"] * draws).argmax(1))
            begun += int(ends.sum())
        return BOARDS * STEPS - begun + int(ends.sum())

    return run


def single() -> int:
    """Step one board of ours for both sides."""
    env = FourlabEnv("connect4", "self")
    rng = random.Random(1)
    _, info = env.reset(seed=1)
    for _ in range(MOVES):
        *_, over, _, info = env.step(np.int64(drawn(rng, info["action_mask"])))
        if over:
            _, info = env.reset()
    return MOVES


def theirs() -> int:
    """Step one board of PettingZoo's for both sides."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pettingzoo.classic import connect_four_v3

    env = connect_four_v3.env()
    rng = random.Random(1)
    env.reset(seed=1)
    for _ in range(MOVES):
        observation, _, over, _, _ = env.last()
        if over:
            env.reset()
            observation, *_ = env.last()
        env.step(drawn(rng, observation["action_mask"]))
    return MOVES


def drawn(rng: random.Random, mask: Any) -> int:
    """Return one of the legal moves."""
    return rng.choice([move for move, is_legal in enumerate(mask.tolist()) if is_legal])


def main() -> None:
    contestants = [
        Contestant(f"fourlab, {BOARDS} boards, {name}", run, run())
        for name, run in (
            ("both sides", many("self")),
            ("against `random`", many("random")),
            ("against `baseline`", many("baseline")),
        )
    ]
    contestants.append(Contestant("fourlab, one board, both sides", single, single()))
    contestants.append(Contestant("PettingZoo `connect_four_v3`", theirs, theirs()))
    report("Environments on 7 x 6", "boards/s", measure(contestants))


if __name__ == "__main__":
    main()
