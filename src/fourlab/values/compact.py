"""Layers made small for a file: whole numbers of a few bits, and convolutions that blocks share.

A weight is its whole number times the scale of its output; scales and biases have 16 bits. A block
that repeats another's convolutions has scales and biases of its own, and nothing else. A file holds
two arrays, since the names and places of many would cost more than a small network.
"""

from __future__ import annotations

import math

import numpy as np

from fourlab.core.arrays import Array, Ints
from fourlab.rules.geometry import Rules
from fourlab.values.layers import Shape

WHOLES, REALS = "wholes", "reals"
KINDS = {WHOLES: np.dtype(np.uint8), REALS: np.dtype(np.float16)}
BLOCKS, WEIGHT = "blocks.", ".weight"
Arrays = dict[str, Array]


def owner_of(shape: Shape, layer: str) -> str:
    """Return the layer whose whole numbers a layer has: itself, unless it repeats another."""
    if not shape.distinct or not layer.startswith(BLOCKS):
        return layer
    number, _, part = layer.removeprefix(BLOCKS).partition(".")
    return f"{BLOCKS}{int(number) % shape.distinct}.{part}"


def _weights(shape: Shape, rules: Rules) -> dict[str, tuple[int, ...]]:
    """Return the sizes of the weights of every layer, by the layer's name."""
    layout = shape.layout(rules).items()
    return {name.removesuffix(WEIGHT): sizes for name, sizes in layout if name.endswith(WEIGHT)}


def file_layout(shape: Shape, rules: Rules) -> dict[str, tuple[int, ...]]:
    """Return the sizes of the arrays of a file."""
    weights = _weights(shape, rules)
    own = sum(math.prod(sizes) for name, sizes in weights.items() if owner_of(shape, name) == name)
    outputs = sum(sizes[0] for sizes in weights.values())
    return {WHOLES: (-(-own * shape.bits // 8),), REALS: (2 * outputs,)}


def pack(shape: Shape, rules: Rules, layers: Arrays) -> Arrays:
    """Return the arrays of a file; weights that are no whole numbers of a scale are rounded."""
    top = 2 ** (shape.bits - 1) - 1
    wholes: Arrays = {}
    reals: list[Array] = []
    for layer, sizes in _weights(shape, rules).items():
        rows = layers[layer + WEIGHT].reshape(sizes[0], -1).astype(np.float64)
        owner = owner_of(shape, layer)
        if owner == layer:
            steps = np.abs(rows).max(1, keepdims=True) / top
            wholes[layer] = np.rint(rows / np.where(steps > 0, steps, 1))
        whole = wholes[owner]
        scales = (rows * whole).sum(1) / np.maximum((whole * whole).sum(1), 1)  # of the least error
        reals += [scales, layers[f"{layer}.bias"]]
    numbers = np.concatenate([whole.reshape(-1) for whole in wholes.values()]).astype(np.int64)
    return {
        WHOLES: _to_bits(numbers + top, shape.bits),
        REALS: np.concatenate(reals).astype(np.float16),
    }


def unpack(shape: Shape, rules: Rules, arrays: Arrays) -> Arrays:
    """Return the layers that the arrays of a file make, which have the sizes of `file_layout`."""
    weights = _weights(shape, rules)
    numbers = _from_bits(arrays[WHOLES], shape.bits) - (2 ** (shape.bits - 1) - 1)
    reals = iter(
        np.split(arrays[REALS], np.cumsum([n for s in weights.values() for n in s[:1] * 2]))
    )
    wholes: Arrays = {}
    found: Arrays = {}
    for layer, sizes in weights.items():
        if owner_of(shape, layer) == layer:
            count = math.prod(sizes)
            wholes[layer], numbers = numbers[:count].reshape(sizes[0], -1), numbers[count:]
        scales, bias = next(reals).astype(np.float32), next(reals)
        rows = wholes[owner_of(shape, layer)].astype(np.float32) * scales[:, None]
        found |= {layer + WEIGHT: rows.reshape(sizes), f"{layer}.bias": bias.astype(np.float32)}
    return found


def _to_bits(numbers: Ints, bits: int) -> Array:
    """Return whole numbers from 0 on as bytes, `bits` of them each, lowest first."""
    return np.packbits(numbers[:, None] >> np.arange(bits) & 1)


def _from_bits(packed: Array, bits: int) -> Ints:
    """Return what `_to_bits` was given."""
    count = len(packed) * 8 // bits
    ones = np.unpackbits(packed, count=count * bits).reshape(count, bits).astype(np.int64)
    numbers: Ints = (ones << np.arange(bits)).sum(1)
    return numbers
