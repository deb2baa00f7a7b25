"""`Review`: a game told by the truth, its turning points each with a line that refutes it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fourlab.core.limit import Limit
from fourlab.rules.position import Position
from fourlab.search.analysis import analyse
from fourlab.web.limits import ANALYSIS_SECONDS
from fourlab.web.sessions.review_words import best_move
from fourlab.web.sessions.truth import Blunder, GameValues, exact_overlay, solver_of
from fourlab.web.workbench import Job

LONGER = 6  # times the usual, for a visitor who lets it think longer


@dataclass(frozen=True)
class Told:
    """What the solver says of a turning point: the moves before it, and perfect play after it."""

    overlay: dict[str, Any]  # chips and scores of the position before
    line: tuple[int, ...]
    is_whole: bool  # whether the line ends the game

    @property
    def scores(self) -> dict[int, int]:
        """The exact scores of the moves that could have been played."""
        scores: dict[int, int] = self.overlay["scores"]
        return scores


@dataclass(frozen=True)
class Tally:
    """How one side played: how many of its moves are judged, kept the outcome, were best."""

    moves: int = 0
    judged: int = 0
    kept: int = 0
    best: int = 0


class Review:
    """What is known of a game: scores of its positions, and its turning points told.

    `selected` is the move of the turning point that is shown, None while nothing is reviewed.
    """

    def __init__(self) -> None:
        self.values = GameValues()
        self.told: dict[Position, Told | None] = {}  # by the position after; None: not in time
        self.selected: int | None = None
        self.seeks = False  # whether the decisive turning point is shown as soon as it is known
        self.seconds = ANALYSIS_SECONDS

    def points(self, positions: list[Position]) -> list[Blunder]:
        """Return the turning points of a game, as far as they are known."""
        return self.values.blunders(positions)

    def decisive(self, positions: list[Position]) -> int:
        """Return the last turning point of the side that lost, of any side, or else the end."""
        winner = positions[-1].outcome.winner
        points = self.points(positions)
        lost = [one.move for one in points if winner is not None and one.side != winner]
        return (lost or [one.move for one in points] or [len(positions) - 1])[-1]

    def tallies(self, positions: list[Position]) -> list[Tally]:
        """Return how both sides played."""
        found = [[0, 0, 0, 0], [0, 0, 0, 0]]
        turning = {one.move for one in self.points(positions)}
        scores = self.values.scores
        for before, after in itertools.pairwise(positions):
            tally = found[before.to_move]
            tally[0] += 1
            old, new = scores.get(before), scores.get(after)
            if old is not None and new is not None:
                tally[1] += 1
                tally[2] += after.ply not in turning
                tally[3] += old == -new
        return [Tally(*tally) for tally in found]

    def think_longer(self) -> None:
        """Try again what was not solved, with more time."""
        self.seconds = ANALYSIS_SECONDS * LONGER
        self.values.scores = {p: s for p, s in self.values.scores.items() if s is not None}
        self.told = {p: told for p, told in self.told.items() if told is not None}

    def untold(self, positions: list[Position]) -> list[tuple[Position, Position]]:
        """Return the turning points to be told, before and after; the one that is shown first."""
        order = sorted(self.points(positions), key=lambda one: one.move != self.selected)
        pairs = [(positions[one.move - 1], positions[one.move]) for one in order]
        return [pair for pair in pairs if pair[1] not in self.told]


def tell_all(
    job: Job,
    pairs: list[tuple[Position, Position]],
    listener: Callable[[Position, Told | None], None],
    seconds: float,
) -> None:
    """Report what the solver says of turning points, None where time ran out."""
    watch = Limit(seconds=seconds, stop=job.cancelled).watch()
    for before, after in pairs:
        found = tell(before, after, watch.rest())
        if job.cancelled():
            return
        job.report(listener, after, found)


def tell(before: Position, after: Position, limits: Limit) -> Told | None:
    """Return what the solver says of a move; None if the limits do not allow it."""
    watch = limits.watch()
    *_, found = analyse(before, solver_of(before.rules), watch.rest())
    if found.value is None or not all(bounds.is_exact for bounds in found.moves.values()):
        return None
    line: list[int] = []
    position = after
    while not position.is_over:
        scores = solver_of(before.rules).moves(position, watch.rest())
        known = {move: bounds.low for move, bounds in scores if bounds.is_exact}
        if len(known) < len(position.legal_moves()):
            break
        line.append(best_move(position.rules, known))
        position = position.play(line[-1])
    return Told(exact_overlay(found, done=True), tuple(line), position.is_over)
