"""Curves: a figure that follows the learner, and is steady where it stands still."""

import numpy as np

from fourlab.web.runs.curves import smoothed


def marks(*shares: float) -> list[dict[str, float]]:
    return [
        {"games": 100.0 * at, "share": share, "seconds": float(at), "of": 200.0}
        for at, share in enumerate(shares)
    ]


def test_the_figure_of_a_fast_learner_does_not_lag_behind() -> None:
    for shares in ((0.34, 0.64), (0.18, 0.48, 0.56, 0.59, 0.67, 0.64)):
        _, last, level, half, _ = smoothed(marks(*shares))[-1]
        assert abs(last - level) <= half + 0.01


def test_the_figure_of_one_that_stands_still_is_steadier_than_its_tests() -> None:
    shares = np.random.default_rng(0).binomial(200, 0.6, 200) / 200
    rows = smoothed(marks(*shares))
    assert np.std([row[2] for row in rows[5:]]) < 0.75 * np.std(shares)
    assert rows[-1][3] < 0.05
