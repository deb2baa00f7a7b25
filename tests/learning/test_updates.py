"""Every learner's update, computed by hand on tiny trajectories."""

import numpy as np
import pytest

from fourlab.core.dice import below, roll
from fourlab.learning.registry import learner
from fourlab.learning.tables.episode import BEST, Episode, Lesson, new_episode
from fourlab.learning.tables.targets import (
    aim_at_best,
    aim_at_other,
    aim_at_results,
    aim_at_returns,
    improve_policy,
)
from fourlab.positions.starts import starts
from fourlab.rules.catalog import game
from fourlab.rules.kernels import move_cell
from fourlab.rules.position import position_of
from fourlab.values.knowledge import Knowledge
from fourlab.values.shape import Shape
from fourlab.values.store import (
    ACTIONS,
    AFTERSTATES,
    DOUBLE,
    POLICY,
    TUPLES,
    stored_choice,
    teach,
)

RULES = game("connect:columns=3,rows=2,k=2")


def lesson(alone: bool = False, **changes: float) -> Lesson:
    base = Lesson(BEST, alone, 0.5, 1.0, 0.25, -1.0, -0.1, 0.0, starts("empty", RULES))
    return base._replace(**changes)


def episode(rewards: list[float], bests: list[float], takens: list[float]) -> Episode:
    made = new_episode(RULES)
    for array, numbers in (
        (made.rewards, rewards),
        (made.bests, bests),
        (made.takens, takens),
    ):
        array[: len(numbers)] = numbers
    return made


def test_q_aims_at_the_reward_and_the_best_of_the_next_turn() -> None:
    made = episode([-0.1, -0.1, 1.0], [9.0, 0.4, 0.8], [9.0, 0.2, 0.6])
    aim_at_best(lesson(), made, 3)
    assert made.targets[:3] == pytest.approx([-0.1 + 0.5 * 0.4, -0.1 + 0.5 * 0.8, 1.0])


def test_alone_the_best_of_the_next_turn_is_the_other_side_s() -> None:
    made = episode([-0.1, -0.1, 1.0], [9.0, 0.4, 0.8], [9.0, 0.2, 0.6])
    aim_at_best(lesson(alone=True), made, 3)
    assert made.targets[:3] == pytest.approx([-0.1 - 0.5 * 0.4, -0.1 - 0.5 * 0.8, 1.0])


def test_td_lambda_mixes_what_was_thought_with_what_came() -> None:
    made = episode([0.0, -0.1, 1.0], [9.0, 0.4, 0.8], [9.0, 0.2, 0.6])
    aim_at_returns(lesson(trace=0.25), made, 3)
    second = -0.1 + 0.5 * (0.75 * 0.6 + 0.25 * 1.0)
    first = 0.0 + 0.5 * (0.75 * 0.2 + 0.25 * second)
    assert made.targets[:3] == pytest.approx([first, second, 1.0])


def test_sarsa_and_the_result_of_the_game_are_its_two_ends() -> None:
    made = episode([0.0, -0.1, 1.0], [9.0, 0.4, 0.8], [9.0, 0.2, 0.6])
    aim_at_returns(lesson(trace=0.0), made, 3)
    assert made.targets[:3] == pytest.approx([0.5 * 0.2, -0.1 + 0.5 * 0.6, 1.0])
    aim_at_returns(lesson(trace=1.0), made, 3)
    assert made.targets[:3] == pytest.approx([0.5 * (-0.1 + 0.5), -0.1 + 0.5, 1.0])


def test_a_move_of_exploration_cuts_the_return() -> None:
    made = episode([0.0, -0.1, 1.0], [9.0, 0.4, 0.8], [9.0, 0.2, 0.6])
    made.explored[1] = True
    aim_at_returns(lesson(trace=1.0, cut=True), made, 3)
    assert made.targets[:3] == pytest.approx([0.5 * 0.4, -0.1 + 0.5, 1.0])


def test_monte_carlo_adds_up_all_rewards_to_come() -> None:
    made = episode([0.0, 100.0, 200.0], [0, 0, 0], [0, 0, 0])
    aim_at_results(lesson(), made, 3)
    assert made.targets[:3] == pytest.approx([100.0, 200.0, 200.0])  # 0 + (100 + 200/2)/2


def taught(kind: int, *steps: tuple[str, int, float, float], symmetric: bool = False) -> Knowledge:
    """Knowledge after steps of (moves played, move, rate, target)."""
    known = Knowledge.new(RULES, Shape(kind, symmetric, tuples=2, length=2, won=float("nan")))
    for moves, move, rate, target in steps:
        position = position_of(RULES, moves)
        cell = move_cell(RULES, position.occupied, move)
        teach(RULES, known.values, position.mover, position.occupied, move, cell, 0, rate, target)
    return known


def test_a_value_goes_its_share_of_the_way() -> None:
    known = taught(ACTIONS, ("", 0, 0.1, 1.0), ("", 0, 0.1, 1.0), ("", 2, 0.5, -1.0))
    assert known.move_values(RULES.start()) == pytest.approx([0.19, 0.0, -0.5], abs=1e-7)
    assert known.visits(RULES.start()) == [2, 0, 1]


def test_a_mean_counts_its_trials() -> None:
    known = taught(ACTIONS, *[("", 1, -1.0, target) for target in (200.0, 100.0, 0.0)])
    assert known.move_values(RULES.start()) == pytest.approx([0.0, 100.0, 0.0])


def test_an_afterstate_is_shared_by_all_moves_that_lead_to_it() -> None:
    known = taught(AFTERSTATES, ("12", 2, 0.5, 1.0))
    assert known.move_values(position_of(RULES, "12"))[2] == pytest.approx(0.5)
    assert known.move_values(position_of(RULES, "32"))[0] == pytest.approx(0.5)
    pairs = taught(ACTIONS, ("12", 2, 0.5, 1.0))
    assert pairs.move_values(position_of(RULES, "32"))[0] == 0.0


def test_mirror_images_share_values_where_asked() -> None:
    known = taught(ACTIONS, ("1", 0, 0.5, 1.0), symmetric=True)
    assert known.move_values(position_of(RULES, "3")) == pytest.approx([0.0, 0.0, 0.5])
    assert known.visits(position_of(RULES, "3")) == [0, 0, 1]
    image = taught(ACTIONS, ("3", 2, 0.5, 1.0), symmetric=True)  # one of the two is the stored one
    assert image.move_values(position_of(RULES, "1")) == pytest.approx([0.5, 0.0, 0.0])
    assert image.move_values(position_of(RULES, "3")) == pytest.approx([0.0, 0.0, 0.5])
    alone = taught(ACTIONS, ("1", 0, 0.5, 1.0))
    assert alone.move_values(position_of(RULES, "3")) == pytest.approx([0.0, 0.0, 0.0])


def test_double_q_lets_the_other_estimate_judge_the_best_move() -> None:
    known = Knowledge.new(RULES, Shape(DOUBLE, symmetric=False))
    after = position_of(RULES, "12")
    for move, offset, value in ((0, 0, 0.9), (0, 3, 0.2), (1, 0, 0.1), (1, 3, 0.7)):
        cell = move_cell(RULES, after.occupied, move)
        teach(RULES, known.values, after.mover, after.occupied, move, cell, offset, 1.0, value)
    made = episode([-0.1, 1.0], [0, 0], [0, 0])
    made.movers[1], made.occupied[1] = after.mover, after.occupied
    for seed in range(8):
        state = roll(seed)
        half = below(state, 2)
        aim_at_other(RULES, known.values, lesson(), made, 2, seed)
        assert made.offsets[0] == 3 * half
        judged = (0.2, 0.1)[half]  # A likes move 0, which B puts at 0.2; B likes 1, A puts at 0.1
        assert made.targets[:2] == pytest.approx([-0.1 + 0.5 * judged, 1.0], abs=1e-6)


def test_a_network_takes_a_gradient_step() -> None:
    known = taught(TUPLES, ("", 1, 0.1, 0.8))
    weights = known.values.network.weights
    # tanh'(0) = 1 and the value was 0: each of 2 tuples, seen twice, gets 0.1 * 0.8 a hit.
    assert weights.sum() == pytest.approx(4 * 0.08)
    hit = known.move_values(RULES.start())[1]
    squares = (weights * weights).sum() / 0.08  # weights that were hit twice count twice
    assert hit == pytest.approx(np.tanh(squares), abs=1e-6)


def test_temporal_coherence_slows_weights_that_are_pulled_to_and_fro() -> None:
    rules = game("connect:columns=3,rows=2,k=2")
    known = Knowledge.new(rules, Shape(TUPLES, tuples=1, length=2, coherent=True))
    start = rules.start()
    cell = move_cell(rules, 0, 1)

    def step(target: float) -> float:
        before = known.values.network.weights.copy()
        teach(rules, known.values, start.mover, 0, 1, cell, 0, 0.1, target)
        return float(abs(known.values.network.weights - before).sum())

    same = step(1.0)
    step(-1.0)
    assert step(1.0) < 0.5 * same


def test_rewards_of_a_game_are_those_of_the_map() -> None:
    made = learner(
        "q:games=200,epsilon=1,alpha=1,win=5,draw=2,loss=-3,step=-0.5,gamma=0", "tictactoe", seed=1
    )
    list(made.steps())
    values = set(made.knowledge.arrays()["values"].tolist())
    assert values == {5.0, 2.0, -3.0, -0.5}


def test_a_block_is_rewarded_on_top_of_what_follows() -> None:
    made = learner(
        "q:games=2000,epsilon=1,alpha=1,win=5,draw=2,loss=-1,block=7,gamma=0", "tictactoe", seed=1
    )
    list(made.steps())
    # A step, a win, a loss, a draw; then the same after a block, but for the win.
    assert set(made.knowledge.arrays()["values"].tolist()) == {0.0, 5.0, -1.0, 2.0, 7.0, 6.0, 9.0}


def visited() -> tuple[Knowledge, Episode]:
    """A policy table after one improvement of a state whose best move is 2."""
    known = Knowledge.new(RULES, Shape(POLICY, symmetric=False))
    for move, value in ((0, 0.5), (1, -0.5), (2, 0.9)):
        teach(RULES, known.values, 0, 0, move, move_cell(RULES, 0, move), 0, 1.0, value)
    made = new_episode(RULES)
    return known, made


def test_the_policy_keeps_the_best_move_as_often_as_told() -> None:
    found = {0.0: [0, 0, 0], 0.5: [0, 0, 0], 1.0: [0, 0, 0]}
    for keep, counts in found.items():
        known, made = visited()
        state = roll(5)
        for _ in range(600):
            state = improve_policy(RULES, known.values, lesson(keep=keep), made, 1, state)
            counts[stored_choice(RULES, known.values, 0, 0)] += 1
    assert found[1.0] == [0, 0, 600]
    assert found[0.5][2] == pytest.approx(400, abs=60)  # a random move may be the best one
    assert found[0.0] == pytest.approx([200] * 3, abs=60)
