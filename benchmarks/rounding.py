"""Weights rounded to a few bits so that outputs change least, for `benchmarks/mend.py --bits`.

Rounded one by one, weights err independently. Here they are rounded in turn, and those still to
come make up for what was lost, as the second moments of a layer's inputs say (Frantar and others,
2022).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812  # the name it goes by
from torch import Tensor

CLIPS = torch.linspace(0.45, 1.0, 23)  # of the largest weight, tried as the end of a row's grid
DAMPED = 0.003  # of the mean second moment, added to all: what was never seen stays as it is
TRIES = 8  # to find a grid whose ends are both used
PORTION = 250  # boards whose patches are laid out at once


def _grid(rows: Tensor, moments: Tensor, top: int) -> Tensor:
    """Return the step of each row's grid [rows, 1] with the least error, each weight alone."""
    best = torch.full((len(rows), 1), torch.inf, device=rows.device)
    found = torch.ones_like(best)
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
    moments = moments + DAMPED * moments.diag().mean() * torch.eye(len(moments), device=rows.device)
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


def fitted(weight: Tensor, bias: Tensor, seen: Tensor, bits: int) -> tuple[Tensor, Tensor]:
    """Return a layer in so many bits, and biases with which it says the same on the average.

    `seen` is what it is given: [boards, inputs] or [boards, inputs, rows, columns].
    """
    size = weight.shape[-1] if weight.dim() == 4 else 1
    flat = weight.flatten(1)
    moments, middle = flat.new_zeros(2 * flat.shape[1:]), flat.new_zeros(flat.shape[1])
    count = 0
    for at in range(0, len(seen), PORTION):
        patches = _patches(seen[at : at + PORTION], size)
        moments += patches.T @ patches
        middle, count = middle + patches.sum(0), count + len(patches)
    middle = middle / count
    rows = in_turn(flat, moments / count - torch.outer(middle, middle), bits)
    return rows.view_as(weight), bias + (flat - rows) @ middle
