"""The last holes of a network that learned a strategy, mended on a processor.

    PYTHONPATH=src python -m benchmarks.mend --network IN --strategy strategy.npz --out OUT

The network is asked about every position of a strategy (benchmarks/compact.py). Then it is taught
on, gently, in the form in which it plays: no batch has a say in the sums any more. Half of each
batch is drawn from everywhere, half from where the right move led by little when it was last asked,
and everywhere it is to stay near what it said at first. `--bits` makes its file smaller at the same
time, which takes more steps; `--fit` rounds it well to begin with (benchmarks/rounding.py), and
`--hold` ends it: whole numbers stand still, for each that changes to its neighbour spoils a little
elsewhere, and only what is no whole number is taught. Then `fourlab certify net:OUT` tells.
"""

from __future__ import annotations

import argparse
import math
import time
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
from fourlab.learning.networks.twin import rounded
from fourlab.positions.labels import Labels
from fourlab.values.layers import VALUE_HEAD
from fourlab.values.network import Network
from fourlab.values.on_torch import planes

WANTED = 2.5  # the lead that is asked for
MENDING, ROUNDING = (-2, 5, 1), (0, 20, 4)  # which positions are drawn: see `Mender.near`
HELD = 5  # times the rate, where whole numbers stand still: few numbers are taught then
PORTION = 4096
DRAWN = 64  # steps whose rows are drawn at once
IMPOSSIBLE = -1e9


class Mender:
    """A residual network, its moves alone, and the positions it must know."""

    def __init__(self, network: Network, labels: Labels) -> None:
        self.network, self.rules, self.bits = network, labels.rules, network.shape.bits
        self.rows: Lesson = lesson_of(labels, "best", False, torch.device("cpu"))
        self.layers = {
            name: torch.from_numpy(layer.copy()).requires_grad_(not name.startswith(VALUE_HEAD))
            for name, layer in network.layers.items()
        }
        self.gains: dict[str, Tensor] = {}  # of rows whose whole numbers stand still
        self.known = np.empty(len(labels), np.float32)  # by how much the right move led, last asked
        self.before = {name: layer.detach().clone() for name, layer in self.layers.items()}

    def rounded(self) -> dict[str, Tensor]:
        """Return the layers as a file keeps them."""
        if self.gains:
            return {name: layer * self.gains.get(name, 1) for name, layer in self.layers.items()}
        return {
            name: rounded(layer, self.bits) if name.endswith(".weight") else layer
            for name, layer in self.layers.items()
        }

    def hold(self) -> None:
        """Let whole numbers stand still from now on: rows are made longer or shorter instead."""
        for name, layer in self.rounded().items():
            if name.endswith(".weight") and not name.startswith(VALUE_HEAD):
                self.layers[name] = layer.detach()
                shape = (len(layer), *[1] * (layer.dim() - 1))
                self.gains[name] = torch.ones(shape, requires_grad=True)

    def logits(self, both: Tensor, w: dict[str, Tensor]) -> Tensor:
        """Return the policy as layers say it, before illegal moves are left out."""
        x = F.relu(F.conv2d(both, w["stem.weight"], w["stem.bias"], padding=1))
        for block in (f"blocks.{number}" for number in range(self.network.shape.blocks)):
            y = F.relu(F.conv2d(x, w[f"{block}.a.weight"], w[f"{block}.a.bias"], padding=1))
            x = F.relu(x + F.conv2d(y, w[f"{block}.b.weight"], w[f"{block}.b.bias"], padding=1))
        head = F.relu(F.conv2d(x, w["policy.weight"], w["policy.bias"])).flatten(1)
        return F.linear(head, w["moves.weight"], w["moves.bias"])

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
        logits = self.logits(both, self.rounded())
        with torch.no_grad():
            before = self.logits(both, self.before)
        missed = F.softplus(WANTED - self.leads(numbers, rows, logits)).mean()
        return missed + F.smooth_l1_loss(logits[rows.legal], before[rows.legal])

    @torch.no_grad()
    def look(self) -> None:
        """Ask about every position."""
        for at in range(0, len(self.known), PORTION):
            numbers = np.arange(at, min(at + PORTION, len(self.known)))
            rows, both = self.taken(numbers)
            self.leads(numbers, rows, self.logits(both, self.rounded()))

    def told(self) -> str:
        """Return what was found when each position was last asked."""
        wrong, unsure = int((self.known <= 0).sum()), int((self.known < WANTED).sum())
        return f"{wrong:,} wrong, {unsure:,} unsure, least lead {self.known.min():.2f}"

    @torch.no_grad()
    def fit(self, count: int, seed: int) -> None:
        """Round its weights so that what it says of so many positions changes least."""
        numbers = self.near(np.random.default_rng(seed), (count,), *ROUNDING)
        found = fitted(self.layers, self.taken(numbers)[1], self.network.shape.blocks, self.bits)
        for name, layer in found.items():
            self.layers[name].copy_(layer)

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

    def mend(self, steps: int, rows: int, rate: float, seed: int) -> None:
        """Teach it on; the steps become smaller."""
        taught_on = [*self.layers.values(), *self.gains.values()]
        own = [layer for layer in taught_on if layer.requires_grad]
        optimiser = torch.optim.Adam(own, lr=rate, betas=(0.9, 0.99))
        dice, began = np.random.default_rng(seed), time.perf_counter()
        for step in range(steps):
            if step % DRAWN == 0:
                batches = self.drawn(dice, rows)
            falling = 0.51 + 0.49 * math.cos(math.pi * step / steps)
            optimiser.param_groups[0]["lr"] = rate * falling
            loss: Any = self.loss(batches[step % DRAWN])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            if (step + 1) % max(steps // 20, 1) == 0:
                passed = time.perf_counter() - began
                print(f"{step + 1} steps, {passed:.0f} s: {self.told()}", flush=True)

    def save(self, path: Path, about: dict[str, Any]) -> None:
        """Write the network, in 16 bits if it has no fewer."""
        layers = {name: layer.detach().numpy() for name, layer in self.rounded().items()}
        mended = {**self.network.about, "mended": about}
        network = Network(self.rules, self.network.shape, layers, mended)
        network.without_values().save(path, half=True)  # of which mending takes no care


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--network", type=Path, required=True)
    parser.add_argument("--strategy", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--bits", type=int, default=0, help="of its weights; 0: as they are")
    parser.add_argument("--fit", type=int, default=0, help="positions to round it by, some 8,000")
    parser.add_argument("--steps", type=int, default=360)
    parser.add_argument("--hold", type=int, default=0, help="steps after these, whole numbers kept")
    parser.add_argument("--rows", type=int, default=768, help="positions of a step")
    parser.add_argument("--rate", type=float, default=1e-5)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    labels, began = taught(options.strategy), time.perf_counter()
    network = Network.load(options.network, labels.rules)
    network.shape = replace(network.shape, bits=options.bits or network.shape.bits)
    mender = Mender(network, labels)
    mender.look()
    print(f"{len(labels):,}: {mender.told()}, {time.perf_counter() - began:.0f} s", flush=True)
    if options.fit:
        mender.fit(options.fit, options.seed)
        mender.look()
        print(f"rounded in turn: {mender.told()}, {time.perf_counter() - began:.0f} s", flush=True)
    mender.mend(options.steps, options.rows, options.rate, options.seed)
    if options.hold:
        mender.look()
        print(f"whole numbers kept: {mender.told()}", flush=True)
        mender.hold()
        mender.mend(options.hold, options.rows, HELD * options.rate, options.seed)
    how = {
        name: getattr(options, name) for name in ("fit", "steps", "hold", "rows", "rate", "seed")
    }
    mender.save(options.out, how)
    mender.look()
    print(f"at the end: {mender.told()}", flush=True)


if __name__ == "__main__":
    main()
