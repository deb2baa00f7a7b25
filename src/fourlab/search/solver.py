"""`Solver`: the exact score of any position, with limit, threads and a book."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Iterator, Sequence

import numpy as np

from fourlab.core.arrays import Ints
from fourlab.core.errors import FourlabError
from fourlab.core.jit import SLOWNESS
from fourlab.core.kinds import typed
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.core.scratch import Scratch
from fourlab.core.spec import counted
from fourlab.core.workers import MOST_WORKERS
from fourlab.rules.boards import checked_boards
from fourlab.rules.catalog import game as find_game
from fourlab.rules.catalog import is_named
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position, checked_position
from fourlab.search.book import Book, shipped_book
from fourlab.search.exact import ASKED, CURSOR, Stack, new_stack
from fourlab.search.nodes import UNKNOWN
from fourlab.search.questions import PAUSED, SOLVED, Problems, new_problems, solver_kernel
from fourlab.search.scores import Bounds, win_score
from fourlab.search.transpositions import (
    BUCKET_BYTES,
    CAPACITY,
    Transpositions,
    clear,
    new_transpositions,
)

SLICE = (1 << 15) // SLOWNESS  # nodes between two looks at the clock and at Ctrl-C: about 10 ms
SHARED = 6  # games whose solvers, with tables of 64 MB, may be held at once
LAST_NODES = SLICE // 32  # for each move that there is no time left for


class FinishedError(FourlabError):
    """A board among those to be solved whose game is over."""

    def __init__(self, index: int) -> None:
        super().__init__(f"the game is over on board {index}; there is nothing to solve")
        self.index = index


class Solver:
    """Solves positions of one game; keeps what it found for the next question.

    `table_mb` is what its memory may grow to. `threads` search together, with the same answers.
    A solver may be used from several threads at once. `tuned` compiles it for this board alone, as
    it is for every game with a name: 1.7 times as fast, after some seconds.
    """

    @typed
    def __init__(
        self,
        game: str | Rules = "connect4",
        table_mb: float = 64,
        threads: int = 1,
        book: Book | None = None,
        tuned: bool = False,
    ) -> None:
        self.rules = find_game(game)
        self.threads = counted("threads", threads, 1, MOST_WORKERS)
        self.book = book
        self.table = new_transpositions(table_mb)
        self._solve = solver_kernel(self.rules if tuned or is_named(self.rules) else None)
        # Not a method of this object: the table is freed as soon as nobody uses the solver.
        self._desks: Scratch[tuple[Problems, Stack]] = Scratch(
            functools.partial(_new_desk, self.rules, self.table)
        )

    def prepare(self) -> None:
        """Compile or load what solving needs, off every clock."""
        nothing = new_problems(*np.zeros((2, 0), np.int64))
        stack = new_stack(self.rules, self.table)
        self._solve(self.rules, nothing, stack, self.table, True, False, False, 0)

    @property
    def memory(self) -> int:
        """The most bytes that the table will take."""
        return int(self.table.sizes[CAPACITY]) * BUCKET_BYTES

    def clear(self) -> None:
        """Forget everything that was searched."""
        clear(self.table)

    def score(self, position: Position) -> int:
        """Return the exact score of a position, seen by the side to move."""
        if self.book is None and checked_position(position).rules == self.rules:
            with self._desks.lent() as (problems, stack):
                problems.movers[0], problems.occupied[0] = position.mover, position.occupied
                table = self.table
                ended = self._solve(self.rules, problems, stack, table, True, False, False, SLICE)
                if ended == SOLVED and problems.low[0] == problems.high[0]:
                    return int(problems.low[0])
        return _exact(self.bounds(position))

    def outcome(self, position: Position) -> int:
        """Return 1, 0 or -1: a win, draw or loss of the side to move with perfect play."""
        return _exact(self.bounds(position, weak=True))

    @typed
    def bounds(self, position: Position, limit: Limit = NO_LIMIT, weak: bool = False) -> Bounds:
        """Return what can be said of the score within the limit; weak: of its sign."""
        [found] = self._bounds([position], limit, weak)
        return found

    @typed
    def score_many(self, positions: Sequence[Position], weak: bool = False) -> list[int]:
        """Return the scores of many positions; a batch is cheaper than one by one."""
        return [_exact(bounds) for bounds in self._bounds(positions, NO_LIMIT, weak)]

    @typed
    def scores(self, position: Position, weak: bool = False) -> list[int | None]:
        """Return the exact score of every move, None where it cannot be played."""
        known = dict(self.moves(position, weak=weak))
        moves = range(self.rules.move_count)
        return [_exact(known[move]) if move in known else None for move in moves]

    @typed
    def moves(
        self, position: Position, limit: Limit = NO_LIMIT, weak: bool = False
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
        for move, found in self._search_moves(open_moves, limit, weak):
            yield move, -found

    def _search_moves(
        self, moves: list[tuple[int, Position]], limit: Limit, weak: bool
    ) -> Iterator[tuple[int, Bounds]]:
        """Search one move after another; each may take a fair share of the time that is left."""
        watch, spent = limit.watch(), 0
        for index, (move, child) in enumerate(moves):
            nodes = LAST_NODES if watch.is_over(spent) else limit.nodes - spent
            left = Limit(watch.left / (len(moves) - index), nodes, limit.stop)
            [found] = self._bounds([child], left, weak)
            spent += found.nodes
            yield move, found

    @typed
    def line(self, position: Position, limit: Limit = NO_LIMIT) -> list[int]:
        """Return the moves of one game of perfect play from here, as far as the limit goes."""
        moves, watch = list[int](), limit.watch()
        while not checked_position(position).is_over:
            best = self._best(dict(self.moves(position, watch.rest())))
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
        if checked_position(position).rules != self.rules:
            raise FourlabError(f"{position.rules} is not the game of this solver, {self.rules}")
        if position.is_over:
            where = f"{self.rules} '{position.notation}'"
            raise FourlabError(f"the game is over in {where} ({position.outcome.words})")

    def _bounds(self, positions: Sequence[Position], limit: Limit, weak: bool) -> list[Bounds]:
        began = time.perf_counter()
        for position in positions:
            if checked_position(position).rules != self.rules:
                self._refuse(position)
        movers = np.array([position.mover for position in positions], np.int64)
        occupied = np.array([position.occupied for position in positions], np.int64)
        known = [self._from_book(position, weak) for position in positions] if self.book else []
        left = [index for index, bounds in enumerate(known) if bounds is None]
        if self.book and len(left) < len(positions):
            movers, occupied = movers[left], occupied[left]
        try:
            solved = self.solve_arrays(movers, occupied, limit, weak)
        except FinishedError as error:
            left = left or list(range(len(positions)))
            self._refuse(positions[left[error.index]])
            raise
        seconds = time.perf_counter() - began
        columns = (solved.low.tolist(), solved.high.tolist(), solved.nodes.tolist())
        found = [
            Bounds(low, high, nodes=nodes, seconds=seconds)
            for low, high, nodes in zip(*columns, strict=True)
        ]
        searched = iter(found)
        return [bounds or next(searched) for bounds in known] if self.book else found

    def solve_arrays(
        self,
        movers: Ints,
        occupied: Ints,
        limit: Limit = NO_LIMIT,
        weak: bool = False,
        fresh: bool = False,
    ) -> Problems:
        """Solve boards in progress, given as arrays; `fresh` clears the table before each.

        Raises FinishedError for a board whose game is over, NotationError for one that is none.
        """
        problems = new_problems(*checked_boards(self.rules, movers, occupied))
        stack = new_stack(self.rules, self.table)
        watch = limit.watch()
        helpers = Helpers(self, problems)
        begins, spent = True, 0
        try:
            while True:
                size = min(SLICE, limit.nodes - spent)
                ended = self._solve(
                    self.rules, problems, stack, self.table, begins, weak, fresh, size
                )
                if ended >= 0:
                    raise FinishedError(ended)
                begins = False
                spent = int(problems.nodes.sum()) + helpers.nodes
                if ended == SOLVED or watch.is_over(spent):
                    break
                if not fresh:
                    helpers.start()
        finally:
            helpers.stop()
        if ended == SOLVED and (problems.low < problems.high).any():
            # A helper that was late wrote a bound over a better one: true, but not narrow.
            stack.state[CURSOR], stack.state[ASKED] = 0, UNKNOWN
            args = (self.rules, problems, stack, self.table, False, weak, fresh, SLICE)
            while self._solve(*args) == PAUSED:
                pass
        return problems

    def score_arrays(
        self, movers: Ints, occupied: Ints, weak: bool = False, limit: Limit = NO_LIMIT
    ) -> Ints:
        """Return the exact scores of boards in progress, given as arrays; weak: their signs.

        Raises CalledOffError once the limit is over.
        """
        watch = limit.watch()
        found = self.solve_arrays(movers, occupied, limit, weak)
        watch.check()
        for low, high in {*zip(found.low.tolist(), found.high.tolist(), strict=True)}:
            _exact(Bounds(low, high))
        return found.low

    def help(self, problems: Problems, stack: Stack, done: threading.Event) -> None:
        """Solve along with others until all is done."""
        while not done.is_set():
            args = (self.rules, problems, stack, self.table, False, False, False, SLICE)
            if self._solve(*args) == SOLVED:
                break


def _new_desk(rules: Rules, table: Transpositions) -> tuple[Problems, Stack]:
    """Return room to solve one position."""
    return new_problems(*np.zeros((2, 1), np.int64)), new_stack(rules, table)


class Helpers:
    """Threads beside the one that solves; they share its problems and count for themselves."""

    def __init__(self, solver: Solver, problems: Problems) -> None:
        self._solver = solver
        self._problems = problems
        self._nodes = np.zeros((solver.threads, len(problems.movers)), np.int64)
        self._threads: list[threading.Thread] = []
        self._done = threading.Event()

    @property
    def nodes(self) -> int:
        """Nodes that they have searched."""
        return int(self._nodes.sum())

    def start(self) -> None:
        """Start them, unless they run."""
        count, solver = self._solver.threads, self._solver
        for number in range(len(self._threads) + 1, count):
            own = self._problems._replace(nodes=self._nodes[number])
            begin = number * len(own.movers) // count
            stack = new_stack(solver.rules, solver.table, number, begin)
            thread = threading.Thread(target=solver.help, args=(own, stack, self._done))
            thread.start()
            self._threads.append(thread)

    def stop(self) -> None:
        """Stop them and add up what they have searched."""
        self._done.set()
        for thread in self._threads:
            thread.join()
        self._problems.nodes[:] += self._nodes.sum(axis=0)


def _exact(bounds: Bounds) -> int:
    """Return a score; bounds that were not narrowed to one are a fault, never an answer."""
    if not bounds.is_exact:
        raise RuntimeError(f"the search ended with {bounds.low} to {bounds.high}, no score")
    return bounds.low


@functools.lru_cache(maxsize=SHARED)
def shared_solver(rules: Rules) -> Solver:
    """Return the solver of a game that all callers share, with the book that ships for it.

    Those of the last few games are held; another one's table goes once nobody uses it.
    """
    return Solver(rules, book=shipped_book(rules))


def solve(position: Position) -> list[int | None]:
    """Return the exact score of every move, None where it cannot be played."""
    return shared_solver(checked_position(position).rules).scores(position)
