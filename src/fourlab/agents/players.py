"""Agents inside kernels: whole games, matches and training runs without a call from Python.

`Agent.player()` gives the jitted form of an agent, where it has one; `choose` lets it move. A
player has work space of its own: make one for each thread.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fourlab.rules.geometry import Rules
from fourlab.rules.jit import kernel
from fourlab.rules.kernels import legal_cells, move_cell
from fourlab.search import alphabeta, mcts
from fourlab.search.choices import baseline_cells, nth_cell, random_cell, random_legal_cell
from fourlab.search.flat import flat_search
from fourlab.search.tree import Selection, Tree, new_tree, plant
from fourlab.search.windows import NO_WEIGHTS, Weights
from fourlab.values.knowledge import NOTHING
from fourlab.values.store import Values, greedy

RANDOM, BASELINE, MINIMAX, MCTS, FLAT, LEARNED = range(6)
NO_SETTINGS = mcts.Settings(
    Selection(0, 0.0, 0.0, False, 0.0), 0.0, 0.0, 0.0, 0.0, False, 0, False, 0, 0
)


class Player(NamedTuple):
    """The jitted form of an agent."""

    kind: int
    amount: int  # plies of minimax, simulations of mcts, playouts of flat
    prune: bool
    weights: Weights
    settings: mcts.Settings
    work: alphabeta.Work
    tree: Tree
    values: npt.NDArray[np.float64]  # [moves]
    learned: Values = NOTHING


def simple_player(rules: Rules, kind: int) -> Player:
    """Return a player that needs no room to think."""
    return Player(
        kind=kind,
        amount=0,
        prune=True,
        weights=NO_WEIGHTS,
        settings=NO_SETTINGS,
        work=alphabeta.new_work(rules, 0),
        tree=new_tree(1, 0),
        values=np.zeros(rules.move_count),
    )


def minimax_player(rules: Rules, depth: int, weights: Weights, prune: bool) -> Player:
    """Return the player of `minimax`, random among equal moves."""
    player = simple_player(rules, MINIMAX)
    work = alphabeta.new_work(rules)
    return player._replace(amount=depth, prune=prune, weights=weights, work=work)


def room_for(rules: Rules, simulations: int, nodes: int, threads: int = 1) -> int:
    """Return how many nodes a tree needs: never more than `nodes` beyond the first few."""
    moves = rules.move_count
    return min((simulations + 1) * moves + 1, nodes) + 2 * threads * moves


def mcts_player(rules: Rules, simulations: int, settings: mcts.Settings, nodes: int) -> Player:
    """Return the player of `mcts` on one thread, without a tree kept between moves."""
    return simple_player(rules, MCTS)._replace(
        amount=simulations,
        settings=settings,
        work=alphabeta.new_work(rules, 10),
        tree=new_tree(room_for(rules, simulations, nodes), rules.cells),
    )


def flat_player(rules: Rules, playouts: int, heavy: bool) -> Player:
    """Return the player of `flat`."""
    settings = NO_SETTINGS._replace(heavy=heavy)
    return simple_player(rules, FLAT)._replace(amount=playouts, settings=settings)


def learned_player(rules: Rules, values: Values) -> Player:
    """Return the player of the most valuable moves, random among equals."""
    return simple_player(rules, LEARNED)._replace(learned=values)


@kernel
def _minimax_cell(
    rules: Rules, player: Player, mover: int, occupied: int, state: int
) -> tuple[int, int]:
    work = player.work
    best = alphabeta.search(
        rules, work, player.weights, player.prune, mover, occupied, player.amount
    )
    cells = 0
    for move in range(len(work.root_values)):
        if work.root_values[move] == best:
            cells |= move_cell(rules, occupied, move)
    return random_cell(cells, state)


@kernel
def _mcts_cell(
    rules: Rules, player: Player, mover: int, occupied: int, state: int
) -> tuple[int, int]:
    plant(player.tree)
    _, state = mcts.search(
        rules,
        player.tree,
        player.settings,
        player.work,
        player.settings.minimax > 0,
        mover,
        occupied,
        player.amount,
        state,
    )
    index, state = mcts.best_child(player.tree, player.settings, 0, state)
    return nth_cell(legal_cells(rules, occupied), index), state


def thinks(player: Player) -> bool:
    """Return whether a player searches before it moves."""
    return player.kind in (MINIMAX, MCTS, FLAT)


@kernel
def choose_at_once(
    rules: Rules, player: Player, mover: int, occupied: int, state: int
) -> tuple[int, int]:
    """Return what `choose` does for a player that does not think."""
    if player.kind == LEARNED:
        cell, _, state = greedy(rules, player.learned, mover, occupied, state)
        return cell, state
    if player.kind == BASELINE:
        return random_cell(baseline_cells(rules, mover, occupied), state)
    return random_legal_cell(rules, occupied, state)


@kernel
def choose(rules: Rules, player: Player, mover: int, occupied: int, state: int) -> tuple[int, int]:
    """Return the cell that the player fills in a game in progress, and the next dice state."""
    if player.kind == MINIMAX:
        return _minimax_cell(rules, player, mover, occupied, state)
    if player.kind == MCTS and player.amount > 0:
        return _mcts_cell(rules, player, mover, occupied, state)
    if player.kind == FLAT:
        heavy, values = player.settings.heavy, player.values
        return flat_search(rules, mover, occupied, player.amount, heavy, values, state)
    return choose_at_once(rules, player, mover, occupied, state)
