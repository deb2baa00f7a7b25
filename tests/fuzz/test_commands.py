"""All commands with whatever may be typed: an answer or a line that says what is wrong."""

import importlib
import shutil
import signal
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
import typer

import nasty
from command import run as run_command
from fourlab.agents.registry import AGENTS
from fourlab.cli import main as command_line
from fourlab.learning.registry import LEARNERS
from fourlab.studies.registry import STUDIES

# Work that is left out leaves open what it would have closed.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

LINES = 120  # commands of one seed
PATIENCE = 60  # seconds for one of them: an upper bound on a busy machine, not a measurement
NEEDED = ("out",)  # options without which most commands say only that
DOCUMENTED = (0, 1, 2, 130)
# Where the work of a command begins. All that is said of its input is said before.
WORK = (
    "fourlab.web.app:create_app", "fourlab.agents.play:GameInPlay.step",
    "fourlab.search.analysis:analyse", "fourlab.learning.runs:Run.reports",
    "fourlab.arena.tournament:Tournament.run", "fourlab.arena.tournament:Tournament.prepare",
    "fourlab.studies.courses:Courses.run", "fourlab.studies.courses:Courses.prepare",
    "fourlab.studies.archive:Archive.run", "fourlab.arena.grading:grade",
    "fourlab.positions.suites:score_positions", "fourlab.positions.suites:make_suite",
    "fourlab.arena.certify.certificate:certify",
    "fourlab.positions.uci:uci", "fourlab.learning.networks.sources:lessons",
    "fourlab.search.bookmaking:Build.run", "fourlab.adapters.export:export_kaggle",
    "fourlab.cli.check:tried",
    "fourlab.cli.bench:playouts_per_second", "fourlab.web.warm:prepare_rules",
)  # fmt: skip


class Accepted(BaseException):
    """The input was taken and the work would begin."""


class Endless(BaseException):
    """A command did not come to its end."""


def begin(*_: Any, **__: Any) -> None:
    raise Accepted


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what commands leave behind: games, a run, a certificate."""
    folder = tmp_path_factory.mktemp("made")
    board = ("--game", "tictactoe")
    for words in (
        ("arena", "random", "baseline", *board, "--games", "4"),
        ("train", "q:games=50", *board, "-o", "run"),
        ("certify", "minimax:ties=first", *board, "--side", "second", "-o", "x.json"),
        ("games", "--export", "x.pgn"),
        ("games", "--export", "x.jsonl"),
    ):
        done = run_command(*words, folder=folder)
        assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch, made: Path, tmp_path: Path) -> Path:
    """Leave out all work, in a folder with a few things in it."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    for place in WORK:
        module, _, name = place.partition(":")
        owner: Any = importlib.import_module(module)
        *path, last = name.split(".")
        for step in path:
            owner = getattr(owner, step)
        monkeypatch.setattr(owner, last, begin)
    monkeypatch.setattr("fourlab.cli.play.TerminalGame.prepare", lambda _: None)
    monkeypatch.setattr("fourlab.core.workers.CONNECT_SECONDS", 0.1)  # nobody answers
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("44\n55\n")
    for name in ("folder", "folder.py", "folder.npz"):
        (tmp_path / name).mkdir()
    (tmp_path / "empty.py").write_text("")
    (tmp_path / "file.py").write_text("nothing = 1\n")
    (tmp_path / "file.npz").write_bytes(b"PK\x03\x04 no archive")
    return tmp_path


class Parameter(NamedTuple):
    """An argument or option of a command, as its function declares it."""

    name: str
    kind: Any
    flags: tuple[str, ...]  # none: an argument


def commands(
    app: typer.Typer = command_line.app, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], list[Parameter]]]:
    """Yield every command by its words, with its parameters."""
    for command in app.registered_commands:
        function = command.callback
        assert function is not None
        yield (*path, str(command.name)), list(parameters(function))
    for group in app.registered_groups:
        assert group.typer_instance is not None
        yield from commands(group.typer_instance, (*path, str(group.name)))


def parameters(function: Callable[..., Any]) -> Iterator[Parameter]:
    for name, hint in typing.get_type_hints(function, include_extras=True).items():
        if name != "return":
            kind, told = typing.get_args(hint)
            kind = next((k for k in typing.get_args(kind) if k is not type(None)), kind)
            told_flags = [told.default, *(told.param_decls or ())]
            flags = tuple(flag for flag in told_flags if str(flag).startswith("-"))
            flags = flags or (f"--{name.replace('_', '-')}",)
            is_option = isinstance(told, typer.models.OptionInfo)
            yield Parameter(name, kind, flags if is_option else ())


APART = "engine"  # takes over the input and output of its whole process
ALL = sorted((one for one in commands() if one[0] != (APART,)), key=lambda entry: entry[0])


def test_there_are_as_many_commands_as_are_registered() -> None:
    assert {path[0] for path, _ in ALL} == {*command_line.COMMANDS, *command_line.SPELLED} - {APART}


AGENT = (*["random", "baseline", "perfect", "mcts:sims=9"] * 60, *nasty.specs(AGENTS))
GAME = (*nasty.GAMES * 3, "connect:columns={}", "connect:rows={},columns={},k={}", "mnk:k={}", "{}")
MOVES = (*nasty.MOVES, "{}", "{},{}")
PATTERNS: dict[str, tuple[str, ...]] = {
    "game": GAME, "agent": AGENT, "agents": AGENT, "first": AGENT, "second": AGENT,
    "against": AGENT, "anchor": AGENT, "opponent": (*AGENT, "{} random then {} baseline", "self"),
    "learner": (*["q", "q:games=9"] * 60, *nasty.specs(LEARNERS)), "moves": MOVES,
    "position": MOVES, "start": MOVES, "sprt": ("0,20", "{},{}", "{}"), "only": ("{}",),
    "options": ("{}", "alpha={}", "games={}", "={}"), "cluster": ("tcp://{}", "{}"),
    "positions": ("opening", "uci", "walk:{}", "games:of={}", "suite:{}", "file:{}", "{}"),
    "identity": ("1.0", "{}.{}", "{}"), "side": ("first", "second", "{}"),
    "truth": ("middle", "{}"), "until_certified": ("first", "{}"), "host": ("127.0.0.1", "{}"),
    "spec": nasty.GRIDS, "name": (*STUDIES, "{}"),
}  # fmt: skip


def value(dice: Random, name: str, kind: Any, calm: bool) -> str:
    """Return something for a parameter: what it is meant for, or anything."""
    patterns = PATTERNS.get(name, ("{}",))
    if calm:
        plain = {int: "2", float: "0.5", Path: f"new/{dice.randrange(10**6)}.png"}
        return plain.get(kind) or dice.choice(nasty.GAMES if name == "game" else patterns[:4])
    if dice.random() < 0.05:
        return dice.choice((*nasty.NUMBERS, *nasty.NAMES))
    if kind is Path:
        return dice.choice(nasty.NAMES)
    if kind in (int, float):
        return nasty.filled(dice, "{}") if dice.random() < 0.1 else nasty.number(dice)
    return nasty.spec(dice, patterns)


def command_line_of(dice: Random) -> list[str]:
    """Return a command with some of its arguments and options, in half of them one is wrong."""
    path, known = dice.choice(ALL)
    words: list[str] = list(path)
    wrong = dice.randrange(len(known)) if known and dice.random() < 0.5 else None
    for number, (name, kind, flags) in enumerate(known):
        calm = wrong is not None and number != wrong
        given = 2 if kind == list[str] and calm else dice.randint(0, 3)
        if not flags:
            times = given if kind == list[str] else dice.choice((0, 1, 1, 1))
            words += [value(dice, name, kind, calm) for _ in range(times)]
        elif dice.random() < (0.9 if name in NEEDED or number == wrong else 1.5 / len(known)):
            told = [] if kind is bool else [value(dice, name, kind, calm)]
            words += [dice.choice(flags), *told]
    if dice.random() < 0.03:
        words.insert(dice.randint(0, len(words)), dice.choice((*nasty.NAMES, "--no-such", "-o")))
    return words


def outcome(words: list[str]) -> tuple[int, str]:
    """Run a command in this process; return its exit code and what it said on standard error."""

    def endless(*_: object) -> None:
        raise Endless

    before = signal.signal(signal.SIGALRM, endless)
    signal.alarm(PATIENCE)
    try:
        done = run_command(*words)
        return done.returncode, done.stderr
    except Accepted:
        return 0, ""
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def check(seed: int) -> None:
    dice = Random(seed)
    for number in range(LINES):
        words = command_line_of(dice)
        shown = [word if len(word) < 80 else f"{word[:60]}...({len(word)})" for word in words]
        try:
            code, said = outcome(words)
        except BaseException as error:
            pytest.fail(f"seed {seed}, line {number}: {shown} ended in {error!r}")
        assert code in DOCUMENTED, (seed, number, shown, said)


@pytest.mark.parametrize("seed", range(4))
def test_no_command_line_ends_in_a_traceback(seed: int, idle: Path) -> None:
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4, 168))
def test_no_command_line_of_many_ends_in_a_traceback(seed: int, idle: Path) -> None:
    check(seed)
