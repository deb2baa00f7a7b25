"""Layers as torch trains them: their weights in few bits, their outputs in pairs, where asked."""

from __future__ import annotations

import math

from fourlab.rules.geometry import Rules
from fourlab.values.layers import Shape
from fourlab.values.on_torch import F, Tensor, nn, torch
from fourlab.values.paired import pairing

TINY = 1e-12  # keeps a row of zeros from dividing by 0
EPSILON = 1e-5  # keeps batch normalisation from dividing by 0
MOMENTUM = 0.1  # share of a batch in what batch normalisation remembers
# Ends of a grid of so many bits, in spreads of a row: about where its errors are least.
ENDS = {2: 1.2, 3: 1.9, 4: 2.3, 5: 2.8, 6: 3.2}


def rounded(weight: Tensor, bits: int) -> Tensor:
    """Return weights as a file of few bits keeps them; slopes pass as if nothing were rounded."""
    if not bits:
        return weight
    top = 2 ** (bits - 1) - 1
    rows = weight.detach().flatten(1)
    spreads = rows.square().mean(1).sqrt()
    ends = torch.minimum(rows.abs().amax(1), ENDS.get(bits, math.inf) * spreads)
    steps = (ends.clamp_min(TINY) / top).view(-1, *[1] * (weight.dim() - 1))
    near: Tensor = weight + ((weight / steps).round().clamp(-top, top) * steps - weight).detach()
    return near


class Whole(nn.Module):
    """All rows of a layer, by its own ones: those of a paired layer, or just these."""

    rows: Tensor
    across: Tensor

    def __init__(self, rules: Rules, shape: Shape, layer: str) -> None:
        super().__init__()
        self.bits, self.outputs = shape.bits_of(layer), shape.layout(rules)[f"{layer}.weight"][0]
        self.paired = pairing(shape, rules, layer)
        if self.paired:
            self.outputs = len(self.paired.own)
            for name in ("rows", "across"):
                index = torch.from_numpy(getattr(self.paired, name))
                self.register_buffer(name, index, persistent=False)

    def forward(self, own: Tensor) -> Tensor:
        """Return weights [outputs, ...] in few bits."""
        return self.all(rounded(own, self.bits))

    def all(self, own: Tensor) -> Tensor:
        """Return weights [outputs, ...] as they are."""
        if not self.paired:
            return own
        flat = own.flatten(1)
        both = torch.cat([flat, flat.index_select(1, self.across)])
        return both.index_select(0, self.rows).view(-1, *own.shape[1:])

    def shared(self, measured: Tensor) -> Tensor:
        """Return what was measured of outputs; of a pair the mean of both."""
        if not self.paired:
            return measured
        totals = measured.new_zeros(self.outputs).index_add(0, self.rows % self.outputs, measured)
        return totals * (self.outputs / len(measured))

    def each(self, own: Tensor) -> Tensor:
        """Return what each output has: biases, or lengths."""
        return own.index_select(0, self.rows % self.outputs) if self.paired else own


class Convolution(nn.Conv2d):
    """A convolution whose weights have so many bits, and may come in pairs."""

    def __init__(self, whole: Whole, inputs: int, size: int, bias: bool) -> None:
        super().__init__(inputs, whole.outputs, size, padding=size // 2, bias=bias)
        self.whole = whole

    def forward(self, x: Tensor) -> Tensor:
        """Return [boards, outputs, rows, columns]."""
        bias = None if self.bias is None else self.whole.each(self.bias)
        return F.conv2d(x, self.whole(self.weight), bias, padding=self.padding)


class Norm(nn.BatchNorm2d):
    """Batch normalisation of what a convolution gives; pairs have one length and one bias."""

    def __init__(self, whole: Whole, width: int) -> None:
        super().__init__(width, EPSILON)
        self.whole = whole
        self.weight = nn.Parameter(self.weight.detach()[: whole.outputs].clone())
        self.bias = nn.Parameter(self.bias.detach()[: whole.outputs].clone())

    def forward(self, x: Tensor) -> Tensor:
        """Return it normalised, by the batch in training."""
        weight, bias = self.whole.each(self.weight), self.whole.each(self.bias)
        means, spreads = self.running_mean, self.running_var
        return F.batch_norm(x, means, spreads, weight, bias, self.training, MOMENTUM, EPSILON)


class Dense(nn.Linear):
    """A linear layer whose weights have so many bits, and may come in pairs."""

    def __init__(self, whole: Whole, inputs: int) -> None:
        super().__init__(inputs, whole.outputs)
        self.whole = whole

    def forward(self, x: Tensor) -> Tensor:
        """Return [boards, outputs]."""
        return F.linear(x, self.whole(self.weight), self.whole.each(self.bias))
