from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fourlab.core.workers import Workers
from fourlab.studies.base import Results
from fourlab.studies.bench import Bench
from fourlab.studies.connectx import games as connectx_games
from fourlab.studies.connectx.study import STUDY
from fourlab.studies.findings import Column, Findings, Measure

THINKING = 1 / 20  # of the simulations of a real run
MADE = connectx_games.mcts


def hurried(simulations: float, **changes: str) -> str:
    return MADE(simulations * THINKING, **changes)


@pytest.fixture(scope="module")
def _hurry() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connectx_games, "mcts", hurried)
        versions = {
            "Version 1": hurried(200),
            "Version 2": hurried(1000),
            "Version 3": hurried(1000, reuse="yes"),
            "Version 4": hurried(1150, reuse="yes"),
        }
        patch.setattr(connectx_games, "VERSIONS", versions)
        yield


def run(name: str, workers: int = 2) -> Findings:
    with Workers(workers) as pool:
        return STUDY.experiment(name).run(Bench(pool, Path("unused"), seed=5, quick=True))


@pytest.fixture(scope="module")
def found(_hurry: None) -> dict[str, Findings]:
    return {experiment.name: run(experiment.name) for experiment in STUDY.experiments}


def figures(table: Findings) -> Iterator[Measure]:
    for row in table.rows:
        yield from (cell for cell in row.values() if isinstance(cell, Measure))
    if table.truth:
        yield from figures(table.truth)


def test_every_row_is_there(found: dict[str, Findings]) -> None:
    rows = {
        name: [row[table.columns[0].name] for row in table.rows] for name, table in found.items()
    }
    assert rows["exploration"] == [
        f"C = {c}" for c in ("0.25", "0.35", "0.50", "0.71", "0.85", "1.20", "1.41")
    ]
    assert rows["choice"] == ["200 simulations", "1,000 simulations", "4,000 simulations"]
    assert len(rows["checks"]) == 5
    assert rows["versions"] == [f"Version {n}" for n in range(1, 5)]
    assert len(rows["factorial"]) == 4 + 6 + 2
    assert rows["future"] == list(connectx_games.FUTURE)
    assert rows["randomness"] == ["Version 2", "Version 3"]
    for name, table in found.items():
        for row in table.rows[1:]:
            missing = {column.name for column in table.columns if row.get(column.name) is None}
            assert missing <= {"reads"}, name


def test_shares_add_up_and_intervals_hold_their_point(found: dict[str, Findings]) -> None:
    for table in found.values():
        for figure in figures(table):
            assert figure.low is not None
            assert figure.high is not None
            assert figure.low <= figure.value <= figure.high
        for row in table.rows:
            if isinstance(row.get("losses"), Measure):
                total = sum(float(row[name]) for name in ("wins", "draws", "losses"))  # type: ignore[arg-type]
                assert total == pytest.approx(1)


def test_all_combinations_met(found: dict[str, Findings]) -> None:
    table = found["factorial"].extra["cross"]
    assert len(set(table["agents"])) == 16
    assert sum(games == 0 for row in table["games"] for games in row) == 16  # with themselves


def test_effects_are_taken_apart() -> None:
    worth = {"C": 100.0, "T": 10.0, "O": 20.0, "S": -5.0}
    ratings = {
        name: sum(worth[letter] for letter in name if letter in worth)
        - 8 * ("C" in name and "T" in name)
        for name in connectx_games.COMBINATIONS
    }
    found = {
        label: sum(weight * ratings[name] for name, weight in weights.items())
        for label, weights in connectx_games.effects().items()
    }
    assert found["faster check"] == pytest.approx(100 - 4)  # half of the versions keep the tree
    assert found["overage time"] == pytest.approx(20)
    assert found["faster check with tree kept"] == pytest.approx(-8)
    assert found["faster check with overage time"] == pytest.approx(0)
    assert found["all four"] == pytest.approx(125 - 8)
    assert found["all four less each alone"] == pytest.approx(-8)


def test_a_kept_tree_brings_visits() -> None:
    kept, fresh = (
        connectx_games.kept_visits(hurried(1000, reuse=reuse), 6, seed=1) for reuse in ("yes", "no")
    )
    assert kept > 0.05 > fresh == 0


def test_every_claim_is_judged(found: dict[str, Findings]) -> None:
    verdicts = STUDY.judge(Results(STUDY, found))
    assert len(verdicts) == len(STUDY.claims) >= 11
    assert all(verdict.ruling != "not run" and verdict.evidence.says for verdict in verdicts)


def versions_won(shares: dict[tuple[int, int], float]) -> Findings:
    scores: list[list[Any]] = [[None] * 4 for _ in range(4)]
    for (a, b), score in shares.items():
        scores[a][b], scores[b][a] = score, 1 - score
    table = {"agents": list(connectx_games.KAGGLE), "scores": scores, "games": [[4000] * 4] * 4}
    return Findings((), (), extra={"cross": table})


def test_a_wrong_published_score_turns_the_verdict() -> None:
    stronger = {(b, a): 0.6 for a in range(4) for b in range(a + 1, 4)}
    results = Results(STUDY, {"versions": versions_won(stronger)})
    assert ruling(results, "Each version beats the one before") == "confirmed"
    printed = STUDY.experiment("versions").published
    assert printed is not None
    rows = {**printed.rows, "Version 3": {"points": 20043.6}}
    planted = replace(STUDY.experiment("versions"), published=replace(printed, rows=rows))
    study = replace(
        STUDY,
        experiments=tuple(planted if e.name == "versions" else e for e in STUDY.experiments),
    )
    turned = Results(study, {"versions": versions_won(stronger)})
    assert ruling(turned, "Each version beats the one before") == "refuted"


def ruling(results: Results, text: str) -> str:
    [verdict] = [v for v in results.study.judge(results) if v.claim.text == text]
    return verdict.ruling


def all_effects(points: float) -> Findings:
    rows = tuple(
        {"effect": name, "elo": Measure(points, points - 9, points + 9)}
        for name in connectx_games.effects()
    )
    return Findings((Column("effect", "effect", "text"),), rows)


@pytest.mark.parametrize(
    ("points", "expected"), [(0.0, "confirmed"), (-80.0, "refuted"), (-36.0, "undecided")]
)
def test_refinements_that_negate_each_other_are_noticed(points: float, expected: str) -> None:
    results = Results(STUDY, {"factorial": all_effects(points)})
    [text] = [claim.text for claim in STUDY.claims if "negate" in claim.text]
    assert ruling(results, text) == expected


@pytest.mark.usefixtures("_hurry")
@pytest.mark.parametrize("name", ["steps", "choice"])
def test_one_seed_is_one_result_for_any_number_of_workers(
    name: str, found: dict[str, Findings]
) -> None:
    assert run(name, workers=1).to_json() == found[name].to_json()
