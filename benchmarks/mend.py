"""The last holes of a network that learned a strategy, mended on a processor.

    PYTHONPATH=src python -m benchmarks.mend --network IN --strategy strategy.npz --out OUT

The network is asked about every position of a strategy (benchmarks/compact.py). Where the right
move leads by little it is taught on, gently and beside random positions, in the form in which it
plays: no batch has a say in the sums any more. `--bits` makes its file smaller at the same time.
Then `fourlab certify net:OUT` tells.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812  # the name it goes by
from torch import Tensor

from benchmarks.compact import taught
from fourlab.core.arrays import Ints
from fourlab.learning.networks.pupil import Lesson, lesson_of
from fourlab.learning.networks.twin import rounded
from fourlab.positions.labels import Labels
from fourlab.values.network import Network
from fourlab.values.on_torch import planes

SURE = 6.0  # a lead from which on nothing is feared
WANTED = 2.5  # the lead that is asked for
UNSURE_ROWS, RANDOM_ROWS = 320, 448  # of a step
PORTION = 4096
IMPOSSIBLE = -1e9
HEADS = ("value", "hidden", "bins")  # layers that no move depends on


class Mender:
    """A residual network, its moves alone, and the positions it must know."""

    def __init__(self, network: Network, labels: Labels) -> None:
        self.network, self.rules, self.bits = network, labels.rules, network.shape.bits
        self.rows: Lesson = lesson_of(labels, "best", False, torch.device("cpu"))
        self.layers = {
            name: torch.from_numpy(layer.copy()).requires_grad_(not name.startswith(HEADS))
            for name, layer in network.layers.items()
        }

    def logits(self, both: Tensor) -> Tensor:
        """Return the policy as it stands, before illegal moves are left out."""
        w = {
            name: rounded(layer, self.bits) if name.endswith(".weight") else layer
            for name, layer in self.layers.items()
        }
        x = F.relu(F.conv2d(both, w["stem.weight"], w["stem.bias"], padding=1))
        for block in (f"blocks.{number}" for number in range(self.network.shape.blocks)):
            y = F.relu(F.conv2d(x, w[f"{block}.a.weight"], w[f"{block}.a.bias"], padding=1))
            x = F.relu(x + F.conv2d(y, w[f"{block}.b.weight"], w[f"{block}.b.bias"], padding=1))
        head = F.relu(F.conv2d(x, w["policy.weight"], w["policy.bias"])).flatten(1)
        return F.linear(head, w["moves.weight"], w["moves.bias"])

    def leads(self, numbers: Ints) -> Tensor:
        """Return by how much the likeliest right move leads the likeliest wrong one."""
        rows = self.rows.take(torch.from_numpy(numbers))
        both = planes(self.rules, rows.movers, rows.occupied)
        logits = self.logits(both.contiguous(memory_format=torch.channels_last))
        wrong = logits.masked_fill(rows.wanted | ~rows.legal, IMPOSSIBLE).amax(1)
        return logits.masked_fill(~rows.wanted, IMPOSSIBLE).amax(1) - wrong

    @torch.no_grad()
    def all_leads(self, numbers: Ints) -> Any:
        """Return the leads of very many positions."""
        parts = range(0, len(numbers), PORTION)
        return torch.cat([self.leads(numbers[at : at + PORTION]) for at in parts]).numpy()

    def mend(self, unsure: Ints, leads: Any, steps: int, rate: float, seed: int) -> None:
        """Teach on what is unsure; the steps become smaller."""
        own = [layer for layer in self.layers.values() if layer.requires_grad]
        optimiser = torch.optim.Adam(own, lr=rate, betas=(0.9, 0.99))
        dice, every = np.random.default_rng(seed), max(steps // 6, 1)
        for step in range(steps):
            weights = np.exp(-np.clip(leads, -2, 3))
            some = min(UNSURE_ROWS, len(unsure))
            drawn = dice.choice(unsure, some, False, weights / weights.sum())
            others = dice.choice(len(self.rows.movers), RANDOM_ROWS, False)
            loss: Any = F.softplus(WANTED - self.leads(np.concatenate([drawn, others]))).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            optimiser.param_groups[0]["lr"] = rate * (1.02 - (step + 1) / steps)
            if (step + 1) % every == 0:
                leads = self.all_leads(unsure)
                wrong = int((leads <= 0).sum())
                print(f"{step + 1} steps: {wrong} wrong, least lead {leads.min():.2f}", flush=True)

    def save(self, path: Path, about: dict[str, Any]) -> None:
        """Write the network, in 16 bits if it has no fewer."""
        layers = {name: layer.detach().numpy() for name, layer in self.layers.items()}
        mended = {**self.network.about, "mended": about}
        Network(self.rules, self.network.shape, layers, mended).save(path, half=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--network", type=Path, required=True)
    parser.add_argument("--strategy", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--bits", type=int, default=0, help="of its weights; 0: as they are")
    parser.add_argument("--steps", type=int, default=360)
    parser.add_argument("--rate", type=float, default=1e-5)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    labels, began = taught(options.strategy), time.perf_counter()
    network = Network.load(options.network, labels.rules)
    network.shape = replace(network.shape, bits=options.bits or network.shape.bits)
    mender = Mender(network, labels)
    leads = mender.all_leads(np.arange(len(labels)))
    unsure = np.flatnonzero(leads < SURE)
    passed = time.perf_counter() - began
    wrong = int((leads <= 0).sum())
    print(f"{wrong} of {len(leads):,} wrong, {len(unsure):,} unsure, {passed:.0f} s", flush=True)
    mender.mend(unsure, leads[unsure], options.steps, options.rate, options.seed)
    how = {"steps": options.steps, "rate": options.rate, "seed": options.seed}
    mender.save(options.out, how)


if __name__ == "__main__":
    main()
