"""The player that samples the future: `mcts`, Monte Carlo tree search in every variant."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from fourlab.agents.base import Agent, Decision, kernel_seed
from fourlab.agents.players import Player, mcts_player, room_for
from fourlab.rules.dice import seeded
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import cell_move, legal_cells
from fourlab.rules.position import Position
from fourlab.rules.spec import option
from fourlab.search import alphabeta
from fourlab.search.choices import nth_cell
from fourlab.search.mcts import (
    BY_SCORE,
    BY_VISITS,
    ROBUST,
    Settings,
    best_child,
    principal_line,
    search_on,
    value_of,
)
from fourlab.search.tree import (
    PUCT,
    TUNED,
    UCB1,
    UCT,
    UNPROVEN,
    VISITS,
    Selection,
    Tree,
    new_tree,
    plant,
    transplant,
)

DEFAULT_SIMULATIONS = 1000
FORMULAS = {"uct": UCT, "ucb1": UCB1, "tuned": TUNED, "puct": PUCT}
FINALS = {"visits": BY_VISITS, "score": BY_SCORE, "robust": ROBUST}
FIRST_SLICE = 16  # simulations before the first look at the clock; few, for a slow machine
SLICE_SECONDS = 0.001
KEPT_PLIES = 4  # how far behind the kept tree may be: both sides' moves, and one undo each


@dataclass(frozen=True)
class MctsConfig:
    """Options of `mcts`."""

    sims: int | None = option(
        None,
        f"simulations a move; none: {DEFAULT_SIMULATIONS}, with time= as many as it allows",
        low=0,
        high=10**9,
    )
    time: float | None = option(None, "seconds a move at most", low=0.001, high=86400)
    exploration: float = option(1.4, "how much it explores", name="c", low=0, high=100)
    formula: str = option(
        "uct",
        "uct: c sqrt(ln N / n); ucb1: c sqrt(2 ln N / n); tuned: by variance; puct: c sqrt(N) / n",
        choices=FORMULAS,
    )
    win: float = option(1.0, "reward of a win", low=-100, high=100)
    draw: float = option(0.0, "reward of a draw", low=-100, high=100)
    loss: float = option(-1.0, "reward of a loss", low=-100, high=100)
    graded: float = option(
        0.0, "share of a reward that is lost if the game fills the board", low=0, high=1
    )
    expand: str = option(
        "one", "simulate one child of a new node, or all of them at once", choices=("one", "all")
    )
    depth: int = option(64, "plies that the tree may be deep", low=1, high=64)
    final: str = option(
        "visits",
        "the move it plays: most visits, best score, or robust: best score of the much visited",
        choices=FINALS,
    )
    reuse: bool = option(False, "keep the tree from move to move")
    playouts: str = option(
        "light", "random, or heavy: win or block where possible", choices=("light", "heavy")
    )
    solver: bool = option(True, "carry proven wins, draws and losses up the tree")
    minimax: int = option(0, "plies of alpha-beta at every new leaf", low=0, high=8)
    prune: float = option(
        0.0, "drop moves this many standard errors behind the best; 0: none", low=0, high=100
    )
    threads: int = option(1, "threads that grow the tree together", low=1, high=64)
    nodes: int = option(
        4_000_000,
        "nodes a tree may have; then it grows no more and simulations start from its leaves",
        low=1000,
        high=10**8,
    )


def settings_of(config: MctsConfig) -> Settings:
    """Return what the kernels want to know."""
    rewards = (config.win, config.draw, config.loss)
    return Settings(
        selection=Selection(
            formula=FORMULAS[config.formula],
            exploration=float(config.exploration),
            range=float(max(rewards) - min(rewards)),
            solver=config.solver,
            prune=float(config.prune),
        ),
        win=float(config.win),
        draw=float(config.draw),
        loss=float(config.loss),
        graded=float(config.graded),
        all_children=config.expand == "all",
        depth=config.depth,
        heavy=config.playouts == "heavy",
        minimax=config.minimax,
        final=FINALS[config.final],
    )


@dataclass(frozen=True)
class Branch:
    """A node of the tree, ready to be drawn; `value` is seen by the side that played `move`."""

    move: int | None  # None at the root
    visits: int
    value: float
    proven: bool
    children: tuple[Branch, ...]


class Mcts(Agent):
    """Monte Carlo tree search: samples games and looks deeper where they go well."""

    name = "mcts"
    Config = MctsConfig

    def __init__(self, rules: Rules, config: MctsConfig | None = None) -> None:
        super().__init__(rules, config)
        self._settings = settings_of(self.config)
        self._search = search_on(rules, self.config.minimax > 0)
        self._work = [alphabeta.new_work(rules, 10) for _ in range(self.config.threads)]
        self._tree: Tree | None = None
        self._spare: Tree | None = None
        self._position: Position | None = None
        self._line = np.zeros(rules.cells + 1, np.int64)

    @property
    def simulations(self) -> int:
        """The most simulations that it runs for a move."""
        config = self.config
        if config.sims is not None:
            return int(config.sims)
        return DEFAULT_SIMULATIONS if config.time is None else 1 << 60

    def decide(self, position: Position, rng: np.random.Generator) -> Decision:
        seeds = [seeded(kernel_seed(rng)) for _ in range(self.config.threads)]
        if self.simulations == 0:
            return self._random(position, rng)
        tree = self._prepare(position)
        views = [tree._replace(thread=thread) for thread in range(self.config.threads)]
        if len(views) == 1:
            effort = self._think(tree, position, seeds[0])
        else:
            self._search(tree, self._settings, self._work[0], *board(position), 1, seeds[0])
            with ThreadPoolExecutor(len(views)) as pool:
                done = pool.map(self._think, views, [position] * len(views), seeds)
                effort = 1 + sum(done)
        return self._decision(tree, position, seeds[0], effort)

    def tree(self, depth: int = 2) -> Branch:
        """Return the tree of the last decision down to a depth, for a picture."""
        if self._position is None or self._tree is None:
            return Branch(None, 0, 0.0, False, ())
        return self._branch(self._tree, 0, None, self._position.occupied, depth)

    def player(self) -> Player | None:
        if self.config.time is not None or self.config.threads > 1 or self.config.reuse:
            return None
        return mcts_player(self.rules, self.simulations, self._settings, self.config.nodes)

    def _random(self, position: Position, rng: np.random.Generator) -> Decision:
        """Return any legal move: what no simulation at all amounts to."""
        legal = position.legal_moves()
        shares = tuple((move in legal) / len(legal) for move in range(self.rules.move_count))
        return Decision(int(rng.choice(legal)), policy=shares)

    def _prepare(self, position: Position) -> Tree:
        """Return a tree of this position: the kept one where it is found in it."""
        if self._tree is None:
            threads = self.config.threads
            room = room_for(self.rules, self.simulations, self.config.nodes, threads)
            self._tree = new_tree(room, self.rules.cells, threads)
            self._spare = new_tree(room, self.rules.cells, threads) if self.config.reuse else None
        kept, self._position = self._position, position
        node = None
        if self.config.reuse and kept is not None:
            node = find(self._tree, kept, position)
        if node is None or self._spare is None:
            plant(self._tree)
        elif node > 0:
            transplant(self._tree, node, self._spare)
            self._tree, self._spare = self._spare, self._tree
        return self._tree

    def _think(self, tree: Tree, position: Position, state: int) -> int:
        """Grow the tree within the limits; return the number of simulations."""
        work = self._work[tree.thread]
        share = -(-self.simulations // self.config.threads)
        if self.config.time is None:
            return self._search(tree, self._settings, work, *board(position), share, state)[0]
        began = time.perf_counter()
        deadline = began + self.config.time
        done, size = 0, FIRST_SLICE
        while done < share:
            count, state = self._search(
                tree, self._settings, work, *board(position), min(size, share - done), state
            )
            done += count
            now = time.perf_counter()
            if now >= deadline - SLICE_SECONDS / 2 or tree.proven[0] != UNPROVEN:
                break
            if len(position.legal_moves()) == 1:
                break
            size = max(1, int(done / (now - began) * SLICE_SECONDS))
        return done

    def _decision(self, tree: Tree, position: Position, state: int, effort: int) -> Decision:
        index, _ = best_child(tree, self._settings, 0, state)
        first, moves = int(tree.first_child[0]), self.rules.move_count
        cells = legal_cells(self.rules, position.occupied)
        visits = [0] * moves
        values: list[float | None] = [None] * moves
        played = 0
        for child in range(int(tree.children[0])):
            move = cell_move(self.rules, nth_cell(cells, child))
            visits[move] = int(tree.stats[first + child, VISITS])
            values[move] = value_of(tree, self._settings, first + child)
            played = move if child == index else played
        total = sum(visits) + (visits[played] == 0)
        policy = [(count + (m == played and count == 0)) / total for m, count in enumerate(visits)]
        length = principal_line(
            self.rules, tree, self._settings, position.occupied, index, self._line
        )
        return Decision(
            move=played,
            values=tuple(values),
            policy=tuple(policy),
            visits=tuple(visits),
            line=tuple(self._line[:length].tolist()),
            effort=effort,
        )

    def _branch(self, tree: Tree, node: int, move: int | None, occupied: int, depth: int) -> Branch:
        count = int(tree.children[node]) if depth > 0 else 0
        children = []
        cells = legal_cells(self.rules, occupied)
        for index in range(count):
            cell = nth_cell(cells, index)
            below = int(tree.first_child[node]) + index
            reached = cell_move(self.rules, cell)
            children.append(self._branch(tree, below, reached, occupied | cell, depth - 1))
        return Branch(
            move=move,
            visits=int(tree.stats[node, VISITS]),
            value=float(value_of(tree, self._settings, node)),
            proven=bool(tree.proven[node] != UNPROVEN),
            children=tuple(children),
        )


def board(position: Position) -> tuple[int, int]:
    """Return a position as kernels take it."""
    return position.mover, position.occupied


def find(tree: Tree, root: Position, target: Position) -> int | None:
    """Return the node of a position in the tree of another, or None: it is looked up by board."""
    if root.rules != target.rules or root.occupied & ~target.occupied:
        return None
    plies = target.ply - root.ply
    if plies > KEPT_PLIES:
        return None
    return _find(tree, 0, root.mover, root.occupied, target)


def _find(tree: Tree, node: int, mover: int, occupied: int, target: Position) -> int | None:
    if occupied == target.occupied:
        return node if mover == target.mover else None
    cells = legal_cells(target.rules, occupied)
    for index in range(int(tree.children[node])):
        cell = nth_cell(cells, index)
        if cell & target.occupied:
            child = int(tree.first_child[node]) + index
            found = _find(tree, child, mover ^ occupied, occupied | cell, target)
            if found is not None:
                return found
    return None
