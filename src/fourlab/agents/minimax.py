"""The player that looks a few moves ahead: `minimax`."""

import time
from dataclasses import dataclass

import numpy as np

from fourlab.agents.base import Agent, Decision
from fourlab.agents.players import Player, minimax_player
from fourlab.rules.geometry import Rules
from fourlab.rules.jit import SLOWNESS
from fourlab.rules.position import Position
from fourlab.rules.spec import option
from fourlab.search.alphabeta import (
    NODES,
    SURE,
    UNKNOWN,
    begin,
    central_order,
    forget,
    new_work,
    principal_line,
    run,
)
from fourlab.search.windows import NO_WEIGHTS, Weights

DEFAULT_DEPTH = 6
SMALL_BOARD = 12  # cells up to which searching to the end takes no time worth mentioning
SLICE = 4096 // SLOWNESS  # nodes between two looks at the clock: about half a millisecond


@dataclass(frozen=True)
class MinimaxConfig:
    """Options of `minimax`."""

    depth: int | None = option(
        None,
        f"plies to look ahead; none: {DEFAULT_DEPTH}, to the end on boards of up to "
        f"{SMALL_BOARD} cells, as far as it gets with time=",
        low=1,
        high=62,
    )
    time: float | None = option(
        None, "seconds a move at most, looking deeper and deeper", low=0.001, high=86400
    )
    eval: str = option(
        "windows",
        "what it sees at the horizon: open windows, or nothing",
        choices=("windows", "none"),
    )
    own2: int = option(5, "worth of an own window that lacks two stones", low=-1000, high=1000)
    own3: int = option(10, "worth of an own window that lacks one stone", low=-1000, high=1000)
    opp2: int = option(-4, "worth of an opponent's that lacks two", low=-1000, high=1000)
    opp3: int = option(-8, "worth of an opponent's that lacks one", low=-1000, high=1000)
    ties: str = option(
        "random", "which of equal moves it plays", choices=("random", "central", "first")
    )
    plain: bool = option(False, "without pruning, to see what pruning saves")


def depth_of(rules: Rules, config: MinimaxConfig) -> int:
    """Return how many plies this agent looks ahead on this board at most."""
    if config.depth is not None:
        return min(config.depth, rules.cells)
    if config.time is not None or rules.cells <= SMALL_BOARD:
        return rules.cells
    return DEFAULT_DEPTH


def weights_of(config: MinimaxConfig) -> Weights:
    """Return what windows are worth to this agent."""
    if config.eval == "none":
        return NO_WEIGHTS
    return Weights(config.own2, config.own3, config.opp2, config.opp3)


class Minimax(Agent):
    """Alpha-beta to a depth, then counts the lines that are still open."""

    name = "minimax"
    Config = MinimaxConfig

    def __init__(self, rules: Rules, config: MinimaxConfig | None = None) -> None:
        super().__init__(rules, config)
        self._work = new_work(rules)

    def decide(self, position: Position, rng: np.random.Generator) -> Decision:
        before = int(self._work.registers[NODES])
        values = self._values(position)
        top = max(value for value in values if value != UNKNOWN)
        best = self._preferred([move for move, value in enumerate(values) if value == top])
        move = int(rng.choice(best))
        return Decision(
            move=move,
            values=tuple(None if value == UNKNOWN else float(value) for value in values),
            policy=tuple((m in best) / len(best) for m in range(self.rules.move_count)),
            line=tuple(
                principal_line(self.rules, self._work, position.mover, position.occupied, move)
            ),
            effort=int(self._work.registers[NODES]) - before,
        )

    def player(self) -> Player | None:
        config = self.config
        if config.time is not None or config.ties == "central":
            return None
        depth, weights = depth_of(self.rules, config), weights_of(config)
        first = config.ties == "first"
        return minimax_player(self.rules, depth, weights, not config.plain, first)

    def _preferred(self, moves: list[int]) -> list[int]:
        """Return which of equal moves may be played."""
        if self.config.ties == "random":
            return moves
        if self.config.ties == "first":
            return moves[:1]
        return [move for move in central_order(self.rules) if move in moves][:1]

    def _values(self, position: Position) -> list[int]:
        """Return the value of every move at the greatest depth that time allows."""
        work, weights = self._work, weights_of(self.config)
        prune = not self.config.plain
        seconds = float("inf") if self.config.time is None else self.config.time
        deadline = time.perf_counter() + seconds
        deepest = min(depth_of(self.rules, self.config), self.rules.cells - position.ply)
        forget(work)
        values: list[int] = []
        for depth in range(1 if prune or self.config.time else deepest, deepest + 1):
            begin(self.rules, work, position.mover, position.occupied, depth)
            while not run(self.rules, work, weights, prune, SLICE):
                if values and time.perf_counter() > deadline:
                    return values
            values = work.root_values.tolist()
            if max(value for value in values if value != UNKNOWN) >= SURE:
                break  # nothing beats the soonest win
        return values
