"""What the solver says, in the words and heights of the pages."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position
from fourlab.search.analysis import Analysis, analyse
from fourlab.search.book import has_shipped_book
from fourlab.search.scores import OUTCOMES, sign, stones_to_come
from fourlab.search.solver import Solver, shared_solver
from fourlab.web.limits import ANALYSIS_SECONDS
from fourlab.web.words import signed, verdict
from fourlab.web.workbench import Job

WORDS = {1: "Win", 0: "Draw", -1: "Loss"}
NO_TIME = 0.001
QUICK_CELLS = 30  # of boards that are solved from the start in less than a second


def solver_of(rules: Rules) -> Solver:
    """Return the solver of a game that all pages share."""
    return shared_solver(rules)


def is_solved_in_time(rules: Rules) -> bool:
    """Whether every position of a board is solved in a moment: it is small, or has a book."""
    return rules.cells <= QUICK_CELLS or has_shipped_book(rules)


def solve_moves(
    job: Job, position: Position, listener: Callable[[dict[str, Any]], None], seconds: float
) -> None:
    """Report the chips of a position as they are solved, win, draw or loss before the number."""
    limits = Limit(seconds=seconds, stop=job.cancelled)
    for found in analyse(position, solver_of(position.rules), limits, quick_first=True):
        job.report(listener, exact_overlay(found, done=False))
        if job.cancelled():
            return
    job.report(listener, exact_overlay(found, done=True))


def exact_overlay(found: Analysis, done: bool) -> dict[str, Any]:
    """Return the chips of an analysis and what is to be said of it."""
    legal = found.position.legal_moves()
    chips = [
        _exact_chip(found, move, done) if move in legal else {"kind": "full", "first": "full"}
        for move in range(found.position.rules.move_count)
    ]
    solved = sum(found.score(move) is not None for move in legal)
    return {
        "chips": chips,
        "solved": solved,
        "of": len(legal),
        "done": done,
        "nodes": found.nodes,
        "seconds": found.seconds,
        "source": found.source,
        "value": found.value,
        "scores": {m: bounds.low for m, bounds in found.moves.items() if bounds.is_exact},
    }


def _exact_chip(found: Analysis, move: int, done: bool) -> dict[str, Any]:
    bounds = found.moves.get(move)
    if bounds is None:
        return {"kind": "wait", "first": "…"} if not done else {"kind": "unknown", "first": "?"}
    rules, stones = found.position.rules, found.position.ply
    if sign(bounds.low) != sign(bounds.high):
        tip = f"between {signed(bounds.low)} and {signed(bounds.high)}"
        if bounds.low == 0 or bounds.high == 0:
            first, second = ("Win or", "draw") if bounds.low == 0 else ("Draw or", "loss")
            return {"kind": "unknown", "first": first, "second": second, "tip": tip}
        return {"kind": "unknown" if done else "wait", "first": "?" if done else "…", "tip": tip}
    chip = {"kind": OUTCOMES[sign(bounds.low)], "first": WORDS[sign(bounds.low)]}
    if bounds.low and bounds.is_exact:
        chip["second"] = f"in {stones_to_come(rules, stones, bounds.low)}"
        chip["tip"] = f"score {signed(bounds.low)}"
    elif bounds.low:
        chip["second"] = "" if done else "…"
    return {**chip, "best": move in found.best}


def height(rules: Rules, score: int) -> float:
    """Return how high a score stands in a graph: 0 for a draw, up to 1 for a sure win."""
    if score == 0:
        return 0.0
    scale = max(1.0, rules.cells * 9 / 42)
    return sign(score) * (0.30 + 0.70 * min(1.0, abs(score) / scale))


@dataclass(frozen=True)
class Blunder:
    """A move that changed the outcome for the worse; `move` counts stones from 1."""

    move: int
    side: int
    before: str
    after: str


class GameValues:
    """The exact scores of the positions of a game, as they become known.

    A score is seen by the side to move; None stands for one that was not found in time.
    """

    def __init__(self) -> None:
        self.scores: dict[Position, int | None] = {}

    def missing(self, positions: list[Position]) -> list[Position]:
        """Return the positions of which nothing is known, the last first: they are quicker."""
        return [position for position in reversed(positions) if position not in self.scores]

    def add(self, position: Position, score: int | None) -> None:
        """Note the score of a position."""
        self.scores[position] = score

    def points(self, positions: list[Position], side: int) -> list[dict[str, Any] | None]:
        """Return a point for each position, seen by a side; None where the score is not known."""
        points: list[dict[str, Any] | None] = []
        for position in positions:
            score = self.scores.get(position)
            if score is None:
                points.append(None)
                continue
            own = position.to_move == side
            points.append(
                {
                    "height": round(height(position.rules, score) * (1 if own else -1), 3),
                    "words": verdict(position.rules, position.ply, score, by_mover=own),
                }
            )
        return points

    def blunders(self, positions: list[Position]) -> list[Blunder]:
        """Return the moves that turned a win into less, or a draw into a loss."""
        found = []
        for before, after in itertools.pairwise(positions):
            old, new = self.scores.get(before), self.scores.get(after)
            if old is None or new is None or sign(-new) >= sign(old):
                continue
            rules = before.rules
            found.append(
                Blunder(
                    move=after.ply,
                    side=before.to_move,
                    before=verdict(rules, before.ply, old),
                    after=verdict(rules, after.ply, new, by_mover=False),
                )
            )
        return found


def solve_game(
    job: Job,
    positions: list[Position],
    listener: Callable[[Position, int | None], None],
    seconds: float = ANALYSIS_SECONDS,
) -> None:
    """Report the exact score of each position, None where the time for the whole game ran out."""
    deadline = time.perf_counter() + seconds
    for position in positions:
        left = max(NO_TIME, deadline - time.perf_counter())
        score = score_of(position, Limit(seconds=left, stop=job.cancelled))
        if job.cancelled():
            return
        job.report(listener, position, score)


def score_of(position: Position, limits: Limit | None = None) -> int | None:
    """Return the exact score of a position, over or not, or None if the limits do not allow it."""
    if position.is_over:
        return Analysis(position).value
    limits = NO_LIMIT if limits is None else limits
    found = solver_of(position.rules).bounds(position, limits)
    return int(found.low) if found.is_exact else None
