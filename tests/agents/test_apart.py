"""People's own agents where they are asked: whatever they do ends in one line."""

import io
import sys
import threading
from contextlib import redirect_stdout
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import command
from fourlab.agents.apart import Apart, apart
from fourlab.agents.registry import agent
from fourlab.arena.grading import grade
from fourlab.core import own
from fourlab.core.errors import OwnCodeError
from fourlab.learning.opponents import opponents
from fourlab.positions.suites import suite
from fourlab.rules.boards import boards_of
from fourlab.rules.catalog import game
from fourlab.rules.history import ordered
from fourlab.rules.position import Position, position_of

RULES = game("connect:columns=5,rows=4,k=4")
HEAD = "import os, sys\n\ndef choose(position, rng):\n"
FAILING = {
    "sys.exit(3)": r"mine.py:4: SystemExit: 3 in: sys.exit\(3\)",
    "os._exit(0)": r"mine.py@\w+: its process ended with code 0",
    "raise KeyboardInterrupt": "mine.py:4: KeyboardInterrupt in: raise KeyboardInterrupt",
    "return bytearray(3 << 30)": "mine.py:4: MemoryError in: return bytearray",
    "return None": r"mine.py@\w+ answered None; a move is a whole number, 0 to 4",
    "return int(input())": "mine.py:4: EOFError: EOF when reading a line in: return int",
    "while True: pass": "mine.py:4: no move within 3 s in: while True: pass",
}


def written(folder: Path, code: str) -> str:
    (folder / "mine.py").write_text(f"{HEAD}    {code}\n")
    return str(folder / "mine.py")


@pytest.mark.parametrize("code", FAILING)
def test_what_it_does_is_told_in_one_line_with_the_board(tmp_path: Path, code: str) -> None:
    seconds = 3.0 if "while" in code else 60.0
    player = apart(agent(written(tmp_path, code), RULES), seconds)
    position = position_of(RULES, "1122")
    with pytest.raises(OwnCodeError, match=f"^{FAILING[code]}.*; in {RULES} '1122'$"):
        player.decide(position, np.random.default_rng(1))


def test_the_clock_of_a_move_begins_once_its_process_is_there(tmp_path: Path) -> None:
    late = "import sys, time\ntime.sleep(2.5 if 'apart' in sys.argv[0] else 0)\n"
    (tmp_path / "mine.py").write_text(f"{late}def choose(position, rng): return 3\n")
    player = apart(agent(str(tmp_path / "mine.py"), RULES), seconds=0.9)
    assert player.decide(RULES.start(), np.random.default_rng(1)).move == 3


def test_it_decides_as_it_would_here(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code = "print('seen'); os.fork(); return int(rng.choice(position.legal_moves()))"
    here = agent(written(tmp_path, code.replace("os.fork(); ", "")), RULES)
    there = apart(agent(written(tmp_path, code), RULES))
    boards = boards_of([position_of(RULES, moves) for moves in ("", "1", "1111", "12345")])
    dice = np.arange(4)
    assert there.choose(boards, dice).tolist() == here.choose(boards, dice).tolist()
    assert "seen" in capfd.readouterr().err
    assert there.spec.startswith("mine.py@")


def test_its_process_stays_in_the_folder_that_it_went_to_and_others_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A usual beginning of files that open others beside them, some while they decide."""
    (tmp_path / "mine").mkdir()
    spec = written(tmp_path / "mine", "return int(open('answer.txt').read())")
    (tmp_path / "mine" / "answer.txt").write_text("3")
    text = Path(spec).read_text()
    goes = "import os\nos.chdir(os.path.dirname(os.path.abspath(__file__)))\n"
    Path(spec).write_text(goes + text)
    monkeypatch.chdir(tmp_path)
    player = apart(agent("mine/mine.py", RULES))
    assert Path.cwd() == tmp_path
    assert player.decide(RULES.start(), np.random.default_rng(1)).move == 3


def test_an_object_is_asked_here_and_a_spec_apart_with_the_same_dice(tmp_path: Path) -> None:
    spec = written(tmp_path, "return int(rng.choice(position.legal_moves()))")
    positions = suite(game("tictactoe"), "middle")[:30]
    here = agent(spec, "tictactoe")
    assert grade(here, positions).to_json() == grade(spec, positions, game=here.rules).to_json()
    assert not isinstance(apart(agent("random", RULES)), Apart)


ORDERED = "assert len(position.moves) == position.ply; return position.legal_moves()[0]"
ENGINE = """
import sys
for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "fourlab": print("ready", flush=True)
    if word == "isready": print("readyok", flush=True)
    if word == "position": moves = rest
    if word == "go":
        print("bestmove", min(c for c in "12345" if moves.count(c) < 4), flush=True)
"""


@pytest.mark.parametrize("kind", ["file", "engine"])
def test_a_training_opponent_knows_how_a_board_came_about(tmp_path: Path, kind: str) -> None:
    (tmp_path / "engine.py").write_text(ENGINE)
    spec = written(tmp_path, ORDERED) if kind == "file" else f"engine:{tmp_path / 'engine.py'}"
    member = opponents(spec, RULES, 10).stages[0][0].agent
    assert member is not None
    boards = boards_of([position_of(RULES, moves) for moves in ("", "11112", "111122223")])
    assert member.choose(boards, np.arange(3)).tolist() == [0, 1, 2]


def test_an_order_of_moves_leads_to_the_board() -> None:
    position = position_of(RULES, "3312245511")
    bare = Position(RULES, position.mover, position.occupied, ())
    assert position_of(RULES, ordered(bare).moves) == position
    assert ordered(position) is position


def test_only_what_was_read_is_named_by_its_contents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for file in ("mine.py", "my own ä.py"):
        Path(file).write_text("x = 1\n")
    one, other = (own.parcel(file).name for file in ("mine.py", "my own ä.py"))
    text = "q:opponent=(4 mine.py:Name,depth=2 and 1 my own ä.py then engine:their.py,args=(a.py))"
    settled = own.settled(text)
    assert settled == text.replace("mine.py", one).replace("my own ä.py", other)
    assert own.settled(settled) == settled


def test_a_thread_that_loads_a_file_leaves_standard_output_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = SimpleNamespace(begun=threading.Event(), go=threading.Event())
    monkeypatch.setitem(sys.modules, "gate", gate)
    (tmp_path / "slow.py").write_text("import gate\ngate.begun.set()\ngate.go.wait(60)\n")
    loading = threading.Thread(target=own.load, args=(str(tmp_path / "slow.py"),))
    loading.start()
    assert gate.begun.wait(60)
    with redirect_stdout(io.StringIO()) as out:
        gate.go.set()
        loading.join()
        print("heard")  # noqa: T201
    assert out.getvalue() == "heard\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("grade", "mine.py"),
        ("train", "q", "--opponent", "mine.py", "--games", "20", "--out", "run"),
        ("play", "--first", "mine.py", "--second", "random"),
    ],
)
def test_commands_end_in_one_line(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    written(tmp_path, "os._exit(0)")
    done = command.run(*arguments, "--game", "tictactoe", folder=tmp_path)
    assert done.returncode == 2
    [line] = [line for line in done.stderr.splitlines() if "compiling" not in line and line]
    assert line.startswith("fourlab: mine.py@")
    assert "its process ended with code 0; in tictactoe '" in line


def test_a_move_that_is_not_legal_is_named(tmp_path: Path) -> None:
    written(tmp_path, "return 4")
    run = ("--opponent", "mine.py", "--games", "20", "--out", "run", "--game", str(RULES))
    done = command.run("train", "q", *run, folder=tmp_path)
    assert done.returncode == 2
    assert "mine.py@" in done.stderr
    assert "column 5 is full in connect:columns=5,rows=4,k=4 '" in done.stderr


PIPES = """import os
def leak(line):
    for fd in range(3, 20):
        if os.path.exists(f"/proc/self/fd/{fd}") and "pipe" in os.readlink(f"/proc/self/fd/{fd}"):
            os.write(fd, line)
"""
KIND = """
import os
import numpy as np
from fourlab import Agent, Decision
class Mine(Agent):
    def decide(self, position, rng, limit=None):
        return Decision(%s)
"""
ODD = {
    "junk": "said 'junk' where answers are heard",
    "5": "said '5' where answers are heard",
    "[" * 99_999: r"said '\[+'\.\.\. \(99,999 characters\) where answers are heard",
    '{"move": "x"}': """its decision has move '"x"' where whole numbers belong""",
    '{"move": 1e99}': "its decision has move '1e\\+99' where whole numbers belong",
    '{"move": 1, "other": 2}': "its decision has other '2' where whole numbers belong",
}


@pytest.mark.parametrize("line", ODD)
def test_what_it_writes_into_our_pipe_is_told_in_one_line(tmp_path: Path, line: str) -> None:
    code = f"leak({line.encode()!r} + b'\\n'); return 0"
    (tmp_path / "mine.py").write_text(f"{PIPES}\ndef choose(position, rng):\n    {code}\n")
    player = apart(agent(str(tmp_path / "mine.py"), RULES), seconds=5.0)
    for ask in (
        lambda: player.decide(position_of(RULES, "1122"), np.random.default_rng(1)),
        lambda: player.choose(boards_of([position_of(RULES, "2211")]), np.zeros(1, np.int64)),
    ):
        with pytest.raises(OwnCodeError, match=rf"^mine.py@\w+:? {ODD[line]}; in {RULES} '....'$"):
            ask()


DECISIONS = {
    "1, values=(float('nan'),) * 5": r"has values '\[NaN, NaN, NaN, NaN, NaN\]' where 5 numbers",
    "1, values=(0.5,)": r"has values '\[0.5\]' where 5 numbers",
    "1, policy='abcde'": """has policy '"abcde"' where 5 numbers""",
    "1, line=(None,)": r"has line '\[null\]' where whole numbers",
    "1, effort=10**30": "has effort '1000000000000000000000000000000' where whole numbers",
    "10**30": "has move '1000000000000000000000000000000' where whole numbers",
}


@pytest.mark.parametrize("arguments", DECISIONS)
def test_decisions_that_cannot_be_are_told_in_one_line(tmp_path: Path, arguments: str) -> None:
    (tmp_path / "mine.py").write_text(KIND % arguments)
    player = apart(agent(str(tmp_path / "mine.py"), RULES))
    with pytest.raises(OwnCodeError, match=f"its decision {DECISIONS[arguments]} belong; in "):
        player.decide(position_of(RULES, "1122"), np.random.default_rng(1))


def test_numbers_of_numpy_are_numbers(tmp_path: Path) -> None:
    values = "np.int64(1), values=tuple(np.zeros(5, np.float32)), visits=np.arange(5)"
    (tmp_path / "mine.py").write_text(KIND % values)
    player = apart(agent(str(tmp_path / "mine.py"), RULES))
    found = player.decide(position_of(RULES, "1122"), np.random.default_rng(1))
    assert (found.move, found.values, found.visits) == (1, (0.0,) * 5, (0, 1, 2, 3, 4))


@pytest.mark.parametrize("count", [1, 9])
def test_as_many_moves_as_boards(tmp_path: Path, count: int) -> None:
    many = f"    def choose(self, boards, dice, limit=None):\n        return [0] * {count}\n"
    (tmp_path / "mine.py").write_text(KIND % "1" + many)
    player = apart(agent(str(tmp_path / "mine.py"), RULES), seconds=5.0)
    boards = boards_of([position_of(RULES, moves) for moves in ("", "1", "12")])
    with pytest.raises(OwnCodeError, match=f"{count} moves for 3 positions; in "):
        player.choose(boards, np.arange(3))
