"""An agent as an engine: the protocol of docs/engines.md, and UGI, from the program's side."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import math
import queue
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from fourlab.agents.apart import faultless
from fourlab.agents.base import Agent, Decision
from fourlab.agents.human import Human
from fourlab.agents.registry import agent as find_agent
from fourlab.core import own
from fourlab.core.errors import FourlabError, SpecError, quoted
from fourlab.core.limit import UNLIMITED, Limit
from fourlab.core.spec import Spec, configure, options_of, show_value
from fourlab.core.starting import signs_of_starting
from fourlab.positions.walks import late
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position, position_of, read_moves
from fourlab.version import __version__

UGI_TYPES = {bool: "check", int: "spin", float: "string", str: "string"}
LEAVE_SECONDS = 30.0  # that what was asked for last may still take
READY_SECONDS = 3.0  # for a first decision, since it was last seen importing or compiling
SEED_DIGITS = 20  # that 64 bits may need
SHARE = 20  # a move gets this part of the time that is left on a clock
LIMITS = ("time", "movetime", "nodes", "p1time", "p1inc", "p2time", "p2inc")  # behind `go`
RESULTS = {"first": "p1win", "second": "p2win", "draw": "draw", "in progress": "none"}


class EngineServer:
    """Answers lines; `say` takes the answers. What goes wrong is said as `error`, not raised."""

    def __init__(self, spec: str, rules: Rules, say: Callable[[str], None]) -> None:
        self.say = say
        self.line = 0  # the number of the line that is being answered
        self.stopped = -1  # that of the last `stop` which was read
        self.agent = find_agent(spec, rules)
        if isinstance(self.agent, Human):
            raise SpecError("agent 'human' is no program; name another")
        get_ready(self.agent)
        self.position = rules.start()
        self.rng = np.random.default_rng()

    def answer(self, line: str) -> bool:
        """Do what a line asks for; return whether to go on."""
        word, _, rest = line.strip().partition(" ")
        action = getattr(self, f"do_{word}", None)
        if word == "quit":
            return False
        if action is None:
            if word:
                self.say(f"info string unknown: {word}")
            return True
        try:
            action(rest.strip())
        except FourlabError as error:
            self.say(f"error {error}")
        except (Exception, SystemExit) as error:  # whatever it does, the next line is answered
            self.say(f"error {own.told(error)}")
        return True

    def do_fourlab(self, rest: str) -> None:
        """Introduce itself."""
        self._introduce("ready")

    def do_ugi(self, rest: str) -> None:
        """Introduce itself as the Universal Game Interface has it."""
        self._introduce("ugiok")

    def _introduce(self, end: str) -> None:
        self.say(f"id name fourlab {__version__} {self.agent.spec}")
        self.say("id author the authors of fourlab")
        for option in options_of(self.agent.Config):
            words = [f"option name {option.name} type {UGI_TYPES[option.kind]}"]
            default = getattr(self.agent.config, option.field)
            words.append(f"default {show_value(default)}")
            for word, bound in (("min", option.low), ("max", option.high)):
                if bound is not None:
                    words.append(f"{word} {show_value(option.kind(bound))}")
            self.say(" ".join(words))
        self.say(end)

    def do_isready(self, rest: str) -> None:
        """Say that everything before was done."""
        self.say("readyok")

    def do_uginewgame(self, rest: str) -> None:
        """Forget the game that was."""
        self._become(self.agent.config, self.agent.rules)

    do_newgame = do_uginewgame

    def do_game(self, rest: str) -> None:
        """Change the board: `columns 7 rows 6 connect 4 gravity 1`."""
        words = rest.split()
        given = dict(zip(words[::2], words[1::2], strict=False))
        try:
            columns, rows, connect = (int(given[n]) for n in ("columns", "rows", "connect"))
            gravity = {"1": True, "0": False}[given.get("gravity", "1")]
            rules = Rules(columns, rows, connect, gravity)
        except (KeyError, ValueError) as error:
            if isinstance(error, FourlabError):
                raise
            raise SpecError(f"game {rest!r}: write columns 7 rows 6 connect 4 gravity 1") from None
        if rules != self.agent.rules:
            self._become(self.agent.config, rules)

    def do_setoption(self, rest: str) -> None:
        """Set an option of the agent: `name depth value 4`."""
        words = rest.split()
        if len(words) < 4 or words[0] != "name" or words[2] != "value":
            raise SpecError(f"setoption {rest!r}: write name NAME value VALUE")
        self._become(self._changed(words[1], " ".join(words[3:])), self.agent.rules)

    def _changed(self, name: str, value: str) -> Any:
        """Return the options of the agent with another value; raises SpecError if it has none."""
        fresh = configure(self.agent.Config, Spec(self.agent.name, {name: value}), "agent")
        [field] = [o.field for o in options_of(self.agent.Config) if o.name == name]
        return dataclasses.replace(self.agent.config, **{field: getattr(fresh, field)})

    def _become(self, config: Any, rules: Rules) -> None:
        kind: type[Agent] = type(self.agent)
        self.agent = kind(rules, config)
        self.agent.prepare()
        self.position = rules.start()

    def do_position(self, rest: str) -> None:
        """Set the position: a move string, or `startpos moves 4 4 5`."""
        words = rest.split()
        if words[:1] == ["startpos"] and words[1:2] not in ([], ["moves"]):
            raise SpecError(f"position {quoted(rest)}: write startpos moves 4 4 5")
        moves = words[2:] if words[:1] == ["startpos"] else words
        rules = self.agent.rules
        self.position = position_of(rules, read_moves(rules, " ".join(moves)))

    def do_seed(self, rest: str) -> None:
        """Set the dice of the next decisions."""
        if not (rest.isascii() and rest.isdigit() and len(rest) <= SEED_DIGITS):
            raise SpecError(f"seed {quoted(rest)}: write a whole number from 0 on")
        self.rng = np.random.default_rng(int(rest))

    def do_go(self, rest: str) -> None:
        """Think and answer."""
        if self.position.is_over:
            raise SpecError(f"the game is over in {self.position.notation!r}; go where it is not")
        words = rest.split()
        given = dict(itertools.pairwise([*words, ""]))
        player = self.agent
        if "depth" in given and hasattr(player.config, "depth"):
            player = type(player)(player.rules, self._changed("depth", given["depth"]))
        numbers = {name: _number(name, given[name]) for name in LIMITS if name in given}
        decision = player.decide(self.position, self.rng, self._limit(numbers))
        if not type(player).__module__.startswith("fourlab."):
            faultless(player, decision)
        self.say(information(self.position, decision))
        self.say(f"bestmove {decision.move + 1}")

    def _limit(self, given: dict[str, float]) -> Limit:
        """Return when to stop, from any of the ways in which that is said."""
        seconds = given.get("time", math.inf)
        if "movetime" in given:
            seconds = given["movetime"] / 1000
        clock = f"p{self.position.to_move + 1}"
        if f"{clock}time" in given:
            seconds = (given[f"{clock}time"] / SHARE + given.get(f"{clock}inc", 0) / 2) / 1000
        here = self.line
        return Limit(seconds, int(given.get("nodes", UNLIMITED)), lambda: self.stopped > here)

    def do_query(self, rest: str) -> None:
        """Tell of the position: `gameover`, `p1turn` or `result`."""
        position = self.position
        answers = {
            "gameover": str(position.is_over).lower(),
            "p1turn": str(position.to_move == 0).lower(),
            "result": RESULTS[position.outcome.value],
        }
        if rest not in answers:
            raise SpecError(f"query {rest!r}: ask for one of {', '.join(answers)}")
        self.say(f"response {answers[rest]}")


def _number(name: str, text: str) -> float:
    """Return a number of `go`, 0 for one below it: a clock that has run out is no error."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise SpecError(f"go {name} {quoted(text)}: write a number behind {name}")
    return max(0.0, number)


def get_ready(agent: Agent) -> None:
    """Let an agent compile and load before anybody waits for it.

    People's own code does so in its first decision. It is waited for as long as it is seen to
    import or compile, and otherwise for a moment.
    """
    agent.prepare()
    if type(agent).__module__.startswith("fourlab."):
        return
    lively = threading.Event()

    def decide() -> None:
        with contextlib.suppress(BaseException), signs_of_starting(lively.set):
            agent.decide(late(agent.rules.start()), np.random.default_rng(0))

    deciding = threading.Thread(target=decide, daemon=True)
    deciding.start()
    deciding.join(READY_SECONDS)
    while deciding.is_alive() and lively.is_set():
        lively.clear()
        deciding.join(READY_SECONDS)


def information(position: Position, decision: Decision) -> str:
    """Return a line that tells why: nodes, how it goes on, what each move is worth."""
    words = ["info", "nodes", str(decision.effort)]
    words += ["pv", *(str(move + 1) for move in decision.line or (decision.move,))]
    if decision.values is not None:
        shown = ["-" if value is None else f"{value:z.9g}" for value in decision.values]
        words += ["values", *shown]
    return " ".join(words)


def serve(server: EngineServer, lines: Iterable[str], leave: Callable[[], None]) -> None:
    """Answer lines until they end or say so; `stop` is heard while it thinks.

    `leave` is called if it still thinks long after the last line.
    """
    waiting: queue.SimpleQueue[str] = queue.SimpleQueue()

    def listen() -> None:
        for number, line in enumerate(lines, 1):
            if line.strip() == "stop":
                server.stopped = number
            waiting.put(line)
        waiting.put("quit")
        time.sleep(LEAVE_SECONDS)
        leave()

    threading.Thread(target=listen, daemon=True).start()
    while True:
        line = waiting.get()
        server.line += 1
        if line.strip() != "stop" and not server.answer(line):
            return
