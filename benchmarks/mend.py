"""The last holes of a network that learned a strategy, mended on a processor.

    PYTHONPATH=src python -m benchmarks.mend --network IN --strategy strategy.npz --out OUT

The network is asked about every position of a strategy (benchmarks/compact.py). Then it is taught
on, gently, in the form in which it plays: no batch has a say in the sums any more. Half of each
batch is drawn from everywhere, half from where the right move led by little when it was last asked,
and everywhere it is to stay near what it said at first.

`--bits` makes its file smaller: one layer after the other is rounded (benchmarks/rounding.py), and
those still to come are taught to make up for it. Whole numbers stand still once they are found: if
one changed to its neighbour it would spoil a little everywhere. What is taught of a rounded layer
are the lengths of its rows and its biases. The first layers bear fewer bits than the last, which
leave little to be taught. Then `fourlab certify net:OUT` tells. Where there is a GPU it is used.
"""

from __future__ import annotations

import argparse
import math
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812  # the name it goes by
from torch import Tensor

from benchmarks.compact import taught
from benchmarks.rounding import fitted
from fourlab.learning.networks.layers import Whole
from fourlab.learning.networks.pupil import Lesson, lesson_of
from fourlab.learning.networks.twin import find_device
from fourlab.positions.labels import Labels
from fourlab.values.layers import BLOCKS, MOST_BITS, VALUE_HEAD
from fourlab.values.network import Network
from fourlab.values.on_torch import planes

WANTED = 2.5  # the lead that is asked for
MENDING, ROUNDING = (-2, 5, 0.5), (0, 20, 4)  # which positions are drawn: see `Mender.near`
FITTED = 6000  # positions by which a layer is rounded
LONGER = 3  # times `--seconds`, at the end
HELD = 2  # times the rate, once all whole numbers stand still: few numbers are taught then
PORTION = 1 << 14
DRAWN = 64  # steps whose rows are drawn at once
IMPOSSIBLE = -1e9


@contextmanager
def exact() -> Iterator[None]:
    """Let a GPU multiply in 32 bits, as everybody else does."""
    before, torch.backends.cudnn.allow_tf32 = torch.backends.cudnn.allow_tf32, False
    try:
        yield
    finally:
        torch.backends.cudnn.allow_tf32 = before


class Mender:
    """A residual network, its moves alone, and the positions it must know."""

    def __init__(self, network: Network, labels: Labels, device: torch.device) -> None:
        self.network, self.rules, self.device = network, labels.rules, device
        self.rows: Lesson = lesson_of(labels, "best", False, device)
        self.whole: dict[str, Whole] = {}
        self.layers: dict[str, Tensor] = {}  # the rows that are their own
        shape = replace(network.shape, bits=0, distinct=0)  # what they are by now is not rounded
        for name, layer in network.layers.items():
            part = name.rpartition(".")[0]
            self.whole[name] = Whole(self.rules, shape, part).to(device)
            pairs = self.whole[name].paired
            own = torch.tensor(layer[pairs.own] if pairs else layer, device=device)
            self.layers[name] = own.requires_grad_(not name.startswith(VALUE_HEAD))
        self.gains: dict[str, Tensor] = {}  # of rows whose whole numbers stand still
        # By how much the right move led when it was last asked, and before anything was done.
        self.known = torch.zeros(len(labels), device=device)
        self.at_first = torch.full_like(self.known, -math.inf)
        size = len(labels), labels.rules.move_count
        self.said = torch.zeros(size, dtype=torch.float16, device=device)  # of moves, at first

    def now(self) -> dict[str, Tensor]:
        """Return the layers, rows in their lengths."""
        return {
            name: self.whole[name](layer * self.gains.get(name, 1))
            if layer.dim() > 1
            else self.whole[name].each(layer)
            for name, layer in self.layers.items()
        }

    def hold(self, layer: str, weight: Tensor) -> None:
        """Let whole numbers of a layer stand still from now on."""
        self.layers[f"{layer}.weight"] = weight.detach()
        shape = (len(weight), *[1] * (weight.dim() - 1))
        self.gains[f"{layer}.weight"] = torch.ones(shape, device=self.device, requires_grad=True)

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

    def taken(self, numbers: Tensor) -> tuple[Lesson, Tensor]:
        """Return some of the positions, and as the network sees them."""
        rows = self.rows.take(numbers)
        return rows, self.seen(rows)

    def seen(self, rows: Lesson) -> Tensor:
        """Return positions as the network sees them."""
        both = planes(self.rules, rows.movers, rows.occupied)
        return both.contiguous(memory_format=torch.channels_last)

    def leads(self, numbers: Tensor, rows: Lesson, logits: Tensor) -> Tensor:
        """Return by how much the likeliest right move leads the likeliest wrong one."""
        wrong = logits.masked_fill(rows.wanted | ~rows.legal, IMPOSSIBLE).amax(1)
        found = logits.masked_fill(~rows.wanted, IMPOSSIBLE).amax(1) - wrong
        self.known[numbers] = found.detach()
        return found

    def loss(self, numbers: Tensor) -> Tensor:
        """Return by how much leads are missed, and how far all is from what was said before."""
        rows, both = self.taken(numbers)
        logits = self.logits(both, self.now())
        missed = F.softplus(WANTED - self.leads(numbers, rows, logits)).mean()
        kept = F.smooth_l1_loss(logits, self.said[numbers].float(), reduction="none")
        return missed + (kept * rows.legal).sum() / rows.legal.sum()

    @torch.no_grad()
    def look(self, when: str, below: float = math.inf) -> None:
        """Ask about every position whose right move led by less at first, and tell."""
        began, layers = time.perf_counter(), self.now()
        asked = torch.nonzero(self.at_first < below)[:, 0]
        with exact():
            for numbers in asked.split(PORTION):
                rows, both = self.taken(numbers)
                logits = self.logits(both, layers)
                self.leads(numbers, rows, logits)
                if below == math.inf and not self.gains:
                    self.said[numbers] = logits.half()
        if not self.gains:
            self.at_first = self.known.clone()
        told, passed = self.told(), time.perf_counter() - began
        print(f"{when}: {told}, {len(asked):,} asked in {passed:.0f} s", flush=True)

    def told(self) -> str:
        """Return what was found when each position was last asked."""
        wrong, unsure = int((self.known <= 0).sum()), int((self.known < WANTED).sum())
        return f"{wrong:,} wrong, {unsure:,} unsure, least lead {self.known.min():.2f}"

    @torch.no_grad()
    def round(self, layer: str, bits: int, dice: np.random.Generator) -> None:
        """Round a layer so that what it says of hard positions changes least, and hold it."""
        both = self.taken(self.near(dice, (FITTED,), *ROUNDING))[1]
        if self.network.shape.paired:
            both = torch.cat([both, both.flip(3)])
        [seen] = (x for name, x in self.inputs(both, self.now()) if name == layer)
        bias = self.layers[f"{layer}.bias"]
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
    ) -> Tensor:
        """Return positions, likelier by a factor of e for each `one` that the right move led less.

        Below the lead `least`, and from `sure` on, all are alike.
        """
        needs = torch.exp(-self.known.clamp(least, sure) / one).double().cumsum(0)
        places = torch.from_numpy(dice.random(size)).to(self.device) * needs[-1]
        return torch.searchsorted(needs, places).clamp(max=len(needs) - 1)

    def drawn(self, dice: np.random.Generator, rows: int) -> Tensor:
        """Return [DRAWN, rows] positions, the first half of each row those that lead by little."""
        little = self.near(dice, (DRAWN, rows // 2), *MENDING)
        some = dice.integers(0, len(self.known), (DRAWN, rows - rows // 2))
        return torch.cat([little, torch.from_numpy(some).to(self.device)], 1)

    def mend(
        self, steps: int, rows: int, rate: float, dice: np.random.Generator, seconds: float
    ) -> None:
        """Teach it on, so many steps or seconds at most; the steps become smaller."""
        taught_on = [*self.layers.values(), *self.gains.values()]
        own = [layer for layer in taught_on if layer.requires_grad]
        optimiser = torch.optim.Adam(own, lr=rate, betas=(0.9, 0.99))
        began = time.perf_counter()
        for step in range(steps + 1):
            share = max(step / steps, (time.perf_counter() - began) / seconds)
            if share >= 1:
                break
            if step % DRAWN == 0:
                batches = self.drawn(dice, rows)
            falling = 0.51 + 0.49 * math.cos(math.pi * share)
            optimiser.param_groups[0]["lr"] = rate * falling
            loss: Any = self.loss(batches[step % DRAWN])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        passed = time.perf_counter() - began
        print(f"{step} steps, {passed:.0f} s: {self.told()}", flush=True)

    def save(self, path: Path, about: dict[str, Any]) -> None:
        """Write the network, in 16 bits if it has no fewer."""
        layers = {name: layer.detach().cpu().numpy() for name, layer in self.now().items()}
        mended = {**self.network.about, "mended": about}
        network = Network(self.rules, self.network.shape, layers, mended)
        network.without_values().save(path, half=True)  # of which mending takes no care


def rounded(mender: Mender, layers: list[str], options: argparse.Namespace, dice: Any) -> None:
    """Round layer by layer, and teach those to come to make up for it."""
    in_blocks = chain(options.bits, repeat(options.bits[-1]))
    for layer in layers:
        bits = next(in_blocks) if layer.startswith(BLOCKS) else MOST_BITS
        mender.round(layer, bits, dice)
        mender.look(f"{layer} rounded to {bits} bits", options.little)
        mender.mend(options.steps, options.rows, options.rate, dice, options.seconds or math.inf)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--network", type=Path, required=True)
    parser.add_argument("--strategy", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--bits", type=int, nargs="+", help="of layers; the last: of all others")
    parser.add_argument("--steps", type=int, default=220, help="after each layer that is rounded")
    parser.add_argument("--seconds", type=float, help="for them, at most")
    parser.add_argument("--last", type=int, default=900, help="steps at the end")
    parser.add_argument("--rows", type=int, default=768, help="positions of a step")
    parser.add_argument("--rate", type=float, default=5e-5)
    parser.add_argument("--little", type=float, default=8, help="a lead that rounding may turn")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    labels, dice = taught(options.strategy), np.random.default_rng(options.seed)
    network = Network.load(options.network, labels.rules)
    had_bits = network.shape.bits
    network.shape = replace(network.shape, bits=max(options.bits or [had_bits]))
    mender = Mender(network, labels, find_device("auto"))
    weights = [name for name in mender.layers if name.endswith(".weight")]
    layers = [name.removesuffix(".weight") for name in weights if not name.startswith(VALUE_HEAD)]
    mender.look("at first")
    if options.bits:
        rounded(mender, layers, options, dice)
    elif had_bits:
        for layer in layers:
            mender.hold(layer, mender.layers[f"{layer}.weight"])
    faster = HELD if mender.gains else 1
    longer = LONGER * (options.seconds or math.inf)
    mender.mend(options.last, options.rows, faster * options.rate, dice, longer)
    names = ("bits", "steps", "seconds", "last", "rows", "rate", "seed")
    how = {name: getattr(options, name) for name in names}
    mender.save(options.out, how)
    mender.look("at the end")


if __name__ == "__main__":
    main()
