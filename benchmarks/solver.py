"""Exact scores: fourlab beside bitbully, where it is installed (see requirements.txt).

    python -m benchmarks.solver                        # the suites that ship with fourlab
    python -m benchmarks.solver FILE:COUNT ...         # lines of "moves score"
    python -m benchmarks.solver --empty                # the empty board as well
    python -m benchmarks.solver --cleared              # bitbully with its table cleared, too
    python -m benchmarks.solver --latency              # Python calls, interruption, book, threads

One thread, no book. Our table is cleared before each position, inside the timed call. bitbully
keeps its table through a set, which is the faster way for it; `--cleared` adds it with a table
cleared before each position, outside of the timed call.
"""

import argparse
import importlib.util
import statistics
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from fourlab.core.limit import Limit
from fourlab.positions.suites import PHASES, load_suites
from fourlab.rules.catalog import game
from fourlab.rules.position import Position, position_of
from fourlab.search.book import shipped_book
from fourlab.search.solver import Solver

RULES = game("connect4")
Case = tuple[Position, int]
Runner = Callable[[list[Case]], float]


def read_file(argument: str) -> list[Case]:
    name, _, count = argument.partition(":")
    lines = Path(name).read_text().splitlines()[: int(count) if count else None]
    cases = []
    for line in lines:
        moves, score = line.rsplit(maxsplit=1)
        cases.append((position_of(RULES, moves.strip()), int(score)))
    return cases


def fourlab_runner() -> Runner:
    solver = Solver(RULES, table_mb=64)
    solver.score(position_of(RULES, "44444222"))  # compiled before the clock runs

    def run(cases: list[Case]) -> float:
        movers = np.array([position.mover for position, _ in cases])
        occupied = np.array([position.occupied for position, _ in cases])
        began = time.perf_counter()
        job = solver.solve_arrays(movers, occupied, fresh=True)
        seconds = time.perf_counter() - began
        assert job.low.tolist() == [score for _, score in cases]
        return seconds

    return run


def bitbully_runner(mode: str, keep: bool) -> Runner:
    from bitbully import BitBully, Board

    core = BitBully(opening_book=None)._core
    ask = (lambda board: core.mtdf(board, 0)) if mode == "mtdf" else core.nullWindow

    def run(cases: list[Case]) -> float:
        seconds = 0.0
        core.resetTranspositionTable()  # or a second round would find the answers of the first
        for position, score in cases:
            board = Board()
            for move in position.moves:
                board.play(move)
            if not keep:
                core.resetTranspositionTable()
            began = time.perf_counter()
            answer = ask(board._board)
            seconds += time.perf_counter() - began
            assert answer == score
        return seconds

    return run


def runners(cleared: bool) -> dict[str, Runner]:
    found = {"fourlab": fourlab_runner()}
    if importlib.util.find_spec("bitbully"):
        for mode in ("mtdf", "nullWindow"):
            found[f"bitbully {mode}"] = bitbully_runner(mode, keep=True)
            if cleared:
                found[f"bitbully {mode}, cleared"] = bitbully_runner(mode, keep=False)
    return found


def compare(sets: dict[str, list[Case]], repeats: int, cleared: bool) -> None:
    contestants = runners(cleared)
    print("| set | positions | solver | mean per position | spread | fourlab is faster by |")
    print("|---|---|---|---|---|---|")
    for name, cases in sets.items():
        times: dict[str, list[float]] = {contestant: [] for contestant in contestants}
        for _ in range(repeats):
            for contestant, run in contestants.items():
                times[contestant].append(run(cases) / len(cases))
        ours = statistics.median(times["fourlab"])
        for contestant, taken in times.items():
            middle = statistics.median(taken)
            spread = (max(taken) - min(taken)) / 2 / middle
            print(
                f"| {name} | {len(cases)} | {contestant} | {middle * 1e6:,.2f} us | ±{spread:.0%} "
                f"| {middle / ours:.2f} |",
                flush=True,
            )


def latency() -> None:
    """Print what a call costs, how soon a search stops, and the worst cases with the book."""
    solver = Solver(RULES, table_mb=64)
    position = position_of(RULES, "4445423633442655")
    solver.score(position)
    rounds = 2000
    began = time.perf_counter()
    for _ in range(rounds):
        solver.score(position)
    print(f"one call: {(time.perf_counter() - began) / rounds * 1e6:.1f} us")
    began = time.perf_counter()
    solver.score_many([position] * 10 * rounds)
    print(f"a position of a batch: {(time.perf_counter() - began) / rounds / 10 * 1e6:.1f} us")
    print(f"stopping: at most {max(stopping() for _ in range(20)) * 1e3:.0f} ms in 20 trials")
    with_book = Solver(RULES, table_mb=256, threads=2, book=shipped_book(RULES))
    rng = np.random.default_rng(5)
    for plies, count in (((0, 6), 300), ((9, 14), 1000)):
        worst = max(scores_seconds(with_book, rng, plies) for _ in range(count))
        print(f"all scores, plies {plies[0]} to {plies[1]}, worst of {count}: {worst:.3f} s")


def stopping() -> float:
    """Return how long a search of the empty board goes on after it was told to stop."""
    told = threading.Event()
    solver = Solver(RULES, table_mb=64, threads=2)
    thread = threading.Thread(target=solver.bounds, args=(RULES.start(), Limit(stop=told.is_set)))
    thread.start()
    time.sleep(0.2)
    began = time.perf_counter()
    told.set()
    thread.join()
    return time.perf_counter() - began


def scores_seconds(solver: Solver, rng: np.random.Generator, plies: tuple[int, int]) -> float:
    """Return the time for the scores of all moves of a random position."""
    position = RULES.start()
    while True:
        for _ in range(rng.integers(plies[0], plies[1] + 1)):
            position = position.play(int(rng.choice(position.legal_moves())))
            if position.is_over:
                break
        if not position.is_over:
            break
        position = RULES.start()
    solver.clear()
    began = time.perf_counter()
    solver.scores(position)
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="*")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--empty", action="store_true")
    parser.add_argument("--cleared", action="store_true")
    parser.add_argument("--latency", action="store_true")
    arguments = parser.parse_args()
    if arguments.latency:
        latency()
        return
    sets = {Path(file).name: read_file(file) for file in arguments.files}
    if not arguments.files:
        for name in PHASES:
            entries = load_suites(RULES)[name][: 100 if name == "opening" else None]
            sets[name] = [(entry.position, entry.best) for entry in entries]
    if arguments.empty:
        sets["empty board"] = [(RULES.start(), 1)]
    compare(sets, arguments.repeats, arguments.cleared)


if __name__ == "__main__":
    main()
