import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest

from fourlab.arena.statistics import (
    Comparison,
    against_value,
    bootstrap_interval,
    compare_means,
    compare_paired,
    compare_shares,
    holm,
    interquartile_mean,
    mean_interval,
    paired_games_interval,
    share_against,
    share_interval,
    student_cdf,
    t95,
)
from fourlab.core.arrays import Floats
from fourlab.core.errors import FourlabError


def test_wilson_intervals_of_known_cases() -> None:
    assert share_interval(0, 0) == (0.0, 1.0)
    assert share_interval(5, 10) == pytest.approx((0.2366, 0.7634), abs=1e-4)
    assert share_interval(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert share_interval(10, 10) == pytest.approx((0.7225, 1.0), abs=1e-4)


@pytest.mark.parametrize(
    ("counts", "low", "high"),
    [  # Newcombe 1998, method 10
        ((56, 70, 48, 80), 0.0524, 0.3339),
        ((9, 10, 3, 10), 0.1705, 0.8090),
        ((5, 56, 0, 29), -0.0381, 0.1926),
        ((0, 10, 0, 20), -0.1611, 0.2775),
        ((10, 10, 0, 20), 0.6791, 1.0),
    ],
)
def test_newcombe_intervals_as_published(
    counts: tuple[int, int, int, int], low: float, high: float
) -> None:
    found = compare_shares(*counts)
    assert (found.low, found.high) == pytest.approx((low, high), abs=6e-5)


def test_score_tests_by_hand() -> None:
    found = compare_shares(60, 100, 40, 100)  # pooled 1/2, error sqrt(1/200), z = 2 sqrt(2)
    assert found.difference == pytest.approx(0.2)
    assert found.p_above == pytest.approx(0.0023389, abs=1e-7)
    assert found.p_below == pytest.approx(1 - 0.0023389, abs=1e-7)
    assert share_against(60, 100, 0.5).p_above == pytest.approx(0.0227501, abs=1e-7)  # z = 2
    assert share_against(30.5, 100, 0.3).difference == pytest.approx(0.005)


@pytest.mark.parametrize(
    ("freedom", "t"),
    [(1, 12.7062), (2, 4.3027), (4, 2.7764), (9, 2.2622), (30, 2.0423), (120, 1.9799), (1e9, 1.96)],
)
def test_students_table(freedom: float, t: float) -> None:
    assert t95(freedom) == pytest.approx(t, abs=5e-5)
    assert student_cdf(t, freedom) == pytest.approx(0.975, abs=3e-6)


def test_students_distribution_where_it_has_a_formula() -> None:
    for t in (-1e6, -30.0, -3.0, -0.5, -1e-9, 0.0, 0.1, 2.0, 50.0):
        one = math.atan2(1, -t) / math.pi  # no digits cancel
        assert student_cdf(t, 1) == pytest.approx(one, rel=1e-12, abs=0)
        root = math.sqrt(2 + t * t)
        two = 1 / (root * (root - t)) if t < 0 else 0.5 + t / (2 * root)
        assert student_cdf(t, 2) == pytest.approx(two, rel=1e-12, abs=0)
        normal = math.erfc(-t / math.sqrt(2)) / 2
        assert student_cdf(t, 1e9) == pytest.approx(normal, rel=1e-12)
        assert student_cdf(t, 9e6) == pytest.approx(normal, abs=1e-7)


@pytest.mark.parametrize("freedom", [1.5, 3.3, 7, 19, 60, 1000, 1e5])
def test_students_distribution_is_the_area_under_its_density(freedom: float) -> None:
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2))
    for t in (0.01, 0.7, 1.0, 1.74, 2.5, 8.0):
        edges = np.linspace(0, math.atan(t / math.sqrt(freedom)), 20_001)
        middles = (edges[1:] + edges[:-1]) / 2
        area = scale / math.sqrt(math.pi) * np.sum(np.cos(middles) ** (freedom - 1)) * edges[1]
        assert student_cdf(t, freedom) == pytest.approx(0.5 + area, abs=1e-9)
        assert student_cdf(-t, freedom) == pytest.approx(0.5 - area, abs=1e-9)


def test_mean_intervals() -> None:
    assert mean_interval([3.0]) == (-math.inf, math.inf)
    low, high = mean_interval([1.0, 2.0, 3.0, 4.0])
    assert (low + high) / 2 == pytest.approx(2.5)
    assert high - low == pytest.approx(2 * 1.959964 * math.sqrt(5 / 3 / 4))


def test_t_tests_by_hand() -> None:
    # differences 1, 2, 3: mean 2, error 1 / sqrt(3), t = sqrt(12) with 2 degrees of freedom
    found = compare_paired([2, 4, 6], [1, 2, 3])
    assert found.difference == 2
    assert found.high == pytest.approx(2 + 4.302653 / math.sqrt(3), abs=1e-6)
    assert found.p_above == pytest.approx(0.5 - math.sqrt(12 / 14) / 2)
    assert found.units == 3
    assert against_value([4, 5, 6], 3) == found
    assert paired_games_interval([1, 2, 3]) == (found.low, found.high)
    # variances 1 and 4 over 3: error sqrt(5/3), 1 / (0.2^2 / 2 + 0.8^2 / 2) degrees of freedom
    found = compare_means([1, 2, 3], [5, 7, 9])
    assert found.difference == -5
    assert found.p_below == student_cdf(-5 / math.sqrt(5 / 3), 1 / 0.34)
    assert found.high == pytest.approx(-5 + t95(1 / 0.34) * math.sqrt(5 / 3))
    assert found.units == 6


def test_holm_by_hand() -> None:
    assert holm([]) == []
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9, 0.4]) == [1.0, 1.0, 1.0]


def test_interquartile_means_by_hand() -> None:
    assert interquartile_mean([7]) == 7
    assert interquartile_mean([1, 3]) == 2
    assert interquartile_mean([100, 2, 1, -50]) == 1.5
    assert interquartile_mean([0, 4, 10, 20, 1000]) == pytest.approx((3 + 10 + 15) / 2.5)
    assert interquartile_mean(range(8)) == interquartile_mean([-9, 0, 2, 3, 4, 5, 7, 99]) == 3.5


@pytest.mark.parametrize("statistic", [interquartile_mean, np.mean])
@pytest.mark.parametrize(("count", "tail"), [(5, 0.00095), (8, 0.00574), (20, 0.01588)])
def test_the_bootstrap_moves_its_percentiles_out(
    statistic: Callable[[object], float], count: int, tail: float
) -> None:
    values = np.random.default_rng(count).normal(size=count)
    drawn = np.random.default_rng(99).choice(values, (20_000, count))
    expected = np.quantile([statistic(row) for row in drawn], [tail, 1 - tail])
    width = expected[1] - expected[0]
    found = bootstrap_interval(values, statistic)
    assert found == pytest.approx(expected, abs=0.05 * width)
    assert found == bootstrap_interval(values[::-1], statistic)


def test_the_bootstrap_goes_by_its_seed() -> None:
    values = np.arange(10.0) ** 2
    found = [bootstrap_interval(values, seed=seed) for seed in (0, 0, 1)]
    assert found[0] == found[1] == bootstrap_interval(values) != found[2]


def test_runs_that_all_agree_leave_no_doubt() -> None:
    for compare in (compare_means, compare_paired):
        same = compare([0.3] * 3, [0.3] * 3)
        assert (same.difference, same.low, same.high) == (0, 0, 0)
        assert (same.p_above, same.p_below) == (0.5, 0.5)
        above = compare([0.3] * 3, [0.1] * 3)
        assert above.low == above.difference == above.high == pytest.approx(0.2)
        assert (above.p_above, above.p_below) == (0, 1)
        below = compare([0.1] * 3, [0.3] * 3)
        assert (below.p_above, below.p_below) == (1, 0)
    assert against_value([0.7] * 7, 0.7).p_above == 0.5
    assert against_value([0.7] * 7, 0.6).p_above == 0
    assert paired_games_interval([0.7] * 3) == (0.7, 0.7)
    assert bootstrap_interval([0.7] * 7) == (0.7, 0.7)
    assert interquartile_mean([0.7] * 7) == 0.7


def test_differences_in_the_last_digits_are_none() -> None:
    sums = [0.1 + 0.2, 0.3, 0.7 + 0.1 + 0.2]
    assert compare_paired(sums, [0.3, 0.3, 1.0]) == Comparison(0.0, 0.0, 0.0, 0.5, 0.5, 3)


def test_one_value_alone_proves_nothing() -> None:
    assert bootstrap_interval([3.0]) == paired_games_interval([3.0]) == (-math.inf, math.inf)
    unknown = Comparison(2.0, -math.inf, math.inf, 0.5, 0.5, 1)
    assert compare_paired([3], [1]) == against_value([3], 1) == unknown
    assert compare_means([3], [1, 1]).p_above == 0.5


def test_shares_of_all_and_nothing() -> None:
    assert compare_shares(10, 10, 20, 20).p_above == 0.5
    assert compare_shares(0, 10, 0, 20).p_below == 0.5
    assert share_against(0, 10, 0).p_above == share_against(10, 10, 1).p_below == 0.5
    assert share_against(1, 10, 0).p_above == 0
    assert share_against(9, 10, 1).p_below == 0


def test_what_cannot_be_compared_is_refused() -> None:
    for call in (
        lambda: compare_means([], [1]),
        lambda: against_value([1, math.nan], 0),
        lambda: bootstrap_interval([1, math.inf]),
        lambda: interquartile_mean([]),
        lambda: compare_paired([1, 2], [1]),
        lambda: compare_shares(1, 2, 0, 0),
        lambda: share_against(3, 2, 0.5),
        lambda: share_against(1, 2, 1.5),
        lambda: share_interval(12, 10),
        lambda: share_interval(-1, 10),
        lambda: share_interval(5, -3),
        lambda: share_interval(5, 0),
        lambda: share_interval(math.nan, 10),
        lambda: mean_interval([1, math.nan]),
        lambda: mean_interval([math.inf]),
        lambda: holm([0.5, math.nan]),
        lambda: holm([0.5, 1.5]),
        lambda: holm([-0.1]),
    ):
        with pytest.raises(FourlabError):
            call()


# How often intervals hold the truth, simulated: beyond the band a formula is wrong


def normal(rng: np.random.Generator, count: int) -> Floats:
    return rng.normal(size=count)


def skewed(rng: np.random.Generator, count: int) -> Floats:
    """Draw from the beta distribution (5, 1): shares of games won, most of them close to 1."""
    return rng.random(count) ** (1 / 5)


MIDDLE_HALF = {normal: 0.0, skewed: 2 * 5 / 6 * (0.75 ** (6 / 5) - 0.25 ** (6 / 5))}  # true means


def coverage(sample: Callable[[int], tuple[float, float]], truth: float, times: int) -> float:
    """Return how often the interval of a sample, by its number, holds the truth."""
    return float(np.mean([low <= truth <= high for low, high in map(sample, range(times))]))


def ends(found: Comparison) -> tuple[float, float]:
    return found.low, found.high


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(1)
    for share in (0.1, 0.5, 0.9):
        hits = rng.binomial(200, share, size=4000)
        covered = coverage(lambda game: share_interval(hits[game], 200), share, 4000)  # noqa: B023
        assert 0.93 < covered < 0.97


def test_openings_that_favour_a_side_make_scores_surer_than_their_intervals() -> None:
    """Each opening is played with both colours: where it decides, the two results cancel out."""
    rng = np.random.default_rng(2)
    pairs, skill, times = 100, 0.7, 4000
    for decided in (0.0, 0.5):
        truth = decided / 2 + (1 - decided) * skill
        level = rng.random((times, pairs)) >= decided
        points = np.where(level, rng.binomial(2, skill, size=level.shape) / 2, 0.5)
        single = [share_interval(2 * row.sum(), 2 * pairs) for row in points]
        paired = [paired_games_interval(row) for row in points]
        covered = coverage(single.__getitem__, truth, times)
        assert (0.93 < covered < 0.97) if decided == 0 else covered > 0.97
        assert 0.93 < coverage(paired.__getitem__, truth, times) < 0.97


@pytest.mark.parametrize("times", [1500, pytest.param(8000, marks=pytest.mark.slow)])
def test_intervals_of_means_of_few_runs(times: int) -> None:
    rng = np.random.default_rng(3)
    few = coverage(lambda _: ends(against_value(rng.normal(1, 2, 5), 0)), 1, times)
    assert 0.935 < few < 0.965  # normal quantiles: 88%
    uneven = coverage(
        lambda _: ends(compare_means(rng.normal(1, 3, 5), rng.normal(0, 1, 20))), 1, times
    )
    assert 0.935 < uneven < 0.965  # one variance for both: 73%

    def bound_pairs(_: int) -> tuple[float, float]:
        common = rng.normal(0, 3, 8)
        return ends(compare_paired(common + rng.normal(1, 1, 8), common + rng.normal(0, 1, 8)))

    assert 0.935 < coverage(bound_pairs, 1, times) < 0.965  # as if independent: 100%


@pytest.mark.parametrize("times", [1500, pytest.param(20_000, marks=pytest.mark.slow)])
def test_comparisons_of_shares(times: int) -> None:
    rng = np.random.default_rng(4)
    for (a, trials_a), (b, trials_b) in itertools.pairwise([(0.5, 50), (0.8, 70), (0.95, 40)]):
        hits = np.stack([rng.binomial(trials_a, a, times), rng.binomial(trials_b, b, times)])
        found = [ends(compare_shares(x, trials_a, y, trials_b)) for x, y in hits.T]
        assert 0.93 < coverage(found.__getitem__, a - b, times) < 0.97
    hits = rng.binomial([[60], [90]], 0.6, (2, times))
    refuted = [compare_shares(x, 60, y, 90).p_above <= 0.05 for x, y in hits.T]
    assert 0.035 < np.mean(refuted) < 0.065


def test_holm_is_rarely_wrong_at_all() -> None:
    rng = np.random.default_rng(5)
    wrong = [min(holm(rng.random(10).tolist())) <= 0.05 for _ in range(4000)]
    assert 0.035 < np.mean(wrong) < 0.065


@pytest.mark.parametrize("draw", [normal, skewed])
@pytest.mark.parametrize(
    ("count", "times"),
    [(5, 400), (10, 400)] + [pytest.param(n, 4000, marks=pytest.mark.slow) for n in (5, 8, 10, 20)],
)
def test_bootstrap_intervals_of_interquartile_means(
    draw: Callable[[np.random.Generator, int], Floats], count: int, times: int
) -> None:
    rng = np.random.default_rng(6)
    covered = coverage(
        lambda seed: bootstrap_interval(draw(rng, count), resamples=2000, seed=seed),
        MIDDLE_HALF[draw],
        times,
    )
    assert (0.92 < covered < 0.99) if times < 1000 else (0.93 < covered < 0.98)
