"""What learners on Learn are held against: exact positions, and what perfect play would score."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable

import numpy as np

from fourlab.agents.by_heart import is_small
from fourlab.agents.instant import instant_form
from fourlab.agents.registry import agent as find_agent
from fourlab.arena.match import play_here
from fourlab.core.limit import Limit
from fourlab.learning.evaluation import SOLVABLE
from fourlab.positions.suites import Scored, load_suites, phase_positions, score_positions
from fourlab.rules.geometry import Rules

POSITIONS = 120
GAMES = 400


def learn_by_heart(rules: Rules, agents: Iterable[str], stop: Callable[[], bool]) -> None:
    """Make what agents look up on a small board, which takes seconds; raises CalledOffError."""
    for spec in agents:
        instant_form(find_agent(spec, rules), Limit(stop=stop))


@functools.lru_cache(maxsize=16)
def truth_sample(rules: Rules) -> list[Scored]:
    """Return some positions from the middle of games with their exact scores; none if too hard."""
    if rules.cells > SOLVABLE:
        return []
    shipped = load_suites(rules).get("middle")
    if shipped:
        return shipped[:POSITIONS]
    return list(score_positions(phase_positions(rules, "middle", POSITIONS)))


@functools.lru_cache(maxsize=16)
def perfect_share(rules: Rules, opponent: str) -> float | None:
    """Return how often perfect play wins against an opponent; None where it would take long."""
    if opponent == "self" or not is_small(rules):
        return None
    perfect, other = find_agent("perfect", rules), find_agent(opponent, rules)
    games = play_here(perfect, other, GAMES, seed=0, plies=0)
    return float(np.mean(games.results > 0))
