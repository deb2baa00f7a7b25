"""Positions as visitors type them: read as far as they are right, and told where they go wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from fourlab.core.errors import FourlabError, IllegalMoveError, NotationError
from fourlab.rules.formats import from_stones, read_kaggle, read_text, read_uci, row_cells
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position, position_of, read_moves
from fourlab.web.limits import MOST_MOVES
from fourlab.web.sessions.base import whole


@dataclass(frozen=True)
class Reading:
    """The position that the valid part of a text leads to, and what is wrong with the rest.

    `start` and `end` are where the wrong characters stand in the text; equal if there are none.
    """

    position: Position
    error: str = ""
    start: int = 0
    end: int = 0
    kind: str = "moves"  # or "board"

    @property
    def is_good(self) -> bool:
        """Whether all of the text was taken."""
        return not self.error


def read_position(rules: Rules, text: str) -> Reading:
    """Read a move string, a Kaggle list, a UCI row or a board in text."""
    if len(text) > MOST_MOVES * 4:
        return Reading(rules.start(), f"too long; at most {MOST_MOVES * 4} characters", 0, 0)
    stripped = text.strip()
    reader: Callable[[Rules, str], Position] | None = None
    if stripped.startswith("["):
        reader = _read_list
    elif re.search(r"[xXoOb]", stripped) and "," in stripped:
        reader = read_uci
    elif re.search(r"[.xXoO]|[^\d\s,].*\n|\n.*[^\d\s,]", stripped):  # moves may be on many lines
        reader = read_text
    if reader is None:
        return read_prefix(rules, text)
    try:
        return Reading(reader(rules, stripped), kind="board")
    except FourlabError as error:
        return Reading(rules.start(), str(error), 0, len(text), kind="board")


def _read_list(rules: Rules, text: str) -> Position:
    try:
        board = json.loads(text)
    except ValueError:
        raise NotationError("the board list is not complete; write [0, 0, 1, ...]") from None
    if not isinstance(board, list) or not all(type(mark) is int for mark in board):
        raise NotationError("a board list holds only 0, 1 and 2")
    return read_kaggle(rules, board)


def read_prefix(rules: Rules, text: str) -> Reading:
    """Read a move string as far as it goes."""
    if len(text) > MOST_MOVES:
        return Reading(rules.start(), f"too long; at most {MOST_MOVES} characters", 0, 0)
    position = rules.start()
    tokens = re.finditer(r"[^\s,]" if rules.move_count <= 9 else r"[^\s,]+", text)
    for number, token in enumerate(tokens, start=1):
        try:
            [move] = read_moves(rules, token.group())
            position = position.play(move)
        except IllegalMoveError as error:
            return Reading(position, f"move {number}: {_brief(str(error))}", *token.span())
        except FourlabError:
            what = f"move {number}: {token.group()[:12]!r} is no {rules.unit}"
            return Reading(position, f"{what}; write 1 to {rules.move_count}", *token.span())
    return Reading(position)


def read_stones(rules: Rules, stones: list[int]) -> Position:
    """Return the position of a board set up by hand: 0, 1 or 2 for each cell from the top left."""
    if not isinstance(stones, list) or len(stones) != rules.cells:
        raise FourlabError(f"a board of {rules} has {rules.cells} cells")
    sides = [0, 0]
    for stone, cell in zip(stones, row_cells(rules), strict=True):
        if whole(stone, 0, 2, "stone"):
            sides[stone - 1] |= cell
    return from_stones(rules, sides[0], sides[1])


def _brief(error: str) -> str:
    """Leave out of an error where it happened: the page shows that."""
    return re.sub(r" in \S+ '[^']*'", "", error)


def one_of(
    query: Mapping[str, str], name: str, among: Sequence[str], problems: list[str], usual: int = 0
) -> str:
    """Return a word of an address, the usual one where it says none; what is unknown is noted."""
    word = query.get(name, among[usual])
    if word in among:
        return word
    problems.append(f"{name} {word[:20]!r} is not known; {', '.join(among)}")
    return among[usual]


def moves_of(rules: Rules, text: str) -> Position:
    """Return the position of a move string that must be right; raises FourlabError."""
    if len(text) > MOST_MOVES:
        raise NotationError(f"moves {text[:20]!r}... are too long; at most {MOST_MOVES} characters")
    return position_of(rules, text)
