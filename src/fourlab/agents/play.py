"""One game between two agents, and its record."""

from __future__ import annotations

import time
from dataclasses import asdict, replace

import numpy as np

from fourlab.agents.base import Agent, Decision
from fourlab.agents.registry import Named
from fourlab.agents.registry import agent as find_agent
from fourlab.core.errors import FourlabError
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.core.lines import KEPT_ERRORS
from fourlab.core.spec import counted
from fourlab.rules.catalog import game as find_game
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position, checked_position
from fourlab.rules.record import GameRecord, seconds_by_side


class GameInPlay:
    """A game that is going on between two agents, of whom either may be a person."""

    def __init__(
        self, rules: Rules, first: Agent, second: Agent, seed: int, start: Position | None = None
    ) -> None:
        self.agents = (first, second)
        self.seed = seed
        self.positions = [rules.start() if start is None else start]
        self.seconds: list[float] = []  # of each move
        self.decisions: list[Decision | None] = []  # of each move, None where a person made it
        self._plies = self.position.ply
        children = np.random.SeedSequence(seed).spawn(2)
        self._rngs = [np.random.default_rng(child) for child in children]
        self.heard = ["", ""]  # of what either side wrote to standard error
        for agent in self.agents:
            agent.said()  # of earlier games

    @property
    def position(self) -> Position:
        """The position now."""
        return self.positions[-1]

    @property
    def to_move(self) -> Agent:
        """The agent to move."""
        return self.agents[self.position.to_move]

    def step(self, limit: Limit = NO_LIMIT) -> Decision:
        """Let the agent to move decide, and play its move; getting ready is off the clock.

        It is shown a copy: whatever it does to it, the game goes on from the position.
        """
        self.to_move.prepare()
        began = time.perf_counter()
        shown = replace(self.position)
        decision = self.to_move.decide(shown, self._rngs[self.position.to_move], limit)
        self.play(decision.move, time.perf_counter() - began, decision)
        return decision

    def play(self, move: int, seconds: float, decision: Decision | None = None) -> None:
        """Play a move that was decided elsewhere; raises IllegalMoveError and changes nothing."""
        self.positions.append(self.position.play(move))
        self.seconds.append(seconds)
        self.decisions.append(decision)

    def undo(self, plies: int) -> None:
        """Take back moves of this game, as far as there are any."""
        keep = max(0, len(self.seconds) - plies)
        del self.positions[keep + 1 :], self.seconds[keep:], self.decisions[keep:]

    def hear(self, side: int, text: str) -> None:
        """Take down what the agent of a side has written."""
        self.heard[side] = (self.heard[side] + text)[-KEPT_ERRORS:]

    def said(self) -> tuple[str, str]:
        """Return the end of what either side has written to standard error in this game."""
        for side, agent in enumerate(self.agents):
            self.hear(side, agent.said())
        return self.heard[0], self.heard[1]

    def record(self, with_decisions: bool = False) -> GameRecord:
        """Return the record of the game so far, with what agents thought if that is wanted."""
        times = tuple(round(second, 6) for second in self.seconds)
        told = tuple({} if d is None else asdict(d) for d in self.decisions)
        return GameRecord(
            game=str(self.position.rules),
            first=self.agents[0].spec,
            second=self.agents[1].spec,
            seed=self.seed,
            moves=self.position.notation,
            outcome=self.position.outcome.value,
            seconds=seconds_by_side(self.position.ply, times),
            plies=self._plies,
            move_seconds=times,
            decisions=told if with_decisions else (),
            said=self.said(),
        )


def play_game(
    rules: str | Rules, first: Named, second: Named, seed: int, start: Position | None = None
) -> GameRecord:
    """Play a game to its end; the same seed gives the same game."""
    rules = find_game(rules)
    if start is not None and checked_position(start).rules != rules:
        raise FourlabError(f"{start.rules} is not the game to be played, {rules}")
    one, other = find_agent(first, rules), find_agent(second, rules)
    game = GameInPlay(rules, one, other, counted("seed", seed, 0), start)
    while not game.position.is_over:
        game.step()
    return game.record()
