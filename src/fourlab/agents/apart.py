"""People's own agents in a process of their own, for those who ask an agent instead of seating it.

Whatever such an agent does there, hang, exit, fork or eat memory, ends in one line here. It is
asked about many boards at once, so that the way costs little. Both sides speak JSON lines.
"""

from __future__ import annotations

import json
import math
import operator
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from fourlab.agents.base import Agent, Decision, kernel_seed
from fourlab.agents.function import source_of
from fourlab.agents.registry import GROUP
from fourlab.agents.registry import agent as find_agent
from fourlab.core import borrowed, own
from fourlab.core.arrays import Ints
from fourlab.core.errors import FourlabError, OwnCodeError, quoted
from fourlab.core.limit import NO_LIMIT, CalledOffError, Limit, Watch
from fourlab.core.lines import LineProcess, own_pipes, python_with_fourlab, told_in
from fourlab.core.registry import offered
from fourlab.core.spec import WHOLE_LIMIT
from fourlab.core.starting import EVERY, signs_of_starting
from fourlab.rules.boards import Boards, boards_of
from fourlab.rules.history import ordered
from fourlab.rules.position import Position

START_SECONDS = 60.0  # until its process is ready, since it was last seen importing
MOVE_SECONDS = 60.0  # for a decision, since it was last seen importing or compiling
LOOK_SECONDS = 0.2  # between two looks at whether anybody still waits
END_SECONDS = 1.0  # that a process which says no more may take to end
AT_ONCE = 256  # boards in a question: a pipe takes it whether or not anybody reads
ORDER = (".moves", ".notation")  # who names these wants to know how a board came about
FIELDS = frozenset(field.name for field in fields(Decision))
LISTS = ("values", "raw", "policy", "visits")  # with an entry for every move


def apart(agent: Agent, seconds: float = MOVE_SECONDS) -> Agent:
    """Return an agent as a program of ours asks it: people's own, in a process of its own.

    What was registered by hand is found in no other process, and asked in this one.
    """
    is_found = own.is_own(agent.name.partition(":")[0]) or agent.name in offered(GROUP)
    is_ours = type(agent).__module__.startswith("fourlab.")
    return Apart(agent, seconds) if is_found and not is_ours else agent


class Apart(Agent):
    """Asks an agent in another process, which is started when it is needed."""

    name = "apart"

    def __init__(self, agent: Agent, seconds: float) -> None:
        super().__init__(agent.rules, agent.config)
        self.seconds = seconds  # for a decision
        self.is_deterministic, self.mirrors_alike = agent.is_deterministic, agent.mirrors_alike
        self._agent = agent
        self._asking = threading.Lock()
        self._child: LineProcess | None = None

    @property
    def spec(self) -> str:
        """The spec of the agent itself."""
        return self._agent.spec

    def sources(self) -> tuple[Path, ...]:
        """Return the files of the agent itself."""
        return self._agent.sources()

    def decide(
        self, position: Position, rng: np.random.Generator, limit: Limit = NO_LIMIT
    ) -> Decision:
        told = None if limit.seconds == math.inf else limit.seconds
        [found] = self._ask([position], [kernel_seed(rng)], limit.watch(), {"limit": told})
        lists = {name: tuple(value) for name, value in found.items() if isinstance(value, list)}
        return Decision(**{**found, **lists})

    def choose(self, boards: Boards, dice: Ints, limit: Limit = NO_LIMIT) -> Ints:
        """Return a move for each of many positions; raises CalledOffError if the limit is over."""
        positions = [boards.position(self.rules, row) for row in range(len(dice))]
        seeds, watch, moves = dice.tolist(), limit.watch(), []
        for begin in range(0, len(seeds), AT_ONCE):
            some = slice(begin, begin + AT_ONCE)
            moves += [found["move"] for found in self._ask(positions[some], seeds[some], watch)]
        return np.array(moves, np.int64)

    def _ask(
        self, positions: Sequence[Position], dice: list[int], over: Watch, more: Any = None
    ) -> list[dict[str, Any]]:
        """Return what it answers to each; raises OwnCodeError that names its line and the board.

        What goes wrong ends the process; the next question finds a new one.
        """
        rows = [(position.mover, position.occupied, position.moves) for position in positions]
        with self._asking:
            patience = START_SECONDS if self._child is None else self.seconds
            child, self._child = self._child or self._start(), None
            try:
                child.forget()  # what nobody has asked for
                child.say(json.dumps({"rows": rows, "dice": dice, **(more or {})}))
                answers = [self._hear(child, over, positions[0], patience)]
                answers += [self._hear(child, over, each, self.seconds) for each in positions[1:]]
            except BaseException:
                child.close()
                raise
            sys.stderr.write(child.errors())  # what it has printed
            self._child = child
        return answers

    def _start(self) -> LineProcess:
        child = LineProcess(python_with_fourlab("fourlab.agents.apart"))
        child.restrict(strictly=True)
        late = f"no move within {self.seconds:g} s"
        hello = {"own": own.carried(), "spec": self.spec, "game": str(self.rules), "late": late}
        child.say(json.dumps(hello))
        return child

    def _hear(
        self, child: LineProcess, over: Watch, position: Position, patience: float
    ) -> dict[str, Any]:
        """Return its answer for one position."""
        watch, at = Limit(patience).watch(), ""  # the line that it was in a moment ago
        while True:
            try:
                line = child.hear(min(LOOK_SECONDS, max(watch.left, 0.0)))
            except TimeoutError:
                if over.is_over():
                    raise CalledOffError from None
                if watch.left > 0:
                    continue
                late = at or f"{self.spec}: no move within {patience:g} s"
                raise self._failure(child, position, late) from None
            if line is None:
                raise self._failure(child, position)
            found = told_in(line)
            if "at" in found:
                at = str(found["at"])
                continue
            if "refused" in found:
                raise FourlabError(str(found["refused"]))
            if wrong := self._wrong(found, line):
                raise self._failure(child, position, wrong)
            if "move" in found:
                return found
            patience = self.seconds if "ready" in found else patience
            watch = Limit(patience).watch()

    def _wrong(self, found: dict[str, Any], line: str) -> str:
        """Say what is wrong with an answer, '' if nothing is."""
        if "fails" in found:
            return str(found["fails"])
        if "move" in found:
            wrong = flaw(found, self.rules.move_count)
            return f"{self.spec}: {wrong}" if wrong else ""
        if "starts" in found or "ready" in found:
            return ""
        return f"{self.spec} said {quoted(line)} where answers are heard"  # it has found our pipe

    def _failure(self, child: LineProcess, position: Position, line: str = "") -> OwnCodeError:
        """Return the error of one that says a line, or has died; what it printed comes before."""
        sys.stderr.write(child.errors())
        line = line or f"{self.spec}: its process {child.leave(END_SECONDS)}"
        return OwnCodeError(f"{line}; in {self.rules} '{ordered(position).notation}'")


def flaw(told: dict[str, Any], moves: int) -> str:
    """Say why a game of so many moves has no such decision, '' if it may have."""
    for name, value in told.items():
        is_list = name == "line" or (name in LISTS and value is not None)
        entries = value if isinstance(value, list) else [value]
        fits = name in FIELDS and isinstance(value, list) == is_list
        fits = fits and (name not in LISTS or value is None or len(entries) == moves)
        kinds = (int, float) if name in LISTS else (int,)
        if not fits or not all(_is_number(one, kinds, name in LISTS) for one in entries):
            belongs = f"{moves} numbers belong" if name in LISTS else "whole numbers belong"
            return f"its decision has {name} {quoted(json.dumps(value))} where {belongs}"
    return ""


def faultless(agent: Agent, decision: Decision) -> Decision:
    """Return a decision of an agent; raises OwnCodeError for what its game has none of."""
    told = json.loads(json.dumps(asdict(decision), default=_plain))
    if wrong := flaw(told, agent.rules.move_count):
        raise OwnCodeError(f"{agent.name}: {wrong}")
    return decision


def _is_number(value: Any, kinds: tuple[type, ...], or_none: bool) -> bool:
    return (value is None and or_none) or (type(value) in kinds and abs(value) < WHOLE_LIMIT)


def _plain(value: Any) -> Any:
    """Return numbers and arrays of numpy as JSON takes them; raises TypeError for others."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"a decision holds numbers, no {type(value).__name__}")


class Answering:
    """The other side: an agent that is asked, and says what it answers."""

    def __init__(self, hello: dict[str, Any], say: Callable[[dict[str, Any]], None]) -> None:
        self.say = say
        own.carry(own.unpacked(hello["own"]))
        self.agent = find_agent(hello["spec"], hello["game"])
        source = source_of(self.agent)
        self.wants_order = any(word in source for word in ORDER)

    def answer(self, rows: list[Any], dice: list[int], **more: Any) -> None:
        """Say a move for every row, or how the agent failed; with `limit`, all of a decision."""
        rules = self.agent.rules
        positions = [
            Position(rules, mover, occupied, tuple(moves)) for mover, occupied, moves in rows
        ]
        if self.wants_order:
            positions = [ordered(position) for position in positions]
        try:
            if self.agent.chooses_many and not more:
                found = self.agent.choose(boards_of(positions), np.array(dice, np.int64))
                moves = [operator.index(move) for move in found]
                if len(moves) != len(positions):
                    said = f"{len(moves)} moves for {len(positions)} positions"
                    raise OwnCodeError(f"{self.agent.spec}: {said}")
                for move in moves:
                    self.say({"move": move})
                return
            for position, seed in zip(positions, dice, strict=True):
                limit = NO_LIMIT.within(more.get("limit"))
                decision = self.agent.decide(position, np.random.default_rng(seed), limit)
                told = asdict(decision) if more else {}
                self.say({**told, "move": operator.index(decision.move)})
        except BaseException as error:  # nobody else interrupts this process
            self.say({"fails": own.told(error)})


def main() -> None:
    """Answer questions from standard input until it ends; what is printed goes where errors go."""
    borrowed.is_shared = False
    heard, pipe = own_pipes()
    here, speaking = os.getpid(), threading.Lock()

    def say(message: dict[str, Any]) -> None:
        if os.getpid() != here:
            os._exit(0)  # the agent has forked: one of the two is enough
        with speaking:
            pipe.write(json.dumps(message, default=_plain) + "\n")
            pipe.flush()

    lines = iter(heard.readline, "")
    working, hello = threading.get_ident(), json.loads(next(lines))

    def look() -> None:
        while True:
            time.sleep(EVERY)
            if line := own.line_now(working, hello["late"]):  # nobody else's while it waits
                say({"at": line})

    threading.Thread(target=look, daemon=True).start()
    with signs_of_starting(lambda: say({"starts": True})):
        try:
            answering = Answering(hello, say)
        except (FourlabError, SystemExit) as error:
            say({"refused": own.told(error)})
            return
        question = json.loads(next(lines))
        say({"ready": True})  # from here on a move is waited for
        answering.answer(**question)
    for line in lines:
        answering.answer(**json.loads(line))
    os._exit(0)  # whatever the agent left running


if __name__ == "__main__":
    main()
