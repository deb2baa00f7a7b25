"""Thirty visitors, each with a run: nothing is lost, and the memory stays bounded.

    python -m benchmarks.visitors [--visitors 30] [--seconds 60]

In one process, without a browser: the sessions, the threads and the store of a real laboratory.
At the end the server "stops", another one opens the same folder, and every run is compared.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import statistics
import tempfile
import time
from pathlib import Path

from fourlab.web.keep.shelf import Shelf
from fourlab.web.keep.store import Keep
from fourlab.web.limits import offer_runs
from fourlab.web.runs.room import Room
from fourlab.web.sessions.learn import LearnSession
from fourlab.web.workbench import Workbench

BOARDS = ("connect:columns=5,rows=4,k=4", "tictactoe", "connect:columns=4,rows=4,k=3")


def megabytes() -> float:
    """Return the memory that this process has now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


async def visit(visitors: int, seconds: float, folder: Path) -> None:
    """Let visitors learn for a while and say what became of it."""
    loop = asyncio.get_running_loop()
    bench = Workbench(loop.call_soon_threadsafe, loop.call_later)
    room = Room(bench, Keep(folder))
    offer_runs(room.player)
    sessions = []
    for number in range(visitors):
        query = {"game": BOARDS[number % len(BOARDS)], "opponent": "baseline", "seed": str(number)}
        shelf = Shelf(room.keep, f"visitor-{number}")
        sessions.append(LearnSession(bench, query, shelf=shelf, room=room))
        sessions[-1].open()
        sessions[-1].act("run", [])
    began, late = time.perf_counter(), []
    while time.perf_counter() - began < seconds:
        before = time.perf_counter()
        await asyncio.sleep(0.05)
        late.append((time.perf_counter() - before - 0.05) * 1000)
        sessions[len(late) % visitors].view()
    games = [session.training.done for session in sessions]
    print(f"{visitors} runs, {sum(games):,} games in {seconds:.0f} s; least {min(games):,}")
    print(f"the loop is late by {statistics.quantiles(late, n=20)[18]:.0f} ms (p95)")
    print(f"memory {megabytes():.0f} MB, at most {resource.getrusage(0).ru_maxrss / 1024:.0f} MB")
    began = time.perf_counter()
    room.close()
    bench.close()
    done = {s.kept.name: s.training.learner.done for s in sessions if s.kept and s.training.learner}
    print(f"stopped and saved in {time.perf_counter() - began:.1f} s")
    again = Keep(folder)
    kept = {item.name: item.body["games"] for item in again.items("run")}
    lost = [name for name, count in done.items() if kept.get(name) != count]
    print(f"{len(kept)} runs kept, {len(lost)} lost, {again.space() / 2**20:.0f} MB on disk")
    for session in sessions:
        session.close()


def main() -> None:
    """Read the options and run."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--visitors", type=int, default=30)
    options.add_argument("--seconds", type=float, default=60.0)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(visit(given.visitors, given.seconds, Path(folder)))


if __name__ == "__main__":
    main()
