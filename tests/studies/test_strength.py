from collections.abc import Iterator
from pathlib import Path

import pytest

from fourlab.agents.registry import agent
from fourlab.core.workers import Workers
from fourlab.studies import strength
from fourlab.studies.base import Results
from fourlab.studies.bench import Bench
from fourlab.studies.findings import Column, Findings, Measure, share
from fourlab.studies.strength import STUDY


@pytest.fixture(scope="module")
def _hurry() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(strength, "VARIANTS", dict.fromkeys(strength.VARIANTS, 20))
        patch.setattr(strength, "BASE", "mcts:sims=20")
        patch.setattr(strength, "QUICK_SIMULATIONS", 2000)
        yield


def run(name: str, workers: int = 2) -> Findings:
    with Workers(workers) as pool:
        return STUDY.experiment(name).run(Bench(pool, Path("unused"), seed=5, quick=True))


@pytest.fixture(scope="module")
def found(_hurry: None) -> dict[str, Findings]:
    return {experiment.name: run(experiment.name) for experiment in STUDY.experiments}


def test_every_row_is_there(found: dict[str, Findings]) -> None:
    rows = {
        name: [row[table.columns[0].name] for row in table.rows] for name, table in found.items()
    }
    assert rows["variants"] == list(strength.VARIANTS)
    assert rows["simulations"] == ["100 times 2", "1,000 times 2"]
    assert len(rows["minimax"]) == 3
    assert rows["grades"] == [spec for spec, _ in strength.GRADED[: strength.QUICKLY_GRADED]]
    for table in found.values():
        for row in table.rows:
            assert set(row) == {column.name for column in table.columns}
            for cell in row.values():
                if isinstance(cell, Measure):
                    assert cell.low is not None
                    assert cell.high is not None
                    assert cell.low <= cell.value <= cell.high


def test_alpha_beta_beats_the_baseline(found: dict[str, Findings]) -> None:
    assert found["minimax"].measure("depth 6, baseline", "wins").value > 0.9
    table = found["grades"]
    better, worse = (table.measure(spec, "perfect end") for spec in ("mcts:sims=1000", "random"))
    assert better.value > worse.value


def test_every_variant_is_an_agent_of_its_own() -> None:
    specs = {agent(f"mcts:{options},sims=1000").spec for options in strength.VARIANTS}
    assert len(specs) == len(strength.VARIANTS)
    assert agent(strength.BASE).spec not in specs


def judged(scores: dict[str, float], games: int = 2000) -> dict[str, str]:
    columns = (Column("variant", "variant", "text"), Column("score", "score", "percent"))
    rows = tuple(
        {"variant": name, "score": share(scores.get(name, 0.5) * games, games)}
        for name in strength.VARIANTS
    )
    results = Results(STUDY, {"variants": Findings(columns, rows)})
    return {v.claim.text.split(" ")[0]: v.ruling for v in STUDY.judge(results)}


def test_claims_follow_the_scores() -> None:
    told = judged(
        {"solver=no": 0.41, "playouts=heavy": 0.61, "expand=all": 0.64, "graded=0.5": 0.4}
    )
    assert told["Solver"] == told["Heavy"] == told["Simulating"] == told["Graded"] == "confirmed"
    assert told["UCB1-Tuned,"] == "confirmed"
    assert told["Ten"] == "not run"
    turned = judged({"solver=no": 0.6, "playouts=heavy": 0.4, "prune=3": 0.6})
    assert turned["Solver"] == turned["Heavy"] == turned["UCB1-Tuned,"] == "refuted"
    assert turned["Graded"] == "undecided"


@pytest.mark.usefixtures("_hurry")
def test_one_seed_is_one_result_for_any_number_of_workers(found: dict[str, Findings]) -> None:
    assert run("simulations", workers=1).to_json() == found["simulations"].to_json()
