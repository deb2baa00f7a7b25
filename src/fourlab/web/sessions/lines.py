"""Best lines: how the game goes on after each move if both sides play perfectly."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from fourlab.core.limit import Limit
from fourlab.rules.position import Position
from fourlab.search.scores import OUTCOMES, sign, stones_to_come, words
from fourlab.web.sessions.truth import solver_of
from fourlab.web.workbench import Job

MOST_LINES = 4
MOST_PLIES = 10


def best_lines(
    job: Job,
    position: Position,
    scores: dict[int, int],
    listener: Callable[[list[dict[str, Any]]], None],
    seconds: float,
) -> None:
    """Report the lines of the best moves, the best first, as they are found."""
    deadline = time.perf_counter() + seconds
    middle = (position.rules.columns - 1) / 2
    columns = position.rules.columns
    order = sorted(scores, key=lambda move: (-scores[move], abs(move % columns - middle)))
    found: list[dict[str, Any]] = []
    for move in _spread(order, scores):
        limits = Limit(seconds=deadline - time.perf_counter(), stop=job.cancelled)
        found = [*found, describe(position, move, scores, follow(position, move, limits))]
        job.report(listener, found)
        if job.cancelled():
            return


def _spread(order: list[int], scores: dict[int, int]) -> list[int]:
    """Choose moves that show what there is: the best two, then the best of each lesser outcome."""
    chosen = order[:2]
    for outcome in (1, 0, -1):
        rest = [m for m in order if m not in chosen and sign(scores[m]) == outcome]
        shown = any(sign(scores[move]) == outcome for move in chosen)
        chosen += rest[:1] if not shown else []
    chosen += [move for move in order if move not in chosen][: MOST_LINES - len(chosen)]
    return sorted(chosen[:MOST_LINES], key=order.index)


def follow(position: Position, move: int, limits: Limit) -> tuple[list[int], bool]:
    """Return a move and perfect play after it, and whether the game goes on beyond that."""
    line, watch = [move], limits.watch()
    position = position.play(move)
    solver = solver_of(position.rules)
    middle = (position.rules.columns - 1) / 2
    while not position.is_over and len(line) < MOST_PLIES:
        found = dict(solver.moves(position, watch.rest()))
        if not all(bounds.is_exact for bounds in found.values()):
            break
        columns = position.rules.columns
        best = max(found, key=lambda m: (found[m].low, -abs(m % columns - middle)))
        line.append(best)
        position = position.play(best)
    return line, not position.is_over


def describe(
    position: Position, move: int, scores: dict[int, int], line: tuple[list[int], bool]
) -> dict[str, Any]:
    """Return a line as the page shows it."""
    score = scores[move]
    return {
        "kind": OUTCOMES[sign(score)],
        "words": words(position.rules, position.ply, score),
        "moves": line[0],
        "more": line[1],
        "remark": remark(position, score, max(scores.values())),
        "best": score == max(scores.values()),
    }


def remark(position: Position, score: int, best: int) -> str:
    """Say in a few words how a move compares with the best."""
    if score == best:
        return {1: "fastest", 0: "holds the draw", -1: "holds out longest"}[sign(best)]
    if sign(score) != sign(best):
        return "gives up the win" if score == 0 else "loses"
    rules, stones = position.rules, position.ply
    gap = abs(stones_to_come(rules, stones, score) - stones_to_come(rules, stones, best))
    plural = "" if gap == 1 else "s"
    return f"{gap} move{plural} {'slower' if score > 0 else 'sooner'}"
