"""Study minimax-q: all rows, known truths, and verdicts that turn with the figures."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fourlab.core.workers import Workers
from fourlab.learning.registry import learner
from fourlab.rules.catalog import game
from fourlab.rules.position import position_of
from fourlab.studies.archive import Archive
from fourlab.studies.base import Published, Results, Verdict
from fourlab.studies.bench import Bench
from fourlab.studies.findings import Findings, Measure
from fourlab.studies.minimax_q import learning as minimax_q_learning
from fourlab.studies.minimax_q import search as minimax_q_search
from fourlab.studies.minimax_q.study import COURSES, STUDY, TIC_TAC_TOE, final_boards
from fourlab.studies.schooling import Exam, Schooling, school
from fourlab.values.survey import sizes

SHARES = ("wins", "draws", "losses")


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(minimax_q_learning, "QUICKER", 50)
        made = Archive.start(STUDY, tmp_path_factory.mktemp("study") / "a", quick=True)
        with Workers(2) as pool:
            for _ in made.run(pool):
                pass
    return made


def test_every_promised_row_and_column_is_there(archive: Archive) -> None:
    for experiment in STUDY.experiments:
        found = archive.results[experiment.name]
        assert found.rows
        for row in found.rows:
            assert all(column.name in row for column in found.columns)
        for label, told in (experiment.published.rows if experiment.published else {}).items():
            if label in ("Q O, prose", "exact solver, first move"):  # said twice; full runs alone
                continue
            for column in told:
                assert found.measure(label, column).value >= 0


def test_shares_add_up_and_intervals_hold_their_point(archive: Archive) -> None:
    for found in archive.results.values():
        for row in found.rows:
            cells = [cell for cell in row.values() if isinstance(cell, Measure)]
            for cell in cells:
                if cell.low is not None and cell.high is not None:
                    assert cell.low - 1e-9 <= cell.value <= cell.high + 1e-9
            if all(name in row for name in SHARES):
                parts = [row[name] for name in SHARES]
                samples = [p.samples or (p.value,) for p in parts if isinstance(p, Measure)]
                plain = [p for p in parts if isinstance(p, float)]
                total = np.sum(samples, axis=0) if samples else sum(plain)
                assert np.allclose(total, 1)


def test_what_is_computed_is_what_is_played(archive: Archive) -> None:
    """A share of games lies within five standard deviations of its exact value."""
    exact, played = archive.results["reachable"], archive.results["tic-tac-toe"]
    for side in "XO":
        for name in ("minimax", "minimax, equals by lot"):
            row = f"minimax {side}{name.removeprefix('minimax')}"
            found = played.measure(row, "wins")
            truth = exact.measure(f"{name}, {side}", "wins").value
            assert abs(found.value - truth) < 5 * (truth * (1 - truth) / found.units) ** 0.5
        best = exact.measure(f"most points, {side}", "wins").value
        assert best >= exact.measure(f"minimax, {side}", "wins").value
    assert exact.measure("minimax, X", "wins").value == pytest.approx(0.875)
    assert exact.measure("never loses, then most wins, O", "losses").value == 0


def test_claims_are_judged(archive: Archive) -> None:
    verdicts = STUDY.judge(archive.results)
    assert len(verdicts) == len(STUDY.claims)
    waiting = [v.claim.text for v in verdicts if v.ruling == "not run"]
    assert waiting == ["A search of Connect 4 to its end is out of reach."]
    assert all(0 <= p <= 1 for v in verdicts for p in (v.evidence.p_for, v.evidence.p_against))


def test_games_are_told_and_drawn(archive: Archive) -> None:
    boards = archive.results["head-to-head"].extra["boards"]
    for board in boards:
        assert position_of(game(board["game"]), board["moves"]).is_over
    pytest.importorskip("matplotlib")
    assert len(final_boards(archive.results["head-to-head"]).axes) == len(boards)


def test_the_first_error_is_found() -> None:
    rules = game("tictactoe")
    # X takes a corner; O answers at the edge, which loses a draw.
    lost = position_of(rules, "1259476")
    assert minimax_q_learning.first_error(lost, 1) == "2, a draw"
    assert minimax_q_learning.first_error(lost, 0) == "-"


# ---- verdicts ------------------------------------------------------------------------------------


def _seeds(*values: float) -> Measure:
    return Measure(sum(values) / len(values), min(values), max(values), len(values), values)


def _games(wins: float, units: int = 40_000) -> Measure:
    return Measure(wins, wins - 0.01, wins + 0.01, units)


def _verdict(text: str, found: dict[str, Findings], wrong: dict[str, Any] | None = None) -> Verdict:
    """Judge one claim, with published figures replaced: experiment -> row -> column."""
    experiments = tuple(
        dataclasses.replace(
            e, published=Published({**e.published.rows, **wrong[e.name]}, games=e.published.games)
        )
        if wrong and e.name in wrong and e.published
        else e
        for e in STUDY.experiments
    )
    [claim] = [claim for claim in STUDY.claims if claim.text == text]
    study = dataclasses.replace(STUDY, experiments=experiments, claims=(claim,))
    return study.judge(Results(study, found))[0]


def _found(rows: dict[str, dict[str, Any]]) -> Findings:
    columns = minimax_q_search.TIMES[:1]
    return Findings(columns, tuple({"player": label, **cells} for label, cells in rows.items()))


@pytest.mark.parametrize(
    ("text", "experiment", "row", "cells", "wrong"),
    [
        (
            "Minimax wins 87.5% as X in tic-tac-toe.",
            "tic-tac-toe",
            "minimax X",
            {"wins": _games(0.875)},
            {"wins": 0.8},
        ),
        (
            "Minimax wins every game as X in Connect 4.",
            "connect-4",
            "minimax X",
            {"wins": Measure(1.0, 0.99, 1.0, 2000)},
            {"wins": 0.5},
        ),
        (
            "Q wins 70% as X in Connect 4.",
            "connect-4",
            "Q X",
            {"wins": _seeds(0.66, 0.67, 0.68, 0.67, 0.66)},
            {"wins": 0.3},
        ),
        (
            "Training comes to so many Q-states: tic-tac-toe X.",
            "states",
            "tic-tac-toe X",
            {"pairs": _seeds(4443, 4493, 4476, 4455, 4470)},
            {"pairs": 1200},
        ),
    ],
)
def test_a_wrong_published_figure_turns_the_verdict(
    text: str, experiment: str, row: str, cells: dict[str, Any], wrong: dict[str, float]
) -> None:
    found = {experiment: _found({row: cells})}
    assert _verdict(text, found).ruling == "confirmed"
    assert _verdict(text, found, {experiment: {row: wrong}}).ruling == "refuted"


def test_one_lost_game_refutes_never() -> None:
    text = "Minimax never loses to baseline, in either game."
    none, one = Measure(0.0, 0, 0.001, 4000), Measure(1 / 4000, 0, 0.001, 4000)
    lots = ("", ", equals by lot")
    rows = {f"minimax {side}{lot}": {"losses": none} for side in "XO" for lot in lots}
    found = {"tic-tac-toe": _found(rows), "connect-4": _found(rows)}
    assert _verdict(text, found).ruling == "confirmed"
    found["connect-4"] = _found({**rows, "minimax O": {"losses": one}})
    assert _verdict(text, found).ruling == "refuted"


def test_results_against_the_claim_turn_it() -> None:
    text = "Connect 4 games last longer where Q begins."
    long, short = (_seeds(*(base + n / 10 for n in range(8))) for base in (20, 14))
    for first, second, ruling in ((long, short, "confirmed"), (short, long, "refuted")):
        rows = {"Connect 4, Q X": {"length": first}, "Connect 4, Q O": {"length": second}}
        assert _verdict(text, {"head-to-head": _found(rows)}).ruling == ruling


# ---- the same numbers everywhere, and what schooling counts --------------------------------------


def test_workers_make_no_difference(tmp_path: Path) -> None:
    course = dataclasses.replace(TIC_TAC_TOE, epochs=5, games=200)

    def run(count: int) -> dict[str, Any]:
        with Workers(count) as pool:
            bench = Bench(pool, tmp_path, quick=True)
            return minimax_q_learning.head_to_head(bench, (course,), (2, 2), (2, 2)).to_json()

    assert run(1) == run(2)


def test_pairs_are_the_legal_moves_of_all_boards_in_the_table() -> None:
    for name, opponent in (("tictactoe", "baseline"), ("connect4", "random")):
        made = learner(f"q:games=300,opponent={opponent},symmetric=no", name, 1)
        met, tried = set(), set()
        moves = 0
        for _ in range(made.total):
            told = made.watch()
            assert told is not None
            position = made.rules.start()
            for move in told.moves:
                if position.to_move == told.side:
                    tried.add((position.key, move))
                    moves += len(position.legal_moves()) * (position.key not in met)
                    met.add(position.key)
                position = position.play(move)
        known = made.agent().knowledge  # type: ignore[attr-defined]
        assert sizes(known) == {"states": len(met), "moves": moves, "taught": len(tried)}


def test_truth_is_asked_where_the_learner_moves() -> None:
    spec = "q:games=2000,opponent=baseline,side={},symmetric=no"
    counts = {}
    for side in ("first", "second", "alternating"):
        job = Schooling(spec.format(side), "tictactoe", 1, 2000, suite="middle")
        counts[side] = school(job).truth["positions"]
    assert counts["first"] + counts["second"] == counts["alternating"]
    assert min(counts.values()) > 0


def test_games_of_an_exam_are_told_from_the_learners_side() -> None:
    exam = Exam("minimax:ties=first", 4, told=6)
    job = Schooling("q:games=50,side=second,opponent=baseline", "tictactoe", 3, exams=(exam,))
    first, second = school(job), school(job)
    assert first.told == second.told
    [games] = first.told
    assert len(games) == 6
    assert {line[0] for line in games} == {"1"}  # minimax begins, with its first best move


def test_settings_are_those_of_the_study() -> None:
    with Workers(1) as pool:
        bench = Bench(pool, Path())
        specs = {c.name: c.trainings(bench, "X", [1])[0].learner for c in COURSES}
    tic, four = (learner(specs[course.name], course.game) for course in COURSES)
    assert (tic.total, four.total) == (25_000, 500_000)
    assert (tic.side, four.side) == ("first", "first")
