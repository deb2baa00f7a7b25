"""The agent for millions of boards plays as the agent does."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from tests.nets import random_network
from tests.strategies import random_positions

from fourlab.agents.zero import Zero, ZeroConfig
from fourlab.learning.networks.chooser import Chooser
from fourlab.rules.boards import boards_of
from fourlab.rules.geometry import Rules


@pytest.mark.parametrize("count", [1, 90])
def test_it_plays_as_zero_does(count: int, tmp_path: Path) -> None:
    rules = Rules(5, 4, 4)
    path = tmp_path / "net.safetensors"
    random_network(rules).save(path)
    config = ZeroConfig(str(path), sims=20)
    boards, dice = boards_of(random_positions(rules, count)), np.zeros(count, np.int64)
    chooser = Chooser(rules, config).use("cpu", trees=8, threads=2)
    moves = chooser.choose(boards, dice)
    assert (moves == Zero(rules, config).choose(boards, dice)).mean() > 0.97
    assert (moves == chooser.choose(boards, dice)).all()
