"""The player that looks a few moves ahead: `minimax`."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from fourlab.agents.base import Agent, Decision, kernel_seed
from fourlab.core.arrays import Floats, Ints
from fourlab.core.jit import SLOWNESS
from fourlab.core.limit import NO_LIMIT, UNLIMITED, Limit
from fourlab.core.scratch import Scratch
from fourlab.core.spec import option
from fourlab.rules.boards import Boards, boards_of
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position
from fourlab.search.alphabeta import LINE, NODES, REACHED, SURE, UNKNOWN, Work, new_work
from fourlab.search.deepening import ANY, CENTRAL, FIRST, search_rows
from fourlab.search.windows import NO_WEIGHTS, Weights

DEFAULT_DEPTH = 6
SMALL_BOARD = 12  # cells up to which searching to the end takes no time worth mentioning
SLICE = 4096 // SLOWNESS  # nodes between two looks at the clock: about half a millisecond
QUICK = 8 * SLICE  # of several decisions, which mostly prune nearly all
TIES = {"random": ANY, "central": CENTRAL, "first": FIRST}
WORTH_HALF = 50  # the estimate that is shown as half a win


@dataclass(frozen=True)
class MinimaxConfig:
    """Options of `minimax`."""

    depth: int | None = option(
        None,
        f"plies to look ahead; none: {DEFAULT_DEPTH}, to the end on boards of up to "
        f"{SMALL_BOARD} cells, as far as it gets with time=",
        low=1,
        high=62,
        public=14,
    )
    time: float | None = option(
        None, "seconds a move at most, looking deeper and deeper", low=0.001, high=86400, public=5
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
    ties: str = option("random", "which of equal moves it plays", choices=TIES)
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


def worth(value: int) -> float:
    """Return a value of the search on the scale of decisions: sure wins and losses are 1 and -1."""
    if abs(value) >= SURE:
        return 1.0 if value > 0 else -1.0
    return value / (abs(value) + WORTH_HALF)


class Minimax(Agent):
    """Alpha-beta to a depth, then counts the lines that are still open."""

    name = "minimax"
    Config = MinimaxConfig

    def __init__(self, rules: Rules, config: MinimaxConfig | None = None) -> None:
        super().__init__(rules, config)
        self._work: Scratch[Work] = Scratch(functools.partial(new_work, rules))
        self._is_ready = False
        self.is_deterministic = self.config.ties != "random" and self.config.time is None

    @property
    def chooses_many(self) -> bool:
        return self.config.time is None

    def choose(self, boards: Boards, dice: Ints, limit: Limit = NO_LIMIT) -> Ints:
        if not self.chooses_many:
            return super().choose(boards, dice, limit)
        moves = np.empty(len(dice), np.int64)
        with self._work.lent() as work:
            many = limit.at_once(self.rules.move_count ** depth_of(self.rules, self.config), QUICK)
            for rows, rest in boards.portions(self.rules, many, limit, moves):
                hand = boards.take(rows), dice[rows], moves[rows]
                if many == 1:
                    self._search_within(work, *hand, rest)
                else:
                    self._search(work, *hand, UNLIMITED, False)
        return moves

    def policies(self, boards: Boards) -> Floats | None:
        if self.is_deterministic or self.config.time is not None:
            return super().policies(boards)
        policies = np.zeros((len(boards.movers), self.rules.move_count))
        dice, move = np.zeros(1, np.int64), np.zeros(1, np.int64)
        with self._work.lent() as work:
            for row, policy in enumerate(policies):
                board = boards.take(np.array([row]))
                self._search_within(work, board, dice, move, NO_LIMIT)
                policy[work.values == work.values[move[0]]] = 1.0
        policies /= policies.sum(axis=1, keepdims=True)
        return policies

    def decide(
        self, position: Position, rng: np.random.Generator, limit: Limit = NO_LIMIT
    ) -> Decision:
        self.prepare()
        move, dice = np.zeros(1, np.int64), np.array([kernel_seed(rng)], np.int64)
        limit = limit.within(self.config.time)
        with self._work.lent() as work:
            effort = self._search_within(work, self.board(position), dice, move, limit)
            return self._decision(work, int(move[0]), effort)

    def _search_within(
        self, work: Work, board: Boards, dice: Ints, move: Ints, limit: Limit
    ) -> int:
        """Search one board as far as the limit goes, at least one ply; return how many nodes."""
        watch = limit.watch()
        before, goes_on = int(work.registers[NODES]), False
        while not self._search(work, board, dice, move, SLICE, goes_on):
            goes_on = True
            if watch.is_over(int(work.registers[NODES]) - before):
                if work.registers[REACHED] == 0:  # without pruning nothing is known before all is
                    self._search(work, board, dice, move, UNLIMITED, False, depth=1)
                break
        return int(work.registers[NODES]) - before

    def _search(
        self,
        work: Work,
        boards: Boards,
        dice: Ints,
        moves: Ints,
        nodes: int,
        goes_on: bool,
        depth: int = UNLIMITED,
    ) -> bool:
        """Search for about so many nodes; return whether all is decided."""
        config, prune = self.config, not self.config.plain
        deepest = min(depth_of(self.rules, config), depth)
        return search_rows(
            self.rules,
            work,
            weights_of(config),
            prune,
            TIES[config.ties],
            boards.movers,
            boards.occupied,
            1 if prune or config.time else deepest,
            deepest,
            nodes,
            goes_on,
            dice,
            moves,
        )

    def _decision(self, work: Work, move: int, effort: int) -> Decision:
        values = [None if value == UNKNOWN else value for value in work.values.tolist()]
        top = values[move]
        best = [m for m, value in enumerate(values) if value == top]
        best = best if self.config.ties == "random" else [move]
        return Decision(
            move=move,
            values=tuple(None if value is None else worth(value) for value in values),
            raw=tuple(None if value is None else float(value) for value in values),
            policy=tuple((m in best) / len(best) for m in range(self.rules.move_count)),
            line=tuple(work.line[: work.registers[LINE]].tolist()),
            effort=effort,
        )

    def prepare(self) -> None:
        if not self._is_ready:
            nothing = np.zeros(0, np.int64)
            with self._work.lent() as work:
                self._search(work, boards_of([]), nothing, nothing, 0, False)
            self._is_ready = True
