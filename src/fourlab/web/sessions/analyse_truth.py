"""Thinking on: a position is solved in ever longer rounds, and what is known is never forgotten."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fourlab.core.limit import Limit
from fourlab.rules.position import Position
from fourlab.search.analysis import Analysis, analyse
from fourlab.web.sessions.truth import exact_overlay, solver_of
from fourlab.web.workbench import Job

QUICK_SECONDS = 2.0  # of the first round: a question that takes longer makes room for short ones
LONGER_SECONDS = 60.0  # that each wish to think longer adds
MOST_SECONDS = 600.0  # that one position may be thought about
ROUND_SECONDS = 20.0  # of the longest round: each divides its time among the moves

Listener = Callable[[dict[str, Any], Analysis], None]


def is_solved(found: Analysis) -> bool:
    """Whether the exact score of every move is known."""
    legal = found.position.legal_moves()
    return all(found.score(move) is not None for move in legal)


def merged(before: Analysis | None, now: Analysis) -> Analysis:
    """Return what two analyses of a position know together."""
    if before is None:
        return now
    moves = dict(before.moves)
    for move, bounds in now.moves.items():
        moves[move] = moves[move] & bounds if move in moves else bounds
    spent = before.seconds + now.seconds
    return Analysis(now.position, moves, before.nodes + now.nodes, spent)


def rounds_of(seconds: float) -> list[float]:
    """Divide a time into rounds, the first short."""
    rounds, left = [], seconds
    length = QUICK_SECONDS
    while left > 0:
        rounds.append(min(length, left))
        left -= rounds[-1]
        length = min(ROUND_SECONDS, length * 3)
    return rounds


def solve_on(
    job: Job, position: Position, before: Analysis | None, seconds: float, listener: Listener
) -> None:
    """Report what is known of a position as it grows, for so many seconds or until it is solved."""
    known = before
    for length in rounds_of(seconds):
        limit = Limit(seconds=length, stop=job.cancelled)
        for now in analyse(position, solver_of(position.rules), limit, quick_first=True):
            found = merged(known, now)
            job.report(listener, exact_overlay(found, done=False), found)
            if job.cancelled():
                return
        known = Analysis(position, dict(found.moves), found.nodes, found.seconds)
        if is_solved(known):
            break
    assert known is not None  # noqa: S101  # there is at least one round
    job.report(listener, exact_overlay(known, done=True), known)
