"""`Solver`: the exact score of any position, with limits, threads and a book."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fourlab.rules.catalog import GAMES
from fourlab.rules.catalog import game as find_game
from fourlab.rules.errors import FourlabError
from fourlab.rules.geometry import Rules
from fourlab.rules.jit import SLOWNESS
from fourlab.rules.position import Position
from fourlab.search.book import Book, shipped_book
from fourlab.search.exact import Stack, new_stack
from fourlab.search.questions import Job, first_bounds, first_finished, solve_any, solve_on
from fourlab.search.scores import win_score
from fourlab.search.transpositions import BUCKET_BYTES, CAPACITY, Words, clear, new_table

SLICE = (1 << 15) // SLOWNESS  # nodes between two looks at the clock and at Ctrl-C: about 10 ms
UNLIMITED = 1 << 60


@dataclass(frozen=True)
class Bounds:
    """What is known of a score: it lies in [low, high]."""

    low: int
    high: int
    source: str = "search"  # or "book"
    nodes: int = 0
    seconds: float = 0.0

    @property
    def is_exact(self) -> bool:
        """Whether the score is known."""
        return self.low == self.high

    def __and__(self, other: Bounds) -> Bounds:
        """Return what is known of a score by both."""
        return Bounds(
            max(self.low, other.low),
            min(self.high, other.high),
            other.source,
            self.nodes + other.nodes,
            self.seconds + other.seconds,
        )

    def __neg__(self) -> Bounds:
        """Return the same for the other side."""
        return Bounds(-self.high, -self.low, self.source, self.nodes, self.seconds)


@dataclass(frozen=True)
class Limits:
    """When to stop and be content with bounds; `stop` is asked every few milliseconds."""

    nodes: int = UNLIMITED
    seconds: float = float("inf")
    stop: Callable[[], bool] = lambda: False


NO_LIMITS = Limits()


class Solver:
    """Solves positions of one game; keeps what it found for the next question.

    `table_mb` is what its memory may grow to. `threads` search together, with the same answers.
    A solver may be used from several threads at once.
    """

    def __init__(
        self,
        game: str | Rules = "connect4",
        table_mb: float = 64,
        threads: int = 1,
        book: Book | None = None,
    ) -> None:
        self.rules = find_game(game)
        self.threads = threads
        self.book = book
        self._table = new_table(table_mb)
        named = any(rules == self.rules for rules, _ in GAMES.values())
        # Compiling for one board takes seconds; boards with a name are worth it.
        self._solve = solve_on(self.rules) if named else functools.partial(solve_any, self.rules)

    @property
    def memory(self) -> int:
        """The most bytes that the table will take."""
        return int(self._table.sizes[CAPACITY]) * BUCKET_BYTES

    def clear(self) -> None:
        """Forget everything that was searched."""
        clear(self._table)

    def score(self, position: Position) -> int:
        """Return the exact score of a position, seen by the side to move."""
        return self.bounds(position).low

    def outcome(self, position: Position) -> int:
        """Return 1, 0 or -1: a win, draw or loss of the side to move with perfect play."""
        return self.bounds(position, weak=True).low

    def bounds(self, position: Position, limits: Limits = NO_LIMITS, weak: bool = False) -> Bounds:
        """Return what can be said of the score within the limits; weak: of its sign."""
        [found] = self._bounds([position], limits, weak)
        return found

    def score_many(self, positions: Sequence[Position], weak: bool = False) -> list[int]:
        """Return the scores of many positions; a batch is cheaper than one by one."""
        return [bounds.low for bounds in self._bounds(positions, NO_LIMITS, weak)]

    def scores(self, position: Position, weak: bool = False) -> list[int | None]:
        """Return the exact score of every move, None where it cannot be played."""
        known = dict(self.moves(position, weak=weak))
        moves = range(self.rules.move_count)
        return [known[move].low if move in known else None for move in moves]

    def moves(
        self, position: Position, limits: Limits = NO_LIMITS, weak: bool = False
    ) -> Iterator[tuple[int, Bounds]]:
        """Yield every legal move with its score or bounds, in the order in which they are found.

        Moves that end the game or stand in the book come first.
        """
        self._refuse(position)
        open_moves = []
        win = 1 if weak else win_score(self.rules, position.ply)
        for move in position.legal_moves():
            child = position.play(move)
            known = self._from_book(child, weak)
            if child.line:
                yield move, Bounds(win, win)
            elif child.is_over:
                yield move, Bounds(0, 0)
            elif known is not None:
                yield move, -known
            else:
                open_moves.append((move, child))
        for move, found in self._search_moves(open_moves, limits, weak):
            yield move, -found

    def _search_moves(
        self, moves: list[tuple[int, Position]], limits: Limits, weak: bool
    ) -> Iterator[tuple[int, Bounds]]:
        """Search one move after another; each may take a fair share of the time that is left."""
        deadline = time.perf_counter() + limits.seconds
        spent = 0
        for index, (move, child) in enumerate(moves):
            seconds = (deadline - time.perf_counter()) / (len(moves) - index)
            left = Limits(limits.nodes - spent, seconds, limits.stop)
            [found] = self._bounds([child], left, weak)
            spent += found.nodes
            yield move, found

    def line(self, position: Position, limits: Limits = NO_LIMITS) -> list[int]:
        """Return the moves of one game of perfect play from here, as far as the limits go."""
        moves: list[int] = []
        while not position.is_over:
            best = self._best(dict(self.moves(position, limits)))
            if best is None:
                break
            moves.append(best)
            position = position.play(best)
        return moves

    def _best(self, found: dict[int, Bounds]) -> int | None:
        """Return the move with the best score, the most central of equals; None if not known."""
        if not all(bounds.is_exact for bounds in found.values()):
            return None
        middle = (self.rules.columns - 1) / 2
        columns = self.rules.columns
        return max(found, key=lambda move: (found[move].low, -abs(move % columns - middle)))

    def _from_book(self, position: Position, weak: bool) -> Bounds | None:
        score = None if self.book is None else self.book.score(position)
        if score is None:
            return None
        if weak:
            score = (score > 0) - (score < 0)
        return Bounds(score, score, "book")

    def _refuse(self, position: Position) -> None:
        """Raise if there is nothing to solve in a position."""
        if position.rules != self.rules:
            raise FourlabError(f"{position.rules} is not the game of this solver, {self.rules}")
        if position.is_over:
            where = f"{self.rules} '{position.notation}'"
            raise FourlabError(f"the game is over in {where} ({position.outcome.words})")

    def _bounds(self, positions: Sequence[Position], limits: Limits, weak: bool) -> list[Bounds]:
        began = time.perf_counter()
        movers = np.array([position.mover for position in positions], np.int64)
        occupied = np.array([position.occupied for position in positions], np.int64)
        if any(p.rules != self.rules for p in positions) or (
            first_finished(self.rules, movers, occupied) < len(positions)
        ):
            for position in positions:
                self._refuse(position)
        known = [self._from_book(position, weak) for position in positions] if self.book else []
        left = [index for index, bounds in enumerate(known) if bounds is None]
        if self.book and len(left) < len(positions):
            movers, occupied = movers[left], occupied[left]
        job = self.solve_arrays(movers, occupied, limits, weak)
        seconds = time.perf_counter() - began
        columns = (job.low.tolist(), job.high.tolist(), job.nodes.tolist())
        found = [
            Bounds(low, high, nodes=nodes, seconds=seconds)
            for low, high, nodes in zip(*columns, strict=True)
        ]
        searched = iter(found)
        return [bounds or next(searched) for bounds in known] if self.book else found

    def solve_arrays(
        self,
        movers: Words,
        occupied: Words,
        limits: Limits = NO_LIMITS,
        weak: bool = False,
        fresh: bool = False,
    ) -> Job:
        """Solve boards in progress, given as arrays; `fresh` clears the table before each."""
        count = len(movers)
        job = Job(movers, occupied, *np.zeros((3, count), np.int64))
        first_bounds(self.rules, movers, occupied, weak, job.low, job.high)
        stack = new_stack(self.rules, self._table)
        deadline = time.perf_counter() + limits.seconds
        spent = 0
        helpers: list[threading.Thread] = []
        done = threading.Event()
        extra = np.zeros((self.threads, count), np.int64)
        try:
            while not self._solve(job, stack, self._table, fresh, min(SLICE, limits.nodes - spent)):
                spent = int(job.nodes.sum() + extra.sum())
                if spent >= limits.nodes or time.perf_counter() > deadline or limits.stop():
                    break
                if not helpers and not fresh:
                    for number in range(1, self.threads):
                        own = job._replace(nodes=extra[number])
                        begin = number * count // self.threads
                        helper = new_stack(self.rules, self._table, number, begin)
                        thread = threading.Thread(target=self._help, args=(own, helper, done))
                        thread.start()
                        helpers.append(thread)
        finally:
            done.set()
            for thread in helpers:
                thread.join()
        job.nodes[:] += extra.sum(axis=0)
        return job

    def _help(self, job: Job, stack: Stack, done: threading.Event) -> None:
        while not done.is_set() and not self._solve(job, stack, self._table, False, SLICE):
            pass


@functools.cache
def shared_solver(rules: Rules) -> Solver:
    """Return the solver of a game that all callers share, with the book that ships for it."""
    return Solver(rules, book=shipped_book(rules))


def solve(position: Position) -> list[int | None]:
    """Return the exact score of every move, None where it cannot be played."""
    return shared_solver(position.rules).scores(position)
