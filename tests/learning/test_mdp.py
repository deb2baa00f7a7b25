"""Games as Markov decision processes, and learning from them step by step."""

import itertools

import numpy as np
import pytest

import fourlab
from fourlab.core.errors import FourlabError, GeometryError, SpecError
from fourlab.learning.mdp.planning import best_response, exact_shares
from fourlab.learning.mdp.process import WAIT, Environment, mdp
from fourlab.learning.mdp.tabular import (
    Callback,
    GreedyAgent,
    QLearning,
    TabularValues,
    epsilon_greedy,
    greedy,
    random_policy,
)
from fourlab.rules.catalog import game
from fourlab.rules.enumeration import positions_by_ply
from fourlab.rules.position import position_of
from processes import brute_value

STUDY = "3758"  # X on 3 and 5, O on 7 and 8, X to move: 9 wins, all else loses


def test_alone_the_states_are_all_positions() -> None:
    process = fourlab.mdp("tictactoe")
    rules = game("tictactoe")
    listed = itertools.chain.from_iterable(
        zip(movers.tolist(), occupied.tolist(), strict=True)
        for movers, occupied in positions_by_ply(rules)
    )
    assert {(state.mover, state.occupied) for state in process.states} == set(listed)
    assert process.transitions(process.start_state, 4) == {position_of(rules, "5"): 1.0}


def test_alone_rewards_are_the_first_players_and_the_second_wants_them_low() -> None:
    process = mdp("tictactoe", start=STUDY)
    assert brute_value(process) == 1
    assert brute_value(mdp("tictactoe", start=STUDY + "1")) == -1
    before = position_of(process.rules, "1425")
    for moves, paid in (("14253", 1), ("142576", -1), ("14259", 0)):
        after = position_of(process.rules, moves)
        assert process.reward(before, after.moves[-1], after) == paid
        assert process.is_terminal(after) == (paid != 0)


def test_against_an_opponent_the_states_are_the_learners_turns() -> None:
    process = mdp("tictactoe", "random", "second")
    assert process.actions(process.start_state) == (WAIT,)
    after = process.transitions(process.start_state, WAIT)
    assert len(after) == 9
    assert set(after.values()) == {1 / 9}
    with pytest.raises(FourlabError, match="the opponent moves there; write -1"):
        process.transitions(process.start_state, 3)


@pytest.mark.parametrize("opponent", ["random", "perfect"])
def test_planning_looks_at_the_states_there_are_and_no_others(opponent: str) -> None:
    turns = [state for state in mdp("tictactoe", opponent, "second").states if not state.is_over]
    assert all(state.to_move == 1 for state in turns[1:])
    assert best_response("tictactoe", opponent, "second").states == len(turns) - 1


def test_baseline_wins_else_blocks_else_draws_lots() -> None:
    process = mdp("connect4", "baseline")

    def replies(moves: str, action: int) -> dict[str, float]:
        after = process.transitions(position_of(process.rules, moves), action)
        return {state.notation[-1]: chance for state, chance in after.items()}

    assert replies("17", 0) == {str(column): 1 / 7 for column in range(1, 8)}
    assert replies("1727", 2) == {"4": 1.0}  # 1, 2, 3 are the learner's: only 4 is open to it
    assert replies("172757", 2) == {"7": 1.0}  # three on the seventh column win


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("connect4", "mcts:sims=10"), "mcts:sims=10.*not known exactly"),
        (("connect4", "minimax:time=1"), "without time="),
        (("connect4", "random", "third"), "first or second"),
        (("connect4", None, "second"), "needs an opponent"),
        (("tictactoe", "random", "first", "14253"), "the game is over there"),
        (("tictactoe", "random", "first", game("connect4").start()), "connect4"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(arguments: tuple[str, ...], words: str) -> None:
    with pytest.raises(SpecError, match=words) as refusal:
        mdp(*arguments)
    assert "\n" not in str(refusal.value)


def test_too_many_states_are_refused() -> None:
    with pytest.raises(GeometryError, match=r"more than 200,000 positions"):
        _ = mdp("connect4", "random").states
    with pytest.raises(GeometryError, match=r"more than 1,000 positions.*raise most="):
        best_response("tictactoe", "random", most=1000)


def test_an_environment_repeats_itself_by_seed_alone() -> None:
    world = Environment(mdp("connect4", "random", "second"))

    def openings(seed: int) -> list[str]:
        world.reset(seed)
        return [world.reset().notation for _ in range(20)]

    assert openings(1) == openings(1)
    assert len(set(openings(1))) > 3


def test_an_opponent_who_wins_at_once_ends_the_episode() -> None:
    world = Environment(mdp("tictactoe", "perfect", "second", "1425"))
    assert world.is_over
    assert world.state.outcome.winner == 0


def test_values_are_drawn_once() -> None:
    start = game("tictactoe").start()
    values, same = TabularValues(0.3, seed=1), TabularValues(0.3, seed=1)
    drawn = [values[start, move] for move in range(9)]
    assert drawn == [values[start, move] for move in range(9)] == [same[start, m] for m in range(9)]
    assert np.std(drawn) > 0
    assert TabularValues()[start, 4] == 0


def test_policies() -> None:
    world = Environment(mdp("tictactoe"))
    values, rng = TabularValues(), np.random.default_rng(1)
    first, second = world.state, position_of(game("tictactoe"), "5")
    for state in (first, second):
        values[state, 0], values[state, 8] = 1.0, -1.0

    def moves(policy: object, state: object) -> set[int]:
        return {policy(state, rng) for _ in range(300)}  # type: ignore[operator]

    assert moves(greedy(world, values), first) == {0}
    assert moves(greedy(world, values), second) == {8}  # it wants rewards to be low
    assert moves(random_policy(world), second) == set(range(9)) - {4}
    often = [epsilon_greedy(world, values, 0.2)(first, rng) for _ in range(1000)]
    assert 780 < often.count(0) < 860
    assert len(set(often)) == 9


@pytest.mark.parametrize(("opponent", "episodes"), [("perfect", 2400), (None, 3500)])
def test_q_learning_finds_the_values_of_the_study(opponent: str | None, episodes: int) -> None:
    world = Environment(mdp("tictactoe", opponent, start=STUDY), seed=1)
    values = TabularValues()
    QLearning(world, random_policy(world), values).train(episodes)
    learned = [values[world.reset(), action] for action in (0, 1, 3, 5, 8)]
    assert learned == pytest.approx([-1, -1, -1, -1, 1], abs=0.06)


def test_the_second_player_learns_too() -> None:
    process = mdp("tictactoe", "random", "second", "124")
    world, values = Environment(process, seed=1), TabularValues()
    for alpha in (0.2, 0.02):
        QLearning(world, random_policy(world), values, alpha, seed=1).train(1500)
    player = GreedyAgent(process, values)
    score = exact_shares("tictactoe", player, "random", "second", start="124").score
    best = best_response("tictactoe", "random", "second", start="124").value
    assert best - 0.05 < score <= best + 1e-9


def test_callbacks_are_told_of_every_episode() -> None:
    told: list[tuple[object, ...]] = []

    class Listener(Callback):
        def on_train_begin(self, values: TabularValues) -> None:
            told.append(("train", len(values)))

        def on_episode_begin(self, episode: int, values: TabularValues) -> None:
            told.append(("begin", episode))

        def on_episode_end(self, episode: int, values: TabularValues) -> None:
            told.append(("end", episode, len(values) > 0))

        def on_train_end(self, values: TabularValues) -> None:
            told.append(("over",))

    world = Environment(mdp("tictactoe", "random"))
    QLearning(world, random_policy(world), TabularValues()).train(2, [Callback(), Listener()])
    assert told == [
        ("train", 0),
        *(("begin", 0), ("end", 0, True), ("begin", 1), ("end", 1, True)),
        ("over",),
    ]


def test_what_was_learned_is_an_agent_of_known_policy() -> None:
    process = mdp("tictactoe", "baseline", start="1594")
    world, values = Environment(process, seed=1), TabularValues()
    QLearning(world, random_policy(world), values, alpha=0.5).train(300)
    player = GreedyAgent(process, values)
    shares = exact_shares("tictactoe", player, "baseline", start="1594")
    best = best_response("tictactoe", "baseline", start="1594")
    assert shares.score == pytest.approx(best.value)
    with pytest.raises(FourlabError, match="the first player's"):
        exact_shares("tictactoe", player, "baseline", "second", start="1594")
