"""Study monte-carlo: its jobs against slow ways, and verdicts that follow from figures."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from fourlab.core.workers import Workers
from fourlab.learning.registry import learner
from fourlab.rules.catalog import game
from fourlab.rules.keys import board_of
from fourlab.rules.position import Position, position_of
from fourlab.studies.archive import Archive
from fourlab.studies.base import Results, Verdict
from fourlab.studies.bench import Bench
from fourlab.studies.findings import Column, Findings, Measure
from fourlab.studies.monte_carlo import jobs
from fourlab.studies.monte_carlo.learning import BOARDS, SMALL, TINY, WHOLE
from fourlab.studies.monte_carlo.study import STUDY
from fourlab.studies.monte_carlo.tables import MIXED, POLICIES, RIGHT, columns, row_name
from fourlab.values.table import NO_CHOICE

UNKNOWN = {"best", "off", "bias"}  # columns that only small boards have


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    made = Archive.start(STUDY, tmp_path_factory.mktemp("study") / "a", quick=True)
    with Workers(2) as pool:
        for _ in made.run(pool):
            pass
    return made


def test_every_promised_row_is_there(archive: Archive) -> None:
    assert set(archive.finished) == {experiment.name for experiment in STUDY.experiments}
    for experiment in STUDY.experiments:
        findings = archive.results[experiment.name]
        for part in filter(None, (findings, findings.truth)):
            assert part.rows
            titles = [column.title for column in part.columns]
            assert len({*titles}) == len(titles)
            for row in part.rows:
                named = {column.name for column in part.columns} - UNKNOWN
                assert all(row.get(name) is not None for name in named)
        printed = experiment.published.rows if experiment.published else {}
        for label, figures in printed.items():
            assert figures.keys() <= findings.row(label).keys()
        assert archive.path(experiment).stat().st_size < 60_000
    for name in ("iterations", "boards"):
        assert [row["board"] for row in archive.results[name].rows] == list(BOARDS)
    assert archive.results["boards"].measure(TINY, "best").value == pytest.approx(26 / 27, abs=1e-5)
    assert archive.results["precision"].row(f"{TINY}, 100 episodes")["off"] is not None


def test_intervals_hold_their_point(archive: Archive) -> None:
    for findings in archive.results.values():
        for row in findings.rows:
            for cell in row.values():
                if isinstance(cell, Measure) and cell.low is not None and cell.high is not None:
                    assert cell.low <= cell.value <= cell.high


def test_a_histogram_counts_every_policy_once(archive: Archive) -> None:
    for name in ("columns", "winning"):
        findings = archive.results[name]
        for board in findings.extra["boards"]:
            assert len(board["shares"]) == board["columns"]
        for row in findings.rows:
            central, outer = (np.array(row[key].samples) for key in ("central", "outer"))  # type: ignore[union-attr]
            assert central + outer == pytest.approx(1)
    moves = archive.results["columns"].measure(row_name(WHOLE, POLICIES), "moves").value
    assert POLICIES <= moves < POLICIES + 21  # the states of one game at most


def test_every_claim_is_judged(archive: Archive) -> None:
    for verdict in STUDY.judge(archive.results):
        assert verdict.ruling != "not run"
        assert verdict.evidence.says


def test_every_figure_is_drawn(archive: Archive) -> None:
    pytest.importorskip("matplotlib")
    for experiment in STUDY.experiments:
        if experiment.figure is not None:
            assert experiment.figure(archive.results[experiment.name], experiment.published).axes


def test_the_same_seed_gives_the_same_findings_for_any_workers(tmp_path: Path) -> None:
    found = []
    for count in (1, 2):
        with Workers(count) as pool:
            found.append(columns(Bench(pool, tmp_path, seed=3, quick=True)).to_json())
    assert found[0] == found[1]


def test_chance_is_that_of_a_random_policy_in_the_same_states() -> None:
    census = jobs.Census("connect:columns=4,rows=2,k=3", 5, 60)
    found = jobs.count(census)
    made = learner(jobs.spec(), census.game, census.seed, games=found["games"], chunk=1)
    for _ in made.steps():
        pass
    table = made.knowledge.values.table  # type: ignore[attr-defined]
    expected, counts = np.zeros(4), np.zeros(4)
    for key, move in zip(table.keys.tolist(), table.choices.tolist(), strict=True):
        if move != NO_CHOICE:
            position = Position(made.rules, *board_of(made.rules, key), ())
            expected[list(position.legal_moves())] += 1 / len(position.legal_moves())
            counts[move] += 1
    assert min(expected) < max(expected)  # columns fill up: it is not uniform
    assert found["all"] == counts.tolist()
    assert found["all_chance"] == pytest.approx(expected)
    assert sum(found["best_chance"]) == pytest.approx(sum(found["best"]))


@pytest.mark.parametrize(
    ("moves", "column", "worth"),
    [("112233", 4, 200), ("11223", 4, 100), ("112233", 5, 0), ("1122356", 4, 100)],
)
def test_a_win_is_worth_more_than_a_block(moves: str, column: int, worth: float) -> None:
    position = position_of(game("connect4"), moves)
    assert jobs.reward(position, column - 1) == worth


def test_the_true_return_is_the_mean_of_many_games() -> None:
    (made,) = jobs.trained(BOARDS[TINY], 1, "", (300,))
    keep = 0.5
    returns, start = jobs.Returns(made.knowledge, keep), made.rules.start()
    rng, samples = np.random.default_rng(1), []
    for _ in range(3000):
        position, total, weight = start.play(0), jobs.reward(start, 0), 1.0
        while not position.is_over:
            moves = position.legal_moves()
            if position.ply % 2 == 1:  # the opponent's
                position = position.play(int(rng.choice(moves)))
                continue
            values = made.knowledge.move_values(position)
            top = max(value for value in values if value is not None)
            if rng.random() < keep:
                moves = tuple(move for move in moves if values[move] == top)
            move = int(rng.choice(moves))
            weight *= jobs.GAMMA
            total += weight * jobs.reward(position, move)
            position = position.play(move)
        samples.append(total)
    error = np.std(samples) / len(samples) ** 0.5
    assert returns.of_move(start, 0) == pytest.approx(np.mean(samples), abs=4 * error)


def test_mixed_keys_try_one_first_move_for_ever() -> None:
    found = jobs.train_mixed(jobs.MixedKeys(BOARDS[SMALL], 1, (0, 20), 10))
    assert found["trials"] == 19
    assert found["policies"][0] == 0
    (made,) = jobs.trained(BOARDS[SMALL], 1, "", (200,))
    tried = [visits for visits in made.knowledge.visits(made.rules.start()) if visits]
    assert len(tried) > 1


def test_values_are_played_instead_of_the_stored_policy() -> None:
    (made,) = jobs.trained(BOARDS[TINY], 1, "keep=0", (4000,))
    stored, best = (
        jobs.play_tests(jobs.player_of(made, how), 1000, 1)[0]
        for how in (jobs.STORED, jobs.BY_VALUES)
    )
    assert best > stored + 0.1
    assert made.knowledge.values.table.choices.max() != NO_CHOICE  # the learner's own stay


def verdict(found: Findings, trials: float) -> Verdict:
    """Return what is said of mixed keys when the published trials are these."""
    demo = STUDY.experiment("demo")
    assert demo.published is not None
    rows = {MIXED: {**demo.published.rows[MIXED], "trials": trials}}
    other = dataclasses.replace(demo, published=dataclasses.replace(demo.published, rows=rows))
    claims = tuple(claim for claim in STUDY.claims if "picture" in claim.text)
    study = dataclasses.replace(STUDY, experiments=(other,), claims=claims)
    (judged,) = study.judge(Results(study, {"demo": found}))
    return judged


def test_a_wrong_published_figure_turns_the_verdict() -> None:
    found = Findings(
        (Column("row", "row", "text"), Column("trials", "trials")),
        (
            {"row": MIXED, "trials": Measure(53, 53, 53, 8, (53,) * 8)},
            {"row": RIGHT, "trials": Measure(47, 40, 50, 8, (40, 45, 46, 47, 48, 49, 50, 50))},
        ),
    )
    assert verdict(found, 53).ruling == "confirmed"
    assert verdict(found, 30).ruling == "refuted"
