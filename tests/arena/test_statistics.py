import math

import numpy as np
import pytest

from fourlab.arena.statistics import mean_interval, share_interval


def test_wilson_intervals_of_known_cases() -> None:
    assert share_interval(0, 0) == (0.0, 1.0)
    assert share_interval(5, 10) == pytest.approx((0.2366, 0.7634), abs=1e-4)
    assert share_interval(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert share_interval(10, 10) == pytest.approx((0.7225, 1.0), abs=1e-4)


def test_mean_intervals() -> None:
    assert mean_interval([3.0]) == (-math.inf, math.inf)
    low, high = mean_interval([1.0, 2.0, 3.0, 4.0])
    assert (low + high) / 2 == pytest.approx(2.5)
    assert high - low == pytest.approx(2 * 1.959964 * math.sqrt(5 / 3 / 4))


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(1)
    for share in (0.1, 0.5, 0.9):
        hits = rng.binomial(200, share, size=4000)
        covered = np.mean(
            [low <= share <= high for low, high in (share_interval(h, 200) for h in hits)]
        )
        assert 0.93 < covered < 0.97


def test_openings_that_favour_a_side_make_scores_surer_than_their_intervals() -> None:
    """Each opening is played with both colours: where it decides, the two results cancel out."""
    rng = np.random.default_rng(2)
    pairs, skill = 100, 0.7
    for decided in (0.0, 0.5):
        truth = decided / 2 + (1 - decided) * skill
        covered = 0
        for _ in range(1000):
            level = pairs - rng.binomial(pairs, decided)
            points = (pairs - level) + rng.binomial(2 * level, skill)
            low, high = share_interval(points, 2 * pairs)
            covered += low <= truth <= high
        assert (0.93 < covered / 1000 < 0.97) if decided == 0 else covered / 1000 > 0.97
