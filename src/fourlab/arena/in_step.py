"""Games in step: many side by side, ply by ply, each side asked once for all of its boards.

Instant agents move inside one kernel (`advance`); others are asked through `choose`. A call serves
one agent alone, so that its time is that agent's.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fourlab.agents.base import Agent
from fourlab.agents.instant import Instant, instant_cell, instant_form
from fourlab.arena.games import DRAW, LOSS, WIN, Games, Results, joined, moves_made
from fourlab.arena.pairing import Pairing, Stretch, Watch, nobody
from fourlab.core.arrays import Bytes, Ints
from fourlab.core.bits import popcount
from fourlab.core.dice import roll
from fourlab.core.errors import IllegalMoveError
from fourlab.core.jit import kernel
from fourlab.core.limit import CalledOffError, Limit, never
from fourlab.rules.boards import Boards
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import (
    cell_move,
    has_line,
    legal_cells,
    move_cell,
    move_count,
    play,
)
from fourlab.rules.position import write_moves

BATCH = 4096  # games that go on side by side
PLAYING = 2


class Batch(NamedTuple):
    """Games that go on side by side."""

    movers: Ints  # [games]
    occupied: Ints  # [games]
    states: Ints  # [games], of the dice
    results: Results  # [games], of the first player, or PLAYING
    lengths: Ints  # [games]
    moves: Bytes  # [games, cells]


@kernel
def put(rules: Rules, batch: Batch, game: int, cell: int) -> None:
    """Fill a cell in a game that goes on, and see whether that ends it."""
    mover, occupied = batch.movers[game], batch.occupied[game]
    batch.moves[game, batch.lengths[game]] = cell_move(rules, cell)
    batch.lengths[game] += 1
    batch.movers[game], batch.occupied[game] = play(mover, occupied, cell)
    if has_line(rules, mover | cell):
        batch.results[game] = WIN if popcount(occupied) % 2 == 0 else LOSS
    elif popcount(occupied) + 1 == rules.columns * rules.rows:
        batch.results[game] = DRAW


@kernel
def advance(rules: Rules, form: Instant, begin: int, step: int, batch: Batch) -> int:
    """Let an instant agent move in every so many games from `begin` on; return how many moves.

    -1 - game says that it found none.
    """
    made = 0
    for game in range(begin, len(batch.results), step):
        if batch.results[game] == PLAYING:
            mover, occupied, state = batch.movers[game], batch.occupied[game], batch.states[game]
            cell, batch.states[game] = instant_cell(rules, form, mover, occupied, state)
            if cell & legal_cells(rules, occupied) == 0:
                return -1 - game
            put(rules, batch, game, cell)
            made += 1
    return made


@kernel
def deal(begin: int, step: int, batch: Batch, rows: Ints, dice: Ints) -> int:
    """Write which of every so many games go on, and their dice; return how many there are."""
    count = 0
    for game in range(begin, len(batch.results), step):
        if batch.results[game] == PLAYING:
            batch.states[game] = roll(batch.states[game])
            rows[count], dice[count] = game, batch.states[game]
            count += 1
    return count


@kernel
def put_all(rules: Rules, batch: Batch, rows: Ints, moves: Ints) -> int:
    """Make a move in each of some games; return the first row that cannot, else their number."""
    for row in range(len(rows)):
        cell = 0
        if 0 <= moves[row] < move_count(rules):
            cell = move_cell(rules, batch.occupied[rows[row]], moves[row])
        if cell == 0:
            return row
        put(rules, batch, rows[row], cell)
    return len(rows)


Mover = Callable[[int, int, Batch], int]  # moves in every so many games from one on; how many


def _turn(agent: Agent, stop: Callable[[], bool] = never) -> Mover:
    """Return how an agent moves: inside a kernel, or asked for all of its boards.

    Raises CalledOffError once `stop` says so: moves that were cut short are no moves of a game.
    """
    form, rules = instant_form(agent, Limit(stop=stop)), agent.rules
    if form is not None:
        own = form.own()

        def at_once(begin: int, step: int, batch: Batch) -> int:
            made = advance(rules, own, begin, step, batch)
            if made < 0:
                line = batch.moves[-1 - made, : batch.lengths[-1 - made]].tolist()
                raise IllegalMoveError(f"{agent.spec} has no move in {write_moves(rules, line)!r}")
            return made

        return at_once

    def ask(begin: int, step: int, batch: Batch) -> int:
        rows, dice = np.empty((2, len(batch.results)), np.int64)
        count = deal(begin, step, batch, rows, dice)
        rows, dice = rows[:count], dice[:count]
        boards = Boards(batch.movers[rows], batch.occupied[rows], batch.moves[rows])
        moves = agent.choose(boards, dice, Limit(stop=stop))
        if stop():
            raise CalledOffError
        wrong = put_all(rules, batch, rows, np.asarray(moves, np.int64))
        if wrong < count:
            where = boards.position(rules, wrong)
            raise IllegalMoveError(f"{agent.spec} plays {moves[wrong] + 1} in {where.notation!r}")
        return count

    return ask


def play_in_step(
    stretch: Stretch,
    agents: tuple[Agent, Agent],
    watch: Watch = nobody,
    stop: Callable[[], bool] = never,
) -> Games:
    """Play games between agents that move at once or choose for many boards at once."""
    turns = ready(stretch.pairing, agents, stop)
    end = stretch.first + stretch.count
    starts = range(stretch.first, end, BATCH)
    parts = [Stretch(stretch.pairing, at, min(BATCH, end - at)) for at in starts]
    return joined([_play_batch(part, turns, watch) for part in parts])


def ready(
    pairing: Pairing, agents: tuple[Agent, Agent], stop: Callable[[], bool] = never
) -> tuple[Mover, ...]:
    """Return how two agents move, with all compiled or loaded that their games need."""
    for agent in agents:
        if instant_form(agent, Limit(stop=stop)) is None:
            agent.prepare()
    turns = tuple(_turn(agent, stop) for agent in agents)
    nothing = _set_up(pairing, np.zeros(0, np.int64))
    for turn in turns:
        turn(0, 1, nothing)
    return turns


def play_from(
    boards: Boards,
    first: Agent,
    second: Agent,
    seeds: Ints,
    stop: Callable[[], bool] = never,
) -> Results:
    """Play a game from each board, all of them of one ply; return the results of `first`.

    Raises CalledOffError once `stop` says so.
    """
    count, rules = len(seeds), first.rules
    ply = int(boards.occupied[0]).bit_count() if count else 0
    batch = Batch(
        boards.movers.copy(),
        boards.occupied.copy(),
        seeds.copy(),
        np.full(count, PLAYING, np.int8),
        np.full(count, ply, np.int64),
        np.zeros((count, rules.cells), np.uint8),
    )
    stop = Limit(stop=stop).heard.stop
    turns = (_turn(first, stop), _turn(second, stop))
    while (batch.results == PLAYING).any():
        turns[ply % 2](0, 1, batch)
        ply += 1
    return batch.results


def _play_batch(stretch: Stretch, turns: tuple[Mover, ...], watch: Watch) -> Games:
    pairing, first = stretch.pairing, stretch.first
    numbers = np.arange(first, first + stretch.count)
    batch = _set_up(pairing, numbers)
    rules, opening = pairing.rules, int(batch.lengths[0])
    spent, made = np.zeros(2), np.zeros(2, np.int64)
    for ply in range(opening, rules.cells):
        for side, turn in enumerate(turns):
            began = time.perf_counter()
            made[side] += turn((first + ply + side) % 2, 2, batch)  # in even games a begins
            spent[side] += time.perf_counter() - began
        watch(stretch, batch.moves[0, : batch.lengths[0]].tolist())
        if not (batch.results == PLAYING).any():
            break
    a_begins = numbers % 2 == 0
    seconds = moves_made(numbers, batch.lengths, opening) * (spent / np.maximum(made, 1))
    results = np.where(a_begins, batch.results, -batch.results).astype(np.int8)
    return Games(numbers, results, batch.lengths, batch.moves, seconds)


def _set_up(pairing: Pairing, numbers: Ints) -> Batch:
    """Return games that stand after their openings."""
    begun = pairing.openings(numbers)
    count, plies = begun.moves.shape
    moves = np.zeros((count, pairing.rules.cells), np.uint8)
    moves[:, :plies] = begun.moves
    playing = np.full(count, PLAYING, np.int8)
    lengths = np.full(count, plies, np.int64)
    return Batch(begun.movers, begun.occupied, pairing.seeds(numbers), playing, lengths, moves)
