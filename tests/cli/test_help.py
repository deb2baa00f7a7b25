"""What there is: agents, learners, spellings, and `python -m fourlab`."""

import json
import subprocess
import sys
import threading
from pathlib import Path
from subprocess import CompletedProcess

import pytest

import command
from fourlab.agents.registry import AGENTS
from fourlab.core.held import alone
from fourlab.core.spec import options_of
from fourlab.learning.registry import LEARNERS
from web.server import free_port


def run(*arguments: str, folder: Path | None = None) -> CompletedProcess[str]:
    return command.run(*arguments, folder=folder, COLUMNS="100")


@pytest.mark.parametrize("module", ["fourlab", "fourlab.cli.main"])
def test_the_package_is_a_program(module: str, tmp_path: Path) -> None:
    """All else runs `main` in this process: here its answers, streams and codes are a program's."""
    for arguments, code in ((("--version",), 0), (("agents", "mtcs"), 2)):
        done = subprocess.run(
            [sys.executable, "-m", module, *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        here = run(*arguments)
        assert done.returncode == here.returncode == code
        assert (done.stdout, done.stderr) == (here.stdout, here.stderr) != ("", "")


@pytest.mark.parametrize(("command", "registry"), [("agents", AGENTS), ("learners", LEARNERS)])
def test_all_there_is_is_listed_with_its_options(command: str, registry: dict[str, type]) -> None:
    listing = json.loads(run(command, "--json").stdout)
    assert [entry["name"] for entry in listing] == list(registry)
    for entry in listing:
        options = options_of(registry[entry["name"]].Config)  # type: ignore[attr-defined]
        assert [option["name"] for option in entry["options"]] == [o.name for o in options]
        assert entry["summary"]


def test_one_of_them_is_described_alone() -> None:
    shown = run("agents", "mcts").stdout
    assert "sims" in shown
    assert "minimax" not in shown.splitlines()[0] + shown.splitlines()[1]
    [entry] = json.loads(run("learners", "q", "--json").stdout)
    assert entry["name"] == "q"
    done = run("agents", "mtcs")
    assert done.returncode == 2
    assert "unknown agent 'mtcs'; did you mean 'mcts'?" in done.stderr


def test_what_has_no_description_is_listed_without(monkeypatch: pytest.MonkeyPatch) -> None:
    """As everything is in Python that was told to do without docstrings, and some of others."""
    monkeypatch.setattr(LEARNERS.find("q"), "__doc__", None)
    [entry] = json.loads(run("learners", "q", "--json").stdout)
    assert entry["summary"] == ""


def test_where_no_thread_can_begin_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", none_left)
    done = run("arena", "random", "baseline", "--games", "2", "--no-record", "--json")
    assert done.returncode == 2
    assert done.stderr.endswith("fourlab: this machine lets no more threads begin; end other "
                                "programs, or ask for less\n")  # fmt: skip


def test_both_spellings_of_analyze_are_understood_and_one_is_listed() -> None:
    one, other = (json.loads(run(word, "--json").stdout) for word in ("analyze", "analyse"))
    assert one["scores"] == other["scores"]
    listed = run("--help").stdout
    assert " analyze " in listed
    assert " analyse " not in listed


def test_a_game_is_saved_into_a_folder_that_is_not_there_yet(tmp_path: Path) -> None:
    game = ["play", "--first", "random", "--second", "random", "--delay", "0", "--seed", "1"]
    done = run(*game, "--save", "new/deep/games.jsonl", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len((tmp_path / "new" / "deep" / "games.jsonl").read_text().splitlines()) == 1


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (("--save", "file/games.jsonl"), "cannot write file/games.jsonl: "),
        (("--save", "file"), "file holds something else than games"),
        (("--record", "file/games.db"), "cannot write file/games.db: "),
        (("--record", "file"), "file is no fourlab record"),
    ],
)
def test_a_game_that_could_not_be_kept_is_not_begun(
    tmp_path: Path, option: tuple[str, str], said: str
) -> None:
    (tmp_path / "file").write_text("in the way")
    done = run("play", *option, folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"fourlab: {said}")
    assert done.stdout == ""
    assert (tmp_path / "file").read_text() == "in the way"


@pytest.mark.parametrize("host", ["", " ", "x" * 300, ".", "1é27.0..0.0.1"])
def test_a_server_is_not_opened_to_everyone_by_an_empty_name(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("uvicorn.Server.run", lambda *_, **__: None)  # else it goes on for ever
    done = run("serve", "--host", host, "--port", "65000")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("fourlab: ")
    assert done.stdout == ""


@pytest.mark.parametrize("keep", ["kept", "file", "file/below", "x" * 300])
def test_what_is_kept_belongs_to_one_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keep: str
) -> None:
    """A second one would throw away what the first has yet to bring back."""
    monkeypatch.setattr("uvicorn.Server.run", lambda *_, **__: None)  # else it goes on for ever
    (tmp_path / "file").write_text("in the way")
    deleted = tmp_path / "kept" / "deleted" / "game-1"
    deleted.mkdir(parents=True)
    with alone(tmp_path / "kept"):
        done = run("serve", "--keep", keep, "--port", str(free_port()), folder=tmp_path)
    what = "another program is at work in" if keep == "kept" else "cannot write"
    assert done.returncode == 2
    assert done.stderr.startswith(f"fourlab: {what} {keep}")
    assert deleted.exists()


def test_that_there_are_no_runs_yet_is_no_error(tmp_path: Path) -> None:
    done = run("runs", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("no runs in runs; make one with fourlab train q")
    assert run("runs", "nowhere", folder=tmp_path).returncode == 2


@pytest.mark.parametrize(
    "line",
    [
        "train q --game tictactoe --games 10 --out=",
        "train q --games 10 --game=",
        "train q --game tictactoe --games 10 --truth=",
        "train q --game tictactoe --games 10 --until-certified=",
        "runs =",
        "arena random baseline --games 2 --game=",
        "arena random baseline --game tictactoe --games 2 --sprt=",
        "arena random baseline --game tictactoe --games 2 --anchor=",
        "arena random baseline --game tictactoe --games 2 --cluster=",
        "sweep q:alpha={0.1,0.2} --game tictactoe --games 2 --train 10 --runs=",
        "data labels --game tictactoe --positions walk:first --out=",
        "study monte-carlo --quick --out=",
        "book build --game tictactoe --plies 1 --cluster=",
        "serve --host 999.1.1.1 --keep=",
        "serve --host 999.1.1.1 --agents=",
    ],
)
def test_nothing_is_no_folder_and_no_value(line: str, tmp_path: Path) -> None:
    """As a shell writes it whose variable is not set."""
    done = run(*(word.removeprefix("=") for word in line.split()), folder=tmp_path)
    assert done.returncode == 2
    assert not list(tmp_path.iterdir())
    assert not done.stdout
    option = line.rpartition(" ")[2].strip("=") or "root"
    assert option in done.stderr.lower()
    assert "leave it out" in done.stderr
