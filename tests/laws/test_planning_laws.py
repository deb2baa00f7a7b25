"""What holds of the best response to any opponent on any small board."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fourlab.agents.registry import agent
from fourlab.learning.mdp.layers import layers
from fourlab.learning.mdp.planning import (
    Worth,
    best_response,
    exact_shares,
    policy_iteration,
    value_iteration,
)
from fourlab.learning.mdp.process import mdp
from fourlab.rules.position import Position
from fourlab.search.scores import sign
from processes import brute_value
from retrograde import naive_score
from strategies import positions

SMALL = 10  # bits of a board: eight cells
KNOWN = st.sampled_from(["random", "baseline", "minimax:depth=2", "perfect:blunder=0.3"])
SIDES = st.sampled_from(["first", "second"])
HONEST = {"win": 1, "draw": 0, "loss": -1}


@settings(max_examples=25)
@given(positions(SMALL), KNOWN, SIDES)
def test_planning_finds_what_recursion_finds(start: Position, spec: str, side: str) -> None:
    assume(not start.is_over)
    found = best_response(start.rules, spec, side, start=start, **HONEST)
    assert found.value == pytest.approx(brute_value(mdp(start.rules, spec, side, start)))
    assert -1 <= found.value <= 1
    assert sum(found.shares) == pytest.approx(1)
    assert found.value == pytest.approx(found.shares.wins - found.shares.losses)


@settings(max_examples=25)
@given(positions(SMALL), KNOWN, st.integers(0, 1), st.sampled_from([0.0, 0.5, 1.0]))
def test_policy_iteration_agrees_with_value_iteration_everywhere(
    start: Position, spec: str, own: int, draw: float
) -> None:
    assume(not start.is_over)
    opponent = agent(spec, start.rules)
    players = (None, opponent) if start.to_move == own else (opponent, None)
    game = layers(start, players)
    worth = Worth(1.0, draw, 0.0)
    plans = [plan(game, own, worth) for plan in (value_iteration, policy_iteration)]
    for one, other in zip(*(plan.shares for plan in plans), strict=True):
        assert one @ worth == pytest.approx(other @ worth, abs=1e-9)


@settings(max_examples=25)
@given(positions(SMALL), KNOWN, SIDES)
def test_a_mirrored_game_is_worth_the_same(start: Position, spec: str, side: str) -> None:
    assume(not start.is_over)
    found, seen = (best_response(p.rules, spec, side, start=p) for p in (start, start.mirror()))
    assert found.value == pytest.approx(seen.value)
    assert found.states == seen.states


@settings(max_examples=25)
@given(positions(SMALL), SIDES)
def test_nobody_gets_more_from_perfect_play_than_the_truth(start: Position, side: str) -> None:
    assume(not start.is_over)
    mine = (start.to_move == 0) == (side == "first")
    truth = sign(naive_score(start)) * (1 if mine else -1)
    found = best_response(start.rules, "perfect", side, start=start, **HONEST)
    assert found.value == pytest.approx(truth)


@settings(max_examples=25)
@given(positions(SMALL), KNOWN, KNOWN, SIDES)
def test_no_player_beats_the_best_response(
    start: Position, player: str, opponent: str, side: str
) -> None:
    assume(not start.is_over)
    shares = exact_shares(start.rules, player, opponent, side, start=start)
    best = best_response(start.rules, opponent, side, start=start)
    most = best_response(start.rules, opponent, side, start=start, draw=0)
    assert sum(shares) == pytest.approx(1)
    assert shares.score <= best.value + 1e-9
    assert max(shares.wins, best.shares.wins) <= most.value + 1e-9
