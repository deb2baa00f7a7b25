"""`fourlab train`, `runs` and `table show`, as people call them."""

import io
import json
import logging
import re
import shlex
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from rich.console import Console

import command
from fourlab.cli.curve import CurveBar, Speedometer, curve
from fourlab.cli.main import Notices
from fourlab.cli.train import report
from fourlab.core.storage import StorageError
from fourlab.learning.networks.deep_q import DeepQ
from fourlab.learning.networks.distil import Distil
from fourlab.learning.registry import learner
from fourlab.learning.run_files import add_metrics
from fourlab.learning.runs import Run, RunConfig
from fourlab.learning.tables.td_lambda import NTuple
from fourlab.rules.boards import boards_of
from fourlab.rules.catalog import game
from fourlab.rules.position import position_of
from fourlab.values.network import Network
from nets import random_network


def fourlab(folder: Path, *arguments: str) -> CompletedProcess[str]:
    return command.run(*arguments, folder=folder)


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


def test_values_mean_the_same_in_brackets_and_without(tmp_path: Path) -> None:
    plain = {"start": "random:plies=2", "alpha": "linear:0.5,end=0.1", "win": "2"}
    for folder, form in (("a", "{}={}"), ("b", "{}=({})")):
        options = [word for pair in plain.items() for word in ("--set", form.format(*pair))]
        opponent = form.format("", "minimax:depth=2").removeprefix("=")
        run = fourlab(
            tmp_path,
            *("train", "q", "--game", "tictactoe", "--games", "20", "--opponent", opponent),
            *(*options, "--out", folder),
        )
        assert run.returncode == 0, run.stderr
    assert RunConfig.load(tmp_path / "a") == RunConfig.load(tmp_path / "b")
    named = {"opponent": "(minimax:depth=2)", "games": 20, "start": "(random:plies=2)"}
    made = learner("q:alpha=(linear:0.5,end=0.1),win=2", "tictactoe", **named)
    assert made.spec == RunConfig.load(tmp_path / "a").learner


def test_a_learner_in_brackets_is_the_one_without(tmp_path: Path) -> None:
    words = ("--game", "tictactoe", "--games", "20")
    for spec in ("(q:alpha=0.2)", "( q )"):
        run = fourlab(tmp_path, "train", spec, *words)
        assert run.returncode == 0, run.stderr
    assert [RunConfig.load(tmp_path / "runs" / name).learner for name in ("q-1", "q-2")] == [
        "q:games=20,alpha=0.2",
        "q:games=20",
    ]
    run = fourlab(tmp_path, "train", "(q)", "--resume", "--out", "runs/q-2", "--games", "30")
    assert run.returncode == 0, run.stderr


def test_reports_that_come_later_than_asked_are_told_of(tmp_path: Path) -> None:
    words = ("train", "q", "--game", "tictactoe", "--games", "128", "--opponent", "mcts:sims=1")
    said = "--every 100: q is looked at after every 64 games; a report comes with the first look"
    told = fourlab(tmp_path, *words, "--every", "100", "--out", "late")
    assert said in told.stderr
    assert "128 games" in told.stdout
    assert "--every" not in fourlab(tmp_path, *words, "--every", "64", "--out", "exact").stderr


@pytest.mark.parametrize("out", ["my run", "a,b", "a=b", "a:b", "r{1,2}", " a ", "(a)", "(a)b(c)"])
def test_lines_to_go_on_with_can_be_pasted(tmp_path: Path, out: str) -> None:
    words = ["train", "q", "--game", "tictactoe", "--games", "20", "--out", out]
    play = fourlab(tmp_path, *words).stdout.rpartition("play it with ")[2]
    command, *arguments = shlex.split(play)
    assert command == "fourlab"
    assert fourlab(tmp_path, *arguments, "--first", "random", "--delay", "0").returncode == 0
    again = fourlab(tmp_path, *words).stderr.rpartition("go on with: ")[2]
    assert shlex.split(again)[:5] == ["fourlab", "train", "--resume", "--out", out]
    assert [folder.name for folder in tmp_path.iterdir()] == [out]


def test_the_same_command_again_shows_what_was_recorded(tmp_path: Path) -> None:
    """Whoever repeats a line of the README sees no error, and nothing is played twice."""
    words = ["train", "q", "--game", "tictactoe", "--games", "300", "--out", "mine"]
    first = fourlab(tmp_path, *words)
    held = {path: path.read_bytes() for path in tmp_path.rglob("*.*") if path.is_file()}
    for more in (words, ["train", "--resume", "--out", "mine"]):
        again = fourlab(tmp_path, *more)
        assert (again.returncode, again.stdout) == (0, first.stdout)
        assert again.stderr == (
            "this run of 300 games came to its end before; "
            "go on with: fourlab train --resume --out mine --games N\n"
        )
    lines = [json.loads(line) for line in fourlab(tmp_path, *words, "--json").stdout.splitlines()]
    assert [line["games"] for line in lines] == list(range(30, 301, 30))
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.*") if path.is_file()} == held
    told = fourlab(tmp_path, *words, "--until-certified", "second").stderr
    assert "positions against every reply as second" in told
    assert fourlab(tmp_path, *words, "--seed", "1").returncode == 2


def test_the_same_command_goes_on_with_what_was_stopped(tmp_path: Path) -> None:
    run = Run.start(tmp_path / "mine", RunConfig("q:games=3000,chunk=100", "tictactoe"))
    list(run.reports(stop=lambda: True))
    assert run.learner.done < 3000
    words = ["train", "q:chunk=100", "--game", "tictactoe", "--games", "3000", "--out", "mine"]
    assert fourlab(tmp_path, *words).returncode == 0
    assert Run.resume(tmp_path / "mine").is_over


@pytest.mark.parametrize(
    "look",
    [("--every", "7"), ("--against", "random"), ("--truth", "middle")],
)
def test_a_run_that_is_over_is_not_said_to_be_looked_at(
    tmp_path: Path, look: tuple[str, str]
) -> None:
    words = ("train", "--resume", "--out", "mine", *look)
    begun = RunConfig("q:games=300", "tictactoe")
    list(Run.start(tmp_path / "mine", begun).reports())
    done = fourlab(tmp_path, *words)
    assert (done.returncode, done.stdout) == (2, "")
    told = "mine has come to its end, 300 games; make it longer with --games too"
    assert done.stderr == f"fourlab: {' '.join(look)}: {told}\n"
    assert RunConfig.load(tmp_path / "mine") == begun
    assert fourlab(tmp_path, *words, "--games", "310").returncode == 0
    assert RunConfig.load(tmp_path / "mine") != begun
    assert fourlab(tmp_path, *words).returncode == 0  # it is looked at so


@pytest.mark.parametrize("out", ["two\nlines", "red\x1b[31m", "a(b"])
def test_a_run_that_no_spec_could_name_is_refused_before_it_begins(
    tmp_path: Path, out: str
) -> None:
    run = fourlab(tmp_path, "train", "q", "--game", "tictactoe", "--games", "20", "--out", out)
    assert (run.returncode, run.stdout, list(tmp_path.iterdir())) == (2, "", [])
    assert run.stderr.isprintable() or run.stderr.count("\n") == 1


def test_what_goes_wrong_while_a_run_learns_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise StorageError("cannot write x: No space left on device")

    monkeypatch.setattr("fourlab.values.knowledge.save_arrays", full)
    run = fourlab(tmp_path, "train", "q", "--game", "tictactoe", "--games", "20")
    told = [line for line in run.stderr.splitlines() if not line.startswith("compiling ")]
    assert (run.returncode, told) == (2, ["fourlab: cannot write x: No space left on device"])


def test_runs_are_listed(folder: Path) -> None:
    [entry] = json.loads(fourlab(folder, "runs", "--json").stdout)
    assert entry["folder"] == "runs/q-1"
    assert entry["last"]["games"] == 3000
    shown = fourlab(folder, "runs").stdout
    assert "runs/q-1" in shown
    assert "in training" in shown
    assert re.search(r"  won \d+%", shown)
    assert "3,000" in shown
    assert re.search(r"\d+% ± \d+% against perfect, of its moves \d+% perfect", shown)


def test_a_run_of_a_learner_that_is_not_here_is_listed_with_the_others(
    folder: Path, tmp_path: Path
) -> None:
    """The package that offered it may be gone, or name its options otherwise by now."""
    for name, spec in (("known", "q:games=9"), ("gone", "gone:games=9"), ("old", "q:old=1")):
        shutil.copytree(folder / "runs" / "q-1", tmp_path / "runs" / name)
        replace(RunConfig.load(folder / "runs" / "q-1"), learner=spec).save(
            tmp_path / "runs" / name
        )
    shown = fourlab(tmp_path, "runs").stdout
    assert re.search(r"runs/known .* 3,000 +won \d+% ", shown)
    assert re.search(r"runs/gone .* 3,000 +\d+% ", shown)
    assert re.search(r"runs/old .* 3,000 +\d+% ", shown)


def test_no_name_of_a_run_is_broken_in_a_narrow_terminal(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fourlab.cli.console.PIPED_WIDTH", 80)
    run, learner, figures = fourlab(folder, "runs").stdout.splitlines()[:3]
    config = RunConfig.load(folder / "runs" / "q-1")
    assert run == "runs/q-1"
    assert learner == f"  {config.learner} on tictactoe"
    assert re.fullmatch(
        r"  games 3,000, in training won \d+%, size [\d,]+, evaluations .*", figures
    )


def test_a_table_is_shown(folder: Path) -> None:
    found = json.loads(fourlab(folder, "table", "show", "runs/q-1", "15", "--json").stdout)
    assert found["position"] == "15"
    assert found["values"][0] is None
    assert sum(found["choice_histogram"].values()) == found["size"]
    trained = fourlab(folder, "train", "--resume", "--out", "runs/q-1").stdout
    for said in (trained, fourlab(folder, "table", "show", "runs/q-1").stdout):
        assert f" {found['size']:,} states" in said
    assert sum(found["visit_histogram"].values()) >= found["size"]
    shown = fourlab(folder, "table", "show", "runs/q-1").stdout
    assert "how often values were taught" in shown
    assert "best cell of each state" in shown


@pytest.mark.parametrize(("moves", "shown"), [("15", 7), ("14253", 0)])
def test_a_table_is_shown_where_not_every_move_can_be_played(
    folder: Path, moves: str, shown: int
) -> None:
    done = fourlab(folder, "table", "show", "runs/q-1", moves)
    assert done.returncode == 0
    drawn = done.stdout.partition("visits")[2].partition("how often")[0]
    assert [line.split()[0] for line in drawn.splitlines() if line.strip()] == [
        str(move) for move in range(1, 10) if shown and str(move) not in moves
    ]


def test_a_network_is_shown(folder: Path) -> None:
    rules, where = game("connect:columns=4,rows=4,k=3"), folder / "runs" / "zero-1"
    network = random_network(rules)
    about = {"learner": "zero", "config": {"sims": 32}, "seed": 5, "games": 700}
    where.mkdir()
    replace(network, about=about).save(where / "checkpoint.safetensors", half=True)
    truth = {"perfect": 0.75, "good": 0.875}
    add_metrics(where, {**LINE, "games": 700, "policy_loss": 0.25, "truth": truth})
    shown = fourlab(folder, "table", "show", "runs/zero-1", "2").stdout
    assert "zero on connect:columns=4,rows=4,k=3" in shown
    assert "residual: width 8, blocks 1, head 4, hidden 8, bins 9" in shown
    assert "trained: zero:sims=32" in shown
    assert "policy_loss 0.25" in shown
    assert "of its moves 75% perfect, 88% good" in shown
    # The second player is shown what moves are worth to it, and the policy.
    found = json.loads(fourlab(folder, "table", "show", "runs/zero-1", "1122", "--json").stdout)
    boards = boards_of([position_of(rules, "1122")])
    assert found["values"] == pytest.approx(
        Network.load(where / "checkpoint.safetensors").worths(boards)[0], nan_ok=True
    )
    assert sum(found["policy"]) == pytest.approx(1)
    assert found["grade"] == truth
    assert found["size"] == sum(layer.size for layer in network.layers.values())
    network.without_values().save(folder / "mute.safetensors")
    mute = json.loads(fourlab(folder, "table", "show", "mute.safetensors", "1122", "--json").stdout)
    assert mute["values"] == [None] * 4
    assert mute["policy"] == pytest.approx(found["policy"], abs=1e-2)


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
        (("train", "q", "--opponent", "human"), "cannot play in a training run"),
        (("train", "q", "--evaluation-games", "9"), "against nobody; name agents with --against"),
        (("train", "--resume"), "name its folder with --out"),
        (("train", "--resume", "--out", "nowhere"), "nowhere is no run folder"),
        (("train", "q", "--out", "runs/q-1"), "runs/q-1 holds a run: q:games=3000"),
        (("runs", "nowhere"), "no runs in nowhere"),
        (("runs", "nowhere", "--json"), "no runs in nowhere"),
        (("runs", "runs/q-1/config.json"), "no runs in runs/q-1/config.json"),
        (("table", "show", "nowhere"), "cannot read nowhere"),
        (("table", "show", "runs/q-1/config.json"), "is no file of fourlab, or it is damaged"),
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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--against", "q:nothing"), "cannot read nothing"),
        (("--against", "zzz"), "unknown agent 'zzz'"),
        (("--against", "human"), "agent 'human' cannot play in a training run"),
        (("--truth", "zzz"), "no suite or file 'zzz'; suites of tictactoe: opening, middle, end\n"),
        (("--truth", "uci"), "no suite or file 'uci'; suites of tictactoe: opening, middle, end\n"),
        (("--until-certified", "third"), "there is no such side; write first or second"),
        (("--evaluation-games", "9"), "against nobody"),
    ],
)
def test_a_run_that_is_refused_leaves_nothing_in_the_way(
    tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    """Neither a folder that holds a run nor, where it goes on, a config that cannot."""
    begun = ("train", "q", "--game", "tictactoe", "--games", "20", "--out", "new")
    for words in (begun, ("train", "--resume", "--games", "40", "--out", "new")):
        before = [path.read_bytes() for path in sorted(tmp_path.rglob("config.json"))]
        refused = fourlab(tmp_path, *words, *arguments)
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1), refused.stderr
        assert said in refused.stderr
        assert [path.read_bytes() for path in sorted(tmp_path.rglob("config.json"))] == before
        assert fourlab(tmp_path, *words).returncode == 0


ENGINE = """import sys

for line in sys.stdin:
    word = line.split()[0]
    if word == "game" and "columns 7" not in line:
        print("error it has 7 columns", flush=True)
    if word in ("fourlab", "isready"):
        print("ready" if word == "fourlab" else "readyok", flush=True)
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ("q", "--opponent", "engine:./wide.py"),
        ("q", "--opponent", "random then 4 baseline and 1 engine:./wide.py"),
        ("q", "--against", "engine:./wide.py"),
        ("deep-q", "--opponent", "engine:./wide.py"),
    ],
)
def test_an_engine_that_does_not_play_there_is_refused_before_a_run_begins(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    if arguments[0] == "deep-q":
        pytest.importorskip("torch")
    (tmp_path / "wide.py").write_text(ENGINE)
    of = ("--game", "tictactoe", "--games", "20", "--out", "new")
    refused = fourlab(tmp_path, "train", *arguments, *of)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1), refused.stderr
    assert "engine:./wide.py does not play tictactoe: it has 7 columns" in refused.stderr
    assert refused.stdout == ""
    assert not (tmp_path / "new").exists()


LINE = {
    **{"games": 5000, "wins": 0.5, "draws": 0.25, "losses": 0.25, "size": 1234, "left_out": 0},
    "games_per_s": 9876,
}
SCORE = {"wins": 6, "draws": 2, "losses": 2, "score": 0.7, "low": 0.4, "high": 0.9}


def test_a_report_has_its_evaluations_where_they_fit() -> None:
    plain = "5,000 games · won 50.0% drawn 25.0% lost 25.0% · 1,234 states · 9,876 games/s"
    assert report(LINE).strip() == plain
    evaluated = {**LINE, "against": {"baseline": SCORE}}
    versus = "vs baseline 70.0% ± 25.0% (6/2/2)"
    assert report(evaluated).strip() == f"{plain} · {versus}"
    assert report(evaluated, width=90).strip() == f"{plain}\n      {versus}"
    narrow = report(evaluated, width=60).splitlines()
    assert narrow[0].endswith("lost 25.0%")
    assert narrow[1:] == ["      1,234 states · 9,876 games/s", f"      {versus}"]
    assert "7 left out: memory-mb is reached" in report({**LINE, "left_out": 7})
    truth = {"perfect": 0.5, "good": 0.75, "value_error": 0.25, "classes": {"accuracy": 0.625}}
    said = "of its moves 50.0% perfect, 75.0% good, values off by 0.25 · 62.5% of classes told"
    assert report({**LINE, "truth": truth}).endswith(said)
    assert report({**LINE, "truth": {**truth, "classes": None}}).endswith("off by 0.25")
    taught = report({**LINE, "held_kept": 0.5}, Distil)
    assert "positions · best" in taught
    assert "1,234 weights" in taught
    assert "1,234 weights" in report(LINE, NTuple)
    assert "1,234 learning steps" in report(LINE, DeepQ)
    assert taught.endswith("positions/s · of those set aside 50.0% kept")
    assert " · 1,234 learning steps · " in report(LINE, DeepQ)
    assert report({**LINE, "seconds": 71.26}).endswith(" · 71.3 s")


def test_errors_are_drawn_against_seconds() -> None:
    points = [(30.0, 0.2), (60.0, 0.1), (60.0, 0.05), (90.0, 0.0)]
    *rows, axis = curve(points, plain=True).split("\n")
    assert [row[:6] for row in rows] == [" 20.0%", *[" " * 6] * 4, "    0%"]
    shown = [sum(row[7 + column : 8 + column] == "#" for row in rows) for column in range(60)]
    assert shown == [0] * 19 + [6] * 20 + [2] * 20 + [1]  # nothing before the first, a line for 0
    assert axis.split() == ["0", "s", "90", "s"]
    assert axis.index("0") == 7
    assert len(axis) == 7 + 60
    assert curve(points).split("\n")[-3:-1] == [
        " " * 26 + "█" * 20 + "▄" * 20,
        "    0% " + " " * 19 + "█" * 40 + "▁",
    ]
    assert curve([(5.0, 0.0)]).count("▁") == 1  # faultless from the start


def test_in_a_terminal_the_curve_stays_when_the_bar_goes() -> None:
    screen = io.StringIO()
    terminal = Console(file=screen, force_terminal=True, width=80, _environ={})
    with CurveBar(console=terminal, transient=True, auto_refresh=False) as bar:
        bar.add_task("zero", total=1)
        bar.points = [(1.0, 0.25), (2.0, 0.1)]
    ended = screen.getvalue().rpartition("zero")[2]
    assert "25.0%" in ended
    assert "2 s" in ended


def test_a_run_whose_seconds_are_over_is_done(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    tiny = "zero:width=4,blocks=0,head=2,hidden=4,bins=3,lanes=4,sims=4,fast-sims=2"
    for words in ((f"{tiny},seconds=0.001", "--game", "tictactoe"), ("--resume",)):
        ended = fourlab(tmp_path, "train", *words, "--out", "new")
        assert ended.returncode == 0
        assert "stopped" not in ended.stderr
        assert "done: new; play it" in ended.stdout


def test_the_speed_leaves_pauses_out(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = iter([0.0, 2.0, 100.0, 101.0])
    monkeypatch.setattr("time.perf_counter", lambda: next(seconds))
    meter = Speedometer()
    assert [meter.read(100), meter.read(300)] == [None, 100]
    meter.pause(90)
    assert [meter.read(400), meter.read(450)] == [90, 50]


def test_notices_go_where_standard_error_is_by_then(monkeypatch: pytest.MonkeyPatch) -> None:
    handler, bar = Notices(), io.StringIO()
    monkeypatch.setattr(sys, "stderr", bar)  # as a progress bar does while it is drawn
    handler.emit(logging.makeLogRecord({"msg": "compiling (once)"}))
    assert bar.getvalue() == "compiling (once)\n"


def test_a_learner_without_a_table_is_reported_too() -> None:
    line = {"games": 10, "wins": 0.5, "draws": 0.0, "losses": 0.5, "size": 3, "games_per_s": 7}
    assert "left out" not in report(line)
    assert "left out" in report({**line, "left_out": 2})


def test_a_run_that_taught_nothing_says_so(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    small = "network=residual,blocks=0,width=2"
    words = ("train", f"deep-q:reuse=0,{small}", "--game", "tictactoe", "--games", "9", "-o", "x")
    said = "nothing was learned (reuse=0): it plays as it began"
    for more in ((), ("--json",)):  # and where its end is told again
        told = fourlab(tmp_path, *words, *more)
        assert (told.returncode, told.stderr.count(said)) == (0, 1)
    words = (*words[:1], f"deep-q:batch=2,{small}", *words[2:-1], "y")
    assert "nothing was learned" not in fourlab(tmp_path, *words).stderr
    line = {**LINE, "steps": 0}
    assert "nothing learned yet · " in report({**line, "seconds": 1.0})
    assert "nothing learned yet: 2,833 more lessons" in report({**line, "lessons_lacking": 2833})
    assert "nothing" not in report({**line, "steps": 1})
