"""Agents that move at once: whole games and training runs of theirs happen inside kernels.

`Instant` is the form in which kernels know such an agent: one that draws from cells, or one that
looks its values up.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import NamedTuple

import numpy as np

from fourlab.agents.base import Agent, Decision, kernel_seed
from fourlab.core.arrays import Floats, Ints
from fourlab.core.bits import popcount
from fourlab.core.dice import seeded
from fourlab.core.jit import kernel
from fourlab.core.limit import NO_LIMIT, CalledOffError, Limit
from fourlab.rules.boards import Boards, boards_of
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import cell_move, legal_cells, mirror_move, move_cell, move_count
from fourlab.rules.keys import table_key
from fourlab.rules.position import Position
from fourlab.search.choices import baseline_cells, random_cell, random_legal_cell
from fourlab.values.store import (
    ILLEGAL,
    POLICY,
    Store,
    greedy,
    has_seen,
    stored_choice,
    weigh,
    with_own_space,
)
from fourlab.values.table import NO_CHOICE

RANDOM, BASELINE, LEARNED = range(3)


class Instant(NamedTuple):
    """An agent that moves at once, as kernels know it. Its values have work space: one a thread."""

    kind: int
    values: Store | None = None  # where it looks values up
    instinct: bool = False  # where it has seen nothing: win, else block, else any move
    first: bool = False  # never draws: of equal moves the first, on the board as its values lie

    def own(self) -> Instant:
        """Return the same form with work space that nobody else writes into."""
        if self.values is None:
            return self
        return self._replace(values=with_own_space(self.values))


@kernel
def learned_cell(
    rules: Rules, values: Store, instinct: bool, mover: int, occupied: int, state: int
) -> tuple[int, int]:
    """Return the cell of the stored policy, else of the most valuable move, and the next dice."""
    if values.kind == POLICY:
        move = stored_choice(rules, values, mover, occupied)
        if move != NO_CHOICE and move_cell(rules, occupied, move) != 0:
            return move_cell(rules, occupied, move), state
    if instinct and not has_seen(rules, values, mover, occupied):
        return random_cell(baseline_cells(rules, mover, occupied), state)
    cell, _, state = greedy(rules, values, mover, occupied, state)
    return cell, state


@kernel
def _cell(
    rules: Rules,
    kind: int,
    values: Store | None,
    instinct: bool,
    mover: int,
    occupied: int,
    state: int,
) -> tuple[int, int]:
    if values is not None:  # the type of an argument: without values, this is never compiled
        return learned_cell(rules, values, instinct, mover, occupied, state)
    if kind == BASELINE:
        return random_cell(baseline_cells(rules, mover, occupied), state)
    return random_legal_cell(rules, occupied, state)


@kernel
def instant_cell(
    rules: Rules, form: Instant, mover: int, occupied: int, state: int
) -> tuple[int, int]:
    """Return the cell that an instant agent fills, and the next dice."""
    return _cell(rules, form.kind, form.values, form.instinct, mover, occupied, state)


@kernel
def _learned_cells(rules: Rules, values: Store, instinct: bool, mover: int, occupied: int) -> int:
    """Return the cells that `learned_cell` draws from."""
    if values.kind == POLICY:
        move = stored_choice(rules, values, mover, occupied)
        if move != NO_CHOICE and move_cell(rules, occupied, move) != 0:
            return move_cell(rules, occupied, move)
    if instinct and not has_seen(rules, values, mover, occupied):
        return baseline_cells(rules, mover, occupied)
    weigh(rules, values, mover, occupied)
    cells, best = 0, ILLEGAL
    for move in range(len(values.worths)):
        value = values.worths[move]
        if value > best:
            cells, best = 0, value
        if value == best:
            cells |= move_cell(rules, occupied, move)
    return cells if cells != 0 else legal_cells(rules, occupied)


@kernel
def _cells(
    rules: Rules, kind: int, values: Store | None, instinct: bool, mover: int, occupied: int
) -> int:
    if values is not None:  # the type of an argument, as in `_cell`
        return _learned_cells(rules, values, instinct, mover, occupied)
    if kind == BASELINE:
        return baseline_cells(rules, mover, occupied)
    return legal_cells(rules, occupied)


@kernel
def drawn_cells(rules: Rules, form: Instant, mover: int, occupied: int) -> int:
    """Return the cells that `instant_cell` draws from, each as likely as the others."""
    return _cells(rules, form.kind, form.values, form.instinct, mover, occupied)


@kernel
def _write_policies(
    rules: Rules, form: Instant, movers: Ints, occupied: Ints, policies: Floats
) -> None:
    """Write the probability of every move of each row, over zeros."""
    for row in range(len(movers)):
        cells = drawn_cells(rules, form, movers[row], occupied[row])
        share = 1.0 / popcount(cells)
        while cells != 0:
            policies[row, cell_move(rules, cells & -cells)] = share
            cells &= cells - 1


@kernel
def _choose_rows(
    rules: Rules, form: Instant, movers: Ints, occupied: Ints, dice: Ints, moves: Ints
) -> None:
    """Write the move of each row."""
    for row in range(len(movers)):
        cell, _ = instant_cell(rules, form, movers[row], occupied[row], seeded(dice[row]))
        moves[row] = cell_move(rules, cell)


@kernel
def first_move(rules: Rules, symmetric: bool, mover: int, occupied: int, cells: int) -> int:
    """Return the lowest move that fills one of some cells, on the board as its key lies."""
    _, mirrored = table_key(rules, symmetric, mover, occupied)
    first = move_count(rules)
    while cells != 0:
        move = cell_move(rules, cells & -cells)
        first = min(first, mirror_move(rules, move) if mirrored else move)
        cells &= cells - 1
    return mirror_move(rules, first) if mirrored else first


@kernel
def _choose_first(
    rules: Rules, form: Instant, symmetric: bool, movers: Ints, occupied: Ints, moves: Ints
) -> None:
    """Write the first of the moves that each row would draw from."""
    for row in range(len(movers)):
        cells = drawn_cells(rules, form, movers[row], occupied[row])
        moves[row] = first_move(rules, symmetric, movers[row], occupied[row], cells)


class InstantAgent(Agent):
    """An agent that moves at once, on this board and with these options at least."""

    @abstractmethod
    def form(self, limit: Limit = NO_LIMIT) -> Instant | None:
        """Return the form in which kernels know it, None if it has none; others may share it.

        Raises CalledOffError if the limit is over before it is made.
        """

    @property
    def chooses_many(self) -> bool:
        return self.form() is not None

    def choose(self, boards: Boards, dice: Ints, limit: Limit = NO_LIMIT) -> Ints:
        try:
            form = self.form(limit)
        except CalledOffError:
            form = None
        if form is None:
            return super().choose(boards, dice, limit)
        moves = np.empty(len(dice), np.int64)
        if form.first:
            symmetric = form.values is not None and form.values.symmetric
            _choose_first(self.rules, form.own(), symmetric, *boards[:2], moves)
        else:
            _choose_rows(self.rules, form.own(), boards.movers, boards.occupied, dice, moves)
        return moves

    def policies(self, boards: Boards) -> Floats | None:
        form = self.form()
        if form is None or form.first:
            return super().policies(boards)
        policies = np.zeros((len(boards.movers), self.rules.move_count))
        _write_policies(self.rules, form.own(), boards.movers, boards.occupied, policies)
        return policies

    def decide(
        self, position: Position, rng: np.random.Generator, limit: Limit = NO_LIMIT
    ) -> Decision:
        dice = np.array([kernel_seed(rng)], np.int64)
        return self.explain(position, int(self.choose(self.board(position), dice)[0]))

    def explain(self, position: Position, move: int) -> Decision:
        """Return the decision for a move, with its reasons."""
        return Decision(move)

    def prepare(self) -> None:
        if self.form() is not None:
            self.choose(boards_of([]), np.zeros(0, np.int64))


def instant_form(agent: Agent, limit: Limit = NO_LIMIT) -> Instant | None:
    """Return the form in which kernels know an agent, or None; they draw from equal moves.

    Raises CalledOffError if the limit is over before it is made.
    """
    form = agent.form(limit) if isinstance(agent, InstantAgent) else None
    return None if form is None or form.first else form
