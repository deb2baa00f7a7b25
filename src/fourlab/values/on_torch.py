"""Networks run by torch, on any device. Imported only where torch is wanted."""

from __future__ import annotations

import numpy as np

from fourlab.core.arrays import Floats, Ints
from fourlab.core.errors import MissingExtraError, missing_extra
from fourlab.rules.boards import Boards
from fourlab.rules.geometry import Rules
from fourlab.values.forward import Reals
from fourlab.values.layers import RESIDUAL, STUDY_CONVOLUTIONS, Shape
from fourlab.values.network import Network
from fourlab.values.outlook import PORTION

try:
    import torch
    import torch.nn.functional as F  # noqa: N812  # the name it goes by
    from torch import Tensor, nn
except ImportError:
    raise missing_extra("networks learn with torch", "deep") from None

__all__ = ["F", "Tensor", "TorchEvaluator", "nn", "one_plane", "planes", "run", "torch"]

BATCH = PORTION  # boards that go to a device at once, always so many: the same sums for every row


def planes(rules: Rules, movers: Tensor, occupied: Tensor, flip: Tensor | None = None) -> Tensor:
    """Return [boards, 2, rows, columns]: the stones of the side to move, and of the other.

    Row 0 is the lowest. Boards where `flip` is true are mirrored.
    """
    height = rules.rows + 1
    bits = [column * height + row for row in range(rules.rows) for column in range(rules.columns)]
    places = torch.tensor(bits, device=movers.device)
    own = (movers[:, None] >> places) & 1
    other = ((movers ^ occupied)[:, None] >> places) & 1
    both = torch.stack([own, other], 1).view(-1, 2, rules.rows, rules.columns)
    if flip is not None:
        both = torch.where(flip[:, None, None, None], both.flip(3), both)
    return both.to(torch.float32)


def one_plane(both: Tensor) -> Tensor:
    """Return what the study's network sees: 1 for the first player's stones, -1 for the other's."""
    second = both.sum((1, 2, 3), keepdim=True) % 2
    return (1 - 2 * second) * (both[:, :1] - both[:, 1:])


def rectified(
    x: Tensor, weight: Tensor, bias: Tensor, padding: int, skip: Tensor | None = None
) -> Tensor:
    """Convolve, add what is carried around, and drop what is negative.

    On a GPU in 16 bits that is one call: a network of 64 x 6 runs 2.4 times as fast.
    """
    if x.is_cuda and x.dtype != torch.float32:
        how = [1, 1], [padding, padding], [1, 1], 1  # stride, padding, dilation, groups
        if skip is None:
            return torch.cudnn_convolution_relu(x, weight, bias, *how)
        return torch.cudnn_convolution_add_relu(x, weight, skip, 1.0, bias, *how)
    y = F.conv2d(x, weight, bias, padding=padding)
    return F.relu(y if skip is None else y + skip)


def run(shape: Shape, layers: dict[str, Tensor], both: Tensor) -> tuple[Tensor, Tensor | None]:
    """Run folded layers: `Forward` with torch, on any device and in any precision."""

    def convolved(x: Tensor, name: str, padding: int = 1, skip: Tensor | None = None) -> Tensor:
        return rectified(x, layers[f"{name}.weight"], layers[f"{name}.bias"], padding, skip)

    def dense(x: Tensor, name: str) -> Tensor:
        return F.linear(x.flatten(1), layers[f"{name}.weight"], layers[f"{name}.bias"])

    if shape.kind != RESIDUAL:
        x = one_plane(both)
        for index in range(STUDY_CONVOLUTIONS):
            x = convolved(x, f"convolutions.{index}", 1 if index else 0)
        return dense(F.relu(dense(x, "hidden")), "worth"), None
    x = convolved(both, "stem")
    for index in range(shape.blocks):
        x = convolved(convolved(x, f"blocks.{index}.a"), f"blocks.{index}.b", skip=x)
    hidden = F.relu(dense(convolved(x, "value", 0), "hidden"))
    return dense(hidden, "bins"), dense(convolved(x, "policy", 0), "moves")


class TorchEvaluator:
    """A network evaluated by torch; off the CPU in batches of one size, filled up.

    Sums may be rounded otherwise than by `Network.evaluate`: here and there it prefers other moves.
    """

    def __init__(self, network: Network, device: str = "cpu", half: bool = False) -> None:
        if device != "cpu" and not torch.cuda.is_available():
            raise MissingExtraError(f"device={device}: torch finds none here; write device=cpu")
        self.network, self.device = network, torch.device(device)
        self.kind = torch.bfloat16 if half else torch.float32
        self.layers = {
            name: torch.from_numpy(layer).to(self.device, self.kind)
            for name, layer in network.layers.items()
        }

    def __call__(self, boards: Boards) -> tuple[Floats, Floats]:
        """Return priors and values as `Network.evaluate` does."""
        count = len(boards.movers)
        size = max(count, 1) if self.device.type == "cpu" else BATCH
        parts = []
        for begin in range(0, max(count, 1), size):
            rows = np.arange(begin, min(begin + size, count))
            stones = [np.zeros(size, np.int64) for _ in range(2)]
            for side, filled in zip(boards[:2], stones, strict=True):
                filled[: len(rows)] = side[rows]
            outputs, logits = self._run(*stones)
            policy = None if logits is None else logits[: len(rows)]
            parts.append(self.network.answers(boards.take(rows), outputs[: len(rows)], policy))
        priors, values = (np.concatenate(found) for found in zip(*parts, strict=True))
        return priors, values

    @torch.no_grad()
    def _run(self, movers: Ints, occupied: Ints) -> tuple[Reals, Reals | None]:
        stones = [torch.from_numpy(side).to(self.device) for side in (movers, occupied)]
        both = planes(self.network.rules, *stones).to(self.kind)
        outputs, logits = run(self.network.shape, self.layers, both)
        policy = None if logits is None else logits.float().cpu().numpy()
        return outputs.float().cpu().numpy(), policy
