"""Exported files: they play in a process that has nothing of fourlab."""

import importlib
import itertools
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import command
import fourlab
from bare import run_bare
from fourlab.adapters import rehearsal
from fourlab.adapters.export import export_kaggle, needed_modules
from fourlab.adapters.rehearsal import rehearse
from fourlab.cli.export import summary_of
from fourlab.core.errors import GeometryError, MissingExtraError, SpecError

AGENTS = ["mcts:time=0.1", "minimax:time=0.1", "perfect:time=0.2", "flat:playouts=5", "baseline"]
BOARDS = [(7, 6, 4), (5, 4, 3), (12, 10, 5)]
PACKAGES = ["numpy", "numba", "llvmlite"]

# Loads a file as Kaggle's runner does, and plays some moves on several boards.
PROGRAM = """
import json, sys
path, boards, overage = sys.argv[2], json.loads(sys.argv[3]), sys.argv[4]
sys.path.append(sys.argv[1])
scope = {}
exec(compile(open(path).read(), path, "exec"), scope)
agent = [value for value in scope.values() if callable(value)][-1]
answers = []
for columns, rows, inarow in boards:
    board = [0] * (columns * rows)
    for ply in range(4):
        obs = {"board": board, "mark": 1 + ply % 2, "remainingOverageTime": float(overage)}
        config = {"columns": columns, "rows": rows, "inarow": inarow, "actTimeout": 0.3}
        column = agent(obs, config)
        answers.append((type(column).__name__, column, board[column]))
        row = max(r for r in range(rows) if board[r * columns + column] == 0)
        board[row * columns + column] = 1 + ply % 2
jit = [name for name in sys.modules if name.endswith(".core.jit")]
strange = [name for name in sys.modules if name.split(".")[0] == "fourlab"]
compiled = [sys.modules[name].COMPILED for name in jit]
print(json.dumps({"answers": answers, "compiled": compiled, "strange": strange}))
"""


def play_bare(
    tmp_path: Path,
    spec: str,
    packages: list[str],
    boards: list[tuple[int, int, int]],
    overage: float = 0,
    before: str = "",
) -> tuple[dict[str, Any], str]:
    """Play an exported file in a process with only these packages; return its report and stderr."""
    file = tmp_path / "submission.py"
    file.write_text(export_kaggle(spec))
    program = PROGRAM.replace("scope = {}", f"{before}scope = {{}}")
    return run_bare(tmp_path, program, packages, str(file), json.dumps(boards), str(overage))


@pytest.mark.parametrize("spec", AGENTS)
def test_without_numba_it_plays_in_plain_python(tmp_path: Path, spec: str) -> None:
    report, errors = play_bare(tmp_path, spec, ["numpy"], BOARDS, 600)
    assert len(report["answers"]) == 4 * len(BOARDS)
    assert all(kind == "int" and cell == 0 for kind, _, cell in report["answers"])
    assert report["compiled"] == [False]
    assert report["strange"] == []
    assert errors == ""
    if spec.startswith("perfect"):  # the book knows: the centre alone wins, and is the best reply
        assert [column for _, column, _ in report["answers"][:2]] == [3, 3]


def test_with_numba_it_compiles(tmp_path: Path) -> None:
    report, errors = play_bare(tmp_path, "flat:playouts=5", PACKAGES, BOARDS[:1], 600)
    assert all(kind == "int" and cell == 0 for kind, _, cell in report["answers"])
    assert report["compiled"] == [True]
    assert report["strange"] == []
    assert errors == ""


def test_a_numba_that_fails_is_done_without(tmp_path: Path) -> None:
    broken = (
        "from numba.core.registry import CPUDispatcher\n"
        "CPUDispatcher.__init__ = lambda self, *_, **__: 1 / 0\n"
    )
    report, errors = play_bare(tmp_path, "mcts:time=0.1", PACKAGES, BOARDS[:1], 60, broken)
    assert all(kind == "int" and cell == 0 for kind, _, cell in report["answers"])
    assert False in report["compiled"]  # the copy in plain Python
    assert errors.count("Traceback") == 4  # one a move: the substitute itself does not fail
    assert "ZeroDivisionError" in errors


def test_without_numpy_it_still_answers(tmp_path: Path) -> None:
    report, errors = play_bare(tmp_path, "mcts", [], BOARDS)
    assert all(kind == "int" and cell == 0 for kind, _, cell in report["answers"])
    assert "No module named 'numpy'" in errors


def test_the_file_is_readable_and_always_the_same() -> None:
    text = export_kaggle("mcts:time=0.5")
    assert text == export_kaggle("mcts:time=0.5")
    assert "mcts:time=0.5" in text.splitlines()[0]
    assert not re.search(r"^\s*(from|import) fourlab\b", text, re.MULTILINE)
    kernels = Path(fourlab.__file__).parent / "rules" / "kernels.py"
    body = kernels.read_text().partition("@kernel")[2]
    assert body in text


def test_it_carries_what_the_agent_needs_and_no_more() -> None:
    small = export_kaggle("baseline")
    assert "rules/kernels.py" in small
    assert "agents/mcts.py" not in small
    assert "connect4.npz" not in small
    assert "connect4.npz" in export_kaggle("perfect")
    assert not {"fourlab.agents.registry", "fourlab.cli"} & set(
        needed_modules(["fourlab.adapters.thinker", "fourlab.agents.perfect"])
    )


def test_it_lives_beside_an_installed_fourlab_and_other_submissions() -> None:
    scopes: list[dict[str, Any]] = [{}, {}, {}]
    for scope, spec in zip(scopes, ("baseline", "baseline", "minimax"), strict=True):
        exec(compile(export_kaggle(spec), "submission.py", "exec"), scope)
        assert scope["agent"]({"board": [0] * 16, "mark": 1}, {"columns": 4, "rows": 4}) in range(4)
    homes = [type(scope["_submission"]).__module__.split(".")[0] for scope in scopes]
    assert homes[0] == homes[1]
    assert homes[0] != homes[2]
    assert "fourlab" not in homes
    assert scopes[0]["_submission"] is not scopes[1]["_submission"]
    assert sum(getattr(finder, "package", None) == homes[0] for finder in sys.meta_path) == 1


def test_who_cannot_play_cannot_be_exported() -> None:
    with pytest.raises(SpecError, match="'human' cannot play on Kaggle") as refused:
        export_kaggle("human")
    assert "engine" not in str(refused.value)


def fourlab_export(*arguments: str) -> subprocess.CompletedProcess[str]:
    return command.run("export", "kaggle", *arguments, COLUMNS="100")


def test_the_command_writes_a_file(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "submission.py"
    done = fourlab_export("baseline", "-o", str(path), "--json")
    assert json.loads(done.stdout) == {"file": str(path), "bytes": path.stat().st_size}
    assert path.read_text() == export_kaggle("baseline")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["human"], "agent 'human' cannot play on Kaggle"),
        (["mcts:simms=3"], "has no option 'simms'"),
        (["random", "--game", "chess"], "unknown game 'chess'"),
        (["random", "--game", "connect4"], "nothing is played; leave out --game"),
        (["random", "--against", "negamax"], "nothing is played; leave out --against"),
    ],
)
def test_bad_input_is_one_line_and_leaves_the_file_alone(
    tmp_path: Path, arguments: list[str], says: str
) -> None:
    path = tmp_path / "submission.py"
    path.write_text("mine")
    done = fourlab_export(*arguments, "-o", str(path))
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert path.read_text() == "mine"


def test_an_agent_is_not_overwritten_by_what_is_made_of_it(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def choose(position, rng):\n    return position.legal_moves()[0]\n")
    before = path.read_text()
    done = fourlab_export(str(path), "-o", str(tmp_path / "." / "mine.py"))
    assert (done.returncode, path.read_text()) == (2, before)
    assert "is made of; name another file" in done.stderr


def test_only_a_submission_is_written_over(tmp_path: Path) -> None:
    out, mine = tmp_path / "out.py", tmp_path / "mine.py"
    out.write_text("months = 'of work'\n")
    done = fourlab_export("baseline", "-o", str(out))
    assert (done.returncode, out.read_text()) == (2, "months = 'of work'\n")
    assert "out.py is there, and no submission of fourlab; name another" in done.stderr
    out.write_text("")
    mine.write_text("def agent(observation, configuration):\n    return 3\n")  # travels as it is
    for spec in ("baseline", "random", str(mine), "baseline"):
        assert fourlab_export(spec, "-o", str(out)).returncode == 0
        assert out.read_text() == export_kaggle(spec)


def test_a_missing_runner_is_answered_with_what_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kaggle_environments", None)
    with pytest.raises(MissingExtraError, match=r"pip install .*\[kaggle\]'"):
        rehearsal.ready_for(fourlab.game("connect4"), ["random"])


def test_what_the_runner_cannot_play_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kaggle_environments", SimpleNamespace(make=None))
    with pytest.raises(GeometryError, match="stones fall, those of tictactoe do not"):
        rehearsal.ready_for(fourlab.game("tictactoe"), ["random"])
    with pytest.raises(SpecError, match="unknown opponent 'negmax'; did you mean 'negamax'"):
        rehearsal.ready_for(fourlab.game("connect4"), ["negmax"])


class RecordedEnvironment:
    """A runner's record of a game that the submission lost on time as the second player."""

    def __init__(self) -> None:
        late = SimpleNamespace(remainingOverageTime=-0.5)
        self.steps = [[None, SimpleNamespace(reward=None, status="TIMEOUT", observation=late)]]
        self.logs: list[Any] = [
            [{"duration": 0.0, "stdout": "", "stderr": ""}, {}],
            [{}, {"duration": 1.5, "stdout": "", "stderr": "late: no answer\n"}],
            [{}, {"duration": 4.0, "stdout": "", "stderr": "Traceback: slow\n"}],
        ]

    def run(self, players: list[str]) -> None:
        assert players[0] in rehearsal.OPPONENTS or players[1] in rehearsal.OPPONENTS


def test_a_rehearsal_reports_what_went_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rehearsal, "runner", lambda: lambda *_, **__: RecordedEnvironment())
    rules = fourlab.game("connect4")
    sides = itertools.repeat((1, "random"))
    monkeypatch.setattr(rehearsal.itertools, "product", lambda *_: itertools.islice(sides, 1))
    played = list(rehearse(Path("submission.py"), 2, rules))
    assert [game.side for game in played] == [1, 1]
    game = played[0]
    assert game.result is None
    assert not game.is_clean
    assert game.seconds == (1.5, 4.0)
    assert game.record.second == "submission.py"
    assert (game.record.outcome, game.record.forfeit) == ("in progress", "TIMEOUT")
    summary = summary_of([game])
    assert summary["broken_off"] == ["TIMEOUT"]
    assert summary["score"] == 0
    assert summary["slowest_move"] == 4.0
    assert summary["least_overage"] == -0.5
    assert summary["late"] == 1
    assert summary["errors"] == ["Traceback: slow\n"]


@pytest.mark.kaggle
@pytest.mark.parametrize("board", ["connect4", "connect:columns=5,rows=6,k=3"])
def test_a_rehearsal_under_the_official_runner(tmp_path: Path, board: str) -> None:
    path = tmp_path / "submission.py"
    path.write_text(export_kaggle("minimax:depth=3"))
    played = list(rehearse(path, 4, fourlab.game(board)))
    assert all(game.is_clean for game in played)
    assert {(game.opponent, game.side) for game in played} == {
        (opponent, side) for opponent in ("negamax", "random") for side in (0, 1)
    }
    assert all(game.overage > 0 and game.seconds for game in played)
    assert all(game.record.position().is_over and not game.record.forfeit for game in played)


@pytest.mark.kaggle
def test_the_official_runner_sees_what_fails(tmp_path: Path) -> None:
    path = tmp_path / "submission.py"
    path.write_text("def agent(obs, config):\n    return 99\n")
    [game] = rehearse(path, 1, fourlab.game("connect4"))
    assert game.result is None
    assert game.status == "INVALID"


def test_an_agent_that_is_not_of_fourlab_is_not_exported(troublemakers: None) -> None:
    name = next(iter(importlib.import_module("troublemakers").KINDS))
    with pytest.raises(SpecError, match=f"{name} is a part of an installed package"):
        export_kaggle(name)


def test_an_agent_is_exported_from_a_zipped_install(tmp_path: Path) -> None:
    package = Path(fourlab.__file__).parent
    archive = tmp_path / "fourlab.zip"
    with zipfile.ZipFile(archive, "w") as zipped:
        for path in package.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts and "web" not in path.parts:
                zipped.write(path, Path("fourlab") / path.relative_to(package))
    program = (
        "import fourlab.adapters.export as e, sys; assert '.zip' in e.__file__;"
        "sys.stdout.write(e.export_kaggle('minimax'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(archive)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == export_kaggle("minimax")
