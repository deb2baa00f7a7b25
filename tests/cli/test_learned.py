"""What the README teaches and shows: a learner whose success is seen, and what was measured."""

import json
import re
import shlex
from pathlib import Path

import pytest

import command
from fourlab.arena.records import Records
from fourlab.rules.record import GameRecord

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def told(beginning: str) -> list[str]:
    """Return the command of the README that begins so."""
    [line] = re.findall(rf"^fourlab ({re.escape(beginning)}.*)$", README, re.MULTILINE)
    return shlex.split(line)


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("taught")
    done = command.run(*told("train q "), folder=folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_the_learner_of_the_readme_beats_who_it_learned_from(taught: Path) -> None:
    shown = command.run(*told("arena q:"), "--seed", "1", "--json", folder=taught)
    found = json.loads(shown.stdout)
    assert [one["agent"] for one in found["ratings"]] == ["q:runs/mine", "baseline", "random"]
    [pair] = [one for one in found["pairs"] if (one["a"], one["b"]) == ("q:runs/mine", "baseline")]
    promised = re.search(r"it then wins (\d+)% and loses (\d+)% of its games", README)
    assert promised is not None
    wins, losses = int(promised[1]), int(promised[2])
    assert pair["low"] <= (100 + wins - losses) / 200 <= pair["high"]


def test_where_it_was_measured_is_said(taught: Path) -> None:
    board = told("arena q:")[-2:]
    few = ["arena", "q:runs/mine", "baseline", *board, "--games", "4", "--record", "few.db"]
    assert "games begin on the empty board, where" in command.run(*few, folder=taught).stdout
    away = command.run(*few, "--plies", "4", folder=taught).stdout
    assert "not from these openings; --plies 0 begins there" in away
    both = command.run("ladder", "--record", "few.db", folder=taught).stdout
    assert "4 games of connect:columns=5,rows=4,k=4 began with the empty board" in both
    assert "began with openings of 4 plies" in both


def test_a_sweep_says_where_it_was_measured(taught: Path) -> None:
    board = told("arena q:")[-2:]
    learner = ["sweep", "q:alpha={0.1,0.3}", "--train", "200", *board, "--games", "2"]
    for grid in (learner, ["sweep", "q:runs/mine,visits={1,2}", *board, "--games", "2"]):
        grid.append("--no-record")
        home = command.run(*grid, folder=taught)
        assert "games begin on the empty board, where" in home.stdout, home.stderr
        away = command.run(*grid, "--plies", "4", folder=taught).stdout
        assert "not from these openings; --plies 0 begins there" in away


def test_a_grade_says_how_many_positions_were_seen(taught: Path) -> None:
    (taught / "positions.txt").write_text("3\n1111\n111122223355\n")  # one of them is common
    asked = ["grade", "q:runs/mine", *told("arena q:")[-2:], "--positions"]
    shown = command.run(*asked, "positions.txt", folder=taught).stdout
    assert re.search(r"of 3 positions it has seen [12]; in the others it plays any move", shown)
    assert "--positions played grades it in its own games" in shown
    own = command.run(*asked, "played", "--json", folder=taught)
    assert json.loads(own.stdout)["good"] > 0.75  # 61% in the middle of any games


def test_names_in_brackets_are_no_markup(tmp_path: Path) -> None:
    """Neither swallowed nor a fault, wherever they are shown."""
    board = ["--game", "tictactoe"]
    assert command.run("train", "q:games=20", *board, "-o", "[/red]", folder=tmp_path).stdout
    for words in (
        ["runs", "."],
        ["arena", "q:[/red]", "random", *board, "--games", "2"],
        ["ladder"],
        ["games"],
        ["games", "1.0"],
        ["grade", "q:[/red]", *board, "--positions", "positions.txt"],
        ["certify", "q:[/red],ties=first", *board],
        ["sweep", "q:[/red],visits={1,2}", *board, "--games", "2", "--no-record"],
    ):
        (tmp_path / "positions.txt").write_text("5\n")
        done = command.run(*words, folder=tmp_path, COLUMNS="200")
        assert done.returncode in (0, 1), done.stderr
        assert "[/red]" in done.stdout or words[0] == "certify", words


def test_names_that_others_chose_steer_no_terminal(tmp_path: Path) -> None:
    """Of folders and of records, which may come from anyone; an error is one line all the same."""
    board, red = ["--game", "tictactoe"], "red\x1b[31m\nmore"
    command.run("train", "q:games=20", *board, "-o", "run", folder=tmp_path)
    (tmp_path / "run").rename(tmp_path / red)
    with Records(tmp_path / "games.db") as records:
        records.keep(GameRecord("tictactoe", red, "random", 1, "14253", "first"))
    for words in (["runs", "."], ["ladder"], ["games"], ["games", "1.0"], ["runs", red + "x"]):
        done = command.run(*words, folder=tmp_path)
        assert "red" in done.stdout + done.stderr
        assert "\x1b" not in done.stdout + done.stderr
    assert done.stderr.startswith("fourlab: no runs in red\\x1b[31m\\nmorex;")
    assert done.stderr.count("\n") == 1
