import math

import numpy as np
import pytest

from fourlab.arena.ratings import CENTRE, ELO, groups, rate
from fourlab.core.errors import SpecError

TRUTH = {"a": 0.0, "b": 80.0, "c": 150.0, "d": 400.0}
ADVANTAGE, DRAWS = 60.0, -0.5


def simulate(rng: np.random.Generator, games: int) -> dict[tuple[str, str], tuple[int, int, int]]:
    """Draw results of the model: everyone against everyone, `games` with each colour."""
    results = {}
    for first in TRUTH:
        for second in TRUTH:
            if first != second:
                d = (TRUTH[first] - TRUTH[second] + ADVANTAGE) / ELO
                weights = np.exp([d / 2, DRAWS, -d / 2])
                results[first, second] = tuple(rng.multinomial(games, weights / weights.sum()))
    return results


def test_known_strengths_are_recovered() -> None:
    ratings = rate(simulate(np.random.default_rng(1), 20_000), "a")
    for name, elo in TRUTH.items():
        assert ratings.rating(name)[0] == pytest.approx(CENTRE + elo, abs=8)
    assert ratings.advantage == pytest.approx(ADVANTAGE, abs=4)
    assert ratings.draws == pytest.approx(DRAWS, abs=0.03)
    assert ratings.ranking() == ["d", "c", "b", "a"]
    assert ratings.not_separated() == []


def test_two_agents_have_a_closed_form() -> None:
    results = {("a", "b"): (300, 0, 100), ("b", "a"): (100, 0, 300)}
    ratings = rate(results, "b")
    gap, low, high = ratings.difference("a", "b")
    assert gap == pytest.approx(400 * math.log10(3), rel=0.01)
    error = ELO / math.sqrt(800 * 0.75 * 0.25)
    assert (high - low) / 2 == pytest.approx(1.96 * error, rel=0.02)
    assert ratings.advantage == pytest.approx(0, abs=1e-6)
    assert ratings.doubt == pytest.approx(1.96 * error, rel=0.02)


def test_the_anchor_moves_nobody_against_anybody() -> None:
    results = simulate(np.random.default_rng(2), 500)
    by_a, by_d = rate(results, "a"), rate(results, "d")
    by_mean = rate(results)
    assert by_d.interval("d") == (CENTRE, CENTRE)
    assert by_mean.elo.mean() == pytest.approx(CENTRE)
    for name in "bcd":
        assert by_a.difference(name, "a") == pytest.approx(by_d.difference(name, "a"))
        assert by_a.difference(name, "a") == pytest.approx(by_mean.difference(name, "a"))
        assert by_a.interval(name) == pytest.approx(
            [CENTRE + end for end in by_a.difference(name, "a")[1:]]
        )


def test_an_interval_is_that_of_the_distance_to_the_mean() -> None:
    """Of two agents the mean lies half way: half of their difference, with half of its error."""
    ratings = rate({("a", "b"): (300, 0, 100), ("b", "a"): (100, 0, 300)})
    gap, low, high = ratings.difference("a", "b")
    assert ratings.rating("a") == pytest.approx((CENTRE + gap / 2, (high - low) / 4))
    assert ratings.rating("b") == pytest.approx((CENTRE - gap / 2, (high - low) / 4))


def test_perfect_scores_stay_finite() -> None:
    ratings = rate({("a", "b"): (50, 0, 0), ("b", "a"): (0, 0, 50)}, "b")
    gap, low, high = ratings.difference("a", "b")
    assert 400 < gap < 3000
    assert math.isfinite(low)
    assert math.isfinite(high)


def test_what_is_not_proven_is_said() -> None:
    even = {("a", "b"): (6, 0, 4), ("b", "a"): (5, 0, 5)}
    assert rate(even, "a").not_separated() in ([("a", "b")], [("b", "a")])
    clear = {("a", "b"): (90, 0, 10), ("b", "a"): (10, 0, 90)}
    assert rate(clear, "a").not_separated() == []


def test_the_anchor_must_play() -> None:
    results = {("a", "b"): (1, 0, 0)}
    with pytest.raises(SpecError, match="anchor 'c' does not play; it must be one of: a, b"):
        rate(results, "c")
    assert rate(results).anchor is None


def coverage(simulations: int, games: int) -> float:
    """Return how often an interval holds the truth, over all agents but the anchor."""
    rng = np.random.default_rng(3)
    hits = 0
    for _ in range(simulations):
        ratings = rate(simulate(rng, games), "a")
        for name in "bcd":
            low, high = ratings.interval(name)
            hits += low <= CENTRE + TRUTH[name] <= high
    return hits / (3 * simulations)


def test_intervals_cover_the_truth() -> None:
    assert 0.91 < coverage(100, 50) < 0.99


@pytest.mark.slow
@pytest.mark.parametrize("games", [20, 100])
def test_intervals_cover_the_truth_as_often_as_they_say(games: int) -> None:
    assert 0.93 <= coverage(1000, games) <= 0.97


def test_neighbours_that_are_not_separated_are_told_in_one_line() -> None:
    even = (5, 0, 5)
    results = {(a, b): even for a in "abc" for b in "abc" if a != b}
    results |= {("z", b): (99, 0, 1) for b in "abc"}
    [line] = rate(results, "a").remarks()
    assert line.startswith("not separated yet: ")
    assert sorted(line.removeprefix("not separated yet: ").split(" and ")) == ["a", "b", "c"]


def test_many_who_are_not_separated_are_told_by_the_ends() -> None:
    names = "abcdefghi"
    results = {(a, b): (5, 0, 5) for a in names for b in names if a != b}
    [line] = rate(results).remarks()
    ranking = rate(results).ranking()
    assert line == f"not separated yet: {ranking[0]} to {ranking[-1]}, 9 neighbours"


def test_agents_who_never_met_are_rated_apart() -> None:
    results = {
        ("a", "b"): (3, 0, 1),
        ("c", "d"): (2, 2, 0),
        ("b", "e"): (1, 0, 1),
        ("d", "a"): (0, 0, 0),  # a pairing that was never played joins nobody
    }
    found = [{name for pair in group for name in pair} for group in groups(results)]
    assert sorted(found, key=min) == [{"a", "b", "e"}, {"c", "d"}]
    joined = groups({**results, ("e", "c"): (0, 1, 0)})
    assert len(joined) == 1
    assert len(joined[0]) == 4
