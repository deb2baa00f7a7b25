"""The last holes of a network that learned a strategy, mended on a processor.

    PYTHONPATH=src python -m benchmarks.mend --network IN --strategy strategy.npz --out OUT

The network is asked about every position of a strategy (benchmarks/compact.py). Then it is taught
on, gently, in the form in which it plays: no batch has a say in the sums any more. Half of each
batch is drawn from everywhere, half from where the right move led by little when it was last asked,
and everywhere it is to stay near what it said at first.

`--bits` makes its file smaller: one layer after the other is rounded (benchmarks/rounding.py), and
those still to come are taught to make up for it. Whole numbers stand still once they are found: if
one changed to its neighbour it would spoil a little everywhere. What is taught of a rounded layer
are the lengths of its rows and its biases. Then `fourlab certify net:OUT` tells.
"""

from __future__ import annotations

import argparse
import math
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812  # the name it goes by
from torch import Tensor

from benchmarks.compact import taught
from benchmarks.rounding import fitted
from fourlab.core.arrays import Floats, Ints
from fourlab.learning.networks.pupil import Lesson, lesson_of
from fourlab.positions.labels import Labels
from fourlab.values.layers import BLOCKS, VALUE_HEAD
from fourlab.values.network import Network
from fourlab.values.on_torch import planes

WANTED = 2.5  # the lead that is asked for
MENDING, ROUNDING = (-2, 5, 0.5), (0, 20, 4)  # which positions are drawn: see `Mender.near`
FITTED = 6000  # positions by which a layer is rounded
HELD = 2  # times the rate, once all whole numbers stand still: few numbers are taught then
PORTION = 4096
LITTLE = 8  # a lead that rounding a layer may turn
DRAWN = 64  # steps whose rows are drawn at once
IMPOSSIBLE = -1e9


class Mender:
    """A residual network, its moves alone, and the positions it must know."""

    def __init__(self, network: Network, labels: Labels) -> None:
        self.network, self.rules = network, labels.rules
        self.rows: Lesson = lesson_of(labels, "best", False, torch.device("cpu"))
        self.layers = {
            name: torch.from_numpy(layer.copy()).requires_grad_(not name.startswith(VALUE_HEAD))
            for name, layer in network.layers.items()
        }
        self.gains: dict[str, Tensor] = {}  # of rows whose whole numbers stand still
        self.known = np.empty(len(labels), np.float32)  # by how much the right move led, last asked
        self.at_first = np.full(
            len(labels), -np.inf, np.float32
        )  # the same, before anything was done
        self.before = {name: layer.detach().clone() for name, layer in self.layers.items()}

    def now(self) -> dict[str, Tensor]:
        """Return the layers, rows in their lengths."""
        return {name: layer * self.gains.get(name, 1) for name, layer in self.layers.items()}

    def hold(self, layer: str, weight: Tensor) -> None:
        """Let whole numbers of a layer stand still from now on."""
        self.layers[f"{layer}.weight"] = weight.detach()
        shape = (len(weight), *[1] * (weight.dim() - 1))
        self.gains[f"{layer}.weight"] = torch.ones(shape, requires_grad=True)

    def inputs(self, both: Tensor, w: dict[str, Tensor]) -> Iterator[tuple[str, Tensor]]:
        """Yield what each layer sees, by its name, and at last what the network says of moves."""

        def said(name: str, x: Tensor) -> Tensor:
            weight = w[f"{name}.weight"]
            return F.conv2d(x, weight, w[f"{name}.bias"], padding=weight.shape[-1] // 2)

        yield "stem", both
        x = F.relu(said("stem", both))
        for block in (f"{BLOCKS}{number}" for number in range(self.network.shape.blocks)):
            yield f"{block}.a", x
            y = F.relu(said(f"{block}.a", x))
            yield f"{block}.b", y
            x = F.relu(x + said(f"{block}.b", y))
        yield "policy", x
        x = F.relu(said("policy", x)).flatten(1)
        yield "moves", x
        yield "", F.linear(x, w["moves.weight"], w["moves.bias"])

    def logits(self, both: Tensor, w: dict[str, Tensor]) -> Tensor:
        """Return the policy as layers say it, before illegal moves are left out."""
        return deque(self.inputs(both, w), maxlen=1)[0][1]

    def taken(self, numbers: Ints) -> tuple[Lesson, Tensor]:
        """Return some of the positions, and as the network sees them."""
        rows = self.rows.take(torch.from_numpy(numbers))
        both = planes(self.rules, rows.movers, rows.occupied)
        return rows, both.contiguous(memory_format=torch.channels_last)

    def leads(self, numbers: Ints, rows: Lesson, logits: Tensor) -> Tensor:
        """Return by how much the likeliest right move leads the likeliest wrong one."""
        wrong = logits.masked_fill(rows.wanted | ~rows.legal, IMPOSSIBLE).amax(1)
        found = logits.masked_fill(~rows.wanted, IMPOSSIBLE).amax(1) - wrong
        self.known[numbers] = found.detach().numpy()
        return found

    def loss(self, numbers: Ints) -> Tensor:
        """Return by how much leads are missed, and how far all is from what was said before."""
        rows, both = self.taken(numbers)
        logits = self.logits(both, self.now())
        with torch.no_grad():
            before = self.logits(both, self.before)
        missed = F.softplus(WANTED - self.leads(numbers, rows, logits)).mean()
        return missed + F.smooth_l1_loss(logits[rows.legal], before[rows.legal])

    @torch.no_grad()
    def look(self, when: str, below: float = math.inf) -> None:
        """Ask about every position whose right move led by less at first, and tell."""
        began, layers = time.perf_counter(), self.now()
        asked = np.flatnonzero(self.at_first < below)
        for at in range(0, len(asked), PORTION):
            numbers = asked[at : at + PORTION]
            rows, both = self.taken(numbers)
            self.leads(numbers, rows, self.logits(both, layers))
        if not self.gains:
            self.at_first = self.known.copy()
        passed = time.perf_counter() - began
        print(f"{when}: {self.told()}, {len(asked):,} asked in {passed:.0f} s", flush=True)

    def told(self) -> str:
        """Return what was found when each position was last asked."""
        wrong, unsure = int((self.known <= 0).sum()), int((self.known < WANTED).sum())
        return f"{wrong:,} wrong, {unsure:,} unsure, least lead {self.known.min():.2f}"

    @torch.no_grad()
    def round(self, layer: str, dice: np.random.Generator) -> None:
        """Round a layer so that what it says of hard positions changes least, and hold it."""
        both = self.taken(self.near(dice, (FITTED,), *ROUNDING))[1]
        [seen] = (x for name, x in self.inputs(both, self.now()) if name == layer)
        bias, bits = self.layers[f"{layer}.bias"], self.network.shape.bits_of(layer)
        weight, near = fitted(self.layers[f"{layer}.weight"], bias, seen, bits)
        bias.copy_(near)
        self.hold(layer, weight)

    def near(
        self,
        dice: np.random.Generator,
        size: tuple[int, ...],
        least: float,
        sure: float,
        one: float,
    ) -> Ints:
        """Return positions, likelier by a factor of e for each `one` that the right move led less.

        Below the lead `least`, and from `sure` on, all are alike.
        """
        needs: Floats = np.exp(-np.clip(self.known, least, sure) / one).astype(np.float64).cumsum()
        found = np.searchsorted(needs, dice.random(size) * needs[-1])
        return np.minimum(found, len(needs) - 1)

    def drawn(self, dice: np.random.Generator, rows: int) -> Ints:
        """Return [DRAWN, rows] positions, the first half of each row those that lead by little."""
        little = self.near(dice, (DRAWN, rows // 2), *MENDING)
        some = dice.integers(0, len(self.known), (DRAWN, rows - rows // 2))
        return np.concatenate([little, some], 1)

    def mend(self, steps: int, rows: int, rate: float, dice: np.random.Generator) -> None:
        """Teach it on; the steps become smaller."""
        taught_on = [*self.layers.values(), *self.gains.values()]
        own = [layer for layer in taught_on if layer.requires_grad]
        optimiser = torch.optim.Adam(own, lr=rate, betas=(0.9, 0.99))
        began = time.perf_counter()
        for step in range(steps):
            if step % DRAWN == 0:
                batches = self.drawn(dice, rows)
            falling = 0.51 + 0.49 * math.cos(math.pi * step / steps)
            optimiser.param_groups[0]["lr"] = rate * falling
            loss: Any = self.loss(batches[step % DRAWN])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            if (step + 1) % max(steps // 4, 1) == 0:
                passed = time.perf_counter() - began
                print(f"{step + 1} steps, {passed:.0f} s: {self.told()}", flush=True)

    def save(self, path: Path, about: dict[str, Any]) -> None:
        """Write the network, in 16 bits if it has no fewer."""
        layers = {name: layer.detach().numpy() for name, layer in self.now().items()}
        mended = {**self.network.about, "mended": about}
        network = Network(self.rules, self.network.shape, layers, mended)
        network.without_values().save(path, half=True)  # of which mending takes no care


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--network", type=Path, required=True)
    parser.add_argument("--strategy", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--bits", type=int, default=0, help="of its weights; 0: as they are")
    parser.add_argument("--steps", type=int, default=220, help="after each layer that is rounded")
    parser.add_argument("--last", type=int, default=900, help="steps at the end")
    parser.add_argument("--rows", type=int, default=768, help="positions of a step")
    parser.add_argument("--rate", type=float, default=5e-5)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    labels, dice = taught(options.strategy), np.random.default_rng(options.seed)
    network = Network.load(options.network, labels.rules)
    had_bits, bits = network.shape.bits, options.bits or network.shape.bits
    network.shape = replace(network.shape, bits=bits)
    mender = Mender(network, labels)
    weights = [name for name in mender.layers if name.endswith(".weight")]
    layers = [name.removesuffix(".weight") for name in weights if not name.startswith(VALUE_HEAD)]
    mender.look("at first")
    for layer in layers if options.bits else []:
        mender.round(layer, dice)
        mender.look(f"{layer} rounded", LITTLE)
        mender.mend(options.steps, options.rows, options.rate, dice)
    if had_bits and not options.bits:
        for layer in layers:
            mender.hold(layer, mender.layers[f"{layer}.weight"])
    faster = HELD if bits else 1
    mender.mend(options.last, options.rows, faster * options.rate, dice)
    how = {name: getattr(options, name) for name in ("steps", "last", "rows", "rate", "seed")}
    mender.save(options.out, how)
    mender.look("at the end")


if __name__ == "__main__":
    main()
