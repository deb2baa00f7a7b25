"""What a newcomer waits for: the README's commands one after another, from an empty kernel cache.

Run with `python -m benchmarks.first_use`. Every command runs twice in the order of the README with
one cache that starts empty; what the first run takes longer is compiling. `--alone` gives each
command an empty cache of its own.
"""

import argparse
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

TYPED = {"play": "4\n4\nquit\n"}  # what the newcomer types
SERVE = "fourlab serve"
ADDRESS = re.compile(r"http://\S+")
COMMANDS = [
    SERVE,
    "fourlab play --second mcts:sims=1000 --show-thinking",
    "fourlab play --first minimax --second mcts:time=0.5",
    "fourlab play --game tictactoe --second human",
    "fourlab play --game connect:columns=5,rows=6,k=4",
    "fourlab analyze 4445423633442655",
    "fourlab grade baseline",
    "fourlab train q --opponent baseline --games 500000",
    "fourlab runs",
    "fourlab arena random baseline mcts:sims=100",
    "fourlab sweep mcts:sims=100,c={0.7,1,1.4}",
    "fourlab sweep q:alpha={0.1,0.3} --train 100000",
    "fourlab ladder",
    "fourlab export kaggle mcts -o submission.py",
    "fourlab agents",
    "fourlab bench",
]


class Spent(NamedTuple):
    """What one run of a command took."""

    wall: float
    processor: float


def run(command: str, folder: Path, cache: Path) -> Spent:
    """Run a command to its end in a folder, or a server until it says where it is."""
    arguments = [sys.executable, "-m", "fourlab.cli.main", *command.split()[1:]]
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    if command == SERVE:
        wall = serve([*arguments, "--port", "8099"], folder, environment)
    else:
        typed = TYPED.get(command.split()[1], "")
        subprocess.run(
            arguments, cwd=folder, env=environment, input=typed, text=True,
            capture_output=True, check=True,
        )  # fmt: skip
        wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return Spent(wall, processor)


def serve(arguments: list[str], folder: Path, environment: dict[str, str]) -> float:
    """Return how long a server takes until it prints its address."""
    began = time.perf_counter()
    with subprocess.Popen(
        arguments, cwd=folder, env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ) as server:  # fmt: skip
        assert server.stdout is not None
        for line in server.stdout:
            if ADDRESS.search(line):
                break
        wall = time.perf_counter() - began
        server.send_signal(signal.SIGINT)
        server.stdout.read()
    return wall


def walk(commands: list[str], alone: bool) -> list[tuple[str, Spent, Spent]]:
    """Run every command cold and then warm."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        cold, warm = Path(name, "cold"), Path(name, "warm")
        cold.mkdir()
        warm.mkdir()
        first = []
        for number, command in enumerate(commands):
            first.append(run(command, cold, Path(name, f"cache-{number if alone else 0}")))
        for number, command in enumerate(commands):
            again = run(command, warm, Path(name, f"cache-{number if alone else 0}"))
            rows.append((command, first[number], again))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--alone", action="store_true", help="an empty cache for each command")
    parser.add_argument("--only", default="", help="commands that contain this")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    rows = walk([command for command in COMMANDS if asked.only in command], asked.alone)
    if asked.json:
        print(json.dumps(rows))
        return
    print("| command | first | again | compiling, wall | compiling, processor |")
    print("|---|---|---|---|---|")
    for command, first, again in rows:
        wall, processor = first.wall - again.wall, first.processor - again.processor
        print(
            f"| `{command}` | {first.wall:.1f} s | {again.wall:.1f} s | {wall:.1f} s "
            f"| {processor:.1f} s |"
        )
    total = sum(first.wall - again.wall for _, first, again in rows)
    work = sum(first.processor - again.processor for _, first, again in rows)
    print(f"| sum | | | {total:.1f} s | {work:.1f} s |")


if __name__ == "__main__":
    main()
