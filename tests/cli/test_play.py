"""A person at a real terminal: pexpect types, the tests read the screen."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pexpect
import pytest

import command
from fourlab.agents.apart import apart
from fourlab.cli.play import TerminalGame
from fourlab.rules.record import GameRecord, load_games

FOURLAB = [sys.executable, "-m", "fourlab.cli.main"]
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
PATIENCE = 60  # an upper bound for compiling on a slow machine, not a measurement


class Terminal:
    """A `fourlab play` in a pseudo-terminal."""

    def __init__(self, *arguments: str) -> None:
        environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"}
        environment.pop("NO_COLOR", None)
        self.child = pexpect.spawn(
            FOURLAB[0],
            [*FOURLAB[1:], "play", *arguments],
            env=environment,
            encoding="utf-8",
            timeout=PATIENCE,
            dimensions=(50, 100),
        )

    def type(self, *lines: str) -> None:
        for line in lines:
            self.child.expect("to move .*: ")
            self.child.sendline(line)

    def until(self, text: str) -> str:
        """Wait for text; return everything that was shown before it."""
        self.child.expect(re.escape(text))
        return str(self.child.before)

    def end(self) -> int:
        self.child.expect(pexpect.EOF)
        self.child.close()
        assert "Traceback" not in str(self.child.before)
        return int(self.child.exitstatus)


@pytest.fixture
def opened() -> Iterator[list[Terminal]]:
    terminals: list[Terminal] = []
    yield terminals
    for terminal in terminals:
        terminal.child.close(force=True)


@pytest.fixture
def play(opened: list[Terminal]):
    def start(*arguments: str) -> Terminal:
        opened.append(Terminal(*arguments))
        return opened[-1]

    return start


def test_a_game_is_won_and_the_line_is_marked(play) -> None:
    terminal = play("--second", "human")
    terminal.type(*"1212121")
    shown = terminal.until("● (first player) wins after 7 moves.")
    last_board = COLOUR.sub("", shown)[-300:]
    assert last_board.count("[●]") == 4
    assert "\x1b[" in shown
    terminal.until("moves: 1212121")
    assert terminal.end() == 0


def test_a_game_is_drawn(play) -> None:
    terminal = play("--second", "human", "--game", "tictactoe")
    terminal.type(*"123547698")
    terminal.until("Draw after 9 moves.")
    assert terminal.end() == 0


def test_moves_are_taken_back(play) -> None:
    terminal = play("--second", "human")
    terminal.type("4", "4", "undo", "5", "quit")
    terminal.until("Stopped after 2 moves.")
    terminal.until("moves: 45")
    assert terminal.end() == 0


def test_undo_goes_back_past_the_answer_of_an_agent(play) -> None:
    terminal = play("--seed", "1")
    terminal.type("undo")
    terminal.until("nothing to take back")
    terminal.type("4", "undo", "quit")
    terminal.until("moves: (none)")
    assert terminal.end() == 0


def test_bad_input_is_answered_and_the_game_goes_on(play) -> None:
    terminal = play("--second", "human", "--moves", "444444")
    terminal.type("4")
    terminal.until("column 4 is full in connect4 '444444'; open: 1 2 3 5 6 7")
    terminal.type("9")
    terminal.until("is no column of connect4; write 1 to 7")
    terminal.type("12")
    terminal.until("one move at a time")
    terminal.type("", "q")
    terminal.until("Stopped after 6 moves.")
    assert terminal.end() == 0


def test_hints_name_the_best_move(play) -> None:
    terminal = play("--second", "human", "--moves", "121212")
    terminal.type("hint")
    terminal.until("column 1: Win in 1")
    terminal.type("3", "h")
    terminal.until("column 2: Win in 1")
    terminal.type("q")
    assert terminal.end() == 0
    terminal = play("--second", "human", "--game", "tictactoe")
    terminal.type("hint")
    terminal.until("any cell: Draw")
    terminal.type("q")
    assert terminal.end() == 0


@pytest.mark.parametrize("key", ["\x03", "\x04"], ids=["ctrl-c", "ctrl-d"])
def test_leaving_by_a_key_is_no_accident(play, key: str) -> None:
    terminal = play()
    terminal.child.expect("to move .*: ")
    terminal.child.send(key)
    terminal.until("Stopped after 0 moves.")
    assert terminal.end() == 0


def run(*arguments: str, **environment: str) -> CompletedProcess[str]:
    return command.run(*arguments, **environment)


def test_a_game_is_kept_in_the_record_of_the_arena(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    options = ("--first", "minimax:depth=2", "--second", "random", "--delay", "0", "--seed", "3")
    done = run("play", *options, "--game", "tictactoe", "--record", str(path))
    assert f"kept as 1.0 in {path}" in done.stdout
    shown = run("games", "1.0", "--record", str(path), "--json")
    entry = json.loads(shown.stdout)
    assert (entry["first"], entry["second"], entry["seed"]) == ("minimax:depth=2", "random", 3)
    assert len(entry["decisions"]) == len(entry["move_seconds"]) == len(entry["moves"])


WATCHED = ["--first", "random", "--second", "random", "--delay", "0", "--game", "tictactoe"]


def test_two_agents_are_watched_and_the_game_is_saved(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    options = ["--first", "random", "--second", "baseline", "--delay", "0", "--seed", "5"]
    done = run("play", *options, "--game", "mnk:columns=4,rows=4,k=3", "--save", str(path))
    assert done.returncode == 0
    [record] = load_games(path)
    assert record.position().is_over
    assert f"moves: {record.moves}" in done.stdout
    again = run("play", *options, "--game", "mnk:columns=4,rows=4,k=3")
    assert again.stdout == done.stdout


@pytest.mark.parametrize("option", ["--save", "--record"])
@pytest.mark.parametrize("leads_to", ["/dev/full", "circle", "missing/games"])
def test_a_place_that_takes_no_game_is_refused_before_it_begins(
    tmp_path: Path, leads_to: str, option: str
) -> None:
    (tmp_path / "circle").symlink_to(leads_to)
    done = run("play", *WATCHED, option, str(tmp_path / "circle"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("fourlab: cannot write ")


@pytest.mark.parametrize("option", ["--save", "--record"])
def test_a_game_that_cannot_be_kept_in_the_end_is_printed(
    tmp_path: Path, option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def played(self: TerminalGame) -> None:
        whole(self)
        place.mkdir()  # meanwhile, by somebody else

    place, whole = tmp_path / "games", TerminalGame.run
    monkeypatch.setattr(TerminalGame, "run", played)
    done = run("play", *WATCHED, option, str(place))
    assert done.returncode == 2
    assert GameRecord.from_line(done.stdout.splitlines()[-1]).position().is_over
    assert len(done.stderr.splitlines()) == 1
    assert "the game is the line above" in done.stderr


@pytest.mark.parametrize("environment", [{}, {"NO_COLOR": "1"}])
def test_piped_output_is_plain(environment: dict[str, str]) -> None:
    done = run("play", "--first", "random", "--second", "random", "--delay", "0", **environment)
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert done.stdout.isascii()


def test_end_of_input_ends_the_game_quietly() -> None:
    done = run("play")
    assert done.returncode == 0
    assert "Stopped after 0 moves." in done.stdout
    assert "Traceback" not in done.stderr


CERTIFY = "certify perfect:ties=first --game connect:columns=4,rows=3,k=3 --workers 2"


@pytest.mark.parametrize(
    ("closed", "line"), [("<&-", "play"), ("<&-", "engine random"), (">&-", CERTIFY)]
)
def test_a_program_without_a_standard_stream_is_no_accident(
    tmp_path: Path, closed: str, line: str
) -> None:
    """What it opens next would take the number of the stream, and be written over."""
    said = tmp_path / "said"
    with said.open("w") as errors:  # into a pipe some of it goes well
        done = subprocess.run(
            ["sh", "-c", f'exec "$@" {closed}', "", sys.executable, "-m", "fourlab", *line.split()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            timeout=PATIENCE,
        )
    assert done.returncode == 0, said.read_text()
    assert "Traceback" not in said.read_text()


@pytest.mark.parametrize("command", [["--version"], ["engine", "random"]])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_an_output_that_takes_nothing_is_named_once(unbuffered: str, command: list[str]) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no such device here")
    with full.open("w") as output:
        done = subprocess.run(
            [*FOURLAB, *command],
            input="ugi\n",
            stdout=output,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            text=True,
            timeout=PATIENCE,
        )
    assert done.stderr == "fourlab: standard output: No space left on device\n"
    assert done.returncode == 2


def test_a_current_folder_that_is_gone_is_said(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    done = subprocess.run(
        ["sh", "-c", 'rmdir "$PWD" && exec "$@"', "", *FOURLAB, "check", "x.py"],
        cwd=gone,
        env={**os.environ, "PWD": str(gone)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "fourlab: the current folder is gone; change to one that is there\n"


@pytest.mark.parametrize(
    ("encoding", "ending", "line"),
    [
        ("ascii", b"1", "train q --game tictactoe --games 20 --seed 1 -o"),
        ("utf-8", b"\xff", "play --first random --second random --delay 0 --record"),
    ],
)
def test_letters_that_the_output_has_not_are_no_accident(
    tmp_path: Path, encoding: str, ending: bytes, line: str
) -> None:
    """Neither the signs of a table nor bytes of a path that are no text."""
    name = os.fsencode(tmp_path / "caf\u00e9 ") + ending
    done = subprocess.run(
        [sys.executable, "-m", "fourlab", *line.split(), name],
        capture_output=True,
        timeout=PATIENCE,
        env={**os.environ, "PYTHONIOENCODING": encoding},
    )
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False), done.stderr
    assert b"caf" in done.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["play", "--game", "chess"], "unknown game 'chess'; known: connect4"),
        (["play", "--game", "connect:columns=9,rows=9"], "the board is too large"),
        (["play", "--second", "magic"], "unknown agent 'magic'"),
        (["play", "--moves", "48"], "'8' in '48' is no column of connect4"),
        (["play", "--moves", "4444444"], "column 4 is full"),
        (["play", "--delay", "1"], "where a person plays nobody waits; leave out --delay"),
    ],
)
def test_bad_arguments_are_one_line_and_exit_code_2(arguments: list[str], says: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert len([line for line in done.stderr.splitlines() if not line.startswith("compiling")]) == 1


def test_an_agent_that_hangs_ends_the_game_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "stuck.py").write_text("def choose(position, rng):\n    while True: pass\n")
    monkeypatch.setattr(apart, "__defaults__", (1.0,))
    done = run("play", "--first", str(tmp_path / "stuck.py"), "--second", "random")
    assert done.returncode == 2
    assert re.search(r"stuck.py\S+: no move within 1 s.*; in connect4 ''$", done.stderr.rstrip())


def test_agents_are_listed() -> None:
    shown = run("agents").stdout
    listed = json.loads(run("agents", "--json").stdout)
    for entry in listed:
        assert entry["name"] in shown
        assert {"name", "summary", "options"} == set(entry)
    assert [entry["name"] for entry in listed][:2] == ["random", "baseline"]


def test_bench_reports_its_figures() -> None:
    figures = json.loads(run("bench", "--json", "--seconds", "0.05").stdout)
    assert figures["playouts_per_s"] > 0
    assert {"python", "numba", "cpu"} <= set(figures)


def test_help_and_version_do_not_load_numba() -> None:
    program = "import sys; import fourlab.cli.main; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
    assert run("--version").stdout.startswith("fourlab ")
    assert run("--help").returncode == 0


def test_agents_show_what_they_think() -> None:
    def shown(*arguments: str) -> str:
        options = ("--second", "minimax", "--delay", "0", "--seed", "1")
        return run("play", *options, *arguments).stdout

    thinking = shown("--first", "mcts:sims=50,c=1", "--moves", "112233", "--show-thinking")
    assert "+1.00" in thinking  # the winning move of the search
    assert "expects 4" in thinking
    assert "expects" not in shown("--first", "mcts:sims=50,c=1", "--moves", "112233")
    assert "looked at 0" in shown("--first", "mcts:sims=0", "--moves", "1", "--show-thinking")


def test_an_agent_that_cannot_get_ready_is_told_of_in_one_line(tmp_path: Path) -> None:
    """Agents get ready beside the game: what fails there fails again when they have to move."""
    ended = tmp_path / "ended"
    ended.write_text("#!/bin/sh\nexit 3\n")
    ended.chmod(0o755)
    words = (*FOURLAB, "play", "--first", f"engine:{ended}", "--second", "random")
    done = subprocess.run([*words, "--game", "tictactoe"], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == f"fourlab: engine:{ended}: its process ended with code 3\n"
