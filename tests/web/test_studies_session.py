"""Studies without a page: cards, reports, and reruns that outlive whoever asked for them."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fourlab.core.errors import FourlabError
from fourlab.core.registry import offered
from fourlab.studies.archive import Archive, read_json, write_json
from fourlab.web.sessions.studies import ReportSession, StudiesSession
from fourlab.web.studies import reruns as reruns_module
from fourlab.web.studies.child import Teller
from fourlab.web.studies.library import LAST, QUICK, UNDER_WAY, Library
from fourlab.web.studies.reruns import Reruns
from web import tiny_studies
from web.bench import TestBench


@pytest.fixture(autouse=True)
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    path = tiny_studies.install(tmp_path / "packages")
    for part in reversed(path.split(os.pathsep)):
        monkeypatch.syspath_prepend(part)
    monkeypatch.setenv("PYTHONPATH", path, prepend=os.pathsep)
    monkeypatch.chdir(tmp_path)
    offered.cache_clear()
    yield
    offered.cache_clear()


@pytest.fixture
def reruns(bench: TestBench):  # type: ignore[no-untyped-def]
    made = Reruns(bench, Library(Path("reruns")), workers=1)
    yield made
    made.close()


def studies(bench: TestBench, reruns: Reruns, who: str = "") -> StudiesSession:
    session = StudiesSession(bench, {}, reruns, who)
    session.open()
    bench.until(lambda: len(session.cards) == len(session.names))
    return session


def do(session: object, name: str, *args: object) -> None:
    assert session.act(name, list(args)), session.error  # type: ignore[attr-defined]


def card(session: StudiesSession, name: str) -> dict[str, object]:
    return next(one for one in session.view()["cards"] if one["name"] == name)


def changed(path: Path, text: str, other: str) -> None:
    """Write a file of a study anew, as another program might have."""
    write_json(path, json.loads(json.dumps(read_json(path)).replace(text, other)))


def state(reruns: Reruns, name: str) -> str:
    found = reruns.of(name)
    return found.state if found else ""


def test_a_study_that_was_not_run_shows_what_was_published(
    bench: TestBench, reruns: Reruns
) -> None:
    session = studies(bench, reruns)
    shown = card(session, "tiny")
    assert (shown["title"], shown["size"], shown["counts"]) == ("A tiny study", "", [])
    assert shown["line"] == "3 × 3, line of 3 · an hour then"
    assert shown["told"]["said"] == "Baseline is ahead."  # type: ignore[index]
    assert shown["told"]["rows"] == [["baseline", "0.78"]]  # type: ignore[index]
    assert shown["picture"] == ""


def test_a_rerun_goes_to_its_end_and_every_tab_sees_it(bench: TestBench, reruns: Reruns) -> None:
    one, other = studies(bench, reruns), studies(bench, reruns)
    do(one, "rerun", "tiny")
    assert other.view()["reruns"]["tiny"]["state"] == "waiting"
    one.close()  # whoever asked for it has left
    bench.until(lambda: state(reruns, "tiny") == "finished")
    bench.until(lambda: card(other, "tiny")["size"] == "quick")
    shown = card(other, "tiny")
    assert shown["counts"] == [
        {"ruling": "confirmed", "count": 1},
        {"ruling": "refuted", "count": 0},
        {"ruling": "undecided", "count": 1},
    ]
    folder = reruns.library.rerun_folder("tiny", LAST)
    kept = json.loads((folder / "results" / "first.json").read_text())
    assert kept["findings"]["rows"][0]["wins"]["value"] == 0.8
    assert json.loads((folder / "study.json").read_text())["quick"]
    assert not reruns.library.rerun_folder("tiny", UNDER_WAY).exists()
    assert 'role="img"' in reruns.library.picture("tiny")
    assert (shown["seeds"], shown["line"][-7:]) == ("2 seeds", ", quick")  # type: ignore[index]
    again = StudiesSession(bench, {}, reruns)  # after a reload, before anything is read
    assert again.view()["reruns"]["tiny"]["head"] == "Rerun finished"
    assert card(again, "tiny")["size"] == "quick"


def test_one_study_runs_at_a_time_and_the_others_are_told_their_place(
    bench: TestBench, reruns: Reruns
) -> None:
    session = studies(bench, reruns)
    do(session, "rerun", "gated")
    do(session, "rerun", "tiny")
    bench.until(lambda: reruns.of("gated").experiment == 2)  # type: ignore[union-attr]
    assert session.view()["reruns"]["tiny"]["note"] == "after gated"
    do(session, "rerun", "gated")  # it stands there once
    assert len(reruns._children) == 1
    do(session, "stop_rerun", "gated")
    bench.until(lambda: state(reruns, "tiny") == "finished")


def test_a_stop_is_at_once_and_what_is_finished_is_not_done_again(
    bench: TestBench, reruns: Reruns
) -> None:
    session = studies(bench, reruns)
    do(session, "rerun", "gated")
    bench.until(lambda: reruns.of("gated").experiment == 2)  # type: ignore[union-attr]
    child = reruns._children["gated"].process
    do(session, "stop_rerun", "gated")
    assert child.poll() is not None
    shown = session.view()["reruns"]["gated"]
    assert (shown["state"], shown["goOn"]) == ("stopped", "Go on from experiment 2")
    first = reruns.library.rerun_folder("gated", UNDER_WAY) / "results" / "first.json"
    kept = first.stat().st_mtime_ns
    Path("gate").touch()
    do(session, "go_on", "gated")
    bench.until(lambda: state(reruns, "gated") == "finished")
    done = reruns.library.rerun_folder("gated", LAST) / "results" / "first.json"
    assert done.stat().st_mtime_ns == kept


def test_a_rerun_that_fails_says_why_and_goes_on_from_there(
    bench: TestBench, reruns: Reruns
) -> None:
    session = studies(bench, reruns)
    do(session, "rerun", "faulty")
    bench.until(lambda: state(reruns, "faulty") == "failed")
    shown = session.view()["reruns"]["faulty"]
    assert shown["reason"] == "the second experiment has no ink; bring some"
    assert (shown["head"], shown["goOn"]) == (
        "Failed at experiment 2 of 2",
        "Go on from experiment 2",
    )
    Path("mended").touch()
    do(session, "go_on", "faulty")
    bench.until(lambda: state(reruns, "faulty") == "finished")


def test_a_rerun_cut_off_by_the_end_of_the_server_can_be_gone_on_with(
    bench: TestBench, reruns: Reruns
) -> None:
    reruns.ask("gated")
    bench.until(lambda: reruns.of("gated").experiment == 2)  # type: ignore[union-attr]
    child = reruns._children["gated"].process
    reruns.close()
    assert child.poll() is not None
    after = Reruns(bench, Library(Path("reruns")), workers=1)
    found = after.of("gated")
    assert found is not None
    assert (found.state, found.experiment) == ("stopped", 2)
    Path("gate").touch()
    after.ask("gated", go_on=True)
    bench.until(lambda: state(after, "gated") == "finished")


@pytest.mark.parametrize("step", range(5))
def test_a_kill_while_a_rerun_takes_the_place_of_the_last_hides_neither(
    reruns: Reruns, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """Killed before any step of the swap, and once more at the same step of the next one."""
    library, left = reruns.library, [-1]

    def maybe_killed(act: Callable[..., object]) -> Callable[..., object]:
        def acts(*args: object, **options: object) -> object:
            left[0] -= 1
            if left[0] == -1:
                raise KeyboardInterrupt
            return act(*args, **options)

        return acts

    def made(seed: int) -> Path:
        folder = library.rerun_folder("tiny", UNDER_WAY)
        shutil.rmtree(folder, ignore_errors=True)
        Archive.start(library.study("tiny"), folder, quick=True, seed=seed)
        return folder

    def seed_shown() -> int | None:
        archive = library.archive("tiny", QUICK)
        return archive and archive.seed

    last = library.rerun_folder("tiny", LAST)
    reruns_module._keep(made(1), last)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", maybe_killed(Path.rename))
        patch.setattr(shutil, "rmtree", maybe_killed(shutil.rmtree))
        for seed in (2, 3):
            folder = made(seed)
            left[0] = step
            with contextlib.suppress(KeyboardInterrupt):
                reruns_module._keep(folder, last)
            left[0] = -1
            assert seed_shown() in range(1, seed + 1)
    reruns_module._keep(made(4), last)
    assert seed_shown() == 4
    assert [folder.name for folder in last.parent.iterdir()] == [LAST]


def test_a_rerun_that_takes_too_long_is_ended(
    bench: TestBench, reruns: Reruns, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reruns_module, "MOST_SECONDS", 0.0)
    reruns.ask("gated")
    bench.until(lambda: state(reruns, "gated") == "failed")
    assert "not finished in" in reruns.of("gated").reason  # type: ignore[union-attr]
    assert not reruns._children


def test_a_child_that_dies_is_told_of(bench: TestBench, reruns: Reruns) -> None:
    reruns.ask("gated")
    bench.until(lambda: reruns.of("gated").experiment == 2)  # type: ignore[union-attr]
    reruns._children["gated"].process.kill()
    bench.until(lambda: state(reruns, "gated") == "failed")
    assert "its process ended with code -9" in reruns.of("gated").reason  # type: ignore[union-attr]


def test_a_child_ends_with_whoever_started_it(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "fourlab.web.studies.child", "gated", str(tmp_path / "x"), "1"]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdin is not None
    assert json.loads(child.stdout.readline())["of"] == 2
    child.stdin.close()
    assert child.wait(timeout=60) == 1
    child.stdout.close()


def test_only_registered_studies_are_run_and_only_ones_own_are_stopped(
    bench: TestBench, reruns: Reruns
) -> None:
    Path("mine.py").write_text("raise SystemExit('this file was run')")
    session, other = studies(bench, reruns, "one"), studies(bench, reruns, "other")
    for name in ("mine.py", "../mine.py", "nothing", None, ["tiny"]):
        assert not session.act("rerun", [name])
    with pytest.raises(FourlabError, match=r"there is no study 'mine\.py'; there are: "):
        reruns.ask("mine.py")
    do(session, "rerun", "gated")
    assert not other.act("stop_rerun", ["gated"])
    assert "another visitor" in other.error["text"]  # type: ignore[index]
    assert other.view()["reruns"]["gated"]["others"]
    do(session, "stop_rerun", "gated")
    assert state(reruns, "gated") in ("", "stopped")


def test_a_report_is_of_the_run_that_was_chosen(bench: TestBench, reruns: Reruns) -> None:
    session = ReportSession(bench, {}, reruns, "", "tiny")
    session.open()
    bench.until(lambda: session.cards)
    assert (session.view()["run"], session.view()["runs"]) == ("", [])
    do(session, "rerun", "tiny")
    bench.until(lambda: session.view()["run"] == "quick")
    assert [one["value"] for one in session.view()["runs"]] == ["quick"]
    assert session.view()["downloads"]["zip"] == "/studies/tiny/report.zip?run=quick"
    do(session, "choose", "full")
    assert session.view()["run"] == "quick"  # there is no other
    assert not session.act("choose", ["../full"])
    text = str(reruns.library.report("tiny", QUICK, "fragment"))
    assert "/arena?game=tictactoe&amp;agents=baseline&amp;agents=random&amp;games=400" in text
    assert str(reruns.library.report("tiny", QUICK, "html")).startswith("<!DOCTYPE html>")


def test_the_full_run_that_comes_with_the_package_stands_for_a_study(
    bench: TestBench, reruns: Reruns, monkeypatch: pytest.MonkeyPatch
) -> None:
    reruns.ask("tiny")
    bench.until(lambda: state(reruns, "tiny") == "finished")
    quick = reruns.library.rerun_folder("tiny", LAST)
    shutil.copytree(quick, Path("shipped/tiny"))
    config = Path("shipped/tiny/study.json")
    write_json(config, {**read_json(config), "quick": False})
    for path in Path("shipped/tiny/results").iterdir():
        done = read_json(path)
        write_json(path, {**done, "made": {**done["made"], "quick": False}})
    first = Path("shipped/tiny/results/first.json")
    changed(first, "baseline", "the full baseline")
    monkeypatch.setattr("fourlab.studies.archive.SHIPPED", Path("shipped"))
    session = ReportSession(bench, {}, reruns, "", "tiny")
    session.open()
    bench.until(lambda: session.view()["run"] == "full")
    assert [one["value"] for one in session.view()["runs"]] == ["full", "quick"]
    library = reruns.library
    assert "the full baseline" in library.picture("tiny")
    assert "the full baseline" in str(library.report("tiny", "full", "html"))
    assert "the full baseline" not in str(library.report("tiny", "quick", "html"))
    do(session, "choose", "quick")
    assert session.view()["source"].startswith("/studies/tiny/report?run=quick&of=")


def test_a_run_of_another_version_does_not_take_the_other_cards_away(
    bench: TestBench, reruns: Reruns
) -> None:
    reruns.ask("tiny")
    bench.until(lambda: state(reruns, "tiny") == "finished")
    first = reruns.library.rerun_folder("tiny", LAST) / "results" / "first.json"
    changed(first, '"wins"', '"victories"')
    session = studies(bench, reruns)
    assert card(session, "tiny")["size"] == "quick"
    assert card(session, "gated")["title"] == "A gated study"
    first.write_text("{")  # nor does one that is damaged
    assert card(studies(bench, reruns), "gated")["title"] == "A gated study"
    assert reruns.library.card("tiny")["size"] == ""
    with pytest.raises(FourlabError, match="has no quick run"):
        reruns.library.report("tiny", QUICK, "fragment")


def test_an_unknown_study_is_answered_with_what_exists(bench: TestBench, reruns: Reruns) -> None:
    view = ReportSession(bench, {}, reruns, "", "nothing").view()
    assert view["missing"]
    assert {"tiny", "gated"} <= set(view["studies"])


def test_progress_grows_and_time_left_shrinks(tmp_path: Path) -> None:
    archive = Archive.start(tiny_studies.TINY, tmp_path / "run", quick=True)
    clock = [100.0]
    with pytest.MonkeyPatch.context() as patch, (tmp_path / "out").open("w") as out:
        patch.setattr("fourlab.web.studies.child.time.monotonic", lambda: clock[0])
        teller = Teller(archive, 2, out)
        told = []
        for experiment in archive.study.experiments:
            teller.begin(experiment)
            for _ in range(8):
                told.append(teller.state())
                clock[0] += 1.0  # each is thought to take 5 s
            archive.finished[experiment.name] = object()  # type: ignore[assignment]
            patch.setattr(archive, "estimate", lambda cores: 5.0)
    shares, left = [one["share"] for one in told], [one["left"] for one in told]
    assert shares == sorted(shares)
    assert (shares[0], shares[4], shares[7]) == (0.0, 0.4, 0.475)  # longer than was thought
    assert shares[8] == 0.5
    assert (left[0], left[4], left[7], left[15]) == (10, 6, 5, 0)
    assert [one["experiment"] for one in told] == [1] * 8 + [2] * 8
