"""`engine`: a program in any language as an agent, over standard input and output.

docs/engines.md has the protocol; `fourlab engine` speaks it from the other side. A program is
started when it is needed, kept for the next decision, and killed when it is late; one that died is
started anew.
"""

from __future__ import annotations

import contextlib
import math
import shlex
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from fourlab.agents.base import Agent, Decision, kernel_seed
from fourlab.core.errors import FourlabError, GeometryError, SpecError
from fourlab.core.limit import NO_LIMIT, UNLIMITED, Limit, never
from fourlab.core.lines import LineProcess
from fourlab.core.spec import option, whole_number
from fourlab.rules.geometry import Rules
from fourlab.rules.history import ordered
from fourlab.rules.position import Position

LAUNCHERS = {".py": sys.executable, ".js": "node"}
START_SECONDS = 60.0  # until it is ready
MOVE_SECONDS = 60.0  # where nothing else is said
GRACE = 0.5  # seconds after its time in which an answer still counts
MOST_IDLE = 8  # programs that wait; the one that was not asked for longest ends
SETTLE_SECONDS = 0.2  # after a game, for what it still has to write
SLICE = 0.05  # seconds between two looks at whether it was called off
KEPT = 300  # characters of its errors that go into a record


class EngineError(FourlabError):
    """A program that did not start, died, was late or answered nonsense."""


@dataclass(frozen=True)
class EngineConfig:
    """Options of `engine`."""

    command: str = option("", "the program, such as ./my_engine", positional=True)
    args: str = option("", "what it is started with, separated by spaces")
    set: str = option("", "its own options, as name=value, separated by spaces")
    time: float | None = option(None, "seconds for a move", low=0.001, public=5.0)
    protocol: str = option("fourlab", "what it speaks", choices=("fourlab", "ugi"))


@dataclass(frozen=True)
class Program:
    """How to start an engine, and what to tell it first; its spec names it in errors."""

    command: tuple[str, ...]
    settings: tuple[tuple[str, str], ...] = ()
    protocol: str = "fourlab"
    spec: str = "engine"


class Engine:
    """A running program; one decision at a time."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.board = ""  # the game line that it was told last
        try:
            self.child = LineProcess(program.command)
        except OSError as error:
            raise EngineError(
                f"{program.spec} does not start: {program.command[0]}: {error.strerror}"
            ) from None
        self.child.restrict(strictly=True)
        hello, ready = ("ugi", "ugiok") if program.protocol == "ugi" else ("fourlab 1", "ready")
        self.child.say(hello)
        options = []
        deadline = time.perf_counter() + START_SECONDS
        while (line := self._hear(deadline, START_SECONDS)) != ready:
            if line.startswith("option name "):
                options.append(line[len("option name ") :].partition(" type ")[0])
        for name, value in program.settings:
            if name not in options:
                raise SpecError(
                    f"{program.spec} has no option {name!r}; its options: {', '.join(options)}"
                )
            self.child.say(f"setoption name {name} value {value}")

    def set_up(self, rules: Rules) -> None:
        """Tell it the board; raises GeometryError if it does not play on it."""
        board = (
            f"game columns {rules.columns} rows {rules.rows} connect {rules.connect}"
            f" gravity {int(rules.gravity)}"
        )
        if board == self.board:
            return
        self.child.say(f"{board}\nisready")
        deadline, refusal = time.perf_counter() + START_SECONDS, ""
        while (line := self._hear(deadline, START_SECONDS)) != "readyok":
            if line.startswith("error "):
                refusal = line[len("error ") :]
        if refusal:
            raise GeometryError(f"{self.program.spec} does not play {rules}: {refusal}")
        self.board = board

    def decide(self, position: Position, seed: int, limit: Limit) -> Decision:
        """Return what it answers; raises EngineError if that is late, nothing or nonsense."""
        self.child.forget()
        self.set_up(position.rules)
        position = ordered(position)
        if self.program.protocol == "ugi":
            moves = " ".join(str(move + 1) for move in position.moves)
            question = f"position startpos{' moves ' * bool(moves)}{moves}"
        else:
            question = f"seed {seed}\nposition {position.notation}".rstrip()
        self.child.say(f"{question}\n{_go(limit, self.program.protocol == 'ugi')}")
        allowed = min(limit.seconds, MOVE_SECONDS)
        deadline = time.perf_counter() + allowed + GRACE
        told = Decision(-1)
        while True:
            line = self._hear(deadline, allowed, limit)
            word, _, rest = line.partition(" ")
            if word == "info":
                told = _told(position, rest, told)
                if limit.stop():  # who speaks without a pause is never waited for
                    self.child.say("stop")
                    deadline, limit = time.perf_counter() + GRACE, NO_LIMIT
            elif word == "bestmove":
                column = whole_number((rest.split() or [""])[0])
                if column is None:
                    raise self.failure(f"answered {line[:80]!r}, no bestmove COLUMN")
                return replace(told, move=column - 1)
            elif word == "error":
                raise self.failure(f"refused to move: {rest[:KEPT]}")

    def _hear(self, deadline: float, allowed: float, limit: Limit = NO_LIMIT) -> str:
        """Return its next line; raises EngineError when it is late or dead."""
        while True:
            left = deadline - time.perf_counter()
            if left <= 0:  # lines that are no answer may come without end
                deaf = "" if self.child.reads else ": it does not read what it is told"
                raise self.failure(f"no answer within {allowed:g} s{deaf}")
            try:
                line = self.child.hear(left if limit.stop is never else min(left, SLICE))
            except TimeoutError:
                if limit.stop():
                    self.child.say("stop")
                    deadline, limit = time.perf_counter() + GRACE, NO_LIMIT
            else:
                if line is None:
                    raise self.failure("")
                return line.strip()

    def said(self) -> str:
        """Return the end of what it has written to standard error since this was asked last."""
        deadline = time.perf_counter() + SETTLE_SECONDS
        self.child.say("isready")  # answered when all before is done, and so written
        with contextlib.suppress(TimeoutError):
            while (left := deadline - time.perf_counter()) > 0:
                line = self.child.hear(left)
                if line is None or line.strip() == "readyok":
                    break
        return self.child.errors()

    def failure(self, why: str) -> EngineError:
        """End it; return the error, with the end of what it wrote to standard error."""
        _last_words[self.program] = written = self.child.errors()
        said = " | ".join(written.strip().splitlines()[-5:])[-KEPT:]
        ending = f"its process {self.child.leave(0.0 if why else 1.0)}"
        last = f"; its last words: {said}" if said else ""
        return EngineError(f"{self.program.spec}: {why or ending}{last}")


class EngineAgent(Agent):
    """A program in any language that speaks lines."""

    name = "engine"
    Config = EngineConfig

    def __init__(self, rules: Rules, config: EngineConfig | None = None) -> None:
        super().__init__(rules, config)
        self.program = self._program()

    def _program(self) -> Program:
        words = shlex.split(self.config.command)
        if not words:
            raise SpecError("agent 'engine' needs a program; write engine:./my_engine")
        launcher = LAUNCHERS.get(Path(words[0]).suffix)
        if launcher is None and shutil.which(words[0]) is None:
            raise SpecError(f"there is no program {words[0]} for {self.spec}; write engine:./NAME")
        if launcher is not None and not Path(words[0]).is_file():
            raise SpecError(f"there is no file {words[0]} for {self.spec}")
        pairs = [word.partition("=") for word in shlex.split(self.config.set)]
        wrong = [name for name, equals, value in pairs if not (name and equals and value)]
        if wrong:
            raise SpecError(f"{wrong[0]!r} in {self.spec} is no setting; write set=(name=value)")
        command = [*([launcher] if launcher else []), *words, *shlex.split(self.config.args)]
        settings = tuple((name, value) for name, _, value in pairs)
        return Program(tuple(command), settings, self.config.protocol, self.spec)

    def decide(
        self, position: Position, rng: np.random.Generator, limit: Limit = NO_LIMIT
    ) -> Decision:
        limit = limit.within(self.config.time)
        with lent(self.program) as engine:
            return engine.decide(position, kernel_seed(rng), limit)

    def prepare(self) -> None:
        """Start it, off every clock."""
        with lent(self.program) as engine:
            engine.set_up(self.rules)

    def said(self) -> str:
        """Return the end of what it has written to standard error since this was asked last."""
        words = [_last_words.pop(self.program, "")]
        engines = list(iter(lambda: _waiting(self.program), None))
        words += [engine.said() for engine in engines]
        _idle.extend(engines)
        return "".join(words)

    def sources(self) -> tuple[Path, ...]:
        """Return the files among the words of its command."""
        return tuple(path for word in self.program.command[-8:] if (path := Path(word)).is_file())


_idle: list[Engine] = []  # that wait for the next decision, of whichever thread, the latest last
_last_words: dict[Program, str] = {}  # of those that failed, until somebody asks


@contextlib.contextmanager
def lent(program: Program) -> Iterator[Engine]:
    """Give a running engine that nobody else has; what failed is not given again."""
    while (engine := _waiting(program)) is not None and not engine.child.is_alive:
        pass  # one may have died since
    engine = engine or Engine(program)
    try:
        yield engine
    except GeometryError:
        _idle.append(engine)
        raise
    except BaseException:
        engine.child.close()  # it may be in the middle of a thought
        raise
    _idle.append(engine)
    while len(_idle) > MOST_IDLE:
        with contextlib.suppress(IndexError):  # another thread has taken it
            _idle.pop(0).child.close()


def _waiting(program: Program) -> Engine | None:
    """Take out an engine that waits, if there is one."""
    for engine in reversed(_idle.copy()):
        if engine.program == program:
            with contextlib.suppress(ValueError):  # another thread has taken it
                _idle.remove(engine)
                return engine
    return None


def _told(position: Position, text: str, before: Decision) -> Decision:
    """Return a decision with what a line of information adds; what cannot be is passed over."""
    found: dict[str, list[str]] = {}
    words: list[str] = []
    for word in text.split():
        if word in ("nodes", "pv", "values"):
            words = found[word] = []
        elif word.isalpha():  # something else
            words = []
        else:
            words.append(word)
    try:
        line = tuple(int(word) - 1 for word in found.get("pv", ()))
        values = tuple(None if w == "-" else float(w) for w in found.get("values", ()))
        effort = int(found["nodes"][0]) if found.get("nodes") else before.effort
    except ValueError:
        return before
    count = position.rules.move_count
    sound = len(values) == count and all(-1 <= v <= 1 for v in values if v is not None)
    return replace(
        before,
        values=values if sound else before.values,
        line=line if line and _can_be_played(position, line) else before.line,
        effort=effort if effort >= 0 else before.effort,
    )


def _can_be_played(position: Position, line: tuple[int, ...]) -> bool:
    for move in line:
        if move not in position.legal_moves():
            return False
        position = position.play(move)
    return True


def _go(limit: Limit, ugi: bool) -> str:
    """Return how it is told to think."""
    words = ["go"]
    if limit.seconds < math.inf:
        ms = max(1, round(limit.seconds * 1000))
        words += ["movetime", str(ms)] if ugi else ["time", f"{limit.seconds:g}"]
    if limit.nodes < UNLIMITED:
        words += ["nodes", str(limit.nodes)]
    return " ".join(words)
