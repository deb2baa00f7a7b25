"""Curves that grow: what came of the learning so far, point by point, and what is tested for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fourlab.agents.base import Agent
from fourlab.arena.match import play_here
from fourlab.arena.statistics import Z95
from fourlab.core.limit import never
from fourlab.learning.base import Learner
from fourlab.learning.evaluation import against_truth
from fourlab.positions.suites import Scored
from fourlab.rules.kernels import mirror_move
from fourlab.rules.position import position_of
from fourlab.values.knowledge import Knowledge
from fourlab.values.store import AFTERSTATES, TUPLES
from fourlab.values.survey import survey
from fourlab.web.runs.policy import best_known
from fourlab.web.runs.sample import best_moves

MOST_POINTS = 300
CURVE_GAMES = 200
OWN_POSITIONS = 60  # of its own games that a point is held against the truth on
SMOOTHING = 0.25  # the weight of a point beside those before it
CHANCE = 2.6  # standard deviations that 99 of 100 points of one learner keep to
Mark = dict[str, float]


@dataclass
class Curves:
    """What came of the learning so far, point by point."""

    wins: list[Mark] = field(default_factory=list)
    truth: list[Mark] = field(default_factory=list)  # on positions of all kinds
    own: list[Mark] = field(default_factory=list)  # on positions of its own test games
    next_at: int = 0

    def is_due(self, games: int) -> bool:
        """Whether it is time for another point: ever more games apart."""
        return games >= self.next_at

    def add(self, point: Point, seconds: float) -> None:
        """Add a point after so many seconds of learning; old ones are thinned out."""
        self.next_at = _after(point.games)
        share = point.wins / point.of
        at = {"games": point.games, "seconds": round(seconds, 2)}
        self.wins.append({**at, "share": share, "of": point.of})
        for points, found in ((self.truth, point.thrown), (self.own, point.thrown_own)):
            if found is not None:
                points.append({**at, "share": found})
        for points in (self.wins, self.truth, self.own):
            if len(points) > MOST_POINTS:
                del points[1:-1:2]

    def cut(self, games: int) -> None:
        """Forget what came after so many games: it was never saved."""
        for points in (self.wins, self.truth, self.own):
            points[:] = [point for point in points if point["games"] <= games]
        self.next_at = _after(int(self.wins[-1]["games"])) if self.wins else 0

    def to_json(self) -> dict[str, list[list[float]]]:
        """Return the points as rows, short enough to be kept."""
        return {
            name: [
                [p["games"], round(p["share"], 4), p["seconds"], p.get("of", 0)]
                for p in getattr(self, name)
            ]
            for name in ("wins", "truth", "own")
        }

    @classmethod
    def from_json(cls, kept: dict[str, Any]) -> Curves:
        """Return the curves that were kept."""
        names = ("games", "share", "seconds", "of")
        found = {
            name: [dict(zip(names, row, strict=True)) for row in kept.get(name, [])]
            for name in ("wins", "truth", "own")
        }
        made = cls(found["wins"], found["truth"], found["own"])
        if made.wins:
            made.next_at = _after(int(made.wins[-1]["games"]))
        return made


def _after(games: int) -> int:
    """Return when the next point is due: ever more games apart."""
    return games + max(100, games // 40)


@dataclass(frozen=True)
class Point:
    """A point of the curves: games without exploring, and what the solver says of their moves."""

    games: int  # that it had learned from
    wins: int
    of: int
    thrown: float | None  # share of moves that throw away a win or a draw
    thrown_own: float | None
    columns: list[int]  # how often each move was chosen in the test
    best: list[int]  # in how many states of the test each has the best value


def measured(
    learner: Learner,
    opponent: Agent,
    positions: list[Scored] | None,
    stop: Callable[[], bool] = never,
) -> Point:
    """Test a learner as it is by now, sides in turn; raises CalledOffError once `stop` says so."""
    player = learner.agent()
    games = play_here(player, opponent, CURVE_GAMES, seed=learner.done, plies=0, stop=stop)
    chosen: Counter[int] = Counter()
    seen: dict[tuple[int, ...], int] = {}  # moves so far: the learner's move
    for number, row, length in zip(
        games.numbers.tolist(), games.moves.tolist(), games.lengths.tolist(), strict=True
    ):
        for ply in range(number % 2, length, 2):  # it begins every other game
            chosen[row[ply]] += 1
            seen[tuple(row[:ply])] = row[ply]
    thrown = 1 - against_truth(learner, positions)["good"] if positions else None
    return Point(
        games=learner.done,
        wins=int(np.count_nonzero(games.results > 0)),
        of=CURVE_GAMES,
        thrown=thrown,
        thrown_own=_thrown_own(learner, seen) if positions else None,
        columns=[chosen[move] for move in range(learner.rules.move_count)],
        best=_best(learner, seen),
    )


def _best(learner: Learner, seen: Iterable[tuple[int, ...]]) -> list[int]:
    """Count in how many states of its games each move has the best value.

    Only of learners whose values are those of boards after a move: others list their states.
    """
    counts = [0] * learner.rules.move_count
    known = getattr(learner, "knowledge", None)
    if not isinstance(known, Knowledge) or known.values.kind not in (AFTERSTATES, TUPLES):
        return counts
    met = (position_of(learner.rules, line) for line in seen)
    for state in {(one.mover, one.occupied): one for one in met}.values():
        move = best_known(known, state)
        if move is not None:
            counts[move] += 1
    return counts


def _thrown_own(learner: Learner, seen: dict[tuple[int, ...], int]) -> float | None:
    """Return how many moves of its own games threw something away, where that is soon known."""
    lines = sorted(seen)
    step = max(1, len(lines) // OWN_POSITIONS)
    bad = known = 0
    for line in lines[::step]:
        position = learner.rules.start()
        for move in line:
            position = position.play(move)
        best = best_moves(position)
        if best:
            known += 1
            bad += seen[line] not in best
    return bad / known if known >= OWN_POSITIONS // 4 else None


def columns_of(learner: Learner, point: Point) -> dict[str, Any] | None:
    """Return how often each move was chosen over all games, and in how many states it is best.

    Where mirror images are one, a column and its mirror image share what was counted for both.
    A learner that does not count by moves has `best` alone, in the states of the last test games;
    None where it has no values of moves.
    """
    known = getattr(learner, "knowledge", None)
    if not isinstance(known, Knowledge):
        return None
    if known.values.kind in (AFTERSTATES, TUPLES):
        best = np.array(point.best)
        return {"chosen": None, "best": _shares(best), "mirrored": False} if best.any() else None
    moves = learner.rules.move_count
    chosen = known.values.table.visits.sum(axis=0, dtype=np.int64)
    chosen = chosen.reshape(-1, moves).sum(axis=0)  # a double table has two halves
    found = survey(known)["choice_histogram"]
    best = np.array([found.get(str(move + 1), 0) for move in range(moves)])
    if known.values.symmetric:
        mirror = [int(mirror_move(learner.rules, move)) for move in range(moves)]
        chosen, best = chosen + chosen[mirror], best + best[mirror]
    return {"chosen": _shares(chosen), "best": _shares(best), "mirrored": known.values.symmetric}


def _shares(counts: np.ndarray[Any, Any]) -> list[float]:
    total = max(1, int(counts.sum()))
    return [round(count / total, 4) for count in counts.tolist()]


def smoothed(points: list[Mark]) -> list[list[float]]:
    """Return games, share, smoothed share, half of its 95% interval and seconds, point by point.

    A point further away than chance explains begins anew: the learner is another than before.
    """
    found: list[list[float]] = []
    level, weight = 0.0, 0.0
    for point in points:
        share, count = point["share"], point.get("of", 0.0)
        most = CHANCE * ((_spread(share) + _spread(level) * weight) / count) ** 0.5 if count else 1
        keep = SMOOTHING if found and abs(share - level) <= most else 1.0
        level += keep * (share - level)
        weight = keep**2 + (1 - keep) ** 2 * weight
        half = Z95 * (_spread(level) * weight / count) ** 0.5 if count else 0.0
        row = (share, level, half, point["seconds"])
        found.append([point["games"], *(round(number, 4) for number in row)])
    return found


def _spread(share: float) -> float:
    """Return the variance of one game, never quite none."""
    return max(share * (1 - share), 1e-4)
