"""How good is it by now: games against named agents, and moves and values against the truth.

Nothing here touches what is learned or the dice that it is learned with.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fourlab.agents.base import Agent, kernel_seed
from fourlab.agents.learned import Learned
from fourlab.agents.play import play_game
from fourlab.agents.players import Player, thinks
from fourlab.arena.grading import grade
from fourlab.arena.statistics import share_interval
from fourlab.arena.suites import Scored, suite
from fourlab.learning.episodes import NOTHING, new_episode
from fourlab.learning.learner import Learner
from fourlab.learning.training import DRAWS, LOSSES, WINS, Plan, trainer
from fourlab.rules.errors import SpecError
from fourlab.rules.geometry import Rules
from fourlab.rules.position import FIRST, SECOND, Outcome
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


def play_off(learner: Learner, opponent: Agent, games: int, seed: int, side: str) -> Score:
    """Let what was learned play without exploring; `side` is first, second or alternating.

    Games begin where training games do, without their random moves.
    """
    sides = {"first": [FIRST], "second": [SECOND]}.get(side, [FIRST, SECOND])
    player = opponent.player()
    rng = np.random.default_rng([seed, 1])
    score = Score(0, 0, 0)
    for index, which in enumerate(sides):
        count = games // len(sides) + (index < games % len(sides))
        if player is None:
            score += _slow(learner.agent(), opponent, count, which, rng)
        else:
            score += _fast(learner, player, count, which, rng)
    return score


def _fast(
    learner: Learner, opponent: Player, games: int, side: int, rng: np.random.Generator
) -> Score:
    """Play inside a kernel."""
    tally = np.zeros(4, np.int64)
    plan = Plan(np.zeros(games), np.zeros(games), np.full(games, side))
    values = learner.knowledge.values
    starts = learner.lesson.starts._replace(plies=0)
    lesson = learner.lesson._replace(alone=False, starts=starts)
    play = trainer(values.kind, NOTHING, thinks(opponent))
    episode = new_episode(learner.rules)
    play(learner.rules, values, opponent, lesson, plan, 0, episode, tally, kernel_seed(rng))
    return Score(int(tally[WINS]), int(tally[DRAWS]), int(tally[LOSSES]))


def _slow(
    player: Learned, opponent: Agent, games: int, side: int, rng: np.random.Generator
) -> Score:
    """Play move by move, for agents that have no form inside kernels."""
    counts = [0, 0, 0]
    agents: tuple[Agent, Agent] = (player, opponent)
    if side == SECOND:
        agents = (opponent, player)
    for _ in range(games):
        record = play_game(player.rules, agents[0], agents[1], int(rng.integers(1 << 32)))
        outcome = Outcome(record.outcome)
        counts[0 if outcome.winner == side else 1 if outcome is Outcome.DRAW else 2] += 1
    return Score(*counts)


def against_truth(learner: Learner, positions: list[Scored]) -> dict[str, Any]:
    """Return how often its moves are perfect and good, and how far its values are off.

    The error is the mean distance between the value of a move that was learned and the reward that
    perfect play gets from it.
    """
    graded = grade(learner.agent(), positions).overall.to_json()
    config = learner.config
    rewards = {1: config.win, 0: config.draw, -1: config.loss}
    distances = []
    for scored in positions:
        visits = learner.knowledge.visits(scored.position)
        values = learner.knowledge.move_values(scored.position)
        for seen, value, truth in zip(visits, values, scored.scores, strict=True):
            if seen and value is not None and truth is not None:
                distances.append(abs(value - rewards[sign(truth)]))
    return {
        "positions": len(positions),
        "perfect": graded["perfect"],
        "good": graded["good"],
        "good_interval": graded["good_interval"],
        "value_error": sum(distances) / len(distances) if distances else None,
        "values_seen": len(distances),
    }


def truth_positions(rules: Rules, name: str) -> list[Scored]:
    """Return the positions of a suite to hold values against; raises SpecError where it cannot."""
    if rules.cells > SOLVABLE:
        raise SpecError(
            f"no truth for {rules} within reason: a board of {rules.cells} cells takes too long "
            f"to solve; at most {SOLVABLE}, or leave out --truth"
        )
    return suite(rules, name)
