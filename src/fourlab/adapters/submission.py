"""What Kaggle calls: `agent(obs, config)`, which answers in time with a column that is open.

The agent itself thinks in a thread. Where it fails, or is not ready in time (compiling on a slow
machine, a pause), a substitute answers, in the end the plain player, and standard error, which the
runner keeps, says why.
Nothing here needs more than Python's own library: it works where numpy does not.
"""

import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from fourlab.adapters.clock import Plan, plan
from fourlab.adapters.plain import EMPTY, Grid, open_columns, plain_move

COLUMNS, ROWS, INAROW, ACT_TIMEOUT = 7, 6, 4, 2.0  # what the runner has where it says nothing

Left = Callable[[], float]  # seconds that a search may still take


class Request(NamedTuple):
    """What the runner asks."""

    grid: Grid
    mark: int
    act: float  # seconds for this move
    overage: float  # seconds that may be drawn on in the whole game

    @property
    def moves_left(self) -> int:
        """Own moves until the board is full."""
        return (sum(cell == EMPTY for cell in self.grid.cells) + 1) // 2

    def plan(self) -> Plan:
        """Return what to spend on this move."""
        return plan(self.act, self.overage, self.moves_left)


Thinker = Callable[[Request, Left], int]


def field(source: Any, name: str, default: Any) -> Any:
    """Return a field of what the runner hands over, which has keys or attributes."""
    if isinstance(source, Mapping):
        return source.get(name, default)
    return getattr(source, name, default)


def read_request(obs: Any, config: Any) -> Request:
    """Read what the runner asks; raises ValueError if that is no turn of a game."""
    columns, rows, inarow = (
        int(field(config, name, default))
        for name, default in (("columns", COLUMNS), ("rows", ROWS), ("inarow", INAROW))
    )
    grid = Grid([int(cell) for cell in field(obs, "board", ())], columns, rows, inarow)
    mark = int(field(obs, "mark", 1))
    if len(grid.cells) != columns * rows or mark not in (1, 2):
        raise ValueError(f"{len(grid.cells)} cells for {columns} x {rows}, mark {mark}")
    act = float(field(config, "actTimeout", field(config, "timeout", ACT_TIMEOUT)))
    return Request(grid, mark, act, float(field(obs, "remainingOverageTime", 0)))


def any_column(obs: Any, config: Any) -> int:
    """Return an open column if there is one, whatever else is wrong with the question."""
    columns = int(field(config, "columns", COLUMNS) or COLUMNS)
    cells = [*(field(obs, "board", ()) or ()), *[EMPTY] * columns]
    grid = Grid(cells, columns, ROWS, INAROW)
    return (open_columns(grid) or [0])[0]


class Worker:
    """Thinks in a thread, so that nobody has to wait for it.

    `make` is called in the thread for each new kind of board and gives what thinks about it.
    """

    def __init__(self, make: Callable[[Grid], Thinker]) -> None:
        self._make = make
        self._thinker: Thinker | None = None
        self._board: tuple[int, ...] = ()
        self._thread: threading.Thread | None = None

    def is_ready(self, turn: Request) -> bool:
        """Return whether it needs no more than to think."""
        return self._thinker is not None and self._board == turn.grid[1:]

    def ask(self, turn: Request, left: Left, patience: float) -> int:
        """Return its answer; raises what the thinker raises, or TimeoutError."""
        answers: list[int | BaseException] = []
        busy = self._thread

        def work() -> None:
            try:
                if busy is not None:
                    busy.join()
                answers.append(self._think(turn, left))
            except BaseException as error:  # it belongs to the caller
                answers.append(error)

        self._thread = threading.Thread(target=work, daemon=True)
        self._thread.start()
        self._thread.join(max(0.0, patience))
        if not answers:
            raise TimeoutError(f"no answer in {patience:.2f} seconds")
        self._thread = None
        if isinstance(answers[0], BaseException):
            raise answers[0]
        return answers[0]

    def _think(self, turn: Request, left: Left) -> int:
        if self._thinker is None or self._board != turn.grid[1:]:
            self._thinker, self._board = None, turn.grid[1:]
            self._thinker = self._make(turn.grid)
        return self._thinker(turn, left)


class Submission:
    """Answers the runner, game after game.

    `make` gives the agent, `make_substitute` one that is ready sooner: it answers while the agent
    compiles and the account gets short, and where the agent fails.
    """

    def __init__(
        self,
        make: Callable[[Grid], Thinker],
        make_substitute: Callable[[Grid], Thinker] | None = None,
    ) -> None:
        self._agent = Worker(make)
        self._substitute = None if make_substitute is None else Worker(make_substitute)

    def __call__(self, obs: Any, config: Any) -> int:
        """Return an open column, in time."""
        began = time.perf_counter()
        try:
            turn = read_request(obs, config)
            columns = open_columns(turn.grid)
            if len(columns) == 1:
                return columns[0]
            for worker, until in self._workers(turn):
                move = self._answer(worker, turn, columns, began, until)
                if move is not None:
                    return move
            return plain_move(turn.grid, turn.mark)
        except Exception:
            traceback.print_exc()
            return any_column(obs, config)

    def _workers(self, turn: Request) -> Iterator[tuple[Worker, float]]:
        """Yield who may answer, and until when."""
        planned = turn.plan()
        if self._substitute is None or self._agent.is_ready(turn):
            yield self._agent, planned.latest
        else:
            yield self._agent, planned.latest - 2 * planned.least
        if self._substitute is not None:
            yield self._substitute, planned.latest

    def _answer(
        self, worker: Worker, turn: Request, columns: list[int], began: float, until: float
    ) -> int | None:
        """Return a worker's move if it gives a legal one in time; say so if not."""
        planned = turn.plan()

        def elapsed() -> float:
            return time.perf_counter() - began

        if elapsed() >= until:
            return None
        try:
            move = worker.ask(turn, lambda: planned.left(elapsed()), until - elapsed())
            if move not in columns:
                raise ValueError(f"column {move} is not open; open: {sorted(columns)}")
            return int(move)
        except TimeoutError as error:
            sys.stderr.write(f"late: {error}\n")
            return None
        except (Exception, SystemExit):  # whatever it is, a legal move is better than none
            traceback.print_exc()
            return None
