"""What every registered agent must do; a new agent is tested by being in the registry."""

import atexit
import copy
import functools
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest

from fourlab.agents.base import Agent
from fourlab.agents.learned import LEARNED_AGENTS
from fourlab.agents.play import play_game
from fourlab.agents.players import choose
from fourlab.agents.registry import AGENTS, agent
from fourlab.learning.registry import learner
from fourlab.rules.catalog import game
from fourlab.rules.dice import seeded
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import cell_move, legal_cells
from fourlab.rules.position import Outcome
from fourlab.rules.spec import options_of
from strategies import random_positions

PLAYERS = [name for name in AGENTS if name != "human"]
GAMES = [
    "connect4",
    "tictactoe",
    "connect:columns=5,rows=4,k=3",
    "connect:columns=1,rows=4,k=2",
    "mnk:columns=4,rows=3,k=3",
]


@pytest.fixture(params=GAMES)
def rules(request: pytest.FixtureRequest) -> Rules:
    return game(request.param)


@functools.cache
def spec_of(name: str, rules: Rules) -> str:
    """The agent's name, with a little something learned where it needs that."""
    if name not in LEARNED_AGENTS:
        return name
    folder = Path(tempfile.mkdtemp(prefix="fourlab-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    small = "n-tuple:tuples=4,length=3" if name == "n-tuple" else name
    made = learner(small, rules, 1, games=200)
    for _ in made.steps(np.random.default_rng(1)):
        pass
    made.save(folder / "values.npz")
    return f"{name}:{folder / 'values.npz'}"


@pytest.fixture(params=PLAYERS)
def player(request: pytest.FixtureRequest, rules: Rules) -> Agent:
    return agent(spec_of(request.param, rules), rules)


def test_decisions_are_legal_repeatable_and_leave_the_position_alone(
    player: Agent, rules: Rules
) -> None:
    for number, position in enumerate(random_positions(rules, 60)):
        before = copy.deepcopy(position)
        decision = player.decide(position, np.random.default_rng(number))
        assert decision.move in position.legal_moves()
        assert position == before
        assert position.moves == before.moves
        fresh = agent(player.spec, rules)
        assert fresh.decide(position, np.random.default_rng(number)) == decision


def test_policies_and_values_speak_of_every_move(player: Agent, rules: Rules) -> None:
    for position in random_positions(rules, 30):
        decision = player.decide(position, np.random.default_rng(3))
        legal = position.legal_moves()
        if decision.policy is not None:
            assert len(decision.policy) == rules.move_count
            assert sum(decision.policy) == pytest.approx(1)
            assert decision.policy[decision.move] > 0
            assert all(share == 0 for m, share in enumerate(decision.policy) if m not in legal)
        if decision.values is not None:
            assert len(decision.values) == rules.move_count
            assert all(value is None for m, value in enumerate(decision.values) if m not in legal)


def test_one_seed_is_one_game(player: Agent, rules: Rules) -> None:
    def moves(seed: int) -> str:
        record = play_game(rules, player, agent("random", rules), seed)
        assert record.outcome != Outcome.IN_PROGRESS.value
        return record.moves

    games = [moves(seed) for seed in range(8)]
    assert games == [moves(seed) for seed in range(8)]
    if rules.columns > 1:
        assert len(set(games)) > 1


def test_players_inside_kernels_do_what_their_agents_would(player: Agent, rules: Rules) -> None:
    inside = player.player()
    if inside is None:
        return
    for number, position in enumerate(random_positions(rules, 40)):
        board = position.mover, position.occupied
        cell, state = choose(rules, inside, *board, seeded(number))
        assert cell & legal_cells(rules, position.occupied)
        assert (cell, state) == choose(rules, inside, *board, seeded(number))
        policy = player.decide(position, np.random.default_rng(number)).policy
        if player.name in ("random", "baseline", "minimax"):  # these lean to the same moves always
            assert policy is not None
            assert policy[cell_move(rules, cell)] > 0


@pytest.mark.parametrize("name", AGENTS)
def test_agents_are_described(name: str) -> None:
    kind = AGENTS[name]
    assert kind.name == name
    assert (kind.__doc__ or "").splitlines()[0].endswith(".")
    for option in options_of(kind.Config):
        assert option.help
        assert option.allowed


@pytest.mark.parametrize("name", PLAYERS)
def test_the_spec_of_an_agent_gives_the_same_agent(name: str) -> None:
    built = agent(spec_of(name, game("connect4")))
    assert agent(built.spec).config == built.config
    assert agent(built.spec).spec == built.spec
