"""Files of positions hold what their lines say, and nothing more."""

from pathlib import Path

import pytest

from fourlab.core.errors import FourlabError
from fourlab.positions.suites import position_lines, read_positions, suite
from fourlab.rules.catalog import game

RULES = game("tictactoe")


def read(path: Path, text: str) -> list[str]:
    path.write_text(text)
    return [position.notation for position in read_positions(RULES, path)]


def test_lines_without_anything_are_no_positions(tmp_path: Path) -> None:
    path = tmp_path / "positions.txt"
    assert read(path, "\n12\n\n  \n3 won\n\n") == ["12", "3"]
    assert read(path, "12\nempty\nempty 0\n") == ["12", "", ""]
    path.write_text("12\n\n")
    assert len(suite(RULES, str(path))) == 1  # that are graded


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "positions.txt"
    for moves in ([""], ["", "5", "519"]):
        path.write_bytes(position_lines(moves))
        assert [position.notation for position in read_positions(RULES, path)] == moves


def test_empty_lines_before_a_position_are_told_of_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Files of holes had one for the empty board."""
    path = tmp_path / "positions.txt"
    with caplog.at_level("INFO", "fourlab"):
        assert read(path, "empty\n12\n \n\n") == ["", "12"]
        assert caplog.messages == []
        assert read(path, "\n12\n") == read(path, "\n12\n") == ["12"]
        assert read(path, "\n12\n \n\n3\n\n") == ["12", "3"]
    said = "passed over; write empty for the empty board"
    assert caplog.messages == [f"{path}: 1 empty line {said}", f"{path}: 3 empty lines {said}"]


@pytest.mark.parametrize("text", ["", "\n", " \n\t\n"])
def test_a_file_without_a_position_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(FourlabError, match=r"holds no position; write a move string a line, empty"):
        read(tmp_path / "positions.txt", text)


def test_a_line_that_is_no_position_is_named(tmp_path: Path) -> None:
    with pytest.raises(FourlabError, match=r"positions.txt, line 3: move 2: .*5 is taken"):
        read(tmp_path / "positions.txt", "12\n\n55\n")
