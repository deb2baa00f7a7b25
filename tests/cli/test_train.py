"""`fourlab train`, `runs` and `table show`, as people call them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest


def fourlab(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "fourlab.cli.main", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("work")
    run = fourlab(
        folder,
        *("train", "q:alpha=0.5", "--game", "tictactoe", "--games", "3000", "--seed", "2"),
        *("--opponent", "4 baseline and 1 random", "--set", "epsilon=linear:1,end=0.1"),
        *("--against", "perfect", "--evaluation-games", "40", "--truth", "middle", "--json"),
    )
    assert run.returncode == 0, run.stderr
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    assert lines[-1]["games"] == 3000
    assert lines[-1]["against"]["perfect"]["wins"] == 0
    return folder


def test_a_run_lies_where_it_is_expected(folder: Path) -> None:
    config = json.loads((folder / "runs" / "q-1" / "config.json").read_text())
    assert config["game"] == "tictactoe"
    assert "alpha=0.5" in config["learner"]
    assert "opponent=4 baseline and 1 random" in config["learner"]


def test_runs_are_listed(folder: Path) -> None:
    [entry] = json.loads(fourlab(folder, "runs", "--json").stdout)
    assert entry["folder"] == "runs/q-1"
    assert entry["last"]["games"] == 3000
    shown = fourlab(folder, "runs").stdout
    assert "runs/q-1" in shown
    assert "3,000" in shown


def test_a_table_is_shown(folder: Path) -> None:
    found = json.loads(fourlab(folder, "table", "show", "runs/q-1", "15", "--json").stdout)
    assert found["position"] == "15"
    assert found["values"][0] is None
    assert sum(found["choice_histogram"].values()) == found["size"]
    assert sum(found["visit_histogram"].values()) >= found["size"]
    shown = fourlab(folder, "table", "show", "runs/q-1").stdout
    assert "how often values were taught" in shown
    assert "best cell of each state" in shown


def test_what_was_learned_plays(folder: Path) -> None:
    run = fourlab(
        folder,
        *("play", "--game", "tictactoe", "--first", "q:runs/q-1", "--second", "random"),
    )
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("train",), "name a learner: q, afterstates"),
        (("train", "qq"), "unknown learner 'qq'; did you mean 'q'"),
        (("train", "q", "--set", "alpha"), "--set 'alpha' is no option"),
        (("train", "q", "--opponent", "perfect"), "cannot play inside a training run"),
        (("train", "--resume"), "name its folder with --out"),
        (("train", "--resume", "--out", "nowhere"), "nowhere is no run folder"),
        (("train", "q", "--out", "runs/q-1"), "runs/q-1 holds a run; go on with --resume"),
        (("runs", "nowhere"), "no runs in nowhere"),
        (("table", "show", "nowhere"), "cannot read nowhere"),
        (("play", "--second", "q"), "write q:PATH"),
        (("play", "--game", "tictactoe", "--second", "afterstates:runs/q-1"), "write q:runs/q-1"),
        (("play", "--second", "q:runs/q-1"), "knows tictactoe, not connect4"),
    ],
)
def test_mistakes_are_one_line_and_exit_2(
    folder: Path, arguments: tuple[str, ...], said: str
) -> None:
    run = fourlab(folder, *arguments)
    assert run.returncode == 2
    assert said in run.stderr
    assert len(run.stderr.strip().splitlines()) == 1
