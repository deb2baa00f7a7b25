import json
import os
import re
import resource
from pathlib import Path

import pytest

from fourlab.agents.play import GameInPlay, play_game
from fourlab.agents.registry import agent
from fourlab.core.errors import IllegalMoveError, NotationError
from fourlab.core.storage import StorageError
from fourlab.rules.catalog import game
from fourlab.rules.position import position_of
from fourlab.rules.record import GameRecord, load_games, save_games

RULES = game("connect:columns=5,rows=4,k=3")


def players() -> tuple:
    return agent("random", RULES), agent("baseline", RULES)


def test_records_round_trip_through_a_file(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    records = [play_game(RULES, *players(), seed) for seed in range(5)]
    save_games(path, records[:2])
    save_games(path, records[2:])
    assert list(load_games(path)) == records
    for record in records:
        assert record.first == "random"
        assert record.second == "baseline"
        assert len(record.move_seconds) == record.position().ply
        assert sum(record.seconds) == pytest.approx(sum(record.move_seconds), abs=1e-5)
        assert record.position().is_over


def test_games_are_added_to_games_alone(tmp_path: Path) -> None:
    record = play_game(RULES, *players(), 1)
    for begins in (b"SQLite format 3\0", b"\x93NUMPY", b" x"):
        (tmp_path / "other").write_bytes(begins)
        with pytest.raises(StorageError, match="holds something else than games"):
            save_games(tmp_path / "other", [record])
        assert (tmp_path / "other").read_bytes() == begins
    for begins in (
        b"\xef\xbb\xbf",
        b"\n",
        f"\ufeff \n{record.to_line()}\n".encode(),
    ):  # as editors do
        path = tmp_path / "edited.jsonl"
        path.write_bytes(begins)
        before = list(load_games(path))
        save_games(path, [record])
        assert list(load_games(path)) == [*before, record]
    path = tmp_path / "cut.jsonl"
    save_games(path, [record])
    path.write_text(path.read_text() + record.to_line()[:40])  # by a kill
    save_games(path, [record])
    whole, _, added = path.read_text().splitlines()
    assert GameRecord.from_line(whole) == GameRecord.from_line(added) == record


def test_a_full_disk_leaves_no_half_of_a_game(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    record = play_game(RULES, *players(), 1)
    save_games(path, [record])
    whole = path.stat().st_size
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (whole + 20, before[1]))
    try:
        with pytest.raises(StorageError, match=re.escape(str(path))):
            save_games(path, [record])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(load_games(path)) == [record]


def test_games_go_into_a_pipe_too(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with os.fdopen(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), "rb") as end:
        save_games(pipe, [record := play_game(RULES, *players(), 1)])
        assert GameRecord.from_line(end.read().decode()) == record


def test_a_game_may_start_anywhere() -> None:
    start = position_of(RULES, "123")
    record = play_game(RULES, *players(), 3, start)
    assert record.moves.startswith("123")
    assert len(record.move_seconds) == record.position().ply - 3
    assert record.plies == 3


def test_a_record_of_the_first_format_is_read() -> None:
    line = json.dumps(
        {
            "game": "connect:columns=5,rows=4,k=3",
            "first": "random",
            "second": "human",
            "seed": 3,
            "moves": "1122",
            "outcome": "in progress",
            "seconds": [0.5, 0.25, 2.0],
        }
    )
    record = GameRecord.from_line(line)
    assert record.move_seconds == (0.5, 0.25, 2.0)
    assert record.seconds == (0.25, 2.5)
    assert GameRecord.from_line(record.to_line()) == record


def test_decisions_are_kept_where_they_are_wanted() -> None:
    match = GameInPlay(RULES, agent("mcts:sims=20", RULES), agent("random", RULES), 1)
    match.step()
    match.play(1, 0.5)
    assert match.record().decisions == ()
    told, nothing = match.record(with_decisions=True).decisions
    assert sum(told["visits"]) == 20
    assert nothing == {}


@pytest.mark.parametrize(
    "line",
    ["", "{}", "[1]", "not json", '{"game": "connect4"}'],
)
def test_what_is_no_record_is_refused(line: str) -> None:
    with pytest.raises(NotationError, match="no game record"):
        GameRecord.from_line(line)


def test_a_record_whose_outcome_does_not_follow_from_its_moves_is_refused() -> None:
    record = play_game(RULES, *players(), 1)
    other = {"first": "second", "second": "draw", "draw": "first"}[record.outcome]
    line = record.to_line().replace(f'"outcome": "{record.outcome}"', f'"outcome": "{other}"')
    with pytest.raises(NotationError, match="do not end in"):
        GameRecord.from_line(line)


def test_moves_can_be_taken_back_to_the_start_and_no_further() -> None:
    match = GameInPlay(RULES, *players(), 1, start=position_of(RULES, "12"))
    match.play(2, 0.1)
    match.step()
    match.undo(1)
    assert match.position == position_of(RULES, "123")
    match.undo(5)
    assert match.position == position_of(RULES, "12")
    assert match.seconds == []


def test_an_illegal_move_changes_nothing() -> None:
    match = GameInPlay(RULES, *players(), 1)
    with pytest.raises(IllegalMoveError):
        match.play(9, 0.0)
    assert match.position == RULES.start()
    assert match.seconds == []
