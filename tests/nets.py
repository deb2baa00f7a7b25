"""Networks of random weights, small and quick."""

import numpy as np

from fourlab.rules.geometry import Rules
from fourlab.values.layers import Shape
from fourlab.values.network import Network

TINY = Shape(width=8, blocks=1, head=4, hidden=8, bins=9)


def random_network(rules: Rules, shape: Shape = TINY, seed: int = 1) -> Network:
    """A network whose outputs differ from board to board; one seed gives one network."""
    rng = np.random.default_rng(seed)
    layers = {
        name: (rng.normal(size=sizes) * (2 / np.prod(sizes[1:])) ** 0.5).astype(np.float32)
        for name, sizes in shape.layout(rules).items()
    }
    return Network(rules, shape, layers, {"learner": "nobody", "seed": seed})
