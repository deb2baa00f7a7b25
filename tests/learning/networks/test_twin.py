"""Networks in torch and without are one: the same numbers, the same moves, the same files."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fourlab.core.storage import StorageError
from fourlab.rules.boards import boards_of
from fourlab.rules.catalog import game
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import mirror_move
from fourlab.values.layers import Shape
from fourlab.values.network import Network
from strategies import random_positions

torch = pytest.importorskip("torch")
twin: Any = pytest.importorskip("fourlab.learning.networks.twin")
muon: Any = pytest.importorskip("fourlab.learning.networks.muon")
rounded: Any = pytest.importorskip("fourlab.learning.networks.layers").rounded

GAMES = [
    "connect4",
    "connect:columns=5,rows=4,k=4",
    "connect:columns=4,rows=4,k=3",
    "tictactoe",
    "connect:columns=3,rows=6,k=3",
]
SHAPES = [Shape(width=20, blocks=2, head=6, hidden=24, bins=21), Shape("study", width=12)]
SMALL = Shape(width=12, blocks=3, head=4, hidden=8, bins=9, bits=4, distinct=1)
PAIRED = Shape(width=12, blocks=3, head=4, hidden=8, bins=9, bits=5, distinct=2, paired=1)


def tensors(rules: Rules, count: int = 64) -> Any:
    return [torch.from_numpy(side) for side in boards_of(random_positions(rules, count))[:2]]


def trained(rules: Rules, shape: Shape, seed: int = 1) -> Any:
    """A module whose batch normalisation has seen something, and whose outputs differ."""
    module = twin.build(rules, shape, seed)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.mul_(1.5)
        module.train()
        for _ in range(5):
            seen = twin.planes(rules, *tensors(rules))
            module(torch.cat([seen, seen.flip(3)]))
    return module.eval()


@pytest.mark.parametrize(
    "shape", [*SHAPES, SMALL, PAIRED], ids=["residual", "study", "small", "paired"]
)
@pytest.mark.parametrize("name", GAMES)
def test_the_forward_without_torch_is_torchs(name: str, shape: Shape) -> None:
    rules = game(name)
    module = trained(rules, shape)
    network = twin.folded(module, rules, shape)
    boards = boards_of(random_positions(rules, 64))
    priors, values = network.evaluate(boards)
    with torch.no_grad():
        found = module(twin.planes(rules, *tensors(rules)))
    if shape.has_policy:
        wanted, worths = network.answers(boards, found[1].numpy(), found[0].numpy())
        assert abs(priors - wanted).max() < 1e-4
        rows, moves = np.arange(64), (priors.argmax(1), wanted.argmax(1))
        same = moves[0] == moves[1]
        if shape.paired:  # on a board that is its own mirror image two moves are alike
            same |= abs(wanted[rows, moves[0]] - wanted[rows, moves[1]]) < 1e-6
        assert same.all()
    else:
        second = np.array([bin(board).count("1") % 2 for board in boards.occupied])
        worths = found.numpy() * (1 - 2 * second)
    assert abs(values - worths).max() < 1e-4
    assert values.std() > 1e-3
    by_torch = twin.TorchEvaluator(network)(boards)
    assert abs(by_torch[0] - priors).max() < 1e-4
    assert abs(by_torch[1] - values).max() < 1e-4


def test_a_network_of_few_bits_learns_what_its_file_keeps(tmp_path: Path) -> None:
    rules = game("connect:columns=5,rows=4,k=4")
    module = trained(rules, SMALL)
    with torch.no_grad():
        module.blocks[2].a_norm.weight.neg_()  # a scale may be below 0
    network = twin.folded(module, rules, SMALL)
    network.save(tmp_path / "small.safetensors")
    found = Network.load(tmp_path / "small.safetensors", rules)
    for name, layer in network.layers.items():  # nothing is lost but scales of 16 bits
        assert found.layers[name] == pytest.approx(layer, rel=1e-3, abs=1e-6), name
    own, repeated = (found.layers[f"blocks.{number}.a.weight"][3] for number in (0, 2))
    assert len(np.unique(np.abs(own))) <= 8
    is_some = own != 0
    assert len(np.unique((own[is_some] / repeated[is_some]).round(4))) == 1


@pytest.mark.parametrize("name", GAMES)
def test_channels_in_pairs_say_of_mirror_images_the_same(name: str) -> None:
    rules = game(name)
    module = trained(rules, PAIRED)
    layers = twin.fold(module, rules, PAIRED)
    both = twin.planes(rules, *tensors(rules))
    found = twin.run(PAIRED, layers, both)[1].numpy()
    turned = twin.run(PAIRED, layers, both.flip(3))[1].numpy()
    across = np.array([mirror_move(rules, move) for move in range(rules.move_count)])
    aside = across != np.arange(rules.move_count)
    assert np.abs(found[:, aside] - turned[:, across[aside]]).max() < 1e-5
    assert np.abs(found - turned)[:, aside].max() > 1e-2
    half = sum(weight.numel() for weight in module.parameters())
    assert half < 0.6 * sum(layer.numel() for layer in layers.values())


def test_rows_of_few_bits_leave_out_what_lies_far_aside() -> None:
    weight = torch.randn(5, 400, generator=torch.Generator().manual_seed(1))
    weight[:, 0] = 9.0
    errors = {}
    for bits in (3, 5, 8):
        near = rounded(weight, bits)
        assert len(near[0].round(decimals=3).unique()) <= 2**bits - 1
        errors[bits] = float((near - weight)[:, 1:].square().mean().sqrt())
    assert errors[3] < 0.4  # 1.5 if the grid ended with the largest
    assert errors[8] < 0.03 < errors[5] < 0.1
    assert (rounded(weight, 8)[:, 0] - 9.0).abs().max() < 1e-4


def test_turns_go_equally_far_in_all_directions() -> None:
    slopes = torch.randn(3, 6, 20, generator=torch.Generator().manual_seed(1))
    slopes[:, 0] *= 100  # a strong direction
    found = torch.linalg.svdvals(muon.orthogonal(slopes))
    assert found.min() > 0.6
    assert found.max() < 1.3
    for turned, slope in zip(muon.orthogonal(slopes), slopes, strict=True):
        assert (turned * slope).sum() > 0


def test_blocks_turn_by_a_share_of_their_length_and_the_rest_takes_adams_steps() -> None:
    rules, kept = game("connect:columns=5,rows=4,k=4"), {}
    for turn in (0.0, 3.0):
        module = twin.build(rules, PAIRED, 1)
        before = {name: weight.detach().clone() for name, weight in module.named_parameters()}
        optimiser = muon.Muon(module, turn, lr=0.01, weight_decay=0.0)
        logits, bins = module(twin.planes(rules, *tensors(rules)))
        (logits.square().mean() + bins.square().mean()).backward()
        optimiser.step()
        kept[turn] = {name: weight.detach() for name, weight in module.named_parameters()}
    for name, weight in kept[3.0].items():
        if not muon.is_turned(name):
            assert torch.equal(weight, kept[0.0][name]), name
            continue
        length = before[name].norm()
        assert float(weight.norm()) == pytest.approx(float(length), rel=1e-5), name
        moved = (weight - before[name]).norm() / length
        assert 0.02 < moved < 0.04, name  # 3 times 0.01
    assert sum(map(muon.is_turned, before)) == 4  # of two blocks, which the third repeats


def test_slopes_pass_through_rounding() -> None:
    weight = torch.tensor([[0.9, -0.31, 0.1]], requires_grad=True)
    near = rounded(weight, 3)
    assert near.detach().numpy() == pytest.approx(np.array([[0.9, -0.3, 0.0]]))
    near.sum().backward()
    assert weight.grad.tolist() == [[1, 1, 1]]


def test_planes_show_own_stones_first_and_can_be_mirrored() -> None:
    rules = Rules(4, 3, 3)
    position = rules.start().play_all("114")
    mover, occupied = torch.tensor([position.mover] * 2), torch.tensor([position.occupied] * 2)
    plain, mirrored = twin.planes(rules, mover, occupied, torch.tensor([False, True])).tolist()
    assert plain == [
        [[0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]],
        [[1, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0]],
    ]
    assert mirrored == [[row[::-1] for row in plane] for plane in plain]
    first = twin.one_plane(torch.tensor([plain], dtype=torch.float32)).tolist()
    assert first == [[[[1, 0, 0, 1], [-1, 0, 0, 0], [0, 0, 0, 0]]]]


@pytest.mark.parametrize("shape", SHAPES, ids=["residual", "study"])
def test_one_seed_is_one_network_and_torch_keeps_its_dice(shape: Shape) -> None:
    rules = Rules(4, 4, 3)
    torch.manual_seed(5)
    before = torch.rand(1).item()
    torch.manual_seed(5)
    first, again, other = (twin.state_of(twin.build(rules, shape, seed)) for seed in (1, 1, 2))
    assert torch.rand(1).item() == before
    assert all((first[name] == again[name]).all() for name in first)
    assert any((first[name] != other[name]).any() for name in first)


def test_networks_that_are_made_at_once_are_those_of_their_seeds() -> None:
    """Courses of several seeds begin together in threads; torch has one generator for all."""
    rules, alone = Rules(4, 4, 3), {}
    for seed in range(8):
        alone[seed] = twin.state_of(twin.build(rules, SHAPES[0], seed))
    with ThreadPoolExecutor(8) as pool:
        for seed, module in enumerate(
            pool.map(lambda number: twin.build(rules, SHAPES[0], number % 8), range(80))
        ):
            found = twin.state_of(module)
            assert all((found[name] == alone[seed % 8][name]).all() for name in found)


@pytest.mark.parametrize("shape", SHAPES, ids=["residual", "study"])
def test_training_goes_on_as_if_never_put_away(tmp_path: Path, shape: Shape) -> None:
    rules = Rules(4, 4, 3)
    both = twin.planes(rules, *tensors(rules))

    def steps(module: Any, optimiser: Any, count: int) -> None:
        module.train()
        for _ in range(count):
            found = module(both)
            found = found if isinstance(found, tuple) else (found,)
            optimiser.zero_grad()
            sum((output - 0.5).pow(2).mean() for output in found).backward()
            optimiser.step()

    module = twin.build(rules, shape, 1)
    optimiser = torch.optim.AdamW(module.parameters())
    steps(module, optimiser, 3)
    kept = {f"net.{name}": array for name, array in twin.state_of(module).items()}
    kept |= {f"adam.{name}": array for name, array in twin.optimiser_state(optimiser).items()}
    path = tmp_path / "checkpoint.safetensors"
    twin.folded(module, rules, shape, {"learner": "x"}).save(path, extra=kept)
    steps(module, optimiser, 3)

    _, extra = Network.load_all(path)
    other = twin.build(rules, shape, 2)
    again = torch.optim.AdamW(other.parameters())
    twin.put_state(other, twin.part(extra, "net."))
    twin.put_optimiser_state(again, twin.part(extra, "adam."))
    steps(other, again, 3)
    one, two = twin.state_of(module), twin.state_of(other)
    assert all((one[name] == two[name]).all() for name in one)


def test_weights_of_another_shape_are_refused() -> None:
    rules = Rules(4, 4, 3)
    state = twin.state_of(twin.build(rules, SHAPES[0], 1))
    with pytest.raises(StorageError, match=r"another shape"):
        twin.put_state(twin.build(rules, SHAPES[1], 1), state)
