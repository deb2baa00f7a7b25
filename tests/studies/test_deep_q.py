"""Study deep-q: known truths of its position, and verdicts that follow from figures."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from fourlab.core.workers import Workers
from fourlab.learning.mdp.planning import best_response
from fourlab.studies.archive import Archive
from fourlab.studies.base import Published, Results
from fourlab.studies.bench import Bench
from fourlab.studies.deep_q import tictactoe as ttt
from fourlab.studies.deep_q.claims import AS_STUDIED, CLAIMS
from fourlab.studies.deep_q.study import STUDY, from_class
from fourlab.studies.findings import Column, Findings, Measure

SHORT = ("fixed", "self-play", "framework", "classes")


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    made = Archive.start(STUDY, tmp_path_factory.mktemp("study") / "a", quick=True)
    with Workers(2) as pool:
        for _ in made.run(pool, only=SHORT):
            pass
    return made


def test_every_promised_row_is_there(archive: Archive) -> None:
    assert set(archive.finished) == set(SHORT)
    for name in SHORT:
        experiment, findings = STUDY.experiment(name), archive.results[name]
        for row in findings.rows:
            assert all(row.get(column.name) is not None for column in findings.columns)
        printed = experiment.published.rows if experiment.published else {}
        for label, figures in printed.items():
            assert figures.keys() <= findings.row(label).keys()


def test_the_values_of_the_position_are_learned(archive: Archive) -> None:
    for name, label in (("fixed", "alpha-beta"), ("self-play", "self-play")):
        findings = archive.results[name]
        assert findings.measure(label, "winner").value == pytest.approx(1, abs=0.05)
        assert findings.measure(label, "losers").value == pytest.approx(-1, abs=0.05)
        ends = {curve.name: curve.series[0][-1] for curve in findings.curves}
        assert ends.keys() == {f"cell {cell}" for cell in ttt.CELLS}
        assert findings.truth is not None
        for cell in ttt.CELLS:
            worth = findings.truth.measure(str(cell), "worth").value
            assert ends[f"cell {cell}"] == pytest.approx(worth, abs=0.1)


def test_the_loop_of_the_study_and_the_learner_agree(archive: Archive) -> None:
    findings = archive.results["fixed"]
    own, open_loop = (
        findings.measure(label, "episodes").value
        for label in ("alpha-beta", "alpha-beta, as the study wrote it")
    )
    assert 0.5 < own / open_loop < 2


def test_classes_are_those_of_the_data_set(archive: Archive) -> None:
    counts = {row["class"]: row["count"] for row in archive.results["classes"].rows}
    assert counts == {"win": 44_473, "draw": 6_449, "loss": 16_635}


def test_the_best_that_can_be_reached_is_the_best_response(archive: Archive) -> None:
    findings = archive.results["framework"]
    for row in findings.rows:
        assert sum(float(row[name]) for name in ("wins", "draws", "losses")) == pytest.approx(1)  # type: ignore[arg-type]
    best = best_response("tictactoe", "baseline", "first")
    assert findings.measure("first against baseline", "wins").value == best.shares.wins
    assert any("5,478 states" in note for note in findings.notes)


def test_wrong_published_figures_turn_verdicts(archive: Archive) -> None:
    for name, label, column, wrong, claim in (
        ("classes", "win", "count", 44_474, "The UCI data has"),
        ("fixed", "alpha-beta", "episodes", 80_000, "Against a perfect opponent"),
        ("self-play", "self-play", "winner", -1.0, "The values of the position"),
    ):
        before, after = (
            rulings(found)
            for found in (archive.results, planted(archive, name, label, column, wrong))
        )
        [text] = [text for text in before if text.startswith(claim)]
        assert before[text] == "confirmed"
        assert after[text] == "refuted"


def rulings(results: Results) -> dict[str, str]:
    return {verdict.claim.text: verdict.ruling for verdict in results.study.judge(results)}


def planted(archive: Archive, name: str, label: str, column: str, wrong: float) -> Results:
    changed = []
    for experiment in STUDY.experiments:
        if experiment.name == name:
            assert experiment.published is not None
            rows = {**experiment.published.rows}
            rows[label] = {**rows[label], column: wrong}
            published = Published(rows)
            experiment = dataclasses.replace(experiment, published=published)
        changed.append(experiment)
    study = dataclasses.replace(STUDY, experiments=tuple(changed))
    return Results(study, dict(archive.results))


def test_what_was_not_run_is_not_judged(archive: Archive) -> None:
    found = rulings(archive.results)
    assert len(found) == len(CLAIMS)
    assert found["The network wins 94, 92 and 90% from won, drawn and lost starts."] == "not run"


def test_the_network_is_judged_where_it_was_run() -> None:
    def shares(*values: float) -> Any:
        columns = (Column("player", "player", "text"),)
        samples = [
            Measure(value, units=5, samples=(value,) * 4 + (value + 1e-4,)) for value in values
        ]
        row = {"player": AS_STUDIED, **dict(zip(("won", "drawn", "lost"), samples, strict=True))}
        return Results(STUDY, {"network": Findings(columns, (row,))})

    claim = CLAIMS[-1]
    assert claim.test(shares(0.94, 0.92, 0.90)).p_for < 0.01
    assert claim.test(shares(0.80, 0.92, 0.90)).p_against < 0.01


def test_games_from_a_class_depend_on_the_seed_alone() -> None:
    first, again, other = (from_class(("baseline", "loss", 60, seed)) for seed in (1, 1, 2))
    assert first == again != other
    assert sum(first) == 60


def test_small_experiments_do_not_depend_on_workers(tmp_path: Path) -> None:
    found = []
    for workers in (1, 3):
        with Workers(workers) as pool:
            found.append(ttt.self_play(Bench(pool, tmp_path, seed=5, quick=True)).to_json())
    assert found[0] == found[1]
