"""Comparisons mirror, scale and shift; intervals hold their point and agree with the tests."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourlab.arena.statistics import (
    Comparison,
    bootstrap_interval,
    compare_means,
    compare_paired,
    compare_shares,
    holm,
    interquartile_mean,
    share_against,
)

tenths = st.integers(-1000, 1000).map(lambda tenth: tenth / 10)
runs = st.lists(tenths, min_size=2, max_size=12)
pairs_of_runs = st.lists(st.tuples(tenths, tenths), min_size=2, max_size=12)
unsure_pairs = pairs_of_runs.filter(lambda units: len({round(a - b, 6) for a, b in units}) > 1)
shares = st.integers(1, 200).flatmap(
    lambda trials: st.tuples(st.integers(0, 2 * trials).map(lambda hits: hits / 2), st.just(trials))
)


def close(one: Comparison, other: Comparison) -> bool:
    """Return whether two comparisons are equal but for rounding."""
    fields = [(c.difference, c.low, c.high, c.p_above, c.p_below, c.units) for c in (one, other)]
    return fields[0] == pytest.approx(fields[1], rel=1e-6, abs=1e-6)


def mirrored(found: Comparison) -> Comparison:
    """Return what the comparison must be with its sides swapped."""
    ends, chances = (-found.high, -found.low), (found.p_below, found.p_above)
    return Comparison(-found.difference, *ends, *chances, found.units)


def check(found: Comparison) -> None:
    """Check what holds for all comparisons of means."""
    assert found.low <= found.difference <= found.high
    assert found.p_above + found.p_below == pytest.approx(1)
    assert (found.low > 0) == (found.p_above < 0.025) or abs(found.low) < 1e-6
    assert (found.high < 0) == (found.p_below < 0.025) or abs(found.high) < 1e-6


@given(runs, runs)
def test_laws_of_independent_means(a: list[float], b: list[float]) -> None:
    found = compare_means(a, b)
    check(found)
    assert found == compare_means(a[::-1], sorted(b))
    assert close(compare_means(b, a), mirrored(found))


@given(unsure_pairs, st.sampled_from([0.01, 3.0, 1e4]), tenths)
def test_laws_of_paired_means(units: list[tuple[float, float]], by: float, shift: float) -> None:
    a, b = np.array(units).T
    found = compare_paired(a, b)
    check(found)
    assert close(compare_paired(b, a), mirrored(found))
    assert close(compare_paired(a + shift, b + shift), found)
    scaled = compare_paired(by * a, by * b)
    assert scaled.p_above == pytest.approx(found.p_above, rel=1e-6)
    ends = found.difference * by, found.low * by, found.high * by
    assert (scaled.difference, scaled.low, scaled.high) == pytest.approx(ends, rel=1e-6, abs=1e-6)


@given(shares, shares)
def test_laws_of_shares(a: tuple[float, int], b: tuple[float, int]) -> None:
    found = compare_shares(*a, *b)
    assert -1 <= found.low <= found.difference <= found.high <= 1
    assert found.p_above + found.p_below == pytest.approx(1)
    assert close(compare_shares(*b, *a), mirrored(found))


@given(shares, st.integers(1, 99))
def test_wilson_holds_what_the_score_test_does_not_refute(
    share: tuple[float, int], percent: int
) -> None:
    found = share_against(*share, percent / 100)
    assert found.low - 1e-9 <= found.difference <= found.high + 1e-9
    refuted = min(found.p_above, found.p_below) < 0.025
    assert refuted == (not found.low <= 0 <= found.high)


@given(st.lists(st.floats(0, 1), max_size=9))
def test_laws_of_holm(chances: list[float]) -> None:
    adjusted = holm(chances)
    for one, other in itertools.combinations(range(len(chances)), 2):
        assert (chances[one] <= chances[other]) <= (adjusted[one] <= adjusted[other])
    assert all(p <= found <= 1 for p, found in zip(chances, adjusted, strict=True))
    assert min(adjusted, default=0) == min(1, len(chances) * min(chances, default=0))
    assert holm(chances[::-1]) == adjusted[::-1]


@given(runs, st.sampled_from([0.01, 3.0, 1e4]), tenths)
def test_laws_of_the_bootstrap(values: list[float], by: float, shift: float) -> None:
    middle = interquartile_mean(values)
    low, high = bootstrap_interval(values, resamples=500)
    assert min(values) <= low <= middle <= high <= max(values)
    moved = [value * by + shift for value in values]
    expected = (low * by + shift, high * by + shift)
    assert bootstrap_interval(moved, resamples=500) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert interquartile_mean(moved) == pytest.approx(middle * by + shift, rel=1e-9, abs=1e-9)
    assert interquartile_mean([-value for value in values]) == pytest.approx(-middle, abs=1e-9)
