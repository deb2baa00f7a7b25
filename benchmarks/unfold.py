"""A network that plays, given to a module that learns: batch normalisation is put back."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from fourlab.positions.suites import load_suites
from fourlab.rules.boards import boards_of
from fourlab.values.network import Network
from fourlab.values.on_torch import planes


@torch.no_grad()
def unfold(module: nn.Module, network: Network) -> None:
    """Give a residual module the weights of a network, so that it says the same.

    A file holds convolutions with their normalisation folded in. Each normalisation gets back the
    mean and the variance that positions of the shipped suites have there, and undoes them.
    """
    device = next(module.parameters()).device
    layers = {
        name: torch.from_numpy(np.array(layer)).to(device) for name, layer in network.layers.items()
    }
    for name, parameter in module.named_parameters():
        if name in layers:
            parameter.copy_(layers[name].reshape(parameter.shape))

    def measured(bias: Tensor, norm: Any, given: tuple[Tensor], _: Tensor) -> Tensor:
        variance, mean = torch.var_mean(given[0], (0, 2, 3), correction=0)
        norm.running_mean.copy_(mean)
        norm.running_var.copy_(variance)
        norm.weight.copy_((variance + norm.eps).sqrt())
        norm.bias.copy_(bias + mean)
        return given[0] + bias[:, None, None]

    hooks = [
        norm.register_forward_hook(partial(measured, layers[f"{name.removesuffix('_norm')}.bias"]))
        for name, norm in module.named_modules()
        if isinstance(norm, nn.BatchNorm2d)
    ]
    suites = load_suites(network.rules)
    boards = boards_of([one.position for name in ("opening", "middle") for one in suites[name]])
    both = [torch.from_numpy(np.array(part)).to(device) for part in boards[:2]]
    module(planes(network.rules, *both).float())
    for hook in hooks:
        hook.remove()
