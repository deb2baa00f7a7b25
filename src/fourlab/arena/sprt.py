"""Wald's sequential test: plays on until a difference in strength is proven or refuted.

Of two hypotheses, "a is `low` Elo points stronger than b" and "`high` points", one is accepted as
soon as the games make it enough more likely than the other. The unit is the pair of games with one
opening: their two results are not independent, pairs are. The likelihoods are those of the
distributions nearest to the observed one that have the expected score of each hypothesis.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from fourlab.core.arrays import Floats
from fourlab.core.errors import SpecError
from fourlab.core.jit import kernel

MOST_ELO = 4000  # apart; far beyond it a chance is no longer told from 0 or 1
QUARTERS = 5  # results of a pair of games: a scored 0, 1/4, 1/2, 3/4 or all of it
UNSEEN = 1e-3  # weight of a result that has not occurred, so that it stays possible
BISECTIONS = 60


def expected_score(elo: float) -> float:
    """Return the expected score against an opponent `elo` points weaker."""
    return 1 / (1 + 10 ** (-elo / 400))


@dataclass(frozen=True)
class Hypotheses:
    """What is tested: a difference of `low` against one of `high`, and the chances to be wrong."""

    low: float = 0.0
    high: float = 20.0
    alpha: float = 0.05  # chance to accept high when low is true
    beta: float = 0.05  # chance to accept low when high is true

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise SpecError(f"sprt {self.low:g},{self.high:g}: the first must be below the second")
        if not -MOST_ELO <= self.low < self.high <= MOST_ELO:
            raise SpecError(f"sprt {self.low:g},{self.high:g}: at most {MOST_ELO} Elo points")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise SpecError("sprt: alpha and beta are chances between 0 and 0.5")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log likelihood ratios at which low and high are accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)


@dataclass
class Sprt:
    """A test under way."""

    hypotheses: Hypotheses
    pairs: Floats = field(default_factory=lambda: np.zeros(QUARTERS))  # [QUARTERS], how often
    verdict: str = ""  # "low" or "high" once it is decided

    @property
    def llr(self) -> float:
        """The log likelihood ratio of high over low."""
        return log_likelihood_ratio(self.pairs, self.hypotheses)

    def add(self, quarters: int) -> bool:
        """Take in a pair of games in which a scored `quarters` / 4; return if it is decided."""
        if not self.verdict:
            self.pairs[quarters] += 1
            low, high = self.hypotheses.bounds
            llr = self.llr
            self.verdict = "high" if llr >= high else "low" if llr <= low else ""
        return bool(self.verdict)


def log_likelihood_ratio(pairs: Floats, hypotheses: Hypotheses) -> float:
    """Return how much more likely pairs of games are under high than under low, as a logarithm."""
    if not pairs.any():
        return 0.0
    low, high = expected_score(hypotheses.low), expected_score(hypotheses.high)
    counts = np.maximum(pairs, UNSEEN)
    return float(_ratio(counts, counts / counts.sum(), low, high))


@kernel
def _ratio(counts: Floats, shares: Floats, low: float, high: float) -> float:
    at_low, at_high = _tilt(shares, low), _tilt(shares, high)
    ratio = 0.0
    for index in range(len(counts)):
        score = index / (len(counts) - 1)
        ratio += counts[index] * math.log(1 + at_low * (score - low))
        ratio -= counts[index] * math.log(1 + at_high * (score - high))
    return ratio


@kernel
def _tilt(shares: Floats, mean: float) -> float:
    """Return the x for which shares / (1 + x (score - mean)) have this mean.

    Of all distributions with the mean, that one is the most likely.
    """
    low, high = -1 / (1 - mean), 1 / mean  # where a denominator becomes 0
    for _ in range(BISECTIONS):
        x = (low + high) / 2
        slope = 0.0
        for index in range(len(shares)):
            away = index / (len(shares) - 1) - mean
            slope += shares[index] * away / (1 + x * away)
        if slope > 0:
            low = x
        else:
            high = x
    return (low + high) / 2
