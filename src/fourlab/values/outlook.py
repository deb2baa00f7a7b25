"""What the moves of many boards are worth, by a network that values the boards after them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from fourlab.core.arrays import Array, Floats, Ints
from fourlab.core.bits import popcount
from fourlab.core.dice import below, roll
from fourlab.core.jit import kernel
from fourlab.rules.boards import Boards
from fourlab.rules.geometry import Rules, central_order
from fourlab.rules.kernels import has_line, is_full, mirror, move_cell, move_count, play

Singles = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]
PORTION = 1 << 11  # boards that are asked about at once
Valuation = Callable[[Ints, Ints], Singles]  # (movers, occupied) -> worth to the first player


@kernel
def fan_out(
    rules: Rules,
    movers: Ints,
    occupied: Ints,
    by_rule: bool,
    worths: Array,  # [boards, moves]
    places: Ints,  # [boards * moves], those that are left, side by side with
    after_movers: Ints,  # their boards
    after_occupied: Ints,
) -> int:
    """Write what moves that end the game are worth to the side that makes them, nan for others.

    Return how many are left to be valued.
    """
    count, moves = 0, move_count(rules)
    for row in range(len(movers)):
        for move in range(moves):
            worths[row, move] = np.nan
            cell = move_cell(rules, occupied[row], move)
            if cell == 0:
                continue
            mover, board = play(movers[row], occupied[row], cell)
            if by_rule and has_line(rules, mover ^ board):
                worths[row, move] = 1
            elif by_rule and is_full(rules, board):
                worths[row, move] = 0
            else:
                after_movers[count], after_occupied[count] = mover, board
                places[count] = row * moves + move
                count += 1
    return count


def worths_of(
    rules: Rules, values: Callable[[Boards], Floats], boards: Boards, plies: int = 1
) -> Floats:
    """Return [boards, moves]: what each move is worth, nan where it cannot be played.

    That is what boards so many plies ahead are worth by `values`, to the side that moves there, if
    both sides choose the best for them; ended games are known. Alpha-beta leaves out what cannot
    matter to any move.
    """
    worths, places, after = _afterwards(rules, boards)
    for begin in range(0, len(places), PORTION):
        rows = slice(begin, begin + PORTION)
        portion = after.take(rows)
        ends = np.full(len(portion.movers), np.inf)
        worths.ravel()[places[rows]] = -_best(rules, values, portion, plies - 1, -ends, ends)
    return worths


def _afterwards(rules: Rules, boards: Boards) -> tuple[Floats, Ints, Boards]:
    """Return `fan_out`: what is known of moves, and for each other its place and the board."""
    worths = np.empty((len(boards.movers), rules.move_count))
    places, movers, occupied = np.empty((3, worths.size), np.int64)
    left = fan_out(rules, *boards[:2], True, worths, places, movers, occupied)
    after = Boards(movers[:left], occupied[:left], np.zeros((left, 0), np.uint8))
    return worths, places[:left], after


def _best(
    rules: Rules,
    values: Callable[[Boards], Floats],
    boards: Boards,
    plies: int,
    low: Floats,
    high: Floats,
) -> Floats:
    """Return what boards are worth so many plies ahead, exactly where it is between the bounds.

    All boards search a move, the most central first, before any searches the next.
    """
    if plies == 0:
        return values(boards)
    worths, places, after = _afterwards(rules, boards)
    best = np.fmax(low, np.fmax.reduce(worths, axis=1))
    parents, moves = np.divmod(places, rules.move_count)
    order = central_order(rules)
    for together in [[move] for move in order] if plies > 1 else [order]:
        is_open = best[parents] < np.minimum(high, 1)[parents]  # nothing is better than a win
        rows = np.flatnonzero(is_open & np.isin(moves, together))
        for begin in range(0, len(rows), PORTION):
            asked = rows[begin : begin + PORTION]
            theirs = parents[asked]
            found = _best(rules, values, after.take(asked), plies - 1, -high[theirs], -best[theirs])
            np.maximum.at(best, theirs, -found)
    return best


def look(
    rules: Rules, movers: Ints, occupied: Ints, value: Valuation, by_rule: bool = True
) -> Singles:
    """Return [boards, moves]: what each move is worth to the first player, nan if it is illegal.

    Moves that end the game are worth what the rules say, unless the network is to judge them too.
    """
    worths = np.empty((len(movers), rules.move_count), np.float32)
    places, after_movers, after_occupied = np.empty((3, worths.size), np.int64)
    left = fan_out(rules, movers, occupied, by_rule, worths, places, after_movers, after_occupied)
    worths[~is_firsts(occupied)] *= -1
    if left:
        found = value(after_movers[:left], after_occupied[:left])
        worths.reshape(-1)[places[:left]] = found
    return worths


@kernel
def best_moves(worths: Singles, occupied: Ints, states: Ints, moves: Ints) -> None:
    """Write the move that the side to move likes best, equal ones drawn by lot."""
    for row in range(len(occupied)):
        sign = 1 if popcount(occupied[row]) % 2 == 0 else -1
        equal, best = 0, -np.inf
        for move in range(worths.shape[1]):
            worth = sign * worths[row, move]  # a comparison with nan is never true
            if worth > best:
                equal, best, moves[row] = 1, worth, move
            elif worth == best:
                equal += 1
                states[row] = roll(states[row])
                if below(states[row], equal) == 0:
                    moves[row] = move


@kernel
def mirror_some(rules: Rules, movers: Ints, occupied: Ints, state: int) -> int:
    """Mirror every other board, by the dice; return the next dice."""
    for row in range(len(movers)):
        state = roll(state)
        if below(state, 2) == 0:
            movers[row] = mirror(rules, movers[row])
            occupied[row] = mirror(rules, occupied[row])
    return state


def best_worths(worths: Singles, occupied: Ints) -> Singles:
    """Return the worth of each board to the first player: its largest or smallest."""
    best: Singles = np.where(
        is_firsts(occupied), np.nanmax(worths, axis=1), np.nanmin(worths, axis=1)
    )
    return best


def is_firsts(occupied: Ints) -> Flags:
    """Return whether the first player is to move."""
    flags: Flags = np.bitwise_count(occupied) % 2 == 0
    return flags


def to_mover(worths: Array, occupied: Ints) -> Floats:
    """Return worths to the first player as worths to the side to move, or the other way round."""
    signs = np.where(is_firsts(occupied), 1.0, -1.0)
    turned: Floats = worths * signs.reshape(-1, *[1] * (worths.ndim - 1))
    return turned
