"""The classes of the UCI data, told by two thresholds."""

import itertools

import numpy as np
import pytest

from fourlab.learning.classes import by_sign, crossed, judge, predict, sample, thresholds
from fourlab.rules.boards import Boards
from fourlab.rules.catalog import game


def right(values: np.ndarray, outcomes: np.ndarray, low: float, high: float) -> int:
    said = (values >= low).astype(int) + (values >= high) - 1
    return int((said == outcomes).sum())


def test_thresholds_are_the_best_of_all() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        outcomes = rng.integers(-1, 2, 30)
        values = np.round(outcomes + rng.normal(0, 1.0, 30), 2)
        low, high = thresholds(values, outcomes)
        assert low <= high
        edges = [-np.inf, *(np.unique(values) + 1e-9), np.inf]
        pairs = itertools.combinations_with_replacement(edges, 2)
        best = max(right(values, outcomes, *pair) for pair in pairs)
        assert right(values, outcomes, low, high) == best


def test_equal_values_are_not_told_apart() -> None:
    low, high = thresholds(np.zeros(4), np.array([1, 1, 1, -1]))
    assert right(np.zeros(4), np.array([1, 1, 1, -1]), low, high) == 3


def test_the_other_half_is_judged() -> None:
    values = np.array([-1.0, 0.0, 1.0, -1.0, 0.0, 1.0])
    found = judge(values, np.array([-1, 0, 1, 1, 0, 1]))
    assert found.matrix == ((0, 0, 0), (0, 1, 0), (1, 0, 1))
    assert found.accuracy == pytest.approx(2 / 3)
    assert found.always_win == pytest.approx(2 / 3)
    assert found.positions == 3


def test_each_half_is_judged_by_the_other() -> None:
    values = np.array([-1.0, -0.9, 0.0, 0.1, 1.0, 0.9, -1.0])
    found = crossed(values, np.array([-1, -1, 0, 0, 1, 1, 1]))
    assert found == {
        "positions": 7,
        "accuracy": pytest.approx(6 / 7),
        "matrix": [[2, 0, 0], [0, 2, 0], [1, 0, 2]],
    }
    assert crossed(values[:1], np.array([1])) is None  # nothing to choose a threshold by


def test_values_that_know_the_truth_tell_all_and_constant_ones_the_commonest() -> None:
    data = sample(400, seed=2)
    truth = {(m, o): v for m, o, v in zip(*(a.tolist() for a in data), strict=True)}
    moves = game("connect4").move_count

    def perfect(boards: Boards) -> np.ndarray:
        keys = zip(boards.movers.tolist(), boards.occupied.tolist(), strict=True)
        return np.repeat([[0.1 * truth[key]] for key in keys], moves, axis=1)

    for found in predict(perfect, 400, seed=2):
        assert found.accuracy == 1.0
    same, _ = predict(lambda boards: np.ones((len(boards.movers), moves)), 400, seed=2)
    assert same.accuracy == same.always_win == pytest.approx(0.658, abs=0.07)


def test_all_moves_are_asked_or_the_best() -> None:
    data = sample(100, seed=3)
    truth = dict(zip(data.movers.tolist(), data.outcomes.tolist(), strict=True))

    def bluffing(boards: Boards) -> np.ndarray:
        worths = np.array([[truth[mover]] * 7 for mover in boards.movers.tolist()], float)
        worths[:, 0] = 9.0  # one move of each board is said to be the best there is
        worths[:, 6] = np.nan
        return worths

    best, mean = predict(bluffing, 100, seed=3)
    assert best.accuracy == best.always_win
    assert mean.accuracy > 0.95


def test_the_sign_of_the_best_move_tells_wins_from_losses() -> None:
    data = sample(200, seed=4)
    truth = {(m, o): v for m, o, v in zip(*(a.tolist() for a in data), strict=True)}

    def shifted(by: float) -> float:
        def worths(boards: Boards) -> np.ndarray:
            found = np.full((len(boards.movers), 7), -1.0)
            keys = zip(boards.movers.tolist(), boards.occupied.tolist(), strict=True)
            found[:, 3] = [0.2 * truth[key] + by for key in keys]
            return found

        return by_sign(worths, 200, seed=4).accuracy

    decided = float((data.outcomes != 0).mean())
    assert shifted(0.1) == shifted(-0.1) == pytest.approx(decided)  # a draw is never told
    assert shifted(0.3) == pytest.approx(float((data.outcomes == 1).mean()))  # no threshold follows
