"""Weights rounded to a few bits so that outputs change least, for `benchmarks/mend.py --fit`.

Rounded one by one, weights err independently. Here they are rounded in turn, and those still to
come make up for what was lost, as the second moments of a layer's inputs say (Frantar and others,
2022). Layers go from the first to the last: each sees what the rounded ones before it give, and is
fitted anew to what the whole network gives there.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812  # the name it goes by
from torch import Tensor

Layers = dict[str, Tensor]
CLIPS = torch.linspace(0.45, 1.0, 23)  # of the largest weight, tried as the end of a row's grid
DAMPED = 0.003  # of the mean second moment, added to all: what was never seen stays as it is
FITTED_ANEW = 1e-4  # the same, where a layer is fitted to what those before it lost
TRIES = 8  # to find a grid whose ends are both used
PORTION = 250  # boards whose patches are laid out at once


def _grid(rows: Tensor, moments: Tensor, top: int) -> Tensor:
    """Return the step of each row's grid [rows, 1] with the least error, each weight alone."""
    best = torch.full((len(rows), 1), torch.inf)
    found = torch.ones(len(rows), 1)
    most = rows.abs().amax(1, keepdim=True).clamp_min(1e-8)
    for clip in CLIPS:
        steps = most * clip / top
        errors = ((rows / steps).round().clamp(-top, top) * steps - rows) ** 2
        error = (errors * moments.diag()).sum(1, keepdim=True)
        found = torch.where(error < best, steps, found)
        best = torch.minimum(error, best)
    return found


def in_turn(rows: Tensor, moments: Tensor, bits: int) -> Tensor:
    """Return weights [outputs, inputs] as a file of so many bits keeps them.

    What comes first has the largest moment. A file takes the largest weight of a row for the end
    of its grid: where rounding has left that end unused, the grid is made narrower.
    """
    top = 2 ** (bits - 1) - 1
    moments = moments + DAMPED * moments.diag().mean() * torch.eye(len(moments))
    order = moments.diag().argsort(descending=True)
    sorted_moments = moments[order][:, order]
    inverse = torch.cholesky_inverse(torch.linalg.cholesky(sorted_moments.double()))
    shares = torch.linalg.cholesky(inverse, upper=True).float()
    steps = _grid(rows[:, order], sorted_moments, top)
    for _ in range(TRIES):
        left, wholes = rows[:, order].clone(), torch.zeros_like(rows)
        for at in range(len(order)):
            now = left[:, at : at + 1]
            wholes[:, at : at + 1] = whole = (now / steps).round().clamp(-top, top)
            left[:, at + 1 :] -= (now - whole * steps) / shares[at, at] * shares[at, at + 1 :]
        used = wholes.abs().amax(1, keepdim=True)
        if bool((used == top).all()):
            break
        steps = steps * used.clamp_min(1) / top
    found = torch.empty_like(wholes)
    found[:, order] = wholes * steps
    return found


def _patches(x: Tensor, size: int) -> Tensor:
    """Return what each output of a layer sees: [boards and cells, inputs]."""
    if x.dim() == 2:
        return x
    seen = F.unfold(x, size, padding=size // 2).transpose(1, 2)
    return seen.reshape(-1, x.shape[1] * size * size)


def _fit(
    weight: Tensor, bias: Tensor, seen: Tensor, given: Tensor, lost: Tensor | None, bits: int
) -> tuple[Tensor, Tensor]:
    """Return weights and biases that do for inputs `given` what these did for `seen`.

    What was `lost` on the way around the layer is added to what it should say.
    """
    size = weight.shape[-1] if weight.dim() == 4 else 1
    flat = weight.flatten(1)
    outputs, inputs = flat.shape
    moments, products = torch.zeros(inputs, inputs), torch.zeros(outputs, inputs)
    middle, aim, count = torch.zeros(inputs), torch.zeros(outputs), 0
    for at in range(0, len(seen), PORTION):
        some = slice(at, at + PORTION)
        wanted = _patches(seen[some], size) @ flat.T + bias
        if lost is not None:
            wanted = wanted + _patches(lost[some], 1)
        patches = _patches(given[some], size)
        moments += patches.T @ patches
        products += wanted.T @ patches
        middle, aim, count = middle + patches.sum(0), aim + wanted.sum(0), count + len(patches)
    middle, aim = middle / count, aim / count
    moments = moments / count - torch.outer(middle, middle)
    products = products / count - torch.outer(aim, middle)
    near = FITTED_ANEW * moments.diag().mean() * torch.eye(inputs)
    missing = torch.linalg.solve((moments + near).double(), (products - flat @ moments).T.double())
    rows = in_turn(flat + missing.T.float(), moments, bits)
    return rows.view_as(weight), aim - rows @ middle


@torch.no_grad()
def fitted(layers: Layers, boards: Tensor, blocks: int, bits: int) -> Layers:
    """Return a residual network's layers in so many bits, those of its moves fitted to boards."""
    found = {name: layer.detach().clone() for name, layer in layers.items()}
    old = dict(found)

    def pass_on(
        name: str, seen: Tensor, given: Tensor, around: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, Tensor]:
        """Round a layer; return what the whole and the rounded network say after it."""
        names = (f"{name}.weight", f"{name}.bias")
        lost = around[0] - around[1] if around else None
        fit = _fit(old[names[0]], old[names[1]], seen, given, lost, bits)
        found[names[0]], found[names[1]] = fit
        ways = ((seen, old, 0), (given, found, 1))
        said = [_run(x, w[names[0]], w[names[1]], around and around[i]) for x, w, i in ways]
        return said[0], said[1]

    whole, few = pass_on("stem", boards, boards)
    for block in (f"blocks.{number}" for number in range(blocks)):
        inner = pass_on(f"{block}.a", whole, few)
        whole, few = pass_on(f"{block}.b", *inner, around=(whole, few))
    whole, few = pass_on("policy", whole, few)
    pass_on("moves", whole.flatten(1), few.flatten(1))
    return found


def _run(x: Tensor, weight: Tensor, bias: Tensor, around: Tensor | None) -> Tensor:
    """Return what a layer says of inputs, what comes from around it included."""
    if weight.dim() == 2:
        return F.linear(x, weight, bias)
    said = F.conv2d(x, weight, bias, padding=weight.shape[-1] // 2)
    return F.relu(said if around is None else said + around)
