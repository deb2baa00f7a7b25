"""A study in its folder: what is finished is kept, what is left is done, and nothing else."""

import dataclasses
import json
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import command
from fourlab.core.errors import FourlabError, SpecError
from fourlab.core.held import alone
from fourlab.core.storage import StorageError
from fourlab.core.workers import Workers
from fourlab.studies.archive import Archive, check_only, read_finished
from fourlab.studies.base import Experiment, Published, Study
from fourlab.studies.bench import Bench, Listener, StoppedError
from fourlab.studies.findings import Findings
from fourlab.studies.registry import STUDIES

FILE = str(Path(__file__).parent / "gated_study.py")


@pytest.fixture
def study() -> Study:
    return STUDIES.find(FILE)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gate").touch()
    return tmp_path


def rerun(archive: Archive, workers: int = 2, **options: Any) -> Archive:
    with Workers(workers) as pool:
        for _ in archive.run(pool, **options):
            pass
    return archive


def found(archive: Archive) -> dict[str, Any]:
    return {name: done.findings.to_json() for name, done in archive.finished.items()}


def test_one_seed_gives_the_same_findings_for_any_number_of_workers(
    study: Study, here: Path
) -> None:
    by_one = found(rerun(Archive.start(study, here / "a", quick=True, seed=3), workers=1))
    many = found(rerun(Archive.start(study, here / "b", quick=True, seed=3), workers=5))
    other = found(rerun(Archive.start(study, here / "c", quick=True, seed=4), workers=1))
    assert by_one == many != other
    assert set(by_one) == {"played", "learned"}


def test_what_was_kept_is_what_was_found(study: Study, here: Path) -> None:
    archive = rerun(Archive.start(study, here / "a", quick=True))
    again = Archive.open(study, here / "a")
    assert again.finished == archive.finished
    assert (again.quick, again.seed, again.left) == (True, 0, [])
    done = again.finished["played"]
    assert done.games == 100
    assert done.distinct is not None
    assert 0.5 < done.distinct <= 1
    assert done.made["python"].startswith("3.")
    [training] = again.finished["learned"].log
    assert training["seeds"] == [1, 2, 3]
    assert training["games"] == 1800


def test_two_at_once_are_refused(study: Study, here: Path) -> None:
    archive = Archive.start(study, here / "a", quick=True)
    with alone(here / "a"), pytest.raises(StorageError, match="another program is at work in"):
        rerun(archive)
    assert archive.finished == {}


def test_a_study_that_takes_the_place_of_another_is_not_written_into(
    study: Study, here: Path
) -> None:
    other = Archive.start(study, here / "b", quick=True, seed=4)
    with Workers(1) as workers:
        running = Archive.start(study, here / "a", quick=True).run(workers)
        next(running)
        (here / "a").rename(here / "moved")
        other.folder.rename(here / "a")
        with pytest.raises(StorageError, match="a was deleted, moved or replaced"):
            next(running)
    assert [path.name for path in (here / "a").iterdir()] == ["study.json"]


def test_sizes_differ(study: Study, here: Path) -> None:
    full = rerun(Archive.start(study, here / "a"))
    assert full.finished["played"].games == 400
    assert len(full.finished["learned"].log[0]["seeds"]) == 5


def test_a_stopped_study_goes_on_with_what_is_left(study: Study, here: Path) -> None:
    archive = Archive.start(study, here / "a", quick=True)
    rerun(archive, only=("played",))
    before = (here / "a/results/played.json").read_bytes()
    resumed = Archive.open(study, here / "a")
    assert [experiment.name for experiment in resumed.left] == ["learned"]
    rerun(resumed)
    assert (here / "a/results/played.json").read_bytes() == before
    assert found(resumed) == found(rerun(Archive.start(study, here / "b", quick=True)))


def test_an_experiment_that_is_called_off_leaves_nothing_and_ends(study: Study, here: Path) -> None:
    archive = Archive.start(study, here / "a", quick=True)
    heard: list[int] = []
    listener = Listener(advance=heard.append, is_over=lambda: sum(heard) > 100)
    with pytest.raises(StoppedError):
        rerun(archive, listener=listener)
    assert set(Archive.open(study, here / "a").finished) == {"played"}


def test_bars_hear_of_all_work(study: Study, here: Path) -> None:
    expected: list[int] = []
    done: list[int] = []
    listener = Listener(lambda units, unit: expected.append(units), done.append)
    rerun(Archive.start(study, here / "a", quick=True), listener=listener)
    assert sum(done) == sum(expected) == 100 + 3 * 600


def test_the_estimate_learns_from_what_is_done(study: Study, here: Path) -> None:
    archive = Archive.start(study, here / "a", quick=True)
    assert archive.estimate(cores=2) == 15
    assert archive.estimate(cores=1) == 30
    assert archive.estimate(cores=2, only=("played",)) < 15
    rerun(archive, only=("played",))
    slow = dataclasses.replace(archive.finished["played"], seconds=50)
    archive.finished["played"] = slow
    assert archive.estimate(cores=2) == 100


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 1}', '{"format": 2}', "\x00"])
def test_damaged_files_are_named(study: Study, here: Path, text: str) -> None:
    archive = rerun(Archive.start(study, here / "a", quick=True), only=("played",))
    path = archive.path(study.experiments[0])
    path.write_text(text)
    with pytest.raises(StorageError, match=r"played\.json.*delete it"):
        Archive.open(study, here / "a")
    with pytest.raises(StorageError):
        read_finished(path)
    (here / "a" / "study.json").write_text(text)  # without it the folder is of no use
    with pytest.raises(StorageError, match=r"study\.json is damaged; name another --out$"):
        Archive.open(study, here / "a")


def test_folders_are_not_mixed(study: Study, here: Path) -> None:
    Archive.start(study, here / "a")
    with pytest.raises(StorageError, match="--resume"):
        Archive.start(study, here / "a")
    other = dataclasses.replace(study, name="other")
    with pytest.raises(StorageError, match="holds study 'gated'"):
        Archive.open(other, here / "a")
    with pytest.raises(StorageError, match="holds no study to go on with; leave out --resume"):
        Archive.open(study, here / "nowhere")


@pytest.mark.parametrize("name", ["report.html", "report.md", "figures"])
def test_a_study_is_not_begun_where_its_report_would_take_the_place_of_something(
    study: Study, here: Path, name: str
) -> None:
    (here / "out").mkdir()
    (here / "out" / name).write_text("mine")
    with pytest.raises(StorageError, match=rf"out/{name} is there.* name another --out"):
        Archive.start(study, here / "out")
    assert (here / "out" / name).read_text() == "mine"
    assert [path.name for path in (here / "out").iterdir()] == [name]


def test_results_of_another_run_or_experiment_are_not_believed(study: Study, here: Path) -> None:
    archive = rerun(Archive.start(study, here / "a", quick=True), only=("played",))
    other = archive.path(study.experiments[1])
    shutil.copy(archive.path(study.experiments[0]), other)
    with pytest.raises(StorageError, match="is of experiment 'played'; delete it"):
        Archive.open(study, here / "a")
    other.unlink()
    for name, options in (("size", {}), ("seed", {"quick": True, "seed": 9})):
        Archive.start(study, here / name, **options)
        shutil.copytree(archive.path(study.experiments[0]).parent, here / name / "results")
        with pytest.raises(StorageError, match=r"is of a quick run with seed 0; delete it"):
            Archive.open(study, here / name)
    (here / "a" / "study.json").unlink()
    with pytest.raises(StorageError, match=r"study\.json is gone; name another --out"):
        Archive.start(study, here / "a", quick=True, seed=9)


def test_unknown_experiments_and_files_are_answered_with_what_exists(
    study: Study, tmp_path: Path
) -> None:
    with pytest.raises(FourlabError, match="it has: played, learned"):
        check_only(study, ("player",))
    with pytest.raises(SpecError, match="no file"):
        STUDIES.find(str(tmp_path / "none.py"))
    (tmp_path / "empty.py").write_text("")
    with pytest.raises(SpecError, match="STUDY ="):
        STUDIES.find(str(tmp_path / "empty.py"))


def test_verdicts_are_corrected_and_follow_the_published_figures(study: Study, here: Path) -> None:
    results = rerun(Archive.start(study, here / "a"), only=("played",)).results
    verdict, missing = study.judge(results)
    assert (verdict.ruling, missing.ruling) == ("confirmed", "not run")
    planted = dataclasses.replace(
        study.experiments[0], published=Published({"baseline": {"score": 0.999}})
    )
    changed = dataclasses.replace(study, experiments=(planted, *study.experiments[1:]))
    results = type(results)(changed, dict(results))
    assert changed.judge(results)[0].ruling == "refuted"
    many = dataclasses.replace(study, claims=(study.claims[0],) * 50)
    single = dataclasses.replace(study, claims=(study.claims[0],))
    results = type(results)(study, dict(results))
    assert many.judge(results)[0].p_value > single.judge(results)[0].p_value


COMMAND = ["study", FILE, "--quick", "--out", "a"]


def test_a_killed_study_resumes_as_if_it_had_not_been_killed(tmp_path: Path, study: Study) -> None:
    running = subprocess.Popen([sys.executable, "-m", "fourlab.cli.main", *COMMAND], cwd=tmp_path)
    kept = tmp_path / "a/results/played.json"
    while not kept.exists():  # the second experiment then waits for the gate
        assert running.poll() is None
        time.sleep(0.01)
    running.kill()
    running.wait()
    (tmp_path / "gate").touch()
    for more in (["--resume"], ["--out", "b"]):
        told = command.run(*COMMAND, *more, "--json", folder=tmp_path)
        assert json.loads(told.stdout)["claims"][0]["ruling"] == "confirmed"
    killed, whole = (Archive.open(study, tmp_path / folder) for folder in "ab")
    assert found(killed) == found(whole)


def test_contradictions_are_refused(tmp_path: Path) -> None:
    (tmp_path / "gate").touch()
    assert command.run(*COMMAND, "--only", "played", folder=tmp_path).returncode == 0
    for more, told in (
        ([], "--resume"),
        (["--resume", "--seed", "7"], "seed 0"),
        (["--resume", "--only", "nothing"], "it has: played, learned"),
    ):
        answer = command.run(*COMMAND, *more, folder=tmp_path)
        assert answer.returncode == 2
        assert told in answer.stderr
        assert len(answer.stderr.splitlines()) == 1


SMALL = """from fourlab.studies.base import Claim, Experiment, Study
from fourlab.studies.findings import Column, Findings


def found(bench):
    return Findings((Column("who", "who", "text"),), ({"who": "ours"},))


ONE = Experiment("one", "One?", found)
STUDY = Study("small", "Small", "any", (ONE,))
"""


def test_a_file_that_was_changed_is_told_of_beside_what_it_found_before(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    file = tmp_path / "mine" / "small.py"
    file.write_text(SMALL)
    told = [command.run("study", "mine/small.py", "--quick", folder=tmp_path).stdout]
    for more in ("", "# another thought\n"):
        file.write_text(SMALL + more)
        again = command.run("study", "mine/small.py", "--quick", "--resume", folder=tmp_path)
        told.append(again.stdout)
    changed = "small.py was changed after this was run: one. Name another --out."
    assert [changed in text for text in told] == [False, False, True]
    assert changed in (tmp_path / "reports/small-quick/report.md").read_text()


def test_the_full_run_of_a_file_is_begun_as_a_quick_one_says(tmp_path: Path) -> None:
    (tmp_path / "my own").mkdir()
    (tmp_path / "my own" / "small.py").write_text(SMALL)
    told = command.run("study", "my own/small.py", "--quick", folder=tmp_path).stdout
    line = next(line for line in told.splitlines() if "The full one: " in line)
    words = shlex.split(line.partition("The full one: fourlab ")[2])
    assert command.run(*words, folder=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("last", "told"),
    [
        ("STUDY = 5", "bad.py@"),
        ("STUDY = Study", "write STUDY = Study(...)"),
        ('STUDY = Study("small", "Small", "any", (ONE, ONE))', "two experiments are called 'one'"),
        (
            'STUDY = Study("s", "S", "any", (Experiment("x", "X?", lambda bench: None),))',
            "experiment 'x' returned None; return Findings(",
        ),
        (
            'STUDY = Study("s", "S", "any", (ONE,), (Claim("Ours.", lambda results: None),))',
            "claim 'Ours.': its test returned None; return Evidence(...)",
        ),
    ],
)
def test_a_file_without_a_sound_study_is_refused(tmp_path: Path, last: str, told: str) -> None:
    (tmp_path / "bad.py").write_text(SMALL + last + "\n")
    answer = command.run("study", "bad.py", folder=tmp_path)
    assert answer.returncode == 2, answer.stderr
    assert told in answer.stderr.splitlines()[-1]
    assert len(answer.stderr.splitlines()) <= 2  # how long it will take, where it begins


@pytest.mark.parametrize("asked", ["on", "one"])
def test_a_claim_that_asks_for_what_is_not_there_says_so(tmp_path: Path, asked: str) -> None:
    test = f"lambda results: results[{asked!r}].measure('theirs', 'score')"
    study = f"STUDY = Study('s', 'S', 'any', (ONE,), (Claim('Ours.', {test}),))"
    (tmp_path / "mine.py").write_text(SMALL + study)
    told = command.run("study", "mine.py", folder=tmp_path).stdout
    lacking = "on" if asked == "on" else "theirs"
    assert f"its test asks for '{lacking}', which is not there" in told
    assert "which is not there" in (tmp_path / "reports/s/report.md").read_text()


def test_options_of_a_study_need_one(tmp_path: Path) -> None:
    answer = command.run("study", "--quick", "--seed", "0", folder=tmp_path)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert "no study is named, and they are listed; leave out --quick and --seed" in answer.stderr


def test_jobs_come_back_in_their_order(tmp_path: Path) -> None:
    with Workers(3) as pool:
        bench = Bench(pool, tmp_path)
        assert bench.each(str, range(50)) == [str(number) for number in range(50)]


def test_the_study_of_the_documentation_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (Path(__file__).parents[2] / "docs/studies/own.md").read_text()
    code = page.split("```python\n")[1].split("```")[0]
    assert len(code.strip().splitlines()) <= 36
    (tmp_path / "budget.py").write_text(code)
    own = STUDIES.find(str(tmp_path / "budget.py"))
    archive = rerun(Archive.start(own, tmp_path / "a", quick=True))
    assert len(archive.finished["budget"].findings.rows) == 3
    assert own.judge(archive.results)[0].ruling in ("confirmed", "undecided")


def test_findings_are_the_same_after_a_round_trip(study: Study, here: Path) -> None:
    for findings in rerun(Archive.start(study, here / "a", quick=True)).results.values():
        assert Findings.from_json(json.loads(json.dumps(findings.to_json()))) == findings


def test_experiments_are_found_by_name(study: Study) -> None:
    assert isinstance(study.experiment("learned"), Experiment)
    with pytest.raises(KeyError):
        study.experiment("else")
