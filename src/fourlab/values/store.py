"""Values of every kind behind one interface: what a move is worth, and how it is taught.

A table holds Q(s, a), a row for each state (ACTIONS; DOUBLE has two such halves; POLICY stores a
chosen move beside them), or V(afterstate), a row of one value for each board after a move
(AFTERSTATES). A network computes the value of an afterstate (TUPLES). All are seen by the side
that makes the move.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from fourlab.core.arrays import Floats, Ints
from fourlab.core.dice import below, roll
from fourlab.core.jit import kernel
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import is_full, mirror_move, move_cell, move_count, play, winning_cells
from fourlab.rules.keys import table_key
from fourlab.values.table import ABSENT, DIVERGED, NO_CHOICE, Table, default_value, find, insert
from fourlab.values.tuples import Network, network_value, teach_network

ACTIONS, AFTERSTATES, DOUBLE, POLICY, TUPLES = range(5)
KINDS = ("actions", "afterstates", "double", "policy", "tuples")
LEARNED = math.nan  # the worth of a winning move where that is learned like any other
ILLEGAL = -math.inf
LARGEST = float(np.finfo(np.float32).max)  # that a row can hold


class Store(NamedTuple):
    """What was learned, as kernels see it."""

    kind: int
    symmetric: bool  # a position and its mirror image share what is learned
    won: float  # worth of a move that wins, or LEARNED
    drawn: float  # worth of a move that fills the board without winning; only where `won` is given
    table: Table
    network: Network | None  # None: never compiled where values are a table
    worths: Floats  # [moves] work space


def with_own_space(values: Store) -> Store:
    """Return the same values with work space that nobody else writes into."""
    own = values._replace(worths=values.worths.copy())
    if values.network is None:
        return own
    marks, hits = values.network.marks.copy(), values.network.hits.copy()
    return own._replace(network=values.network._replace(marks=marks, hits=hits))


@kernel
def of_kind(values: Store, kind: int) -> Store:
    """Return the same values as being of a kind, which a compiler can then know."""
    return Store(
        kind,
        values.symmetric,
        values.won,
        values.drawn,
        values.table,
        values.network,
        values.worths,
    )


@kernel
def knows_ends(values: Store) -> bool:
    """Return whether the worth of a move that ends the game is given, not learned."""
    return values.won == values.won  # NaN differs from itself


@kernel
def _weigh_row(rules: Rules, values: Store, mover: int, occupied: int) -> None:
    key, mirrored = table_key(rules, values.symmetric, mover, occupied)
    worths, rows = values.worths, values.table.values
    slot = find(values.table.keys, key)
    moves = len(worths)
    for move in range(moves):
        column = mirror_move(rules, move) if mirrored else move
        if move_cell(rules, occupied, move) == 0:
            worths[move] = ILLEGAL
        elif slot == ABSENT:
            worths[move] = default_value(values.table.spread, values.table.seed, key, column)
        elif values.kind == DOUBLE:
            one, two = np.float64(rows[slot, column]), np.float64(rows[slot, moves + column])
            worths[move] = (one + two) / 2
        else:
            worths[move] = np.float64(rows[slot, column])


@kernel
def _computed(rules: Rules, network: Network | None, mover: int, occupied: int) -> float:
    """Return what the network, if there is one, says of an afterstate."""
    if network is not None:
        return network_value(rules, network, mover, occupied)
    return 0.0


@kernel
def _correct(
    rules: Rules, network: Network | None, mover: int, occupied: int, rate: float, target: float
) -> None:
    """Teach the network, if there is one."""
    if network is not None:
        teach_network(rules, network, mover, occupied, rate, target)


@kernel
def _weigh_boards(rules: Rules, values: Store, mover: int, occupied: int) -> None:
    worths, keys, rows = values.worths, values.table.keys, values.table.values
    network, symmetric, kind = values.network, values.symmetric, values.kind
    wins = winning_cells(rules, mover) if knows_ends(values) else 0
    waiting = mover ^ occupied
    for move in range(len(worths)):
        cell = move_cell(rules, occupied, move)
        if cell == 0:
            worths[move] = ILLEGAL
        elif wins & cell != 0:
            worths[move] = values.won
        elif kind == AFTERSTATES:
            key, _ = table_key(rules, symmetric, waiting, occupied | cell)
            slot = find(keys, key)
            if slot == ABSENT:
                worths[move] = default_value(values.table.spread, values.table.seed, key, 0)
            else:
                worths[move] = np.float64(rows[slot, 0])
        elif is_full(rules, occupied | cell):
            worths[move] = values.drawn
        else:
            worths[move] = _computed(rules, network, waiting, occupied | cell)


@kernel
def weigh(rules: Rules, values: Store, mover: int, occupied: int) -> None:
    """Write into `values.worths` what each move is worth for the side to move."""
    if values.kind == AFTERSTATES or values.kind == TUPLES:
        _weigh_boards(rules, values, mover, occupied)
    else:
        _weigh_row(rules, values, mover, occupied)


@kernel
def best_of(worths: Floats, state: int) -> tuple[int, float, int]:
    """Return the move that is worth most, random among equals, its worth, and the next dice.

    It is a move that can be made, whatever the worths are.
    """
    chosen, best, equals = 0, ILLEGAL, 0
    for move in range(len(worths)):
        value = worths[move]
        if value > best:
            chosen, best, equals = move, value, 1
        elif value == best and value != ILLEGAL:
            equals += 1
            state = roll(state)
            if below(state, equals) == 0:
                chosen = move
        elif worths[chosen] == ILLEGAL:  # this one is NaN, but it can be made
            chosen = move
    return chosen, best, state


@kernel
def greedy(
    rules: Rules, values: Store, mover: int, occupied: int, state: int
) -> tuple[int, float, int]:
    """Return the cell of the most valuable move, its worth, and the next state of the dice.

    Equals are drawn from at random. `values.worths` then holds the worth of every move.
    """
    weigh(rules, values, mover, occupied)
    chosen, best, state = best_of(values.worths, state)
    return move_cell(rules, occupied, chosen), best, state


@kernel
def seek(
    rules: Rules, values: Store, mover: int, occupied: int, move: int, cell: int
) -> tuple[int, int]:
    """Return row and column of a move in a table, the row new if need be, else ABSENT."""
    if values.kind == AFTERSTATES:
        key, _ = table_key(rules, values.symmetric, *play(mover, occupied, cell))
        return insert(values.table, key), 0
    key, mirrored = table_key(rules, values.symmetric, mover, occupied)
    return insert(values.table, key), mirror_move(rules, move) if mirrored else move


@kernel
def nudge(table: Table, slot: int, column: int, rate: float, target: float) -> None:
    """Move one value a share `rate` of the way to `target` and count the visit.

    A negative rate means the mean of all targets so far. What no row can hold is counted instead.
    """
    if slot == ABSENT:
        return
    table.visits[slot, column] += 1
    if rate < 0:
        rate = 1.0 / table.visits[slot, column]
    value = np.float64(table.values[slot, column])
    value += rate * (target - value)
    if abs(value) <= LARGEST:  # not so for NaN either
        table.values[slot, column] = value
    else:
        table.sizes[DIVERGED] += 1


@kernel
def teach(
    rules: Rules,
    values: Store,
    mover: int,
    occupied: int,
    move: int,
    cell: int,
    offset: int,
    rate: float,
    target: float,
) -> None:
    """Move the worth of a move towards `target`; what is known without learning stays.

    `offset` says where the estimate stands in a row: 0, or the second half of a DOUBLE one.
    """
    if knows_ends(values) and (
        winning_cells(rules, mover) & cell != 0 or is_full(rules, occupied | cell)
    ):
        return
    if values.kind == TUPLES:
        _correct(rules, values.network, *play(mover, occupied, cell), rate, target)
    else:
        slot, column = seek(rules, values, mover, occupied, move, cell)
        nudge(values.table, slot, offset + column, rate, target)


@kernel
def stored_choice(rules: Rules, values: Store, mover: int, occupied: int) -> int:
    """Return the move that the stored policy plays, or NO_CHOICE."""
    key, mirrored = table_key(rules, values.symmetric, mover, occupied)
    slot = find(values.table.keys, key)
    if slot == ABSENT or values.table.choices[slot] == NO_CHOICE:
        return NO_CHOICE
    move = int(values.table.choices[slot])
    return mirror_move(rules, move) if mirrored else move


@kernel
def store_choice(rules: Rules, values: Store, mover: int, occupied: int, move: int) -> None:
    """Store the policy's move in a position."""
    key, mirrored = table_key(rules, values.symmetric, mover, occupied)
    slot = insert(values.table, key)
    if slot != ABSENT:
        values.table.choices[slot] = mirror_move(rules, move) if mirrored else move


@kernel
def visits_of(rules: Rules, values: Store, mover: int, occupied: int, move: int, cell: int) -> int:
    """Return how often a move's value was taught; -1 for a network, which does not count."""
    if values.kind == TUPLES:
        return -1
    if values.kind == AFTERSTATES:
        key, _ = table_key(rules, values.symmetric, *play(mover, occupied, cell))
        column = 0
    else:
        key, mirrored = table_key(rules, values.symmetric, mover, occupied)
        column = mirror_move(rules, move) if mirrored else move
    slot = find(values.table.keys, key)
    if slot == ABSENT:
        return 0
    visits = int(values.table.visits[slot, column])
    if values.kind == DOUBLE:
        visits += int(values.table.visits[slot, values.table.values.shape[1] // 2 + column])
    return visits


@kernel
def has_seen(rules: Rules, values: Store, mover: int, occupied: int) -> bool:
    """Return whether any move of a position was ever taught; a network has seen everything."""
    if values.kind == TUPLES:
        return True
    for move in range(move_count(rules)):
        cell = move_cell(rules, occupied, move)
        if cell != 0 and visits_of(rules, values, mover, occupied, move, cell) > 0:
            return True
    return False


@kernel
def weigh_rows(rules: Rules, values: Store, movers: Ints, occupied: Ints, worths: Floats) -> None:
    """Write [rows, moves]: the worth of every move, nan where it cannot be played or is unseen."""
    for row in range(len(movers)):
        mover, board = movers[row], occupied[row]
        weigh(rules, values, mover, board)
        for move in range(move_count(rules)):
            cell = move_cell(rules, board, move)
            worths[row, move] = np.nan
            if cell != 0 and visits_of(rules, values, mover, board, move, cell) != 0:
                worths[row, move] = values.worths[move]
