"""`Position`: the readable face of the kernels. The only place where moves meet their notation.

In code a move counts from 0: columns from the left, or without gravity cells row by row from the
top left. In notation it counts from 1: `4455`, or with separators where a game has more than nine
moves: `12,4,10`.
"""

from __future__ import annotations

import enum
import operator
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from fourlab.core.errors import SHOWN, IllegalMoveError, NotationError, quoted
from fourlab.rules import kernels
from fourlab.rules.geometry import BOARD_BITS, Rules
from fourlab.rules.keys import exact_key, has_keys

SINGLE_DIGIT_MOVES = 9
FIRST, SECOND = 0, 1
SIDE_NAMES = ("first player", "second player")


class Outcome(enum.Enum):
    """How a game stands; the values are what records and JSON say."""

    IN_PROGRESS = "in progress"
    FIRST_WINS = "first"
    SECOND_WINS = "second"
    DRAW = "draw"

    @property
    def winner(self) -> int | None:
        """FIRST, SECOND, or None."""
        return {Outcome.FIRST_WINS: FIRST, Outcome.SECOND_WINS: SECOND}.get(self)

    @property
    def words(self) -> str:
        """The outcome in a sentence: 'the first player wins'."""
        if self.winner is not None:
            return f"the {SIDE_NAMES[self.winner]} wins"
        return "a draw" if self is Outcome.DRAW else "in progress"


@dataclass(frozen=True, slots=True)
class Position:
    """A board and who is to move: immutable, equal by rules and stones.

    `moves` is one order of moves that leads here; it does not count for equality. Start from
    `rules.start()` or from `boards.py`, which check what they are given; the constructor does not.
    """

    rules: Rules
    mover: int
    occupied: int
    moves: tuple[int, ...] = field(compare=False)

    @property
    def ply(self) -> int:
        """The number of stones on the board."""
        return self.occupied.bit_count()

    @property
    def to_move(self) -> int:
        """FIRST or SECOND."""
        return self.ply % 2

    @property
    def waiting(self) -> int:
        """The stones of the side that is not to move."""
        return self.mover ^ self.occupied

    @property
    def first_stones(self) -> int:
        """The stones of the first player."""
        return self.mover if self.to_move == FIRST else self.waiting

    @property
    def outcome(self) -> Outcome:
        """How the game stands."""
        if kernels.has_line(self.rules, self.waiting):
            return Outcome.FIRST_WINS if self.to_move == SECOND else Outcome.SECOND_WINS
        if self.ply == self.rules.cells:
            return Outcome.DRAW
        return Outcome.IN_PROGRESS

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.outcome is not Outcome.IN_PROGRESS

    @property
    def key(self) -> int:
        """A number that no other position of the same game has."""
        if has_keys(self.rules):
            return exact_key(self.rules, self.mover, self.occupied)
        return self.occupied << BOARD_BITS | self.mover

    @property
    def shared_key(self) -> int:
        """A number that only this position and its mirror image have."""
        return min(self.key, self.mirror().key)

    @property
    def notation(self) -> str:
        """The moves as people write them."""
        return write_moves(self.rules, self.moves)

    def legal_moves(self) -> tuple[int, ...]:
        """Return the moves that may be played, none when the game is over."""
        if self.is_over:
            return ()
        cells = kernels.legal_cells(self.rules, self.occupied)
        moves = []
        while cells:
            moves.append(kernels.cell_move(self.rules, cells & -cells))
            cells &= cells - 1
        return tuple(sorted(moves))

    def winning_moves(self) -> tuple[int, ...]:
        """Return the legal moves that end the game with a line of the side to move."""
        return tuple(move for move in self.legal_moves() if self.play(move).line)

    @property
    def line(self) -> int:
        """The cells of the winning line or lines, 0 while there is none."""
        return kernels.line_cells(self.rules, self.waiting)

    def play(self, move: int) -> Position:
        """Return the position after a move; raises IllegalMoveError if the rules forbid it."""
        try:
            move = operator.index(move)  # of numpy too, but no number with a point
        except TypeError:
            raise self._refusal(f"{move!r:.{SHOWN}} is no {self.rules.unit}") from None
        if not 0 <= move < self.rules.move_count:
            raise self._refusal(f"{self.rules.unit} {move + 1} does not exist")
        cell = kernels.move_cell(self.rules, self.occupied, move)
        if cell == 0:
            taken = "full" if self.rules.gravity else "taken"
            raise self._refusal(f"{self.rules.unit} {move + 1} is {taken}")
        if kernels.has_line(self.rules, self.waiting):
            raise self._refusal(f"{self.rules.unit} {move + 1} comes after the end")
        return Position(self.rules, self.waiting, self.occupied | cell, (*self.moves, move))

    def play_all(self, moves: str | Iterable[int]) -> Position:
        """Return the position after several moves, given in notation or as numbers from 0.

        Raises NotationError or IllegalMoveError, which name the move that fails.
        """
        if isinstance(moves, str):
            moves = read_moves(self.rules, moves)
        if not isinstance(moves, Iterable):
            raise NotationError(f"{moves!r:.{SHOWN}} is no row of moves; write '4455' or [3, 3, 4]")
        position = self
        for move in moves:
            try:
                position = position.play(move)
            except IllegalMoveError as error:
                raise IllegalMoveError(f"move {position.ply + 1}: {error}") from None
        return position

    def mirror(self) -> Position:
        """Return the position reflected left to right."""
        moves = tuple(kernels.mirror_move(self.rules, move) for move in self.moves)
        mover = kernels.mirror(self.rules, self.mover)
        return Position(self.rules, mover, kernels.mirror(self.rules, self.occupied), moves)

    def _refusal(self, what: str) -> IllegalMoveError:
        where = f"{what} in {self.rules} '{self.notation}'"
        if self.is_over:
            return IllegalMoveError(f"{where}; the game is over ({self.outcome.words})")
        open_moves = " ".join(str(move + 1) for move in self.legal_moves())
        return IllegalMoveError(f"{where}; open: {open_moves}")

    def __str__(self) -> str:
        """Return the board in text."""
        from fourlab.rules.formats import write_text  # boards.py stands on this module

        return write_text(self)

    def __repr__(self) -> str:
        """Return the game, the moves and who is to move, in a line."""
        from fourlab.rules.drawing import described  # drawing.py stands on this module

        return f"<Position {described(self)}>"

    def _repr_svg_(self) -> str:
        """Return the board as a notebook shows it."""
        from fourlab.rules.drawing import board_svg

        return board_svg(self)


def read_moves(rules: Rules, text: str) -> list[int]:
    """Return the moves of a move string, numbered from 0; legality is not looked at.

    Raises NotationError that names the first thing that is no move.
    """
    if rules.move_count <= SINGLE_DIGIT_MOVES:
        tokens = re.sub(r"[\s,]", "", text)
    else:
        tokens = re.sub(r"[\s,]+", " ", text).split()  # type: ignore[assignment]
    moves = []
    for number, token in enumerate(tokens, start=1):
        if not (token.isascii() and token.isdigit() and 1 <= _small(token) <= rules.move_count):
            style = "" if rules.move_count <= SINGLE_DIGIT_MOVES else ", separated by commas"
            raise NotationError(
                f"move {number}: {quoted(token)} in {quoted(text)} is no {rules.unit} of {rules}; "
                f"write 1 to {rules.move_count}{style}"
            )
        moves.append(_small(token) - 1)
    return moves


def _small(digits: str) -> int:
    """Return a number of at most two digits, 0 for a longer one."""
    digits = digits.lstrip("0")
    return int(digits) if 0 < len(digits) <= 2 else 0


def write_moves(rules: Rules, moves: Iterable[int]) -> str:
    """Return moves numbered from 0 as a move string: the inverse of `read_moves`."""
    separator = "" if rules.move_count <= SINGLE_DIGIT_MOVES else ","
    return separator.join(str(move + 1) for move in moves)


def checked_position(thing: object) -> Position:
    """Return what is a position; raises NotationError, which says how to make one."""
    if isinstance(thing, Position):
        return thing
    raise NotationError(
        f"{thing!r:.{SHOWN}} is no position; "
        "write one as fourlab.game('connect4').start().play_all('4455')"
    )


def position_of(rules: Rules, moves: str | Iterable[int] = "") -> Position:
    """Return the position that a move string leads to."""
    return rules.start().play_all(moves)
