"""A network run without torch."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fourlab.core.arrays import Array, Ints
from fourlab.rules.geometry import Rules

Numbers = npt.NDArray[np.float32]


class Forward:
    """The layers of a network, laid out to be run. Row i depends on board i alone."""

    def __init__(self, rules: Rules, kind: str, layers: dict[str, Array]) -> None:
        self.rules, self.kind, self.layers = rules, kind, layers
        height = rules.rows + 1
        self.bits = np.array(
            [column * height + row for row in range(rules.rows) for column in range(rules.columns)]
        )

    def __call__(self, movers: Ints, occupied: Ints) -> tuple[Numbers, Numbers | None]:
        """Return the last layer's outputs [boards, bins or 1], and the policy's [boards, moves]."""
        shape = (-1, self.rules.rows, self.rules.columns, 1)
        own = ((movers[:, None] >> self.bits) & 1).reshape(shape).astype(np.float32)
        every = ((occupied[:, None] >> self.bits) & 1).reshape(shape).astype(np.float32)
        if self.kind == "study":
            sign = 1 - 2 * (every.sum(axis=(1, 2, 3), keepdims=True) % 2)
            x = sign * (2 * own - every)
            for index in range(4):
                x = self._convolved(x, f"convolutions.{index}", 1 if index else 0)
            return self._dense(self._dense(_flat(x), "hidden", True), "worth"), None
        x = self._convolved(np.concatenate([own, every - own], axis=3), "stem")
        for index in range(sum(name.endswith(".a.bias") for name in self.layers)):
            y = self._convolved(x, f"blocks.{index}.a")
            x = self._convolved(y, f"blocks.{index}.b", skip=x)
        logits = self._dense(_flat(self._convolved(x, "policy", 0)), "moves")
        hidden = self._dense(_flat(self._convolved(x, "value", 0)), "hidden", True)
        return self._dense(hidden, "bins"), logits

    def _convolved(
        self, x: Numbers, name: str, padding: int = 1, skip: Numbers | None = None
    ) -> Numbers:
        weight, bias = self.layers[f"{name}.weight"], self.layers[f"{name}.bias"]
        size = weight.shape[2]
        x = np.pad(x, ((0, 0), (padding, padding), (padding, padding), (0, 0)))
        windows = np.lib.stride_tricks.sliding_window_view(x, (size, size), axis=(1, 2))
        rows, columns = windows.shape[1:3]
        flat = windows.reshape(len(x), rows * columns, -1)  # channels, then the window's cells
        y = flat @ weight.reshape(len(weight), -1).T + bias
        y = y.reshape(len(x), rows, columns, -1)
        found: Numbers = np.maximum(y if skip is None else y + skip, 0)
        return found

    def _dense(self, x: Numbers, name: str, rectified: bool = False) -> Numbers:
        weight, bias = self.layers[f"{name}.weight"], self.layers[f"{name}.bias"]
        y: Numbers = (x[:, None] @ weight.T)[:, 0] + bias
        return np.maximum(y, 0) if rectified else y


def _flat(x: Numbers) -> Numbers:
    """Return the values of each board in torch's order: channel, row, column."""
    return np.ascontiguousarray(x.transpose(0, 3, 1, 2)).reshape(len(x), -1)
