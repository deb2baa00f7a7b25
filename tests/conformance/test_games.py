"""What every registered game must do; a new game is tested by being in the catalogue."""

import numpy as np
import pytest

from fourlab.rules.catalog import FAMILIES, GAMES, game, name_of
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Outcome, position_of

NAMES = [*GAMES, *FAMILIES, "connect:columns=5,rows=6,k=4", "mnk:columns=4,rows=4,k=3"]


@pytest.fixture(params=NAMES)
def rules(request: pytest.FixtureRequest) -> Rules:
    return game(request.param)


def test_the_name_leads_back_to_the_game(rules: Rules) -> None:
    assert game(name_of(rules)) == rules


def test_random_games_end_and_replay_from_their_notation(rules: Rules) -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        position = rules.start()
        assert position.to_move == 0
        while moves := position.legal_moves():
            assert len(set(moves)) == len(moves)
            assert all(0 <= move < rules.move_count for move in moves)
            position = position.play(int(rng.choice(moves)))
        assert position.outcome is not Outcome.IN_PROGRESS
        assert position_of(rules, position.notation) == position
        assert hash(position_of(rules, position.notation)) == hash(position)


def test_the_mirrored_game_is_the_same_game(rules: Rules) -> None:
    rng = np.random.default_rng(2)
    position = rules.start()
    while moves := position.legal_moves():
        assert position.mirror().ply == position.ply
        assert len(position.mirror().legal_moves()) == len(moves)
        position = position.play(int(rng.choice(moves)))
    assert position.mirror().outcome is position.outcome
