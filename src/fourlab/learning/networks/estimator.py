"""What values boards and learns to: a network, its slower twin, and an optimiser."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import numpy.typing as npt

from fourlab.core.arrays import Array, Ints
from fourlab.learning.networks.twin import (
    build,
    folded,
    optimiser_state,
    put_optimiser_state,
    put_state,
    state_of,
)
from fourlab.rules.geometry import Rules
from fourlab.values.layers import RESIDUAL, Shape
from fourlab.values.network import Network
from fourlab.values.on_torch import Tensor, nn, planes, torch
from fourlab.values.outlook import Singles, is_firsts

MOST = 4096  # boards that are valued at once
NETWORK, TARGET, OPTIMISER = "network.", "target.", "optimiser."


def stay_on_one_core() -> None:
    """Keep to one thread here: sums are then taken in one order, however many cores there are."""
    torch.set_num_threads(1)


class Estimator:
    """A network that is learned, and the target network that it learns from.

    Values are those to the first player. `half` works in bfloat16, with weights in float32.
    """

    def __init__(
        self, rules: Rules, shape: Shape, seed: int, optimiser: str = "adam", half: bool = False
    ) -> None:
        self.rules, self.shape, self.half = rules, shape, half
        self.network: nn.Module = build(rules, shape, seed)
        self.network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.network.eval()
        self.target = copy.deepcopy(self.network)
        kinds = {"adam": torch.optim.Adam, "sgd": torch.optim.SGD}
        self.optimiser: torch.optim.Optimizer = kinds[optimiser](self.network.parameters(), lr=0.0)

    def value(self, movers: Ints, occupied: Ints) -> Singles:
        """Return what boards are worth by the network."""
        return self._value(self.network, movers, occupied)

    def target_value(self, movers: Ints, occupied: Ints) -> Singles:
        """Return what boards are worth by the target network."""
        return self._value(self.target, movers, occupied)

    @torch.inference_mode()
    def _value(self, module: nn.Module, movers: Ints, occupied: Ints) -> Singles:
        stay_on_one_core()
        parts = range(0, len(movers), MOST)
        found = [self._run(module, movers[i : i + MOST], occupied[i : i + MOST]) for i in parts]
        return torch.cat(found).numpy() if found else np.zeros(0, np.float32)

    def _run(self, module: nn.Module, movers: Ints, occupied: Ints) -> Tensor:
        both = planes(self.rules, torch.from_numpy(movers), torch.from_numpy(occupied))
        with torch.autocast("cpu", torch.bfloat16, enabled=self.half):
            found = module(both)
        if self.shape.kind != RESIDUAL:
            worths: Tensor = found.float()
            return worths
        centres = torch.linspace(-1, 1, self.shape.bins)
        signs = torch.from_numpy(np.where(is_firsts(occupied), 1, -1).astype(np.float32))
        means: Tensor = (found[1].float().softmax(1) * centres).sum(1)
        return signs * means

    def learn(
        self, movers: Ints, occupied: Ints, targets: Singles, weights: Singles, rate: float
    ) -> npt.NDArray[np.float64]:
        """Take one step towards targets; return how far off each value was before it."""
        stay_on_one_core()
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.network.train()
        errors = self._run(self.network, movers, occupied) - torch.from_numpy(targets)
        loss = (torch.from_numpy(weights) * errors.square()).mean()
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimiser.step()
        self.network.eval()
        return errors.detach().double().numpy()

    def clone(self) -> Estimator:
        """Return one that values boards as this one does now."""
        return copy.deepcopy(self)

    def folded(self, about: dict[str, Any]) -> Network:
        """Return the network as it plays."""
        return folded(self.network, self.rules, self.shape, about)

    @torch.no_grad()
    def follow(self, share: float = 1.0) -> None:
        """Bring the target network nearer to the network by a share of the way."""
        states = (self.target.state_dict().values(), self.network.state_dict().values())
        for slow, fast in zip(*states, strict=True):
            if share < 1 and slow.is_floating_point():
                slow.lerp_(fast, share)
            else:
                slow.copy_(fast)

    def arrays(self) -> dict[str, Array]:
        """Return all that is needed to go on."""
        parts = {
            NETWORK: state_of(self.network),
            TARGET: state_of(self.target),
            OPTIMISER: optimiser_state(self.optimiser),
        }
        return {
            prefix + name: array for prefix, part in parts.items() for name, array in part.items()
        }

    def restore(self, arrays: dict[str, Array]) -> None:
        """Take back what `arrays` returned; raises StorageError if it is of another network."""
        parts: dict[str, dict[str, Array]] = {NETWORK: {}, TARGET: {}, OPTIMISER: {}}
        for name, array in arrays.items():
            prefix, dot, rest = name.partition(".")
            parts.get(prefix + dot, {})[rest] = array
        put_state(self.network, parts[NETWORK])
        put_state(self.target, parts[TARGET])
        put_optimiser_state(self.optimiser, parts[OPTIMISER])
