"""Many boards a call are many environments, move by move."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

gymnasium = pytest.importorskip("gymnasium")

import fourlab  # noqa: E402, F401  # registers the games
from fourlab.adapters.gymnasium import FourlabEnv  # noqa: E402
from fourlab.adapters.vector import FourlabVectorEnv  # noqa: E402
from fourlab.core.errors import IllegalMoveError, SpecError  # noqa: E402

BOARDS = ["connect:columns=4,rows=3,k=3", "mnk:columns=3,rows=3,k=3", "connect4"]
OPPONENTS = ["random", "baseline", "self", "minimax:depth=1", "mcts:sims=5"]
COUNT = 3


@settings(deadline=None, max_examples=30)
@given(
    game=st.sampled_from(BOARDS),
    opponent=st.sampled_from(OPPONENTS),
    side=st.sampled_from(["first", "second", "alternating"]),
    start=st.sampled_from(["", "2", "12"]),
    seed=st.integers(0, 2**40),
    data=st.data(),
)
def test_every_board_is_an_environment_of_its_own(
    game: str, opponent: str, side: str, start: str, seed: int, data: st.DataObject
) -> None:
    many = FourlabVectorEnv(COUNT, game, opponent, side, start)
    ones = [FourlabEnv(game, opponent, side, start) for _ in range(COUNT)]
    seen, infos = many.reset(seed=seed)
    for board, one in enumerate(ones):
        alone, info = one.reset(seed=seed + board)
        np.testing.assert_array_equal(seen[board], alone)
        np.testing.assert_array_equal(infos["action_mask"][board], info["action_mask"])
    ended = [False] * COUNT
    for _ in range(data.draw(st.integers(1, 25))):
        moves = data.draw(
            st.lists(st.integers(0, many.rules.move_count - 1), min_size=COUNT, max_size=COUNT)
        )
        seen, rewards, ends, cuts, infos = many.step(np.array(moves))
        for board, one in enumerate(ones):
            if ended[board]:
                alone, info = one.reset()
                reward, over = 0.0, False
            else:
                alone, reward, over, _, info = one.step(np.int64(moves[board]))
            np.testing.assert_array_equal(seen[board], alone)
            np.testing.assert_array_equal(infos["action_mask"][board], info["action_mask"])
            assert (rewards[board], ends[board], cuts[board]) == (reward, over, False)
            assert many.position(board).notation == info["moves"]
            illegal = infos.get("illegal", np.zeros(COUNT, np.bool_))
            assert illegal[board] == info.get("illegal", False)
            ended[board] = over


def test_an_opponent_of_one_s_own_is_asked_with_the_moves(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "def choose(position, rng):\n"
        "    last = position.moves[-1] if position.moves else 0\n"
        "    legal = position.legal_moves()\n"
        "    return last if last in legal else int(rng.choice(legal))\n"
    )
    many = FourlabVectorEnv(4, "connect4", str(file))
    one = FourlabEnv("connect4", str(file))
    many.reset(seed=5)
    one.reset(seed=8)
    for move in (2, 2, 2, 5):
        seen, *_ = many.step(np.full(4, move))
        np.testing.assert_array_equal(seen[3], one.step(np.int64(move))[0])


def test_a_seed_repeats_all_games_and_none_goes_on() -> None:
    envs = gymnasium.make_vec("fourlab/ConnectFour-v0", num_envs=64, opponent="random")
    assert isinstance(envs.unwrapped, FourlabVectorEnv)

    def run(seed: int | None) -> bytes:
        seen, infos = envs.reset(seed=seed)
        trace = [seen.tobytes()]
        for _ in range(60):
            seen, rewards, *_, infos = envs.step(infos["action_mask"].argmax(1))
            trace += [seen.tobytes(), rewards.tobytes()]
        return b"".join(trace)

    first, second = run(1), run(None)
    assert run(1) == first
    assert run(None) == second != first
    assert run(2) != first
    listed = FourlabVectorEnv(2, "connect4", "random", side="second")
    assert listed.reset(seed=[7, 7])[0][0].tolist() == listed.reset(seed=7)[0][0].tolist()


def test_spaces_hold_what_comes_back() -> None:
    envs = FourlabVectorEnv(5, "tictactoe", "baseline")
    seen, _ = envs.reset(seed=1)
    for _ in range(20):
        assert seen in envs.observation_space
        seen, rewards, *_ = envs.step(envs.action_space.sample())
        assert set(rewards.tolist()) <= {-1.0, 0.0, 1.0}


def test_what_is_no_move_or_no_board_is_refused() -> None:
    with pytest.raises(SpecError, match="num_envs=0 is no number of boards"):
        FourlabVectorEnv(0)
    envs = FourlabVectorEnv(2, "connect4")
    with pytest.raises(IllegalMoveError, match=r"no game has begun; reset\(\) first"):
        envs.step(np.zeros(2, np.int64))
    with pytest.raises(SpecError, match="3 seeds for 2 boards"):
        envs.reset(seed=[1, 2, 3])
    envs.reset(seed=1)
    with pytest.raises(IllegalMoveError, match="action 7 of board 1 is no move of connect4: 0 to "):
        envs.step(np.array([0, 7]))
    with pytest.raises(IllegalMoveError, match="give 2 whole numbers"):
        envs.step(np.array([0.5, 1.0]))
    with pytest.raises(SpecError, match="reset takes no options"):
        envs.reset(options={"reset_mask": np.ones(2, np.bool_)})
