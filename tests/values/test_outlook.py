"""Moves by the boards after them: seen by the side to move, and by the first player."""

from functools import partial

import numpy as np
import pytest

from fourlab.core.arrays import Floats, Ints
from fourlab.rules.boards import Boards, boards_of
from fourlab.rules.catalog import game
from fourlab.rules.position import Position, position_of
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


@pytest.mark.parametrize(
    "spec", ["connect4", "connect:columns=4,rows=4,k=3", "mnk:columns=4,rows=3,k=3"]
)
def test_alpha_beta_says_what_full_width_says_and_asks_about_fewer_boards(spec: str) -> None:
    rules, asked = game(spec), [0, 0]
    network = random_network(rules)

    def counted(boards: Boards, kind: int) -> Floats:
        asked[kind] += len(boards.movers)
        return network.values(boards)

    def full_width(position: Position, plies: int) -> float:
        if position.is_over:
            return -1.0 if position.line else 0.0
        if plies == 0:
            return float(counted(boards_of([position]), 0)[0])
        return max(-full_width(position.play(m), plies - 1) for m in position.legal_moves())

    positions = random_positions(rules, 6)
    for plies in (2, 3, 4):
        found = worths_of(rules, partial(counted, kind=1), boards_of(positions), plies)
        for row, position in enumerate(positions):
            wanted = [-full_width(position.play(m), plies - 1) for m in position.legal_moves()]
            assert found[row, ~np.isnan(found[row])].tolist() == wanted
    assert asked[1] < 0.7 * asked[0]


def test_moves_that_end_the_game_are_known_unless_the_network_is_to_judge() -> None:
    boards = boards_of([position_of(RULES, "1122"), position_of(RULES, "12321")])
    by_rule = look(RULES, *boards[:2], to_first)
    assert by_rule[0, 2] == 1  # three in the first row, for the first player
    assert by_rule[1, 1] == -1  # a column of the second
    judged = look(RULES, *boards[:2], to_first, by_rule=False)
    assert judged[0, 2] != 1
    assert judged[1, 1] != -1
