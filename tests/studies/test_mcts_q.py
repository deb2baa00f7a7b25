"""Study mcts-q: every promised figure is there, and verdicts follow from the figures."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fourlab.core.workers import Workers
from fourlab.positions import suites
from fourlab.studies.archive import Archive
from fourlab.studies.base import Published, Results
from fourlab.studies.bench import Bench
from fourlab.studies.canvas import svg_text
from fourlab.studies.findings import Column, Findings, Measure, over_seeds, share
from fourlab.studies.mcts_q import graduates as mcts_q_graduates
from fourlab.studies.mcts_q import learners as mcts_q_learners
from fourlab.studies.mcts_q import search as mcts_q_search
from fourlab.studies.mcts_q import sweeps as mcts_q_sweeps
from fourlab.studies.mcts_q.claims import CLAIMS
from fourlab.studies.mcts_q.graduates import Course, graduate
from fourlab.studies.mcts_q.study import STUDY

EXPERIMENTS = [experiment.name for experiment in STUDY.experiments]
PARTLY = {"uct": {"change"}}  # columns that only some rows fill
ALLOWED = 1e-9


class Small(Bench):
    """A quick bench whose matches are shorter still."""

    def pick(self, full: Any, quick: Any) -> Any:
        return max(quick // 5, 10) if isinstance(quick, int) and quick > 10 else quick


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    patch = pytest.MonkeyPatch()
    patch.setattr("fourlab.studies.archive.Bench", Small)
    patch.setattr(mcts_q_search, "BLOCKS", 2)
    patch.setattr(suites, "make_suite", lambda rules, name: suites.phase_positions(rules, name, 50))
    made = Archive.start(STUDY, tmp_path_factory.mktemp("study") / "a", quick=True)
    with Workers(2) as pool:
        for _ in made.run(pool):
            pass
    patch.undo()
    return made


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_promised_figure_is_there(archive: Archive, name: str) -> None:
    experiment, found = STUDY.experiment(name), archive.results[name]
    labels = [row[found.columns[0].name] for row in found.rows]
    assert len(set(labels)) == len(labels)
    for row in found.rows:
        missing = {column.name for column in found.columns if row.get(column.name) is None}
        assert missing <= PARTLY.get(name, set())
        for cell in row.values():
            if isinstance(cell, Measure) and cell.low is not None and cell.high is not None:
                assert cell.low - ALLOWED <= cell.value <= cell.high + ALLOWED
        if {"wins", "draws", "losses"} <= row.keys():
            total = sum(float(row[outcome]) for outcome in ("wins", "draws", "losses"))  # type: ignore[arg-type]
            assert total == pytest.approx(1)
    printed = experiment.published.rows if experiment.published else {}
    for label, figures in printed.items():
        assert figures.keys() <= found.row(label).keys()
    assert archive.finished[name].games > 0
    assert experiment.figure is not None
    assert "<text" in svg_text(experiment.figure(found, experiment.published))


def test_every_claim_has_evidence(archive: Archive) -> None:
    verdicts = STUDY.judge(archive.results)
    assert len(verdicts) == len(CLAIMS)
    for verdict in verdicts:
        assert verdict.ruling != "not run"
        assert 0 <= verdict.evidence.p_for <= 1
        assert 0 <= verdict.evidence.p_against <= 1


def test_the_truth_is_told(archive: Archive) -> None:
    boards = archive.results["boards"]
    assert {str(row["value"]) for row in boards.rows} == {"draw"}
    for name in ("simulations", "training", "validation"):
        truth = archive.results[name].truth
        assert truth is not None
        assert truth.rows


@pytest.mark.parametrize("name", ["rewards", "afterstates"])
def test_one_seed_gives_the_same_findings_for_any_number_of_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(mcts_q_sweeps, "EACH_QUICK", 20)
    monkeypatch.setattr(mcts_q_learners, "EACH_QUICK", 20)
    monkeypatch.setattr(mcts_q_search, "BLOCKS", 2)
    run = STUDY.experiment(name).run
    found = []
    for count, seed in ((1, 3), (2, 3), (2, 4)):
        with Workers(count) as pool:
            found.append(run(Small(pool, tmp_path, seed, quick=True)).to_json())
    assert found[0] == found[1] != found[2]


def test_a_graduate_counts_its_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Moves of training games follow from decisions and wins: checked against games played."""
    spec = "afterstates:games=200,opponent=random,side=first"
    done = graduate(Course(spec, mcts_q_search.BOARD, 1, 100, "random", 50, 50))
    assert done.done == [100, 200]
    assert done.values == done.states > 0
    made, good = done.own
    others, _ = done.other
    assert made + others == done.moves
    assert 0 < good < made
    assert 0 <= done.lost_moves <= done.moves
    assert 7 <= mcts_q_sweeps.length(done) <= 30
    monkeypatch.setattr(mcts_q_graduates, "packed", lambda known: b"12")
    again = graduate(Course(spec, mcts_q_search.BOARD, 1, 100, "random", 50))
    assert (again.file_bytes, again.own) == (2, (0, 0))
    assert again.results == done.results


def test_moves_follow_from_decisions_and_results() -> None:
    done = mcts_q_graduates.Graduate(done=[3], results=[(1, 1, 1)], decisions=[4 + 15 + 5])
    assert mcts_q_sweeps.length(done) == pytest.approx((7 + 30 + 10) / 3)


# ---- verdicts -----------------------------------------------------------------------------------


def rewards_like(printed: dict[str, dict[str, float]]) -> Findings:
    """Return findings that agree with a table."""
    games = 20_000
    rows: list[dict[str, Any]] = []
    for name, figures in printed.items():
        shares = {key: share(figures[key] * games, games) for key in ("wins", "draws", "losses")}
        moves = over_seeds([figures["moves"] + shift for shift in (-0.05, -0.02, 0, 0.02, 0.05)])
        rows.append({"map": name, "moves": moves, **shares})
    names = ("moves", "wins", "draws", "losses")
    return Findings((Column("map", "map", "text"), *(Column(n, n) for n in names)), tuple(rows))


def ruling(found: dict[str, Findings], words: str, study: Any = STUDY) -> str:
    [verdict] = [v for v in study.judge(Results(study, found)) if words in v.claim.text]
    return verdict.ruling


def published() -> dict[str, dict[str, float]]:
    table = STUDY.experiment("rewards").published
    assert table is not None
    return table.rows


def test_a_wrong_published_figure_is_refuted() -> None:
    found = {"rewards": rewards_like(published())}
    assert ruling(found, "published shares") == "confirmed"
    wrong = {name: dict(row) for name, row in published().items()}
    wrong["0, 0"]["wins"] = 0.60
    experiments = tuple(
        dataclasses.replace(one, published=Published(wrong)) if one.name == "rewards" else one
        for one in STUDY.experiments
    )
    study = dataclasses.replace(STUDY, experiments=experiments)
    assert ruling(found, "published shares", study) == "refuted"


@pytest.mark.parametrize(
    ("words", "map_name", "change"),
    [
        ("A draw worth a loss wins more", "-1, -1", {"wins": 0.60, "losses": 0.3847}),
        ("-1, -1 wins most", "0, 0", {"wins": 0.90, "losses": 0.0916}),
        ("-1, 0 loses least", "0, 0", {"losses": 0.05, "wins": 0.9416}),
        ("nearly as short", "0, 0", {"moves": 17.0}),
        ("MC200 wins most of its games", "-1, 0", {"wins": 0.40, "losses": 0.4696}),
    ],
)
def test_verdicts_turn_with_the_figures(
    words: str, map_name: str, change: dict[str, float]
) -> None:
    other = {name: dict(row) for name, row in published().items()}
    other[map_name] |= change
    assert ruling({"rewards": rewards_like(other)}, words) == "refuted"


def by_kind(afterstates: dict[str, float], vanilla: dict[str, float]) -> Findings:
    rows: list[dict[str, Any]] = []
    for kind, figures in (("afterstates", afterstates), ("vanilla", vanilla)):
        spread = np.linspace(-0.01, 0.01, 6)
        measures = {key: over_seeds((value + spread).tolist()) for key, value in figures.items()}
        rows.append({"kind": kind, **measures})
    return Findings(
        (Column("kind", "kind", "text"), *(Column(key, key) for key in afterstates)), tuple(rows)
    )


@pytest.mark.parametrize(("better", "verdict"), [(0.5, "confirmed"), (0.1, "refuted")])
def test_verdicts_on_learners_follow_their_seeds(better: float, verdict: str) -> None:
    one = {"ratio": better, "moves": 16 + better, "lost_moves": 16 + better}
    two = {"ratio": 0.3, "moves": 16.3, "lost_moves": 16.3}
    found = {"afterstates": by_kind(one, two)}
    assert ruling(found, "Afterstates win more") == verdict
    assert ruling(found, "Vanilla's games are shorter") == verdict
    assert ruling(found, "Vanilla loses faster") == verdict
    assert ruling(found, "both lose more") == "confirmed"
