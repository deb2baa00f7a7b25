"""Games a second in the arena: jitted, recorded, on workers and on a cluster.

Run with `python -m benchmarks.arena [speed|workers|cluster|ladder]`.
"""

import contextlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.harness import Contestant, measure, report
from fourlab.arena.events import Event
from fourlab.arena.ratings import rate
from fourlab.arena.records import Records
from fourlab.arena.tournament import Tournament
from fourlab.core.workers import Workers

STUDY = "connect:columns=5,rows=6,k=4"


def tournament(event: Event, record: bool = False, **workers: object) -> Callable[[], object]:
    def run() -> object:
        with tempfile.TemporaryDirectory() as folder:
            records = Records(Path(folder) / "games.db") if record else None
            played = Tournament(event, records)
            with Workers(**workers) as pool:  # type: ignore[arg-type]
                for _ in played.run(pool):
                    pass
            answer = played.to_json()
            if records is not None:
                records.close()
            return answer

    return run


def speed() -> None:
    games = 1_000_000
    event = Event("connect4", ("random", "random"), games, seed=1)
    results = measure(
        [
            Contestant("not recorded", tournament(event, count=2), games),
            Contestant("recorded", tournament(event, record=True, count=2), games),
        ],
        repeats=5,
    )
    report("random – random on 7x6, two threads, openings and report included", "games/s", results)
    by_processor("not recorded", tournament(event, count=2), games)
    by_processor("recorded", tournament(event, record=True, count=2), games)
    games = 2_000
    event = Event(STUDY, ("mcts:sims=200", "mcts:sims=40"), games, seed=1)
    work = [Contestant("mcts", tournament(event, count=2), games)]
    report("mcts:sims=200 – mcts:sims=40 on 5x6, two threads", "games/s", measure(work, repeats=5))
    by_processor("mcts", tournament(event, count=2), games)


def by_processor(name: str, run: Callable[[], object], games: int) -> None:
    """Print games a second of processor time: what a machine that others use too would reach."""
    began = time.process_time()
    run()
    print(f"{name}: {games / (time.process_time() - began):,.0f} games a second of one processor")


def workers() -> None:
    for title, agents, games in (
        ("inside kernels", ("mcts:sims=200", "mcts:sims=40"), 1_500),
        ("through decide", ("mcts:sims=4000,reuse=yes", "mcts:sims=2000,reuse=yes"), 400),
    ):
        event = Event(STUDY, agents, games, seed=1)
        contestants = [
            Contestant(f"{count} workers", tournament(event, count=count), games)
            for count in (2, 1)
        ]
        report(f"{agents[0]} – {agents[1]}, {title}", "games/s", measure(contestants, repeats=5))


@contextlib.contextmanager
def local_cluster() -> Iterator[str]:
    """Start a Dask scheduler and two workers of one thread each."""
    from distributed import Client

    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/scheduler.json"
        dask = [sys.executable, "-m", "dask"]
        where = ["--host", "127.0.0.1", "--scheduler-file", file, "--no-dashboard"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
        commands = [["scheduler", "--port", "0"], *([["worker", "--nthreads", "1"]] * 2)]
        started = [subprocess.Popen([*dask, *command, *where], **quiet) for command in commands]  # type: ignore[call-overload]
        try:
            with Client(scheduler_file=file, set_as_default=False) as client:
                client.wait_for_workers(2, timeout=60)
                yield client.scheduler.address
        finally:
            for process in started[::-1]:
                process.terminate()
                process.wait()


def cluster() -> None:
    """Compare a job of about a minute."""
    games = 6_000
    agents = ("mcts:sims=4000,reuse=yes", "mcts:sims=2000,reuse=yes")
    event = Event(STUDY, agents, games, seed=1)
    with local_cluster() as address:
        contestants = [
            Contestant("Dask, two workers", tournament(event, cluster=address), games),
            Contestant("two local processes", tournament(event, count=2), games),
        ]
        report(f"{agents[0]} – {agents[1]} on 5x6", "games/s", measure(contestants, repeats=3))


def ladder() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.db"
        agents = ("random", "baseline", "flat:playouts=1", "minimax:depth=1", "minimax:depth=2")
        event = Event("connect4", agents, 100_000, seed=1)
        with Records(path) as records, Workers(2) as pool:
            for _ in Tournament(event, records).run(pool):
                pass
        began = time.perf_counter()
        with Records(path, to_read=True) as records:
            summary = records.summary()["connect4"]
            rate(summary)
        seconds = time.perf_counter() - began
        games = sum(sum(counts) for counts in summary.values())
        size = path.stat().st_size / 1e6
        command = [sys.executable, "-m", "fourlab.cli.main", "ladder", "--record", str(path)]
        began = time.perf_counter()
        subprocess.run(command, check=True)
        whole = time.perf_counter() - began
    print(
        f"\n{games:,} games, {size:.1f} MB; ratings in {seconds:.2f} s, the command {whole:.2f} s"
    )


PARTS = {"speed": speed, "workers": workers, "cluster": cluster, "ladder": ladder}


def main() -> None:
    for name in sys.argv[1:] or PARTS:
        PARTS[name]()


if __name__ == "__main__":
    main()
