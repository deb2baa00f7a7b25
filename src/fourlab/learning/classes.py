"""The classes of the UCI data, predicted from values: win, draw or loss by two thresholds.

The thresholds are chosen on half of the positions and judged on the other half, or named: those
that the sign of a value gives (`low = high = 0`) owe nothing to the classes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fourlab.core.arrays import Array, Floats, Ints
from fourlab.positions.uci import Uci, uci
from fourlab.rules.boards import Boards

CLASSES = ("loss", "draw", "win")
PART = 4096  # positions that are valued at once


@dataclass(frozen=True)
class Prediction:
    """How well values tell the classes apart, on positions that chose no threshold."""

    accuracy: float
    matrix: tuple[tuple[int, ...], ...]  # [true class][predicted class], in the order of CLASSES
    low: float  # below it a loss is predicted
    high: float  # from it on a win

    @property
    def positions(self) -> int:
        """How many were predicted."""
        return sum(map(sum, self.matrix))

    @property
    def always_win(self) -> float:
        """The accuracy of always saying win."""
        return sum(self.matrix[CLASSES.index("win")]) / self.positions

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return {**vars(self), "positions": self.positions, "always_win": self.always_win}


def predict(
    worths: Callable[[Boards], Array], positions: int | None = None, seed: int = 0
) -> tuple[Prediction, Prediction]:
    """Predict the classes of UCI positions, all or some, by what their moves are worth.

    Once by the best move, once by the mean of all moves, in which errors of single values cancel.
    """
    found, outcomes = asked(worths, positions, seed)
    best, mean = np.nanmax(found, axis=1), np.nanmean(found, axis=1)
    return judge(best, outcomes), judge(mean, outcomes)


def by_sign(
    worths: Callable[[Boards], Array], positions: int | None = None, seed: int = 0
) -> Prediction:
    """Predict a win where the best move is worth 0 or more, else a loss: nothing is chosen."""
    found, outcomes = asked(worths, positions, seed)
    return told(np.nanmax(found, axis=1), outcomes, 0.0, 0.0)


def asked(
    worths: Callable[[Boards], Array], positions: int | None, seed: int
) -> tuple[Floats, Ints]:
    """Return what the moves of UCI positions are worth, [positions, moves], and the outcomes."""
    data = sample(positions, seed)
    boards = Boards(data.movers, data.occupied, np.zeros((len(data.movers), 0), np.uint8))
    parts = np.split(np.arange(len(data.movers)), range(PART, len(data.movers), PART))
    found = np.concatenate([worths(boards.take(rows)) for rows in parts]).astype(np.float64)
    return found, data.outcomes.astype(np.int64)


def sample(positions: int | None, seed: int = 0) -> Uci:
    """Return UCI positions, all or some, in an order drawn by lot."""
    data = uci()
    return data.take(np.random.default_rng(seed).permutation(len(data.movers))[:positions])


def judge(values: Floats, outcomes: Ints) -> Prediction:
    """Choose thresholds on the first half of the values and count what they say of the second."""
    half = len(values) // 2
    return told(values[half:], outcomes[half:], *thresholds(values[:half], outcomes[:half]))


def crossed(values: Floats, outcomes: Ints) -> dict[str, Any] | None:
    """Return what values tell of all positions, every other by thresholds chosen on the rest.

    None where they are too few to choose by.
    """
    if len(values) < 2:
        return None
    one, other = slice(0, None, 2), slice(1, None, 2)
    matrices = [
        told(values[judged], outcomes[judged], *thresholds(values[by], outcomes[by])).matrix
        for by, judged in ((one, other), (other, one))
    ]
    matrix = np.sum(matrices, axis=0)
    accuracy = float(np.trace(matrix) / len(values))
    return {"positions": len(values), "accuracy": accuracy, "matrix": matrix.tolist()}


def told(values: Floats, outcomes: Ints, low: float, high: float) -> Prediction:
    """Count what two thresholds say of values."""
    said = (values >= low).astype(np.int64) + (values >= high)
    matrix = np.bincount(3 * (outcomes + 1) + said, minlength=9).reshape(3, 3)
    accuracy = float(np.trace(matrix) / max(len(values), 1))
    return Prediction(accuracy, tuple(map(tuple, matrix.tolist())), low, high)


def thresholds(values: Floats, outcomes: Ints) -> tuple[float, float]:
    """Return the two thresholds that tell most classes right: losses below, wins from there on."""
    order = np.argsort(values, kind="stable")
    ranked, outcomes = values[order], outcomes[order]
    below = [np.concatenate([[0], np.cumsum(outcomes == outcome)]) for outcome in (-1, 0, 1)]
    lows, highs = below[0] - below[1], below[1] - below[2]  # gained by a threshold at each place
    places = np.concatenate([[True], ranked[1:] > ranked[:-1], [True]])  # not between equal values
    lows = np.where(places, lows, -len(values))
    highs = np.where(places, highs, -len(values))
    upper = int(np.argmax(np.maximum.accumulate(lows) + highs))
    lower = int(np.argmax(lows[: upper + 1]))
    edges = np.concatenate([[-np.inf], (ranked[1:] + ranked[:-1]) / 2, [np.inf]])
    return float(edges[lower]), float(edges[upper])
