"""Intervals: how far a measured share or mean may be from the truth."""

import math
from collections.abc import Sequence

Z95 = 1.959964  # two-sided 95% of a normal distribution


def share_interval(hits: float, trials: int) -> tuple[float, float]:
    """Return the 95% interval of a share by Wilson's formula; (0, 1) without trials."""
    if trials == 0:
        return 0.0, 1.0
    share = hits / trials
    z2 = Z95 * Z95
    centre = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    spread = Z95 * math.sqrt(share * (1 - share) / trials + z2 / (4 * trials * trials))
    half = spread / (1 + z2 / trials)
    return max(0.0, centre - half), min(1.0, centre + half)


def mean_interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the 95% interval of a mean by the normal approximation."""
    count = len(values)
    if count < 2:
        return -math.inf, math.inf
    mean = math.fsum(values) / count  # exact, so that the order of the values does not matter
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    half = Z95 * math.sqrt(variance / count)
    return mean - half, mean + half
