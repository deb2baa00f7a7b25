"""What it costs to bring one's own: a move of a file here, in a process of its own, as an engine.

Run with `python -m benchmarks.own`. Each line is what a move takes beyond calling the function
itself, the median of several rounds; a busy machine makes it larger.
"""

import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from fourlab.agents.registry import agent
from fourlab.arena.events import Event
from fourlab.arena.match import play
from fourlab.arena.pairing import Stretch
from fourlab.cli import new
from fourlab.positions.walks import wander
from fourlab.rules.catalog import game

ROUNDS = 15
GAMES = 40
SOURCE = "def choose(position, rng):\n    return position.legal_moves()[0]\n"
KAGGLE = """
def agent(observation, configuration):
    return next(c for c in range(configuration.columns) if observation.board[c] == 0)
"""


def choose(position, rng):  # type: ignore[no-untyped-def]
    return position.legal_moves()[0]


def positions() -> list:  # type: ignore[type-arg]
    rng = np.random.default_rng(1)
    lines = [wander(game("connect4").start(), rng) for _ in range(20)]
    return [position for line in lines for position in line if not position.is_over]


def microseconds(run: Callable[[], int]) -> list[float]:
    """Return what a move takes in each round; `run` says how many it made."""
    run()
    found = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        moves = run()
        found.append((time.perf_counter() - began) / moves * 1e6)
    return found


def asked(decide: Callable[..., object]) -> Callable[[], int]:
    asked_about = positions()
    rng = np.random.default_rng(1)

    def run() -> int:
        for position in asked_about:
            decide(position, rng)
        return len(asked_about)

    return run


def seated(spec: str) -> Callable[[], int]:
    """Games of a file against itself, all its moves made in a process of its own."""
    [pairing] = Event("connect4", (spec, spec), GAMES, seed=1, plies=0).pairings()

    def run() -> int:
        return int(play(Stretch(pairing, 0, GAMES)).lengths.sum())

    return run


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "mine.py").write_text(SOURCE)
        (folder / "kaggler.py").write_text(KAGGLE)
        shutil.copy(new.TEMPLATES / "engine.py", folder)
        shutil.copy(new.TEMPLATES / "engine.c", folder)
        contestants = {
            "the function itself": asked(choose),
            "a file, here": asked(agent(f"{folder}/mine.py").decide),
            "Kaggle's function, here": asked(agent(f"{folder}/kaggler.py").decide),
            "a file, in the arena's process": seated(f"{folder}/mine.py"),
            "an engine in Python": asked(agent(f"engine:{folder}/engine.py").decide),
        }
        if shutil.which("cc"):
            compiled = ["cc", "-O2", "-o", f"{folder}/engine", f"{folder}/engine.c"]
            subprocess.run(compiled, check=True)
            contestants["an engine in C"] = asked(agent(f"engine:{folder}/engine").decide)
        rounds = {name: microseconds(run) for name, run in contestants.items()}
    bare = statistics.median(rounds["the function itself"])
    print("| | a move | beyond the function | the quickest round |\n|---|---|---|---|")
    for name, found in rounds.items():
        middle, least = statistics.median(found), min(found)
        print(f"| {name} | {middle:.1f} us | {middle - bare:.1f} us | {least:.1f} us |")


if __name__ == "__main__":
    main()
