"""Training games of a network: all lanes step together, and the network is asked once for all."""

from __future__ import annotations

import numpy as np

from fourlab.agents.base import Agent
from fourlab.core.arrays import Array, Ints
from fourlab.core.errors import IllegalMoveError
from fourlab.core.limit import NO_LIMIT, Limit, Watch
from fourlab.core.storage import StorageError
from fourlab.learning.networks.checks import check_lanes
from fourlab.learning.networks.deep_q_options import RETURNS, DeepQConfig
from fourlab.learning.networks.estimator import Estimator
from fourlab.learning.networks.lanes import (
    ENDED,
    NOBODY,
    Lanes,
    begin,
    deal,
    explore,
    harvest,
    harvest_returns,
    new_lanes,
    put,
)
from fourlab.learning.networks.replay import Rows, new_rows
from fourlab.learning.opponents import Member, opponents
from fourlab.learning.schedules import Schedule
from fourlab.learning.tables.learner import SIDES
from fourlab.positions.starts import starts
from fourlab.rules.boards import Boards, refusal
from fourlab.rules.geometry import Rules
from fourlab.rules.position import FIRST
from fourlab.values.knowledge import SELF
from fourlab.values.outlook import Singles, best_moves, best_worths, look


class Play:
    """The games of one run. `frozen` is the learner's earlier self, where that is an opponent."""

    def __init__(self, rules: Rules, config: DeepQConfig, seed: int, estimator: Estimator) -> None:
        self.rules, self.config, self.seed = rules, config, seed
        self.estimator = estimator
        self.frozen: Estimator | None = None
        self.frozen_at = NOBODY  # games begun by then
        self.begun = 0  # games
        self.lanes = new_lanes(rules, config.lanes)
        self._rows = new_rows(config.lanes * (rules.cells + 1))
        self._starts = starts(config.start, rules)
        self.opponents = (
            None if config.opponent == SELF else opponents(config.opponent, rules, config.games)
        )

    def step(self, epsilon: Schedule, limit: Limit = NO_LIMIT) -> tuple[Ints, Rows]:
        """Make a move in every lane; return the results of games that end, and what they teach.

        Raises CalledOffError, before a move is made, when the limit is over while opponents think.
        """
        self._begin()
        lanes = self.lanes
        playing = np.flatnonzero(lanes.numbers != NOBODY)
        turns = np.bitwise_count(lanes.occupied[playing]) % 2
        mine = (self._sides(playing) == turns) | (self.opponents is None)
        self._reply(playing[~mine], limit)
        self._decide(playing[mine], epsilon)
        ended = playing[lanes.phases[playing] == ENDED]
        results = lanes.results[ended]
        if self.opponents is not None:
            results = np.where(self._sides(ended) == FIRST, results, -results)
        return results, self._rows.take(slice(self._harvest()))

    @property
    def has_empty_lanes(self) -> bool:
        """Whether a lane has no game, or none any more."""
        return bool((self.lanes.numbers == NOBODY).any())

    def _harvest(self) -> int:
        config = self.config
        if config.target == RETURNS:
            return harvest_returns(
                self.rules, self.lanes, config.trace, config.gamma, config.by_rule, self._rows
            )
        return harvest(self.lanes, config.steps, config.gamma, self._rows)

    def _sides(self, rows: Ints) -> Ints:
        """Return the learner's side in some lanes."""
        side = self.config.side
        return np.full(len(rows), SIDES[side]) if side in SIDES else self.lanes.numbers[rows] % 2

    def _begin(self) -> None:
        """Begin games in lanes that have none; at set numbers the earlier self is renewed."""
        cycle = self.opponents.frozen_every if self.opponents else 0
        total = self.config.games
        while True:
            if cycle and self.begun % cycle == 0 and self.frozen_at != self.begun:
                self.frozen, self.frozen_at = self.estimator.clone(), self.begun
            stop = min((self.begun // cycle + 1) * cycle, total) if cycle else total
            self.begun = begin(self.rules, self._starts, self.lanes, self.seed, self.begun, stop)
            if self.begun < stop or self.begun == total:
                return

    def _decide(self, rows: Ints, epsilon: Schedule) -> None:
        """Let the learner move in some lanes."""
        moves = np.empty(len(rows), np.int64)
        epsilons = epsilon.at(self.lanes.numbers[rows], self.config.games)
        explore(self.rules, self.lanes, rows, epsilons, moves)
        greedy = moves < 0
        if self.config.target == RETURNS:
            worths = self._worths(rows, self.estimator)
            at = self.lanes.lengths[rows]
            self.lanes.worths[rows, at] = best_worths(worths, self.lanes.occupied[rows])
            moves[greedy] = self._pick(rows[greedy], worths[greedy])
        else:
            moves[greedy] = self._best(rows[greedy], self.estimator)
        put(self.rules, self.lanes, rows, moves, True, (~greedy).astype(np.uint8))

    def _best(self, rows: Ints, estimator: Estimator) -> Ints:
        return self._pick(rows, self._worths(rows, estimator))

    def _worths(self, rows: Ints, estimator: Estimator) -> Singles:
        movers, occupied = self.lanes.movers[rows], self.lanes.occupied[rows]
        return look(self.rules, movers, occupied, estimator.value, self.config.by_rule)

    def _pick(self, rows: Ints, worths: Singles) -> Ints:
        lanes, moves = self.lanes, np.empty(len(rows), np.int64)
        states = lanes.states[rows]
        best_moves(worths, lanes.occupied[rows], states, moves)
        lanes.states[rows] = states
        return moves

    def _reply(self, rows: Ints, limit: Limit) -> None:
        """Let opponents move in some lanes, each in all of its own at once."""
        asked: dict[int, tuple[Member, list[int]]] = {}
        for row in rows.tolist():
            assert self.opponents is not None  # noqa: S101  # alone, all moves are the learner's
            member = self.opponents.block(int(self.lanes.numbers[row]), self.seed)[0]
            asked.setdefault(id(member), (member, []))[1].append(row)
        members = [(member.agent, np.array(listed)) for member, listed in asked.values()]
        states, watch = self.lanes.states.copy(), limit.watch()
        try:
            answers = [self._answers(agent, theirs, watch) for agent, theirs in members]
        except BaseException:  # Ctrl-C too
            self.lanes.states[:] = states
            raise
        for (agent, theirs), moves in zip(members, answers, strict=True):
            boards, none = self._boards(theirs), np.zeros(len(theirs), np.uint8)
            if put(self.rules, self.lanes, theirs, moves, False, none) < len(theirs):
                name = agent.spec if agent else "frozen"
                raise IllegalMoveError(f"opponent {name}: {refusal(self.rules, boards, moves)}")

    def _answers(self, agent: Agent | None, rows: Ints, watch: Watch) -> Ints:
        if agent is None:
            assert self.frozen is not None  # noqa: S101  # taken before the first game
            return self._best(rows, self.frozen)
        dice = np.empty(len(rows), np.int64)
        deal(self.lanes, rows, dice)
        moves = agent.choose(self._boards(rows), dice, watch.rest().heard)
        watch.check()
        return np.asarray(moves, np.int64)

    def _boards(self, rows: Ints) -> Boards:
        none = np.zeros((len(rows), 0), np.uint8)
        return Boards(self.lanes.movers[rows], self.lanes.occupied[rows], none)

    def restore(self, begun: int, frozen_at: int, lanes: dict[str, Array]) -> None:
        """Go on with the lanes that were put away; raises StorageError if they do not fit."""
        for name, array in self.lanes._asdict().items():
            kept = lanes.get(name)
            if kept is None or kept.shape != array.shape or kept.dtype != array.dtype:
                raise StorageError(f"its games are damaged: {name} does not fit")
        games = Lanes(**lanes)
        check_lanes(self.rules, games, begun)
        self.begun, self.frozen_at, self.lanes = begun, frozen_at, games
