"""Steps that turn weights equally far in all directions, for `benchmarks/distil.py --turn`.

A slope of a convolution's weights has a few strong directions. Here the strong and the weak count
alike: the mean slope is made orthogonal by a few matrix products (Jordan and others, 2024). After
each step rows have their first length again, since batch normalisation does not look at it.
Everything beside the blocks' convolutions takes AdamW's steps.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

MEMORY = 0.95  # of slopes, from step to step
PRODUCTS = 5
CUBIC = 3.4445, -4.7750, 2.0315  # bring singular values of 0 to 1 near 1 in that many products
TINY = 1e-7


def orthogonal(slopes: Tensor) -> Tensor:
    """Return [layers, outputs, inputs], their singular values all about 1; outputs <= inputs."""
    first, third, fifth = CUBIC
    x = slopes.bfloat16() if slopes.is_cuda else slopes
    x = x / (x.norm(dim=(1, 2), keepdim=True) + TINY)
    for _ in range(PRODUCTS):
        square = x @ x.transpose(1, 2)
        x = first * x + (third * square + fifth * square @ square) @ x
    return x.float()


class Muon(torch.optim.AdamW):
    """AdamW for all but `turned`, which take `turn` of its rate, relative to their length."""

    def __init__(self, module: nn.Module, turned: list[nn.Parameter], turn: float, **how: Any):
        ids = {id(weight) for weight in turned}
        super().__init__([one for one in module.parameters() if id(one) not in ids], **how)
        self.turned, self.turn = turned, turn
        self.lengths = [float(weight.detach().norm()) for weight in turned]
        size = len(turned), len(turned[0]), turned[0][0].numel()
        self.slopes = torch.zeros(size, device=turned[0].device)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget slopes."""
        super().zero_grad(set_to_none)
        for weight in self.turned:
            weight.grad = None

    @torch.no_grad()
    def step(self, closure: Any = None) -> Any:
        """Take a step."""
        found = super().step(closure)
        now = torch.stack([weight.grad.flatten(1) for weight in self.turned])
        self.slopes.lerp_(now, 1 - MEMORY)
        turns = orthogonal(now.lerp(self.slopes, MEMORY))
        rate = self.param_groups[0]["lr"] * self.turn
        size = len(self.turned[0]) ** 0.5  # of an orthogonal turn
        for weight, turn, length in zip(self.turned, turns, self.lengths, strict=True):
            weight.sub_(turn.view_as(weight) * (rate * length / size))
            weight.mul_(length / weight.norm())
        return found
