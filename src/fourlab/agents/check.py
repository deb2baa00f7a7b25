"""Whether an agent is sound: the laws of agents, tried out on several boards.

`Checks` says what it does before it does it, as plain data, so that whoever listens knows where an
agent hangs or takes its process down. `python -m fourlab.agents.check SPEC SECONDS` does so in
lines of JSON.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import faulthandler
import functools
import io
import json
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from fourlab.agents.apart import faultless
from fourlab.agents.base import Agent, kernel_seed
from fourlab.agents.registry import agent
from fourlab.core import borrowed, own
from fourlab.core.errors import FourlabError, GeometryError
from fourlab.core.lines import own_pipes
from fourlab.core.starting import EVERY, signs_of_starting
from fourlab.positions.walks import wander
from fourlab.rules.boards import boards_of
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position
from fourlab.values.base import WrongGameError

BOARDS = ("connect4", "connect:columns=5,rows=4,k=4", "connect:columns=9,rows=5,k=4", "tictactoe")
POSITIONS = 60  # of a board
RICH = 4  # of them: the empty board, a last move, a full column and any other
WALKS = 200  # random games in which they are looked for
Say = Callable[[dict[str, Any]], None]


class UnsoundError(Exception):
    """A law that an agent breaks, in words."""


class Checks:
    """Tries an agent out; `say` hears of every step and what came of it."""

    def __init__(self, spec: str, seconds: float, say: Say, boards: tuple[str, ...]) -> None:
        self.spec = spec
        self.seconds = seconds  # for all boards together
        self.say = say
        self.boards = boards
        self.times: list[float] = []

    def run(self) -> bool:
        """Try everything; return whether all of it held."""
        players = list(self._load())
        if not players:
            return False
        laws = (
            ("legal moves", self._legal),
            ("same seed, same move", self._repeats),
            ("many boards at once", self._chooses_many),
        )
        held = all(self._try(name, law, players) for name, law in laws)  # up to the first fault
        if self.times:
            middle, slowest = np.median(self.times) * 1e3, max(self.times) * 1e3
            words = f"{middle:.3g} ms a move, the slowest {slowest:.3g} ms"
            self.say({"passed": "speed", "says": words, "slowest": max(self.times)})
        return held

    def _load(self) -> Iterator[Agent]:
        """Make the agent for every board that it plays on."""
        found, refusals = [], []
        for board in self.boards:
            self.say({"step": "loads", "where": board})
            try:
                player = agent(self.spec, board)
                player.prepare()
                found.append(player)
            except (GeometryError, WrongGameError) as error:
                refusals.append(str(error))
            except (Exception, SystemExit) as error:
                self._fail("loads", "" if isinstance(error, FourlabError) else board, "")
                return
        if not found:
            self.say(
                {"failed": "loads", "line": refusals[0], "where": "", "printed": "", "trace": ""}
            )
            return
        boards = ", ".join(str(player.rules) for player in found)
        self.say({"passed": "loads", "says": f"{found[0].spec} on {boards}"})
        yield from found

    def _try(self, name: str, law: Callable[[Agent], int], players: list[Agent]) -> bool:
        tried = []
        try:
            for player in players:
                tried.append(law(player))
        except UnsoundError:
            return False
        says = f"{sum(tried)} positions"
        says += ", full columns and last moves among them" * all(n >= RICH for n in tried)
        says += "; give it more --seconds for more" * any(n < RICH for n in tried)
        self.say({"passed": name, "says": says if any(tried) else "does not apply"})
        return True

    def _legal(self, player: Agent) -> int:
        """Legal everywhere, and the position stays as it was."""
        for count, position in enumerate(self._positions(player.rules, "legal moves"), 1):
            before = copy.deepcopy(position)
            with self._caught("legal moves", position):
                began = time.perf_counter()
                decision = player.decide(position, np.random.default_rng(count))
                self.times.append(time.perf_counter() - began)
                move = faultless(player, decision).move
                if move not in before.legal_moves():
                    before.play(move)  # which says why that cannot be
                    raise UnsoundError(f"it answered {move!r}, which is no whole number")
                if (position, position.moves) != (before, before.moves):
                    raise UnsoundError("it changed the position; play gives a new one")
        return count

    def _repeats(self, player: Agent) -> int:
        """The same dice give the same move, also to a new agent."""
        name, count = "same seed, same move", 0
        for count, position in enumerate(self._positions(player.rules, name), 1):  # noqa: B007
            with self._caught(name, position):
                fresh = agent(self.spec, player.rules)
                players = (player, player, fresh)
                found = [one.decide(position, np.random.default_rng(7)).move for one in players]
                if len(set(found)) > 1:
                    moves = " and ".join(str(move + 1) for move in dict.fromkeys(found))
                    raise UnsoundError(f"one seed, moves {moves}: draw all chance from rng")
        return count

    def _chooses_many(self, player: Agent) -> int:
        """`choose` and `decide` agree, where an agent has both."""
        if not player.chooses_many or getattr(player.config, "reuse", False):
            return 0
        name = "many boards at once"
        positions = list(self._positions(player.rules, name))
        seeds = np.array([kernel_seed(np.random.default_rng(n)) for n in range(len(positions))])
        with self._caught(name, positions[0]):
            moves = player.choose(boards_of(positions), seeds).tolist()
        for number, position in enumerate(positions):
            with self._caught(name, position):
                alone = player.decide(position, np.random.default_rng(number)).move
                if alone != moves[number]:
                    raise UnsoundError(f"choose gives {moves[number] + 1}, decide {alone + 1}")
        return len(positions)

    def _positions(self, rules: Rules, step: str) -> Iterator[Position]:
        """Yield positions to ask about, in an order that is rich from the beginning."""
        positions = sample(rules)
        until = time.perf_counter() + self.seconds / (3 * len(self.boards))
        for number, position in enumerate(positions):
            if number and time.perf_counter() > until:
                return
            self.say({"step": step, "where": where(position)})
            yield dataclasses.replace(position)  # an agent may change it

    @contextlib.contextmanager
    def _caught(self, step: str, at: Position) -> Iterator[None]:
        """Keep what is printed, and tell of whatever goes wrong; raises UnsoundError then."""
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                yield
        except (Exception, SystemExit):
            self._fail(step, where(at), printed.getvalue())
            raise UnsoundError from None

    def _fail(self, step: str, place: str, printed: str) -> None:
        """Tell of the error that is being handled."""
        error = sys.exc_info()[1]
        assert error is not None  # noqa: S101  # called while one is handled
        ours = isinstance(error, UnsoundError | FourlabError)
        self.say(
            {
                "failed": step,
                "line": str(error) if ours else own.told(error),
                "where": place,
                "printed": printed,
                "trace": "" if ours and error.__cause__ is None else own_trace(error),
            }
        )


@functools.lru_cache(maxsize=len(BOARDS))
def sample(rules: Rules) -> tuple[Position, ...]:
    """Return positions of random games: last moves and full columns first, then any."""
    rng = np.random.default_rng(1)
    seen = [p for _ in range(WALKS) for p in wander(rules.start(), rng) if not p.is_over]
    few = [p for p in seen if len(p.legal_moves()) == 1]
    full = [p for p in seen if 1 < len(p.legal_moves()) < rules.move_count]
    rest = [seen[i] for i in rng.permutation(len(seen))]
    mixed = [p for group in zip(few, full, rest, strict=False) for p in group]
    return tuple(dict.fromkeys([rules.start(), *mixed, *full[:10], *rest]))[:POSITIONS]


def where(position: Position) -> str:
    """Return a position in a word that can be given to `fourlab analyze`."""
    return f"{position.rules} '{position.notation}'"


def own_trace(error: BaseException) -> str:
    """Return the traceback of an error from the first line of one's own code on."""
    lines = traceback.format_exception(error.__cause__ or error)
    return "".join([lines[0], *_own_part(lines[1:])]).rstrip()


def _own_part(lines: list[str]) -> list[str]:
    """Return the entries of a traceback from the first line of one's own code on."""
    return lines[next((n for n, line in enumerate(lines) if own.is_own_frame(line)), 0) :]


def main() -> None:
    """Check the agent of the command line and say so in lines; prints go where errors go."""
    spec, seconds, load_seconds, patience, *boards = sys.argv[1:]
    borrowed.is_shared = False
    _, pipe = own_pipes()
    here, speaking = os.getpid(), threading.Lock()
    working, words = threading.get_ident(), ""

    def tell(message: dict[str, Any]) -> None:
        with speaking:
            pipe.write(json.dumps(message) + "\n")
            pipe.flush()

    def say(message: dict[str, Any]) -> None:
        nonlocal words
        if os.getpid() != here:
            os._exit(0)  # the agent has forked: one of the two is enough
        allowed = load_seconds if message.get("step") == "loads" else patience
        words = f"no answer within {float(allowed):g} s"
        tell(message)

    def look() -> None:
        while True:
            faulthandler.dump_traceback_later(3 * EVERY)  # where no thread but one comes to run
            time.sleep(EVERY)
            trace = traceback.format_stack(sys._current_frames()[working])
            line = own.line_now(working, words)
            tell({"stuck": line or words, "trace": "".join(_own_part(trace)) if line else ""})

    threading.Thread(target=look, daemon=True).start()
    with signs_of_starting(lambda: tell({"starts": True})):
        held = Checks(spec, float(seconds), say, tuple(boards) or BOARDS).run()
    tell({"sound": held})
    os._exit(0)  # whatever it left running


if __name__ == "__main__":
    main()
