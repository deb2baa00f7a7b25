"""Programs as agents: three languages, our own agents driven by us, and programs that misbehave."""

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from fourlab.agents import engine as engine_module
from fourlab.agents.check import Checks
from fourlab.agents.engine import EngineError
from fourlab.agents.registry import agent
from fourlab.arena.events import Event
from fourlab.arena.games import joined
from fourlab.arena.identity import checksum
from fourlab.arena.match import play
from fourlab.arena.pairing import Stretch
from fourlab.arena.records import Records
from fourlab.cli.main import app
from fourlab.core.errors import GeometryError, SpecError
from fourlab.core.limit import Limit
from fourlab.core.lines import KEPT_ERRORS
from fourlab.rules.catalog import game
from fourlab.rules.position import position_of
from fourlab.rules.record import GameRecord

SMALL = "connect:columns=5,rows=4,k=4"
FOURLAB = f"engine:{sys.executable},args=(-m fourlab.cli.main engine {{}})"
HEAD = """
import os, sys, time
for line in sys.stdin:
    word, *rest = line.split() or [""]
    if word in ("fourlab", "isready"):
        print({"fourlab": "option name depth type spin default 1\\nready"}.get(word, "readyok"))
    if word == "setoption":
        sys.stderr.write(line)
    if word == "position":
        moves = "".join(rest)
    if word == "go" and len(moves) == 1:
        print("bestmove 1")
    elif word == "go":
"""


def program(folder: Path, code: str) -> str:
    """Write an engine that does this when it is to move; return its spec."""
    file = folder / "odd.py"
    file.write_text(f"{HEAD}        {code}\n    sys.stdout.flush()\n")
    return f"engine:{file}"


def decide(spec: str, moves: str = "", limit: Limit | None = None, board: str = "connect4"):
    position = position_of(game(board), moves)
    player = agent(spec, board)
    return player.decide(position, np.random.default_rng(1), *([limit] if limit else []))


@pytest.mark.parametrize("language", ["python", "c", "js"])
def test_new_engines_are_sound(tmp_path: Path, language: str) -> None:
    file = tmp_path / f"mine.{language.replace('python', 'py')}"
    tool = {"python": sys.executable, "c": "cc", "js": "node"}[language]
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    made = CliRunner().invoke(app, ["new", "agent", str(file), "--engine", language])
    assert made.exit_code == 0, made.output
    if language == "c":
        command = ["cc", "-O2", "-Wall", "-Werror", "-o", str(tmp_path / "mine"), str(file)]
        subprocess.run(command, check=True)
        file = tmp_path / "mine"
    said: list[dict[str, object]] = []
    assert Checks(f"engine:{file}", 20.0, said.append, ("connect4", SMALL)).run(), said
    assert said[-1]["passed"] == "speed"
    assert checksum(agent(f"engine:{file}"))  # known by its contents too
    with pytest.raises(GeometryError, match="does not play tictactoe: I play on 7 columns"):
        agent(f"engine:{file}", "tictactoe").prepare()


@pytest.mark.parametrize("protocol", ["fourlab", "ugi"])
def test_our_agents_decide_the_same_as_engines(protocol: str) -> None:
    spec = f"{FOURLAB.format('minimax:depth=3')},protocol={protocol},set=(depth=4 ties=first)"
    for moves, board in (("4453", "connect4"), ("", SMALL), ("159", "tictactoe")):
        here = decide("minimax:depth=4,ties=first", moves, board=board)
        there = decide(spec, moves, board=board)
        assert (there.move, there.line, there.effort) == (here.move, here.line, here.effort)
        assert there.values == pytest.approx(here.values)


def test_a_seed_repeats_what_an_engine_draws() -> None:
    spec = FOURLAB.format("random")
    draws = [
        agent(spec).decide(game("connect4").start(), np.random.default_rng(seed)).move
        for seed in [*range(12), *range(12)]
    ]
    assert draws[:12] == draws[12:]
    assert len(set(draws)) > 2


def test_information_is_taken_as_far_as_it_makes_sense(tmp_path: Path) -> None:
    told = (
        "print('info nodes 7 pv 3 4 string x'); print('info values 0 0 0.5 - 0 0 -1');"
        "print('info values 9'); print('info nodes many'); print('info nodes -5');"
        "print('info pv 9'); print('info pv', ' 4' * 12); print('info pv', '9' * 30);"
        "print('bestmove 3 ponder 4')"
    )
    found = decide(program(tmp_path, told))
    assert (found.move, found.effort, found.line) == (2, 7, (2, 3))
    assert found.values == (0, 0, 0.5, None, 0, 0, -1)


FAULTS = {
    "time.sleep(3600)": "no answer within 0.2 s",
    "sys.stderr.write('out of ideas\\n'); sys.exit(4)": "ended with code 4.*out of ideas",
    "print('bestmove left')": "answered 'bestmove left', no bestmove COLUMN",
    "kept = [bytes(1 << 28) for _ in range(20)]": "ended with code 1.*MemoryError",
    "print('error out of ideas')": "refused to move: out of ideas",
    "print('bestmove')": "no bestmove COLUMN",
    "print('bestmove', '9' * 5000)": "no bestmove COLUMN",
    "os.write(1, b'noise' * 100_000_000)": "no answer within 0.2 s",
    "while True: print('info nodes 1', flush=True)": "no answer within 0.2 s",
}


@pytest.mark.parametrize("code", FAULTS)
def test_faults_are_named_and_the_next_decision_has_a_new_program(
    tmp_path: Path, code: str
) -> None:
    spec = program(tmp_path, code)
    agent(spec).prepare()
    limit = Limit(seconds=0.2)
    for _ in range(2):
        with pytest.raises(EngineError, match=FAULTS[code]):
            decide(spec, "", limit)
        assert decide(spec, "1", limit).move == 0


DEAF = """
import os
os.write(1, b"ready\\n")
while True:
    os.write(1, b"info string x\\nreadyok\\nbestmove 4\\n" * 500)
"""


def test_who_never_reads_is_given_up_whatever_it_says(tmp_path: Path) -> None:
    file = tmp_path / "deaf.py"
    file.write_text(DEAF)
    player = agent(f"engine:{file},time=0.2")
    player.prepare()
    engine = engine_module._idle[-1]
    engine.child.say("\n" * (1 << 20))  # as after many decisions
    assert player.said() == ""
    with pytest.raises(EngineError, match=r"within 0\.2 s: it does not read what it is told"):
        player.decide(game("connect4").start(), np.random.default_rng(1))
    assert not engine.child.is_alive


def test_a_program_that_never_pauses_is_called_off(tmp_path: Path) -> None:
    spec = program(tmp_path, "while True: print('info nodes 1', flush=True)")
    looks = iter([False] * 20)
    with pytest.raises(EngineError, match="no answer"):
        decide(spec, "", Limit(stop=lambda: next(looks, True)))
    assert next(looks, None) is None  # it was looked at all the while


def test_a_program_that_is_called_off_stops(tmp_path: Path) -> None:
    spec = program(tmp_path, "print('bestmove 2' if sys.stdin.readline() == 'stop\\n' else 'x')")
    agent(spec).prepare()
    called_off = threading.Event()
    threading.Timer(0.3, called_off.set).start()
    assert decide(spec, "", Limit(stop=called_off.is_set)).move == 1


def test_the_last_words_do_not_steer_the_terminal(tmp_path: Path) -> None:
    code = "sys.stderr.write('\\x1b[2Jgone\\r\\n'); sys.exit(1)"
    [pairing] = Event(SMALL, (program(tmp_path, code), "random"), games=2, plies=0).pairings()
    games = play(Stretch(pairing, 0, 2))
    assert all("last words: \ufffd[2Jgone" in text for text in games.forfeits.values())


def test_a_game_is_forfeited_with_the_last_words_and_the_next_is_played(tmp_path: Path) -> None:
    code = "sys.stderr.write('too hard'); sys.exit(1)"
    [pairing] = Event(SMALL, (program(tmp_path, code), "random"), games=2, plies=0).pairings()
    games = play(Stretch(pairing, 0, 2))
    assert games.results.tolist() == [-1, -1]
    for text in games.forfeits.values():
        assert "its process ended with code 1; its last words: too hard" in text


TALKATIVE = (
    "print('bestmove', next(c for c in '12345' if moves.count(c) < 4), flush=True);"
    "sys.stderr.write(f'{len(moves)} after the answer\\n')"
)


def test_what_an_engine_writes_is_kept_with_its_game_whoever_plays_it(tmp_path: Path) -> None:
    spec = program(tmp_path, TALKATIVE)
    Path(spec.removeprefix("engine:")).write_text(
        "import sys; print('awake', file=sys.stderr)\n"
        + Path(spec.removeprefix("engine:")).read_text()
    )
    [pairing] = Event(SMALL, (spec, "random"), games=4, plies=2).pairings()
    whole = play(Stretch(pairing, 0, 4))
    assert not whole.forfeits
    for number, length in zip(whole.numbers.tolist(), whole.lengths.tolist(), strict=True):
        mine = range(2 + number % 2, length, 2)
        assert whole.said[number] == ("".join(f"{ply} after the answer\n" for ply in mine), "")
    parts = [play(Stretch(pairing, first, 2)) for first in (2, 0)]
    assert joined(parts).said == whole.said
    with Records(tmp_path / "games.db") as records:
        records.add(records.pairing(pairing), whole, whole.notations(pairing.rules))
        kept = {one.id: one for one in records.listing()}
    assert kept["1.0"].said == whole.said[0]
    assert kept["1.1"].said == whole.said[1][::-1]  # it was the second player there
    assert GameRecord.from_line(kept["1.1"].to_line()) == kept["1.1"]
    shown = CliRunner().invoke(app, ["games", "1.1", "--record", str(tmp_path / "games.db")])
    assert "odd.py wrote:\n3 after the answer\n5 after" in shown.output


def test_an_engine_knows_of_the_clock_and_is_gone_when_it_hangs(tmp_path: Path) -> None:
    code = (
        "sys.stderr.write(f'{os.getpid()} was told: {line}'); sys.stderr.flush(); time.sleep(3600)"
    )
    [pairing] = Event(
        SMALL, (program(tmp_path, code), "random"), games=2, plies=0, move_seconds=0.5
    ).pairings()
    games = play(Stretch(pairing, 0, 1))
    assert "no answer within 0.45 s; its last words:" in games.forfeits[0]
    told = games.said[0][0].split(" ", 1)
    assert told[1].split() == ["was", "told:", "go", "time", "0.45"]
    with pytest.raises(ProcessLookupError):
        os.kill(int(told[0]), 0)


def test_much_that_is_written_costs_no_space(tmp_path: Path) -> None:
    spec = program(tmp_path, "sys.stderr.write('word ' * 100_000); print('bestmove 1')")
    player = agent(spec)
    player.decide(game("connect4").start(), np.random.default_rng(1))
    assert player.said() == ("word " * 1000)[-KEPT_ERRORS:]
    engine = engine_module._idle[-1]
    assert os.fstat(engine.child._errors.fileno()).st_size == 0
    player.decide(game("connect4").start(), np.random.default_rng(1))
    assert os.fstat(engine.child._errors.fileno()).st_size == 500_000  # and it goes on at its start


def test_what_cannot_start_is_said_in_one_line(tmp_path: Path) -> None:
    quiet = tmp_path / "quiet.py"
    quiet.write_text("raise SystemExit(2)")
    plain = tmp_path / "plain"
    plain.write_text("no program")
    plain.chmod(0o755)
    for spec, words in {
        "engine": "needs a program; write engine:./my_engine",
        "engine:./nowhere": "there is no program ./nowhere",
        f"engine:{tmp_path}/none.py": "there is no file",
        f"{program(tmp_path, 'pass')},set=(speed=9)": "no option 'speed'; its options: depth",
        f"{program(tmp_path, 'pass')},set=speed": "is no setting",
        f"engine:{quiet}": "ended with code 2",
        f"engine:{plain}": "does not start",
    }.items():
        with pytest.raises((SpecError, EngineError), match=words):
            agent(spec).prepare()


def test_an_answer_that_nobody_asked_for_is_passed_over(tmp_path: Path) -> None:
    """As that of a program that has forked, or answers twice."""
    spec = program(tmp_path, "print('bestmove 5'); print('bestmove 6')")
    player = agent(spec)
    with engine_module.lent(player.program) as engine:  # type: ignore[attr-defined]
        start, limit = game("connect4").start(), Limit(seconds=20)
        assert engine.decide(start, 1, limit).move == 4
        assert engine.child._heard or engine.child._poll.poll(20_000)  # it is here by then
        assert engine.decide(start.play(0), 1, limit).move == 0


def test_engines_are_shared_between_agents_and_threads(tmp_path: Path) -> None:
    spec = program(tmp_path, "print('bestmove 1')")
    for _ in range(20):
        decide(spec)
    assert sum(str(tmp_path) in str(one.program.command) for one in engine_module._idle) == 1


def test_only_so_many_programs_wait(tmp_path: Path) -> None:
    spec = program(tmp_path, "print('bestmove 1')")
    for depth in range(engine_module.MOST_IDLE + 2):
        decide(f"{spec},set=(depth={depth})")
    settings = [one.program.settings for one in engine_module._idle]
    assert settings == [(("depth", str(n)),) for n in range(2, engine_module.MOST_IDLE + 2)]
