"""fourlab as an engine: what it answers to whom."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from fourlab.adapters import serving
from fourlab.adapters.serving import EngineServer, serve
from fourlab.agents.registry import agent
from fourlab.core.errors import SpecError
from fourlab.rules.catalog import game


def answers(spec: str, *lines: str, board: str = "connect4") -> list[str]:
    said: list[str] = []
    serve(EngineServer(spec, game(board), said.append), lines, lambda: None)
    return said


def test_it_introduces_itself_with_its_options() -> None:
    for hello, end in (("fourlab 1", "ready"), ("ugi", "ugiok")):
        said = answers("minimax:depth=3", hello, "isready")
        assert said[0].startswith("id name fourlab ")
        assert any(line.startswith("option name depth type spin default 3 min ") for line in said)
        assert said[-2:] == [end, "readyok"]


def test_bounds_of_whole_numbers_are_whole_numbers() -> None:
    """A program that reads the options of an engine takes no 1e+09."""
    said = answers("mcts", "ugi")
    assert "option name sims type spin default none min 0 max 1000000000" in said
    assert "option name time type string default none min 0.001 max 86400" in said


@pytest.mark.parametrize("position", ["position 4453", "position startpos moves 4 4 5 3"])
def test_it_answers_with_what_the_agent_decides(position: str) -> None:
    start = game("connect4").start().play_all("4453")
    here = agent("minimax:depth=4,ties=first").decide(start, np.random.default_rng(1))
    moved = f"bestmove {here.move + 1}"
    for go in (
        "go",
        "go depth 4",
        "go movetime 60000",
        "go p1time 9000000 p2time 10",
        "go time 60",
    ):
        assert answers("minimax:depth=4,ties=first", position, go)[-1] == moved


def test_a_seed_repeats_a_move_and_clocks_are_those_of_the_side_to_move() -> None:
    lines = [line for n in (*range(9), *range(9)) for line in (f"seed {n}", "position 1", "go")]
    moves = [said for said in answers("random", *lines) if said.startswith("bestmove")]
    assert moves[:9] == moves[9:]
    assert len(set(moves)) > 2
    server = EngineServer("random", game("connect4"), lambda line: None)
    assert server._limit({"p1time": 2000, "p2time": 9}).seconds == pytest.approx(0.1)
    server.do_position("4")
    assert server._limit({"p1time": 9, "p2time": 4000, "p2inc": 1000}).seconds == 0.7


def test_queries_tell_how_the_game_stands() -> None:
    asked = ("query gameover", "query p1turn", "query result")
    assert answers("random", "position 4", *asked) == [
        "response false", "response false", "response none",
    ]  # fmt: skip
    assert answers("random", "position 1212121", *asked)[::2] == [
        "response true", "response p1win",
    ]  # fmt: skip
    assert answers(
        "random", "game columns 3 rows 3 connect 3 gravity 0", "position 123", asked[1]
    ) == ["response false"]


def test_mistakes_are_answered_and_the_next_line_too() -> None:
    said = answers(
        "minimax",
        *("position 8", "setoption name deep value 3", "setoption name depth value x"),
        *(
            "query x",
            "game columns x",
            "game columns 70 rows 6 connect 4",
            "game columns 3 rows 3 connect 3 gravity no",
            "nonsense",
            "",
            "isready",
        ),
        *("position 1212121", "go"),
    )
    assert [line.split()[0] for line in said] == [*["error"] * 7, "info", "readyok", "error"]
    with pytest.raises(SpecError, match="is no program"):
        EngineServer("human", game("connect4"), said.append)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("go depth -3", "error agent 'minimax': depth='-3' is not allowed"),
        ("go depth 0", "depth='0' is not allowed"),
        ("go depth x", "depth='x' is not allowed"),
        ("go movetime", "go movetime '': write a number"),
        ("go infinite nodes ten", "go nodes 'ten': write a number"),
        ("go time nan", "go time 'nan': write a number"),
        ("seed -1", "seed '-1': write a whole number"),
        ("position startpos 44", "position 'startpos 44': write startpos moves"),
    ],
)
def test_wrong_numbers_are_told_with_what_to_write(line: str, says: str) -> None:
    server = EngineServer("minimax:depth=2", game("tictactoe"), (said := []).append)
    server.agent.decide = None  # type: ignore[assignment,method-assign]  # nothing is thought about
    server.answer(line)
    [answer] = said
    assert answer.startswith("error ")
    assert says in answer


def test_it_is_stopped_while_it_thinks() -> None:
    thinking = threading.Event()

    def lines() -> Iterator[str]:
        yield "go"
        thinking.wait(60)
        yield "stop"

    def say(line: str) -> None:
        said.append(line)

    said: list[str] = []
    server = EngineServer("random", game("connect4"), say)

    class Patient(type(server.agent)):  # type: ignore[misc]
        def decide(self, position, rng, limit):  # type: ignore[no-untyped-def]
            thinking.set()
            while not limit.stop():
                pass
            return super().decide(position, rng)

    server.agent = Patient(server.agent.rules)
    serve(server, lines(), lambda: None)
    assert said[-1].startswith("bestmove")


OWN = """
import slow_thing, sys

def choose(position, rng):
    slow_thing.asked += 1
    return {}
"""


@pytest.mark.parametrize("answer", ["position.legal_moves()[0]", "sys.exit()", "time"])
def test_own_agents_decide_once_before_anybody_waits(tmp_path: Path, answer: str) -> None:
    (tmp_path / "slow_thing.py").write_text("asked = 0\n")
    (tmp_path / "mine.py").write_text(OWN.format(answer))
    server = EngineServer(str(tmp_path / "mine.py"), game("connect4"), lambda line: None)
    assert type(server.agent).function.__globals__["slow_thing"].asked == 1  # type: ignore[attr-defined]


HANGING = """
import threading
over = threading.Event()

def choose(position, rng):
    over.wait(60)
"""


def test_an_own_agent_that_hangs_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "READY_SECONDS", 0.01)
    (tmp_path / "mine.py").write_text(HANGING)
    server = EngineServer(str(tmp_path / "mine.py"), game("connect4"), lambda line: None)
    over = type(server.agent).function.__globals__["over"]  # type: ignore[attr-defined]
    assert not over.is_set()
    over.set()


@pytest.mark.parametrize("way", [(), ("--gtp",)])
def test_bytes_that_are_no_text_are_answered_like_other_mistakes(way: tuple[str, ...]) -> None:
    """Nothing on standard error, and the line after them is answered, too."""
    known = b"fourlab" if not way else b"list_commands"
    done = subprocess.run(
        [sys.executable, "-m", "fourlab.cli.main", "engine", "random", *way],
        input=b"\xff\n\0\xc3(\n\xed\xa0\x80 x\n" + known + b"\nquit\n",
        env={**os.environ, "PYTHONIOENCODING": "utf-8:strict"},
        capture_output=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert (b"ready\n" if not way else b"genmove") in done.stdout
