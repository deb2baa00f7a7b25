"""A fourlab agent as the thinker of a submission: boards into positions, time into options."""

import dataclasses
from typing import Any

import numpy as np

from fourlab.adapters.plain import Grid, plain_move
from fourlab.adapters.submission import Left, Request, Thinker
from fourlab.agents.base import Agent
from fourlab.core.errors import GeometryError, SpecError
from fourlab.core.jit import COMPILED
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.core.spec import configure, parse
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position
from fourlab.values.base import WrongGameError

WARM_UP_SECONDS = 0.001  # what counts is that everything is compiled


def make_thinker(
    kind: type[Agent], text: str, grid: Grid, seed: int | None = None, **carried: bytes
) -> Thinker:
    """Return what plays the agent of a spec string on boards like this one.

    `carried` is what a submission hands to its agent. Boards that no bit board holds, and those
    that an agent has not learned, are left to the plain player.
    """
    try:
        rules = Rules(grid.columns, grid.rows, grid.inarow)
        agent = kind(rules, submission_config(kind, text), **carried)
    except (GeometryError, WrongGameError, SpecError):  # the last: no network ships
        return lambda turn, left: plain_move(turn.grid, turn.mark)
    return AgentThinker(agent, seed)


class AgentThinker:
    """Lets an agent decide: in the time that is left, or its own `time=` if that is shorter."""

    def __init__(self, agent: Agent, seed: int | None) -> None:
        self.agent = agent
        self._rng = np.random.default_rng(seed)
        if COMPILED:
            self._warm_up()

    def __call__(self, turn: Request, left: Left) -> int:
        """Return the agent's move; what need not look at the clock does not."""
        position = read_position(self.agent.rules, turn)
        limit = self._limit(left())
        return self.agent.decide(position, self._rng, limit).move

    def _limit(self, seconds: float) -> Limit:
        return Limit(seconds=seconds) if hasattr(self.agent.config, "time") else NO_LIMIT

    def _warm_up(self) -> None:
        """Compile all that the agent needs: a decision, and one that follows another."""
        self.agent.prepare()
        position = quiet_position(self.agent.rules)
        for _ in range(2):
            if not position.is_over:
                limit = self._limit(WARM_UP_SECONDS)
                move = self.agent.decide(position, np.random.default_rng(0), limit).move
                position = position.play(move)


def submission_config(kind: type[Agent], text: str) -> Any:
    """Return the config of a spec string; what was thought before is kept unless it says no."""
    spec = parse(text)
    config = configure(kind.Config, spec, "agent")
    if hasattr(config, "reuse") and "reuse" not in spec.options:
        config = dataclasses.replace(config, reuse=True)
    return config


def read_position(rules: Rules, turn: Request) -> Position:
    """Return the position of a turn; raises ValueError if its stones float or the game is over.

    `mark` says who is to move. The order of moves, which no search needs, is left open.
    """
    stones = [0, 0, 0]
    height = rules.rows + 1
    for index, mark in enumerate(turn.grid.cells):
        row, column = divmod(index, rules.columns)
        stones[mark] |= 1 << (column * height + rules.rows - 1 - row)
    occupied = stones[1] | stones[2]
    position = Position(rules, stones[turn.mark], occupied, moves=())
    if (occupied + rules.bottom) & occupied:
        raise ValueError(f"a stone floats in {list(turn.grid.cells)}")
    if position.is_over:
        raise ValueError(f"the game is over in {list(turn.grid.cells)}")
    return position


def quiet_position(rules: Rules) -> Position:
    """Return a position with about a quarter of the stones and no quick end, as far as there is."""
    position = rules.start()
    for ply in range(rules.cells // 4):
        nexts = [position.play(move) for move in position.legal_moves()]
        quiet = [after for after in nexts if not after.line and not after.winning_moves()]
        if not quiet:
            break
        position = quiet[(3 * ply) % len(quiet)]
    return position
