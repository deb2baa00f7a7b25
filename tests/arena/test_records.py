"""What is recorded is there, once, whatever happens."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourlab.agents.play import GameInPlay
from fourlab.agents.registry import agent
from fourlab.arena import seals
from fourlab.arena.identity import checksum
from fourlab.arena.match import play
from fourlab.arena.pairing import Pairing, Stretch
from fourlab.arena.records import Records
from fourlab.arena.schema import APPLICATION, MIGRATIONS
from fourlab.arena.tournament import missing
from fourlab.core.storage import StorageError
from fourlab.rules.catalog import game
from fourlab.rules.position import position_of
from fourlab.rules.record import GameRecord

PAIR = Pairing("connect:columns=5,rows=4,k=4", "random", "baseline", 1, 4)


def fill(records: Records, first: int = 0, count: int = 20, seed: int = 1) -> int:
    pair = replace(PAIR, seed=seed)
    pairing = records.pairing(pair)
    games = play(Stretch(pair, first, count))
    records.add(pairing, games, games.notations(PAIR.rules))
    return pairing


def test_what_is_recorded_is_read(tmp_path: Path) -> None:
    played = play(Stretch(PAIR, 0, 20))
    with Records(tmp_path / "games.db") as records:
        pairing = fill(records)
    with Records(tmp_path / "games.db") as records:
        read = records.games(pairing, PAIR, 20)
        assert records.pairing(PAIR) == pairing
        for name in ("numbers", "results", "lengths", "moves"):
            np.testing.assert_array_equal(getattr(read, name), getattr(played, name))
        listed = list(records.listing())
    assert [entry.moves for entry in listed] == played.notations(PAIR.rules)
    assert [entry.first for entry in listed] == ["random", "baseline"] * 10
    assert listed[3].id == f"{pairing}.3"
    assert listed[3].seed == PAIR.seeds(np.array([3]))[0]


def test_a_game_counts_once_however_often_it_is_recorded(tmp_path: Path) -> None:
    with Records(tmp_path / "games.db") as records:
        fill(records, 0, 20)
        fill(records, 10, 20)
        assert records.count() == 30


def test_a_recorded_game_stays_as_it_is(tmp_path: Path) -> None:
    with Records(tmp_path / "games.db") as records:
        pairing = fill(records)
        before = list(records.listing())
        other = play(Stretch(replace(PAIR, seed=2), 0, 20))
        records.add(pairing, other, other.notations(PAIR.rules))
        assert list(records.listing()) == before


def test_listed_results_and_times_are_those_of_the_players(tmp_path: Path) -> None:
    games = play(Stretch(PAIR, 0, 20))
    games.seconds[:] = [1.0, 2.0]  # of random and of baseline
    with Records(tmp_path / "games.db") as records:
        records.add(records.pairing(PAIR), games, games.notations(PAIR.rules))
        listed = list(records.listing())
    for entry in listed:
        assert entry.outcome == position_of(PAIR.rules, entry.moves).outcome.value
        assert entry.seconds == ((1.0, 2.0) if entry.first == "random" else (2.0, 1.0))
    assert any(entry.outcome != "draw" for entry in listed[1::2])  # begun by baseline


def test_other_conditions_are_another_pairing(tmp_path: Path) -> None:
    with Records(tmp_path / "games.db") as records:
        ids = {
            records.pairing(pairing)
            for pairing in (
                PAIR,
                replace(PAIR, checksums=("abc", "")),
                replace(PAIR, a=PAIR.b, b=PAIR.a),
                replace(PAIR, seed=2),
                replace(PAIR, plies=0),
                replace(PAIR, move_seconds=0.5),
                replace(PAIR, game="connect4"),
            )
        }
    assert len(ids) == 7


def test_results_are_summed_by_first_player(tmp_path: Path) -> None:
    played = play(Stretch(PAIR, 0, 40))
    with Records(tmp_path / "games.db") as records:
        fill(records, 0, 40)
        summary = records.summary()[PAIR.game]
    even, odd = played.results[::2], played.results[1::2]
    assert summary["random", "baseline"] == tuple(int((even == r).sum()) for r in (1, 0, -1))
    assert summary["baseline", "random"] == tuple(int((odd == r).sum()) for r in (-1, 0, 1))


def test_people_ask_a_view_with_any_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    with Records(path) as records:
        fill(records, 0, 60)
        records.keep(GameRecord("tictactoe", "human", "perfect", 7, "15", "in progress"))
        listed = {entry.id: entry for entry in records.listing()}
    points = {"first": 1.0, "draw": 0.5, "second": 0.0, "in progress": None}
    with closing(sqlite3.connect(path)) as plain:
        plain.row_factory = sqlite3.Row
        rows = plain.execute("SELECT * FROM results").fetchall()
        assert len(rows) == len(listed) == 61
        for row in rows:
            entry = listed[row["id"]]
            for name in ("game", "first", "second", "outcome", "moves", "plies", "started"):
                assert row[name] == getattr(entry, name)
            assert row["points"] == points[entry.outcome]
            winners = {"first": entry.first, "second": entry.second}
            assert row["winner"] == winners.get(entry.outcome)
            assert (row["first_seconds"], row["second_seconds"]) == entry.seconds
        question = (
            "SELECT substr(moves, 1, 4) AS opening, count(*) AS games, avg(points) AS score"
            " FROM results WHERE plies = 4 GROUP BY opening ORDER BY score DESC"
        )
        best = plain.execute(question).fetchone()
    won = [points[e.outcome] for e in listed.values() if e.moves.startswith(best["opening"])]
    assert best["games"] == len(won)
    assert best["score"] == sum(won) / len(won)


def first_schema(path: Path) -> None:
    old = sqlite3.connect(path)
    old.executescript(MIGRATIONS[0])
    old.execute(f"PRAGMA application_id = {APPLICATION}")
    old.execute("PRAGMA user_version = 1")
    old.execute("INSERT INTO agents VALUES (1, 'random', ''), (2, 'baseline', '')")
    old.execute(
        "INSERT INTO pairings VALUES (1, ?, 1, 2, 1, 4, 0, '0.1.0', '2026-11-15T00:00:00Z')",
        (PAIR.game,),
    )
    old.execute("INSERT INTO games VALUES (1, 0, -1, '12345', 3, 4, NULL)")
    old.commit()
    old.close()


def test_a_file_of_the_first_schema_opens_with_its_games(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    first_schema(path)
    with Records(path) as records:
        assert records.pairing(PAIR) == 1
        assert [entry.moves for entry in records.listing()] == ["12345"]
        records.add_run({"seed": 1})
        assert records.last_run() == {"seed": 1}
        assert records._pragma("user_version") == len(MIGRATIONS)


@pytest.mark.parametrize("version", [99, -4])
def test_a_schema_from_elsewhere_is_left_alone(tmp_path: Path, version: int) -> None:
    path = tmp_path / "games.db"
    with Records(path) as records:
        fill(records)
        records._connection.execute(f"PRAGMA user_version = {version}")
    before = path.read_bytes()
    told = rf"games.db has schema {version}, this fourlab knows {len(MIGRATIONS)}"
    with pytest.raises(StorageError, match=told):
        Records(path)
    assert path.read_bytes() == before


def test_foreign_files_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "foreign.db"
    path.write_text("no database at all, but long enough to be looked at" * 100)
    with pytest.raises(StorageError, match=r"foreign.db is no fourlab record"):
        Records(path)
    other = tmp_path / "other.db"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE mine (x)")
    connection.close()
    with pytest.raises(StorageError, match=r"other.db is no fourlab record"):
        Records(other)
    with pytest.raises(StorageError, match=r"no games recorded in .*none.db"):
        Records(tmp_path / "none.db", to_read=True)
    assert not (tmp_path / "none.db").exists()
    with pytest.raises(StorageError, match="cannot"):
        Records(path / "below.db")


def test_an_interruption_is_none_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seal, stops = seals.seal, [False]

    def interrupted(*columns: str | float | None) -> int:
        if stops[0]:
            raise KeyboardInterrupt
        return seal(*columns)

    monkeypatch.setattr(seals, "seal", interrupted)
    with Records(tmp_path / "games.db") as records:
        fill(records)
        stops[0] = True
        with pytest.raises(KeyboardInterrupt):
            fill(records, 20, 20)
        stops[0] = False
        assert records.count() == 20
        fill(records, 20, 20)
        assert records.count() == 40


def test_a_full_disk_keeps_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    with Records(path) as records:
        fill(records)
        pages = records._pragma("page_count")
        records._connection.execute(f"PRAGMA max_page_count = {pages + 1}")
        with pytest.raises(StorageError, match=r"games.db: .*full; the games in it are as they"):
            fill(records, 20, 2000)
        assert records.count() == 20
    with Records(path) as records:
        assert records.count() == 20
        fill(records, 20, 20)
        assert records.count() == 40


@pytest.mark.parametrize("replaced", [False, True])
def test_games_are_not_written_into_a_file_that_is_gone(tmp_path: Path, replaced: bool) -> None:
    path, other = tmp_path / "games.db", tmp_path / "other.db"
    with Records(other) as records:
        fill(records, count=4)
    with Records(path) as records:
        fill(records, count=2)
        path.unlink()
        if replaced:
            other.rename(path)
        with pytest.raises(StorageError, match=r"games.db was deleted, moved or replaced"):
            fill(records, first=2, count=2)


@pytest.mark.parametrize("recorded", [True, False])
def test_a_file_that_takes_the_place_of_another_does_not_get_its_games(
    tmp_path: Path, recorded: bool
) -> None:
    """SQLite's log lies beside the place, not the file; the games in it follow the old file."""
    path, other, moved = (tmp_path / f"{name}.db" for name in ("games", "other", "moved"))
    with Records(other) as records:
        fill(records, first=100, count=60)
    with Records(path) as records:
        fill(records, count=20)
    with Records(path) as records:
        fill(records, first=20, count=20)
        path.rename(moved)
        other.rename(path)
        if recorded:
            with pytest.raises(StorageError, match=r"games.db was deleted, moved or replaced"):
                fill(records, first=40, count=20)
    for file, numbers in ((path, range(100, 160)), (moved, range(40))):
        with Records(file) as records:
            assert records._all("PRAGMA integrity_check") == [("ok",)]
            found = [number for (number,) in records._all("SELECT number FROM games")]
            assert sorted(found) == list(numbers)


@pytest.mark.parametrize("recorded", [True, False])
@pytest.mark.parametrize("written", ["other", "older", "shorter", "text"])
def test_a_file_that_is_copied_into_another_one_is_not_mixed_with_it(
    tmp_path: Path, written: str, recorded: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """The file is the same, its contents are not; SQLite's log has pages of the old ones."""
    path, other, older = (tmp_path / f"{name}.db" for name in ("games", "other", "older"))
    with Records(other) as records:
        fill(records, first=100, count=60, seed=2)
    with Records(older):
        pass
    shutil.copy(older, path)
    (tmp_path / "text.db").write_text("months of work\n" * 5000)
    with Records(path) as records:
        fill(records, count=10)
    shutil.copy(path, tmp_path / "shorter.db")
    with Records(path) as records:
        fill(records, first=10, count=10)
    with Records(path) as records:
        fill(records, first=20, count=20)
        shutil.copyfile(tmp_path / f"{written}.db", path)
        if recorded:
            with pytest.raises(StorageError, match=r"games.db was deleted, moved or replaced"):
                fill(records, first=40, count=20)
    assert path.read_bytes() == (tmp_path / f"{written}.db").read_bytes()
    assert "games.db was overwritten: what was recorded last is lost" in caplog.text
    if written != "text":
        with Records(path) as records:
            assert records._all("PRAGMA integrity_check") == [("ok",)]
            assert records.count() == {"other": 60, "older": 0, "shorter": 10}[written]


def test_a_log_that_others_move_into_the_file_is_nothing_new(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    with Records(path) as records, Records(path) as beside:
        for first in range(0, 100, 20):
            fill(records, first=first, count=20)
            fill(beside, first=first, count=20, seed=first)
            assert beside._all("PRAGMA wal_checkpoint(FULL)")[0][0] == 0
        assert records.count() == 200


def test_a_locked_file_is_said_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    with Records(path, wait=0.1) as records:
        fill(records)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageError, match=r"games.db is locked by another program; wait"):
            fill(records, 20, 20)
        other.execute("ROLLBACK")
        other.close()
        assert records.count() == 20
        fill(records, 20, 20)
        assert records.count() == 40


WRITER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_records import PAIR, fill
from fourlab.arena.records import Records
with Records(Path(sys.argv[1])) as records:
    for first in range(0, 1_000_000, 500):
        fill(records, first, 500)
        print(first, flush=True)
"""


def test_kill_9_loses_nothing_that_was_recorded(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    rng = np.random.default_rng(5)
    for _ in range(3):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), str(Path(__file__).parent)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert writer.stdout is not None
        for _ in range(int(rng.integers(2, 12))):
            said = int(writer.stdout.readline())
        os.kill(writer.pid, signal.SIGKILL)
        writer.communicate()
        with Records(path) as records:
            assert records._all("PRAGMA integrity_check") == [("ok",)]
            numbers = [int(row[0]) for row in records._all("SELECT number FROM games")]
        assert len(numbers) >= said + 500
        assert len(numbers) % 500 == 0  # all of a transaction or nothing
        assert sorted(numbers) == list(range(len(numbers)))


@given(st.sets(st.integers(0, 39)), st.integers(1, 40))
def test_what_is_missing_is_found(known: set[int], games: int) -> None:
    found = missing(np.array(sorted(known), np.int64), games)
    assert [n for part in found for n in part] == [n for n in range(games) if n not in known]
    assert all(len(part) > 0 for part in found)


@pytest.mark.usefixtures("troublemakers")
def test_agents_are_known_by_their_files_too(tmp_path: Path) -> None:
    path = tmp_path / "values.npz"
    spec = f"unlucky:{path}"
    assert checksum(agent(spec)) == checksum(agent("random")) == ""
    path.write_text("one")
    one = checksum(agent(spec))
    path.write_text("two")
    assert len({one, checksum(agent(spec)), ""}) == 3


def test_several_may_make_one_file_at_once(tmp_path: Path) -> None:
    together = threading.Barrier(4)

    def open_it(path: Path) -> None:
        together.wait()
        Records(path).close()

    with ThreadPoolExecutor(4) as pool:
        for number in range(40):
            list(pool.map(open_it, [tmp_path / f"{number}.db"] * 4))


def test_a_game_played_by_itself_is_kept_beside_the_others(tmp_path: Path) -> None:
    rules = game(PAIR.game)
    match = GameInPlay(rules, agent("mcts:sims=10", rules), agent("random", rules), 7)
    match.step()
    broken_off = match.record(with_decisions=True)
    while not match.position.is_over:
        match.step()
    with Records(tmp_path / "games.db") as records:
        records.add(records.pairing(PAIR), games := play(Stretch(PAIR, 0, 4)),
                    games.notations(rules))  # fmt: skip
        kept = [records.keep(broken_off), records.keep(match.record())]
        listed = {entry.id: entry for entry in records.listing()}
        summary = records.summary()[str(rules)]
    assert len(listed) == 6
    found = [listed[identity] for identity in kept]
    assert [entry.moves for entry in found] == [broken_off.moves, match.record().moves]
    assert [entry.outcome for entry in found] == ["in progress", match.record().outcome]
    assert all(entry.seed == 7 and entry.started for entry in found)
    assert found[0].decisions[0]["move"] == match.positions[1].moves[0]
    assert found[1].move_seconds == match.record().move_seconds
    assert sum(summary["mcts:sims=10", "random"]) == 1  # a game that was broken off does not count


def test_a_game_is_kept_among_many_agents_as_among_few(tmp_path: Path) -> None:
    """Else a file of games between many people takes ever longer, and nobody else may write."""
    steps = [0]

    def counted() -> None:
        steps[0] += 1

    def kept(records: Records, first: int, last: int) -> int:
        before = steps[0]
        for number in range(first, last):
            names = f"anna {number}", f"bob {number}"
            records.keep(GameRecord("tictactoe", *names, number, "14253", "first"))
        return steps[0] - before

    with Records(tmp_path / "games.db") as records, records.at_once():
        records._connection.set_progress_handler(counted, 10)  # of SQLite's machine
        few = kept(records, 0, 50)
        kept(records, 50, 450)
        assert kept(records, 450, 500) < 2 * few


def test_damage_anywhere_is_refused_or_changes_nothing(tmp_path: Path) -> None:
    """Change a few bits in many places; what is still read is what was written."""
    path = tmp_path / "games.db"
    with Records(path) as records:
        fill(records, 0, 60)
        records.add_run({"seed": 3, "agents": ["random", "baseline"]})
    whole = path.read_bytes()

    def read() -> list[object]:
        with Records(path, to_read=True) as records:
            found: list[object] = [entry.to_line() for entry in records.listing()]
            recorded = records.games(1, PAIR, 60)
            return [*found, records.summary(), records.last_run(), recorded.results.tolist()]

    truth = read()
    dice = np.random.default_rng(11)
    refused = 0
    for _ in range(300):
        changed = bytearray(whole)
        for place in dice.integers(len(whole) * 8, size=int(dice.integers(1, 4))).tolist():
            changed[place // 8] ^= 1 << (place % 8)
        path.write_bytes(changed)
        for beside in tmp_path.glob("games.db-*"):
            beside.unlink()
        try:
            found = read()
        except StorageError as error:
            refused += str(path) in str(error)
            continue
        assert found == truth
    assert refused > 50


def test_a_game_that_strayed_from_its_pairing_is_damage(tmp_path: Path) -> None:
    """Questions join games with their pairings, so its absence would not be seen."""
    path = tmp_path / "games.db"
    with Records(path) as records:
        fill(records)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE games SET pairing = 5 WHERE number = 7")
    with pytest.raises(StorageError, match=r"games.db is damaged: 1 of its rows"):
        Records(path)


@pytest.mark.parametrize("damaged", [b"TABL\xc5 games", b"TABLE`games"])
def test_a_schema_that_is_no_text_or_no_sql_is_damage(tmp_path: Path, damaged: bytes) -> None:
    path = tmp_path / "games.db"
    with Records(path) as records:
        fill(records)
    path.write_bytes(path.read_bytes().replace(b"TABLE games", damaged))
    with pytest.raises(StorageError, match=r"games.db is no fourlab record, or damaged") as told:
        Records(path)
    assert "\n" not in str(told.value)


LEFT_LOG = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_records import fill
from fourlab.arena.records import Records
fill(Records(Path(sys.argv[1])), 20, 20)
os._exit(0)
"""


def leave_log(path: Path) -> None:
    """Record twenty games more, and end as one that is killed."""
    command = [sys.executable, "-c", LEFT_LOG, str(path), str(Path(__file__).parent)]
    subprocess.run(command, check=True)
    assert Path(f"{path}-wal").stat().st_size


@pytest.mark.parametrize("log", [False, True])
def test_a_record_that_may_not_be_written_is_read_with_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log: bool
) -> None:
    """A superuser may write everything, so it is the question that is answered with no."""
    path = tmp_path / "games.db"
    with Records(path) as records:
        fill(records)
    if log:
        leave_log(path)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    monkeypatch.setattr("os.access", lambda *_: False)
    with Records(path, to_read=True) as records:
        assert records.count() == (40 if log else 20)
        with pytest.raises(StorageError, match=r"games.db may not be written; name another record"):
            fill(records, 20, 20)
    after = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    for files in before, after:
        files.pop("games.db-shm", None)  # in which SQLite marks who reads
    assert after == before


def test_games_are_read_while_others_record_whoever_may_not_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "games.db"
    with Records(path) as records:
        monkeypatch.setattr("os.access", lambda *_: False)
        fill(records)
        with Records(path, to_read=True) as beside:
            assert beside.count() == 20
            fill(records, 20, 20)
            assert beside.count() == 40


def without_helper(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    """Let SQLite not find or make the file by which it reads a log, as on a full disk."""
    real = sqlite3.connect
    helper = Path(f"{path}-shm")

    def connect(place: object, **how: object) -> sqlite3.Connection:
        helper.unlink(missing_ok=True)
        helper.symlink_to("nowhere")  # which SQLite does not follow
        opened = real(place, **how)  # type: ignore[arg-type, call-overload]
        try:
            opened.execute("SELECT 1 FROM sqlite_master").fetchone()
        except sqlite3.Error:
            opened.close()
            raise
        finally:
            helper.unlink()
        return opened

    monkeypatch.setattr("sqlite3.connect", connect)


def test_a_record_on_a_full_disk_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "games.db"
    with Records(path) as records:
        fill(records)
    without_helper(monkeypatch, path)
    with Records(path, to_read=True) as records:
        assert records.count() == 20


def test_games_in_a_log_that_cannot_be_read_are_not_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "games.db"
    leave_log(path)
    without_helper(monkeypatch, path)
    with pytest.raises(StorageError, match=r"games of it are in games.db-wal.*; copy both to"):
        Records(path, to_read=True)


def test_who_only_reads_makes_no_record_of_what_is_none(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    path.touch()
    with pytest.raises(StorageError, match=r"no games recorded in .*empty.db; fourlab arena"):
        Records(path, to_read=True)
    assert [(file.name, file.stat().st_size) for file in tmp_path.iterdir()] == [("empty.db", 0)]


def test_who_only_reads_an_older_schema_leaves_it_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    first_schema(path)
    before = path.read_bytes()
    with Records(path, to_read=True) as records:
        assert [entry.moves for entry in records.listing()] == ["12345"]
    assert [file.name for file in tmp_path.iterdir()] == ["old.db"]
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", ["a\0b", "x" * 300, "file/below", "", "folder"])
def test_a_place_where_no_record_can_be_is_said_in_one_line(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("in the way")
    (tmp_path / "folder").mkdir()
    with pytest.raises(StorageError, match="cannot"):
        Records(tmp_path / name)


def test_where_no_record_is_no_games_are_spoken_of(tmp_path: Path) -> None:
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(StorageError, match=r"cannot use .*/circle: unable to open database file$"):
        Records(tmp_path / "circle")
