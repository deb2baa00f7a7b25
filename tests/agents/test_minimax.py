"""What `minimax` plays."""

import numpy as np
import pytest

from fourlab.agents.base import Decision
from fourlab.agents.play import play_game
from fourlab.agents.registry import agent
from fourlab.core.errors import SpecError
from fourlab.rules.boards import boards_of
from fourlab.rules.catalog import game
from fourlab.rules.position import position_of
from fourlab.search.alphabeta import SURE
from fourlab.search.solver import solve


def decide(spec: str, moves: str, name: str = "connect4", seed: int = 0) -> Decision:
    rules = game(name)
    return agent(spec, rules).decide(position_of(rules, moves), np.random.default_rng(seed))


def test_it_wins_at_once_and_prefers_that_to_a_later_win() -> None:
    decision = decide("minimax", "112233")
    assert decision.move == 3
    assert decision.values is not None
    assert all(
        (value or 0) < (decision.values[3] or 0)
        for m, value in enumerate(decision.values)
        if m != 3
    )


def test_it_sees_no_further_than_its_depth() -> None:
    # 3 or 6 makes an open three on the bottom row, which wins two plies later.
    blind, sees = decide("minimax:depth=2", "4455"), decide("minimax:depth=3", "4455")
    assert max(value for value in blind.raw or () if value is not None) < SURE
    assert max(value for value in sees.raw or () if value is not None) >= SURE
    assert sees.move in (2, 5)


def test_tic_tac_toe_is_searched_to_the_end() -> None:
    rules = game("tictactoe")
    player = agent("minimax", rules)
    for moves in ("", "1", "15", "159", "2", "51"):
        position = position_of(rules, moves)
        truth = solve(position)
        decision = player.decide(position, np.random.default_rng(1))
        assert decision.policy is not None
        best = max(score for score in truth if score is not None)
        chosen = {m for m, share in enumerate(decision.policy) if share > 0}
        assert chosen == {m for m, score in enumerate(truth) if score == best}


def test_it_never_loses_to_baseline_in_either_seat() -> None:
    rules = game("connect4")
    minimax, baseline = agent("minimax", rules), agent("baseline", rules)
    for seed in range(50):
        assert play_game(rules, minimax, baseline, seed).outcome != "second"
        assert play_game(rules, baseline, minimax, seed).outcome != "first"


def test_plain_plays_the_same_with_more_effort() -> None:
    for moves in ("", "44", "4321", "1234567"):
        pruned, plain = (
            decide(f"minimax:depth=4,plain={word}", moves, seed=3) for word in ("no", "yes")
        )
        assert pruned.move == plain.move
        assert pruned.values == plain.values
        assert pruned.effort < plain.effort


def test_equal_moves_are_told_apart_by_the_rule_of_the_options() -> None:
    start = {seed: decide("minimax:depth=1,eval=none", "", seed=seed).move for seed in range(30)}
    assert set(start.values()) == set(range(7))
    assert decide("minimax:depth=1,eval=none,ties=first", "").move == 0
    assert decide("minimax:depth=1,eval=none,ties=central", "").move == 3


def test_weights_decide_what_it_strives_for() -> None:
    eager = decide("minimax:depth=1,own2=100,own3=0,opp2=0,opp3=0", "4")
    idle = decide("minimax:depth=1,own2=-100,own3=0,opp2=0,opp3=0", "4")
    assert eager.values == tuple(-(value or 0.0) for value in idle.values or ())


def test_the_line_can_be_played_and_begins_with_the_move() -> None:
    decision = decide("minimax:depth=6", "4455")
    assert decision.line[0] == decision.move
    position = position_of(game("connect4"), "4455")
    for move in decision.line:
        position = position.play(move)


def test_time_ends_a_search_with_the_last_depth_that_was_finished(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = iter(np.arange(0.0, 1e6, 0.25))
    monkeypatch.setattr("fourlab.core.limit.time.perf_counter", lambda: next(clock))
    decision = decide("minimax:time=1", "")
    assert decision.effort < 100_000  # four looks at the clock, some thousand nodes each
    assert decision.values is not None
    assert None not in decision.values


@pytest.mark.parametrize(
    "spec", ["minimax:depth=0", "minimax:depth=63", "minimax:eval=magic", "minimax:own2=x"]
)
def test_impossible_options_are_refused(spec: str) -> None:
    with pytest.raises(SpecError, match="minimax"):
        agent(spec)


def test_equal_moves_are_told_apart_for_many_boards_too() -> None:
    rules = game("connect4")
    first = agent("minimax:depth=1,eval=none,ties=first", rules)
    anything = agent("minimax:depth=1,eval=none", rules)
    central = agent("minimax:depth=1,eval=none,ties=central", rules)
    boards, dice = boards_of([rules.start()] * 60), np.arange(60)
    assert set(first.choose(boards, dice).tolist()) == {0}
    assert set(central.choose(boards, dice).tolist()) == {3}
    assert set(anything.choose(boards, dice).tolist()) == set(range(7))
