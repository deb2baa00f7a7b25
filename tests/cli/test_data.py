"""`fourlab data`: sets of positions, and how far their making is."""

from pathlib import Path

import pytest
from rich.progress import Progress

import command
from fourlab.cli import console


def test_each_source_is_counted_against_its_own_total(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, bars = console.progress, list[Progress]()

    def progress(unit: str) -> Progress:
        bars.append(real(unit))
        return bars[-1]

    monkeypatch.setattr(console, "progress", progress)
    (tmp_path / "some.txt").write_text("1\n2\n11\n")
    (tmp_path / "more.txt").write_text("1\n12\n13\n")
    sources = ["--positions", "file:some.txt and file:more.txt"]
    board = ["--game", "connect:columns=4,rows=4,k=3"]
    done = command.run("data", "labels", *sources, *board, "-o", "here", folder=tmp_path)
    assert done.stdout == "here: 5 positions\n", done.stderr
    counts = {(task.description, task.total, task.completed) for task in bars[0].tasks}
    assert counts == {("ply 1", 2, 2), ("ply 1", 1, 1), ("ply 2", 1, 1), ("ply 2", 2, 2)}


@pytest.mark.parametrize("what", ["uci", "suites"])
def test_nothing_is_made_that_could_not_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    made: list[object] = []
    monkeypatch.setattr("fourlab.positions.uci.uci", lambda: made.append(1))
    monkeypatch.setattr("fourlab.positions.suites.make_suite", lambda *_: made.append(1))
    (tmp_path / "file").touch()
    done = command.run("data", what, "--out", "file/below", folder=tmp_path)
    assert (done.returncode, made) == (2, [])
    assert done.stderr.startswith("fourlab: cannot write file/below: ")
