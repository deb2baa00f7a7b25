"""Errors of a network against exact scores, with 0, 1, 100 and 600 simulations, as tables.

    python -m benchmarks.learned --sims 0 1 100:300 600:50 --positions sets.npz [--device cuda]

Positions are those of the shipped suites and of files by benchmarks/scored.py; behind a number of
simulations stands how many of each set are asked at most. Intervals are of 95%, by Wilson. A line
of JSON is printed for each cell when it is known, the tables at the end.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np

from benchmarks.exams import Exam, read
from fourlab.agents.registry import agent
from fourlab.arena.statistics import share_interval
from fourlab.positions.suites import load_suites
from fourlab.rules.catalog import game as find_game

ALL = 1_000_000  # more positions than any set has
STANDARD = {  # the names of Pascal Pons's files, spelled out
    "Test_L3_R1": "end-easy",
    "Test_L2_R1": "middle-easy",
    "Test_L2_R2": "middle-medium",
    "Test_L1_R1": "begin-easy",
    "Test_L1_R2": "begin-medium",
    "Test_L1_R3": "begin-hard",
}


def errors(spec: str, exam: Exam) -> list[str]:
    """Return the share of moves that are not perfect, and of those that give away win or draw."""
    player, count = agent(spec, find_game("connect4")), len(exam.scores)
    began = time.process_time()
    shares = exam.grade(player.choose(exam.boards, np.zeros(count, np.int64)))
    wrong = [round(count * (1 - share)) for share in shares]
    told = {"agent": spec, "set": exam.name, "positions": count, "wrong": wrong}
    seconds = round((time.process_time() - began) / count, 4)
    print(json.dumps({**told, "seconds_a_move": seconds}), flush=True)
    return [_told(number, count) for number in wrong]


def _told(wrong: int, count: int) -> str:
    low, high = (100 * edge for edge in share_interval(wrong, count))
    return f"{100 * wrong / count:.1f} ({low:.1f} to {high:.1f})"


def main() -> None:
    """Ask, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--network", default="", help="a run folder or file; none: the shipped")
    parser.add_argument("--also", default="", help="options of every player, such as both=yes")
    parser.add_argument("--sims", nargs="*", default=["0", "1", "100:300", "600:50"])
    parser.add_argument("--positions", nargs="*", default=[])
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    args = parser.parse_args()
    rules = find_game("connect4")
    sets = [Exam.of(name, scored) for name, scored in load_suites(rules).items()]
    for file in args.positions:
        sets += read(rules, Path(file))
    shared = ",".join(filter(None, (args.network, args.also)))
    kinds = [(f"net:{shared}".rstrip(":"), "no rule", ALL)]
    for sims, _, most in (part.partition(":") for part in args.sims):
        own = f"sims={sims},device={args.device}"
        spec = f"zero:{','.join(filter(None, (shared, own)))}"
        kinds.append((spec, sims, int(most or ALL)))
    found = {exam.name: [errors(kind[0], exam.part(kind[2])) for kind in kinds] for exam in sets}
    for which, title in enumerate(("not perfect, %", "win or draw given away, %")):
        print(f"\n| {title} | {' | '.join(name for _, name, _ in kinds)} |")
        print("|---" * (len(kinds) + 1) + "|")
        for name, cells in found.items():
            row = " | ".join(cell[which] for cell in cells)
            print(f"| {STANDARD.get(name, name)} | {row} |")


if __name__ == "__main__":
    main()
