"""The child process in which agents play: reads requests, plays games, says what happens.

`seats.py` starts it and listens.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import queue
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fourlab.agents.base import Agent
from fourlab.agents.play import GameInPlay
from fourlab.arena.games import DRAW, LOSS, WIN
from fourlab.arena.identity import known_agent
from fourlab.arena.pairing import import_modules
from fourlab.arena.seats import guilty
from fourlab.arena.threads import Threads
from fourlab.core import borrowed, own
from fourlab.core.errors import FourlabError
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.core.lines import own_pipes, taken
from fourlab.core.starting import EVERY, signs_of_starting
from fourlab.positions.walks import late
from fourlab.rules.position import Position, position_of

TOLD = 0.9  # of the clock is what agents are told; the rest is for the way


class Host:
    """Plays what is asked for, and says what happens."""

    def __init__(
        self,
        say: Callable[[dict[str, Any]], None],
        printed: Callable[[], str] = str,
        faults: tuple[type[BaseException], ...] = (Exception, SystemExit),
    ) -> None:
        self.say = say
        self.faults = faults  # that an agent can make
        self.printed = printed  # what agents have printed since the last call
        self.warm: weakref.WeakSet[Agent] = weakref.WeakSet()
        self.count = threading.active_count()  # of threads that are not an agent's
        self.threads = Threads()
        self.late = ""  # what is said of an agent that thinks and does not come back

    def serve(self, request: dict[str, Any]) -> bool:
        """Play the games of one request; return whether others can be played here."""
        try:
            own.carry(own.unpacked(request["own"]))
            import_modules(tuple(request["modules"]))
            seats = zip(request["agents"], request["checksums"], (0, 1), strict=True)
            agents = [known_agent(spec, request["game"], *seat) for spec, *seat in seats]
        except FourlabError as error:
            self.say({"refused": str(error)})
            return True
        told = Limit(TOLD * request["limit"]) if request["clock"] else NO_LIMIT
        rows = zip(request["numbers"], request["seeds"], request["openings"], strict=True)
        for number, seed, opening in rows:
            start = position_of(agents[0].rules, opening)
            cold = [agent for agent, warm in zip(agents, request["warm"], strict=True) if not warm]
            self.warm.update(cold)  # as far as they can be
            self._warm(agents, number, start, told)
            self.play(number, agents, seed, start, request["limit"], told)
        return not self.threads.are_at_work()

    def _warm(self, agents: list[Agent], number: int, start: Position, told: Limit) -> None:
        """Ask each new agent for a decision off the clock: the first may compile and load.

        It is asked about a position near the end, which is quickly decided.
        """
        for side, player in enumerate(agents):
            if player not in self.warm:
                moves = list(start.moves)
                here = {"number": number, "moves": moves, "seconds": [0.0, 0.0]}
                self.say({"thinks": side, "agent": player.spec, "warms": True, **here})
                self.warm.add(player)
                with (
                    contextlib.suppress(*self.faults),  # the game itself will show it
                    signs_of_starting(lambda: self.say({"starts": True})),
                ):
                    player.decide(late(start), np.random.default_rng(0), told)
                self.threads.belong_to(player.spec)

    def play(
        self,
        number: int,
        agents: Sequence[Agent],
        seed: int,
        start: Position,
        limit: float,
        told: Limit = NO_LIMIT,
    ) -> None:
        """Play one game to its end or a forfeit; agents know of what they are told."""
        order = (0, 1) if number % 2 == 0 else (1, 0)  # which agent is first and second player
        first, second = (agents[side] for side in order)
        game = GameInPlay(start.rules, first, second, seed, start)
        self.printed()  # before this game
        seconds = [0.0, 0.0]
        forfeit = ""
        while not game.position.is_over and not forfeit:
            side = order[game.position.to_move]
            moves = list(game.position.moves)
            said = [game.heard[place] for place in order]
            here = {"number": number, "moves": moves, "seconds": seconds, "said": said}
            self.say({"thinks": side, "agent": agents[side].spec, **here})
            specs = [agent.spec for agent in agents]
            other = specs[1 - side]
            self.late, taken = f"no move within {limit:g} s", self.threads.work(other)
            began, worked = time.perf_counter(), time.thread_time()
            try:
                game.step(told)
            except self.faults as error:  # what an agent does is its own affair
                forfeit = own.told(error)
            spent = time.perf_counter() - began
            self.late = ""
            self.threads.belong_to(specs[side])
            seconds[side] += spent
            game.hear(order[side], self.printed())
            if forfeit:
                side = guilty(specs, side)
            elif spent > limit:
                worked, taken = time.thread_time() - worked, self.threads.work(other) - taken
                side, forfeit = self._late(specs, side, spent, worked, spent - taken <= limit)
                forfeit += f", allowed are {limit:g} s"
            if forfeit:
                self.warm.discard(agents[side])  # what has died starts off the clock
                forfeit = f"{agents[side].spec} at move {len(moves) + 1}: {forfeit}"
        result = _result(game.position, order, side if forfeit else None)
        played = moves if forfeit else list(game.position.moves)  # a late move does not count
        texts = game.said()
        message = {"number": number, "moves": played, "seconds": seconds}
        message["said"] = [texts[place] for place in order]
        self.say({**message, "result": result, "forfeit": forfeit})

    def _late(
        self, specs: Sequence[str], side: int, spent: float, worked: float, was_kept: bool
    ) -> tuple[int, str]:
        """Return whose fault a late move is, and what to say of it; `worked` is processor time.

        Ours never wait: one that hardly worked was kept from it by threads that the other left.
        So was whoever would have been in time (`was_kept`) without what these have worked.
        """
        took, blamed = f"took {spent:.3g} s", side
        if threading.active_count() > self.count and worked < spent / 2:
            blamed = guilty(specs, side)
        if was_kept and specs[0] != specs[1]:
            blamed = 1 - side
        if blamed != side:
            return blamed, f"its threads left no time to {specs[side]}, which {took}"
        return side, took


def _result(position: Position, order: tuple[int, int], forfeiter: int | None) -> int:
    """Return the result of agent 0."""
    if forfeiter is not None:
        return LOSS if forfeiter == 0 else WIN
    winner = position.outcome.winner
    if winner is None:
        return DRAW
    return WIN if order[winner] == 0 else LOSS


def main() -> None:
    """Serve requests from standard input until it ends; then end at once, whatever goes on."""
    borrowed.is_shared = False
    lines, pipe = own_pipes()
    requests: queue.SimpleQueue[str] = queue.SimpleQueue()

    def listen() -> None:
        for line in lines:
            requests.put(line)
        os._exit(0)  # the worker is gone

    threading.Thread(target=listen, daemon=True).start()

    here, speaking = os.getpid(), threading.Lock()

    def say(message: dict[str, Any]) -> None:
        if os.getpid() != here:
            os._exit(0)  # an agent has forked: one of the two is enough
        with speaking:
            pipe.write(json.dumps(message) + "\n")
            pipe.flush()

    # Nobody but an agent interrupts this process.
    host = Host(say, functools.partial(taken, 2), (BaseException,))
    playing = threading.get_ident()

    def look() -> None:
        while True:
            time.sleep(EVERY)
            if host.late and (line := own.line_now(playing, host.late)):
                say({"at": line})

    threading.Thread(target=look, daemon=True).start()
    host.threads.belong_to("")
    while host.serve(json.loads(requests.get())):
        pass
    os._exit(0)  # threads that an agent left would take time from others


if __name__ == "__main__":
    main()
