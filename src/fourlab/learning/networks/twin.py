"""Networks as torch trains them, twins of those in `values/network.py`.

Everything that needs torch imports it through here, when it is needed.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from fourlab.core.arrays import Array
from fourlab.core.errors import SpecError
from fourlab.core.storage import StorageError
from fourlab.learning.networks.layers import EPSILON, Convolution, Dense, Norm, Whole, rounded
from fourlab.rules.geometry import Rules
from fourlab.values.layers import BLOCKS, RESIDUAL, STUDY_CONVOLUTIONS, STUDY_HIDDEN, Shape
from fourlab.values.network import Network
from fourlab.values.on_torch import F, Tensor, TorchEvaluator, nn, one_plane, planes, run, torch

__all__ = ["TorchEvaluator", "build", "folded", "one_plane", "optimiser_state", "part", "planes"]
__all__ += ["find_device", "put_optimiser_state", "put_state", "run", "state_of", "torch"]

MEASURED = ("mean", "var")  # by batch normalisation
Arrays = dict[str, Array]


def find_device(name: str) -> torch.device:
    """Return the device of a name; `auto` is a GPU if there is one. Raises SpecError."""
    if name == "cuda" and not torch.cuda.is_available():
        raise SpecError("device=cuda: torch finds no GPU here; write device=cpu")
    is_cuda = name == "cuda" or (name == "auto" and torch.cuda.is_available())
    return torch.device("cuda" if is_cuda else "cpu")


class Block(nn.Module):
    """Two convolutions, around which the input is carried; `like`: another's, in its own scales."""

    def __init__(self, rules: Rules, shape: Shape, name: str, like: Block | None) -> None:
        super().__init__()
        first, second = (Whole(rules, shape, f"{name}.{part}") for part in "ab")
        self.a: Convolution = like.a if like else Convolution(first, shape.width, 3, bias=False)
        self.a_norm = Norm(first, shape.width)
        self.b: Convolution = like.b if like else Convolution(second, shape.width, 3, bias=False)
        self.b_norm = Norm(second, shape.width)

    def forward(self, x: Tensor) -> Tensor:
        """Return [boards, width, rows, columns], like the input."""
        y = F.relu(self.a_norm(self.a(x)))
        return F.relu(x + self.b_norm(self.b(y)))


class Residual(nn.Module):
    """`planes` to (logits of moves, logits of bins)."""

    def __init__(self, rules: Rules, shape: Shape) -> None:
        super().__init__()
        flat = shape.head * rules.cells

        def whole(layer: str) -> Whole:
            return Whole(rules, shape, layer)

        self.stem = Convolution(whole("stem"), 2, 3, bias=False)
        self.stem_norm = Norm(self.stem.whole, shape.width)
        blocks: list[Block] = []
        for index in range(shape.blocks):
            repeats = shape.distinct and index >= shape.distinct
            like = blocks[index % shape.distinct] if repeats else None
            blocks.append(Block(rules, shape, f"{BLOCKS}{index}", like))
        self.blocks = nn.ModuleList(blocks)
        self.policy = Convolution(whole("policy"), shape.width, 1, bias=True)
        self.moves = Dense(whole("moves"), flat)
        self.value = Convolution(whole("value"), shape.width, 1, bias=True)
        self.hidden = Dense(whole("hidden"), flat)
        self.bins = Dense(whole("bins"), shape.hidden)

    def forward(self, both: Tensor) -> tuple[Tensor, Tensor]:
        """Return [boards, moves] and [boards, bins]."""
        x = F.relu(self.stem_norm(self.stem(both)))
        for block in self.blocks:
            x = block(x)
        logits = self.moves(F.relu(self.policy(x)).flatten(1))
        hidden = F.relu(self.hidden(F.relu(self.value(x)).flatten(1)))
        return logits, self.bins(hidden)


class Study(nn.Module):
    """`planes` to what each board is worth to the first player."""

    def __init__(self, rules: Rules, shape: Shape) -> None:
        super().__init__()
        sizes = [1] + [shape.width] * STUDY_CONVOLUTIONS
        self.convolutions = nn.ModuleList(
            nn.Conv2d(sizes[index], sizes[index + 1], 3, padding=1 if index else 0)
            for index in range(STUDY_CONVOLUTIONS)
        )
        inner = (rules.columns - 2) * (rules.rows - 2)
        self.hidden = nn.Linear(shape.width * inner, STUDY_HIDDEN)
        self.worth = nn.Linear(STUDY_HIDDEN, 1)

    def forward(self, both: Tensor) -> Tensor:
        """Return [boards]."""
        x = one_plane(both)
        for convolution in self.convolutions:
            x = F.relu(convolution(x))
        return torch.tanh(self.worth(F.relu(self.hidden(x.flatten(1)))))[:, 0]


_dice = threading.Lock()  # held by who draws weights: torch has one generator for all threads


def build(rules: Rules, shape: Shape, seed: int) -> Residual | Study:
    """Return a network with random weights; one seed gives one network."""
    shape.layout(rules)  # refuses what does not fit
    with _dice, torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Residual(rules, shape) if shape.kind == RESIDUAL else Study(rules, shape)


def fold(
    module: nn.Module, rules: Rules, shape: Shape, kind: torch.dtype = torch.float32
) -> dict[str, Tensor]:
    """Return the layers with batch normalisation folded in, where the module lies."""
    raw = {name: value.to(kind) for name, value in _state(module).items()}
    layers = {}
    for name, sizes in shape.layout(rules).items():
        layer, _, part = name.rpartition(".")
        weight, norm = raw[f"{layer}.weight"], f"{layer}_norm"
        whole, scale = Whole(rules, shape, layer).to(weight.device), weight.new_ones(())
        if f"{norm}.weight" in raw:
            mean, spread = (whole.shared(raw[f"{norm}.running_{what}"]) for what in MEASURED)
            scale = raw[f"{norm}.weight"] / (spread + EPSILON).sqrt()
            raw[f"{layer}.bias"] = raw[f"{norm}.bias"] - mean * scale
        if part == "bias":
            layers[name] = whole.each(raw[name]).clone()
        else:
            rows = rounded(raw[name], whole.bits)
            layers[name] = whole.all(rows * scale.view(-1, *[1] * (len(sizes) - 1)))
    return layers


def folded(
    module: nn.Module, rules: Rules, shape: Shape, about: dict[str, Any] | None = None
) -> Network:
    """Return the network that a module is when it evaluates."""
    layers = fold(module, rules, shape, torch.float64)
    found = {name: layer.cpu().numpy().astype(np.float32) for name, layer in layers.items()}
    return Network(rules, shape, found, about or {})


def _state(module: nn.Module) -> dict[str, Tensor]:
    return {name: value.detach() for name, value in module.state_dict().items()}


def part(arrays: Arrays, prefix: str) -> Arrays:
    """Return the arrays whose names begin so, by the rest of their names."""
    return {name[len(prefix) :]: arrays[name] for name in arrays if name.startswith(prefix)}


def state_of(module: nn.Module) -> Arrays:
    """Return all that a module has learned, by name: float32, and int64 for counters."""
    return {name: value.cpu().numpy().copy() for name, value in _state(module).items()}


def put_state(module: nn.Module, arrays: Arrays) -> None:
    """Put back what `state_of` gave; raises StorageError if it is of another network."""
    state = _state(module)
    if {name: tuple(value.shape) for name, value in state.items()} != {
        name: array.shape for name, array in arrays.items()
    }:
        raise StorageError("the weights are of a network of another shape")
    for name, value in state.items():
        value.copy_(torch.from_numpy(np.array(arrays[name])))


def optimiser_state(optimiser: torch.optim.Optimizer) -> Arrays:
    """Return what an optimiser remembers of each parameter, as `NUMBER.WHAT`."""
    found: Arrays = {}
    for number, memory in optimiser.state_dict()["state"].items():
        for what, value in memory.items():
            found[f"{number}.{what}"] = torch.as_tensor(value).float().cpu().numpy().copy()
    return found


def put_optimiser_state(optimiser: torch.optim.Optimizer, arrays: Arrays) -> None:
    """Put back what `optimiser_state` gave."""
    memory: dict[int, dict[str, Tensor]] = {}
    for name, array in arrays.items():
        number, _, what = name.partition(".")
        memory.setdefault(int(number), {})[what] = torch.from_numpy(np.array(array))
    optimiser.load_state_dict({**optimiser.state_dict(), "state": memory})
