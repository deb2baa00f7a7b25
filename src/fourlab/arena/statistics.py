"""Intervals and tests: how far a measured figure may be from the truth, and which is greater.

All intervals are of 95%, all p-values one-sided. A unit is what was drawn independently: a game, a
pair of games that share an opening, a training run with a seed of its own. Nothing here is random:
the bootstrap takes a seed.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from fourlab.core.arrays import Floats
from fourlab.core.errors import FourlabError

Interval = tuple[float, float]
Numbers = Sequence[float] | Floats

Z95 = 1.959964  # two-sided 95% of a normal distribution
ANYTHING: Interval = (-math.inf, math.inf)
TERMS = 60  # of the continued fraction: enough for all digits where a or b is 1/2
NEARLY_NORMAL = 1e7  # degrees of freedom beyond which Student's distribution is normal to 1e-7
ROUNDING = 1e-12  # a difference or spread of this share of the values is that of their last digits


@dataclass(frozen=True)
class Comparison:
    """A difference, its interval, and what it proves."""

    difference: float
    low: float
    high: float
    p_above: float  # chance of such a difference or a greater one if the true one is not above 0
    p_below: float  # chance of such a difference or a lesser one if the true one is not below 0
    units: int


def share_interval(hits: float, trials: int) -> Interval:
    """Return the 95% interval of a share by Wilson's formula; (0, 1) without trials."""
    if hits == trials == 0:
        return 0.0, 1.0
    share = _share(hits, trials)
    z2 = Z95 * Z95
    centre = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    spread = Z95 * math.sqrt(share * (1 - share) / trials + z2 / (4 * trials * trials))
    half = spread / (1 + z2 / trials)
    return max(0.0, centre - half), min(1.0, centre + half)


def compare_shares(hits_a: float, trials_a: int, hits_b: float, trials_b: int) -> Comparison:
    """Compare two shares of independent games.

    Newcombe's interval (made of Wilson's two) and the score test, which pools the shares. The two
    may disagree where they are close to the line. Draws that count half make both careful.
    """
    a, b = _share(hits_a, trials_a), _share(hits_b, trials_b)
    low_a, high_a = share_interval(hits_a, trials_a)
    low_b, high_b = share_interval(hits_b, trials_b)
    difference = a - b
    low = difference - math.hypot(a - low_a, high_b - b)
    high = difference + math.hypot(high_a - a, b - low_b)
    units = trials_a + trials_b
    pooled = (hits_a + hits_b) / units
    error = math.sqrt(pooled * (1 - pooled) * (1 / trials_a + 1 / trials_b))
    above, below = _p_values(difference, error, math.inf)
    return Comparison(difference, max(-1.0, low), min(1.0, high), above, below, units)


def share_against(hits: float, trials: int, value: float) -> Comparison:
    """Compare a share with a fixed value: Wilson's interval and the score test, which agree."""
    if not 0 <= value <= 1:
        raise FourlabError(f"{value:g} is no share; it must be between 0 and 1")
    difference = _share(hits, trials) - value
    low, high = share_interval(hits, trials)
    above, below = _p_values(difference, math.sqrt(value * (1 - value) / trials), math.inf)
    return Comparison(difference, low - value, high - value, above, below, trials)


def _share(hits: float, trials: int) -> float:
    if not (0 < trials < math.inf and 0 <= hits <= trials):
        raise FourlabError(
            f"{hits:g} hits in {trials} trials are no share; give 0 to as many hits as there are "
            "trials, at least one"
        )
    return hits / trials


def mean_interval(values: Sequence[float]) -> Interval:
    """Return the 95% interval of a mean by the normal approximation."""
    count = len(values)
    if count == 0 or len(_checked(values)) == 1:
        return ANYTHING
    mean = math.fsum(values) / count  # exact, so that the order of the values does not matter
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    half = Z95 * math.sqrt(variance / count)
    return mean - half, mean + half


def compare_means(a: Numbers, b: Numbers) -> Comparison:
    """Compare the means of independent runs by Welch's test: the variances may differ."""
    a, b = _checked(a), _checked(b)
    mean_a, square_a = _mean(a)
    mean_b, square_b = _mean(b)
    square = square_a + square_b
    freedom = min(len(a), len(b)) - 1.0
    if square > 0 and freedom > 0:
        part = square_a / square
        freedom = 1 / (part**2 / (len(a) - 1) + (1 - part) ** 2 / (len(b) - 1))
    size = max(np.abs(a).max(), np.abs(b).max())
    return _compare(mean_a - mean_b, square, freedom, size, len(a) + len(b))


def compare_paired(a: Numbers, b: Numbers) -> Comparison:
    """Compare units that belong together (one opening, one seed) by the t-test of differences."""
    a, b = _checked(a), _checked(b)
    if len(a) != len(b):
        raise FourlabError(f"{len(a)} and {len(b)} values do not pair; give both for each unit")
    mean, square = _mean(a - b)
    return _compare(mean, square, len(a) - 1, max(np.abs(a).max(), np.abs(b).max()), len(a))


def against_value(values: Numbers, value: float) -> Comparison:
    """Compare the mean of runs with a fixed value, such as a published figure, by the t-test."""
    values = _checked(values)
    return compare_paired(values, np.full(len(values), value))


def paired_games_interval(pair_points: Numbers) -> Interval:
    """Return the 95% interval of the mean over pairs of games that share an opening, by Student.

    The unit is the pair: its two results depend on each other. The interval is on the scale of the
    points, whatever that is. Pairs that are all equal give a point: after a clean sweep ask
    `share_interval`.
    """
    found = against_value(pair_points, 0.0)
    return found.low, found.high


def _checked(values: Numbers) -> Floats:
    array = np.asarray(values, np.float64)
    if array.ndim != 1 or not array.size or not np.isfinite(array).all():
        raise FourlabError(f"{array.tolist()!r:.60}: give a list of finite numbers, at least one")
    return array


def _mean(values: Floats) -> tuple[float, float]:
    """Return the mean and its squared standard error; exact for equal values, in any order."""
    base, count = float(values.min()), len(values)
    mean = base + math.fsum(values - base) / count
    squares = math.fsum((values - mean) ** 2)
    return mean, squares / max(1, count - 1) / count


def _compare(
    difference: float, square: float, freedom: float, size: float, units: int
) -> Comparison:
    """Test a difference with a squared standard error between values of a size."""
    if freedom <= 0:
        return Comparison(difference, *ANYTHING, 0.5, 0.5, units)
    error = math.sqrt(square)
    if error <= ROUNDING * size:
        error = 0.0
        difference = difference if abs(difference) > ROUNDING * size else 0.0
    half = t95(freedom) * error
    above, below = _p_values(difference, error, freedom)
    return Comparison(difference, difference - half, difference + half, above, below, units)


def _p_values(difference: float, error: float, freedom: float) -> tuple[float, float]:
    """Return the p-values of "above" and "below"; without an error the sign decides."""
    if error == 0:
        above = 0.5 - 0.5 * np.sign(difference)
        return float(above), float(1 - above)
    t = difference / error
    return student_cdf(-t, freedom), student_cdf(t, freedom)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted for their number by Holm's method, in the same order.

    Rejecting what is then at most 0.05 rejects a true hypothesis, any at all, in 5% of the cases.
    """
    for p_value in p_values:
        if not 0 <= p_value <= 1:
            raise FourlabError(f"{p_value:g} is no p-value; it must be between 0 and 1")
    adjusted, least = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda index: p_values[index])):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = least
    return adjusted


def interquartile_mean(values: Numbers) -> float:
    """Return the mean of the middle half of the values.

    Those that lie across its edges count in part: of 5 values the middle one counts whole, its
    neighbours three quarters each. (A trimmed mean that rounds down, as scipy's does, would count
    all three alike.)
    """
    return float(_middle_means(_checked(values)))


def bootstrap_interval(
    values: Numbers,
    statistic: Callable[[Floats], float] = interquartile_mean,
    resamples: int = 10_000,
    seed: int = 0,
) -> Interval:
    """Return the 95% interval of a statistic over runs by the expanded percentile bootstrap.

    For few runs the percentiles 2.5 and 97.5 lie too close together: resamples spread as if the
    variance were divided by n and not n - 1, and the quantiles are not Student's. The tails are
    made as much smaller as makes both good for a mean. For interquartile means of 5 to 20 runs it
    held the truth in 93 to 98% (docs/arena.md). It never leaves the range of the values; for such
    means of 5 runs or fewer it is that range, which holds a median in 94% for 5, 88% for 4, 75% for
    3: fewer than 5 are too few. One alone bounds nothing.
    """
    ordered = np.sort(_checked(values))  # so that their order does not matter
    count = len(ordered)
    if count == 1:
        return ANYTHING
    rng = np.random.default_rng(seed)
    drawn = ordered[rng.integers(0, count, (resamples, count))]
    if statistic is interquartile_mean:
        found = _middle_means(drawn)
    else:
        found = np.array([statistic(row) for row in drawn])
    tail = student_cdf(-math.sqrt(count / (count - 1)) * t95(count - 1), math.inf)
    low, high = np.quantile(found, [tail, 1 - tail])
    return float(low), float(high)


def _middle_means(values: Floats) -> Floats:
    """Return the interquartile mean of each row; exact for equal values, never beyond them."""
    ordered = np.sort(values, axis=-1)
    count = values.shape[-1]
    weights = np.diff(np.clip(np.arange(count + 1), count / 4, 3 * count / 4)) / (count / 2)
    least, most = ordered[..., 0], ordered[..., -1]
    means = least + (ordered - least[..., None]) @ weights
    return np.asarray(np.minimum(means, most), np.float64)


def student_cdf(t: float, freedom: float) -> float:
    """Return the chance that Student's t is at most t; all digits count even far below 0."""
    if freedom > NEARLY_NORMAL:
        tail = math.erfc(abs(t) / math.sqrt(2)) / 2
    else:
        tail = _incomplete_beta(freedom / 2, 0.5, freedom, t * t) / 2
    return tail if t < 0 else 1 - tail


@lru_cache(1024)
def t95(freedom: float) -> float:
    """Return the t that Student's distribution keeps within, either way, with 95%."""
    low, high = 0.0, 1.0
    while student_cdf(high, freedom) < 0.975:
        high *= 2
    while (t := (low + high) / 2) not in (low, high):
        low, high = (t, high) if student_cdf(t, freedom) < 0.975 else (low, t)
    return high


def _incomplete_beta(a: float, b: float, part: float, rest: float) -> float:
    """Return the regularised incomplete beta function at x = part / (part + rest).

    By its continued fraction, from the inside out. It converges quickly up to about the mean of the
    distribution; beyond that the other tail is taken. Handing over x in two parts keeps the digits
    of 1 - x.
    """
    x, other = part / (part + rest), rest / (part + rest)
    if x == 0 or other == 0:
        return float(other == 0)
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, rest, part)
    fraction = 1.0
    for m in range(TERMS, 0, -1):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        fraction = 1 + even / fraction
        k = m - 1
        odd = -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1))
        fraction = 1 + odd / fraction
    logarithm = a * math.log(x) + b * math.log(other)
    logarithm += math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    return math.exp(logarithm) / (a * fraction)
