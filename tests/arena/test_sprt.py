import math

import numpy as np
import pytest

from fourlab.arena.sprt import Hypotheses, Sprt, expected_score, log_likelihood_ratio
from fourlab.core.errors import SpecError


def play(rng: np.random.Generator, elo: float, hypotheses: Hypotheses) -> Sprt:
    """Run a test on pairs of games with draws, and openings that favour one side.

    The expected score of a pair is exactly that of `elo`; its two games are not independent.
    """
    test = Sprt(hypotheses)
    mean = expected_score(elo)
    while not test.verdict:
        for tilt, *luck in rng.random((100, 3)):
            quarters = 0
            for side, roll in zip((1, -1), luck, strict=True):
                score = mean + side * 0.4 * (tilt - 0.5)
                draw = 0.6 * min(score, 1 - score)
                quarters += int(roll < score - draw / 2) + int(roll < score + draw / 2)
            if test.add(quarters):
                break
    return test


def errors(hypotheses: Hypotheses, runs: int) -> tuple[float, float]:
    """Return how often low and high are rejected though they are true."""
    rng = np.random.default_rng(4)
    low = sum(play(rng, hypotheses.low, hypotheses).verdict == "high" for _ in range(runs))
    high = sum(play(rng, hypotheses.high, hypotheses).verdict == "low" for _ in range(runs))
    return low / runs, high / runs


def test_it_errs_no_more_often_than_stated() -> None:
    alpha, beta = errors(Hypotheses(0, 80, alpha=0.1, beta=0.1), 120)
    assert alpha < 0.19
    assert beta < 0.19


@pytest.mark.slow
@pytest.mark.parametrize(("alpha", "beta"), [(0.05, 0.05), (0.02, 0.1)])
def test_its_error_rates_are_those_stated(alpha: float, beta: float) -> None:
    runs = 2000
    found = errors(Hypotheses(0, 50, alpha, beta), runs)
    for stated, measured in zip((alpha, beta), found, strict=True):
        slack = 3 * math.sqrt(stated * (1 - stated) / runs)
        assert 0.3 * stated < measured < stated + slack


def test_each_bound_guards_against_its_own_error() -> None:
    low, high = Hypotheses(0, 20, alpha=0.01, beta=0.1).bounds
    assert low == pytest.approx(math.log(0.1 / 0.99))  # low is accepted wrongly in 10%
    assert high == pytest.approx(math.log(0.9 / 0.01))  # high in 1%


def test_a_large_difference_is_soon_proven() -> None:
    test = Sprt(Hypotheses(0, 20))
    pairs = 0
    while not test.add(4):
        pairs += 1
    assert test.verdict == "high"
    assert pairs < 100
    test.add(0)
    assert test.pairs.sum() == pairs + 1  # what is decided stays decided


def test_the_ratio_is_that_of_a_normal_approximation_for_many_games() -> None:
    pairs = np.array([1000.0, 2000, 4000, 2400, 1100])
    hypotheses = Hypotheses(-5, 15)
    scores = np.arange(5) / 4
    games = pairs.sum()
    mean = (pairs * scores).sum() / games
    variance = (pairs * (scores - mean) ** 2).sum() / games
    low, high = expected_score(-5), expected_score(15)
    expected = games * (high - low) * (2 * mean - low - high) / (2 * variance)
    assert log_likelihood_ratio(pairs, hypotheses) == pytest.approx(expected, rel=0.02)
    swapped = log_likelihood_ratio(pairs[::-1].copy(), Hypotheses(-15, 5))
    assert swapped == pytest.approx(-log_likelihood_ratio(pairs, hypotheses))


def test_no_games_prove_nothing() -> None:
    assert Sprt(Hypotheses()).llr == 0


def test_hypotheses_must_differ() -> None:
    with pytest.raises(SpecError, match="the first must be below the second"):
        Hypotheses(20, 0)
    for low, high in ((-1e18, 0), (0, 1e18), (0, float("inf"))):
        with pytest.raises(SpecError, match="at most 4000 Elo points"):
            Hypotheses(low, high)
    assert abs(Sprt(Hypotheses(-4000, 4000), np.ones(5)).llr) < float("inf")
    with pytest.raises(SpecError, match=r"between 0 and 0\.5"):
        Hypotheses(0, 20, alpha=0)
