"""`fourlab certify` from the outside."""

import json
from pathlib import Path
from subprocess import CompletedProcess

import pytest

import command
from fourlab.arena.certify.walk import Walk
from fourlab.core.held import alone
from fourlab.positions.suites import read_positions
from fourlab.rules.catalog import game

GOOD = ["minimax:ties=first", "--game", "tictactoe", "--side", "second"]
BAD = ["minimax:ties=first,depth=2", "--game", "tictactoe", "--side", "second"]


def run(folder: Path, *arguments: str) -> CompletedProcess[str]:
    return command.run("certify", *arguments, folder=folder)


def test_a_certificate_is_shown_written_and_repeated(tmp_path: Path) -> None:
    done = run(tmp_path, *GOOD, "--out", "o.json")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Proven as second player, weak\nIt never loses")
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    assert [path.name for path in tmp_path.iterdir()] == ["o.json"]
    again = run(tmp_path, "--check", "o.json", "--json")
    assert again.returncode == 0
    assert "repeated: the same positions, moves and results" in again.stderr
    one, two = json.loads((tmp_path / "o.json").read_text()), json.loads(again.stdout)
    assert one["certified"]
    assert [one[name] for name in ("digest", "by_ply")] == [
        two[name] for name in ("digest", "by_ply")
    ]
    other = run(tmp_path, BAD[0], "--check", "o.json")
    assert other.returncode == 1
    assert "not repeated: other certified, by_ply, refuted, refutations, digest" in other.stderr
    (tmp_path / "o.json").write_text((tmp_path / "o.json").read_text().replace("true", "false"))
    damaged = run(tmp_path, "--check", "o.json")
    assert damaged.returncode == 2
    assert "its checksum does not fit" in damaged.stderr


@pytest.mark.parametrize("option", ["--out", "--holes", "--moves"])
def test_an_agent_is_not_overwritten_by_what_is_found_of_it(tmp_path: Path, option: str) -> None:
    text = "def choose(position, rng):\n    return position.legal_moves()[0]\n"
    (tmp_path / "mine.py").write_text(text)
    done = run(tmp_path, "mine.py", "--game", "tictactoe", option, "mine.py")
    assert (done.returncode, (tmp_path / "mine.py").read_text()) == (2, text)
    assert done.stderr.startswith("fourlab: mine.py is what mine.py@")


def test_only_its_own_files_are_written_over(tmp_path: Path) -> None:
    other = "minimax:ties=first,depth=1"
    places = {"--out": "certificate", "--holes": "file of positions", "--moves": "file of moves"}
    for option, what in places.items():
        (tmp_path / "notes").write_text("months of work")
        done = run(tmp_path, *BAD, option, "notes")
        assert (done.returncode, (tmp_path / "notes").read_text()) == (2, "months of work")
        assert f"notes is there, and no {what}; name another file, or remove it" in done.stderr
        (tmp_path / "notes").write_text("")
        assert run(tmp_path, *BAD, option, "notes").returncode == 1
        written = (tmp_path / "notes").read_bytes()
        assert written
        if option != "--out":
            assert run(tmp_path, other, *BAD[1:], option, "notes").returncode == 1
            assert (tmp_path / "notes").read_bytes() != written


def test_empty_lines_are_written_over(tmp_path: Path) -> None:
    """They were the empty board, where a file of holes held nothing else."""
    for before in ("\n", "\n\n"):
        (tmp_path / "holes.txt").write_text(before)
        done = run(tmp_path, *BAD, "--holes", "holes.txt")
        assert done.returncode == 1, done.stderr
        assert len(read_positions(game("tictactoe"), tmp_path / "holes.txt")) == 9


def test_a_certificate_is_written_over_by_one_of_the_same_alone(tmp_path: Path) -> None:
    assert run(tmp_path, *BAD, "--out", "o.json").returncode == 1
    written = (tmp_path / "o.json").read_bytes()
    held = "o.json holds a certificate of minimax:depth=2,ties=first as second in tictactoe, not"
    first = [*BAD[:-1], "first"]
    for others in (["minimax:ties=first,depth=1", *BAD[1:]], first, [*BAD, "--start", "51"]):
        refused = run(tmp_path, *others, "--out", "o.json")
        assert (refused.returncode, (tmp_path / "o.json").read_bytes()) == (2, written)
        assert held in refused.stderr
        assert refused.stderr.endswith("; name another file, or remove it\n")
    assert run(tmp_path, *BAD, "--out", "o.json").returncode == 1


def test_a_certificate_of_an_edited_file_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    agent, asked = tmp_path / "mine.py", ["mine.py", *GOOD[1:], "--out", "o.json"]
    for chosen in ("[0]", "[-1]"):
        agent.write_text(
            "from fourlab.agents.base import Agent, Decision\n"
            "class Mine(Agent):\n"
            "    name = 'mine'\n"
            "    is_deterministic = True\n"
            "    def decide(self, position, rng, limit=None):\n"
            f"        return Decision(position.legal_moves(){chosen})\n"
        )
        done = run(tmp_path, *asked)
        assert done.returncode == 1, done.stderr


def test_a_refuted_agent_is_shown_how(tmp_path: Path) -> None:
    done = run(tmp_path, *BAD, "--holes", "holes.txt")
    assert done.returncode == 1
    assert done.stdout.startswith("Not proven as second player, weak\n12 ")
    assert "7561928  move 4: Draw became Loss in 2" in done.stdout
    assert "/analyse?game=tictactoe&moves=7561928" in done.stdout
    holes = read_positions(game("tictactoe"), tmp_path / "holes.txt")
    assert len(holes) == 9
    assert all(position.ply % 2 for position in holes)


def test_holes_are_read_back_with_the_empty_board(tmp_path: Path) -> None:
    board = "mnk:columns=4,rows=3,k=3"
    arguments = ("minimax:depth=1,ties=first", "--game", board, "--no-solver")
    assert run(tmp_path, *arguments, "--holes", "holes.txt").returncode == 1
    written = (tmp_path / "holes.txt").read_text().split("\n")
    assert (written[0], written[-1], "" in written[:-1]) == ("empty", "", False)
    holes = read_positions(game(board), tmp_path / "holes.txt")
    assert [position.notation or "empty" for position in holes] == written[:-1]


def test_what_cannot_be_done_is_said_in_one_line(tmp_path: Path) -> None:
    for arguments, said in (
        (["random", "--game", "tictactoe"], "random need not play the same twice"),
        ([], "name an agent"),
        ([*GOOD, "--resume"], "name it with --out"),
        ([*GOOD, "--start", "12345678912"], "move 8"),
        (
            ["--check", "none.json"],
            "no such file; with fourlab come own-first, small-first, taught-first, zero-first",
        ),
        (["--check", "taught-first", "--most", "4"], "more than 4 positions"),
        (["--check", "taught-first", "--side", "second"], "has side first, not second"),
        ([*GOOD, "--out", "x.json", "--moves", "x.json"], "x.json is named twice"),
        (["--check", "taught-first", "--out", "taught-first"], "taught-first is named twice"),
    ):
        done = run(tmp_path, *arguments)
        assert done.returncode == 2
        assert said in done.stderr
        lines = done.stderr.strip().splitlines()
        assert sum(not line.startswith("compiling") for line in lines) == 1


def test_a_usual_value_that_was_named_is_not_passed_over(tmp_path: Path) -> None:
    assert run(tmp_path, *BAD, "--side", "second", "--out", "o.json").returncode == 1
    for option, value, has in (("side", "first", "second"), ("game", "connect4", "tictactoe")):
        done = run(tmp_path, "--check", "o.json", f"--{option}", value)
        assert done.returncode == 2
        assert f"the certificate has {option} {has}, not {value}" in done.stderr


def test_what_could_not_be_written_or_is_at_work_is_said_before_the_walk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(tmp_path, *BAD, "--holes", "new/deep/holes.txt").returncode == 1
    assert (tmp_path / "new" / "deep" / "holes.txt").exists()
    monkeypatch.setattr(Walk, "run", lambda *_, **__: pytest.fail("it walks"))
    (tmp_path / "file").write_text("in the way")
    for option in ("--out", "--holes", "--moves"):
        done = run(tmp_path, *GOOD, option, "file/x")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("fourlab: cannot write file/x: ")
    (tmp_path / "o.json.walk").mkdir()
    with alone(tmp_path / "o.json.walk"):
        done = run(tmp_path, *GOOD, "--out", "o.json", "--resume")
    assert done.returncode == 2
    assert "another program is at work in o.json.walk" in done.stderr
