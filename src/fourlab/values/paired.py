"""Layers whose outputs come in pairs: one sees of a board what the other sees of its mirror image.

Such a network treats mirror images alike by itself, and learns each pattern once: of its weights
half are its own, the rest are the same ones, looking the other way.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np

from fourlab.core.arrays import Array, Ints
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import mirror_move
from fourlab.values.layers import VALUE_HEAD, Shape


class Pairing(NamedTuple):
    """How a layer follows from the rows that are its own."""

    own: Ints  # which of its outputs
    rows: Ints  # [outputs], of its own rows, and, behind them, of those looking the other way
    across: Ints  # [inputs of a row], where each lies in the mirror image

    def whole(self, weight: Array) -> Array:
        """Return all rows, from its own [own, inputs of a row]."""
        return np.concatenate([weight, weight[:, self.across]])[self.rows]

    def whole_bias(self, bias: Array) -> Array:
        """Return all biases, or lengths of rows, from its own [own]."""
        return bias[self.rows % len(self.own)]


@functools.cache
def pairing(shape: Shape, rules: Rules, layer: str) -> Pairing | None:
    """Return how a layer is paired, by its name; None: all of its rows are its own."""
    if not shape.paired or f"{layer}.".startswith(VALUE_HEAD):
        return None
    outputs, *inputs = shape.layout(rules)[f"{layer}.weight"]
    if layer == "moves":
        partner = np.array([mirror_move(rules, move) for move in range(outputs)])
        inputs = [shape.head, rules.rows, rules.columns]
    else:
        partner = (np.arange(outputs) + outputs // 2) % outputs
    own = np.flatnonzero(np.arange(outputs) <= partner)
    rows = np.searchsorted(own, np.minimum(np.arange(outputs), partner))
    rows += np.where(np.arange(outputs) > partner, len(own), 0)
    places = np.arange(np.prod(inputs)).reshape(inputs)
    if layer != "stem":  # whose inputs are stones, not pairs
        places = np.roll(places, inputs[0] // 2, 0)
    return Pairing(own, rows, places[:, :, ::-1].reshape(-1))
