"""Ratings: strengths by maximum likelihood from wins, draws and losses, with intervals.

The model is Bradley and Terry's with Davidson's draws and an advantage of the first move: with
`d = strength of the first - strength of the second + advantage`, a win of the first player, a draw
and a win of the second are as likely as `exp(d/2) : exp(draws) : exp(-d/2)`. Its logarithm is
concave, so Newton's method finds the one maximum. A weak prior keeps a perfect score finite.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fourlab.arena.statistics import Z95
from fourlab.core.arrays import Floats
from fourlab.core.errors import SpecError
from fourlab.core.sheet import Sheet

ELO = 400 / math.log(10)  # Elo points of one unit of strength: odds of 10 to 1 are 400 points
STRENGTH_SPREAD = 1000 / ELO  # of the prior: agents lie within a thousand points or so
ADVANTAGE_SPREAD = 500 / ELO
DRAWS_SPREAD = 5.0
STEPS, CLOSE = 100, 1e-10

# (first player, second player): the first player's wins, draws and losses
Results = Mapping[tuple[str, str], tuple[int, int, int]]


@dataclass(frozen=True)
class Ratings:
    """The ratings of some agents in Elo points, the anchor at 0."""

    agents: tuple[str, ...]
    anchor: str
    elo: Floats  # [agents]
    covariance: Floats  # [agents, agents]
    advantage: float  # of the first move, in Elo points
    draws: float  # logarithm of the weight of a draw

    def interval(self, agent: str) -> tuple[float, float]:
        """Return the 95% interval of a rating against the anchor."""
        return self.difference(agent, self.anchor)[1:]

    def difference(self, one: str, other: str) -> tuple[float, float, float]:
        """Return how much stronger one agent is than another, with the 95% interval."""
        i, j = self.agents.index(one), self.agents.index(other)
        gap = float(self.elo[i] - self.elo[j])
        c = self.covariance
        half = Z95 * math.sqrt(max(0.0, float(c[i, i] + c[j, j] - 2 * c[i, j])))
        return gap, gap - half, gap + half

    def ranking(self) -> list[str]:
        """Return the agents, the strongest first."""
        return sorted(self.agents, key=lambda agent: -self.elo[self.agents.index(agent)])

    def not_separated(self) -> list[tuple[str, str]]:
        """Return the neighbours in the ranking of whom it is not proven which one is stronger."""
        ranking = self.ranking()
        neighbours = itertools.pairwise(ranking)
        return [pair for pair in neighbours if self.difference(*pair)[1] <= 0]

    def remarks(self) -> list[str]:
        """Say who is not separated yet: one line for each run of such neighbours."""
        runs: list[list[str]] = []
        for one, other in self.not_separated():
            if runs and runs[-1][-1] == one:
                runs[-1].append(other)
            else:
                runs.append([one, other])
        return [f"not separated yet: {' and '.join(run)}" for run in runs]

    def sheet(self) -> Sheet:
        """Return the ratings as a table, the strongest first."""
        rows, spans = [], []
        for number, agent in enumerate(self.ranking(), start=1):
            elo = float(self.elo[self.agents.index(agent)])
            low, high = self.interval(agent)
            span = "anchor" if agent == self.anchor else f"{low:+.0f} to {high:+.0f}"
            rows.append((str(number), agent, f"{elo:+.0f}", span))
            spans.append((low, elo, high))
        heads = ("", "agent", "elo", "95%")
        return Sheet("", heads, rows, 2, tuple(self.remarks()), spans, zero=0.0)

    def __repr__(self) -> str:
        return str(self.sheet())

    def _repr_html_(self) -> str:
        return self.sheet()._repr_html_()

    def to_json(self) -> list[dict[str, float | str]]:
        """Return what `fourlab arena --json` says of ratings, the strongest first."""
        listing: list[dict[str, float | str]] = []
        for agent in self.ranking():
            low, high = self.interval(agent)
            elo = float(self.elo[self.agents.index(agent)])
            figures = {"elo": round(elo, 1), "low": round(low, 1), "high": round(high, 1)}
            listing.append({"agent": agent, **figures})
        return listing


def choose_anchor(agents: list[str], wanted: str | None) -> str:
    """Return the agent that stands at 0: the wanted one, else random, baseline, or the first."""
    if wanted is not None and wanted not in agents:
        raise SpecError(f"anchor {wanted!r} does not play; it must be one of: {', '.join(agents)}")
    known = [agent for agent in ("random", "baseline") if agent in agents]
    return wanted or (known or agents)[0]


def groups(results: Results) -> list[Results]:
    """Return the results apart by agents who met, if only by way of others.

    Nothing can be said of how strong agents of different groups are beside each other.
    """
    met = {pair: counts for pair, counts in results.items() if sum(counts)}
    together: list[set[str]] = []
    for pair in met:
        touched = [group for group in together if group & set(pair)]
        together = [group for group in together if group not in touched]
        together.append(set(pair).union(*touched))
    return [{pair: met[pair] for pair in met if pair[0] in group} for group in together]


def rate(results: Results, anchor: str | None = None) -> Ratings:
    """Return the ratings of all agents in the results; raises SpecError if the anchor is none."""
    agents = list(dict.fromkeys(name for pair in results for name in pair))
    zero = choose_anchor(agents, anchor)
    counts = np.array([results[pair] for pair in results], np.float64).reshape(-1, 3)
    design = np.zeros((len(results), len(agents) + 1))  # the last column is the advantage
    for row, (first, second) in enumerate(results):
        design[row, agents.index(first)] += 1
        design[row, agents.index(second)] -= 1
        design[row, -1] = 1
    free = np.array([name != zero for name in agents] + [True])
    solution, covariance = _newton(counts, design[:, free])
    elo, full = np.zeros(len(agents)), np.zeros((len(agents), len(agents)))
    chosen = free[:-1]
    elo[chosen] = solution[:-2] * ELO
    full[np.ix_(chosen, chosen)] = covariance[:-2, :-2] * ELO**2
    return Ratings(tuple(agents), zero, elo, full, float(solution[-2]) * ELO, float(solution[-1]))


def _newton(counts: Floats, design: Floats) -> tuple[Floats, Floats]:
    """Return the most likely strengths, advantage and draws, and their covariance."""
    size = design.shape[1] + 1
    spreads = np.array([STRENGTH_SPREAD] * (size - 2) + [ADVANTAGE_SPREAD, DRAWS_SPREAD])
    precision = 1 / spreads**2
    solution: Floats = np.zeros(size)
    value, gradient, curvature = _likelihood(counts, design, solution, precision)
    for _ in range(STEPS):
        step = np.linalg.solve(curvature, gradient)
        while True:  # half steps until it is a step up
            trial = _likelihood(counts, design, solution + step, precision)
            if trial[0] >= value or np.abs(step).max() < CLOSE:
                break
            step /= 2
        solution = solution + step
        value, gradient, curvature = trial
        if np.abs(step).max() < CLOSE:
            break
    return solution, np.asarray(np.linalg.inv(curvature), np.float64)


def _likelihood(
    counts: Floats, design: Floats, solution: Floats, precision: Floats
) -> tuple[float, Floats, Floats]:
    """Return the log likelihood with the prior, its gradient, and minus its second derivative."""
    wins, draws, losses = counts.T
    games = counts.sum(axis=1)
    d, draw = design @ solution[:-1], solution[-1]
    logits = np.stack([d / 2, np.full_like(d, draw), -d / 2], axis=1)
    top = logits.max(axis=1)
    weights = np.exp(logits - top[:, None])
    total = weights.sum(axis=1)
    win, tie, loss = (weights / total[:, None]).T
    value = (counts * logits).sum() - (games * (top + np.log(total))).sum()
    value -= (precision * solution**2).sum() / 2
    tilt = win - loss
    slope = np.append(design.T @ ((wins - losses - games * tilt) / 2), (draws - games * tie).sum())
    bend = np.empty((len(solution), len(solution)))
    bend[:-1, :-1] = design.T @ (design * (games * (win + loss - tilt**2) / 4)[:, None])
    bend[-1, :-1] = bend[:-1, -1] = -design.T @ (games * tie * tilt / 2)
    bend[-1, -1] = (games * tie * (1 - tie)).sum()
    return float(value), slope - precision * solution, bend + np.diag(precision)
