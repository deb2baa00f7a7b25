"""Neural networks that play: their shape, their file, and what they say of boards.

Two kinds. `residual` sees the stones of the side to move and of the other, and gives a policy over
moves and the worth of the position as a distribution over -1 to 1. `study` sees one plane and gives
what a board is worth to the first player. Layers lie as torch lays them, batch normalisation
folded into the convolutions; nothing here needs torch.
"""

from __future__ import annotations

import functools
import io
import math
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fourlab.core.arrays import Array, Floats, Ints
from fourlab.core.bits import popcount
from fourlab.core.errors import DivergedError, FourlabError
from fourlab.core.jit import kernel
from fourlab.core.storage import StorageError, replacing
from fourlab.rules.boards import Boards
from fourlab.rules.catalog import game, name_of
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import move_cell, move_count
from fourlab.values.base import WrongGameError
from fourlab.values.compact import pack, unpack
from fourlab.values.forward import Forward, Reals
from fourlab.values.layers import RESIDUAL, VALUE_HEAD, Shape
from fourlab.values.outlook import worths_of
from fourlab.values.weights import load_weights, read_weights, write_weights

KIND, VERSION = "network", 1
TRAINING = "training."  # begins the names of arrays that playing does not need
Arrays = dict[str, Array]


@dataclass
class Network:
    """A network of one game. `about` says who learned it, and how.

    Row i of every answer depends on row i alone, bit for bit. Several threads may ask at once.
    """

    rules: Rules
    shape: Shape
    layers: Arrays  # float32, by the names and shapes of `shape.layout(rules)`
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def has_policy(self) -> bool:
        """Whether its priors say anything."""
        return self.shape.has_policy

    @property
    def has_values(self) -> bool:
        """Whether its values say anything; taught moves alone, its value head is zero."""
        return self.shape.kind != RESIDUAL or bool(self.layers["bins.weight"].any())

    @property
    def is_half(self) -> bool:
        """Whether its numbers fit into 16 bits as they are."""
        with np.errstate(over="ignore"):
            return all(
                bool((layer.astype(np.float16) == layer).all()) for layer in self.layers.values()
            )

    @functools.cached_property
    def forward(self) -> Forward:
        """What runs it."""
        return Forward(self.rules, self.shape.kind, self.layers)

    def evaluate(self, boards: Boards) -> tuple[Floats, Floats]:
        """Return priors [boards, moves], which sum to 1 over legal moves, and `values`.

        A network without a policy has equal priors.
        """
        return self.answers(boards, *self.forward(boards.movers, boards.occupied))

    def values(self, boards: Boards) -> Floats:
        """Return [boards]: what each is worth to its side to move, -1 to 1."""
        return self._scaled(boards, self.forward(boards.movers, boards.occupied)[0])

    def answers(
        self, boards: Boards, outputs: Reals, logits: Reals | None
    ) -> tuple[Floats, Floats]:
        """Return priors and values by what the last layers gave, whoever ran them."""
        priors = np.empty((len(outputs), self.rules.move_count))
        logits = np.zeros(priors.shape, np.float32) if logits is None else self._finite(logits)
        _share_out(self.rules, boards.occupied, logits, priors)
        return priors, self._scaled(boards, outputs)

    def _finite(self, outputs: Reals) -> Reals:
        """Return outputs of a layer if they are numbers; finite weights need not give them."""
        if np.isfinite(outputs).all():
            return outputs
        raise DivergedError(
            f"a network of {self.rules} answers what is no number: its weights are too large; "
            "take an earlier one"
        )

    def _scaled(self, boards: Boards, outputs: Reals) -> Floats:
        """Return outputs of the last layer as values to the side to move."""
        values, outputs = np.empty(len(outputs)), self._finite(outputs)
        if self.shape.kind == RESIDUAL:
            _mean_bins(outputs, values)
        else:
            _sign_worths(boards.occupied, outputs, values)
        return values

    def worths(self, boards: Boards) -> Floats:
        """Return [boards, moves]: what each move is worth, nan where it cannot be played.

        All are nan if its values say nothing.
        """
        if not self.has_values:
            return np.full((len(boards.movers), self.rules.move_count), np.nan)
        return worths_of(self.rules, self.values, boards)

    def without_values(self) -> Network:
        """Return it with a value head of zeros, as one that was taught moves alone."""
        layers = {
            name: np.zeros_like(layer) if name.startswith(VALUE_HEAD) else layer
            for name, layer in self.layers.items()
        }
        return Network(self.rules, self.shape, layers, self.about)

    def header(self) -> dict[str, Any]:
        """Return what the file says about its arrays."""
        return {"game": name_of(self.rules), "shape": asdict(self.shape), "about": self.about}

    def packed(self, half: bool = False, extra: Arrays | None = None) -> bytes:
        """Return the contents of its file; `half`: in 16 bits; `extra`: what training needs.

        A shape that has `bits` is kept in those.
        """
        kind = np.float16 if half else np.float32
        arrays: Arrays = {name: array.astype(kind) for name, array in self.layers.items()}
        if self.shape.bits:
            arrays = pack(self.shape, self.rules, self.layers)
        arrays |= {TRAINING + name: array for name, array in (extra or {}).items()}
        file = io.BytesIO()
        write_weights(file, KIND, VERSION, self.header(), arrays)
        return file.getvalue()

    def to_go(self) -> bytes:
        """Return the contents of a file for playing alone, as exact as the network is."""
        return self.packed(half=self.is_half)

    def save(self, path: Path, half: bool = False, extra: Arrays | None = None) -> None:
        """Write the file; an old one at `path` stays until the new one is complete."""
        if not all(np.isfinite(layer).all() for layer in self.layers.values()):
            raise DivergedError(f"weights have diverged and are not saved; {path} is as it was")
        with replacing(path) as file:
            file.write(self.packed(half, extra))

    @classmethod
    def load(cls, path: Path, rules: Rules | None = None) -> Network:
        """Read a file; raises StorageError, which names it, for anything that does not fit."""
        return cls.load_all(path, rules)[0]

    @classmethod
    def load_all(cls, path: Path, rules: Rules | None = None) -> tuple[Network, Arrays]:
        """Read a file and the extra arrays that training put there."""
        return cls.checked(path, *load_weights(path, KIND, VERSION), rules)

    @classmethod
    def unpacked(cls, data: bytes, path: Path, rules: Rules | None = None) -> Network:
        """Read a file's contents; `path` names it in errors."""
        return cls.checked(path, *read_weights(data, path, KIND, VERSION), rules)[0]

    @classmethod
    def checked(
        cls, path: Path, header: dict[str, Any], arrays: Arrays, rules: Rules | None = None
    ) -> tuple[Network, Arrays]:
        """Return the network and the extras that a file's contents make, or StorageError."""
        try:
            found, shape, about = game(header["game"]), Shape(**header["shape"]), header["about"]
            layout = shape.layout(found)
            about.items()
        except (KeyError, TypeError, AttributeError, FourlabError) as error:
            raise StorageError(f"{path} is damaged: its header makes no sense ({error})") from None
        if rules is not None and found != rules:
            raise WrongGameError(path, found, rules)
        extra = {
            name.removeprefix(TRAINING): arrays.pop(name)
            for name in list(arrays)
            if name.startswith(TRAINING)
        }
        if not shape.bits and {name: array.shape for name, array in arrays.items()} != layout:
            raise StorageError(f"{path} is damaged: its layers do not fit {shape.kind} of {found}")
        if shape.bits:
            try:
                arrays = unpack(shape, found, arrays)
            except ValueError as error:
                raise StorageError(f"{path} is damaged: {error}") from None
        layers = {name: np.asarray(arrays[name], np.float32) for name in layout}
        if not all(np.isfinite(layer).all() for layer in layers.values()):
            raise StorageError(f"{path} is damaged: weights that are no numbers")
        return cls(found, shape, layers, about), extra


@kernel
def _mean_bins(outputs: Reals, means: Floats) -> None:
    """Write the mean of each row's distribution over -1 to 1, given as logits."""
    last = outputs.shape[1] - 1
    for row in range(len(outputs)):
        top, weight, total = float(outputs[row, 0]), 0.0, 0.0
        for index in range(last + 1):
            top = max(top, float(outputs[row, index]))
        for index in range(last + 1):
            share = math.exp(float(outputs[row, index]) - top)
            weight += share
            total += share * (2.0 * index - last) / last
        means[row] = total / weight


@kernel
def _sign_worths(occupied: Ints, outputs: Reals, worths: Floats) -> None:
    """Write what boards are worth to the side to move, by what they are to the first player."""
    for row in range(len(occupied)):
        worth = math.tanh(float(outputs[row, 0]))
        worths[row] = worth if popcount(occupied[row]) & 1 == 0 else -worth


@kernel
def _share_out(rules: Rules, occupied: Ints, logits: Reals, priors: Floats) -> None:
    """Write the policy over legal moves that logits give."""
    for row in range(len(occupied)):
        top, total = -math.inf, 0.0
        for move in range(move_count(rules)):
            if move_cell(rules, occupied[row], move) != 0:
                top = max(top, float(logits[row, move]))
        for move in range(move_count(rules)):
            priors[row, move] = 0.0
            if move_cell(rules, occupied[row], move) != 0:
                priors[row, move] = math.exp(float(logits[row, move]) - top)
                total += priors[row, move]
        for move in range(move_count(rules)):
            priors[row, move] /= total
