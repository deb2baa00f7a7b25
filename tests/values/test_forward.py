"""The forward without torch: a board's answer is its own, whatever else is asked beside it."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from fourlab.core.tile import LANES, ROWS
from fourlab.rules.boards import boards_of
from fourlab.rules.catalog import game
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position
from fourlab.values.layers import Shape
from fourlab.values.network import Network
from nets import random_network
from strategies import random_positions

GAMES = ["connect4", "tictactoe", "connect:columns=3,rows=5,k=3", "connect:columns=1,rows=4,k=2"]
SHAPES = {
    "residual": Shape(width=24, blocks=2, head=5, hidden=20, bins=17),
    "no blocks": Shape(width=LANES, blocks=0, head=LANES, hidden=LANES, bins=LANES),
    "study": Shape("study", width=10),
}
CASES = [
    (name, kind) for name in GAMES for kind in SHAPES if kind != "study" or "columns=1" not in name
]


@pytest.fixture(params=CASES, ids=str)
def network(request: pytest.FixtureRequest) -> Network:
    name, kind = request.param
    return random_network(game(name), SHAPES[kind])


def stones(rules: Rules, side: int) -> np.ndarray:
    """One side's stones as [rows, columns], the lowest row first."""
    columns = [
        [side >> c * (rules.rows + 1) + r & 1 for r in range(rules.rows)]
        for c in range(rules.columns)
    ]
    return np.array(columns, float).T


def convolved(layers: dict[str, np.ndarray], x: np.ndarray, name: str, padding: int) -> np.ndarray:
    """[channels, rows, columns] from the same, cell by cell."""
    weight, bias = layers[f"{name}.weight"], layers[f"{name}.bias"]
    x = np.pad(x, ((0, 0), (padding, padding), (padding, padding)))
    size = weight.shape[2]
    y = np.empty((len(bias), x.shape[1] - size + 1, x.shape[2] - size + 1))
    for r, c in np.ndindex(*y.shape[1:]):
        y[:, r, c] = (weight * x[:, r : r + size, c : c + size]).sum((1, 2, 3)) + bias
    return y


def naive(network: Network, position: Position) -> tuple[list[float], list[float]]:
    """The network by its definition, in double precision."""
    layers = {name: layer.astype(float) for name, layer in network.layers.items()}
    own, other = (stones(network.rules, side) for side in (position.mover, position.waiting))

    def dense(x: np.ndarray, name: str) -> np.ndarray:
        found: np.ndarray = layers[f"{name}.weight"] @ x.ravel() + layers[f"{name}.bias"]
        return found

    def relu(x: np.ndarray) -> np.ndarray:
        return np.maximum(x, 0)

    if network.shape.kind == "study":
        x = (own - other)[None] * (-1) ** position.ply
        for index in range(4):
            x = relu(convolved(layers, x, f"convolutions.{index}", 1 if index else 0))
        return dense(relu(dense(x, "hidden")), "worth").tolist(), []
    x = relu(convolved(layers, np.stack([own, other]), "stem", 1))
    for index in range(network.shape.blocks):
        y = relu(convolved(layers, x, f"blocks.{index}.a", 1))
        x = relu(x + convolved(layers, y, f"blocks.{index}.b", 1))
    logits = dense(relu(convolved(layers, x, "policy", 0)), "moves")
    hidden = relu(dense(relu(convolved(layers, x, "value", 0)), "hidden"))
    return dense(hidden, "bins").tolist(), logits.tolist()


def test_it_is_the_network_by_its_definition(network: Network) -> None:
    positions = random_positions(network.rules, 10)
    outputs, logits = network.forward(*boards_of(positions)[:2])
    for index, position in enumerate(positions):
        wanted, policy = naive(network, position)
        assert outputs[index].tolist() == pytest.approx(wanted, abs=1e-5)
        if logits is not None:
            assert logits[index].tolist() == pytest.approx(policy, abs=1e-5)


def test_a_row_is_the_same_alone_and_in_any_batch(network: Network) -> None:
    boards = boards_of(random_positions(network.rules, 70))
    alone = [network.evaluate(boards.take(np.array([row]))) for row in range(70)]
    priors, values = (np.concatenate(found) for found in zip(*alone, strict=True))
    for count in (1, 2, ROWS - 1, ROWS, ROWS + 1, 25, 70):
        rows = np.arange(70 - count, 70)
        found = network.evaluate(boards.take(rows))
        assert (found[0] == priors[rows]).all()
        assert (found[1] == values[rows]).all()


def test_the_number_of_threads_changes_nothing(network: Network) -> None:
    boards = boards_of(random_positions(network.rules, 70))
    whole = network.evaluate(boards)
    for threads in (1, 3):
        network.forward.threads = threads
        found = network.evaluate(boards)
        assert all((a == b).all() for a, b in zip(found, whole, strict=True))


def test_several_may_ask_at_once(network: Network) -> None:
    batches = [boards_of(random_positions(network.rules, 5 + n)[n:]) for n in range(24)]
    alone = [network.values(batch).tolist() for batch in batches]
    with ThreadPoolExecutor(6) as pool:
        together = list(pool.map(lambda batch: network.values(batch).tolist(), batches))
    assert together == alone


def test_no_boards_give_no_answers() -> None:
    network = random_network(Rules(4, 4, 3))
    priors, values = network.evaluate(boards_of([]))
    assert priors.shape == (0, 4)
    assert values.shape == (0,)
