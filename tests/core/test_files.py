"""What never ends, or is far too long, is refused at once by everything that reads files."""

import os
import pwd
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fourlab.arena.certify.certificate import Certificate
from fourlab.core import own
from fourlab.core.errors import FourlabError
from fourlab.core.files import LONGEST_LINE, MOST_TEXT, at_once, contents, user_folder
from fourlab.core.held import alone
from fourlab.core.storage import check_place, load_arrays, peek
from fourlab.learning.run_files import RunConfig, read_metrics
from fourlab.positions.suites import read_positions
from fourlab.rules.catalog import game
from fourlab.rules.game_files import pgn, read_games
from fourlab.rules.record import GameRecord
from fourlab.search.bookmaking import Build
from fourlab.studies.archive import read_json
from fourlab.values.weights import load_weights
from fourlab.web.keep.item import read_item

RULES = game("tictactoe")
READERS: dict[str, Callable[[Path], Any]] = {
    "games.pgn": read_games,
    "games.jsonl": read_games,
    "positions.txt": lambda path: read_positions(RULES, path),
    "values.npz": lambda path: load_arrays(path, "values", 1),
    "header.npz": peek,
    "header.safetensors": peek,
    "weights.safetensors": lambda path: load_weights(path, "network", 1),
    "certificate.json": Certificate.load,
    "mine.py": lambda path: own.parcel(str(path)),
    "config.json": lambda path: RunConfig.load(path.parent),
    "item.json": lambda path: read_item(path.parent),
    "study.json": read_json,
    "book.npz.progress": lambda path: Build(RULES, 2, path.with_suffix("")),
}


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _zeros(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 32)  # takes no room on the disk


@pytest.mark.parametrize("make", [_pipe, _device, _zeros])
@pytest.mark.parametrize("name", READERS)
def test_what_does_not_end_is_refused_in_one_line(
    tmp_path: Path, name: str, make: Callable[[Path], None]
) -> None:
    make(tmp_path / name)
    with pytest.raises(FourlabError, match=rf"^[^\n]*{name}[^\n]*$"):
        READERS[name](tmp_path / name)


def test_metrics_that_do_not_end_are_none(tmp_path: Path) -> None:
    _pipe(tmp_path / "metrics.jsonl")
    assert read_metrics(tmp_path) == []


def test_nobody_waits_for_the_other_end_of_a_pipe(tmp_path: Path) -> None:
    _pipe(tmp_path / "pipe")
    with pytest.raises(FourlabError, match="cannot write"):
        check_place(tmp_path / "pipe")
    with alone(tmp_path / "pipe"):
        pass


def test_long_files_are_read_by_lines(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    with path.open("wb") as file:
        file.write(b"\r\n" * 3)
        file.truncate(MOST_TEXT + 1)
    with pytest.raises(OSError, match="longer than"):
        contents(path)
    with pytest.raises(FourlabError, match=f"a line is longer than {LONGEST_LINE:,} bytes"):
        read_games(path)


@pytest.mark.parametrize("name", ["positions.txt", "games.jsonl", "games.pgn"])
def test_a_byte_order_mark_is_no_part_of_a_text(tmp_path: Path, name: str) -> None:
    record = GameRecord("tictactoe", "one", "two", 0, "15", "in progress")
    texts = {"positions.txt": "15\n", "games.jsonl": record.to_line(), "games.pgn": pgn(record)}
    plain, marked = tmp_path / name, tmp_path / f"marked-{name}"
    plain.write_text(texts[name], encoding="utf-8")
    marked.write_text(texts[name], encoding="utf-8-sig")
    assert READERS[name](marked) == READERS[name](plain) != []


def test_what_is_written_is_no_program(tmp_path: Path) -> None:
    with open(tmp_path / "kept", "ab", opener=at_once):
        pass
    assert not (tmp_path / "kept").stat().st_mode & 0o111


def test_who_has_no_home_has_folders_that_are_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container in which the number of the user has no name."""

    def nobody(_: int) -> None:
        raise KeyError

    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert user_folder("XDG_CACHE_HOME", "~/.cache").is_absolute()
    monkeypatch.setattr(pwd, "getpwuid", nobody)
    assert user_folder("XDG_CACHE_HOME", "~/.cache") == Path("/nonexistent/.cache")
    monkeypatch.setenv("XDG_CACHE_HOME", "somewhere")  # wherever one is: none, by the standard
    assert user_folder("XDG_CACHE_HOME", "~/.cache") == Path("/nonexistent/.cache")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert user_folder("XDG_CACHE_HOME", "~/.cache") == Path("/somewhere")
    with pytest.raises(FourlabError, match=r"there is no file ~nobody-at-all/mine.py"):
        own.parcel("~nobody-at-all/mine.py")
