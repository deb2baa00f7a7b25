import numpy as np
import pytest

from fourlab.agents.registry import agent
from fourlab.core.errors import SpecError
from fourlab.rules.catalog import game
from fourlab.rules.position import position_of

CONNECT4 = game("connect4")


def chosen(name: str, moves: str, draws: int = 40) -> set[int]:
    player = agent(name, CONNECT4)
    position = position_of(CONNECT4, moves)
    return {player.decide(position, np.random.default_rng(s)).move + 1 for s in range(draws)}


def test_random_plays_every_legal_move_and_no_other() -> None:
    assert chosen("random", "444444", draws=200) == {1, 2, 3, 5, 6, 7}


def test_baseline_wins_before_it_blocks() -> None:
    assert chosen("baseline", "121212") == {1}  # blocking 2 would do as well, but 1 wins


def test_baseline_blocks_before_it_wanders() -> None:
    assert chosen("baseline", "12121") == {1}
    assert chosen("baseline", "3746") == chosen("baseline", "3746", 80)
    assert chosen("baseline", "37475") == {2, 6}


def test_baseline_wanders_over_all_moves_otherwise() -> None:
    assert chosen("baseline", "", draws=200) == {1, 2, 3, 4, 5, 6, 7}


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("randm", "unknown agent 'randm'; did you mean 'random'"),
        ("runs/q", "a run is written learned:PATH"),
        ("./a:b/mine.py", "PATH.py with no ':' in it"),
        ("random:depth=3", "agent 'random' has no option 'depth'; it has no options"),
        ("baseline:", "is no spec"),
    ],
)
def test_bad_agent_specs_are_answered_with_what_exists(spec: str, says: str) -> None:
    with pytest.raises(SpecError, match=says):
        agent(spec)


def test_a_person_plays_in_the_terminal_only() -> None:
    with pytest.raises(SpecError, match="terminal only"):
        agent("human").decide(CONNECT4.start(), np.random.default_rng(0))


def test_an_agent_of_another_game_is_refused() -> None:
    player = agent("random", "tictactoe")
    assert agent(player) is player
    assert agent(player, "tictactoe") is player
    with pytest.raises(SpecError, match="random plays tictactoe, not connect4"):
        agent(player, "connect4")
