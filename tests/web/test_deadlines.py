"""One deadline for every kind of work, and a server that ends when it is told to."""

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import numpy as np
import pytest
from fastapi import HTTPException

from fourlab.agents.registry import agent
from fourlab.arena.events import Event
from fourlab.arena.match import play
from fourlab.arena.pairing import Pairing, Stretch
from fourlab.core.errors import SpecError
from fourlab.core.limit import CalledOffError
from fourlab.rules.catalog import game
from fourlab.web import events, workbench
from fourlab.web.api import think
from fourlab.web.laboratory import Laboratory
from fourlab.web.limits import THOUGHT_SECONDS, read_agent
from fourlab.web.workbench import Job
from web.bench import PATIENCE, TestBench, on_a_loop
from web.server import free_port

LARGE = "mnk:columns=9,rows=6,k=4"  # where a move of a deep search takes hours


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The clock of the workbench, to be set by hand."""
    now = [100.0]
    monkeypatch.setattr(workbench, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


def test_a_thought_has_its_time_from_the_first_look_on(clock: list[float]) -> None:
    job = Job(lambda deliver: None)
    stop = job.limit.stop
    clock[0] += 60.0  # something is compiled
    assert not stop()
    clock[0] += THOUGHT_SECONDS - 0.01
    assert not stop()
    clock[0] += 0.01
    assert stop()
    assert not job.limit.stop()  # the next thought has its own
    job.cancel()
    assert job.limit.stop()


@pytest.mark.parametrize(
    "spec", ["flat:playouts=20000,heavy=yes", "mcts:sims=10000,minimax=4", "minimax:depth=6"]
)
def test_agents_that_have_no_clock_of_their_own_heed_that_of_the_web(
    spec: str, clock: list[float]
) -> None:
    """They end at the first look after the time is over, with a legal move."""
    rules = game(LARGE)
    limit = Job(lambda deliver: None).limit
    player = read_agent(spec, rules)
    looks = 0

    def late() -> bool:
        nonlocal looks
        looks += 1
        clock[0] += THOUGHT_SECONDS / 3
        return limit.stop()

    watched = type(limit)(stop=late)
    found = player.decide(rules.start(), np.random.default_rng(1), watched)
    assert found.move in rules.start().legal_moves()
    assert looks <= 5


def test_plain_minimax_is_let_in_where_it_ends() -> None:
    assert read_agent("minimax:plain=yes", game("tictactoe"))
    assert read_agent("minimax:plain=yes,time=1", game(LARGE))
    assert read_agent("minimax:depth=8,plain=yes", game("connect4"))
    for spec, board, most in (
        ("minimax:depth=9,plain=yes", "connect4", 8),
        ("minimax:depth=5,plain=yes", LARGE, 4),
        ("minimax:plain=yes", "mnk:columns=4,rows=3,k=3", 7),
    ):
        with pytest.raises(SpecError, match=f"too much for the web .* at most depth={most}"):
            read_agent(spec, game(board))


SLOW = ("minimax:depth=14", "minimax:depth=13")


def test_games_are_called_off_in_the_middle_of_a_move() -> None:
    looks = iter(range(20))
    pairing = Pairing(LARGE, *SLOW, seed=1, plies=2)
    with pytest.raises(CalledOffError):
        play(Stretch(pairing, 0, 2), stop=lambda: next(looks, None) is None)


def test_games_in_a_process_of_their_own_are_called_off_too() -> None:
    agents = ("minimax:depth=62,time=3600", "minimax:depth=61,time=3600")
    looks = iter(range(20))
    with pytest.raises(CalledOffError):
        play(Stretch(Pairing(LARGE, *agents, 1, 2), 0, 2), stop=lambda: next(looks, None) is None)


def run_one(bench: TestBench, work: Callable[[Job], None]) -> str:
    """Do some work; return why it failed."""
    told: list[str] = []
    bench.start(work, failed=told.append)
    bench.until(lambda: told)
    return told[0]


def test_an_event_that_is_too_slow_to_be_measured_is_refused(
    bench: TestBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "READY_SECONDS", 0.0)
    monkeypatch.setattr(events, "MOST_SECONDS", 0.1)
    event = Event(LARGE, SLOW, 40, 1)
    why = run_one(bench, lambda job: events.measure(job, event, lambda *_: None) and None)
    assert "this would take more than" in why
    assert "minimax:depth=14 against minimax:depth=13 is too slow" in why


def test_an_event_that_takes_longer_than_it_was_said_to_is_stopped(
    bench: TestBench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(events, "RECORD", tmp_path / "games.db")
    monkeypatch.setattr(events, "LONGEST", 0.1)
    live = events.LiveEvent(bench, Event(LARGE, SLOW, 40, 1).to_json(), None, "")
    live.run(estimate=1.0)
    bench.until(lambda: live.failure)
    assert "what was played is kept" in live.failure
    assert not live.running


def test_closing_calls_off_whatever_runs(bench: TestBench) -> None:
    begun, ended = threading.Event(), threading.Event()

    def work(job: Job) -> None:
        begun.set()
        while not job.cancelled():
            agent("random", "tictactoe")
        ended.set()

    bench.start(work)
    assert begun.wait(PATIENCE)
    bench.close()
    assert ended.wait(PATIENCE)


def test_a_request_whose_asker_has_left_is_called_off() -> None:
    ended = threading.Event()

    def work(job: Job) -> None:
        while not job.cancelled():
            agent("random", "tictactoe")
        ended.set()

    async def gone() -> bool:
        return True

    async def ask() -> None:
        laboratory = Laboratory()
        laboratory.open(asyncio.get_running_loop())
        state = SimpleNamespace(laboratory=laboratory)
        request: Any = SimpleNamespace(app=SimpleNamespace(state=state), is_disconnected=gone)
        with pytest.raises(HTTPException):
            await asyncio.wait_for(think(request, work), PATIENCE)
        laboratory.close()

    on_a_loop(ask())
    assert ended.wait(PATIENCE)


DEAF = """
import sys, time
from fourlab.agents.base import Agent
from fourlab.agents.registry import AGENTS

class Deaf(Agent):
    '''Thinks for ever and hears nothing.'''
    name = "deaf"
    __module__ = "fourlab.agents.deaf"  # what is not ours plays in a process of its own
    def decide(self, position, rng, limit=None):
        print("deaf", flush=True)
        while True:
            time.sleep(0.01)

AGENTS["deaf"] = Deaf
from fourlab.cli import serve
serve.LAST_SECONDS = 3600.0
from fourlab.cli.main import main
sys.argv = ["fourlab", "serve", "--port", sys.argv[1]]
main()
"""


@pytest.fixture
def deaf(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], int, Path]]:
    """A server with an agent that hears of no limit, its port, and what it says of errors."""
    port = free_port()
    errors = (tmp_path / "errors").open("w+")
    process = subprocess.Popen(
        [sys.executable, "-c", DEAF, str(port)],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        assert process.stdout is not None
        assert any("fourlab is at" in line for line in iter(process.stdout.readline, ""))
        yield process, port, tmp_path / "errors"
    finally:
        errors.close()
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def test_the_server_ends_whatever_its_threads_do(
    deaf: tuple[subprocess.Popen[str], int, Path],
) -> None:
    """Ctrl-C ends it even while agents think that hear of no limit, and nobody waits for them.

    Whoever is impatient and presses it again and again sees no traceback.
    """
    process, port, errors = deaf
    for _ in range(2):
        with pytest.raises(httpx.TimeoutException):
            httpx.get(f"http://localhost:{port}/api/decide?agent=deaf", timeout=0.5)
        assert process.stdout is not None
        assert process.stdout.readline() == "deaf\n"
    for _ in range(300):
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=0.2)
    assert process.poll() == 128 + signal.SIGINT
    assert "Traceback" not in errors.read_text()


HALF = "POST /api/games HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999\r\n\r\n{"
WHOLE = "GET /api/decide?agent=deaf HTTP/1.1\r\nHost: localhost\r\n\r\n"


def test_requests_that_the_end_calls_off_leave_no_traceback(
    deaf: tuple[subprocess.Popen[str], int, Path],
) -> None:
    """And threads that hear nothing are not waited for once all is saved."""
    process, port, errors = deaf
    with contextlib.ExitStack() as stack:
        for request in (HALF, HALF, WHOLE):
            asker = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            asker.sendall(request.encode())
        assert process.stdout is not None
        assert process.stdout.readline() == "deaf\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 128 + signal.SIGINT
    told = errors.read_text()
    assert "Traceback" not in told
    assert "Cancel 3 running task(s)" in told
