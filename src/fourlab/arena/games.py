"""Games that were played, many at once, as arrays."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from fourlab.core.arrays import Bytes, Floats, Ints
from fourlab.core.bits import add63, multiply63
from fourlab.core.errors import FourlabError
from fourlab.core.jit import kernel
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import has_line, is_full, move_cell, move_count, play
from fourlab.rules.position import SINGLE_DIGIT_MOVES, read_moves, write_moves

WIN, DRAW, LOSS = 1, 0, -1
UNDECIDED = 2

Results = npt.NDArray[np.int8]
Said = tuple[str, str]  # the end of what each wrote to standard error


@dataclass(frozen=True)
class Games:
    """Games that were played, one entry each; results and times in the order of the agents."""

    numbers: Ints  # [games]
    results: Results  # [games], WIN, DRAW or LOSS of a
    lengths: Ints  # [games], moves with those of the opening
    moves: Bytes  # [games, cells], counted from 0
    seconds: Floats  # [games, 2], that a and b thought
    forfeits: dict[int, str] = field(default_factory=dict)  # number: who, where and why
    said: dict[int, Said] = field(default_factory=dict)  # number: what a and b wrote

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, rows: npt.NDArray[np.bool_]) -> Games:
        """Return some of the games."""
        numbers = self.numbers[rows]
        return Games(
            numbers,
            self.results[rows],
            self.lengths[rows],
            self.moves[rows],
            self.seconds[rows],
            {n: self.forfeits[n] for n in numbers.tolist() if n in self.forfeits},
            {n: self.said[n] for n in numbers.tolist() if n in self.said},
        )

    def keys(self) -> Ints:
        """Return a number for each game that says which moves were played."""
        keys = np.empty(len(self), np.int64)
        _line_keys(self.moves, self.lengths, keys)
        return keys

    def check(self, rules: Rules) -> None:
        """Raise FourlabError unless each is a game of these rules and ended as it says."""
        forfeited = np.isin(self.numbers, list(self.forfeits))
        first = np.where(self.numbers % 2 == 0, self.results, -self.results)
        wrong = _first_wrong(rules, self.moves, self.lengths, first, forfeited)
        if wrong < len(self):
            line = self.moves[wrong, : self.lengths[wrong]].tolist()
            raise FourlabError(
                f"game {self.numbers[wrong]} is none of {rules}: {[move + 1 for move in line]}, "
                f"result {self.results[wrong]}; it is not recorded"
            )

    def notations(self, rules: Rules) -> list[str]:
        """Return the moves as people write them."""
        lengths = self.lengths.tolist()
        if rules.move_count > SINGLE_DIGIT_MOVES:
            rows = self.moves.tolist()
            return [write_moves(rules, row[:n]) for row, n in zip(rows, lengths, strict=True)]
        text = (self.moves + ord("1")).tobytes().decode("ascii", errors="replace")
        return [text[i * rules.cells : i * rules.cells + n] for i, n in enumerate(lengths)]


def moves_array(rules: Rules, notations: list[str]) -> tuple[Bytes, Ints]:
    """Return moves and lengths of games in notation: `Games.notations` backwards."""
    moves = np.zeros((len(notations), rules.cells), np.uint8)
    lengths = np.zeros(len(notations), np.int64)
    for row, text in enumerate(notations):
        if rules.move_count > SINGLE_DIGIT_MOVES:
            line = np.array(read_moves(rules, text), np.uint8)
        else:
            line = np.frombuffer(text.encode("ascii"), np.uint8) - ord("1")
        moves[row, : len(line)], lengths[row] = line, len(line)
    return moves, lengths


@kernel
def _line_keys(moves: Bytes, lengths: Ints, keys: Ints) -> None:
    """Write a 63-bit hash (FNV-1) of each game's moves."""
    for game in range(len(lengths)):
        key = lengths[game]
        for ply in range(lengths[game]):
            key = add63(multiply63(key, 1099511628211), moves[game, ply] + 1)
        keys[game] = key


@kernel
def _first_wrong(
    rules: Rules, moves: Bytes, lengths: Ints, results: Results, forfeited: npt.NDArray[np.bool_]
) -> int:
    """Return the first game with a move that could not be made, or another end than it says.

    `results` are the first player's. A game that was forfeited may end anywhere.
    """
    for game in range(len(lengths)):
        mover, occupied, result = 0, 0, UNDECIDED
        for ply in range(lengths[game]):
            move = int(moves[game, ply])
            if result != UNDECIDED or move >= move_count(rules):
                return game
            cell = move_cell(rules, occupied, move)
            if cell == 0:
                return game
            if has_line(rules, mover | cell):
                result = LOSS if ply & 1 else WIN
            elif is_full(rules, occupied | cell):
                result = DRAW
            mover, occupied = play(mover, occupied, cell)
        if not forfeited[game] and result != results[game]:
            return game
    return len(lengths)


def joined(parts: list[Games]) -> Games:
    """Return the games of all parts."""
    if len(parts) == 1:
        return parts[0]
    return Games(
        np.concatenate([part.numbers for part in parts]),
        np.concatenate([part.results for part in parts]),
        np.concatenate([part.lengths for part in parts]),
        np.concatenate([part.moves for part in parts]),
        np.concatenate([part.seconds for part in parts]),
        {number: text for part in parts for number, text in part.forfeits.items()},
        {number: texts for part in parts for number, texts in part.said.items()},
    )


def moves_made(numbers: Ints, lengths: Ints, opening: int) -> Ints:
    """Return [games, 2]: the moves that a and b chose, those of the opening left out."""
    by_first = (lengths + 1) // 2 - (opening + 1) // 2
    by_second = lengths // 2 - opening // 2
    a_begins = numbers % 2 == 0
    by_a = np.where(a_begins, by_first, by_second)
    return np.stack([by_a, by_first + by_second - by_a], axis=1)
