"""Study learners: all rows, curves that end in the table, and verdicts that turn."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from fourlab.core.workers import Workers
from fourlab.learning.registry import LEARNERS, learner
from fourlab.studies import learners
from fourlab.studies.archive import Archive
from fourlab.studies.base import Results
from fourlab.studies.bench import Bench
from fourlab.studies.findings import Column, Findings, Measure, over_seeds
from fourlab.studies.learners import BOARDS, STUDY, TIC_TAC_TOE
from fourlab.studies.schooling import Schooled

RUN = ("tic-tac-toe-baseline", "tic-tac-toe-self")  # the other board runs the same functions
TABLES = ("q", "afterstates", "double-q", "td-lambda", "monte-carlo", "n-tuple")


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learners, "QUICKER", 100)
        patch.setattr(learners, "REPORTS", 4)
        made = Archive.start(STUDY, tmp_path_factory.mktemp("study") / "a", quick=True)
        with Workers(2) as pool:
            for _ in made.run(pool, only=RUN):
                pass
    return made


def test_every_learner_has_a_row_with_all_figures(archive: Archive) -> None:
    assert set(TABLES) <= set(learners.names()) <= set(LEARNERS)
    for name in RUN:
        found = archive.results[name]
        assert [row["learner"] for row in found.rows] == learners.names()
        for row in found.rows:
            for column in found.columns[1:]:
                cell = row[column.name]
                assert isinstance(cell, Measure)
                assert cell.low is not None
                assert cell.high is not None
                assert cell.low <= cell.value <= cell.high
                assert 0 <= cell.value <= (2 if column.name == "off" else 1)
            assert float(row["perfect"]) <= 0.5  # type: ignore[arg-type]  # all there is


def test_errors_of_values_are_of_seeds_that_taught_any() -> None:
    exams = [[(1, 0, 0), (1, 0, 0)]]
    some, none = (
        learners._row("q", [Schooled(exams=exams, truth=_truth(off)) for off in seeds])
        for seeds in ((None, 0.5, None), (None, None, None))
    )
    assert some["off"] == over_seeds([0.5])
    assert none["off"] is None
    assert some["good"] == none["good"] == over_seeds([1.0] * 3)


def _truth(error: float | None) -> dict[str, Any]:
    return {"perfect": 1.0, "good": 1.0, "value_error": error}


def test_curves_end_in_the_table(archive: Archive) -> None:
    found = archive.results["tic-tac-toe-baseline"]
    for curve in found.curves:
        ends = [series[-1] for series in curve.series]
        assert over_seeds(ends).value == found.measure(curve.name, "baseline").value


def test_claims_are_judged(archive: Archive) -> None:
    first, second = (archive.results[name] for name in RUN)
    found = {RUN[0]: first, RUN[1]: second, "5x4-baseline": first, "5x4-self": second}
    for name, labels in (
        ("more-games", ["as many as the others", "many games"]),
        ("keeping", [f"{b.name}, keep={keep:g}" for b in BOARDS for keep in (0.9, 0.99, 1)]),
    ):
        rows = tuple(
            {**row, "learner": label} for row, label in zip(first.rows, labels, strict=False)
        )
        found[name] = Findings(first.columns, rows)
    assert "not run" not in {v.ruling for v in STUDY.judge(Results(STUDY, found))}
    assert "not run" in {v.ruling for v in STUDY.judge(archive.results)}


def test_all_are_trained_with_the_same_rewards() -> None:
    for name in learners.names():
        made = learner(learners.spec_of(name, "baseline", 10), "tictactoe")
        config: Any = made.config
        rewards = (config.win, config.draw, config.loss, config.step, config.block, config.gamma)
        assert rewards == (1, 0, -1, 0, 0, 1), name


@pytest.mark.parametrize(("ahead", "ruling"), [(0.2, "confirmed"), (-0.2, "refuted")])
def test_verdicts_turn_with_the_figures(ahead: float, ruling: str) -> None:
    [claim] = [claim for claim in STUDY.claims if "td-lambda is ahead" in claim.text]
    rows = [
        {"learner": name, "baseline": over_seeds([base + n / 100 for n in range(6)])}
        for name, base in (
            ("td-lambda", 0.4 + ahead),
            *((name, 0.4) for name in ("q", "afterstates", "double-q")),
        )
    ]
    found = Findings((Column("learner", "learner", "text"),), tuple(dict(row) for row in rows))
    study = dataclasses.replace(STUDY, claims=(claim,))
    assert study.judge(Results(study, {"5x4-self": found}))[0].ruling == ruling


def test_workers_make_no_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learners, "names", lambda: ["q", "td-lambda"])
    monkeypatch.setattr(learners, "QUICKER", 100)
    monkeypatch.setattr(learners, "REPORTS", 2)

    def run(count: int) -> dict[str, Any]:
        with Workers(count) as pool:
            bench = Bench(pool, tmp_path, quick=True)
            return learners.side_by_side(bench, TIC_TAC_TOE, "baseline").to_json()

    assert run(1) == run(2)
