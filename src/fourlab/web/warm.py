"""Compiling beside the server: children compile what pages will need, and the server loads it.

A page answers at once. What needs a kernel that a child is still compiling waits for that child
(`Warming.wait`), and can say what it waits for. A task that was done once on this machine for these
sources is not done again.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np

import fourlab
from fourlab.agents.base import Agent
from fourlab.agents.registry import agent as find_agent
from fourlab.core.jit import COMPILED
from fourlab.rules.catalog import GAMES, game, name_of
from fourlab.rules.geometry import Rules
from fourlab.rules.position import position_of

CHILDREN = 2
PATIENCE = 0.25  # seconds between two looks at a child that is waited for
OTHER = "connect:columns=5,rows=4,k=4"  # stands for all boards without a kernel of their own


def _board(rules: Rules) -> str:
    return name_of(rules) if name_of(rules) in GAMES else "any"


def _rules(board: str) -> Rules:
    return game(OTHER if board == "any" else board)


def _prepare_agent(spec: str, board: str) -> None:
    find_agent(spec, _rules(board)).prepare()


def _prepare_solver(board: str) -> None:
    from fourlab.search.solver import shared_solver

    solver = shared_solver(_rules(board))
    solver.prepare()
    solver.scores(position_of(solver.rules, "444444152633" if board == "connect4" else "12"))


def _prepare_learning(_board: str) -> None:
    from fourlab.learning.evaluation import play_off
    from fourlab.learning.registry import learner

    made = learner("q:games=2,opponent=baseline", OTHER)
    made.watch()
    play_off(made, find_agent("baseline", OTHER), 2, 0, "alternating")


def _prepare_network(_board: str) -> None:
    from fourlab.agents.net import Net
    from fourlab.agents.zero import Zero
    from fourlab.values.layers import Shape
    from fourlab.values.network import Network

    rules, shape = game(OTHER), Shape(width=1, blocks=0, head=1, hidden=1, bins=2)
    layers = {name: np.zeros(size, np.float32) for name, size in shape.layout(rules).items()}
    for kind in (Zero, Net):
        kind(rules, None, Network(rules, shape, layers)).prepare()


def _prepare_arena(_board: str) -> None:
    from fourlab.arena.match import play_here

    rules = game(OTHER)
    play_here(find_agent("baseline", rules), find_agent("flat:playouts=1", rules), 2, 0)


# What is done, by name: most wanted first. `kind@board`; `any` is every board without a name.
TASKS: dict[str, tuple[str, Callable[[str], None]]] = {
    "mcts@connect4": ("the tree search", lambda board: _prepare_agent("mcts", board)),
    "solver@connect4": ("the exact search", _prepare_solver),
    "learning@any": ("the learners", _prepare_learning),
    "minimax@any": ("alpha-beta", lambda board: _prepare_agent("minimax", board)),
    "solver@any": ("the exact search of other boards", _prepare_solver),
    "mcts@any": ("the tree search of other boards", lambda board: _prepare_agent("mcts", board)),
    "zero@any": ("search with a network", _prepare_network),
    "arena@any": ("the arena", _prepare_arena),
    "flat@connect4": ("flat Monte Carlo", lambda board: _prepare_agent("flat", board)),
    "flat@any": ("flat Monte Carlo of other boards", lambda board: _prepare_agent("flat", board)),
    "solver@tictactoe": ("the exact search of tic-tac-toe", _prepare_solver),
    "mcts@tictactoe": ("the tree search of tic-tac-toe", lambda b: _prepare_agent("mcts", b)),
}


def task_of(agent: Agent) -> str:
    """Return the task after which an agent is ready, '' if it is at once."""
    kind = {"perfect": "solver", "net": "zero"}.get(agent.name, agent.name)
    return task_named(kind, agent.rules)


def task_named(kind: str, rules: Rules) -> str:
    """Return the task of a kind for a board, '' if there is none."""
    names = (f"{kind}@{_board(rules)}", f"{kind}@any")
    return next((name for name in names if name in TASKS), "")


class Warming:
    """The tasks of one server, and how far they are."""

    def __init__(self, tasks: tuple[str, ...] = tuple(TASKS)) -> None:
        self.tasks = tasks
        self._done = {name: threading.Event() for name in tasks}
        self._children: list[subprocess.Popen[bytes]] = []
        self._lock = threading.Lock()
        self._waiting = list(tasks)
        self._is_closed = False

    def start(self) -> None:
        """Begin, in the background."""
        if not COMPILED:
            for event in self._done.values():
                event.set()
            return
        for _ in range(CHILDREN):
            threading.Thread(target=self._work, daemon=True).start()

    def close(self) -> None:
        """Stop all children."""
        with self._lock:
            self._is_closed = True
            for child in self._children:
                child.kill()
        for event in self._done.values():
            event.set()

    @property
    def progress(self) -> tuple[int, int]:
        """How many tasks are done, and how many there are."""
        return sum(event.is_set() for event in self._done.values()), len(self.tasks)

    def words(self, task: str) -> str:
        """Say what is waited for."""
        done, of = self.progress
        return f"Compiling {TASKS[task][0]}, once on this machine ({done} of {of} done)"

    def is_ready(self, task: str) -> bool:
        """Return whether a task is done; one that nobody does is."""
        return task not in self._done or self._done[task].is_set()

    def wait(self, task: str, told: Callable[[str], None], stop: Callable[[], bool]) -> None:
        """Wait for a task; `told` hears what is waited for, again and again, until `stop`."""
        if not self.is_ready(task):
            self._hurry(task)
        while not self.is_ready(task) and not stop():
            told(self.words(task))
            self._done[task].wait(PATIENCE)

    def _hurry(self, task: str) -> None:
        """Let a task be the next."""
        with self._lock:
            if task in self._waiting:
                self._waiting.remove(task)
                self._waiting.insert(0, task)

    def _work(self) -> None:
        while True:
            with self._lock:
                if self._is_closed or not self._waiting:
                    return
                task = self._waiting.pop(0)
            with contextlib.suppress(OSError):  # then whoever needs it compiles it
                self._run(task)
            self._done[task].set()

    def _run(self, task: str) -> None:
        marker = marker_of(task)
        if marker is not None and marker.exists():
            return
        source = str(Path(fourlab.__file__).parent.parent)
        path = os.pathsep.join([source, *filter(None, [os.environ.get("PYTHONPATH")])])
        child = subprocess.Popen(  # noqa: S603  # our own module, and a task of TASKS
            [sys.executable, "-m", "fourlab.web.warm", task],
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        with self._lock:
            self._children.append(child)
            if self._is_closed:
                child.kill()
        ended = child.wait()
        with self._lock:
            self._children.remove(child)
        if ended == 0 and marker is not None:
            marker.touch()


def marker_of(task: str) -> Path | None:
    """Return the file that says that a task was done for these sources, None without a cache."""
    from fourlab.core.kernel_cache import base_folder, source_hash

    folder = base_folder()
    if not folder.is_dir():
        return None
    return folder / f"warm-{task}-{source_hash('fourlab.web.warm')}"


def prepare_rules() -> None:
    """Compile or load the rules: without them no page can be shown."""
    for board in (*GAMES, OTHER):
        position = position_of(game(board), "12")
        position.mirror()
        find_agent("baseline", position.rules).decide(position, np.random.default_rng(0))


def main(task: str) -> None:
    """Do a task; runs in a child."""
    TASKS[task][1](task.partition("@")[2])


if __name__ == "__main__":
    main(sys.argv[1])
