"""Ratings: strengths by maximum likelihood from wins, draws and losses, with intervals.

The model is Bradley and Terry's with Davidson's draws and an advantage of the first move: with
`d = strength of the first - strength of the second + advantage`, a win of the first player, a draw
and a win of the second are as likely as `exp(d/2) : exp(draws) : exp(-d/2)`. Its logarithm is
concave, so Newton's method finds the one maximum. A weak prior keeps a perfect score finite. Only
differences mean something: the mean of the field, or an anchor, is put at `CENTRE`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from fourlab.arena.statistics import Z95
from fourlab.core.arrays import Floats
from fourlab.core.errors import SpecError
from fourlab.core.sheet import Sheet

CENTRE = 1500.0  # Elo points of the mean of the field, in the terminal, in files and on pages
ELO = 400 / math.log(10)  # Elo points of one unit of strength: odds of 10 to 1 are 400 points
STRENGTH_SPREAD = 1000 / ELO  # of the prior: agents lie within a thousand points or so
ADVANTAGE_SPREAD = 500 / ELO
DRAWS_SPREAD = 5.0
NAMED = 3  # neighbours that a sentence names
STEPS, CLOSE = 100, 1e-10

# (first player, second player): the first player's wins, draws and losses
Results = Mapping[tuple[str, str], tuple[int, int, int]]


@dataclass(frozen=True)
class Ratings:
    """The ratings of some agents in Elo points; their mean, or an anchor, stands at `CENTRE`."""

    agents: tuple[str, ...]
    anchor: str | None  # who stands at the centre; None: the mean of all
    elo: Floats  # [agents]
    covariance: Floats  # [agents, agents], of the distances to the centre
    advantage: float  # of the first move, in Elo points
    doubt: float  # half of the 95% interval of the advantage
    draws: float  # logarithm of the weight of a draw

    def interval(self, agent: str) -> tuple[float, float]:
        """Return the 95% interval of a rating: of its distance to the centre."""
        elo, half = self.rating(agent)
        return elo - half, elo + half

    def rating(self, agent: str) -> tuple[float, float]:
        """Return a rating and half of its 95% interval."""
        i = self.agents.index(agent)
        return float(self.elo[i]), Z95 * math.sqrt(max(0.0, float(self.covariance[i, i])))

    def advantage_interval(self) -> tuple[float, float]:
        """Return the 95% interval of the advantage of the first move."""
        return self.advantage - self.doubt, self.advantage + self.doubt

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
        return [f"not separated yet: {_told(run)}" for run in runs]

    def scale(self) -> str:
        """Say where the scale begins."""
        return f"Elo {CENTRE:.0f} is {self.anchor or 'the field mean'}"

    def sheet(self) -> Sheet:
        """Return the ratings as a table, the strongest first."""
        rows, spans = [], []
        for number, agent in enumerate(self.ranking(), start=1):
            elo = float(self.elo[self.agents.index(agent)])
            low, high = self.interval(agent)
            span = "anchor" if agent == self.anchor else f"{low:.0f} to {high:.0f}"
            rows.append((str(number), agent, f"{elo:.0f}", span))
            spans.append((low, elo, high))
        heads = ("", "agent", "elo", "95%")
        notes = (self.scale(), *self.remarks())
        return Sheet("", heads, rows, 2, notes, spans, zero=CENTRE)

    def __repr__(self) -> str:
        return str(self.sheet())

    def _repr_html_(self) -> str:
        return self.sheet()._repr_html_()

    def to_json(self) -> list[dict[str, float | str]]:
        """Return what `fourlab arena --json` says of ratings, the strongest first."""
        listing: list[dict[str, float | str]] = []
        for agent in self.ranking():
            elo, half = self.rating(agent)
            low, high = round(elo - half, 1), round(elo + half, 1)
            listing.append({"agent": agent, "elo": round(elo, 1), "low": low, "high": high})
        return listing


def check_anchor(agents: Collection[str], anchor: str | None) -> None:
    """Raise SpecError unless the anchor is one of the agents, or there is none."""
    if anchor is not None and anchor not in agents:
        raise SpecError(f"anchor {anchor!r} does not play; it must be one of: {', '.join(agents)}")


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


def _told(run: list[str]) -> str:
    """Return neighbours in the ranking by name, of many the ends."""
    if len(run) <= NAMED:
        return " and ".join(run)
    return f"{run[0]} to {run[-1]}, {len(run)} neighbours"


def rate(results: Results, anchor: str | None = None) -> Ratings:
    """Return the ratings of all agents in the results; raises SpecError if the anchor is none."""
    agents = list(dict.fromkeys(name for pair in results for name in pair))
    check_anchor(agents, anchor)
    counts = np.array([results[pair] for pair in results], np.float64).reshape(-1, 3)
    design = np.zeros((len(results), len(agents) + 1))  # the last column is the advantage
    for row, (first, second) in enumerate(results):
        design[row, agents.index(first)] += 1
        design[row, agents.index(second)] -= 1
        design[row, -1] = 1
    solution, covariance = _newton(counts, design)
    centre = np.array([name == anchor if anchor else 1 / len(agents) for name in agents])
    to_distances = np.eye(len(agents)) - centre  # to the centre
    elo = CENTRE + to_distances @ solution[:-2] * ELO
    spread = to_distances @ covariance[:-2, :-2] @ to_distances.T * ELO**2
    advantage, draws = float(solution[-2]) * ELO, float(solution[-1])
    doubt = Z95 * math.sqrt(max(0.0, float(covariance[-2, -2]))) * ELO
    return Ratings(tuple(agents), anchor, elo, spread, advantage, doubt, draws)


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
