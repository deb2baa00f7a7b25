"""The player that samples the future: `mcts`, Monte Carlo tree search in every variant."""

from __future__ import annotations

import functools
import math
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fourlab.agents.base import Agent, Decision, kernel_seed
from fourlab.agents.branches import Branch, branch_of, find
from fourlab.agents.mcts_options import DEFAULT_SIMULATIONS, MctsConfig, variant_of
from fourlab.core.arrays import Ints
from fourlab.core.dice import seeded
from fourlab.core.jit import SLOWNESS
from fourlab.core.limit import NO_LIMIT, UNLIMITED, Limit, Watch
from fourlab.core.scratch import Scratch
from fourlab.rules.boards import Boards, boards_of
from fourlab.rules.catalog import is_named
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position
from fourlab.rules.worth import worth
from fourlab.search import alphabeta
from fourlab.search.mcts import DONE, LINE, Told, new_told, searcher
from fourlab.search.simulation import QUICK_PLIES, Variant
from fourlab.search.tree import DRAW, LOSS, UNPROVEN, WIN, Tree, new_tree, transplant

QUICK = 1024 // SLOWNESS  # simulations of several decisions that pass without a look at the clock
FIRST_SLICE = 16  # simulations before the first look at the clock; few, for a slow machine
SLICE_SECONDS = 0.001
MOST_IDLE = 200_000  # nodes of a tree that is held between two decisions: 8 MB
TABLE_BITS = 10  # of the table of alpha-beta at a leaf
PROVEN = {WIN: 1.0, DRAW: 0.0, LOSS: -1.0}


def room_for(rules: Rules, simulations: int, nodes: int, threads: int = 1) -> int:
    """Return how many nodes a tree needs: never more than `nodes` beyond the first few."""
    moves = rules.move_count
    return min((simulations + 1) * moves + 1, nodes) + 2 * threads * moves


class Space(NamedTuple):
    """What one decision works on."""

    tree: Tree
    works: tuple[alphabeta.Work | None, ...]  # one a thread, where leaves are searched
    told: tuple[Told, ...]  # one a thread
    silent: Told  # where nobody asks for reasons


def new_space(rules: Rules, threads: int, nodes: int, searches: bool) -> Space:
    """Return room for a decision; `searches` says whether leaves are searched by alpha-beta."""
    return Space(
        new_tree(nodes, rules.cells, threads),
        tuple(alphabeta.new_work(rules, TABLE_BITS) if searches else None for _ in range(threads)),
        tuple(new_told(rules, in_full=True) for _ in range(threads)),
        new_told(rules, in_full=False),
    )


@functools.lru_cache(maxsize=64)
def _smallest(rules: Rules, threads: int, searches: bool) -> Space:
    """Return room for no decision at all, which is enough to compile."""
    return new_space(rules, threads, threads, searches)


class Hand(NamedTuple):
    """What one thread of a decision holds."""

    thread: int
    board: Boards
    state: Ints  # [1], of its dice
    move: Ints  # [1]


@dataclass(frozen=True)
class Thought:
    """A decision with the tree it came from, which is nobody else's."""

    position: Position
    decision: Decision
    tree: Tree
    variant: Variant

    def branch(self, depth: int) -> Branch:
        """Return the tree down to a depth, for a picture."""
        return branch_of(self.tree, self.variant, self.position, depth)


class Mcts(Agent):
    """Monte Carlo tree search: samples games and looks deeper where they go well."""

    name = "mcts"
    Config = MctsConfig

    def __init__(self, rules: Rules, config: MctsConfig | None = None) -> None:
        super().__init__(rules, config)
        self._variant = variant_of(self.config)
        self._search = searcher(rules if is_named(rules) else None)
        room = room_for(rules, self.simulations, self.config.nodes, self.config.threads)
        self._space: Scratch[Space] = Scratch(self._new_space, keeps=room <= MOST_IDLE)
        self._is_ready = False
        self._kept: list[tuple[Position, Space]] = []  # at most one, taken out while it is used

    @property
    def simulations(self) -> int:
        """The most simulations that it runs for a move."""
        config = self.config
        if config.sims is not None:
            return int(config.sims)
        return DEFAULT_SIMULATIONS if config.time is None else UNLIMITED

    @property
    def chooses_many(self) -> bool:
        config = self.config
        return config.time is None and config.threads == 1 and not config.reuse

    def choose(self, boards: Boards, dice: Ints, limit: Limit = NO_LIMIT) -> Ints:
        if not self.chooses_many:
            return super().choose(boards, dice, limit)
        moves, states = np.empty(len(dice), np.int64), dice.copy()
        with self._space.lent() as space:
            sims, most = self.simulations, QUICK if space.works[0] is None else 1
            many = limit.at_once(sims, most)
            for rows, rest in boards.portions(self.rules, many, limit, moves):
                hand = Hand(0, boards.take(rows), states[rows], moves[rows])
                if many == 1:
                    self._grow(space, hand, sims, rest, rest.watch(), fresh=True)
                else:
                    self._run(space, 0, space.silent, *hand[1:], sims, fresh=True)
        return moves

    def decide(
        self, position: Position, rng: np.random.Generator, limit: Limit = NO_LIMIT
    ) -> Decision:
        if self.config.reuse:
            return self._decide_on_kept(position, rng, limit)
        with self._space.lent() as space:
            return self._decide(space, position, rng, limit, fresh=True)

    def think(
        self, position: Position, rng: np.random.Generator, limit: Limit = NO_LIMIT
    ) -> Thought:
        """Return the decision of `decide` with its tree."""
        space = self._new_space()
        decision = self._decide(space, position, rng, limit, fresh=True)
        return Thought(position, decision, space.tree, self._variant)

    def prepare(self) -> None:
        if not self._is_ready:
            searches, nothing = self.config.minimax > QUICK_PLIES, np.zeros(0, np.int64)
            space = _smallest(self.rules, self.config.threads, searches)
            self._run(space, 0, space.told[0], boards_of([]), nothing, nothing, 0, fresh=True)
            self._is_ready = True

    def _new_space(self) -> Space:
        threads = self.config.threads
        return new_space(
            self.rules,
            threads,
            room_for(self.rules, self.simulations, self.config.nodes, threads),
            self.config.minimax > QUICK_PLIES,
        )

    def _decide_on_kept(
        self, position: Position, rng: np.random.Generator, limit: Limit
    ) -> Decision:
        """Decide on the kept tree where the position is found in it, and keep the tree."""
        try:
            known, space = self._kept.pop()
        except IndexError:  # the first decision, or another one is using it
            known, space = None, self._new_space()
        node = None if known is None else find(space.tree, known, position)
        fresh = node is None or bool(space.tree.children[node] == 0)  # a leaf knows no moves
        if node and not fresh:
            larger = self._new_space()
            transplant(space.tree, node, larger.tree)
            space = larger
        decision = self._decide(space, position, rng, limit, fresh)
        self._kept[:] = [(position, space)]
        return decision

    def _decide(
        self,
        space: Space,
        position: Position,
        rng: np.random.Generator,
        limit: Limit,
        fresh: bool,
    ) -> Decision:
        self.prepare()
        limit = limit.within(self.config.time)
        watch = limit.watch()
        seeds = [kernel_seed(rng) for _ in space.works]
        hands = [
            Hand(thread, self.board(position), np.array([seed], np.int64), np.zeros(1, np.int64))
            for thread, seed in enumerate(seeds)
        ]
        if not fresh:
            hands[0].state[0] = seeded(seeds[0])
        effort = 0
        if len(hands) > 1:  # the root needs its children before several threads may grow it
            effort = self._grow(space, hands[0], 1, NO_LIMIT, watch, fresh)
            fresh = False
            for hand in hands[1:]:
                hand.state[0] = seeded(int(hand.state[0]))
        share = -(-self.simulations // len(hands))
        if len(hands) == 1:
            effort = self._grow(space, hands[0], share, limit, watch, fresh)
        else:
            ended = threading.Event()
            shared = replace(limit, stop=lambda: ended.is_set() or limit.stop())
            with ThreadPoolExecutor(len(hands)) as pool:
                jobs = [
                    pool.submit(self._grow, space, hand, share, shared, watch, False)
                    for hand in hands
                ]
                try:
                    effort += sum(job.result() for job in jobs)
                finally:  # Ctrl-C too
                    ended.set()
            self._grow(space, hands[0], 0, NO_LIMIT, watch, False)  # tells of the whole tree
        told = space.told[0] if space.tree.children[0] else None
        return self._decision(told, position, int(hands[0].move[0]), effort)

    def _grow(
        self, space: Space, hand: Hand, share: int, limit: Limit, watch: Watch, fresh: bool
    ) -> int:
        """Grow the tree within the limits; return the number of simulations.

        It grows slice by slice, with the same result as at once: Ctrl-C is heard in between.
        """
        told = space.told[hand.thread]
        told.counts[DONE] = 0
        share = min(share, limit.nodes)
        first = 1 if space.works[hand.thread] is not None else FIRST_SLICE
        size = min(first, share)
        while True:
            self._run(space, hand.thread, told, hand.board, hand.state, hand.move, size, fresh)
            fresh = False
            done, elapsed = int(told.counts[DONE]), watch.elapsed
            is_forced = limit.seconds < math.inf and space.tree.children[0] == 1
            if done >= share or space.tree.proven[0] != UNPROVEN or is_forced:
                return done
            if limit.stop() or elapsed >= limit.seconds - SLICE_SECONDS / 2:
                return done
            size = min(share - done, max(1, int(done / max(elapsed, 1e-9) * SLICE_SECONDS)))

    def _run(
        self,
        space: Space,
        thread: int,
        told: Told,
        boards: Boards,
        states: Ints,
        moves: Ints,
        simulations: int,
        fresh: bool,
    ) -> None:
        self._search(
            self.rules,
            space.tree if thread == 0 else space.tree._replace(thread=thread),
            self._variant,
            space.works[thread],
            boards.movers,
            boards.occupied,
            simulations,
            fresh,
            states,
            moves,
            told,
        )

    def _decision(self, told: Told | None, position: Position, move: int, effort: int) -> Decision:
        legal, moves = position.legal_moves(), range(self.rules.move_count)
        if told is None:  # nothing was looked at: any move is as good
            return Decision(move, policy=tuple((m in legal) / len(legal) for m in moves))
        raw = [float(told.values[m]) if m in legal else None for m in moves]
        visits = [int(told.visits[m]) if m in legal else 0 for m in moves]
        total = sum(visits) + (visits[move] == 0)
        return Decision(
            move=move,
            values=tuple(
                None if r is None else self._worth(r, int(told.proven[m]))
                for m, r in enumerate(raw)
            ),
            raw=tuple(raw),
            policy=tuple((n + (m == move and n == 0)) / total for m, n in enumerate(visits)),
            visits=tuple(visits),
            line=tuple(told.line[: told.counts[LINE]].tolist()),
            effort=effort,
        )

    def _worth(self, reward: float, proven: int) -> float:
        """Return a mean reward on the scale of decisions."""
        if proven != UNPROVEN:
            return PROVEN[proven]
        return worth(reward, self.config.win, self.config.draw, self.config.loss)
