"""Positions put to an agent, here or in a worker."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fourlab.agents.base import Agent
from fourlab.arena.certify.kernels import write_boards
from fourlab.arena.identity import asked_agent
from fourlab.core.arrays import Bytes, Ints
from fourlab.core.errors import IllegalMoveError
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.rules.boards import Boards, refusal
from fourlab.rules.geometry import Rules

BATCHES = 64, 1 << 15  # the fewest and the most positions that are asked at once
BATCH_SECONDS = 0.5  # what asking should take


def boards_at(rules: Rules, keys: Ints) -> Boards:
    """Return the boards of keys."""
    movers, occupied = np.empty((2, len(keys)), np.int64)
    write_boards(rules, keys, movers, occupied)
    return Boards(movers, occupied, np.zeros((len(keys), 0), np.uint8))


@dataclass(frozen=True)
class Questions:
    """Positions to put to an agent: plain data, fit for any worker."""

    agent: str
    checksum: str  # of the files it is loaded from
    game: str
    first: int  # row of the first position
    keys: Ints


class Portions:
    """How many positions are asked at once: more while that is quick, less where it takes long."""

    def __init__(self) -> None:
        self._batch = BATCHES[0]

    def questions(self, who: tuple[str, str, str], keys: Ints, rows: Ints) -> Iterator[Questions]:
        """Yield runs of those rows to an agent, by spec, checksum and game."""
        at = 0
        while at < len(rows):
            first = int(rows[at])
            batch = rows[at : at + self._batch]
            broken = np.flatnonzero(np.diff(batch) != 1)
            count = int(broken[0]) + 1 if len(broken) else len(batch)
            yield Questions(*who, first, keys[first : first + count])
            at += count

    def pace(self, count: int, seconds: float) -> None:
        """Learn how long it took to ask for so many."""
        if count == self._batch and seconds < BATCH_SECONDS:
            self._batch = min(2 * self._batch, BATCHES[1])
        elif seconds > 4 * BATCH_SECONDS:
            self._batch = max(self._batch // 2, BATCHES[0])


def answer(
    questions: Questions, player: Agent | None = None, limit: Limit = NO_LIMIT
) -> tuple[Bytes, float]:
    """Return the agent's moves and the seconds they took; runs in a worker, which makes it anew.

    Where the limit did not suffice, some are any legal moves.
    """
    player = player or asked_agent(questions.agent, questions.game, questions.checksum)
    began = time.perf_counter()
    boards = boards_at(player.rules, questions.keys)
    moves = player.choose(boards, np.zeros(len(questions.keys), np.int64), limit.heard)
    if ((moves < 0) | (moves >= player.rules.move_count)).any():  # others fit into a byte
        raise IllegalMoveError(f"{player.spec}: {refusal(player.rules, boards, moves)}")
    return moves.astype(np.uint8), time.perf_counter() - began
