"""Best responses and exact shares against what is known of them."""

import numpy as np
import pytest

from fourlab.agents.base import Agent, Decision
from fourlab.agents.registry import agent
from fourlab.arena.match import play_here
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.learning.mdp.planning import BestResponse, best_response, exact_shares
from fourlab.learning.mdp.process import mdp
from fourlab.rules.catalog import game
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position, position_of
from processes import brute_value

FOUR = "connect:columns=4,rows=4,k=4"
SIDES = ("first", "second")


def test_two_random_players_of_tictactoe() -> None:
    shares = exact_shares("tictactoe", "random", "random")
    assert shares == pytest.approx((737 / 1260, 160 / 1260, 363 / 1260))
    assert exact_shares("tictactoe", "random", "random", "second") == pytest.approx(shares[::-1])


def test_the_best_that_beats_a_random_player_of_tictactoe() -> None:
    best = best_response("tictactoe", "random")
    assert best.shares == pytest.approx((191 / 192, 1 / 192, 0))
    assert best.move(game("tictactoe").start()) == 0  # a corner
    assert best.move(position_of(game("tictactoe"), "5")) is None  # never its turn
    assert best_response("tictactoe", "random", draw=0).value == pytest.approx(191 / 192)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("opponent", ["random", "baseline", "perfect", "minimax:ties=first"])
@pytest.mark.parametrize("name", ["tictactoe", "connect:columns=4,rows=3,k=3"])
def test_planning_finds_what_recursion_finds(name: str, opponent: str, side: str) -> None:
    found = best_response(name, opponent, side, win=1, draw=0, loss=-1)
    assert found.value == pytest.approx(brute_value(mdp(name, opponent, side)))


@pytest.mark.parametrize("name", ["tictactoe", FOUR])
@pytest.mark.parametrize("side", SIDES)
def test_perfect_play_is_not_the_best_against_weak_players(name: str, side: str) -> None:
    for opponent in ("random", "baseline"):
        perfect = exact_shares(name, "perfect", opponent, side)
        best = best_response(name, opponent, side)
        assert perfect.losses == pytest.approx(0)  # both games are draws
        assert perfect.score < best.value - 0.005
    assert best_response(name, "perfect", side).value == pytest.approx(0.5)


def test_as_a_match_would_end() -> None:
    rules, games = game(FOUR), 20_000
    pair = agent("baseline", rules), agent("random", rules)
    results = play_here(*pair, games, seed=1, plies=0).results
    played = [np.mean(results == end) for end in (1, 0, -1)]
    shares = np.mean([exact_shares(rules, *pair, side) for side in SIDES], axis=0)
    assert played == pytest.approx(shares, abs=0.01)


class Responder(Agent):
    """Plays a best response."""

    name = "responder"
    is_deterministic = True

    def __init__(self, rules: Rules, response: BestResponse) -> None:
        super().__init__(rules)
        self.response = response

    def decide(
        self, position: Position, rng: np.random.Generator, limit: Limit = NO_LIMIT
    ) -> Decision:
        move = self.response.move(position)
        assert move is not None
        return Decision(move)


@pytest.mark.parametrize("side", SIDES)
def test_the_moves_of_a_best_response_give_its_shares(side: str) -> None:
    best = best_response("tictactoe", "baseline", side)
    player = Responder(game("tictactoe"), best)
    shares = exact_shares("tictactoe", player, "baseline", side)
    assert shares == pytest.approx(best.shares)
