"""What children compile is waited for by name, and nobody waits for nothing."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from fourlab.agents.registry import agent
from fourlab.core import kernel_cache
from fourlab.rules.catalog import game
from fourlab.web import warm
from fourlab.web.warm import TASKS, Warming, task_named, task_of
from fourlab.web.workbench import Job

FIRST, SECOND, THIRD = list(TASKS)[:3]


class Children:
    """Children that end when they are told, instead of real ones."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun: list[str] = []
        self.began = threading.Condition()
        self.go = threading.Semaphore(0)
        monkeypatch.setattr(Warming, "_run", lambda _, task: self.run(task))

    def run(self, task: str) -> None:
        with self.began:
            self.begun.append(task)
            self.began.notify_all()
        assert self.go.acquire(timeout=60)

    def until(self, count: int) -> None:
        with self.began:
            assert self.began.wait_for(lambda: len(self.begun) >= count, timeout=60)


def test_who_waits_is_told_what_for_and_comes_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm, "CHILDREN", 1)
    children = Children(monkeypatch)
    warming = Warming((FIRST, SECOND, THIRD))
    warming.start()
    children.until(1)
    told: list[str] = []
    waiter = threading.Thread(target=warming.wait, args=(THIRD, told.append, lambda: False))
    waiter.start()
    while not told:
        pass
    children.go.release(2)
    waiter.join(timeout=60)
    assert children.begun[:2] == [FIRST, THIRD]
    assert told[0] == f"Compiling {TASKS[THIRD][0]}, once on this machine (0 of 3 done)"
    assert warming.is_ready(THIRD)
    children.go.release()
    warming.wait(SECOND, told.append, lambda: False)
    assert warming.progress == (3, 3)


def test_waiting_can_be_called_off_and_ends_with_the_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    children = Children(monkeypatch)
    warming = Warming((FIRST,))
    warming.start()
    children.until(1)
    job = Job(lambda action: None, warming)
    job.cancel()
    job.await_kernels(FIRST, lambda words: None)
    assert not warming.is_ready(FIRST)
    closer = threading.Timer(0.05, warming.close)
    closer.start()
    warming.wait(FIRST, lambda words: None, lambda: False)
    closer.join()
    children.go.release()


def test_nobody_waits_for_what_is_not_compiled() -> None:
    warming = Warming(())
    warming.wait("human@connect4", pytest.fail, lambda: False)
    Job(lambda action: None).await_kernels(FIRST, pytest.fail)


@pytest.mark.parametrize(
    ("spec", "board", "task"),
    [
        ("mcts:sims=5", "connect4", "mcts@connect4"),
        ("mcts", "connect:columns=8,rows=6,k=4", "mcts@any"),
        ("perfect", "tictactoe", "solver@tictactoe"),
        ("minimax", "connect4", "minimax@any"),
        ("baseline", "connect4", ""),
    ],
)
def test_agents_know_their_task(spec: str, board: str, task: str) -> None:
    assert task_of(agent(spec, board)) == task
    assert task == "" or task in TASKS
    assert task_named("solver", game(board)).startswith("solver@")


def test_a_child_compiles_into_the_cache_and_is_not_asked_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-m", "fourlab.web.warm", "flat@any"]
    subprocess.run(command, env=environment, check=True)
    assert list(tmp_path.rglob("search.flat-*/search_here-*.nbc"))
    started: list[object] = []
    monkeypatch.setattr(subprocess, "Popen", lambda *args, **_: started.append(args))
    marker = warm.marker_of("flat@any")
    assert marker is not None
    assert marker.is_relative_to(kernel_cache.base_folder())
    marker.touch()
    Warming(("flat@any",))._run("flat@any")
    assert started == []
