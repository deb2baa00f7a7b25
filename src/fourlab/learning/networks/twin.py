"""Networks as torch trains them, twins of those in `values/network.py`.

Everything that needs torch imports it through here, when it is needed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fourlab.core.arrays import Array
from fourlab.core.errors import SpecError
from fourlab.core.storage import StorageError
from fourlab.rules.geometry import Rules
from fourlab.values.layers import RESIDUAL, STUDY_CONVOLUTIONS, STUDY_HIDDEN, Shape
from fourlab.values.network import Network
from fourlab.values.on_torch import F, Tensor, TorchEvaluator, nn, one_plane, planes, run, torch

__all__ = ["TorchEvaluator", "build", "folded", "one_plane", "optimiser_state", "part", "planes"]
__all__ += ["find_device", "put_optimiser_state", "put_state", "run", "state_of", "torch"]

TINY = 1e-12  # keeps a row of zeros from dividing by 0
EPSILON = 1e-5  # keeps batch normalisation from dividing by 0
Arrays = dict[str, Array]


def find_device(name: str) -> torch.device:
    """Return the device of a name; `auto` is a GPU if there is one. Raises SpecError."""
    if name == "cuda" and not torch.cuda.is_available():
        raise SpecError("device=cuda: torch finds no GPU here; write device=cpu")
    is_cuda = name == "cuda" or (name == "auto" and torch.cuda.is_available())
    return torch.device("cuda" if is_cuda else "cpu")


def rounded(weight: Tensor, bits: int) -> Tensor:
    """Return weights as a file of few bits keeps them; slopes pass as if nothing were rounded."""
    if not bits:
        return weight
    top = 2 ** (bits - 1) - 1
    steps = weight.detach().flatten(1).abs().amax(1).clamp_min(TINY) / top
    steps = steps.view(-1, *[1] * (weight.dim() - 1))
    near: Tensor = weight + ((weight / steps).round() * steps - weight).detach()
    return near


class Convolution(nn.Conv2d):
    """A convolution whose weights have so many bits."""

    def __init__(self, bits: int, inputs: int, outputs: int, size: int, bias: bool) -> None:
        super().__init__(inputs, outputs, size, padding=size // 2, bias=bias)
        self.bits = bits

    def forward(self, x: Tensor) -> Tensor:
        """Return [boards, outputs, rows, columns]."""
        return F.conv2d(x, rounded(self.weight, self.bits), self.bias, padding=self.padding)


class Dense(nn.Linear):
    """A linear layer whose weights have so many bits."""

    def __init__(self, bits: int, inputs: int, outputs: int) -> None:
        super().__init__(inputs, outputs)
        self.bits = bits

    def forward(self, x: Tensor) -> Tensor:
        """Return [boards, outputs]."""
        return F.linear(x, rounded(self.weight, self.bits), self.bias)


class Block(nn.Module):
    """Two convolutions, around which the input is carried; `like`: another's, in its own scales."""

    def __init__(self, shape: Shape, like: Block | None) -> None:
        super().__init__()
        width = shape.width
        self.a: Convolution = (
            like.a if like else Convolution(shape.bits, width, width, 3, bias=False)
        )
        self.a_norm = nn.BatchNorm2d(width, EPSILON)
        self.b: Convolution = (
            like.b if like else Convolution(shape.bits, width, width, 3, bias=False)
        )
        self.b_norm = nn.BatchNorm2d(width, EPSILON)

    def forward(self, x: Tensor) -> Tensor:
        """Return [boards, width, rows, columns], like the input."""
        y = F.relu(self.a_norm(self.a(x)))
        return F.relu(x + self.b_norm(self.b(y)))


class Residual(nn.Module):
    """`planes` to (logits of moves, logits of bins)."""

    def __init__(self, rules: Rules, shape: Shape) -> None:
        super().__init__()
        flat = shape.head * rules.cells
        self.stem = Convolution(shape.bits_of("stem"), 2, shape.width, 3, bias=False)
        self.stem_norm = nn.BatchNorm2d(shape.width, EPSILON)
        blocks: list[Block] = []
        for index in range(shape.blocks):
            repeats = shape.distinct and index >= shape.distinct
            blocks.append(Block(shape, blocks[index % shape.distinct] if repeats else None))
        self.blocks = nn.ModuleList(blocks)
        self.policy = Convolution(shape.bits_of("policy"), shape.width, shape.head, 1, bias=True)
        self.moves = Dense(shape.bits_of("moves"), flat, rules.move_count)
        self.value = Convolution(shape.bits_of("value"), shape.width, shape.head, 1, bias=True)
        self.hidden = Dense(shape.bits_of("hidden"), flat, shape.hidden)
        self.bins = Dense(shape.bits_of("bins"), shape.hidden, shape.bins)

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


def build(rules: Rules, shape: Shape, seed: int) -> Residual | Study:
    """Return a network with random weights; one seed gives one network."""
    shape.layout(rules)  # refuses what does not fit
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Residual(rules, shape) if shape.kind == RESIDUAL else Study(rules, shape)


def folded(
    module: nn.Module, rules: Rules, shape: Shape, about: dict[str, Any] | None = None
) -> Network:
    """Return the network that a module is when it evaluates: batch normalisation folded in."""
    raw = {name: value.detach().to("cpu", torch.float64) for name, value in _state(module).items()}
    layout, layers = shape.layout(rules), {}
    raw |= {
        name: rounded(raw[name], shape.bits_of(name)) for name in layout if name.endswith(".weight")
    }
    for name, sizes in layout.items():
        layer, _, part = name.rpartition(".")
        norm = f"{layer}_norm"
        if f"{norm}.weight" not in raw:
            value = raw[name]
        else:
            scale = raw[f"{norm}.weight"] / (raw[f"{norm}.running_var"] + EPSILON).sqrt()
            value = raw[f"{norm}.bias"] - raw[f"{norm}.running_mean"] * scale
            if part == "weight":
                value = raw[name] * scale[:, None, None, None]
        layers[name] = value.reshape(sizes).numpy().astype(np.float32)
    return Network(rules, shape, layers, about or {})


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
