"""The bookkeeping of the search tree, and that kernels and plain Python grow the same one."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourlab.core.dice import seeded
from fourlab.rules.catalog import game
from fourlab.search.mcts import BY_VISITS, new_told, searcher
from fourlab.search.simulation import Variant
from fourlab.search.tree import (
    DRAW,
    LOSS,
    MEAN,
    NEXT,
    PUCT,
    TUNED,
    UCB1,
    UCT,
    UNPROVEN,
    VISITS,
    WIN,
    Selection,
    Tree,
    grow,
    has_room,
    new_tree,
    record,
    select,
    transplant,
    verdict,
)

SELECTION = Selection(UCT, 1.4, 2.0, True, 0.0)
VARIANT = Variant(SELECTION, 1.0, 0.0, -1.0, 0.0, False, 64, False, 0, BY_VISITS)


def family(rewards: list[list[float]]) -> Tree:
    """A root whose children have had these rewards."""
    tree = new_tree(1 + len(rewards), 1)
    tree.first_child[0], tree.children[0] = grow(tree, len(rewards)), len(rewards)
    for child, list_of_rewards in enumerate(rewards, start=1):
        for reward in list_of_rewards:
            record(tree, child, reward)
            record(tree, 0, -reward)
    return tree


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=40))
def test_a_node_keeps_mean_and_variance(rewards: list[float]) -> None:
    tree = family([rewards])
    visits, mean, spread, deviation = tree.stats[1]
    assert visits == len(rewards)
    assert mean == pytest.approx(np.mean(rewards), abs=1e-12)
    assert spread == pytest.approx(1 / math.sqrt(len(rewards)))
    assert deviation / visits == pytest.approx(np.var(rewards), abs=1e-12)


def score(formula: int, rewards: list[float], total: int, children: int) -> float:
    n, mean, c = len(rewards), float(np.mean(rewards)), 1.4
    log = math.log(total)
    if formula == UCB1:
        return mean + c * math.sqrt(2 * log / n)
    if formula == TUNED:
        variance = float(np.var(rewards)) + math.sqrt(2 * log / n)
        return mean + c * math.sqrt(log / n * min(1.0, variance))
    if formula == PUCT:
        return mean + c / children * math.sqrt(total) / (1 + n)
    return mean + c * math.sqrt(log / n)


REWARDS = st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1.0]), min_size=1, max_size=30)


@given(st.lists(REWARDS, min_size=2, max_size=7), st.sampled_from([UCT, UCB1, TUNED, PUCT]))
def test_the_child_with_the_best_formula_is_followed(
    rewards: list[list[float]], formula: int
) -> None:
    total = sum(map(len, rewards))
    chosen, _ = select(family(rewards), SELECTION._replace(formula=formula), 0, 0, 1)
    scores = [score(formula, list_, total, len(rewards)) for list_ in rewards]
    assert scores[chosen] == pytest.approx(max(scores), abs=1e-9)


def test_untried_children_come_first_in_any_order() -> None:
    tree = family([[1.0] * 50, [], [1.0], []])
    chosen = {select(tree, SELECTION, 0, 0, seeded(seed))[0] for seed in range(40)}
    assert chosen == {1, 3}


def test_children_proven_lost_are_left_alone_only_by_the_solver() -> None:
    tree = family([[1.0, 1.0], [0.0, 0.0]])
    tree.proven[1] = LOSS
    assert select(tree, SELECTION, 0, 0, 1)[0] == 1
    assert select(tree, SELECTION._replace(solver=False), 0, 0, 1)[0] == 0


def test_hopeless_children_are_dropped_only_when_asked() -> None:
    tree = family([[1.0] * 400, [-1.0] * 20])
    explore = SELECTION._replace(exploration=50.0)
    assert select(tree, explore, 0, 0, 1)[0] == 1
    assert select(tree, explore._replace(prune=2.0), 0, 0, 1)[0] == 0
    assert select(tree, explore._replace(prune=9.0), 0, 0, 1)[0] == 1  # not that far behind


@pytest.mark.parametrize(
    ("children", "expected"),
    [
        ([(WIN, 3), (WIN, 1), (UNPROVEN, 0)], (LOSS, 2)),
        ([(LOSS, 2), (LOSS, 6)], (WIN, 7)),
        ([(LOSS, 2), (DRAW, 4)], (DRAW, 5)),
        ([(LOSS, 2), (UNPROVEN, 0)], (UNPROVEN, 0)),
        ([(DRAW, 2), (UNPROVEN, 0)], (UNPROVEN, 0)),
        ([(DRAW, 0), (WIN, 4)], (LOSS, 5)),
    ],
)
def test_what_children_prove(children: list[tuple[int, int]], expected: tuple[int, int]) -> None:
    tree = family([[] for _ in children])
    for node, (proven, plies) in enumerate(children, start=1):
        tree.proven[node], tree.plies[node] = proven, plies
    assert verdict(tree, 0) == expected


def grown(name: str, simulations: int, variant: Variant = VARIANT, seed: int = 5) -> Tree:
    rules = game(name)
    tree = new_tree(simulations * rules.move_count + 100, rules.cells)
    empty, one = np.zeros(1, np.int64), np.zeros(1, np.int64)
    told = new_told(rules, in_full=False)
    search = searcher(None)
    search(rules, tree, variant, None, empty, empty, simulations, True, np.array([seed]), one, told)
    return tree


def shape(tree: Tree, node: int = 0) -> tuple[object, ...]:
    """Everything that a subtree knows, wherever its nodes lie."""
    first, count = int(tree.first_child[node]), int(tree.children[node])
    own = (*tree.stats[node].tolist(), int(tree.proven[node]), int(tree.plies[node]))
    return (own, *(shape(tree, first + index) for index in range(count)))


def test_kernels_and_plain_python_grow_this_tree() -> None:
    tree = grown("tictactoe", 120)
    assert tree.stats[1:10, VISITS].astype(int).tolist() == GOLDEN_VISITS
    assert int(tree.rooms[0, NEXT]) == GOLDEN_NODES


def test_visits_add_up() -> None:
    tree = grown("connect:columns=4,rows=4,k=3", 300, VARIANT._replace(selection=OPEN))
    assert tree.stats[0, VISITS] == 300
    for node in range(int(tree.rooms[0, NEXT])):
        count, first = int(tree.children[node]), int(tree.first_child[node])
        if count:
            below = tree.stats[first : first + count, VISITS].sum()
            assert below == tree.stats[node, VISITS] - (node > 0)
            rewards = (
                tree.stats[first : first + count, MEAN]
                @ (tree.stats[first : first + count, VISITS])
            )
            if node == 0:  # zero-sum rewards: what the children gained, the root lost
                assert rewards == pytest.approx(-tree.stats[0, MEAN] * 300)


def test_a_transplanted_subtree_is_the_subtree() -> None:
    tree = grown("connect:columns=4,rows=4,k=3", 300)
    target = new_tree(len(tree.children), 16)
    for node in (0, 1, 2, int(tree.first_child[1])):
        transplant(tree, node, target)
        assert shape(target) == shape(tree, node)


def test_threads_avoid_what_another_is_trying() -> None:
    tree = family([[1.0] * 5, [0.9] * 5])._replace(paths=np.zeros((2, 3), np.int64))
    assert select(tree, SELECTION, 0, 0, 1)[0] == 0
    tree.paths[1, 1] = 1  # the other thread is below the first child
    assert select(tree, SELECTION, 0, 0, 1)[0] == 1
    untried = family([[], []])._replace(paths=np.array([[0, 0, 0], [0, 2, 0]]))
    assert {select(untried, SELECTION, 0, 0, seeded(seed))[0] for seed in range(20)} == {0}


def test_each_thread_takes_nodes_of_its_own() -> None:
    tree = new_tree(101, 4, threads=4)
    parts = [set(range(*tree.rooms[thread].tolist())) for thread in range(4)]
    assert set.union(*parts) == set(range(1, 101))
    assert sum(map(len, parts)) == 100
    second = tree._replace(thread=1)
    assert grow(second, 7) in parts[1]
    assert has_room(second, 18)
    assert not has_room(second, 19)


OPEN = SELECTION._replace(solver=False)
GOLDEN_VISITS = [25, 7, 9, 8, 19, 20, 8, 13, 11]
GOLDEN_NODES = 271
