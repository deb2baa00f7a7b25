"""Games between agents that are plain Python: in a process of their own, under a clock.

A seat is a child process (`host.py`) that plays whole games and tells of each move before it is
thought about. So an agent that hangs is known and its process killed; one that raises, moves
illegally or takes too long forfeits; and one that takes its process down with it does so alone.
The two sides speak JSON lines over pipes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from fourlab.agents.engine import EngineAgent
from fourlab.agents.registry import AGENTS
from fourlab.arena.games import LOSS, WIN, Games
from fourlab.arena.pairing import Pairing, Stretch, Watch
from fourlab.core import own
from fourlab.core.errors import FourlabError
from fourlab.core.limit import CalledOffError, Limit, never
from fourlab.core.lines import KEPT_ERRORS, LineProcess, python_with_fourlab, told_in
from fourlab.core.spec import parse

MOVE_SECONDS = 60.0  # where nothing else is said
START_SECONDS = 120.0  # until the process first speaks
WARM_SECONDS = 120.0  # for a decision of ours off the clock, which may compile or load
OWN_WARM_SECONDS = 30.0  # for people's own, since it was last seen importing or compiling
MOST_HANGS = 3  # games in a row that an agent may hang in where no clock is asked for
LOOK_SECONDS = 0.2  # between two looks whether anybody still waits
KNOWN = {"refused", "starts", "at", "number"}  # one of which every message of a seat has
GRACE = 1.0  # seconds that a seat may take to say what it has measured itself


class Seat:
    """A child process that plays games, and what it has said."""

    def __init__(self) -> None:
        self.child = LineProcess(python_with_fourlab("fourlab.arena.host"))
        self.at = ""  # the line that an own agent was in a moment ago, if it thinks for long

    def ask(self, request: dict[str, Any]) -> None:
        """Send a request; what comes of it is heard."""
        self.child.say(json.dumps(request))

    def hear(self, seconds: float) -> dict[str, Any] | None:
        """Return the next message, or None if the process has died; raises TimeoutError.

        One that says what is no message of ours is as good as dead: its agents have found the pipe.
        """
        message = told_in(self.child.hear(seconds) or "")
        return message if message.keys() & KNOWN else None


_hung: set[str] = set()  # agents that never came back from a first decision off the clock
_hangs: Counter[str] = Counter()  # games in a row in which an agent gave no move
_idle: list[Seat] = []  # seats that wait for the next job, of whichever thread


def _take() -> Seat:
    """Return a seat that is alive; other threads may take the last one at any moment."""
    while True:
        try:
            seat = _idle.pop()
        except IndexError:
            return Seat()
        if seat.child.is_alive:
            return seat


def play_seated(job: Stretch, watch: Watch, stop: Callable[[], bool] = never) -> Games:
    """Play games through `decide`; every one of them gets a result.

    A game whose process dies is played once more, since the death may have come from outside; if
    it dies again, the agent that was thinking forfeits. One that hangs again and again under the
    clock that nobody asked for is not waited for any more.
    """
    done: dict[int, dict[str, Any]] = {}
    numbers = range(job.first, job.first + job.count)
    cold, died_in = set(_hung), None
    agents = (job.pairing.a, job.pairing.b)
    while left := _left(job, done):
        thinking: dict[str, Any] = {}
        seat = _take()
        try:
            for message in _messages(seat, job.pairing, left, cold, stop):
                watch(Stretch(job.pairing, message["number"], 1), message["moves"])
                thinking = message if "thinks" in message else {}
                if not thinking:
                    done[message["number"]] = message
                    _hangs[job.pairing.a] = _hangs[job.pairing.b] = 0
        except (TimeoutError, EOFError) as silence:
            printed = seat.child.errors()
            ending = seat.child.leave(GRACE)
            if "warms" in thinking:  # it is the games that show what an agent does
                cold.add(agents[thinking["thinks"]])
                _hung.update(cold if isinstance(silence, TimeoutError) else ())
            elif thinking and isinstance(silence, TimeoutError):
                _hangs[agents[thinking["thinks"]]] += 1
                late = seat.at or f"no move within {_limit(job.pairing):g} s"
                _forfeit(done, thinking, late, printed)
            elif died_in == thinking.get("number", left[0]):
                _forfeit(done, _blamed(thinking, agents), f"its process {ending}", printed)
            else:
                died_in = thinking.get("number", left[0])
        except BaseException:
            seat.child.close()  # it may be in the middle of a game that nobody waits for
            raise
        else:
            _idle.append(seat)
    return gathered(job.pairing, [done[number] for number in numbers])


def _heard(seat: Seat, patience: float, stop: Callable[[], bool]) -> dict[str, Any] | None:
    """Return what a seat says next, as `hear` does; raises CalledOffError once `stop` says so."""
    watch = Limit(patience).watch()
    while True:
        if stop():
            raise CalledOffError
        try:
            message = seat.hear(min(LOOK_SECONDS, max(watch.left, 0.0)))
        except TimeoutError:
            if watch.left <= 0:
                raise
        else:
            seat.at = str((message or {}).get("at", ""))
            if not seat.at:
                return message


def _messages(
    seat: Seat, pairing: Pairing, numbers: list[int], cold: set[str], stop: Callable[[], bool]
) -> Iterator[dict[str, Any]]:
    """Yield what a seat says while it plays; raises TimeoutError or EOFError when it is silent."""
    chosen = np.array(numbers, np.int64)
    specs = (pairing.a, pairing.b)
    seat.child.restrict(strictly=not all(is_ours(spec) for spec in specs))
    limit = _limit(pairing)
    seat.ask(
        {
            "own": own.carried(),
            "game": pairing.game,
            "agents": [pairing.a, pairing.b],
            "checksums": pairing.checksums,
            "modules": pairing.modules,
            "limit": limit,
            "clock": pairing.move_seconds is not None,
            "warm": [agent not in cold for agent in (pairing.a, pairing.b)],
            "numbers": numbers,
            "seeds": pairing.seeds(chosen).tolist(),
            "openings": pairing.openings(chosen).moves.tolist(),
        }
    )
    patience = START_SECONDS
    for _ in numbers:
        while True:
            message = _heard(seat, patience, stop)
            if message is None:
                raise EOFError
            if "refused" in message:
                raise FourlabError(message["refused"])
            if "starts" in message:
                continue  # as patient as before
            yield message
            patience = limit + GRACE
            if "warms" in message:
                is_known = is_trusted(specs[message["thinks"]])
                patience = WARM_SECONDS if is_known else OWN_WARM_SECONDS
            if "result" in message:
                break


def _limit(pairing: Pairing) -> float:
    """Return the seconds that a move may take."""
    return pairing.move_seconds or MOVE_SECONDS


def is_trusted(spec: str) -> bool:
    """Return whether an agent runs no code but ours."""
    return is_ours(spec) and parse(spec).name != EngineAgent.name


def guilty(specs: Sequence[str], side: int) -> int:
    """Return whose fault it is that the agent of a side failed.

    One of ours does not fail, unless somebody's own code has broken the process that they share.
    """
    return 1 - side if is_trusted(specs[side]) and not is_ours(specs[1 - side]) else side


def _blamed(thinking: dict[str, Any], specs: Sequence[str]) -> dict[str, Any]:
    """Return a thought in which a process died, as that of the guilty one."""
    if not thinking:
        return thinking
    side = guilty(specs, thinking["thinks"])
    return {**thinking, "thinks": side, "agent": specs[side]}


def is_ours(spec: str) -> bool:
    """Return whether an agent is of fourlab; all others get the strictest limits."""
    name = parse(spec).name
    kind = None if own.is_own(name) else AGENTS.get(name)
    return kind is not None and kind.__module__.startswith("fourlab.")


def _forfeit(
    done: dict[int, dict[str, Any]], thinking: dict[str, Any], reason: str, printed: str
) -> None:
    """Enter a game that ended in the middle of a thought."""
    if not thinking:
        raise FourlabError(f"a game could not be played: {reason}")
    side, said = thinking["thinks"], thinking["said"]
    said[side] = (said[side] + printed)[-KEPT_ERRORS:]
    done[thinking["number"]] = {
        "number": thinking["number"],
        "result": LOSS if side == 0 else WIN,
        "moves": thinking["moves"],
        "seconds": thinking["seconds"],
        "forfeit": f"{thinking['agent']} at move {len(thinking['moves']) + 1}: {reason}",
        "said": said,
    }


def _left(job: Stretch, done: dict[int, dict[str, Any]]) -> list[int]:
    """Return the games still to be played; an agent that only hangs loses its own at once.

    So it is where no clock was asked for: under one it costs what its owner chose.
    """
    pairing, numbers = job.pairing, range(job.first, job.first + job.count)
    left = [number for number in numbers if number not in done]
    hopeless = [one for one in (pairing.a, pairing.b) if _hangs[one] >= MOST_HANGS]
    if not left or not hopeless or pairing.move_seconds is not None:
        return left
    side = (pairing.a, pairing.b).index(hopeless[0])
    reason = f"not asked: no move within {MOVE_SECONDS:g} s in {MOST_HANGS} games in a row"
    openings = pairing.openings(np.array(left, np.int64)).moves.tolist()
    for number, moves in zip(left, openings, strict=True):
        here = {"number": number, "moves": moves, "seconds": [0.0, 0.0], "said": ["", ""]}
        _forfeit(done, {**here, "thinks": side, "agent": hopeless[0]}, reason, "")
    return []


def gathered(pairing: Pairing, messages: list[dict[str, Any]]) -> Games:
    """Return the games that messages tell of."""
    moves = np.zeros((len(messages), pairing.rules.cells), np.uint8)
    for row, message in enumerate(messages):
        moves[row, : len(message["moves"])] = message["moves"]
    return Games(
        np.array([message["number"] for message in messages], np.int64),
        np.array([message["result"] for message in messages], np.int8),
        np.array([len(message["moves"]) for message in messages], np.int64),
        moves,
        np.array([message["seconds"] for message in messages], np.float64),
        {m["number"]: m["forfeit"] for m in messages if m["forfeit"]},
        {m["number"]: (m["said"][0], m["said"][1]) for m in messages if any(m["said"])},
    )
