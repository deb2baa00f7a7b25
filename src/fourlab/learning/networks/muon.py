"""Steps that turn weights equally far in all directions.

The slope of a convolution's weights has a few strong directions. Here strong and weak ones count
alike: the mean slope is made orthogonal by a few matrix products (Jordan and others, 2024), and
weights turn by so much of their length, which they keep, since batch normalisation does not look
at it. All beside the blocks' convolutions takes AdamW's steps.
"""

from __future__ import annotations

from typing import Any

from fourlab.values.layers import BLOCKS
from fourlab.values.on_torch import Tensor, nn, torch

MEMORY = 0.95  # of slopes, from step to step
PRODUCTS = 5
FIRST, THIRD, FIFTH = 3.4445, -4.7750, 2.0315  # bring what is 0 to 1 near 1 in so many products
TINY = 1e-7


def orthogonal(slopes: Tensor) -> Tensor:
    """Return [layers, outputs, inputs], their singular values all about 1; outputs <= inputs."""
    x = slopes.bfloat16() if slopes.is_cuda else slopes
    x = x / (x.norm(dim=(1, 2), keepdim=True) + TINY)
    for _ in range(PRODUCTS):
        square = x @ x.transpose(1, 2)
        x = FIRST * x + (THIRD * square + FIFTH * square @ square) @ x
    found: Tensor = x.to(slopes.dtype)
    return found


def is_turned(name: str) -> bool:
    """Tell whether a weight is of a block's convolution, by its name."""
    return name.startswith(BLOCKS) and name.endswith((".a.weight", ".b.weight"))


class Muon(torch.optim.AdamW):
    """AdamW; if there is a `turn`, weights of blocks turn by that times the rate in a step."""

    def __init__(self, module: nn.Module, turn: float, **how: Any) -> None:
        named = list(module.named_parameters())
        turned = [weight for name, weight in named if turn and is_turned(name)]
        ids = {id(weight) for weight in turned}
        groups = [{"params": [weight for _, weight in named if id(weight) not in ids]}]
        super().__init__(groups + [{"params": turned}] * bool(turned), **how)
        self.turn = turn

    @torch.no_grad()
    def step(self, closure: Any = None) -> Any:
        """Take a step."""
        groups = self.param_groups
        self.param_groups = groups[:1]
        found = super().step(closure)
        self.param_groups = groups
        for group in groups[1:]:
            self._turn(group["params"], group["lr"] * self.turn)
        return found

    def _turn(self, weights: list[Tensor], angle: Tensor | float) -> None:
        ahead = []
        for weight in weights:
            memory, slope = self.state[weight], weight.grad
            assert slope is not None  # noqa: S101  # each layer takes part
            if not memory:  # AdamW's own asks for the number of steps, which is not needed here
                memory |= {"step": torch.zeros(()), "slopes": torch.zeros_like(weight)}
            memory["slopes"].lerp_(slope, 1 - MEMORY)
            ahead.append(slope.lerp(memory["slopes"], MEMORY).flatten(1))
        size = len(weights[0]) ** 0.5  # of an orthogonal turn
        for weight, turn in zip(weights, orthogonal(torch.stack(ahead)), strict=True):
            length = weight.norm()
            weight.sub_(turn.view_as(weight) * (angle * length / size))
            weight.mul_(length / weight.norm())
