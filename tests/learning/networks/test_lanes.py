"""Games side by side, and what they teach when they end."""

import numpy as np
import pytest

from fourlab.learning.networks.lanes import (
    ENDED,
    NOBODY,
    PLAYING,
    Lanes,
    begin,
    explore,
    harvest,
    harvest_returns,
    new_lanes,
    put,
)
from fourlab.learning.networks.replay import Rows, new_rows
from fourlab.positions.starts import starts
from fourlab.rules.catalog import game

TICTACTOE = game("tictactoe")
NOT_RANDOM = np.zeros(1, np.uint8)


def played(moves: str, random: tuple[int, ...] = (), by: str = "both") -> Lanes:
    """A game in one lane, in cells 1 to 9; the learner's decisions are those `by` its side."""
    lanes = new_lanes(TICTACTOE, 1)
    begin(TICTACTOE, starts("empty", TICTACTOE), lanes, 1, 0, 1)
    for ply, cell in enumerate(moves):
        explored = np.array([ply in random], np.uint8)
        decided = by == "both" or ply % 2 == {"first": 0, "second": 1}[by]
        row, move = np.zeros(1, np.int64), np.array([int(cell) - 1])
        assert put(TICTACTOE, lanes, row, move, decided, explored) == 1
    return lanes


def taught(lanes: Lanes, steps: int, gamma: float) -> Rows:
    found = new_rows(9)
    return found.take(slice(harvest(lanes, steps, gamma, found)))


FIRST_WINS = "14253"  # X takes the upper row


def test_one_decision_ahead_by_hand() -> None:
    rows = taught(played(FIRST_WINS), 1, 0.5)
    assert rows.rewards.tolist() == [0, 0, 0, 0, 1]
    assert rows.factors.tolist() == [0.5, 0.5, 0.5, 0.5, 0]
    line = [TICTACTOE.start().play_all(FIRST_WINS[:n]) for n in range(6)]
    assert rows.occupied.tolist() == [position.occupied for position in line[1:]]
    assert rows.movers.tolist() == [position.mover for position in line[1:]]
    assert rows.next_occupied.tolist()[:4] == [position.occupied for position in line[1:5]]


def test_some_decisions_ahead_by_hand() -> None:
    rows = taught(played(FIRST_WINS), 3, 0.5)
    assert rows.factors.tolist() == [0.125, 0.125, 0, 0, 0]
    assert rows.rewards.tolist() == [0, 0, 0.25, 0.5, 1]
    assert [int(n).bit_count() for n in rows.next_occupied] == [3, 4, 0, 0, 0]


def test_nothing_is_learned_past_a_random_move() -> None:
    rows = taught(played(FIRST_WINS, random=(3,)), 9, 0.5)
    assert rows.factors.tolist() == [0.125, 0.25, 0.5, 0, 0]
    assert rows.rewards.tolist() == [0, 0, 0, 0.5, 1]
    assert [int(n).bit_count() for n in rows.next_occupied] == [3, 3, 3, 0, 0]


def test_an_opponent_is_a_part_of_the_world() -> None:
    rows = taught(played(FIRST_WINS, by="second"), 1, 0.5)
    assert [int(n).bit_count() for n in rows.occupied] == [2, 4]
    assert [int(n).bit_count() for n in rows.next_occupied] == [3, 0]
    assert rows.rewards.tolist() == [0, 1]  # a loss of the second player, seen by the first


def returned(lanes: Lanes, trace: float, by_rule: bool = True) -> Rows:
    """What a game teaches at once; its boards were thought to be worth 0.1, 0.2 and so on."""
    lanes.worths[0] = np.arange(1, 10) / 10
    found = new_rows(10)
    return found.take(slice(harvest_returns(TICTACTOE, lanes, trace, 0.5, by_rule, found)))


def test_what_came_of_boards_by_hand() -> None:
    rows = returned(played(FIRST_WINS), 0.5)
    line = [TICTACTOE.start().play_all(FIRST_WINS[:n]) for n in range(5)]
    assert rows.occupied.tolist() == [position.occupied for position in line[::-1]]
    assert rows.movers.tolist() == [position.mover for position in line[::-1]]
    expected = [0.5 * (0.5 * 1 + 0.5 * 0.5)]
    for worth in (0.4, 0.3, 0.2, 0.1):
        expected.append(0.5 * (0.5 * expected[-1] + 0.5 * worth))
    assert rows.rewards == pytest.approx(expected)
    assert not rows.factors.any()


def test_what_came_of_a_random_move_counts_for_the_board_after_it_alone() -> None:
    rows = returned(played(FIRST_WINS, random=(3,)), 1.0)
    assert rows.rewards == pytest.approx([0.5, 0.5 * 0.4, 0.1, 0.05, 0.025])


def test_ended_games_are_learned_where_the_network_values_them() -> None:
    assert returned(played(FIRST_WINS), 1.0, by_rule=False).rewards.tolist()[0] == 1
    lost = returned(played("415293", by="first"), 1.0)  # the opponent has the last word
    assert [int(n).bit_count() for n in lost.occupied] == [5, 3, 1, 0]
    assert lost.rewards == pytest.approx([-1, -0.5, -0.25, -0.125])


def test_results_are_those_of_the_first_player() -> None:
    lanes = played(FIRST_WINS)
    assert (lanes.phases[0], lanes.results[0]) == (ENDED, 1)
    lanes = played("415263")  # O takes the upper row
    assert (lanes.phases[0], lanes.results[0]) == (ENDED, -1)
    lanes = played("123546879")
    assert (lanes.phases[0], lanes.results[0]) == (ENDED, 0)
    assert taught(lanes, 1, 1.0).rewards.tolist() == [0] * 9
    assert lanes.numbers[0] == NOBODY


def test_illegal_moves_are_found_and_other_lanes_play_on() -> None:
    lanes = played("1")
    row = np.zeros(1, np.int64)
    for move in (0, -1, 9):
        assert put(TICTACTOE, lanes, row, np.array([move]), False, NOT_RANDOM) == 0
    assert lanes.phases[0] == PLAYING


def test_a_game_follows_from_the_seed_and_its_number() -> None:
    rules = game("connect4")
    start = starts("random:plies=8", rules)
    together, alone = new_lanes(rules, 5), new_lanes(rules, 1)
    assert begin(rules, start, together, 7, 10, 14) == 14
    assert together.numbers.tolist() == [10, 11, 12, 13, NOBODY]
    begin(rules, start, alone, 7, 12, 20)
    for name in ("movers", "occupied", "states"):
        assert getattr(alone, name)[0] == getattr(together, name)[2]


def test_the_share_of_random_moves_is_epsilon() -> None:
    rules = game("connect4")
    lanes = new_lanes(rules, 4000)
    begin(rules, starts("moves:444444", rules), lanes, 1, 0, 4000)
    moves, rows = np.empty(4000, np.int64), np.arange(4000)
    explore(rules, lanes, rows, np.full(4000, 0.3), moves)
    assert (moves >= 0).mean() == pytest.approx(0.3, abs=0.03)
    counts = np.bincount(moves[moves >= 0], minlength=7)
    assert counts[3] == 0  # the middle is full
    assert counts[counts > 0] / counts.sum() == pytest.approx([1 / 6] * 6, abs=0.05)
