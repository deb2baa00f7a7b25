"""`fourlab analyze`, `grade`, `data` and `book` from the outside."""

import json
from pathlib import Path
from subprocess import CompletedProcess

import pytest

import command
from fourlab.cli.options import print_json

FAMOUS = "4445423633442655"


def run(*arguments: str) -> CompletedProcess[str]:
    return command.run(*arguments, COLUMNS="100")


def test_the_json_of_an_analysis() -> None:
    answer = json.loads(run("analyze", FAMOUS, "--json").stdout)
    assert set(answer) == {
        "game",
        "moves",
        "scores",
        "best",
        "value",
        "outcome",
        "nodes",
        "seconds",
        "source",
    }
    assert answer["game"] == "connect4"
    assert answer["moves"] == FAMOUS
    assert answer["scores"] == [-1, -13, 0, None, 5, 3, -2]
    assert answer["best"] == [5]
    assert answer["value"] == 5
    assert answer["outcome"] == "win"
    assert answer["source"] == "search"
    assert answer["nodes"] > 0


def test_positions_of_the_book_cost_nothing() -> None:
    answer = json.loads(run("analyze", "--json").stdout)
    assert answer["scores"] == [-2, -1, 0, 1, 0, -1, -2]
    assert answer["source"] == "book"
    assert answer["nodes"] == 0


def test_what_needs_no_search_is_not_always_from_a_book() -> None:
    small = ["analyze", "--no-book", "--game", "connect:columns=2,rows=2,k=2"]
    over = ["analyze", "--no-book", "1212121"]
    for args in (small, over):
        answer = json.loads(run(*args, "--json").stdout)
        assert (answer["source"], answer["nodes"]) == ("search", 0)
        assert "book" not in run(*args).stdout


def test_the_picture_has_a_chip_above_each_column() -> None:
    shown = run("analyze", FAMOUS).stdout
    assert shown.isascii()
    words, details = (line.split() for line in shown.splitlines()[:2])
    assert words == ["Loss", "Loss", "Draw", "Win", "Win", "Loss"]
    assert details == ["in", "13", "in", "1", "in", "9", "in", "11", "in", "12"]
    assert "First player to move: Win in 9 (score +5)" in shown
    assert "best: column 5" in shown
    assert "line: 5" in shown


def test_games_without_gravity_show_scores_in_the_cells() -> None:
    shown = run("analyze", "12", "--game", "tictactoe").stdout
    assert "Win 3" in shown
    assert "best: cell 4, 5, 7" in shown


def test_finished_games_are_analysed_too() -> None:
    answer = json.loads(run("analyze", "1212121", "--json").stdout)
    assert answer["scores"] == [None] * 7
    assert answer["best"] == []
    assert answer["value"] == -18
    assert answer["outcome"] == "loss"
    assert "wins after 7 moves" in run("analyze", "1212121").stdout


@pytest.mark.parametrize("text", ["", "1212121\n"])
def test_a_file_without_positions_is_nothing_to_grade_on(tmp_path: Path, text: str) -> None:
    (tmp_path / "mine.txt").write_text(text)
    file = str(tmp_path / "mine.txt")
    train = ("train", "q", "--games", "9", "--out", str(tmp_path / "run"), "--truth", file)
    for words in (("grade", "random", "--positions", file), train):
        done = run(*words)
        assert done.returncode == 2
        assert f"{file} holds no position" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_out_of_time_the_bounds_are_honest() -> None:
    options = ["--no-book", "--seconds", "0.01", "--json"]
    answer = json.loads(run("analyze", *options).stdout)
    assert answer["value"] is None
    assert answer["outcome"] is None
    truth = [-2, -1, 0, 1, 0, -1, -2]
    for column, (low, high) in answer["bounds"].items():
        assert low <= truth[int(column) - 1] <= high
    assert "not solved in the time given" in run("analyze", *options[:-1]).stdout


def test_the_value_of_an_empty_board_is_told_at_once() -> None:
    shown = run("analyze", "--game", "connect:columns=8,rows=6,k=4", "--seconds", "0.01").stdout
    assert "The empty board: the second player wins with perfect play" in shown
    assert "not solved in the time given" in shown


def test_a_file_of_positions_gives_a_line_each(tmp_path: Path) -> None:
    path = tmp_path / "positions.txt"
    path.write_text(f"empty\n4455\n{FAMOUS} 5\n1212121\n")
    lines = [json.loads(line) for line in run("analyze", "--file", str(path)).stdout.splitlines()]
    assert [line["moves"] for line in lines] == ["", "4455", FAMOUS, "1212121"]
    assert lines[2]["value"] == 5


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["analyze", "48"], "'8' in '48' is no column of connect4"),
        (["analyze", "--file", "no/such/file"], "cannot read no/such/file"),
        (["analyze", "--game", "chess"], "unknown game 'chess'"),
        (["analyze", "44", "--file", "no/such/file"], "'44': --file names the positions; leave"),
        (["grade", "magic"], "unknown agent 'magic'"),
        (["grade", "random", "--positions", "easy"], "no suite or file 'easy'; suites of connect4"),
        (["grade", "human"], "terminal only"),
        (["book", "build", "--game", "mnk:columns=6,rows=6,k=4"], "no book for mnk"),
        (["data", "uci", "-o", "/dev/null/x"], "cannot write"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments: list[str], says: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_a_bad_line_of_a_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "positions.txt"
    path.write_text("44\n4444444\n")
    done = run("analyze", "--file", str(path))
    assert done.returncode == 2
    assert "line 2: move 7: column 4 is full" in done.stderr
    assert done.stdout == ""


def test_the_json_of_a_grade() -> None:
    answer = json.loads(run("grade", "baseline", "--positions", "end", "--json").stdout)
    assert {"agent", "positions", "perfect", "good", "regret", "by_ply"} <= set(answer)
    assert answer["agent"] == "baseline"
    assert answer["positions"] == 1000
    assert 0 < answer["perfect"] <= answer["good"] < 1
    assert sum(entry["positions"] for entry in answer["by_ply"]) == 1000
    low, high = answer["good_interval"]
    assert low < answer["good"] < high
    again = json.loads(run("grade", "baseline", "--positions", "end", "--json").stdout)
    assert again == answer


def test_the_json_of_a_grade_on_one_position_is_json(tmp_path: Path) -> None:
    path = tmp_path / "positions.txt"
    path.write_text("5\n")
    done = run("grade", "perfect", "--game", "tictactoe", "--positions", str(path), "--json")
    answer = json.loads(done.stdout, parse_constant=pytest.fail)
    assert answer["regret_interval"] is answer["by_ply"][0]["regret_interval"] is None


def test_an_answer_that_is_no_json_is_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="not JSON"):
        print_json({"value": float("nan")})
    assert capsys.readouterr().out == ""


def test_a_grade_on_a_file_of_another_game(tmp_path: Path) -> None:
    path = tmp_path / "positions.txt"
    path.write_text("empty\n5\n51\n")
    done = run("grade", "perfect", "--game", "tictactoe", "--positions", str(path))
    assert done.returncode == 0
    assert "perfect on 3 positions" in done.stdout
    assert "100%" in done.stdout


def test_the_uci_data_set(tmp_path: Path) -> None:
    path = tmp_path / "connect-4.data"
    said = run("data", "uci", "-o", str(path)).stdout
    assert "67,557 rows (44,473 win, 16,635 loss, 6,449 draw)" in said
    rows = path.read_text().splitlines()
    assert len(set(rows)) == len(rows) == 67_557
    classes = [row.rsplit(",", 1)[1] for row in rows]
    assert [classes.count(name) for name in ("win", "loss", "draw")] == [44_473, 16_635, 6_449]
    cells = [row.rsplit(",", 1)[0].split(",") for row in rows]
    assert all(len(row) == 42 for row in cells)
    assert all((row.count("x"), row.count("o")) == (4, 4) for row in cells)


def test_only_data_is_written_over_by_data(tmp_path: Path) -> None:
    path = tmp_path / "notes"
    path.write_text("months of work")
    for words, what in (
        (["uci"], "UCI set"),
        (["suites", "--game", "tictactoe"], "file of suites"),
    ):
        done = run("data", *words, "-o", str(path))
        assert (done.returncode, path.read_text()) == (2, "months of work")
        assert f"notes is there, and no {what}; name another file" in done.stderr
    path.write_text(",".join("b" * 42) + ",draw\n")
    assert run("data", "uci", "-o", str(path)).returncode == 0
    for _ in range(2):
        made = str(tmp_path / "suites.npz")
        assert run("data", "suites", "--game", "tictactoe", "-o", made).returncode == 0
    refused = run("data", "suites", "--game", "connect:columns=4,rows=4,k=4", "-o", made)
    assert refused.returncode == 2
    assert "not suites of connect:columns=4,rows=4,k=4; name another file" in refused.stderr


def test_a_book_is_built(tmp_path: Path) -> None:
    path = tmp_path / "small.npz"
    game = ["--game", "connect:columns=4,rows=4,k=4", "--plies", "4"]
    done = run("book", "build", *game, "-o", str(path))
    assert done.returncode == 0
    assert "119 positions" in done.stdout
    assert path.exists()
