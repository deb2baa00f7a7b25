"""What `mcts` and `flat` find, prove, remember and refuse."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from fourlab.agents.base import Decision
from fourlab.agents.branches import Branch, branch_of
from fourlab.agents.mcts import Mcts
from fourlab.agents.mcts_options import MctsConfig, variant_of
from fourlab.agents.registry import agent
from fourlab.core.dice import seeded
from fourlab.core.errors import SpecError
from fourlab.core.limit import Limit
from fourlab.positions.suites import load_suites
from fourlab.rules.catalog import game
from fourlab.rules.kernels import cell_move, legal_cells
from fourlab.rules.position import Position, position_of
from fourlab.search.choices import nth_cell
from fourlab.search.mcts import BY_SCORE, BY_VISITS, ROBUST, best_child
from fourlab.search.solver import solve
from fourlab.search.tree import DRAW, MEAN, NEXT, UNPROVEN, VISITS, Tree, grow, new_tree

VARIANTS = [
    "mcts:sims=300",
    "mcts:sims=300,minimax=2",
    "mcts:sims=300,minimax=3,solver=no",
    "mcts:sims=300,expand=all",
    "mcts:sims=300,formula=tuned,playouts=heavy",
    "mcts:sims=300,formula=puct,prune=3,final=robust",
    "mcts:sims=300,formula=ucb1,final=score,graded=0.5",
    "mcts:sims=300,depth=2",
    "mcts:sims=300,threads=2",
    "mcts:sims=300,reuse=yes",
    "mcts:sims=300,nodes=1000",
    "flat:playouts=50",
    "flat:playouts=50,heavy=yes",
]


def decide(spec: str, moves: str, name: str = "connect4", seed: int = 0) -> Decision:
    rules = game(name)
    return agent(spec, rules).decide(position_of(rules, moves), np.random.default_rng(seed))


@pytest.mark.parametrize("spec", VARIANTS)
def test_every_variant_wins_now_and_saves_what_one_move_can_save(spec: str) -> None:
    assert decide(spec, "112233").move == 3
    assert decide(spec, "11223").move == 3  # three on the bottom row threaten on the right alone
    assert decide(spec, "1524", "tictactoe").move == 2  # wins, and would block as well


def only_move_positions() -> list[tuple[Position, int]]:
    """Positions of the suite `middle` in which one move holds and every other loses soon."""
    found = []
    for scored in load_suites(game("connect4"))["middle"]:
        holds = [m for m, s in enumerate(scored.scores) if s is not None and s >= 0]
        soon = stones_to_come_limit(scored.position)
        if len(holds) == 1 and all(s <= soon for s in scored.scores if s is not None and s < 0):
            found.append((scored.position, holds[0]))
    return found


def stones_to_come_limit(position: Position) -> int:
    """The score of a loss to the opponent's next stone but one."""
    return -((position.rules.cells + 1 - (position.ply + 3)) // 2)


def test_the_only_move_that_saves_is_found_with_few_simulations() -> None:
    cases = only_move_positions()
    assert len(cases) >= 10
    for position, move in cases:
        for seed in range(3):
            player = agent("mcts:sims=400", position.rules)
            assert player.decide(position, np.random.default_rng(seed)).move == move


def nodes(tree: Tree, position: Position) -> list[tuple[int, int, Position]]:
    """All nodes of a tree that are proven, with plies to the end and position."""
    found = []
    stack = [(0, position)]
    while stack:
        node, at = stack.pop()
        if tree.proven[node] != UNPROVEN:
            found.append((int(tree.proven[node]), int(tree.plies[node]), at))
        cells = legal_cells(at.rules, at.occupied)
        for index in range(int(tree.children[node])):
            move = cell_move(at.rules, nth_cell(cells, index))
            stack.append((int(tree.first_child[node]) + index, at.play(move)))
    return found


def outcome(position: Position) -> int:
    """The true result for the side that moved last: 1, 0 or -1."""
    if position.is_over:
        return 1 if position.line else 0
    best = max(score for score in solve(position) if score is not None)
    return (best < 0) - (best > 0)


@pytest.mark.parametrize(
    "options", ["", ",minimax=2", ",minimax=4", ",expand=all", ",prune=1", ",threads=3"]
)
@pytest.mark.parametrize("name", ["tictactoe", "connect:columns=5,rows=4,k=4", "connect4"])
def test_what_is_proven_is_true(name: str, options: str) -> None:
    rules = game(name)
    rng = np.random.default_rng(2)
    proven = 0
    for _ in range(6):
        position = rules.start()
        for _ in range(int(rng.integers(rules.cells // 3, rules.cells * 2 // 3))):
            child = position.play(int(rng.choice(position.legal_moves())))
            position = position if child.is_over else child
        player = agent(f"mcts:sims=150{options}", rules)
        assert isinstance(player, Mcts)
        tree = player.think(position, rng).tree
        for known, plies, at in nodes(tree, position)[:150]:
            assert (0 if known == DRAW else known) == outcome(at)
            assert 0 <= plies <= rules.cells - at.ply
            proven += 1
    assert proven > 20


def test_a_proven_game_needs_no_more_simulations() -> None:
    decision = decide("mcts:sims=1000000", "1526", "tictactoe")
    assert decision.effort < 1000
    assert decision.values is not None
    assert set(decision.values) <= {1.0, 0.0, -1.0, None}


def same_shape(decision: Decision) -> tuple[object, ...]:
    return decision.move, decision.values, decision.visits, decision.line


@pytest.mark.parametrize("spec", [spec for spec in VARIANTS if "threads" not in spec])
def test_one_seed_is_one_tree(spec: str) -> None:
    assert same_shape(decide(spec, "445", seed=4)) == same_shape(decide(spec, "445", seed=4))
    if spec != "mcts:sims=300,depth=2":
        assert same_shape(decide(spec, "445", seed=4)) != same_shape(decide(spec, "445", seed=5))


def test_a_mirrored_position_is_judged_as_its_mirror_image() -> None:
    left, right = decide("flat:playouts=20000", "1223"), decide("flat:playouts=20000", "7665")
    for value, other in zip(left.values or (), reversed(right.values or ()), strict=True):
        assert value == pytest.approx(other, abs=0.04)
    left, right = decide("mcts:sims=4000", "4455"), decide("mcts:sims=4000", "4433")
    assert {left.move, 6 - right.move} <= {2, 5}  # either end makes an open three


def test_values_are_for_the_side_to_move() -> None:
    winning, saving = decide("mcts:sims=2000", "112233"), decide("mcts:sims=2000", "11223")
    assert winning.values is not None
    assert winning.values[3] == 1.0
    assert saving.values is not None
    assert [m for m, value in enumerate(saving.values) if value != -1.0] == [3]


def test_rewards_are_what_the_options_say() -> None:
    draw = decide("mcts:sims=50,draw=-0.75", "12354687", "tictactoe")
    assert draw.raw is not None
    assert draw.values is not None
    assert (draw.raw[8], draw.values[8]) == (-0.75, 0.0)
    win = decide("mcts:sims=50,win=3,loss=-2", "1524", "tictactoe")
    assert win.raw is not None
    assert win.values is not None
    assert (win.raw[2], win.values[2]) == (3.0, 1.0)


def test_graded_rewards_make_sooner_wins_worth_more() -> None:
    rules = game("connect4")
    position = position_of(rules, "4455")
    flat = agent("mcts:sims=3000,solver=no", rules)
    graded = agent("mcts:sims=3000,solver=no,graded=1", rules)
    for player, limit in ((flat, 1.0), (graded, 0.9)):
        decision = player.decide(position, np.random.default_rng(1))
        assert decision.values is not None
        assert max(value for value in decision.values if value is not None) < limit
    assert decide("mcts:sims=100,solver=no,graded=1", "112233").move == 3


def test_a_graded_reward_shrinks_with_the_stones_on_the_board() -> None:
    """The last move wins: all of the share is lost."""
    rules = game("tictactoe")
    player = agent("mcts:sims=8,solver=no,graded=0.4", rules)
    assert isinstance(player, Mcts)
    thought = player.think(position_of(rules, "14256879"), np.random.default_rng(0))
    assert thought.branch(0).value == pytest.approx(-(1 - 0.4))


@pytest.mark.parametrize(("final", "index"), [(BY_VISITS, 0), (ROBUST, 1), (BY_SCORE, 2)])
def test_the_final_choice_follows_its_rule(final: int, index: int) -> None:
    tree = new_tree(4, plies=1)
    tree.first_child[0] = grow(tree, 3)
    tree.children[0] = 3
    for child, (visits, mean) in enumerate([(100, 0.1), (60, 0.2), (10, 0.9)], start=1):
        tree.stats[child, VISITS], tree.stats[child, MEAN] = visits, mean
    variant = variant_of(MctsConfig())._replace(final=final)
    assert best_child(tree, variant, 0, seeded(1))[0] == index


def test_no_simulation_is_a_random_move() -> None:
    moves = {decide("mcts:sims=0", "", seed=seed).move for seed in range(40)}
    assert moves == set(range(7))


@pytest.mark.parametrize("spec", ["mcts:sims=50", "mcts:sims=50,reuse=yes"])
def test_where_nothing_was_looked_at_nothing_is_said(spec: str) -> None:
    """Least of all what was said of another position."""
    player, rules = agent(spec, "connect4"), game("connect4")
    for moves in ("", "444"):
        unlooked = position_of(rules, f"{moves}1")
        decision = player.decide(unlooked, np.random.default_rng(1), Limit(nodes=0))
        assert decision == Decision(decision.move, policy=(1 / 7,) * 7)
        player.decide(position_of(rules, "44"), np.random.default_rng(1))


def depth(branch: Branch) -> int:
    return 1 + max((depth(child) for child in branch.children if child.visits), default=-1)


def test_the_tree_grows_no_deeper_and_no_larger_than_it_may() -> None:
    rules = game("connect4")
    for spec, deepest, most in (
        ("mcts:sims=3000,depth=3", 3, 10**9),
        ("mcts:sims=3000,nodes=1000", 42, 1000 + 2 * 7),
    ):
        player = agent(spec, rules)
        assert isinstance(player, Mcts)
        thought = player.think(rules.start(), np.random.default_rng(1))
        decision = thought.decision
        assert decision.effort == 3000
        assert depth(thought.branch(42)) <= deepest
        assert thought.tree.rooms[0, NEXT] <= most
        assert decision.visits is not None
        assert sum(decision.visits) == 3000


def test_a_kept_tree_is_found_again_and_another_game_is_not() -> None:
    rules = game("connect4")
    player = agent("mcts:sims=2000,reuse=yes", rules)
    assert isinstance(player, Mcts)
    rng = np.random.default_rng(1)
    first = player.decide(rules.start(), rng)
    known = dict(enumerate(first.visits or ()))
    position = rules.start().play(first.move)
    [(_, space)] = player._kept
    picture = branch_of(space.tree, variant_of(player.config), rules.start(), 2)
    reply = picture.children[first.move].children
    answer = max(reply, key=lambda child: child.visits)
    assert answer.move is not None
    second = player.decide(position.play(answer.move), rng)
    assert second.visits is not None
    assert sum(second.visits) == pytest.approx(2000 + answer.visits, abs=2)
    assert answer.visits < known[first.move]
    elsewhere = player.decide(position_of(rules, "1122"), rng)
    assert elsewhere.visits is not None
    assert sum(elsewhere.visits) == 2000
    again = player.decide(position_of(rules, "1122"), rng)
    assert again.visits is not None
    assert sum(again.visits) == 4000


def test_time_ends_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(np.arange(0.0, 1e6, 0.25))
    monkeypatch.setattr("fourlab.core.limit.time.perf_counter", lambda: next(clock))
    assert 0 < decide("mcts:time=1", "").effort < 200
    assert decide("mcts:time=1000,sims=50", "").effort == 50


def test_all_children_of_a_new_node_are_simulated_at_once() -> None:
    decision = decide("mcts:sims=7,expand=all", "")
    assert decision.visits == (1,) * 7
    assert decision.effort == 7


def test_the_picture_of_a_tree_tells_moves_and_visits() -> None:
    rules = game("connect4")
    player = agent("mcts:sims=500", rules)
    assert isinstance(player, Mcts)
    thought = player.think(position_of(rules, "444444"), np.random.default_rng(1))
    decision, picture = thought.decision, thought.branch(1)
    assert [child.move for child in picture.children] == [0, 1, 2, 4, 5, 6]
    assert {child.move: child.visits for child in picture.children} == {
        move: visits for move, visits in enumerate(decision.visits or ()) if move != 3
    }
    assert all(not child.children for child in picture.children)


def test_the_line_can_be_played() -> None:
    decision = decide("mcts:sims=3000", "4455")
    assert decision.line[0] == decision.move
    assert len(decision.line) > 2
    position_of(game("connect4"), "4455").play_all(decision.line)


def test_flat_values_are_shares_of_games() -> None:
    decision = decide("flat:playouts=200", "4455")
    assert decision.values is not None
    assert all(-1 <= (value or 0) <= 1 for value in decision.values)
    assert max(filter(None, decision.values)) == decision.values[decision.move]
    assert decision.effort == 1400


@pytest.mark.parametrize(
    "spec", ["mcts:sims=-1", "mcts:c=x", "mcts:formula=ucb9", "mcts:threads=0", "flat:playouts=0"]
)
def test_impossible_options_are_refused(spec: str) -> None:
    with pytest.raises(SpecError, match=spec.partition(":")[0]):
        agent(spec)


def test_threads_grow_one_tree_and_lose_next_to_nothing() -> None:
    rules = game("connect4")
    player = agent("mcts:sims=40000,threads=4", rules)
    decision = player.decide(rules.start(), np.random.default_rng(1))
    assert decision.effort >= 40_000
    assert decision.visits is not None
    # A thread that is kept waiting in the middle of a record undoes what came in between.
    assert 0.5 * decision.effort < sum(decision.visits) <= decision.effort
    assert decision.move == 3


@pytest.mark.parametrize("options", ["", ",minimax=2"])
def test_a_kept_leaf_that_is_proven_still_gets_a_move(options: str) -> None:
    rules = game("connect4")
    player = agent(f"mcts:sims=60,reuse=yes{options}", rules)
    assert isinstance(player, Mcts)
    rng = np.random.default_rng(5)
    for _ in range(20):
        position = rules.start()
        while not position.is_over:
            decision = player.decide(position, rng)
            assert [v is None for v in decision.values or ()] == [
                move not in position.legal_moves() for move in range(7)
            ]
            wins = position.winning_moves()
            assert decision.move in (wins or position.legal_moves())
            position = position.play(decision.move)
            if not position.is_over:
                position = position.play(int(rng.choice(position.legal_moves())))


def test_two_decisions_at_once_never_share_a_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = game("tictactoe")
    player = agent("mcts:sims=60,reuse=yes", rules)
    player.decide(rules.start(), np.random.default_rng(1))  # a tree is kept
    used: list[Any] = []
    real = Mcts._decide

    def interrupted(self: Mcts, space: Any, *rest: Any) -> Decision:
        used.append(space.tree)
        if len(used) == 1:  # another thread asks in the middle of this decision
            with ThreadPoolExecutor(1) as other:
                other.submit(player.decide, rules.start(), np.random.default_rng(2)).result()
        return real(self, space, *rest)

    monkeypatch.setattr(Mcts, "_decide", interrupted)
    player.decide(rules.start(), np.random.default_rng(3))
    one, two = used
    assert not np.shares_memory(one.children, two.children)
