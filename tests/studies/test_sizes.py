import json
import resource
from dataclasses import replace
from pathlib import Path

import pytest

from fourlab.core.errors import FourlabError
from fourlab.core.limit import Limit
from fourlab.core.storage import StorageError
from fourlab.core.workers import Workers
from fourlab.search.sizes import PUBLISHED
from fourlab.studies.base import Results
from fourlab.studies.bench import Bench
from fourlab.studies.sizes import solving as sizes_solving
from fourlab.studies.sizes import study as sizes
from fourlab.studies.sizes.solving import Board, Notes, solve
from fourlab.studies.sizes.study import STUDY


@pytest.fixture(autouse=True)
def short_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pieces of small boards take more than one search."""
    monkeypatch.setattr(sizes_solving, "FIRST_NODES", 1 << 8)


@pytest.mark.parametrize("plies", [0, 1, 2, 3])
@pytest.mark.parametrize(("columns", "rows", "outcome"), [(4, 4, 0), (6, 4, -1), (4, 5, 0)])
def test_the_pieces_of_a_board_give_its_value(
    columns: int, rows: int, outcome: int, plies: int
) -> None:
    solved = solve(Board(columns, rows, plies))
    assert (solved.low, solved.high) == (outcome, outcome)


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    board = Board(6, 4, 2, notes=str(tmp_path / "notes"))
    part = solve(board, Limit(nodes=3000))
    assert (part.low, part.high) != (-1, -1)
    assert part.nodes >= 3000
    file = tmp_path / "notes"
    whole_lines = file.read_text()
    file.write_text(whole_lines + whole_lines.splitlines()[-1][:20])  # torn by a crash
    solved = solve(board)
    assert (solved.low, solved.high) == (-1, -1)
    lines = file.read_text().splitlines()
    kept = [json.loads(line) for line in lines if line.endswith("}")]
    assert len(kept) == len(lines) - 1
    assert file.read_text().startswith(whole_lines)
    again = solve(board)  # nothing is left to search
    assert (again.low, again.nodes) == (-1, solved.nodes)
    assert file.read_text().splitlines() == lines


def test_a_note_about_the_whole_board_is_enough(tmp_path: Path) -> None:
    file = tmp_path / "notes"
    solve(Board(6, 4, 0, notes=str(file)))
    before = file.read_text()
    solved = solve(Board(6, 4, 2, notes=str(file)))
    assert (solved.low, solved.high) == (-1, -1)
    assert file.read_text() == before


def test_a_note_that_was_damaged_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "notes"
    board = Board(4, 4, 1, notes=str(file))
    solve(board)
    known, lines = Notes(board).read(), file.read_bytes().splitlines()
    assert known
    for line in lines:
        for old, new in (
            (b'"low": ', b'"low": -'),
            (b'"moves"', b'"move\xff"'),
            (b"{", b"[" * 99999),
        ):
            assert old in line
            file.write_bytes(b"\n".join([*lines, line.replace(old, new)]))
            assert Notes(board).read() == known


def test_notes_that_cannot_be_written_are_named(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    try:
        with pytest.raises(StorageError, match=r"cannot write .*full/notes: "):
            solve(Board(4, 4, 1, notes=str(tmp_path / "full" / "notes")))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_notes_about_another_board_are_refused(tmp_path: Path) -> None:
    board = Board(4, 4, 1, notes=str(tmp_path / "notes"))
    solve(board)
    with pytest.raises(FourlabError, match="notes is about connect:columns=4,rows=4"):
        solve(replace(board, columns=5))


def bench(folder: Path, workers: Workers) -> Bench:
    return Bench(workers, folder, quick=True)


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Results:
    monkeypatch.setattr(sizes, "QUICK_NODES", 40_000)
    monkeypatch.setattr(sizes, "SPLIT_QUICKLY", ((6, 4),))
    monkeypatch.setattr(sizes, "BEYOND", ((3, 9),))
    with Workers(2) as workers:
        found = {one.name: one.run(bench(tmp_path, workers)) for one in STUDY.experiments}
    return Results(STUDY, found)


def test_solved_boards_confirm_the_claims(results: Results) -> None:
    assert {verdict.ruling for verdict in STUDY.judge(results)} == {"confirmed"}
    assert len(results["minutes"].rows) > 5
    for row in results["minutes"].rows:
        assert row["value"] in (-1, 0, 1)


def test_boards_that_the_table_leaves_open_are_solved(results: Results) -> None:
    assert [row["value"] for row in results["beyond"].rows] == [0]
    assert not set(sizes.BEYOND) & set(PUBLISHED)


def test_a_wrong_published_value_is_found(results: Results) -> None:
    printed = sizes.printed(list(PUBLISHED))
    wrong = replace(printed, rows={**printed.rows, "6 × 4": {"value": 1.0}})
    experiments = tuple(replace(one, published=wrong) for one in STUDY.experiments)
    study = replace(STUDY, experiments=experiments)
    verdict = study.judge(Results(study, dict(results)))[0]
    assert verdict.ruling == "refuted"
    assert "6 × 4" in verdict.evidence.says


def test_what_is_known_of_a_board_is_said() -> None:
    assert solve(Board(6, 4)).words == "second player"
    assert solve(Board(7, 5, 2), Limit(nodes=10)).words == "not known"
