"""How good is it by now: games against named agents, and moves and values against the truth.

Nothing here touches what is learned or the dice that it is learned with.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fourlab.agents.base import Agent
from fourlab.arena.grading import grade
from fourlab.arena.in_step import play_from
from fourlab.arena.statistics import share_interval
from fourlab.core.errors import SpecError
from fourlab.core.limit import never
from fourlab.learning.base import Learner
from fourlab.learning.classes import crossed
from fourlab.positions.starts import draw_boards, starts
from fourlab.positions.suites import Scored, check_name, suite
from fourlab.rules.geometry import Rules
from fourlab.rules.position import FIRST, SECOND
from fourlab.search.scores import sign

SOLVABLE = 42  # cells of the largest board whose middle games the solver answers at once


@dataclass(frozen=True)
class Score:
    """Results of games from one side's view."""

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """How many there were."""
        return self.wins + self.draws + self.losses

    def __add__(self, other: Score) -> Score:
        return Score(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)

    def to_json(self) -> dict[str, Any]:
        """Return counts and the score, draws counting half, with its 95% interval."""
        points = self.wins + self.draws / 2
        low, high = share_interval(points, self.games)
        counts = {"wins": self.wins, "draws": self.draws, "losses": self.losses}
        score = points / max(self.games, 1)
        return {**counts, "score": score, "low": low, "high": high}


def play_off(
    learner: Learner,
    opponent: Agent,
    games: int,
    seed: int,
    side: str,
    start: str = "",
    stop: Callable[[], bool] = never,
) -> Score:
    """Let what was learned play without exploring; `side` is first, second or alternating.

    Games begin at `start`, or else where training games do; without their random moves, whoever
    the opponent is. Raises CalledOffError once `stop` says so.
    """
    sides = {"first": [FIRST], "second": [SECOND]}.get(side, [FIRST, SECOND])
    begun = starts(start or learner.start, learner.rules)._replace(plies=0)
    player = learner.agent()
    rng = np.random.default_rng([seed, 1])
    score = Score(0, 0, 0)
    for index, which in enumerate(sides):
        count = games // len(sides) + (index < games % len(sides))
        boards = draw_boards(learner.rules, begun, rng.integers(1 << 62, size=count))
        seeds = rng.integers(1 << 62, size=count)
        first, second = (player, opponent) if which == FIRST else (opponent, player)
        results = play_from(boards, first, second, seeds, stop)
        wins, losses = int((results > 0).sum()), int((results < 0).sum())
        won, lost = (wins, losses) if which == FIRST else (losses, wins)
        score += Score(won, count - wins - losses, lost)
    return score


def against_truth(learner: Learner, positions: list[Scored]) -> dict[str, Any]:
    """Return how often its moves are perfect and good, and what its values say of the truth.

    The error is the mean distance between the value of a move that was learned and what it is
    truly worth: 1 a win, 0 a draw, -1 a loss. Classes are win, draw and loss of a position, told by
    the value of its best move.
    """
    player = learner.agent()
    graded = grade(player, positions).overall.to_json()
    distances, bests = [], []
    for scored in positions:
        found = player.decide(scored.position, np.random.default_rng(0)).values or ()
        for value, truth in zip(found, scored.scores, strict=False):
            if value is not None and truth is not None:
                distances.append(abs(value - sign(truth)))
        known = [value for value in found if value is not None]
        if known:
            outcome = sign(max(score for score in scored.scores if score is not None))
            bests.append((max(known), outcome))
    values, outcomes = np.array(bests, float).reshape(-1, 2).T
    return {
        "positions": len(positions),
        "perfect": graded["perfect"],
        "good": graded["good"],
        "good_interval": graded["good_interval"],
        "value_error": sum(distances) / len(distances) if distances else None,
        "values_seen": len(distances),
        "classes": crossed(values, outcomes.astype(np.int64)),
    }


def truth_positions(rules: Rules, name: str) -> list[Scored]:
    """Return the positions of a suite to hold values against; raises SpecError where it cannot."""
    check_truth(rules, name)
    return suite(rules, name)


def check_truth(rules: Rules, name: str) -> None:
    """Raise SpecError if `truth_positions` would; nothing is solved."""
    if rules.cells > SOLVABLE:
        raise SpecError(
            f"no truth for {rules} within reason: a board of {rules.cells} cells takes too long "
            f"to solve; at most {SOLVABLE}, or leave out --truth"
        )
    check_name(rules, name)
