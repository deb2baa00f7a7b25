"""The full runs that ship: whole, sound, and of the studies as they are."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from fourlab.studies.archive import SHIPPED, Archive, shipped
from fourlab.studies.findings import Findings, Measure
from fourlab.studies.registry import STUDIES

PUBLISHED = ("mcts-q", "monte-carlo", "connectx", "minimax-q", "deep-q")
REPORTS = Path(__file__).parents[2] / "docs/studies"
SEEDS = 5  # that a training of a full run has at least


def archives() -> Iterator[Archive]:
    for name in STUDIES:
        archive = shipped(STUDIES.find(name))
        if archive is not None:
            yield archive


def tables(archive: Archive) -> Iterator[Findings]:
    for done in archive.finished.values():
        yield done.findings
        if done.findings.truth is not None:
            yield done.findings.truth


each = pytest.mark.parametrize("archive", list(archives()), ids=lambda archive: archive.study.name)


def test_every_published_study_ships_its_full_run() -> None:
    assert {*PUBLISHED} <= {archive.study.name for archive in archives()}
    assert {path.name for path in SHIPPED.iterdir()} <= {*STUDIES}


@each
def test_it_is_full_and_whole(archive: Archive) -> None:
    assert not archive.quick
    assert not archive.left
    for done in archive.finished.values():
        seeds: dict[tuple[str, str], set[int]] = {}
        for entry in done.log:
            if entry["kind"] == "training":
                seeds.setdefault((entry["learner"], entry["game"]), set()).update(entry["seeds"])
        assert all(len(used) >= SEEDS for used in seeds.values())


@each
def test_tables_are_filled(archive: Archive) -> None:
    for findings in tables(archive):
        assert findings.rows
        for column in findings.columns:
            assert any(row.get(column.name) is not None for row in findings.rows), column
        labels = [row[findings.columns[0].name] for row in findings.rows]
        assert all(isinstance(label, str) and label for label in labels)


@each
def test_intervals_hold_their_figures(archive: Archive) -> None:
    for findings in tables(archive):
        for row in findings.rows:
            for cell in row.values():
                if isinstance(cell, Measure):
                    assert math.isfinite(cell.value)
                    if cell.low is not None and cell.high is not None:
                        assert cell.low - 1e-9 <= cell.value <= cell.high + 1e-9


@each
def test_shares_of_games_add_up(archive: Archive) -> None:
    for findings in tables(archive):
        for row in findings.rows:
            parts = [row.get(name) for name in ("wins", "draws", "losses")]
            if all(isinstance(part, Measure | float) for part in parts):
                total = sum(float(part) for part in parts)  # type: ignore[arg-type]
                assert total == pytest.approx(1, abs=0.03)  # interquartile means need not add up


@each
def test_published_figures_stand_beside_ours(archive: Archive) -> None:
    for name, findings in archive.results.items():
        published = archive.study.experiment(name).published
        printed = published.rows if published else {}
        labels = {row[findings.columns[0].name] for row in findings.rows}
        assert not printed or printed.keys() & labels
        for label in printed.keys() & labels:
            row = findings.row(label)
            for column, figure in printed[label].items():
                assert column in row or f"{figure}" in [str(cell) for cell in row.values()]


@each
def test_claims_are_judged_and_the_report_is_that_of_the_documentation(archive: Archive) -> None:
    verdicts = archive.study.judge(archive.results)
    text = (REPORTS / archive.study.name / "report.md").read_text()
    for verdict in verdicts:
        assert verdict.evidence.says
        assert verdict.ruling in text
    assert (REPORTS / archive.study.name / "report.html").exists()
