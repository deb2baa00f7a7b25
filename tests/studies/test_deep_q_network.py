"""Study deep-q: its networks, as small as they come."""

from pathlib import Path

import numpy as np
import pytest

from fourlab.core.errors import MissingExtraError
from fourlab.core.workers import Workers
from fourlab.learning.classes import sample
from fourlab.learning.networks.deep_q import DeepQ
from fourlab.rules.boards import Boards
from fourlab.studies.archive import Archive
from fourlab.studies.base import Results
from fourlab.studies.bench import Bench
from fourlab.studies.deep_q import network as net
from fourlab.studies.deep_q import strength
from fourlab.studies.deep_q.claims import AS_STUDIED, STARTS, UNTAUGHT, learns, network_starts
from fourlab.studies.deep_q.study import STUDY
from fourlab.studies.findings import Column, Findings, Measure, Row
from fourlab.studies.report import write_report

NEW = ("network", "prediction", "opponents", "search", "wishes")
TINY = {"start": "uci", "width": "2", "batch": "16", "reuse": "0.5", "memory": "500"}
STRENGTH = {
    "RIGHT": TINY,
    "LEARNED": (20, 20),
    "OPPONENTS": {"random": (20, 20), "minimax:depth=2": (4, 4)},
    "PLIES": {1: ((4, 40), (4, 40)), 2: ((2, 20), (2, 20))},
}
SIZES = {
    "RIGHT": TINY,
    "STUDIED": TINY | {"target": "study", "ends": "network", "sync": "0"},
    "WISHES": {
        "as above": {},
        "the study's target": {"target": "study"},
        "double": {"double": "yes", "steps": "2"},
    },
    "LEARNED": (20, 20),
    "EVERY": (10, 10),
    "EXAMINED": (10, 10),
    "TRIED": (10, 10),
    "TOLD": (200, 200),
}


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    pytest.importorskip("torch")
    made = Archive.start(STUDY, tmp_path_factory.mktemp("study") / "a", quick=True)
    with pytest.MonkeyPatch.context() as patch, Workers(2) as pool:
        for name, size in SIZES.items():
            patch.setattr(net, name, size)
        for name, size in STRENGTH.items():
            patch.setattr(strength, name, size)
        patch.setattr(net, "NETWORKS", {"network": net.RIGHT, AS_STUDIED: net.STUDIED})
        for _ in made.run(pool, only=NEW):
            pass
    return made


def test_every_promised_row_is_there(archive: Archive) -> None:
    assert set(archive.finished) == set(NEW)
    for name in NEW:
        findings = archive.results[name]
        for row in findings.rows:
            assert all(row.get(column.name) is not None for column in findings.columns)
    found = archive.results["network"]
    assert {row["player"] for row in found.rows} == {*net.NETWORKS, UNTAUGHT}
    for start in STARTS:
        curve = found.curve(start)
        assert curve.x[-1] == 20
        assert [line[-1] for line in curve.series] == list(found.measure("network", start).samples)


def test_networks_are_trained_once(archive: Archive) -> None:
    trainings = [entry for name in NEW for entry in archive.finished[name].log]
    learned = [(entry["learner"], tuple(entry["seeds"])) for entry in trainings]
    assert len(learned) == len(set(learned)) == len(net.NETWORKS) + 1 + 3


def test_classes_add_up(archive: Archive) -> None:
    found = archive.results["prediction"]
    assert found.truth is not None
    counts = np.array([list(row.values())[1:] for row in found.truth.rows], float)
    assert counts.sum() == pytest.approx(100, abs=3)  # half of them, rounded
    assert found.measure("always win", "accuracy").value == pytest.approx(0.66, abs=0.1)
    assert 0.2 < found.measure("network", "accuracy").value < 0.9


def test_shares_add_up(archive: Archive) -> None:
    for row in (*archive.results["opponents"].rows, *archive.results["search"].rows):
        parts = [row[name] for name in ("wins", "draws", "losses")]
        assert sum(float(part) for part in parts) == pytest.approx(1)  # type: ignore[arg-type]


def test_the_report_draws_them(archive: Archive) -> None:
    pages = write_report(archive)
    text = next(path for path in pages if path.suffix == ".md").read_text()
    assert "as it should and as the study did" in text
    assert "With the right target the network wins" in text


def told(**figures: tuple[float, float, float]) -> Results:
    rows: list[Row] = []
    for name, shares in figures.items():
        row: Row = {"player": name.replace("_", " ")}
        for start, value in zip(STARTS, shares, strict=True):
            row[start] = Measure(value, units=5, samples=tuple(value + x / 1e3 for x in range(5)))
        rows.append(row)
    columns = (Column("player", "player", "text"),)
    return Results(STUDY, {"network": Findings(columns, tuple(rows))})


def test_claims_follow_from_figures() -> None:
    taught = {"as_the_study_did": (0.94, 0.92, 0.90), "before_training": (0.56, 0.50, 0.45)}
    assert learns(told(**taught)).p_for < 0.01
    assert network_starts(told(**taught)).p_for < 0.01
    turned = {"as_the_study_did": (0.50, 0.55, 0.60), "before_training": (0.56, 0.50, 0.65)}
    assert learns(told(**turned)).p_against < 0.01
    assert network_starts(told(**turned)).p_against < 0.01


def test_without_torch_they_are_not_run_and_the_report_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(bench: Bench, jobs: object) -> None:
        raise MissingExtraError("networks are trained with torch: pip install 'fourlab[deep]'")

    monkeypatch.setattr(Bench, "school", refuse)
    made = Archive.start(STUDY, tmp_path / "a", quick=True)
    with Workers(1) as pool:
        for _ in made.run(pool, only=("classes", *NEW)):
            pass
    assert set(made.finished) == {"classes"}
    assert set(made.missing) == set(NEW)
    assert all("pip install 'fourlab[deep]'" in error for error in made.missing.values())
    rulings = {verdict.claim.text: verdict.ruling for verdict in STUDY.judge(made.results)}
    assert rulings["The network learns: it wins more than before."] == "not run"
    text = next(path for path in write_report(made) if path.suffix == ".md").read_text()
    assert "not run" in text


def test_a_search_one_ply_ahead_is_the_bare_network(archive: Archive) -> None:
    file = next((archive.folder / "work" / "networks").iterdir())
    made = DeepQ.load(file)
    data = sample(50)
    boards = Boards(data.movers, data.occupied, np.zeros((50, 0), np.uint8))
    near, far = (strength.Ahead(made, plies).worths(boards) for plies in (1, 3))
    if made.config.ends == "rule":
        assert near == pytest.approx(made.worths(boards), abs=1e-5, nan_ok=True)
    assert not np.allclose(near, far, equal_nan=True)
