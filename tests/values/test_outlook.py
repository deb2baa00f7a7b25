"""Moves by the boards after them: seen by the side to move, and by the first player."""

import numpy as np
import pytest

from fourlab.core.arrays import Ints
from fourlab.rules.boards import Boards, boards_of
from fourlab.rules.catalog import game
from fourlab.rules.position import position_of
from fourlab.values.outlook import Singles, is_firsts, look, to_mover, worths_of
from nets import random_network
from strategies import random_positions

RULES = game("connect:columns=4,rows=4,k=3")
NETWORK = random_network(RULES)


def to_first(movers: Ints, occupied: Ints) -> Singles:
    boards = Boards(movers, occupied, np.zeros((len(movers), 0), np.uint8))
    return to_mover(NETWORK.values(boards), occupied).astype(np.float32)


def test_both_views_say_the_same_of_every_move() -> None:
    boards = boards_of(random_positions(RULES, 200))
    seen = look(RULES, *boards[:2], to_first)
    expected = worths_of(RULES, NETWORK.values, boards)
    assert to_mover(seen, boards.occupied) == pytest.approx(expected, abs=1e-6, nan_ok=True)
    ended = np.abs(expected) == 1
    for firsts in (True, False):  # wins of both sides are among them
        assert ended[is_firsts(boards.occupied) == firsts].any()


def test_moves_that_end_the_game_are_known_unless_the_network_is_to_judge() -> None:
    boards = boards_of([position_of(RULES, "1122"), position_of(RULES, "12321")])
    by_rule = look(RULES, *boards[:2], to_first)
    assert by_rule[0, 2] == 1  # three in the first row, for the first player
    assert by_rule[1, 1] == -1  # a column of the second
    judged = look(RULES, *boards[:2], to_first, by_rule=False)
    assert judged[0, 2] != 1
    assert judged[1, 1] != -1
