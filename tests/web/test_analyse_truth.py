"""Analyse thinks on: longer questions, what is known meanwhile, and who waits for whom."""

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from fourlab.core.storage import seal, unseal
from fourlab.rules.catalog import game
from fourlab.rules.position import position_of
from fourlab.search.analysis import Analysis
from fourlab.search.scores import Bounds
from fourlab.web.keep.findings import Findings
from fourlab.web.sessions import analyse as sessions
from fourlab.web.sessions import analyse_desk as desk
from fourlab.web.sessions.analyse import AnalyseSession
from fourlab.web.sessions.analyse_truth import QUICK_SECONDS, is_solved, merged, rounds_of
from fourlab.web.sessions.truth import exact_overlay
from fourlab.web.workbench import ANALYSIS, GIVE_WAY, LONG, MOVES, TRAINING
from web.bench import TestBench

LARGE = {"game": "connect:columns=9,rows=6,k=4"}


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has 20 seconds: a board that is not solved in years is not solved in less."""
    for name, seconds in (("QUICK_SECONDS", 0.3), ("ANALYSIS_SECONDS", 2.0)):
        monkeypatch.setattr(desk, name, seconds)
    monkeypatch.setattr(sessions, "LONGER_SECONDS", 1.0)
    monkeypatch.setattr("fourlab.web.sessions.analyse_view.QUICK_SECONDS", 0.3)


def large(bench: TestBench, findings: Findings | None = None) -> AnalyseSession:
    session = AnalyseSession(bench, {**LARGE, "moves": "5"}, findings=findings)
    session.open()
    return session


def test_a_large_board_is_thought_about_and_guessed_at_meanwhile(bench: TestBench) -> None:
    session = large(bench)
    bench.until(lambda: session.view()["thinking"] and session.tree)
    view = session.view()
    assert view["thinking"]["busy"]
    assert {chip["second"] for chip in view["chips"] if chip["kind"] == "unknown"} == {"guess"}
    assert all(chip["first"].endswith("%") for chip in view["chips"])
    assert view["headline"]["title"] == "Not solved yet"
    bench.until(lambda: session.can_think_longer)
    view = session.view()
    assert view["thinking"]["more"]
    assert not view["thinking"]["busy"]
    assert "?" not in {chip["first"] for chip in view["chips"]}
    before = session.spent
    assert session.act("longer", [])
    assert session.view()["thinking"]["busy"]
    bench.until(lambda: session.can_think_longer)
    assert session.spent > before
    session.close()


def test_there_is_an_end_to_thinking_longer(
    bench: TestBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (sessions, desk):
        monkeypatch.setattr(module, "MOST_SECONDS", 2.5)
    session = large(bench)
    bench.until(lambda: session.can_think_longer)
    assert session.act("longer", [])
    assert session.allowed == 2.5
    bench.until(lambda: not session.is_thinking)
    assert not session.can_think_longer
    assert session.act("longer", [])  # nothing happens
    assert not session.is_thinking
    session.close()


def test_a_page_that_was_left_stops_thinking(bench: TestBench) -> None:
    session = large(bench)
    bench.until(lambda: session.view()["thinking"])
    job = session._jobs["exact"]
    session.close()
    assert job.cancelled()
    done = threading.Event()
    for _ in range(4):  # every thread of the pool is free again
        bench.start(lambda job: done.set(), LONG)
    assert done.wait(60)


def test_who_comes_back_goes_on_from_what_was_found(
    bench: TestBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "LONGER_SECONDS", 60.0)
    findings = Findings(tmp_path / "findings.json")
    session = large(bench, findings)
    bench.until(lambda: session.can_think_longer)
    session.act("longer", [])
    bench.until(lambda: session.spent > 2.3)
    session.close()  # the connection is lost for a minute
    findings.save()
    for kept in (findings, Findings(tmp_path / "findings.json")):  # or the server is killed
        again = large(bench, kept)
        assert again.spent >= 2.3
        assert again.allowed == session.allowed
        assert again.is_thinking
        assert again.view()["regained"].startswith("What was found in ")
        again.close()


def test_what_two_tabs_find_is_put_together(tmp_path: Path) -> None:
    position = position_of(game(LARGE["game"]), "5")
    findings = Findings(tmp_path / "findings.json")
    findings.note(Analysis(position, {0: Bounds(-3, 5), 1: Bounds(0, 0)}, 10, 30.0), 80.0)
    findings.note(Analysis(position, {0: Bounds(-9, 1), 2: Bounds(1, 4)}, 10, 20.0), 20.0)
    findings.save()
    for kept in (findings, Findings(tmp_path / "findings.json")):
        found = kept.of(position)
        assert found is not None
        assert {m: (b.low, b.high) for m, b in found.known.moves.items()} == {
            0: (-3, 1),
            1: (0, 0),
            2: (1, 4),
        }
        assert (found.known.seconds, found.allowed) == (30.0, 80.0)
    (tmp_path / "findings.json").write_text("{}")
    assert Findings(tmp_path / "findings.json").of(position) is None


def test_findings_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fourlab.web.keep.findings.MOST", 2)
    findings, rules = Findings(), game(LARGE["game"])
    for moves in ("1", "2", "3"):
        findings.note(Analysis(position_of(rules, moves), {}, 1, 5.0), 20.0)
    findings.note(Analysis(position_of(rules, "4"), {}, 1, 0.1), 20.0)  # soon asked again
    kept = [moves for moves in "1234" if findings.of(position_of(rules, moves))]
    assert kept == ["2", "3"]


def test_short_questions_do_not_wait_behind_long_ones(
    bench: TestBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk, "ANALYSIS_SECONDS", 600.0)  # until they are closed
    crowd = [large(bench) for _ in range(4)]  # more than there are threads
    bench.until(lambda: all(session.spent > 0.2 for session in crowd))
    short = AnalyseSession(bench, {"moves": "4445423633442655"})
    short.open()
    bench.until(lambda: short.exact and short.exact["done"])
    assert short.value == 5
    assert all(session.is_thinking for session in crowd)
    for session in crowd:
        session.close()


@pytest.mark.skipif(not hasattr(os, "PRIO_PROCESS"), reason="threads have no niceness here")
def test_those_who_wait_for_nobody_give_way(bench: TestBench) -> None:
    found: dict[str, int] = {}
    for pool in (MOVES, ANALYSIS, TRAINING, LONG):

        def look(job: object, pool: str = pool) -> None:
            found[pool] = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

        bench.start(look, pool)
    while len(found) < 4:
        threading.Event().wait(0.01)
    assert found[MOVES] == found[ANALYSIS]
    assert found[TRAINING] == found[LONG] == min(found[MOVES] + GIVE_WAY, 19)


def test_what_is_known_is_never_forgotten() -> None:
    position = position_of(game("connect4"), "44")
    one = Analysis(position, {0: Bounds(-3, 0), 1: Bounds(2, 2)}, 10, 1.0)
    two = Analysis(position, {0: Bounds(-9, -1)}, 5, 0.5)
    both = merged(one, two)
    assert (both.moves[0].low, both.moves[0].high) == (-3, -1)
    assert both.score(1) == 2
    assert (both.nodes, both.seconds) == (15, 1.5)
    assert not is_solved(both)
    assert merged(None, two) is two


def test_half_known_moves_say_what_is_known() -> None:
    position = position_of(game("connect4"), "44")
    bounds = {0: Bounds(0, 5), 1: Bounds(-5, 0), 2: Bounds(-5, 5), 3: Bounds(1, 9)}
    for done in (True, False):
        chips = exact_overlay(Analysis(position, bounds), done)["chips"]
        assert [(chip["first"], chip.get("second")) for chip in chips[:2]] == [
            ("Win or", "draw"),
            ("Draw or", "loss"),
        ]
        assert chips[3]["first"] == "Win"


def test_rounds_grow_and_add_up() -> None:
    assert sum(rounds_of(20)) == pytest.approx(20)
    assert rounds_of(20)[0] == QUICK_SECONDS
    assert max(rounds_of(600)) <= 20


def test_the_address_holds_the_line_the_place_in_it_and_the_search(bench: TestBench) -> None:
    session = AnalyseSession(bench, {"moves": "444433"})
    assert session.act("look", [3])
    assert session.act("simulate", [500])
    assert session.url == "/analyse?game=connect4&moves=444433&at=3&sims=500"
    again = AnalyseSession(bench, {"moves": "444433", "at": "3", "sims": "500"})
    assert again.url == session.url
    assert (again.position.notation, again.line.length) == ("444", 6)
    assert AnalyseSession(bench, {"moves": "44", "at": "x", "sims": "9"}).line.at == 2


@pytest.mark.parametrize(
    "crafted",
    [
        5,
        {"moves": {"0": [1, 2]}},
        {"moves": {"x": [1, 2]}},
        {"moves": {"²": [1, 2]}},
        {"moves": {"0": [1]}},
        {"moves": {"0": "ab"}},
        {"moves": {"0": [5, -5]}},
        {"moves": {"0": [-5, 10**400]}},
        {"moves": {"12": [0, 0]}},
        {"nodes": None},
        {"seconds": float("nan")},
        {"allowed": "soon"},
    ],
)
def test_crafted_findings_are_passed_over(tmp_path: Path, crafted: Any) -> None:
    path, position = tmp_path / "findings.json", position_of(game(LARGE["game"]), "5")
    findings = Findings(path)
    findings.note(Analysis(position, {0: Bounds(-3, 5)}, 10, 30.0), 80.0)
    findings.save()
    [(name, entry)] = unseal(json.loads(path.read_bytes()), path).items()
    is_whole = crafted == {"moves": {"0": [1, 2]}}
    spoilt = {**entry, **crafted} if isinstance(crafted, dict) else crafted
    path.write_text(json.dumps(seal({name: spoilt})))
    assert (Findings(path).of(position) is not None) == is_whole


def test_findings_too_deep_to_be_read_are_begun_anew(tmp_path: Path) -> None:
    (tmp_path / "findings.json").write_text("[" * 100_000)
    Findings(tmp_path / "findings.json").save()
