"""`fourlab new agent` gives what plays; `fourlab check` tells what does not."""

import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fourlab.agents.check import BOARDS, Checks, sample
from fourlab.agents.registry import agent
from fourlab.cli import check as check_module
from fourlab.cli.check import tried
from fourlab.cli.main import app
from fourlab.rules.catalog import game

HEAD = "import os, random, sys, time\n\ndef choose(position, rng):\n"
HERE = ("connect4", "tictactoe")


def checked(spec: str, boards: tuple[str, ...] = HERE) -> list[dict[str, Any]]:
    """Return what checks in this process find."""
    said: list[dict[str, Any]] = []
    held = Checks(spec, 20.0, said.append, boards).run()
    found = [one for one in said if "step" not in one]
    assert held == (not any("failed" in one for one in found))
    return found


@pytest.mark.parametrize("kind", [[], ["--function"], ["--kaggle"]])
def test_a_new_agent_is_sound(tmp_path: Path, kind: list[str]) -> None:
    file = tmp_path / "my_agent.py"
    assert CliRunner().invoke(app, ["new", "agent", str(file), *kind]).exit_code == 0
    assert "{file}" not in file.read_text()
    found = checked(str(file), BOARDS)
    assert [one["passed"] for one in found][:3] == ["loads", "legal moves", "same seed, same move"]
    again = CliRunner().invoke(app, ["new", "agent", str(file)])
    assert "is there already" in str(again.exception)


def test_a_new_engine_is_called_by_the_line_that_is_printed(tmp_path: Path) -> None:
    options = [str(tmp_path / "e=f, g.py"), "--engine", "python"]
    said = CliRunner().invoke(app, ["new", "agent", *options]).stdout
    assert agent(shlex.split(said)[-1]).name == "engine"


def test_the_kind_fits_the_files_name(tmp_path: Path) -> None:
    kinds = (["x.py", "--engine", "c"], ["x.c"], ["x.py", "--engine", "cobol"])
    for options in (*kinds, ["a:b.py"], ["two\nlines.py"], ["a(b.py", "--engine", "python"]):
        refused = CliRunner().invoke(
            app, ["new", "agent", str(tmp_path / options[0]), *options[1:]]
        )
        assert refused.exit_code == 1
        assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("spec", ["random", "minimax:depth=2", "mcts:sims=20"])
def test_agents_of_ours_are_sound(spec: str) -> None:
    laws = {one["passed"]: one["says"] for one in checked(spec, ("tictactoe",))}
    assert laws["many boards at once"].startswith("60")


def test_positions_to_ask_about_hold_full_columns_and_last_moves() -> None:
    for board in BOARDS:
        rules = game(board)
        counts = [len(position.legal_moves()) for position in sample(rules)]
        assert min(counts) == 1
        assert sum(count < rules.move_count for count in counts) > 10
        assert counts[0] == rules.move_count


FAULTS = {
    "return 3 if position.ply < 3 else 3 / 0": "bad.py:4: ZeroDivisionError",
    "return position.rules.move_count": "column 8 does not exist in connect4 ''",
    "return position.legal_moves()[0] if position.ply == 0 else 3": "column 4 is full in connect4",
    "return random.choice(position.legal_moves())": "draw all chance from rng",
    "return 'left'": "answered 'left'",
    "sys.exit(3)": "bad.py:4: SystemExit: 3",
    "object.__setattr__(position, 'mover', 5); return 0": "it changed the position",
}


@pytest.mark.parametrize("code", FAULTS)
def test_faults_are_found_and_told(tmp_path: Path, code: str) -> None:
    file = tmp_path / "bad.py"
    file.write_text(f"{HEAD}    {code}\n")
    *_, fault = [one for one in checked(str(file)) if "failed" in one]
    assert FAULTS[code] in fault["line"]
    assert "connect4 '" in fault["where"]


def test_what_was_printed_and_the_users_own_traceback_are_told(tmp_path: Path) -> None:
    file = tmp_path / "bad.py"
    file.write_text(
        f"{HEAD}    print('so far'); return deeper()\n\ndef deeper():\n    return [][1]\n"
    )
    [fault] = [one for one in checked(str(file)) if "failed" in one]
    assert fault["line"].startswith("bad.py:7: IndexError")
    assert fault["printed"] == "so far\n"
    first, *frames = fault["trace"].splitlines()
    assert first.startswith("Traceback")
    assert frames[0].strip().startswith(f'File "{file}", line 4')


@pytest.mark.parametrize(
    ("code", "line", "printed"),
    [
        ("os._exit(5)", "its process ended with code 5", ""),
        (
            "os.write(2, b'busy\\n'); time.sleep(3600)",
            "bad.py:4: no answer within 1 s in: os",
            "busy",
        ),
        (
            "[os.write(n, b'[5]\\n') for n in range(3, 20) if os.path.exists(f'/proc/self/fd/{n}')"
            " and 'pipe:' in os.readlink(f'/proc/self/fd/{n}')]; return 0",
            "it said '[5]' where its check is heard",
            "",
        ),
        ("return [bytes(1 << 28) for _ in range(20)]", "bad.py:4: MemoryError", ""),
    ],
)
def test_one_that_hangs_or_dies_is_told_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, line: str, printed: str
) -> None:
    monkeypatch.setattr(check_module, "PATIENCE", 1.0)
    file = tmp_path / "bad.py"
    file.write_text(f"{HEAD}    {code}\n")
    *_, fault = tried(str(file), 5.0, ["tictactoe"])
    assert fault["line"].startswith(line)
    assert fault["where"] == "tictactoe ''"
    assert printed in fault["printed"]
    if printed:
        assert fault["trace"].startswith(f'  File "{file}", line 4, in choose')  # where it hangs


def test_one_that_is_slow_is_not_said_to_have_been_tried_where_it_was_not(tmp_path: Path) -> None:
    file = tmp_path / "slow.py"
    file.write_text(f"{HEAD}    time.sleep(0.02)\n    return position.legal_moves()[0]\n")
    said: list[dict[str, Any]] = []
    assert Checks(str(file), 0.001, said.append, ("tictactoe",)).run()
    told = {one["passed"]: one["says"] for one in said if "passed" in one}
    assert told["legal moves"] == "1 positions; give it more --seconds for more"


def test_one_that_forks_is_checked_once(tmp_path: Path) -> None:
    code = "    child = 0 if position.ply else os.fork()\n    child and os.waitpid(child, 0)\n"
    (tmp_path / "mine.py").write_text(f"{HEAD}{code}    return position.legal_moves()[0]\n")
    found = list(tried(str(tmp_path / "mine.py"), 20.0, ["tictactoe"]))
    assert [one.get("passed") for one in found][:2] == ["loads", "legal moves"]
