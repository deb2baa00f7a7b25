"""Sweeps over learners: every point is trained once, whatever happens, and then plays."""

import json
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import command
from fourlab.core.errors import SpecError
from fourlab.core.held import alone
from fourlab.core.storage import StorageError
from fourlab.core.workers import Workers
from fourlab.learning.registry import load_learner
from fourlab.learning.runs import CONFIG, Run, RunConfig
from fourlab.studies.courses import Course, Courses, course, folder_name, log, train
from fourlab.studies.sweep import Sweep, expand
from fourlab.values.knowledge import CHECKPOINT

TEXT = "q:alpha={0.1,0.5},epsilon={0.05,0.3},chunk=100"
RUNS = Path("runs/sweep")


def training(games: int = 1000, seed: int = 3, text: str = TEXT) -> Courses:
    return Courses(expand(text).specs, "tictactoe", games, seed, RUNS)


def swept(workers: int) -> dict[str, Any]:
    """Train and play in the working folder; agents are known by relative paths."""
    made = training()
    with Workers(workers) as pool:
        assert len(list(made.run(pool))) == 4
        sweep = Sweep(TEXT, ("random",), "tictactoe", games=40, seed=3, training=made)
        for _ in sweep.tournament.run(pool):
            pass
    return sweep.to_json()


def learned(folder: Path) -> dict[str, bytes]:
    return {path.parent.name: path.read_bytes() for path in folder.rglob(CHECKPOINT)}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_point_is_the_run_of_its_learner() -> None:
    points = training().courses
    assert len({point.folder for point in points}) == 4
    assert points[1].run.learner == "q:games=1000,epsilon=0.3,chunk=100"
    assert (points[1].run.game, points[1].run.seed) == ("tictactoe", 3)
    assert points[1].agent == f"q:{points[1].folder}"
    assert Path(points[1].folder).parent == RUNS
    folders = {training(**other).courses[1].folder for other in ({}, {"seed": 4}, {"games": 500})}
    assert len(folders) == 3
    assert training().courses == points


def test_the_length_of_training_is_an_option_like_others() -> None:
    made = training(text="q:games={200,700}")
    assert [point.games for point in made.courses] == [200, 700]
    assert made.total == 900


def test_values_may_be_schedules() -> None:
    first, second = expand("q:epsilon={(linear:1,end=0.1),0.2}").specs
    assert course(first, "tictactoe", 9, 0, RUNS).run.learner == (
        "q:games=9,epsilon=(linear:1,end=0.1)"
    )
    assert second == "q:epsilon=0.2"


def test_workers_make_no_difference_and_resuming_neither(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, values = [], []
    for name in ("alone", "together", "resumed"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        if name == "resumed":
            with Workers(2) as pool:
                going = training().run(pool)
                done = next(going)
                going.close()  # the other worker's point saves what it has
            before = (Path(done.folder) / CHECKPOINT).stat()
        found.append(swept(1 if name == "alone" else 2))
        values.append(learned(RUNS))
    assert len(values[0]) == 4
    assert values[0] == values[1] == values[2]
    assert found[0] == found[1] == found[2]
    after = (tmp_path / "resumed" / done.folder / CHECKPOINT).stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.usefixtures("here")
def test_who_leaves_early_need_not_wait_for_the_end() -> None:
    made = training(text="q:games={200,5000000},chunk=100")
    with Workers(2) as pool:
        going = made.run(pool)
        assert next(going) == made.courses[0]
        going.close()
    left = Path(made.courses[1].folder) / CHECKPOINT  # none, if it had not begun
    assert not left.exists() or load_learner(left).done < 5_000_000


@pytest.mark.usefixtures("here")
def test_what_was_learned_is_what_plays() -> None:
    made = training(text="q:games={10,20000},alpha=0.5,start=(random:plies=2)")
    with Workers(2) as pool:
        list(made.run(pool))
        short = Sweep(
            "q:games={10,20000}", ("random",), "tictactoe", games=400, seed=1, training=made
        )
        for _ in short.tournament.run(pool):
            pass
    few, many = short.to_json()["points"]
    assert few["high"] < many["low"]
    assert (few["trained"], many["trained"]) == (10, 20000)


@pytest.mark.usefixtures("here")
def test_watch_hears_of_every_game_once() -> None:
    made = training()
    heard: list[int] = []
    with Workers(2) as pool:
        list(made.run(pool, heard.append))
        assert sum(heard) == made.total == 4000
        assert max(heard) == 100  # chunk by chunk
        heard.clear()
        list(made.run(pool, heard.append))
    assert heard == [1000] * 4


@pytest.mark.usefixtures("here")
def test_a_point_that_another_program_trains_is_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = training(games=200, text="q:alpha={0.1,0.5}")
    first, second = made.courses
    other = Run.start(Path(first.folder), first.run)
    told: list[str] = []
    waits = threading.Event()
    monkeypatch.setattr(log, "info", lambda words: (told.append(words), waits.set()))
    with Workers(2) as pool:
        going = made.run(pool)
        with alone(other.folder):
            assert next(going) == second
            assert waits.wait(60)
        assert next(going) == first
        assert next(going, None) is None
    assert told == [f"another program trains {first.folder}; waiting until it ends ..."]
    assert all(Run.resume(Path(point.folder)).is_over for point in made.courses)


@pytest.mark.usefixtures("here")
def test_who_waits_for_another_program_can_leave() -> None:
    made = training(games=200, text="q:alpha={0.1,0.5}")
    first, second = made.courses
    other = Run.start(Path(first.folder), first.run)
    with alone(other.folder), Workers(2) as pool:
        going = made.run(pool)
        assert next(going) == second
        going.close()
    assert Run.resume(other.folder).learner.done == 0


@pytest.mark.usefixtures("here")
def test_what_another_program_trained_meanwhile_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """It had looked at the point before."""
    point = training(games=200).courses[0]
    start, others = Run.start, []

    def started(folder: Path, config: RunConfig) -> Run:
        run = start(folder, config)
        list(Run.resume(folder).reports())
        others.append(learned(RUNS))
        return run

    monkeypatch.setattr(Run, "start", started)
    heard: list[int] = []
    assert train(point, heard.append) == sum(heard) == 200
    assert [learned(RUNS)] == others


@pytest.mark.usefixtures("here")
def test_a_folder_of_another_run_is_left_alone() -> None:
    point = training().courses[0]
    other = RunConfig("q:games=10", "tictactoe", 1)
    list(Run.start(Path(point.folder), other).reports())
    before = learned(RUNS)
    with pytest.raises(StorageError, match=r"holds another run: q:games=10; name other --runs"):
        train(point)
    assert learned(RUNS) == before


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("file", [CHECKPOINT, CONFIG])
def test_who_is_told_of_a_damaged_point_is_told_what_to_do(file: str) -> None:
    """And doing it gives what was there."""
    point = training().courses[0]
    train(point)
    folder, before = Path(point.folder), learned(RUNS)
    for damage in (b"", b"{", (folder / file).read_bytes()[:-9]):
        (folder / file).write_bytes(damage)
        with pytest.raises(
            StorageError, match=rf"{file} is .*; put a copy in its place, or re"
        ) as e:
            train(point)
        if "remove the folder" in str(e.value):
            shutil.rmtree(folder)
        elif "remove it: then this run begins anew" in str(e.value):
            (folder / file).unlink()
        train(point)
        assert learned(RUNS) == before


class Elsewhere(Workers):
    """Workers of a cluster that does not share this machine's disk."""

    def run(self, function: Any, jobs: Any) -> Any:
        assert function is train  # nothing that only this process knows
        yield from ((job, job.games) for job in jobs)


@pytest.mark.usefixtures("here")
def test_what_was_trained_elsewhere_is_said() -> None:
    with Elsewhere(1) as workers:
        workers.cluster = "tcp://elsewhere"
        with pytest.raises(StorageError, match="share with --runs"):
            list(training().run(workers))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("qq:alpha={1,2}", "unknown learner 'qq'; did you mean 'q'"),
        ("q:alhpa={1,2}", "learner 'q' has no option 'alhpa'; options: games="),
        ("q:gamma={0.5,2}", r"gamma='2' is not allowed"),
        (
            "q:opponent={random,(random)}",
            r"'q:opponent=random' and 'q:opponent=\(random\)' are one learner; give it once",
        ),
        ("q:opponent={random,magic}", "unknown agent 'magic'"),
        ("q:alpha={0.1,const:0.1}", "'q:alpha=0.1' and 'q:alpha=const:0.1' are one learner"),
        ("q:epsilon={(linear:1,end=0.1),(linear:1.0,end=.1)}", "are one learner"),
        ("q:alpha={0.1,1e-1}", "are one learner"),
        ("q:alpha={.1,0.5,0.10}", "are one learner"),
        ("q:chunk={5,9,5.0}", "are one learner"),
        ("q:opponent={minimax,(minimax:ties=random)}", "are one learner"),
    ],
)
def test_what_cannot_be_trained_is_refused_before_anything_is(
    here: Path, text: str, says: str
) -> None:
    with pytest.raises(SpecError, match=says):
        training(text=text)
    assert not list(here.iterdir())


def test_options_of_a_learner_need_training() -> None:
    with pytest.raises(SpecError, match=r"'q' has no option 'alpha'.*say --train GAMES"):
        Sweep("q:alpha={0.1,0.2}", ("random",), "tictactoe")


def test_a_course_is_plain_data() -> None:
    import pickle  # as executors do, and nothing else

    point = training().courses[0]
    assert isinstance(point, Course)
    assert pickle.loads(pickle.dumps(point)) == point


SWEEP = [
    *("sweep", "q:alpha={0.1,0.3},opponent=baseline"),
    *("--train", "100000", "--against", "random", "--game", "tictactoe", "--games", "40"),
    *("--seed", "2", "--workers", "2", "--json"),
]


def test_a_killed_sweep_is_gone_on_with_as_if_never_stopped(tmp_path: Path) -> None:
    said = []
    for name in ("killed", "whole"):
        folder = tmp_path / name
        folder.mkdir()
        if name == "killed":
            program = [sys.executable, "-m", "fourlab.cli.main", *SWEEP]
            driver = subprocess.Popen(program, cwd=folder, stderr=subprocess.DEVNULL)
            while not list(folder.rglob(CHECKPOINT)) and driver.poll() is None:
                time.sleep(0.01)
            driver.kill()
            driver.wait()
        done = command.run(*SWEEP, folder=folder)
        said.append(json.loads(done.stdout))
    assert said[0] == said[1]
    assert said[0]["games"] == 80
    assert learned(tmp_path / "killed") == learned(tmp_path / "whole")


def test_a_folder_says_what_was_trained_in_it() -> None:
    names = [
        folder_name(RunConfig(learner, game, seed))
        for learner, game, seed in (
            ("q:games=1000,alpha=0.3", "connect4", 0),
            ("q:games=1000,alpha=0.3", "tictactoe", 2),
            ("q:opponent=2 random and 1 baseline", "connect4", 0),
            ("q:opponent=2 random and 1-baseline", "connect4", 0),
        )
    ]
    assert names[:2] == ["q-games1000-alpha0.3", "q-games1000-alpha0.3-tictactoe-seed2"]
    assert names[2].startswith("q-opponent2-random-and-1-baseline-")
    assert len(set(names)) == 4
