"""Runs survive being stopped, killed and short of room; what they say is what they did."""

import errno
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from command import run as run_command
from fourlab.agents.minimax import Minimax
from fourlab.core import storage
from fourlab.core.errors import SpecError
from fourlab.core.held import alone
from fourlab.core.storage import StorageError
from fourlab.learning import runs
from fourlab.learning.evaluation import Score, play_off
from fourlab.learning.registry import learner, load_learner
from fourlab.learning.run_files import add_metrics
from fourlab.learning.runs import CONFIG, METRICS, Run, RunConfig, find_runs, read_metrics
from fourlab.values.knowledge import CHECKPOINT

SPECS = [
    "q:opponent=(2 random and 1 baseline),spread=0.3",
    "afterstates:opponent=(frozen:every=70)",
    "double-q:opponent=self,memory-mb=0.02",
    "td-lambda:epsilon=(linear:1,end=0)",
    "monte-carlo",
    "n-tuple:tuples=4,length=3",
]


def contents(path: Path) -> dict[str, Any]:
    header, arrays = storage.load_arrays(path, "values", 1)
    return {"about": header["about"], "checksum": header["checksum"], "arrays": sorted(arrays)}


@pytest.mark.parametrize("spec", SPECS)
def test_a_learner_put_away_and_taken_up_goes_on_bit_for_bit(tmp_path: Path, spec: str) -> None:
    options: dict[str, Any] = {"games": 400, "chunk": 40}
    straight = learner(spec, "tictactoe", 3, **options)
    for _ in straight.steps():
        pass
    straight.save(tmp_path / "straight.npz")
    path = tmp_path / "broken.npz"
    learner(spec, "tictactoe", 3, **options).save(path)
    for _ in range(4):  # three of the ten chunks at a time
        broken = load_learner(path)
        for _, _ in zip(range(3), broken.steps(), strict=False):
            pass
        broken.save(path)
    assert contents(path) == contents(tmp_path / "straight.npz")


def test_a_stop_is_heard_while_an_opponent_thinks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = RunConfig("q:games=300,chunk=300,opponent=(minimax:depth=2)", "tictactoe", 5, 300)
    straight = Run.start(tmp_path / "straight", told)
    list(straight.reports())
    broken = Run.start(tmp_path / "broken", told)
    choose, asked = Minimax.choose, 0

    def slowly(*args: Any) -> Any:
        nonlocal asked
        asked += 1
        return choose(*args)

    monkeypatch.setattr(Minimax, "choose", slowly)
    for most, played in ((2, 0), (7, 64)):  # of a round of games that is called off nothing stays
        ends = asked + most
        list(broken.reports(stop=lambda ends=ends: asked >= ends))
        assert asked == ends
        assert broken.learner.done == played
        broken = Run.resume(tmp_path / "broken")
    list(broken.reports())
    assert contents(broken.folder / CHECKPOINT) == contents(straight.folder / CHECKPOINT)


def config(**changes: Any) -> RunConfig:
    base = RunConfig("q:games=2000,chunk=100", "tictactoe", 5, 500, ("baseline",), 50, "")
    return RunConfig(**{**vars(base), **changes})


def test_a_run_reports_and_keeps_what_it_did(tmp_path: Path) -> None:
    run = Run.start(tmp_path / "run", config(truth="middle"))
    lines = list(run.reports())
    assert [line["games"] for line in lines] == [500, 1000, 1500, 2000]
    assert read_metrics(tmp_path / "run") == json.loads(json.dumps(lines))
    for line in lines:
        assert line["wins"] + line["draws"] + line["losses"] == pytest.approx(1)
        score = line["against"]["baseline"]
        assert score["wins"] + score["draws"] + score["losses"] == 50
        assert 0 <= score["low"] <= score["score"] <= score["high"] <= 1
        assert 0 < line["truth"]["perfect"] <= line["truth"]["good"] <= 1
    assert find_runs(tmp_path) == [tmp_path / "run"]
    whole = r"holds a run: q:games=2000,chunk=100 on tictactoe, 2,000 of 2,000 games; go on with:"
    with pytest.raises(SpecError, match=whole):
        Run.start(tmp_path / "run", config())


def test_a_run_that_came_to_nothing_is_in_nobodys_way(tmp_path: Path) -> None:
    """As one whose data could not be read: the same command with the right name begins it."""
    begun = Run.start(tmp_path, config())
    other = config(seed=7)
    with alone(tmp_path), pytest.raises(StorageError, match="another program is at work in"):
        Run.start(tmp_path, other)
    assert RunConfig.load(tmp_path) == begun.config
    run = Run.start(tmp_path, other)
    assert len(list(run.reports())) == 4
    assert RunConfig.load(tmp_path).seed == 7
    with pytest.raises(SpecError, match="holds a run"):
        Run.start(tmp_path, config())
    with pytest.raises(StorageError, match="has gone on meanwhile"):
        next(begun.reports())


def test_what_was_learned_is_not_overwritten_where_the_config_is_gone(tmp_path: Path) -> None:
    list(Run.start(tmp_path, config()).reports())
    (tmp_path / "config.json").unlink()
    with pytest.raises(
        SpecError, match=r"holds a run: what it has learned, but no config\.json; re"
    ):
        Run.start(tmp_path, config(seed=7))
    assert not (tmp_path / "config.json").exists()
    assert load_learner(tmp_path / CHECKPOINT).seed == 5


@pytest.mark.parametrize("text", ["", '{"name": "my-app"}', "[1, 2]", "\xff"])
def test_a_config_that_is_no_runs_is_not_written_over(tmp_path: Path, text: str) -> None:
    """Many programs keep something under that name."""
    (tmp_path / CONFIG).write_bytes(text.encode("latin-1"))
    if text:
        with pytest.raises(StorageError, match=r"config.json is there, and no config of a run; na"):
            Run.start(tmp_path, config())
        assert [path.name for path in tmp_path.iterdir()] == [CONFIG]
        assert (tmp_path / CONFIG).read_bytes() == text.encode("latin-1")
    else:
        Run.start(tmp_path, config())


def test_a_run_is_begun_where_nobody_else_can_be_at_work_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever is at work in a folder clears half-written files away, such as this config."""
    original = RunConfig.save

    def save_beside_another(config: RunConfig, folder: Path) -> None:
        with pytest.raises(StorageError, match="another program is at work"), alone(folder):
            pass
        original(config, folder)

    monkeypatch.setattr(RunConfig, "save", save_beside_another)
    for _ in range(2):  # in a new folder, and where nothing came of a run
        run = Run.start(tmp_path / "mine", config())
    assert RunConfig.load(run.folder) == run.config
    with alone(run.folder), pytest.raises(StorageError, match="another program is at work"):
        Run.start(run.folder, config())


def test_a_checkpoint_that_is_longer_than_its_run_is_said_with_its_length(tmp_path: Path) -> None:
    list(Run.start(tmp_path, config()).reports())
    long = Run.start(tmp_path / "long", config(learner="q:games=3000,chunk=100"))
    list(long.reports())
    (tmp_path / "long" / CHECKPOINT).replace(tmp_path / CHECKPOINT)
    with pytest.raises(
        SpecError, match=r"--games 2000: .* has played 3,000 games already; ask for"
    ):
        Run.resume(tmp_path)
    assert Run.resume(tmp_path, games=4000).learner.done == 3000


def test_metrics_do_not_change_what_is_learned(tmp_path: Path) -> None:
    for name, changes in (
        ("plain", {"against": ()}),
        ("watched", {"truth": "middle", "every": 100}),
    ):
        list(Run.start(tmp_path / name, config(**changes)).reports())
    one, other = (contents(tmp_path / name / CHECKPOINT) for name in ("plain", "watched"))
    assert one["checksum"] == other["checksum"]


def without_speed(folder: Path) -> list[dict[str, Any]]:
    return [{**line, "games_per_s": 0} for line in read_metrics(folder)]


def test_a_stopped_run_goes_on_as_if_it_had_not(tmp_path: Path) -> None:
    list(Run.start(tmp_path / "straight", config()).reports())
    run = Run.start(tmp_path / "broken", config())
    countdown = iter(range(7))
    list(run.reports(stop=lambda: next(countdown, None) is None))
    assert 0 < run.learner.done < 2000
    list(Run.resume(tmp_path / "broken").reports())
    assert contents(tmp_path / "broken" / CHECKPOINT) == contents(
        tmp_path / "straight" / CHECKPOINT
    )
    assert without_speed(tmp_path / "broken") == without_speed(tmp_path / "straight")


def command(folder: Path, *more: str) -> list[str]:
    return [
        *(sys.executable, "-m", "fourlab.cli.main", "train", "--out", str(folder)),
        *more,
    ]


START = [
    *("q:chunk=500,memory-mb=1", "--game", "connect:columns=5,rows=4,k=4", "--games", "300000"),
    *("--every", "30000", "--json"),
]


def test_killed_at_any_moment_a_run_goes_on_bit_for_bit(tmp_path: Path) -> None:
    straight, broken = tmp_path / "straight", tmp_path / "broken"
    began = time.perf_counter()
    subprocess.run(command(straight, *START), check=True, capture_output=True)
    whole = time.perf_counter() - began
    moments = random.Random(7)
    arguments = START
    for _ in range(4):
        run = subprocess.Popen(
            command(broken, *arguments), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            run.wait(moments.uniform(0.2, 0.9) * whole)
        except subprocess.TimeoutExpired:
            run.send_signal(signal.SIGKILL)
            run.wait()
        if (broken / "config.json").exists():
            arguments = ["--resume"]
    assert run_command("train", "--out", str(broken), *arguments).returncode == 0
    assert contents(broken / CHECKPOINT) == contents(straight / CHECKPOINT)
    assert without_speed(broken) == without_speed(straight)


def test_an_evaluation_that_is_called_off_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rivals, begun = ("baseline", "minimax:depth=2"), []

    def played(*args: Any) -> Score:
        begun.append(args[1].spec)
        return play_off(*args)

    monkeypatch.setattr(runs, "play_off", played)
    asked = RunConfig("q:games=1000", "tictactoe", every=500, against=rivals)
    [line] = Run.start(tmp_path, asked).reports(stop=lambda: begun == [*rivals])
    assert line["against"].keys() == {"baseline"}
    assert load_learner(tmp_path / CHECKPOINT).done == line["games"] == 500
    [line] = Run.resume(tmp_path).reports()
    assert (line["games"], line["against"].keys()) == (1000, {*rivals})


def test_ctrl_c_saves_and_says_how_to_go_on(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run = subprocess.Popen(
        command(folder, "q", "--game", "tictactoe", "--games", "100000000", "--every", "20000"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert run.stdout is not None
    run.stdout.readline()  # the first report: it is in full swing
    run.send_signal(signal.SIGINT)
    _, errors = run.communicate()
    assert run.returncode == 130
    assert f"go on with: fourlab train --resume --out {folder}" in errors
    assert load_learner(folder / CHECKPOINT).done > 0


def test_a_full_disk_keeps_the_old_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = learner("q:games=200,chunk=100", "tictactoe", 1)
    steps = made.steps()
    next(steps)
    made.save(tmp_path / CHECKPOINT)
    before = (tmp_path / CHECKPOINT).read_bytes()
    next(steps)

    def full(_handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(storage.os, "fsync", full)
    with pytest.raises(StorageError, match="No space left on device; it is as it was"):
        made.save(tmp_path / CHECKPOINT)
    assert (tmp_path / CHECKPOINT).read_bytes() == before


def test_a_line_beyond_the_checkpoint_or_cut_short_is_dropped(tmp_path: Path) -> None:
    run = Run.start(tmp_path, config())
    list(run.reports())
    add_metrics(tmp_path, {"games": 999_999})
    with (tmp_path / METRICS).open("a") as file:
        file.write('{"games": 12')
    assert [line["games"] for line in read_metrics(tmp_path)][-1] == 999_999
    list(Run.resume(tmp_path).reports())
    assert [line["games"] for line in read_metrics(tmp_path)] == [500, 1000, 1500, 2000]


@pytest.mark.parametrize(("seed", "spec"), [(5, "afterstates:games=2000"), (4, "")])
def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path, seed: int, spec: str) -> None:
    run = Run.start(tmp_path, config())
    spec = spec or run.config.learner
    learner(spec, "tictactoe", seed).save(tmp_path / CHECKPOINT)
    with pytest.raises(
        StorageError, match=rf"checkpoint.npz is of {spec} on tictactoe, seed {seed}, not of"
    ):
        Run.resume(run.folder)


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="is no run folder"):
        Run.resume(tmp_path)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(StorageError, match=r"config.json is damaged"):
        Run.resume(tmp_path)
    assert find_runs(tmp_path) == []
