"""Agents of one's own: a file, a module, an entry point, known by what is in them."""

import copy
import json
import os
import pickle
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

import fourlab
from fourlab.agents.registry import AGENTS, agent
from fourlab.arena.events import Event
from fourlab.arena.grading import grade
from fourlab.arena.match import play
from fourlab.arena.pairing import Stretch
from fourlab.core import own
from fourlab.core.errors import FourlabError, GeometryError, OwnCodeError, SpecError
from fourlab.core.storage import StorageError, seal, unseal
from fourlab.core.workers import Workers
from fourlab.learning.runs import CONFIG, Run, RunConfig
from fourlab.positions.suites import suite
from fourlab.rules.catalog import game
from fourlab.rules.position import position_of

SMALL = "connect:columns=5,rows=4,k=4"
FUNCTION = """
def choose(position, rng, depth=0):
    legal = position.legal_moves()
    return legal[depth % len(legal)]
"""
KAGGLE = """
import random

def open_columns(board, columns):
    return [c for c in range(columns) if board[c] == 0]

def my_agent(observation, configuration):
    assert observation["mark"] == observation.step % 2 + 1
    return random.choice(open_columns(observation.board, configuration.columns))
"""
CLASSES = """
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fourlab import Agent, Decision


@dataclass(frozen=True)
class Options:
    column: int = 2


class Leaning(Agent):
    Config = Options

    def decide(self, position, rng, limit=None):
        legal = position.legal_moves()
        return Decision(self.config.column if self.config.column in legal else legal[0])


class Failing(Agent):
    def decide(self, position, rng, limit=None):
        return Decision([][position.ply])
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder one works in, with a file of each kind."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(FUNCTION)
    (tmp_path / "kaggler.py").write_text(KAGGLE)
    (tmp_path / "classes.py").write_text(CLASSES)
    return tmp_path


def moves(spec: str, notation: str = "", seed: int = 1, board: str = "connect4") -> int:
    position = position_of(game(board), notation)
    return agent(spec, board).decide(position, np.random.default_rng(seed)).move


@pytest.mark.usefixtures("folder")
def test_a_function_a_class_and_kaggles_function_are_agents_with_options() -> None:
    assert moves("mine.py") == 0
    assert moves("mine.py:depth=3") == moves("mine.py:choose,depth=3") == 3
    assert moves("classes.py:Leaning,column=4") == 4
    assert moves("classes.py:Leaning") == 2
    assert {moves("kaggler.py", "111111", seed) for seed in range(40)} == set(range(1, 7))
    assert moves("kaggler.py", seed=5) == moves("kaggler.py", seed=5)
    assert agent("classes.py:Leaning,column=2").spec == agent("classes.py:Leaning").spec


@pytest.mark.parametrize(
    "draws",
    [
        "    import random\n    return random.choice(range(7))",
        "    from random import choice\n    return choice(range(7))",
        "    import numpy\n    return numpy.random.randint(7)",
        "    import luck\n    return luck.draw()",
    ],
)
def test_one_seed_is_one_game_however_kaggles_function_draws(folder: Path, draws: str) -> None:
    (folder / "luck.py").write_text(
        "import random\n\ndef draw():\n    return random.randrange(7)\n"
    )
    (folder / "drawing.py").write_text(f"def act(observation):\n{draws}\n")
    found = [moves("drawing.py", seed=seed) for seed in (*range(8), *range(8))]
    assert found[:8] == found[8:]
    assert len(set(found)) > 1


def test_who_it_is_depends_on_its_contents_alone(folder: Path) -> None:
    here = agent("mine.py:depth=2")
    (folder / "elsewhere").mkdir()
    there = folder / "elsewhere" / "mine.py"
    there.write_text(FUNCTION)
    assert agent(f"{there}:depth=2").spec == here.spec
    assert here.spec.startswith("mine.py@")
    assert here.spec.endswith(":depth=2")
    there.write_text(FUNCTION + "\n")
    assert agent(f"{there}:depth=2").spec != here.spec
    (folder / "mine.py").unlink()  # what is known stays known
    assert agent(here.spec).decide(game("connect4").start(), np.random.default_rng(1)).move == 2


def test_a_file_beside_it_is_a_part_of_it(folder: Path) -> None:
    other = folder / "other"
    other.mkdir()
    for place, column in ((folder, 1), (other, 3)):
        (place / "helper.py").write_text(f"COLUMN = {column}\n")
        (place / "user.py").write_text(
            "import helper\n\ndef choose(position, rng):\n    return helper.COLUMN\n"
        )
    assert moves("user.py") == 1
    assert moves("other/user.py") == 3
    assert agent("user.py").spec != agent("other/user.py").spec
    assert "helper" not in sys.modules


def test_a_file_beside_it_is_found_whenever_it_is_imported(folder: Path) -> None:
    other = folder / "other"
    other.mkdir()
    for place, column in ((folder, 1), (other, 3)):
        (place / "second.py").write_text(f"import late\nCOLUMN = {column}\n")
        (place / "first.py").write_text(
            "def column():\n    from second import COLUMN, late\n    assert late.choose\n"
            "    return COLUMN\n"
        )
        (place / "late.py").write_text(
            "def choose(position, rng):\n    import first\n    return first.column()\n"
        )
    here, there = agent("late.py"), agent("other/late.py")
    for player, column in ((here, 1), (there, 3), (here, 1)):
        assert player.decide(player.rules.start(), np.random.default_rng(1)).move == column
    assert not {"first", "second", "late"} & sys.modules.keys()


def test_a_file_may_have_the_name_of_what_it_imports(folder: Path) -> None:
    (folder / "random.py").write_text(
        "import random\n\ndef choose(position, rng):\n    return random.Random(1).choice([5])\n"
    )
    assert moves("random.py") == 5


MISTAKES = {
    "nowhere.py": "there is no file nowhere.py; paths begin at",
    "classes.py": r"several agents; name one, such as classes.py:Leaning: Leaning, Failing",
    "mine.py:Other": "mine.py holds no Other; its agents: choose",
    "mine.py:depht=3": r"has no option 'depht'; options: depth=0",
    "kaggler.py:open_columns": r"open_columns\(board, columns\) is no agent; write a function",
    "classes.py:Options": "is no agent but type",
    "classes.py:np": "is no agent but module",
    "no.such.module:Name": "there is no module 'no.such.module' here",
    "short.py": r"short.py@\w+: decide\(self, position, rng\) must be decide\(",
    "wrong.py:Closed": r"Closed: __init__\(self\) must be __init__\(self, rules, config=None\)",
    "wrong.py:Bare": r"Bare: its __init__ must call super\(\).__init__\(rules, config\)",
    "empty.py:TABLE": "is no agent but dict; write a function",
    "empty.py": "empty.py holds no agent; write a function",
}


WRONG = """
from fourlab import Agent

class Closed(Agent):
    def __init__(self): ...
    def decide(self, position, rng, limit=None): ...

class Bare(Agent):
    def __init__(self, rules, config=None): ...
    def decide(self, position, rng, limit=None): ...
"""


@pytest.mark.parametrize("spec", MISTAKES)
def test_what_is_no_agent_is_answered_with_what_is(folder: Path, spec: str) -> None:
    (folder / "empty.py").write_text("TABLE = {}\n\ndef helper(x):\n    return x\n")
    (folder / "short.py").write_text(
        "from fourlab import Agent\n"
        "class Short(Agent):\n    def decide(self, position, rng):\n        return 0\n"
    )
    (folder / "wrong.py").write_text(WRONG)
    with pytest.raises(SpecError, match=MISTAKES[spec]):
        agent(spec)


FAULTS = {
    "def choose(position, rng):\n  return (\n": r"broken.py:2: SyntaxError: .* in: return \(",
    "import os\nx = 1 / 0\n": "broken.py:2: ZeroDivisionError: division by zero in: x = 1 / 0",
    "raise SystemExit(3)\n": "broken.py:1: SystemExit: 3",
    "raise GeneratorExit\n": "broken.py:1: GeneratorExit",
    "import no_such_thing\n": "broken.py:1: ModuleNotFoundError",
}


@pytest.mark.parametrize("text", FAULTS)
def test_the_first_line_of_an_error_is_the_users_line(folder: Path, text: str) -> None:
    (folder / "broken.py").write_text(text)
    with pytest.raises(OwnCodeError, match=f"^{FAULTS[text]}"):
        agent("broken.py")


def test_a_file_that_is_loaded_disturbs_nobody(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "loud.py").write_text(
        "import sys\nprint('hello')\nsys.stdout.buffer.write(b'there')\n"
        "sys.setrecursionlimit(200)\n" + FUNCTION
    )
    (folder / "closing.py").write_text("import sys\nsys.stdout.close()\n" + FUNCTION)
    depth = sys.getrecursionlimit()
    assert (moves("loud.py"), moves("closing.py")) == (0, 0)
    assert sys.getrecursionlimit() == depth
    print("mine")  # noqa: T201
    assert capsys.readouterr() == ("mine\n", "hello\nthere")


ELSEWHERE = """
import pickle, sys, numpy, fourlab
player = pickle.load(sys.stdin.buffer)
start = fourlab.game(player.rules).start()
print(player.spec, player.decide(start, numpy.random.default_rng(1)).move, player.learned)
"""


def test_it_travels_as_its_file_its_options_and_what_it_has_learned(tmp_path: Path) -> None:
    """As tools for learning hand it to their processes, which have neither file nor class."""
    text = """
from helper import column
import dataclasses, fourlab
@dataclasses.dataclass(frozen=True)
class Options:
    right: int = 0
class Learner(fourlab.Agent):
    Config = Options
    def __init__(self, rules, config=None):
        super().__init__(rules, config)
        self.learned = []
    def decide(self, position, rng, limit=None):
        return fourlab.Decision(column + self.config.right + len(self.learned))
"""
    (tmp_path / "mine.py").write_text(text)
    (tmp_path / "helper.py").write_text("column = 1\n")
    player = agent(f"{tmp_path / 'mine.py'}:right=1", SMALL)
    player.learned.append("something")
    (tmp_path / "mine.py").unlink()
    told = subprocess.run(
        [sys.executable, "-c", ELSEWHERE],
        input=pickle.dumps(player),
        capture_output=True,
        check=True,
    )
    assert told.stdout.decode() == f"{player.spec} 3 ['something']\n"
    copied = copy.deepcopy(player)
    copied.learned.append("more")
    assert player.learned == ["something"]


def test_what_lies_nowhere_is_run_also_without_a_folder_of_the_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(own, "_aside", lambda name: tmp_path / "file" / name)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert own.load(own.keep("homeless.py", "value = 1\n").name).value == 1
    spare = tmp_path / f"fourlab-own-{os.getuid()}"
    assert spare.stat().st_mode & 0o777 == 0o700
    spare.chmod(0o777)  # as somebody else could have made it
    with pytest.raises(StorageError, match="others may write there"):
        own.load(own.keep("homeless.py", "value = 2\n").name)


def test_a_copy_put_aside_that_was_damaged_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own, "_aside", lambda name: tmp_path / name)
    kept = own.keep("aside.py", "value = 1\n")
    copy = own._aside(kept.name) / "aside.py"
    copy.parent.mkdir(parents=True)
    copy.write_text("value = 2\n")
    assert own.load(kept.name).value == 1


@pytest.mark.usefixtures("folder")
def test_kaggles_function_plays_where_stones_fall() -> None:
    with pytest.raises(GeometryError, match="where stones fall"):
        agent("kaggler.py", "tictactoe")
    assert moves("mine.py", "159", board="tictactoe") == 1


@pytest.mark.usefixtures("folder")
def test_nonsense_is_named(tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_text("def choose(position, rng):\n    return 'left'\n")
    with pytest.raises(OwnCodeError, match=r"odd.py@\w+ answered 'left'; .* 0 to 6"):
        moves("odd.py")


def test_games_are_those_of_the_contents_wherever_they_are_played(folder: Path) -> None:
    players = ("classes.py:Leaning", "kaggler.py", "mine.py:depth=1")
    event = Event(SMALL, players, games=4, seed=3)
    whole = [play(Stretch(pairing, 0, 4)) for pairing in event.pairings()]
    copy = folder / "elsewhere"
    copy.mkdir()
    for name in ("classes.py", "kaggler.py", "mine.py"):
        (folder / name).rename(copy / name)  # the event goes on all the same
    again = Event.from_json(json.loads(json.dumps(event.to_json())))
    moved = Event(SMALL, tuple(f"elsewhere/{spec}" for spec in players), games=4, seed=3)
    assert again == moved == event
    with Workers(1, "processes") as workers:
        jobs = [Stretch(pairing, 0, 4) for pairing in moved.pairings()]
        there = {job.pairing: games for job, games in workers.run(play, jobs)}
    for pairing, games in zip(event.pairings(), whole, strict=True):
        assert not games.forfeits
        np.testing.assert_array_equal(there[pairing].moves, games.moves)


def test_one_that_finds_nothing_is_told_of_its_own_line(folder: Path) -> None:
    text = "def choose(position, rng):\n    return next(iter(()))\n"
    (folder / "stops.py").write_text(text)
    line = "stops.py:2: StopIteration in: return next(iter(()))"
    with pytest.raises(RuntimeError) as raised:  # what becomes of it in a generator
        grade(agent("stops.py", SMALL))
    assert own.told(raised.value) == line
    with pytest.raises(OwnCodeError, match=re.escape(f"{line}; in {SMALL} '")):
        grade("stops.py", game=SMALL)


@pytest.mark.usefixtures("folder")
def test_a_failing_agent_forfeits_with_its_own_line() -> None:
    [pairing] = Event(SMALL, ("classes.py:Failing", "random"), games=2, plies=0).pairings()
    games = play(Stretch(pairing, 0, 2))
    assert games.results.tolist() == [-1, -1]
    line = CLASSES.splitlines().index("        return Decision([][position.ply])") + 1
    assert f"at move 1: classes.py:{line}: IndexError: list index out of" in games.forfeits[0]


@pytest.mark.usefixtures("folder")
def test_grades_are_the_same_here_and_in_workers_and_errors_name_the_line() -> None:
    positions = suite(game("tictactoe"), "middle")[:40]
    player = agent("mine.py:depth=1", "tictactoe")
    with Workers(1, "processes") as workers:
        there = grade(player, positions, workers=workers).to_json()
        assert there == grade(player, positions).to_json()
        with pytest.raises(OwnCodeError, match=r"classes.py:\d+: IndexError"):
            grade(agent("classes.py:Failing", "tictactoe"), positions, workers=workers)


def test_a_run_goes_on_against_the_opponent_it_began_with(folder: Path) -> None:
    learner = "q:games=1000,opponent=(mine.py:depth=1)"
    config = RunConfig(learner, "tictactoe", against=("mine.py",), evaluation_games=20)
    whole = Run.start(folder / "whole", config)
    list(whole.reports())
    run = Run.start(folder / "run", config)
    list(run.reports(stop=lambda: True))
    assert "mine.py@" in (folder / "run" / CONFIG).read_text()
    (folder / "mine.py").write_text("raise SystemExit\n")
    code = (
        "import numpy; from pathlib import Path; from fourlab.learning.runs import Run;"
        "run = Run.resume(Path('run')); list(run.reports());"
        "start, dice = run.learner.rules.start(), numpy.random.default_rng(1);"
        "print(run.learner.agent().decide(start, dice).raw)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    player = whole.learner.agent()
    decision = player.decide(player.rules.start(), np.random.default_rng(1))
    assert said.stdout.strip() == str(decision.raw)


def test_a_run_from_elsewhere_brings_no_code(folder: Path) -> None:
    text = FUNCTION + "\nraise SystemExit('run without being asked')\n"
    (folder / "evil.py").write_text(text)
    name = own.parcel("evil.py").name
    (folder / "evil.py").unlink()
    own._known.pop(name)
    run = folder / "foreign"
    RunConfig("q:games=10", "tictactoe", against=(name,)).save(run)
    fields = unseal(json.loads((run / CONFIG).read_text()), run)
    fields["own"] = [(name, str(folder / "evil.py")), (name, "/etc", [["../evil.py", text]])]
    for notes in ([fields["own"][0]], fields["own"]):
        (run / CONFIG).write_text(json.dumps(seal({**fields, "own": notes})))
        with pytest.raises(FourlabError):
            list(Run.resume(run).reports())
    assert not list(folder.rglob("evil.py"))


def test_installed_packages_offer_agents_learners_games_and_studies(tmp_path: Path) -> None:
    """A package as an installer leaves it: its module and the metadata beside it."""
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "__init__.py").write_text("")
    (tmp_path / "bots" / "left.py").write_text(
        FUNCTION + "\nfrom fourlab.learning.tables.q import Q\n"
        "class Mine(Q):\n    name = 'mine-q'\n"
        "BOARD = ((6, 5, 4, True), 'Small')\n"
    )
    info = tmp_path / "bots-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: bots\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[fourlab.agents]\nlefty = bots.left:choose\nbroken = bots.left:nothing\n"
        "[fourlab.learners]\nmine-q = bots.left:Mine\nodd = bots.left:BOARD\n"
        "[fourlab.games]\nsmall-four = bots.left:BOARD\nbad = bots.left:choose\n"
    )
    program = """
import fourlab, numpy
from fourlab.agents.registry import AGENTS
from fourlab.arena.identity import checksum
from fourlab.core.errors import FourlabError
from fourlab.learning.registry import learner
lefty = fourlab.agent("lefty:depth=2", "small-four")
print(lefty.spec, str(lefty.rules), bool(checksum(lefty)), "lefty" in AGENTS)
print(fourlab.agent("bots.left:choose,depth=2").spec, learner("mine-q:games=10").name)
try:
    fourlab.agent("broken")
except FourlabError as error:
    print(error)
run = fourlab.train("mine-q:games=9", "tictactoe", out="run")
print(fourlab.agent(run.agent().name + ":run", "tictactoe").name)
try:
    learner("odd")
except FourlabError as error:
    print(error)
"""
    said = subprocess.run(
        [sys.executable, "-c", program],
        env={
            "PYTHONPATH": f"{tmp_path}:{Path(fourlab.__file__).parents[1]}",
            "HOME": str(tmp_path),
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    lines = said.stdout.splitlines()
    assert lines[0] == "lefty:depth=2 small-four True True"
    assert lines[1] == "bots.left:depth=2 mine-q"
    assert "agent 'broken', which an installed package offers as bots.left:nothing" in lines[2]
    assert lines[3] == "q"
    assert "offers as bots.left:BOARD: odd is no Learner but tuple" in lines[4]
    assert "game 'bad'" in said.stderr


@pytest.mark.usefixtures("folder")
def test_the_command_line_says_it_in_one_line() -> None:
    command = [sys.executable, "-m", "fourlab.cli.main", "play", "--first", "classes.py:Failing"]
    said = subprocess.run(
        [*command, "--second", "random"], capture_output=True, text=True, check=False
    )
    assert said.returncode == 2
    [line] = [line for line in said.stderr.splitlines() if not line.startswith("compiling")]
    assert line.startswith("fourlab: classes.py:")
    assert "IndexError" in line


@pytest.mark.usefixtures("folder")
def test_files_and_modules_are_no_members_of_the_registry() -> None:
    """So that what checks a visitor's words by membership never loads a path."""
    agent("mine.py")
    assert "mine.py" not in AGENTS
    assert AGENTS.get("mine.py") is None
    assert AGENTS.get("os.path") is None
    assert not any(own.is_own(name) for name in AGENTS)
