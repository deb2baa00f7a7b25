"""Books: made, read, damaged, resumed."""

import errno
import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import command
import retrograde
from fourlab.core.limit import NO_LIMIT
from fourlab.core.storage import StorageError, save_arrays, seal
from fourlab.rules.catalog import game
from fourlab.rules.position import position_of
from fourlab.search import book as book_module
from fourlab.search.book import Book, shelves, shipped_book
from fourlab.search.bookmaking import UNSOLVED, Build
from fourlab.search.scores import sign
from fourlab.search.sizes import RECOMPUTED, Size
from fourlab.search.solver import Solver

SMALL = "connect:columns=4,rows=4,k=4"
SHIPPED_SIZES = [(5, 8), (5, 9), (6, 6), (6, 7), (7, 5), (8, 4), (9, 4)]


def build(path: Path, name: str = SMALL, plies: int = 5) -> Book:
    making = Build(game(name), plies, path)
    with ThreadPoolExecutor(2) as pool:
        counts = list(making.run(pool, 2))
    assert counts == sorted(counts)
    return making.finish()


@pytest.mark.parametrize("name", [SMALL, "tictactoe", "connect:columns=5,rows=4,k=3"])
def test_a_book_holds_the_truth_about_every_position(tmp_path: Path, name: str) -> None:
    build(tmp_path / "book.npz", name)
    book = Book.load(tmp_path / "book.npz")
    truth = retrograde.truth(name)
    for ply in range(book.plies + 1):
        assert np.array_equal(book.scores[ply], truth[1][ply])
        assert np.array_equal(book.shelves[ply].keys, truth[0][ply].keys)


def test_positions_and_their_mirror_images_are_found(tmp_path: Path) -> None:
    book = build(tmp_path / "book.npz")
    rules = game(SMALL)
    solver = Solver(rules)
    for moves in ("", "1", "4", "12", "43", "1234", "4321", "11223"):
        position = position_of(rules, moves)
        assert book.score(position) == solver.score(position)
        assert book.score(position.mirror()) == book.score(position)
    assert book.score(position_of(rules, "112233")) is None  # deeper than the book
    assert book.score(game("connect4").start()) is None  # another game


def test_a_score_costs_less_than_a_byte(tmp_path: Path) -> None:
    book = build(tmp_path / "book.npz", plies=9)
    positions = sum(len(scores) for scores in book.scores)
    assert positions > 4000
    assert (tmp_path / "book.npz").stat().st_size < positions


def test_only_a_book_is_written_over(tmp_path: Path) -> None:
    notes, table = tmp_path / "notes.txt", tmp_path / "table.npz"
    notes.write_text("months of work")
    save_arrays(table, "values", 1, {}, {"values": np.zeros(1)})
    for path in (notes, table):
        before = path.read_bytes()
        with pytest.raises(StorageError, match="is there, and no book; name another file"):
            build(path)
        assert path.read_bytes() == before
    book = tmp_path / "book.npz"
    book.touch()
    assert build(book, plies=2).plies == 2
    assert build(book, plies=3).plies == 3


def test_a_book_of_more_plies_or_of_another_game_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "book.npz"
    build(path, plies=4)
    before = path.read_bytes()
    for name, plies in ((SMALL, 3), ("tictactoe", 4), ("tictactoe", 5)):
        with pytest.raises(StorageError, match=rf"holds a book of {SMALL}, 4 plies, not one of"):
            build(path, name, plies)
        assert [file.read_bytes() for file in tmp_path.iterdir()] == [before]
    assert build(path, plies=4).plies == 4


def test_a_book_that_was_finished_meanwhile_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "book.npz"
    making = Build(game(SMALL), 3, path)
    with ThreadPoolExecutor(1) as pool:
        list(making.run(pool, 1))
    build(tmp_path / "other.npz", plies=4)
    (tmp_path / "other.npz").rename(path)
    with pytest.raises(StorageError, match=f"holds a book of {SMALL}, 4 plies"):
        making.finish()
    path.unlink()
    assert Build(game(SMALL), 3, path).solved == making.total


def test_with_and_without_a_book_the_answers_are_the_same(tmp_path: Path) -> None:
    rules = game(SMALL)
    with_book, without = Solver(rules, book=build(tmp_path / "book.npz")), Solver(rules)
    for moves in ("", "1", "2", "23", "2323", "23233", "1122", "112233"):
        position = position_of(rules, moves)
        assert with_book.scores(position) == without.scores(position)
        assert with_book.outcome(position) == without.outcome(position)
        assert with_book.score_many([position] * 2) == without.score_many([position] * 2)
    assert with_book.bounds(rules.start()).source == "book"
    assert with_book.bounds(position_of(rules, "112233")).source == "search"


def test_a_book_of_the_wrong_size_is_refused(tmp_path: Path) -> None:
    book = build(tmp_path / "book.npz")
    Book(book.rules, [*book.scores[:-1], book.scores[-1][:-1]]).save(tmp_path / "short.npz")
    with pytest.raises(StorageError, match=r"short.npz is damaged: \d+ scores for \d+ positions"):
        Book.load(tmp_path / "short.npz")


def test_without_gravity_only_small_boards_have_books() -> None:
    with pytest.raises(StorageError, match="no book for mnk:columns=6,rows=6"):
        shelves(game("mnk:columns=6,rows=6,k=4"), 2)


def test_a_damaged_shipped_book_is_named_and_done_without(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    original = book_module.pkgutil.get_data

    def damaged(package: str, resource: str) -> bytes | None:
        return b"nothing of a book" if original(package, resource) else None

    monkeypatch.setattr(book_module.pkgutil, "get_data", damaged)
    shipped_book.cache_clear()
    try:
        with caplog.at_level(logging.WARNING):
            assert shipped_book(game("connect4")) is None
        assert "connect4.npz is no fourlab book" in caplog.text
        assert "going on without it" in caplog.text
        assert shipped_book(game("tictactoe")) is None  # none ships, nothing is said
    finally:
        shipped_book.cache_clear()


def test_two_processes_read_one_book(tmp_path: Path) -> None:
    build(tmp_path / "book.npz")
    program = (
        "import sys; from pathlib import Path; from fourlab.search.book import Book;"
        "book = Book.load(Path(sys.argv[1])); print(book.score(book.rules.start()))"
    )
    readers = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(tmp_path / "book.npz")],
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    assert [reader.communicate()[0].strip() for reader in readers] == ["0", "0"]


# Enough work that a build can be killed in the middle of it.
LONG = ["book", "build", "--game", "connect:columns=5,rows=6,k=4", "--plies", "5"]


def test_a_killed_build_goes_on_and_ends_the_same(tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole.npz", tmp_path / "killed.npz"
    assert command.run(*LONG, "-o", str(whole)).returncode == 0
    progress = tmp_path / "killed.npz.progress"
    kills = 0
    for lines in (2, 4, 6):
        program = [sys.executable, "-m", "fourlab.cli.main", *LONG, "-o", str(killed)]
        with subprocess.Popen(program) as process:
            while process.poll() is None:
                if progress.exists() and progress.read_text().count("\n") >= lines:
                    os.kill(process.pid, signal.SIGKILL)
                    process.wait()
                    kills += process.returncode == -signal.SIGKILL
                time.sleep(0.01)
    assert kills > 0
    solved_before = progress.read_text() if progress.exists() else ""
    if solved_before:
        progress.write_text(solved_before + '{"at": 0, "sco')  # a line cut off by the kill
    assert command.run(*LONG, "-o", str(killed)).returncode == 0
    assert not progress.exists()
    for one, other in zip(Book.load(whole).scores, Book.load(killed).scores, strict=True):
        assert np.array_equal(one, other)


def test_resuming_solves_nothing_twice(tmp_path: Path) -> None:
    path = tmp_path / "book.npz"
    making = Build(game(SMALL), 6, path)
    with ThreadPoolExecutor(1) as pool:
        for number, _ in enumerate(making.run(pool, 1)):
            if number == 3:
                break
    again = Build(game(SMALL), 6, path)
    assert 0 < again.solved < again.total
    left = again.total - again.solved
    with ThreadPoolExecutor(1) as pool:
        chunks = list(again.run(pool, 1))
    assert chunks[-1] == again.total
    assert len(chunks) <= left // 32 + 1


def test_progress_of_another_book_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "book.npz"
    Build(game(SMALL), 4, path)
    with pytest.raises(StorageError, match="belongs to another book"):
        Build(game(SMALL), 5, path)


def half_made(path: Path) -> Build:
    making = Build(game(SMALL), 6, path)
    with ThreadPoolExecutor(1) as pool:
        for number, _ in enumerate(making.run(pool, 1)):
            if number == 3:
                break
    return making


@pytest.mark.parametrize("length", [1, 40, -1])
def test_progress_that_was_cut_off_before_it_held_anything_begins_anew(
    tmp_path: Path, length: int
) -> None:
    """A full disk took a part of its first line."""
    making = Build(game(SMALL), 6, tmp_path / "book.npz")
    whole = making.progress_path.read_text()
    making.progress_path.write_text(whole[:length])
    assert Build(game(SMALL), 6, tmp_path / "book.npz").solved == 0
    assert making.progress_path.read_text() == whole


def test_progress_that_is_replaced_meanwhile_is_not_written_into(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Scores are known by their place alone: they would be believed of another board."""
    making = Build(game(SMALL), 6, tmp_path / "book.npz")
    other = Build(game("connect:columns=4,rows=5,k=4"), 6, tmp_path / "other.npz").progress_path
    before = other.read_bytes()
    with ThreadPoolExecutor(1) as pool, caplog.at_level(logging.WARNING):
        at_work = making.run(pool, 1)
        next(at_work)
        other.rename(making.progress_path)
        *_, last = at_work
    assert last == making.total
    assert caplog.text.count("was deleted, moved or replaced") == 1
    assert making.finish().plies == 6
    assert making.progress_path.read_bytes() == before


def test_damaged_progress_is_never_believed(tmp_path: Path) -> None:
    """Change one bit in every place of it that a hundred draws hit."""
    made = half_made(tmp_path / "book.npz")
    path = made.progress_path
    whole = path.read_bytes()
    dice = np.random.default_rng(7)
    outcomes = set()
    for place in dice.integers(len(whole) * 8, size=100).tolist():
        changed = bytearray(whole)
        changed[place // 8] ^= 1 << (place % 8)
        path.write_bytes(changed)
        try:
            again = Build(game(SMALL), 6, tmp_path / "book.npz")
        except StorageError as error:
            outcomes.add("refused" if str(path) in str(error) else str(error))
            continue
        known = again.scores != UNSOLVED
        assert np.array_equal(again.scores[known], made.scores[known])
        assert known.sum() <= made.solved
        outcomes.add("repaired")
    assert outcomes == {"refused", "repaired"}


def test_a_full_disk_under_the_progress_stops_no_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Half a line fits, then nothing for a while; the build ends, and a next one would go on."""
    making = Build(game(SMALL), 6, tmp_path / "book.npz")
    original = Path.open
    writes = iter(range(1000))

    def full(self: Path, mode: str = "r", **options: object) -> object:
        if self == making.progress_path and next(writes) in (1, 2):
            with original(self, "a") as file:
                file.write('{"at": 0, "sco')
            raise OSError(errno.ENOSPC, "No space left on device")
        return original(self, mode, **options)

    monkeypatch.setattr(Path, "open", full)
    with ThreadPoolExecutor(1) as pool, caplog.at_level(logging.WARNING):
        *_, last = making.run(pool, 1)
    assert last == making.total
    assert caplog.text.count("No space left on device; going on") == 1
    again = Build(game(SMALL), 6, tmp_path / "book.npz")
    assert making.total > again.solved >= making.total - 64
    known = again.scores != UNSOLVED
    assert np.array_equal(again.scores[known], making.scores[known])


@pytest.mark.parametrize("plies", [99, 2**63, 20])
def test_a_book_that_nobody_could_hold_is_refused_before_it_is_listed(plies: int) -> None:
    with pytest.raises(StorageError, match=f"no book of {plies} plies for connect4"):
        shelves(game("connect4"), plies, most=10_000)


def test_a_build_lists_no_more_than_fits_into_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = game("connect4")
    most = shelves.__defaults__[0]  # type: ignore[index]
    assert most * 2 * 8 * rules.move_count < 2 << 30  # two numbers for each board that follows
    monkeypatch.setattr(shelves, "__defaults__", (10_000, NO_LIMIT))
    with pytest.raises(StorageError, match="no book of 12 plies for connect4: already 7 plies"):
        Build(rules, 12, tmp_path / "book.npz")
    assert list(tmp_path.iterdir()) == []


def test_a_book_whose_header_lies_about_its_size_is_refused(tmp_path: Path) -> None:
    for plies in (12, 10**12, -1, "many", None):
        header = {"game": "connect4", "plies": plies}
        save_arrays(tmp_path / "lie.npz", "book", 1, header, {"scores": np.zeros(5, np.int8)})
        with pytest.raises(StorageError, match=r"lie.npz is damaged: (no book|'str'|'NoneType')"):
            Book.load(tmp_path / "lie.npz")


def test_the_shipped_book_is_the_truth_where_it_is_solved_anew() -> None:
    book = shipped_book(game("connect4"))
    assert book is not None
    assert book.plies >= 8
    assert [int(scores.max()) for scores in book.scores[:1]] == [1]
    rng = np.random.default_rng(4)
    solver = Solver(game("connect4"))
    for ply in (8, 8, 8, 8, 8, 7, 6):
        shelf = book.shelves[ply]
        chosen = rng.choice(len(shelf.keys), 4)
        job = solver.solve_arrays(shelf.movers[chosen], shelf.occupied[chosen])
        assert np.array_equal(job.low, book.scores[ply][chosen])


@pytest.mark.parametrize("size", SHIPPED_SIZES)
def test_a_small_book_that_ships_agrees_with_what_is_known_of_its_board(size: Size) -> None:
    rules = game("connect:columns={},rows={},k=4".format(*size))
    book = shipped_book(rules)
    assert book is not None
    assert sign(int(book.scores[0][0])) == RECOMPUTED[size][0]
    solver = Solver(rules, book=book)
    found = dict(solver.moves(rules.start()))
    assert {bounds.source for bounds in found.values()} == {"book"}
    assert max(bounds.low for bounds in found.values()) == book.scores[0][0]


@pytest.mark.parametrize("size", [(6, 6), (5, 8)])
def test_a_small_book_that_ships_is_the_truth_where_it_is_solved_anew(size: Size) -> None:
    book = shipped_book(game("connect:columns={},rows={},k=4".format(*size)))
    assert book is not None
    shelf = book.shelves[-1]
    job = Solver(book.rules).solve_arrays(shelf.movers[::4], shelf.occupied[::4])
    assert np.array_equal(job.low, book.scores[-1][::4])


def test_a_book_can_be_copied_and_loaded_from_anywhere(tmp_path: Path) -> None:
    build(tmp_path / "book.npz")
    shutil.copy(tmp_path / "book.npz", tmp_path / "copy.npz")
    assert Book.load(tmp_path / "copy.npz").plies == 5


def test_two_builds_of_one_file_at_once_are_refused(tmp_path: Path) -> None:
    """The second says so and spoils nothing; begun again afterwards it goes on."""
    path = tmp_path / "book.npz"
    with ThreadPoolExecutor(1) as pool:
        first = Build(game(SMALL), 6, path)
        at_work = first.run(pool, 1)
        next(at_work)
        second = Build(game(SMALL), 6, path)
        with pytest.raises(StorageError, match=r"another program is at work in .*progress"):
            next(second.run(pool, 1))
        *_, last = at_work
        assert last == first.total
        assert Build(game(SMALL), 6, path).solved == first.total


def test_progress_that_fits_no_book_is_solved_again(tmp_path: Path) -> None:
    """Lines of a program that is not fourlab, with checksums that are right."""
    path = tmp_path / "book.npz"
    making = Build(game(SMALL), 6, path)
    with making.progress_path.open("a") as file:
        for at in (-1, making.total, 2**70, 0.0, True, "0", None):
            file.write(json.dumps(seal({"at": at, "scores": [1]})) + "\n")
        for scores in ([1] * (making.total + 1), [99], [2**70], [0.5], ["1"], "1", None, {}):
            file.write(json.dumps(seal({"at": 0, "scores": scores})) + "\n")
        file.write(json.dumps(seal({})) + "\n" + json.dumps(seal(making._header)) + "\n")
    assert Build(game(SMALL), 6, path).solved == 0


def test_a_book_is_built_into_a_folder_that_is_made(tmp_path: Path) -> None:
    path = tmp_path / "absent" / "deep" / "book.npz"
    done = command.run("book", "build", "--game", SMALL, "--plies", "3", "-o", str(path))
    assert done.returncode == 0, done.stderr
    assert Book.load(path).plies == 3
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("place", ["file/book.npz", "folder", "x" * 300, ""])
def test_a_book_that_cannot_be_written_is_told_in_a_line(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    words = ("book", "build", "--game", SMALL, "--plies", "1", "-o", place)
    done = command.run(*words, folder=tmp_path)
    assert done.returncode == 2
    assert "cannot write" in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(tmp_path.iterdir()) == [tmp_path / "file", tmp_path / "folder"]
