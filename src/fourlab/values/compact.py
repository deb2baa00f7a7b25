"""Layers made small for a file: whole numbers of a few bits, and convolutions that blocks share.

A weight is its whole number times the scale of its output; scales and biases have 16 bits. A block
that repeats another's convolutions has scales and biases of its own, and nothing else; of a paired
layer there are the rows that are its own. A file holds
two arrays, since the names and places of many would cost more than a small network. Small whole
numbers are frequent and get short codes: that saves two thirds of a bit of each, and nearly all of
a head of zeros.
"""

from __future__ import annotations

import contextlib
import math
import zlib
from typing import NamedTuple

import numpy as np

from fourlab.core.arrays import Array, Ints
from fourlab.rules.geometry import Rules
from fourlab.values.layers import BLOCKS, MOST_BITS, Shape
from fourlab.values.paired import Pairing, pairing

WHOLES, REALS = "wholes", "reals"
KINDS = {WHOLES: np.dtype(np.uint8), REALS: np.dtype(np.float16)}
WEIGHT = ".weight"
RAW = -zlib.MAX_WBITS  # no header and no checksum of its own: the file has one
WHOLE = 1e-3  # steps by which a whole number may be missed, in 32 bits
MIDDLE = 2 ** (MOST_BITS - 1) - 1  # the code's letter for 0
Arrays = dict[str, Array]


def _top(shape: Shape, layer: str) -> int:
    """Return the largest whole number of a layer."""
    return (1 << (shape.bits_of(layer) - 1)) - 1


def owner_of(shape: Shape, layer: str) -> str:
    """Return the layer whose whole numbers a layer has: itself, unless it repeats another."""
    if not shape.distinct or not layer.startswith(BLOCKS):
        return layer
    number, _, part = layer.removeprefix(BLOCKS).partition(".")
    return f"{BLOCKS}{int(number) % shape.distinct}.{part}"


class _Layer(NamedTuple):
    """Which rows of a layer a file holds."""

    sizes: tuple[int, ...]  # of its weights
    pairing: Pairing | None
    own: int  # rows
    inputs: int  # of a row


def _weights(shape: Shape, rules: Rules) -> dict[str, _Layer]:
    """Return every layer by its name."""
    found = {}
    for name, sizes in shape.layout(rules).items():
        layer = name.removesuffix(WEIGHT)
        if layer != name:
            pairs = pairing(shape, rules, layer)
            count = len(pairs.own) if pairs else sizes[0]
            found[layer] = _Layer(sizes, pairs, count, math.prod(sizes[1:]))
    return found


def pack(shape: Shape, rules: Rules, layers: Arrays) -> Arrays:
    """Return the arrays of a file; weights that are no whole numbers of a scale are rounded."""
    wholes: Arrays = {}
    reals: list[Array] = []
    for layer, (sizes, pairs, _, _) in _weights(shape, rules).items():
        own = pairs.own if pairs else np.arange(sizes[0])
        rows = layers[layer + WEIGHT].reshape(sizes[0], -1)[own].astype(np.float64)
        owner = owner_of(shape, layer)
        if owner == layer:
            wholes[layer] = _wholes(rows, shape.bits_of(layer))
        whole = wholes[owner]
        scales = (rows * whole).sum(1) / np.maximum((whole * whole).sum(1), 1)  # of the least error
        reals += [scales, layers[f"{layer}.bias"][own]]
    numbers = np.concatenate([whole.reshape(-1) for whole in wholes.values()]).astype(np.int64)
    return {WHOLES: _coded(numbers + MIDDLE), REALS: np.concatenate(reals).astype(np.float16)}


def _wholes(rows: Array, bits: int) -> Array:
    """Return weights as whole numbers, each row on a grid that its largest ends.

    A row that is whole on a grid of fewer bits stays on it: its numbers are smaller, and so is
    their code. Others are rounded.
    """
    ends = np.abs(rows).max(1, keepdims=True)
    found = np.zeros_like(rows)
    for top in ((1 << (few - 1)) - 1 for few in range(bits, 1, -1)):
        near = rows * (top / np.where(ends > 0, ends, 1))
        is_whole = (np.abs(near - np.rint(near)) < WHOLE).all(1)
        fits = is_whole | (top == (1 << (bits - 1)) - 1)
        found[fits] = np.rint(near[fits])
    return found


def unpack(shape: Shape, rules: Rules, arrays: Arrays) -> Arrays:
    """Return the layers that the arrays of a file make; raises ValueError if they make none."""
    if {name: array.dtype for name, array in arrays.items()} != KINDS:
        raise ValueError("its numbers are of other kinds")
    weights = _weights(shape, rules)
    own = {name: layer for name, layer in weights.items() if owner_of(shape, name) == name}
    ends = np.cumsum([count for layer in weights.values() for count in [layer.own] * 2])
    if arrays[REALS].shape != ends[-1:]:
        raise ValueError(f"its layers do not fit {shape.kind} of {rules}")
    size = sum(layer.own * layer.inputs for layer in own.values())
    reals, numbers = iter(np.split(arrays[REALS], ends)), _decoded(arrays[WHOLES], size) - MIDDLE
    wholes: Arrays = {}
    found: Arrays = {}
    for name, (sizes, pairs, count, inputs) in weights.items():
        if name in own:
            wholes[name] = numbers[: count * inputs].reshape(count, inputs)
            numbers = numbers[count * inputs :]
            if wholes[name].size and np.abs(wholes[name]).max() > _top(shape, name):
                raise ValueError(f"its whole numbers have more than {shape.bits_of(name)} bits")
        scales, bias = next(reals).astype(np.float32), next(reals).astype(np.float32)
        rows = wholes[owner_of(shape, name)].astype(np.float32) * scales[:, None]
        if pairs:
            rows, bias = pairs.whole(rows), pairs.whole_bias(bias)
        found |= {name + WEIGHT: rows.reshape(sizes), f"{name}.bias": bias}
    return found


def _coded(numbers: Ints) -> Array:
    """Return whole numbers of 0 to 255 as bytes of Huffman's code."""
    coder = zlib.compressobj(9, wbits=RAW, strategy=zlib.Z_HUFFMAN_ONLY)
    data = coder.compress(numbers.astype(np.uint8).tobytes()) + coder.flush()
    return np.frombuffer(data, np.uint8)


def _decoded(coded: Array, count: int) -> Ints:
    """Return what `_coded` was given, so many numbers; raises ValueError if it is anything else."""
    decoder, data = zlib.decompressobj(RAW), b""
    if coded.size * 8 >= count:  # a number has a bit at least: little code takes little memory
        with contextlib.suppress(zlib.error):
            data = decoder.decompress(coded.tobytes(), count + 1)
    if len(data) != count or not decoder.eof or decoder.unused_data:
        raise ValueError(f"its whole numbers are not {count}")
    return np.frombuffer(data, np.uint8).astype(np.int64)
