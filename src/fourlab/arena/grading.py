"""Grades: how often an agent plays what perfect play would."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fourlab.agents.base import Agent
from fourlab.arena.statistics import mean_interval, share_interval
from fourlab.arena.suites import Scored
from fourlab.search.scores import sign


@dataclass
class Tally:
    """Graded moves: the best score, or one that keeps win, draw or loss, and what they cost."""

    positions: int = 0
    perfect: int = 0
    good: int = 0
    regrets: list[int] = field(default_factory=list)

    def add(self, scored: Scored, move: int) -> None:
        """Grade one move."""
        score = scored.scores[move]
        if score is None:
            raise ValueError(f"move {move + 1} cannot be played in {scored.position.notation!r}")
        self.positions += 1
        self.perfect += score == scored.best
        self.good += sign(score) == sign(scored.best)
        self.regrets.append(scored.best - score)

    def to_json(self) -> dict[str, Any]:
        """Return shares and their 95% intervals."""
        count = max(self.positions, 1)
        return {
            "positions": self.positions,
            "perfect": self.perfect / count,
            "perfect_interval": share_interval(self.perfect, self.positions),
            "good": self.good / count,
            "good_interval": share_interval(self.good, self.positions),
            "regret": sum(self.regrets) / count,
            "regret_interval": mean_interval(self.regrets),
        }


@dataclass
class Grade:
    """An agent's grade on a suite, over all and ply by ply."""

    agent: str
    overall: Tally
    by_ply: dict[int, Tally]

    def to_json(self) -> dict[str, Any]:
        """Return what `fourlab grade --json` prints."""
        plies = [{"ply": ply, **tally.to_json()} for ply, tally in sorted(self.by_ply.items())]
        return {"agent": self.agent, **self.overall.to_json(), "by_ply": plies}


def grade(
    agent: Agent,
    suite: Iterable[Scored],
    seed: int = 0,
    watch: Callable[[Grade], None] = lambda grade: None,
) -> Grade:
    """Let an agent decide in every position of a suite; `watch` sees the grade grow."""
    result = Grade(agent.spec, Tally(), {})
    children = np.random.SeedSequence(seed)
    for scored in suite:
        [child] = children.spawn(1)
        move = agent.decide(scored.position, np.random.default_rng(child)).move
        result.overall.add(scored, move)
        result.by_ply.setdefault(scored.position.ply, Tally()).add(scored, move)
        watch(result)
    return result
