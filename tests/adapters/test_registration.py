"""The games have ids in Gymnasium, whichever of the two is imported first."""

import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402

import fourlab  # noqa: E402
from fourlab.adapters.registration import environment_id  # noqa: E402
from fourlab.core.errors import SpecError  # noqa: E402
from fourlab.rules.catalog import FAMILIES, GAMES  # noqa: E402

ORDERS = (
    "import fourlab, gymnasium",
    "import gymnasium, fourlab",
    "import fourlab, importlib.util; importlib.util.find_spec('gymnasium'); import gymnasium",
    "import fourlab, importlib; importlib.reload(fourlab); import gymnasium",
)


def printed(code: str) -> str:
    return subprocess.check_output([sys.executable, "-W", "error", "-c", code], text=True)


@pytest.mark.parametrize("order", ORDERS)
def test_the_order_of_imports_does_not_matter(order: str) -> None:
    left = "[finder for finder in sys.meta_path if 'fourlab' in repr(finder)]"
    asked = f"print('fourlab/ConnectFour-v0' in gymnasium.registry, {left})"
    assert printed(f"import sys; {order}; {asked}") == "True []\n"


def test_importing_fourlab_does_not_import_gymnasium() -> None:
    heavy = "[name for name in ('gymnasium', 'numpy') if name in sys.modules]"
    assert printed(f"import sys, fourlab; print({heavy})") == "[]\n"


def test_every_game_of_the_catalogue_has_an_id() -> None:
    for name, (rules, title) in GAMES.items():
        env = gymnasium.make(environment_id(title), opponent="self")
        assert env.unwrapped.rules == rules, name
    assert environment_id("Tic-tac-toe") == "fourlab/TicTacToe-v0"
    for name in FAMILIES:
        board = f"{name}:columns=4,rows=3,k=3"
        env = gymnasium.make(environment_id(name), game=board)
        assert env.unwrapped.rules == fourlab.game(board)


@pytest.mark.parametrize("make", [gymnasium.make, gymnasium.make_vec])
def test_an_id_stands_for_its_own_boards_alone(make: Callable[..., Any]) -> None:
    for name, board in [("ConnectFour", "tictactoe"), ("Connect", "mnk:k=3"), ("Mnk", "connect4")]:
        with pytest.raises(SpecError, match=r"is no board of \w+; write gymnasium.make"):
            make(f"fourlab/{name}-v0", game=board)
    same = make("fourlab/ConnectFour-v0", game="connect:columns=7,rows=6,k=4")
    if make is gymnasium.make:
        listed = make("fourlab/TicTacToe-v0", render_mode="ansi_list")
        listed.reset(seed=1)
        assert len(listed.render()) == 1
    assert same.unwrapped.rules == make("fourlab/Connect-v0", game="connect4").unwrapped.rules


@pytest.mark.parametrize("name", ["fourlab/ConnectFour-v0", "fourlab/TicTacToe-v0"])
def test_gymnasium_s_checker_passes_on_what_it_made(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(name, opponent="minimax:depth=2").unwrapped)


def test_action_masks_mark_the_legal_moves() -> None:
    env = gymnasium.make("fourlab/ConnectFour-v0", opponent="self", start="444444")
    _, info = env.reset(seed=1)
    masks = env.get_wrapper_attr("action_masks")()
    assert masks.dtype == np.bool_
    assert masks.tolist() == [True, True, True, False, True, True, True]
    assert np.array_equal(masks, info["action_mask"])


def test_a_start_that_the_opponent_can_end_is_refused() -> None:
    with pytest.raises(SpecError, match="the opponent can end the game at once; write side='firs"):
        gymnasium.make("fourlab/TicTacToe-v0", opponent="random", start="1425", side="second")
    gymnasium.make("fourlab/TicTacToe-v0", opponent="random", start="1425", side="first")
    gymnasium.make("fourlab/TicTacToe-v0", opponent="self", start="1425")
