"""Three ways to find out whether a move has won, timed over the same random games.

An agent that checks the whole board, one that looks around the last piece, and a bit board play
from equal dice, so that all of them play the same games. The first two run as plain Python too: in
a child process with the compiler switched off, from the same source.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fourlab.core.dice import below, roll, seeded
from fourlab.core.errors import FourlabError
from fourlab.core.jit import COMPILED, kernel
from fourlab.rules.catalog import game
from fourlab.rules.geometry import Rules
from fourlab.search.choices import playouts_on

WHOLE, LAST, BITS = "whole board", "around the last piece", "bit board"
ROUNDS = 3  # of which the quickest counts


@dataclass(frozen=True)
class Timed:
    """Random games from the empty board with one check: results, and seconds of the processor."""

    check: str
    compiled: bool
    games: int
    wins: int  # of the first player
    draws: int
    moves: int  # of all games
    seconds: float


@kernel
def _run(rules: Rules, board: Any, column: int, row: int, right: int, up: int, most: int) -> int:
    """Return how many cells beyond one, in one direction and at most `most`, hold its mark."""
    mark, length = board[column * rules.rows + row], 0
    while length < most:
        column, row = column + right, row + up
        if column < 0 or column >= rules.columns or row < 0 or row >= rules.rows:
            break
        if board[column * rules.rows + row] != mark:
            break
        length += 1
    return length


@kernel
def line_through(rules: Rules, board: Any, column: int, row: int) -> bool:
    """Return whether the piece on a cell is part of a line: at most 8 (connect - 1) other cells."""
    most = rules.connect - 1
    for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
        beyond = _run(rules, board, column, row, right, up, most)
        if beyond + _run(rules, board, column, row, -right, -up, most) >= most:
            return True
    return False


@kernel
def line_anywhere(rules: Rules, board: Any, mark: int) -> bool:
    """Return whether a side has a line: every place for one, cell by cell."""
    most = rules.connect - 1
    for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
        for column in range(rules.columns - right * most):
            for row in range(max(0, -up) * most, rules.rows - max(0, up) * most):
                if board[column * rules.rows + row] != mark:
                    continue
                if _run(rules, board, column, row, right, up, most) == most:
                    return True
    return False


@kernel
def play_games(
    rules: Rules, board: Any, heights: Any, everywhere: bool, games: int, state: int
) -> tuple[int, int, int]:
    """Play random games on an array of cells, the games of `playouts_on` for the same dice.

    Returns the first player's wins, the draws, and the moves of all games.
    """
    wins, draws, moves, cells = 0, 0, 0, rules.columns * rules.rows
    for _ in range(games):
        for cell in range(cells):
            board[cell] = 0
        for column in range(rules.columns):
            heights[column] = 0
        winner, ply = 0, 0
        while winner == 0 and ply < cells:
            state = roll(state)
            column = below(state, rules.columns)
            row = heights[column]
            if row == rules.rows:
                continue
            mark = 1 + ply % 2
            board[column * rules.rows + row] = mark
            heights[column] = row + 1
            if everywhere:
                is_won = line_anywhere(rules, board, mark)
            else:
                is_won = line_through(rules, board, column, row)
            if is_won:
                winner = mark
            ply += 1
        moves += ply
        wins += winner == 1
        draws += winner == 0
    return wins, draws, moves


def most_reads(rules: Rules, check: str) -> int:
    """Return how many cells a check may have to read after a move."""
    most = rules.connect - 1
    if check == LAST:
        return 8 * most
    wide, high = max(0, rules.columns - most), max(0, rules.rows - most)
    lines = wide * rules.rows + rules.columns * high + 2 * wide * high
    return rules.connect * lines


def timed(name: str, check: str, games: int, seed: int) -> Timed:
    """Play random games in this process, compiled or not as it is."""
    rules, state = game(name), int(seeded(seed))
    if check == BITS:
        playouts = playouts_on(rules)

        def play(count: int) -> tuple[int, int, int]:
            wins, draws, _, moves = playouts(count, state)
            return wins, draws, moves
    else:
        # A list is what plain Python is quickest with.
        board: Any = np.zeros(rules.cells, np.int8) if COMPILED else [0] * rules.cells
        heights: Any = np.zeros(rules.columns, np.int64) if COMPILED else [0] * rules.columns

        def play(count: int) -> tuple[int, int, int]:
            return play_games(rules, board, heights, check == WHOLE, count, state)

    play(1)  # compiles
    found, seconds = _quickest(lambda: play(games))
    wins, draws, moves = map(int, found)
    return Timed(check, COMPILED, games, wins, draws, moves, seconds)


def _quickest(work: Callable[[], tuple[int, int, int]]) -> tuple[tuple[int, int, int], float]:
    rounds = []
    for _ in range(ROUNDS):
        began = time.thread_time()
        found = work()
        rounds.append(time.thread_time() - began)
    return found, min(rounds)


def timed_plainly(name: str, check: str, games: int, seed: int) -> Timed:
    """Play random games in a process without a compiler."""
    arguments = (name, check, str(games), str(seed))
    done = subprocess.run(  # noqa: S603  # our own module
        [sys.executable, "-m", "fourlab.studies.connectx.win_checks", *arguments],
        env={
            **os.environ,
            "NUMBA_DISABLE_JIT": "1",
            "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), *sys.path]),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise FourlabError(f"plain Python could not play: {done.stderr.strip()[-300:]}")
    return Timed(**json.loads(done.stdout))


if __name__ == "__main__":
    _, _name, _check, _games, _seed = sys.argv
    sys.stdout.write(json.dumps(asdict(timed(_name, _check, int(_games), int(_seed)))))
