"""The text protocol of OpenSpiel's example server."""

from pathlib import Path

import pytest

from fourlab.adapters.gtp import GtpServer
from fourlab.adapters.serving import serve
from fourlab.rules.catalog import game


def answers(*lines: str, spec: str = "random", board: str = "connect4") -> list[str]:
    said: list[str] = []
    serve(GtpServer(spec, game(board), said.append), lines, lambda: None)
    assert all(answer.endswith("\n") for answer in said)  # and another where lines are written
    return [answer.removesuffix("\n") for answer in said]


def test_moves_are_spelled_as_openspiel_spells_them() -> None:
    falling = ("play x x3", "play o o3", "legal_actions", "history", "current_player")
    assert answers(*falling)[:5] == ["=", "=", "= x0 x1 x2 x3 x4 x5 x6", "= 3, 3", "= 0"]
    placed = ("game tic_tac_toe", "play x x(0,2)", "play o o(1,1)", "legal_actions")
    assert answers(*placed)[:4] == [
        "= tic_tac_toe", "=", "=", "= x(0,0) x(0,1) x(1,0) x(1,2) x(2,0) x(2,1) x(2,2)",
    ]  # fmt: skip


def test_a_game_can_be_played_and_taken_back() -> None:
    win = [f"play {move[0]} {move}" for move in ("x0", "o1", "x0", "o1", "x0", "o1")]
    said = answers(*win, "genmove x", "is_terminal", "returns", "genmove o", "undo 2", "history",
                   spec="baseline")  # fmt: skip
    assert said[6:9] == ["= x0", "= true", "= 1 -1"]
    assert said[9].startswith("? the game is over")
    assert said[10:12] == ["=", "= 0, 1, 0, 1, 0"]


def test_sides_go_by_the_colours_of_go_too() -> None:
    assert answers("play b x3", "play White o3", "genmove black")[:2] == ["=", "="]
    assert answers("play w x3")[0].startswith("? 'w' cannot move now; write x")


@pytest.mark.parametrize(
    "line",
    [
        *(
            "play x x9",
            "play y x3",
            "play o x3",
            "genmove o",
            "play x",
            "undo 1",
            "undo x",
            "undo ²",
            "undo " + "9" * 5000,
        ),
        *("game chess", "dance", "", "quit now"),
    ],
)
def test_what_cannot_be_done_is_refused_and_the_next_line_answered(line: str) -> None:
    said = answers(line, "name")
    assert said[0].startswith("? ")
    assert "\n" not in said[0]
    if not line.startswith("quit"):
        assert said[1] == "= fourlab random"


def test_arguments_are_told_from_errors_of_the_agent(tmp_path: Path) -> None:
    assert answers("play x3")[0] == "? write play colour move"
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    return len(position.ply)\n")
    said = answers("genmove", spec=str(tmp_path / "mine.py"))[0]
    assert said.startswith("? mine.py:2: TypeError: object of type 'int' has no len()")
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    raise SystemExit(3)\n")
    said, *_ = answers("genmove", spec=str(tmp_path / "mine.py"))
    assert said.startswith("? mine.py:2: SystemExit: 3")


def test_every_command_is_listed_and_known() -> None:
    listed = answers("list_commands")[0][2:].split()
    for name in ("game", "play", "genmove", "legal_actions", "undo", "showboard", "quit"):
        assert name in listed
    assert answers(*(f"known_command {name}" for name in listed))[:-1] == ["= true"] * len(listed)
    assert answers("known_command dance")[0] == "= false"


def test_the_board_counts_as_moves_do() -> None:
    board = answers("play x x0", "play o o6", "showboard")[2]
    assert board.endswith("\nx . . . . . o\n0 1 2 3 4 5 6")
    ten = answers("showboard", board="connect:columns=10,rows=4,k=4")[0]
    assert ten.endswith("\n0 1 2 3 4 5 6 7 8 9")
    cells = answers("play x x(0,2)", "showboard", board="tictactoe")[1]
    assert cells == "= \n. . x\n. . .\n. . ."
