"""Solving a whole board in pieces that survive a crash: the positions some plies deep.

Each piece is searched for a while, then the one that matters most, until the outcome of the board
follows. What is found out is noted at once, so that a run that is killed goes on where it was.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass, field
from pathlib import Path

from fourlab.core.errors import FourlabError
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.core.storage import SEAL, seal, unseal, writing
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position, position_of
from fourlab.search.scores import Bounds
from fourlab.search.solver import Solver

FIRST_NODES = 1 << 22  # searched in a piece before another is looked at; then twice as many
UNKNOWN = Bounds(-1, 1)
Key = tuple[int, int]


@dataclass(frozen=True)
class Board:
    """A board to solve, as plain data.

    The pieces are the positions with `plies` stones; 0 solves the board in one piece. `notes` names
    the file that keeps what is known of them, none keeps nothing.
    """

    columns: int
    rows: int
    plies: int = 0
    table_mb: float = 64
    notes: str = ""
    tuned: bool = False  # as for `Solver`

    @property
    def rules(self) -> Rules:
        """The game: connect 4."""
        return Rules(self.columns, self.rows, 4)


@dataclass(frozen=True)
class Solved:
    """What is known of a board: the outcome for the first player lies in [low, high]."""

    board: Board
    low: int
    high: int
    nodes: int
    seconds: float

    @property
    def words(self) -> str:
        """Say it."""
        return {
            (1, 1): "first player",
            (0, 0): "draw",
            (-1, -1): "second player",
            (0, 1): "at least a draw",
            (-1, 0): "at most a draw",
            (-1, 1): "not known",
        }[self.low, self.high]


@dataclass
class Piece:
    """A position near the empty board: what is known of its outcome, and its moves."""

    position: Position
    children: list[Piece] = field(default_factory=list)
    known: Bounds = UNKNOWN

    @property
    def bounds(self) -> Bounds:
        """What is known of the outcome, and what follows from the pieces below."""
        if not self.children:
            return self.known
        each = [-child.bounds for child in self.children]
        return self.known & Bounds(max(one.low for one in each), max(one.high for one in each))

    def next(self) -> Piece:
        """Return the piece below that is to be searched next, if this one is not decided.

        Among the moves that may still be best it is the one on which least was spent, where each
        move away from the centre has to be twice as cheap.
        """
        if not self.children:
            return self
        high = self.bounds.high
        open_ones = [
            (rank, child)
            for rank, child in enumerate(self.children)
            if -child.bounds.low >= high and not child.bounds.is_exact
        ]
        return min(open_ones, key=lambda one: (one[1].nodes + 1) << one[0])[1].next()

    @property
    def nodes(self) -> int:
        """The nodes that were searched below."""
        return self.known.nodes + sum(child.nodes for child in self.children)


def solve(board: Board, limit: Limit = NO_LIMIT) -> Solved:
    """Solve a board, or find out what can be within the limit; a job for any worker."""
    began = time.perf_counter()
    watch = limit.watch()
    notes = Notes(board)
    pieces: dict[Key, Piece] = {}
    root = _plant(board.rules.start(), board.plies, pieces)
    for key, bounds in notes.read().items():
        if key in pieces:
            pieces[key].known = bounds
    before = sum(piece.known.seconds for piece in pieces.values())
    solver = Solver(board.rules, board.table_mb, tuned=board.tuned)
    while not root.bounds.is_exact:
        spent = sum(piece.known.nodes for piece in pieces.values())
        if watch.is_over(spent):
            break
        piece = root.next()
        share = max(FIRST_NODES, piece.known.nodes) if board.plies else NO_LIMIT.nodes
        left = watch.rest(spent)
        found = solver.bounds(
            piece.position, Limit(left.seconds, min(share, left.nodes), left.stop), weak=True
        )
        piece.known = piece.known & found
        notes.add(piece)
    spent = sum(piece.known.nodes for piece in pieces.values())
    bounds = root.bounds
    return Solved(board, bounds.low, bounds.high, spent, before + time.perf_counter() - began)


def _plant(position: Position, plies: int, pieces: dict[Key, Piece]) -> Piece:
    """Return the tree of pieces below a position; those that are mirror images are one."""
    key = _key(position)
    if key in pieces:
        return pieces[key]
    piece = pieces[key] = Piece(position)
    if position.is_over:
        value = -1 if position.line else 0
        piece.known = Bounds(value, value)
    elif plies:
        middle = (position.rules.columns - 1) / 2
        moves = sorted(position.legal_moves(), key=lambda move: abs(move - middle))
        children = [_plant(position.play(move), plies - 1, pieces) for move in moves]
        piece.children = list({id(child): child for child in children}.values())
    return piece


def _key(position: Position) -> Key:
    image = position.mirror()
    return min((position.mover, position.occupied), (image.mover, image.occupied))


class Notes:
    """A file of JSON lines, one for each search of a piece; the last about a piece holds."""

    def __init__(self, board: Board) -> None:
        self.rules = board.rules
        self.path = Path(board.notes) if board.notes else None

    def read(self) -> dict[Key, Bounds]:
        """Return what is known of pieces; a line that is torn or damaged is left out."""
        if self.path is None or not self.path.exists():
            return {}
        found = {}
        text = self.path.read_bytes().decode(errors="replace")
        sealed = f'"{SEAL}": "' in text  # the first notes had no checksums
        for line in text.splitlines():
            try:
                data = unseal(json.loads(line), self.path, must=sealed)
            except (ValueError, RecursionError):
                continue
            if data["game"] != str(self.rules):
                raise FourlabError(f"{self.path} is about {data['game']}, not {self.rules}")
            position = position_of(self.rules, data["moves"])
            found[_key(position)] = Bounds(
                data["low"], data["high"], nodes=data["nodes"], seconds=data["seconds"]
            )
        return found

    def add(self, piece: Piece) -> None:
        """Write down what is known of a piece; it is on the disk when this returns."""
        if self.path is None:
            return
        known = piece.known
        data = {
            "game": str(self.rules),
            "moves": piece.position.notation,
            "low": known.low,
            "high": known.high,
            "nodes": known.nodes,
            "seconds": round(known.seconds, 3),
        }
        with writing(self.path), self.path.open("a+b") as file:
            if file.tell() and self.path.read_bytes()[-1:] != b"\n":
                file.write(b"\n")  # after a torn line
            file.write(json.dumps(seal(data)).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
