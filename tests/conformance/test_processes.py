"""Every registered game is a Markov decision process that can be played and planned in."""

import numpy as np
import pytest

from fourlab.learning.mdp.planning import best_response
from fourlab.learning.mdp.process import Environment, mdp
from fourlab.rules.catalog import FAMILIES, GAMES, game
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position
from processes import brute_value


@pytest.fixture(params=[*GAMES, *FAMILIES])
def rules(request: pytest.FixtureRequest) -> Rules:
    return game(request.param)


def nearly_over(rules: Rules, empty: int) -> Position:
    """A position of a random game with so many empty cells."""
    rng = np.random.default_rng(1)
    while True:
        position = rules.start()
        while not position.is_over and position.ply < rules.cells - empty:
            position = position.play(int(rng.choice(position.legal_moves())))
        if not position.is_over:
            return position


@pytest.mark.parametrize("side", ["first", "second"])
def test_an_episode_is_a_game(rules: Rules, side: str) -> None:
    process = mdp(rules, "baseline", side)
    world, rng = Environment(process, seed=1), np.random.default_rng(1)
    for _ in range(5):
        state, over, total = world.reset(), False, 0.0
        while not over:
            assert state.to_move == process.side
            action = int(rng.choice(world.actions(state)))
            chances = process.transitions(state, action)
            assert sum(chances.values()) == pytest.approx(1)
            state, reward, over = world.step(action)
            assert state in chances
            total += reward
        assert state.is_over
        assert total == {None: 0, process.side: 1}.get(state.outcome.winner, -1)


@pytest.mark.parametrize("side", ["first", "second"])
def test_the_end_of_every_game_can_be_planned(rules: Rules, side: str) -> None:
    start = nearly_over(rules, 6)
    found = best_response(rules, "random", side, start=start, win=1, draw=0, loss=-1)
    assert found.value == pytest.approx(brute_value(mdp(rules, "random", side, start)))
