"""Other people's checkers pass on every board, and the layout is theirs."""

import warnings

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")
pettingzoo = pytest.importorskip("pettingzoo")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # PettingZoo's own modules use what it calls deprecated
    from gymnasium.utils.env_checker import check_env
    from pettingzoo.test import api_test, seed_test

from fourlab.adapters.gymnasium import FourlabEnv  # noqa: E402
from fourlab.adapters.pettingzoo import env as two_player_env  # noqa: E402
from fourlab.adapters.pettingzoo import raw_env  # noqa: E402
from fourlab.core.errors import IllegalMoveError, SpecError  # noqa: E402
from fourlab.rules.position import position_of  # noqa: E402

GAMES = ["connect4", "tictactoe", "connect:columns=5,rows=6,k=4", "mnk:columns=4,rows=3,k=3"]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("opponent", ["random", "baseline", "self"])
def test_gymnasium_s_checker_passes(game: str, opponent: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it asks for spec strings and other embellishments
        check_env(FourlabEnv(game, opponent, render_mode="ansi"), skip_render_check=True)


@pytest.mark.parametrize("game", GAMES)
def test_pettingzoo_s_checkers_pass(game: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(two_player_env(game), num_cycles=100)
        seed_test(lambda: two_player_env(game), num_cycles=50)


def play(env: FourlabEnv, seed: int) -> tuple[list[bytes], float]:
    observation, info = env.reset(seed=seed)
    rng, seen, reward, over = np.random.default_rng(seed), [], 0.0, False
    while not over:
        seen.append(observation.tobytes())
        move = rng.choice(np.flatnonzero(info["action_mask"]))
        observation, reward, over, _, info = env.step(move)
    assert info["action_mask"].sum() == 0
    return seen, reward


def test_a_seed_is_a_game() -> None:
    env = FourlabEnv("connect4", "baseline")
    games = [play(env, seed) for seed in range(5)]
    assert games == [play(env, seed) for seed in range(5)]
    assert {reward for _, reward in games} <= {1.0, 0.0, -1.0}
    assert len({seen[-1] for seen, _ in games}) > 1


def test_rewards_are_the_agent_s() -> None:
    env = FourlabEnv("tictactoe", "perfect", side="first", start="3758")
    env.reset(seed=1)
    _, reward, over, _, _ = env.step(np.int64(0))
    assert (reward, over) == (-1.0, True)  # the opponent completes 7 8 9
    env.reset(seed=1)
    _, reward, over, _, info = env.step(np.int64(8))
    assert (reward, over) == (0.0, False)
    win = position_of(env.rules, info["moves"]).winning_moves()[0]
    assert env.step(np.int64(win))[1:3] == (1.0, True)


def test_alone_the_reward_is_the_first_player_s() -> None:
    env = FourlabEnv("connect:columns=3,rows=2,k=2", "self")
    env.reset()
    for move, reward in ((0, 0.0), (1, 0.0), (1, 1.0)):
        assert env.step(np.int64(move))[1] == reward
    env.reset()
    for move, reward in ((0, 0.0), (1, 0.0), (2, 0.0), (1, -1.0)):
        assert env.step(np.int64(move))[1] == reward


def test_an_illegal_move_loses() -> None:
    env = FourlabEnv("connect:columns=3,rows=2,k=3", "self")
    env.reset()
    for move in (0, 0):
        env.step(np.int64(move))
    _, reward, over, _, info = env.step(np.int64(0))
    assert (reward, over, info["illegal"]) == (-1.0, True, True)


def test_the_second_side_begins_after_the_opponent() -> None:
    env = FourlabEnv("connect4", "random", side="second")
    observation, _ = env.reset(seed=1)
    assert observation[..., 0].sum() == 0
    assert observation[..., 1].sum() == 1
    with pytest.raises(SpecError, match="side='third' is none"):
        FourlabEnv("connect4", side="third")
    with pytest.raises(SpecError, match="the game is over there"):
        FourlabEnv("connect4", start="1212121")


def test_observations_lie_as_in_connect_four_v3() -> None:
    pytest.importorskip("pygame")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pettingzoo.classic import connect_four_v3

    ours, theirs = two_player_env("connect4"), connect_four_v3.env()
    rng = np.random.default_rng(3)
    for _ in range(5):
        ours.reset(seed=1)
        theirs.reset(seed=1)
        while True:
            mine, other = ours.last(), theirs.last()
            assert ours.agent_selection == theirs.agent_selection
            for part in ("observation", "action_mask"):
                assert mine[0][part].dtype == other[0][part].dtype
                if not mine[2]:
                    np.testing.assert_array_equal(mine[0][part], other[0][part])
            assert mine[1:4] == other[1:4]
            if mine[2]:
                break
            move = int(rng.choice(np.flatnonzero(mine[0]["action_mask"])))
            ours.step(move)
            theirs.step(move)


def test_what_is_no_move_is_an_error_and_no_lost_game() -> None:
    env = FourlabEnv("connect4", "random", side="first")
    env.reset(seed=1)
    for action in (99, -1, 7, 3.5, "3", None):
        with pytest.raises(IllegalMoveError, match=r"is no move of connect4: 0 to 6"):
            env.step(action)  # type: ignore[arg-type]
    assert env.position.ply == 0
    assert env.step(np.int64(3))[2] is False


def test_a_game_that_is_over_takes_no_move() -> None:
    env = FourlabEnv("connect:columns=3,rows=2,k=2", "self")
    with pytest.raises(IllegalMoveError, match=r"no game has begun; reset\(\) first"):
        env.step(np.int64(0))
    env.reset()
    for move in (0, 1, 1):
        env.step(np.int64(move))
    with pytest.raises(IllegalMoveError, match=r"the game is over \('122'\); reset\(\) first"):
        env.step(np.int64(0))
    env.reset()
    env.step(np.int64(0))


@pytest.mark.parametrize("make", [FourlabEnv, raw_env])
def test_what_an_environment_cannot_do_is_refused(make: type[FourlabEnv]) -> None:
    with pytest.raises(SpecError, match="no render mode 'human'; there is: ansi"):
        make("connect4", render_mode="human")
    with pytest.raises(TypeError):  # what Stable-Baselines3 goes on after
        make("connect4", render_mode="rgb_array")
    env = make("tictactoe", render_mode="ansi")
    env.reset(options={})
    assert isinstance(env.render(), str)


def test_a_reset_takes_no_options() -> None:
    env = FourlabEnv("tictactoe")
    with pytest.raises(SpecError, match="reset takes no options, not 'start'"):
        env.reset(options={"start": "1"})
