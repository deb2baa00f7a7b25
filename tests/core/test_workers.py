"""Work is done wherever it is sent, once, also when workers die."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from cells import notebook
from command import run as run_command
from fourlab.agents.registry import agent
from fourlab.arena.certify.certificate import certify, differences
from fourlab.arena.events import Event
from fourlab.arena.grading import grade
from fourlab.arena.records import Records
from fourlab.arena.tournament import Tournament, tournament
from fourlab.core import own, trial
from fourlab.core import workers as workers_module
from fourlab.core.errors import FourlabError, SpecError
from fourlab.core.workers import ClusterError, Workers
from fourlab.learning.runs import Run, RunConfig
from fourlab.positions.suites import suite
from fourlab.rules.catalog import game
from fourlab.values.knowledge import CHECKPOINT
from nets import random_network

STUDY_FILE = Path(__file__).parents[1] / "studies/gated_study.py"
SMALL = "connect:columns=5,rows=4,k=4"
TINY = "connect:columns=4,rows=4,k=3"


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a job of a cluster is done in this process, it does not end as a worker does."""
    monkeypatch.setattr(workers_module, "_end_in_time", lambda: None)


def square(number: int) -> int:
    return number * number


def die_once(job: tuple[int, str]) -> int:
    """Kill this worker, unless that has happened before."""
    number, marker = job
    if number == 3 and not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def die(_job: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def fail(job: int) -> None:
    raise KeyError(job)


def wait_until_left(begun: threading.Event) -> bool:
    begun.set()
    return workers_module._here.left.wait(60)  # type: ignore[no-any-return]


def wait_long(path: str) -> None:
    Path(path).open("w").close()  # a pipe: somebody reads at the other end
    threading.Event().wait(60)


def test_nobody_waits_for_what_is_at_work_after_an_error(tmp_path: Path) -> None:
    begun, pipe, at_work = threading.Event(), tmp_path / "pipe", []
    os.mkfifo(pipe)
    with suppress(KeyError), Workers(1) as workers:
        at_work.append(workers.executor.submit(wait_until_left, begun))
        assert begun.wait(60)
        raise KeyError
    with suppress(KeyError), Workers(1, "processes") as workers:
        at_work.append(workers.executor.submit(wait_long, str(pipe)))
        pipe.read_text()  # until it has begun
        raise KeyError
    assert at_work[0].result()
    assert isinstance(at_work[1].exception(), BrokenExecutor)


@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_every_job_is_done_once(kind) -> None:
    with Workers(2, kind) as workers:
        done = list(workers.run(square, range(50)))
    assert sorted(done) == [(n, n * n) for n in range(50)]


def test_a_worker_that_is_interrupted_while_it_begins_does_its_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C in a terminal is heard by all; whoever owns the workers ends them."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, signal, sys\n"
        "if '--multiprocessing-fork' in sys.orig_argv:\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    with Workers(1, "processes") as pool:
        assert [result for _, result in pool.run(square, [3])] == [9]
    assert "KeyboardInterrupt" not in capfd.readouterr().err
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_jobs_are_drawn_as_workers_free_up() -> None:
    drawn = []

    def jobs() -> Iterator[int]:
        for number in range(100):
            drawn.append(number)
            yield number

    with Workers(2) as workers:
        going = workers.run(square, jobs())
        next(going)
        assert len(drawn) <= 6
        going.close()


def test_a_job_whose_worker_is_killed_is_done_again(tmp_path: Path) -> None:
    marker = tmp_path / "killed"
    with Workers(2, "processes") as workers:
        done = [result for _, result in workers.run(die_once, [(n, str(marker)) for n in range(9)])]
    assert marker.exists()
    assert sorted(done) == list(range(9))


def test_a_job_that_kills_every_worker_is_given_up() -> None:
    with (
        Workers(1, "processes") as workers,
        pytest.raises(FourlabError, match="a worker died 4 times over the same job"),
    ):
        list(workers.run(die, [1]))


def test_errors_of_jobs_are_raised() -> None:
    with Workers(2) as workers, pytest.raises(KeyError):
        list(workers.run(fail, [1]))


def test_grades_do_not_depend_on_workers() -> None:
    rules = game(SMALL)
    positions = suite(rules, "middle")[:100]
    player = agent("mcts:sims=20", rules)
    alone = grade(player, positions, seed=3)
    with Workers(2, "processes") as workers:
        assert grade(player, positions, seed=3, workers=workers).to_json() == alone.to_json()


def test_no_cluster_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers_module, "CONNECT_SECONDS", 1)
    with pytest.raises(ClusterError, match=r"no Dask scheduler at tcp://127.0.0.1:1 "):
        Workers(cluster="tcp://127.0.0.1:1")


def echo(job: int) -> int:
    return job


def test_a_worker_with_other_sources_does_no_job(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = workers_module.sources_digest()
    assert workers_module.same_sources(mine, echo, 7) == 7
    with pytest.raises(ClusterError, match="has another fourlab than this"):
        workers_module.same_sources("0" * 16, echo, 7)


def copied(place: Path) -> None:
    """Copy the sources of fourlab."""
    unread = shutil.ignore_patterns("__pycache__", "static", "shipped", "books", "reports")
    shutil.copytree(Path(workers_module.__file__).parents[1], place, ignore=unread)


def test_equal_sources_are_known_wherever_they_lie(tmp_path: Path) -> None:
    """In a folder or in an archive; an edit makes others of them."""
    folder, edited = tmp_path / "folder", tmp_path / "folder" / "fourlab" / "core" / "dice.py"
    copied(folder / "fourlab")
    packed = [shutil.make_archive(str(tmp_path / "same"), "zip", folder)]
    before = edited.read_text()
    edited.write_text(f"{before}# edited")
    packed.append(shutil.make_archive(str(tmp_path / "other"), "zip", folder))
    edited.write_text(before)
    program = "from fourlab.core.workers import sources_digest; print(sources_digest())"
    said = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONPATH": str(place)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for place in (folder, *packed)
    ]
    assert said[0] == said[1] != said[2]


class Client:
    """A cluster of two workers, the second of which says that its sources are these."""

    status = "running"

    def __init__(self, answer: Any) -> None:
        self.answer, self.closed = answer, False

    def nthreads(self) -> dict[str, int]:
        return {"tcp://a:1": 1, "tcp://b:2": 1}

    def run(self, function: Any) -> dict[str, str]:
        if isinstance(self.answer, Exception):
            raise self.answer
        return {"tcp://a:1": function(), "tcp://b:2": self.answer}

    def get_executor(self, **_: Any) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(2)

    def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize("answer", ["0" * 16, AttributeError("no sources_digest")])
def test_a_cluster_with_other_sources_is_refused(
    answer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client(answer)
    monkeypatch.setattr(workers_module, "_connect", lambda _: client)
    with pytest.raises(ClusterError, match=r"(tcp://b:2|one of its workers) has another fourlab"):
        Workers(cluster="tcp://b")
    assert client.closed


def test_a_worker_that_joins_later_with_other_sources_does_no_job(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mine = workers_module.sources_digest()
    monkeypatch.setattr(workers_module, "_connect", lambda _: Client(mine))
    with Workers(cluster="tcp://b") as workers:
        assert list(workers.run(echo, [7])) == [(7, 7)]
        jobs = workers.run(echo, [7, 8])
        digests = iter([mine, "0" * 16, "0" * 16])  # here, then where the jobs are done
        monkeypatch.setattr(workers_module, "sources_digest", lambda: next(digests))
        with pytest.raises(ClusterError, match=r"a worker on .* has another fourlab than this"):
            list(jobs)


@pytest.mark.usefixtures("troublemakers")
def test_agents_from_outside_are_graded_in_workers() -> None:
    rules = game("tictactoe")
    player = agent("filed", rules)
    positions = suite(rules, "middle")[:30]
    with Workers(1, "processes") as workers:
        found = grade(player, positions, workers=workers).to_json()
    assert found == grade(player, positions).to_json()


@contextmanager
def started_cluster(
    folder: Path, count: int, **environment: str
) -> Iterator[tuple[str, list, subprocess.Popen]]:
    """Start a scheduler and some workers, all of them processes of their own."""
    from distributed import Client

    file = folder / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    quiet |= {"env": {**os.environ, **environment}}
    where = ["--host", "127.0.0.1", "--scheduler-file", str(file)]
    started = [
        subprocess.Popen([*dask, "scheduler", "--port", "0", "--no-dashboard", *where], **quiet)
    ]
    for _ in range(count):
        options = ["--nthreads", "1", "--no-nanny", "--no-dashboard"]
        started.append(subprocess.Popen([*dask, "worker", *options, *where], **quiet))
    try:
        with Client(scheduler_file=str(file), set_as_default=False) as client:
            client.wait_for_workers(count, timeout=60)
            address = client.scheduler.address
        yield address, started[1:], started[0]
    finally:
        for process in started[::-1]:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list]]:
    with started_cluster(tmp_path_factory.mktemp("cluster"), 2) as (address, workers, _):
        yield address, workers


@pytest.mark.slow
def test_a_worker_that_has_other_sources_is_refused(tmp_path: Path) -> None:
    def ask(name: str) -> None:
        (tmp_path / name).mkdir()
        with (
            started_cluster(tmp_path / name, 1, PYTHONPATH=str(tmp_path)) as (address, _, _),
            Workers(cluster=address),
        ):
            pass

    copied(tmp_path / "fourlab")
    ask("equal")
    with (tmp_path / "fourlab/core/dice.py").open("a") as file:
        file.write("# edited")
    with pytest.raises(ClusterError, match=r"tcp://.* has another fourlab than this"):
        ask("other")


def fourlab(folder: Path, *arguments: str) -> str:
    """Run a command; return what it prints."""
    done = run_command(*arguments, folder=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_commands_do_on_a_cluster_what_they_do_here(
    cluster: tuple[str, list], tmp_path: Path
) -> None:
    there = ["--cluster", cluster[0]]
    grade = ["grade", "mcts:sims=20", "--game", SMALL, "--positions", "end", "--json"]
    assert fourlab(tmp_path, *grade, *there) == fourlab(tmp_path, *grade)

    book = ["book", "build", "--game", SMALL, "--plies", "5", "--out"]
    fourlab(tmp_path, *book, "there.npz", *there)
    fourlab(tmp_path, *book, "here.npz")
    assert (tmp_path / "there.npz").read_bytes() == (tmp_path / "here.npz").read_bytes()

    sweep = ["sweep", "q:alpha={0.1,0.5}", "--train", "500", "--game", "tictactoe", "--json"]
    sweep += ["--games", "20", "--runs", str(tmp_path / "runs"), "--no-record"]
    trained = json.loads(fourlab(tmp_path, *sweep, *there))
    assert len(list((tmp_path / "runs").rglob(CHECKPOINT))) == 2
    for run in (tmp_path / "runs").iterdir():
        (run / CHECKPOINT).rename(tmp_path / run.name)
    shutil.rmtree(tmp_path / "runs")
    assert json.loads(fourlab(tmp_path, *sweep)) == trained
    for run in (tmp_path / "runs").iterdir():
        assert (run / CHECKPOINT).read_bytes() == (tmp_path / run.name).read_bytes()


def test_a_certificate_is_repeated_on_a_cluster(cluster: tuple[str, list], tmp_path: Path) -> None:
    """Also of a file that changes: its contents count, not what a worker has read before."""
    file, found = tmp_path / "net.safetensors", []
    with Workers(cluster=cluster[0]) as workers:
        for seed in (1, 2):
            random_network(game(TINY), seed=seed).save(file)
            found.append(certify(f"net:{file}", TINY, "second", workers=workers))
            assert differences(certify(f"net:{file}", TINY, "second"), found[-1]) == []
    assert found[0].digest != found[1].digest
    here = ["certify", "perfect:ties=first", "--game", TINY, "--out", "here.json"]
    fourlab(tmp_path, *here)
    there = ["certify", "--check", "here.json", "--cluster", cluster[0], "--json"]
    told = json.loads(fourlab(tmp_path, *there))
    assert told["certified"]
    assert told["agent"] == "perfect:ties=first"


def test_a_study_finds_on_a_cluster_what_it_finds_here(
    cluster: tuple[str, list], tmp_path: Path
) -> None:
    (tmp_path / "gate").touch()
    command = ["study", str(STUDY_FILE), "--quick", "--json", "--out"]
    there, here = (
        json.loads(fourlab(tmp_path, *command, *more))["experiments"]
        for more in (["there", "--cluster", cluster[0]], ["here"])
    )
    assert there == here


def test_workers_that_live_on_grade_what_the_file_holds_now(
    cluster: tuple[str, list], tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    positions = suite(game("tictactoe"), "middle")[:100]
    found = []
    with Workers(cluster=cluster[0]) as workers:
        for games in (50, 5000):
            shutil.rmtree(folder, ignore_errors=True)
            list(Run.start(folder, RunConfig(f"q:games={games}", "tictactoe")).reports())
            player = agent(f"q:{folder}", "tictactoe")
            found.append(grade(player, positions, workers=workers).to_json())
            assert found[-1] == grade(player, positions).to_json()
    assert found[0] != found[1]


def test_a_scheduler_that_dies_is_said_in_a_line(tmp_path: Path) -> None:
    def play(address: str, tournament: Tournament, scheduler: subprocess.Popen) -> None:
        with Workers(cluster=address) as pool:
            for _ in tournament.run(pool):
                scheduler.kill()

    event = Event(SMALL, ("random", "mcts:sims=300"), 4000, seed=1)
    with Records(tmp_path / "games.db") as records:
        tournament = Tournament(event, records)
        with (
            started_cluster(tmp_path, 1) as (address, _, scheduler),
            pytest.raises(ClusterError, match=r"is gone, what was done is kept; .* --resume"),
        ):
            play(address, tournament, scheduler)
        assert 0 < records.count() < 4000


def test_a_cluster_plays_the_same_games_also_when_a_worker_is_killed(
    cluster: tuple[str, list], tmp_path: Path
) -> None:
    address, dask_workers = cluster
    agents = ("random", "mcts:sims=300", "perfect:blunder=0.3")
    event = Event(SMALL, agents, games=60, seed=3)

    def moves(path: Path, kill: bool, **workers) -> list[tuple[str, str]]:
        with Records(path) as records, Workers(**workers) as pool:
            tournament = Tournament(event, records)
            for step, _ in enumerate(tournament.run(pool)):
                if kill and step == 5:
                    dask_workers[0].kill()
            assert records.count() == tournament.played == 180
            return [(entry.id, entry.moves) for entry in records.listing()]

    local = moves(tmp_path / "local.db", False, count=2)
    assert moves(tmp_path / "cluster.db", False, cluster=address) == local
    assert moves(tmp_path / "killed.db", True, cluster=address) == local


def test_a_file_of_ones_own_travels_to_a_cluster(cluster: tuple[str, list], tmp_path: Path) -> None:
    """The file is gone by the time that the workers, which live in another folder, need it."""
    file = tmp_path / "mine.py"
    (tmp_path / "helper.py").write_text("def last(moves):\n    return moves[-1]\n")
    file.write_text(
        "import helper\n\n"
        "def choose(position, rng):\n    return helper.last(position.legal_moves())\n"
    )
    player = agent(str(file), "tictactoe")
    positions = suite(game("tictactoe"), "middle")[:40]
    event = Event(SMALL, (player.spec, "random"), games=4, seed=5)
    here = Tournament(event)
    with Workers(1) as workers:
        list(here.run(workers))
    file.unlink()
    with Workers(cluster=cluster[0]) as workers:
        there = Tournament(event)
        list(there.run(workers))
        graded = grade(player, positions, workers=workers).to_json()
    assert there.results() == here.results()
    assert not any(tally.forfeits for tally in there.tallies)
    assert graded == grade(player, positions).to_json()


def test_a_worker_of_a_cluster_ends_whatever_threads_are_left(tmp_path: Path) -> None:
    """Threads begun in a worker's thread need no waiting for, unless they ask for it."""
    (tmp_path / "mine.py").write_text(
        "import threading\nfrom concurrent.futures import ThreadPoolExecutor\n"
        "threading.Thread(target=threading.Event().wait, daemon=False).start()\n"
        "pool = ThreadPoolExecutor(1); pool.submit(threading.Event().wait)\n"
        "def choose(position, rng):\n    return position.legal_moves()[0]\n"
    )
    with started_cluster(tmp_path, 1) as (address, [worker], _):
        with Workers(cluster=address) as workers:
            place = own.parcel(str(tmp_path / "mine.py")).name
            assert list(workers.run(trial._fault, [place])) == [(place, "")]
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(60) == 0


def test_a_script_without_its_guard_is_told_of_it(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from fourlab.core.workers import Workers\n"
        "with Workers(1, 'processes') as workers:\n    print(list(workers.run(abs, [-1])))\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1].endswith(
        "put what is done under: if __name__ == '__main__':"
    )


def test_what_was_written_in_a_cell_travels_to_a_cluster(cluster: tuple[str, list]) -> None:
    with notebook() as book:
        book.run("ORDER = (4, 3)\n")
        book.run("def mine(position, rng):\n    return [*ORDER, *position.legal_moves()][-1]\n")
        mine = book.names["mine"]
        here = tournament(mine, "random", game=SMALL, games=4, workers=1)
        there = tournament(mine, "random", game=SMALL, games=4, cluster=cluster[0])
        assert there.results() == here.results()
        assert not any(tally.forfeits for tally in there.tallies)
        positions = suite(game(SMALL), "end")[:20]
        graded = grade(mine, positions, game=SMALL, cluster=cluster[0])
        assert graded.to_json() == grade(mine, positions, game=SMALL).to_json()
        book.run("ORDER = [print]\n")
        with pytest.raises(SpecError, match=r"uses ORDER, .*%%writefile"):
            tournament(mine, "random", game=SMALL, games=4, cluster=cluster[0])


TROUBLE = {
    "os._exit(7)": "its process ended with code 7",
    "return None": "answered None; a move is a whole number",
    "raise KeyError": "trouble.py:4: KeyError in: ",
    "return 99": "column 100 does not exist",
    "return bytearray(3 << 30)": "trouble.py:4: MemoryError",
    "time.sleep(1.3)": " 1 s",  # late, or later than anybody waits
    "time.sleep(3600)": "no move within 1 s",
}


def test_trouble_on_a_cluster_costs_its_own_games(
    cluster: tuple[str, list], tmp_path: Path
) -> None:
    text = "import os, time\n\ndef choose(position, rng):\n    {}\n    return 0\n"
    players = []
    for number, code in enumerate(TROUBLE):
        file = tmp_path / str(number) / "trouble.py"
        file.parent.mkdir()
        file.write_text(text.format(f"if position.ply < 4: {code}"))  # not near the end: no trial
        players.append(str(file))
    event = Event(SMALL, ("random", *players), games=2, gauntlet=True, plies=0, move_seconds=1.0)
    there = Tournament(event)
    with Workers(cluster=cluster[0]) as workers:
        list(there.run(workers))
    for tally, says in zip(there.tallies, TROUBLE.values(), strict=True):
        assert len(tally.forfeits) == 2
        assert all(text.startswith("trouble.py@") for text in tally.forfeits.values())
        assert all(says in text for text in tally.forfeits.values())
