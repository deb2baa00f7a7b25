"""fourlab's agents where others play: as PettingZoo's policies and OpenSpiel's bots."""

import sys
import types
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given

pytest.importorskip("gymnasium")
pytest.importorskip("pettingzoo")

from fourlab.adapters.gymnasium import planes
from fourlab.adapters.pettingzoo import Policy, seen_position
from fourlab.adapters.pettingzoo import env as two_player_env
from fourlab.core.errors import GeometryError, NotationError, SpecError
from fourlab.rules.catalog import game
from strategies import positions


@given(positions())
def test_an_observation_is_the_position_that_it_was_made_of(position: Any) -> None:
    assert seen_position(position.rules, planes(position, position.to_move)) == position


def play(env: Any, policies: dict[str, Any]) -> dict[str, float]:
    env.reset(seed=1)
    rewards = {}
    for player in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        rewards[player] = reward
        over = terminated or truncated
        env.step(None if over else policies[player](observation))
    return rewards


def test_a_policy_plays_in_connect_four_v3_and_on_our_boards() -> None:
    pytest.importorskip("pygame")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pettingzoo.classic import connect_four_v3

    strong, weak = Policy("minimax:depth=4"), Policy("random", seed=3)
    for env in (connect_four_v3.env(), two_player_env("connect4")):
        assert play(env, {"player_0": strong, "player_1": weak})["player_0"] == 1
        assert play(env, {"player_0": weak, "player_1": strong})["player_1"] == 1
    perfect = Policy("perfect", "tictactoe")
    drawn = play(two_player_env("tictactoe"), {"player_0": perfect, "player_1": perfect})
    assert set(drawn.values()) == {0.0}


def test_a_seed_repeats_a_policy_s_moves() -> None:
    start = {"observation": planes(game("connect4").start(), 0)}

    def moves(seed: int) -> list[int]:
        policy = Policy("random", seed=seed)
        return [policy(start) for _ in range(20)]

    assert moves(1) == moves(1) != moves(2)


def test_what_is_no_board_is_refused() -> None:
    with pytest.raises(NotationError, match="is no board of tictactoe"):
        Policy("random", "tictactoe")({"observation": np.zeros((6, 7, 2), np.int8)})
    floating = np.zeros((6, 7, 2), np.int8)
    floating[0, 0, 1] = 1
    with pytest.raises(NotationError, match="the observation is no position of connect4: a stone"):
        Policy("random")({"observation": floating})
    over = game("tictactoe").start().play_all("14253")
    with pytest.raises(NotationError, match="the game is over in"):
        Policy("random", "tictactoe")({"observation": planes(over, over.to_move)})


class TheirGame:
    """OpenSpiel's game and state, as far as a bot asks."""

    def __init__(self, name: str, moves: tuple[int, ...] = (), **given: int) -> None:
        self.name, self.given, self.moves = name, given, moves

    def get_type(self) -> Any:
        usual = {"m": 15, "n": 15, "k": 5} if self.name == "mnk" else {}
        return types.SimpleNamespace(short_name=self.name, parameter_specification=usual)

    def get_parameters(self) -> dict[str, int]:
        return self.given

    def history(self) -> list[int]:
        return list(self.moves)

    def get_game(self) -> Any:
        return self

    def at(self, *moves: int) -> Any:
        return TheirGame(self.name, moves, **self.given)


@pytest.fixture
def openspiel(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the adapter, over OpenSpiel where it is installed."""
    import importlib
    import importlib.util

    if importlib.util.find_spec("pyspiel") is None:
        stand_in = types.ModuleType("pyspiel")
        stand_in.Bot = object  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "pyspiel", stand_in)
    monkeypatch.delitem(sys.modules, "fourlab.adapters.openspiel", raising=False)
    return importlib.import_module("fourlab.adapters.openspiel")


def test_a_bot_moves_by_the_history_of_a_state(openspiel: Any) -> None:
    board = TheirGame("connect_four", columns=7, rows=6, x_in_row=4)
    bot = openspiel.Bot("minimax:depth=2", board)
    assert bot.step(board.at(3, 0, 3, 0, 3, 1)) == 3
    small = TheirGame("mnk", m=4, n=3, k=3)
    cells = openspiel.Bot("perfect", small)
    assert str(cells.agent.rules) == "mnk:columns=4,rows=3,k=3"
    assert cells.step(small.at(5, 0, 6, 1)) in (4, 7)
    noughts = TheirGame("tic_tac_toe")
    taken = openspiel.Bot("perfect", noughts)
    assert taken.step(noughts.at(2, 6, 4, 7)) == 8
    with pytest.raises(SpecError, match="'chess' is no game of ours"):
        openspiel.Bot("random", TheirGame("chess"))


def test_a_bot_plays_the_game_that_it_was_made_for(openspiel: Any) -> None:
    bot = openspiel.Bot("random", TheirGame("connect_four", columns=5, rows=4, x_in_row=4))
    with pytest.raises(SpecError, match=r"a bot for .*k=4 plays no .*k=3; make one"):
        bot.step(TheirGame("connect_four", columns=5, rows=4, x_in_row=3))
    assert openspiel.Bot("random", TheirGame("mnk", m=5, n=5)).agent.rules.connect == 5
    with pytest.raises(GeometryError, match="15"):
        openspiel.Bot("random", TheirGame("mnk"))
    for agent, board, seed in (
        ("random", "connect_four", 0),
        ("human", TheirGame("tic_tac_toe"), 0),
        ("random", TheirGame("tic_tac_toe"), -1),
    ):
        with pytest.raises(SpecError):
            openspiel.Bot(agent, board, seed)


def test_bots_play_each_other_in_openspiel() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python.algorithms.evaluate_bots import evaluate_bots

    from fourlab.adapters.openspiel import Bot

    for name in ("connect_four(rows=4,columns=5,x_in_row=3)", "tic_tac_toe", "mnk(m=4,n=3,k=3)"):
        theirs = pyspiel.load_game(name)
        bots = [Bot("minimax:depth=3", theirs), pyspiel.make_uniform_random_bot(1, 5)]
        returns = evaluate_bots(theirs.new_initial_state(), bots, np.random.default_rng(1))
        assert returns[0] == 1
