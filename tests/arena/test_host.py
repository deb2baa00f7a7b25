"""What agents do to a game costs the one who does it."""

import math
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from fourlab.agents.registry import agent
from fourlab.agents.simple import Random
from fourlab.arena.host import Host
from fourlab.arena.seats import _blamed
from fourlab.rules.catalog import game

SMALL = "connect:columns=5,rows=4,k=4"
HEAD = """
def choose(position, rng):
    if position.ply >= 4: {}
    return position.ply % 2
"""


def played(folder: Path, code: str, number: int = 0) -> dict[str, Any]:
    """Return what is said of a game between `random` and a function that does this at move 5."""
    (folder / "odd.py").write_text(HEAD.format(code))
    said: list[dict[str, Any]] = []
    host = Host(said.append, faults=(BaseException,))
    agents = (agent("random", SMALL), agent(str(folder / "odd.py"), SMALL))
    host.play(number, agents, 1, game(SMALL).start(), math.inf)
    return said[-1]


def test_a_position_that_an_agent_changes_is_not_that_of_the_game(tmp_path: Path) -> None:
    change = (
        "object.__setattr__(position, 'occupied', 0); object.__setattr__(position, 'moves', ())"
    )
    told = played(tmp_path, change)
    assert len(told["moves"]) >= 7
    assert game(SMALL).start().play_all(told["moves"]).is_over or told["forfeit"]


RAISED = {
    "raise KeyboardInterrupt": "odd.py:3: KeyboardInterrupt in: if",
    "raise GeneratorExit": "odd.py:3: GeneratorExit",
    "raise ValueError('\\udce9 \\x07\\n line')": "odd.py:3: ValueError: \\udce9 \\x07 line",
    "raise ValueError('z' * 1_000_000)": "odd.py:3: ValueError: zzz",
    "raise type('E', (Exception,), {'__str__': lambda self: 1 / 0})": "odd.py:3: E: (and ZeroDiv",
}


@pytest.mark.parametrize("code", RAISED)
def test_whatever_is_raised_is_told_in_a_line_that_can_be_kept(tmp_path: Path, code: str) -> None:
    told = played(tmp_path, code)
    assert told["result"] == 1
    [_, _, line] = told["forfeit"].partition(" at move 6: ")
    assert line.startswith(RAISED[code])
    assert line.isprintable()
    assert len(line) < 1000


@pytest.mark.parametrize("number", [0, 1])
def test_what_breaks_one_of_ours_is_the_fault_of_the_code_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    monkeypatch.setattr(Random, "decide", lambda *_: 1 / 0)
    told = played(tmp_path, "pass", number)
    assert told["result"] == 1
    assert told["forfeit"].startswith("odd.py@")
    file = str(tmp_path / "odd.py")
    for specs, thinks, guilty in (
        (("random", file), 0, 1),
        (("random", file), 1, 1),
        ((file, "random"), 1, 0),
        ((file, file), 1, 1),
        (("random", "engine:./theirs"), 0, 0),  # which has a process of its own
        (("engine:./theirs", file), 0, 0),
    ):
        blamed = _blamed({"thinks": thinks, "agent": specs[thinks]}, specs)
        assert blamed == {"thinks": guilty, "agent": specs[guilty]}


def test_who_leaves_threads_running_answers_for_one_of_ours_that_comes_late(
    tmp_path: Path,
) -> None:
    (tmp_path / "odd.py").write_text(HEAD.format("pass"))
    host = Host(lambda _: None)
    specs = ("random", str(tmp_path / "odd.py"))
    over = threading.Event()
    assert host._late(specs, 0, 2.0, worked=0.1, was_kept=False) == (0, "took 2 s")
    threading.Thread(target=over.wait, args=(60,)).start()
    try:
        assert host._late(specs, 0, 2.0, worked=1.9, was_kept=False) == (0, "took 2 s")
        blamed, words = host._late(specs, 0, 2.0, worked=0.1, was_kept=False)
        assert host._late(specs, 1, 2.0, worked=0.1, was_kept=False) == (1, "took 2 s")
    finally:
        over.set()
    assert (blamed, words) == (1, "its threads left no time to random, which took 2 s")


SPINS = """
import threading
import time

def spin():
    while spinning: pass

spinning = [True]

def choose(position, rng):
    if position.ply == 0: threading.Thread(target=spin, daemon=True).start()
    return position.ply % 2
"""
WAITS = """
import time

def choose(position, rng):
    until = time.monotonic() + 30  # a bound, not a measurement
    while position.ply >= 4 and not threads.work(other) and time.monotonic() < until: pass
    return position.ply % 2
"""


def test_of_two_own_agents_the_one_whose_threads_took_the_time_loses(tmp_path: Path) -> None:
    """The second waits for work of the first one's thread, and is late by no more than that."""
    (tmp_path / "spins.py").write_text(SPINS)
    (tmp_path / "waits.py").write_text(WAITS)
    spins, waits = (agent(str(tmp_path / f"{name}.py"), SMALL) for name in ("spins", "waits"))
    said: list[dict[str, Any]] = []
    host = Host(said.append)
    function = type(waits).function.__globals__  # type: ignore[attr-defined]
    function.update(threads=host.threads, other=spins.spec)
    began = time.perf_counter()
    try:
        host.play(0, (spins, waits), 1, game(SMALL).start(), math.inf)
        assert host.threads.are_at_work()
        assert not said[-1]["forfeit"]
        assert time.perf_counter() - began > host.threads.work(spins.spec) > 0
        assert host.threads.work(waits.spec) == 0
    finally:
        type(spins).function.__globals__["spinning"].clear()  # type: ignore[attr-defined]
    specs = (spins.spec, waits.spec)
    assert host._late(specs, 1, 2.0, worked=0.9, was_kept=True) == (
        0, f"its threads left no time to {waits.spec}, which took 2 s",
    )  # fmt: skip
