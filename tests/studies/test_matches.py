import numpy as np
import pytest

from fourlab.arena.events import Event
from fourlab.arena.ratings import Ratings, rate
from fourlab.arena.tournament import Tournament
from fourlab.core.workers import Workers
from fourlab.studies.findings import Column, Findings, Measure, share
from fourlab.studies.matches import (
    compare_points,
    contrast,
    cross,
    elo_told,
    outcome,
    scores_above,
    scores_more,
    told,
)

RESULTS = {
    ("a", "b"): (70, 10, 20),
    ("b", "a"): (30, 10, 60),
    ("b", "c"): (60, 0, 40),
    ("c", "a"): (20, 10, 70),
}


def test_a_contrast_of_two_is_the_difference_of_their_ratings() -> None:
    ratings = rate(RESULTS, "c")
    found = contrast(ratings, {"a": 1, "b": -1})
    gap, low, high = ratings.difference("a", "b")
    assert found == Measure(round(gap, 2), round(low, 2), round(high, 2))


def test_a_contrast_counts_what_ratings_have_in_common() -> None:
    covariance = np.array([[4.0, 4.0], [4.0, 4.0]])
    ratings = Ratings(("a", "b"), "a", np.array([10.0, 30.0]), covariance, 0.0, 0.0, 0.0)
    found = contrast(ratings, {"b": 1, "a": -1})
    assert (found.value, found.low, found.high) == (20, 20, 20)


@pytest.mark.parametrize(("value", "p_above"), [(0.0, 0.025), (19.6, 0.5), (39.2, 0.975)])
def test_points_are_compared_by_their_interval(value: float, p_above: float) -> None:
    found = compare_points(Measure(19.6, 0.0, 39.2), value)
    assert found.p_above == pytest.approx(p_above, abs=1e-4)
    assert found.p_below == pytest.approx(1 - p_above, abs=1e-4)


def test_points_without_an_interval_are_certain() -> None:
    assert compare_points(Measure(1.0)).p_above == 0
    assert compare_points(Measure(-1.0)).p_above == 1
    assert compare_points(Measure(0.0)).p_above == 0.5


def test_a_round_robin_as_a_cross_table() -> None:
    event = Event("tictactoe", ("random", "baseline", "minimax"), games=20, seed=4)
    played = Tournament(event)
    with Workers(1) as workers:
        for _ in played.run(workers):
            pass
    table = cross(played, ["r", "b", "m"])
    assert table["agents"] == ["r", "b", "m"]
    for row in range(3):
        assert table["scores"][row][row] is None
        for column in range(row):
            assert table["scores"][row][column] + table["scores"][column][row] == 1
            assert table["games"][row][column] == table["games"][column][row] == 20
    assert table["scores"][2][0] > 0.5
    cells = outcome(played.tallies[0])
    shares = [cells[name] for name in ("wins", "draws", "losses")]
    assert sum(float(one) for one in shares if isinstance(one, Measure)) == pytest.approx(1)
    assert isinstance(cells["score"], Measure)
    assert cells["score"].value == pytest.approx(played.tallies[0].score)


def test_scores_speak_for_claims_and_against_them() -> None:
    columns = (Column("agent", "agent", "text"), Column("score", "score", "percent"))
    rows = ({"agent": "good", "score": share(700, 1000)}, {"agent": "bad", "score": share(1, 9)})
    found = Findings(columns, rows)
    better, worse = scores_above(found, "good"), scores_above(found, "bad")
    assert better.p_for < 1e-9
    assert worse.p_against < 0.05 < worse.p_for
    assert better.games == 1000
    assert scores_more(found, "good", "bad").p_for < 0.001
    assert scores_more(found, "bad", "good").p_against < 0.001


def test_figures_as_people_say_them() -> None:
    assert told(share(50, 100)) == "50.0% (40.4 to 59.6)"
    assert elo_told(Measure(-12.3, -20, 4)) == "-12 (-20 to +4) Elo"
