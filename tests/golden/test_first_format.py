"""Files that the first fourlab wrote are read, and gone on with as it would have done."""

import shutil
from pathlib import Path

import numpy as np

from fourlab.agents.registry import agent
from fourlab.arena.events import Event
from fourlab.arena.records import Records
from fourlab.arena.tournament import Tournament
from fourlab.core.workers import Workers
from fourlab.learning.runs import Run, read_metrics
from fourlab.rules.catalog import game
from fourlab.rules.record import load_games
from fourlab.values.base import load_values

FILES = Path(__file__).parent / "first_format"


def test_a_run_that_was_stopped_then_ends_as_it_would_have_ended(tmp_path: Path) -> None:
    shutil.copytree(FILES / "run", tmp_path / "run")
    run = Run.resume(tmp_path / "run")
    assert run.learner.done == 200
    list(run.reports())
    assert [line["games"] for line in read_metrics(tmp_path / "run")] == [200, 400]
    went_on, whole = (
        np.load(folder / "checkpoint.npz") for folder in (tmp_path / "run", FILES / "whole")
    )
    for name in ("keys", "columns", "values", "visits"):
        np.testing.assert_array_equal(went_on[name], whole[name])


def test_what_was_learned_then_plays() -> None:
    rules = game("tictactoe")
    player = agent(f"q:{FILES / 'whole'}", rules)
    assert player.decide(rules.start(), np.random.default_rng(1)).values is not None
    assert load_values(FILES / "whole").about["games"] == 400


def test_a_record_of_then_is_brought_up_to_date_and_gone_on_with(tmp_path: Path) -> None:
    shutil.copy(FILES / "arena.db", tmp_path / "games.db")
    with Records(tmp_path / "games.db") as records, Workers(1) as workers:
        before = [entry.moves for entry in records.listing()]
        assert len(before) == 6
        event = Event("tictactoe", ("random", "baseline"), games=10, seed=140527703)
        tournament = Tournament(event, records, resume=True)
        for _ in tournament.run(workers):
            pass
        after = [entry.moves for entry in records.listing()]
    assert after[:6] == before
    assert len(after) == 10
    fresh = Tournament(event)
    with Workers(1) as workers:
        for _ in fresh.run(workers):
            pass
    assert fresh.to_json()["pairs"][0]["score"] == tournament.to_json()["pairs"][0]["score"]


def test_a_game_that_was_saved_then_is_read() -> None:
    [record] = load_games(FILES / "games.jsonl")
    assert record.position().is_over
    assert len(record.move_seconds) == record.position().ply
