"""Leaves that exact search decides: what is proven is true, and costs no network."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourlab.agents.zero import Zero, ZeroConfig
from fourlab.core.limit import Limit
from fourlab.rules.boards import Boards, boards_of
from fourlab.rules.geometry import Rules
from fourlab.search.forest import Forest, Puct, grow, new_forest, nodes_for, plant
from fourlab.search.proving import Prover
from fourlab.search.puct import CHILD, NO_CHILD, NODES, OPEN, PROOF, worth_of
from fourlab.search.scores import sign
from fourlab.search.solver import shared_solver
from fourlab.values.layers import Shape
from nets import random_network
from strategies import random_positions

DRAWN = Rules(5, 4, 4)
BOARDS = [Rules(4, 4, 3), DRAWN, Rules(3, 3, 3, gravity=False), Rules(4, 4, 4, gravity=False)]
TINY = Shape(width=4, blocks=1, head=2, hidden=4, bins=3)
ENOUGH = 100_000  # nodes for any position of these boards


def zero(rules: Rules, **options: Any) -> Zero:
    return Zero(rules, ZeroConfig(**options), random_network(rules, TINY))


def grown(rules: Rules, boards: Boards, sims: int, nodes: int) -> tuple[Forest, int]:
    """A forest of an evaluator that knows nothing, and how many leaves that was asked about."""
    puct, forest, asked = Puct(), new_forest(rules, len(boards.movers), nodes_for(sims)), 0

    def even(leaves: Boards) -> tuple[np.ndarray, np.ndarray]:
        nonlocal asked
        asked += len(leaves.movers)
        return np.ones((len(leaves.movers), rules.move_count)), np.zeros(len(leaves.movers))

    plant(rules, puct, forest, np.stack(boards[:2], 1), sims, 0, len(boards.movers))
    grow(rules, puct, forest, even, walk=Prover(rules, nodes))
    return forest, asked


@pytest.mark.parametrize("rules", BOARDS, ids=str)
def test_moves_that_all_are_decided_keep_the_value_whatever_the_network_says(rules: Rules) -> None:
    positions = random_positions(rules, 40)
    solver = shared_solver(rules)
    player = zero(rules, sims=300, prove=ENOUGH)  # so many that none is left untried
    moves = player.choose(boards_of(positions), np.zeros(40, int))
    for position, move in zip(positions, moves, strict=True):
        scores = solver.scores(position)
        assert sign(scores[move]) == max(sign(s) for s in scores if s is not None), str(position)


def test_a_win_is_the_soonest_and_a_loss_the_latest_where_all_moves_are_decided() -> None:
    missed = 0
    for rules in BOARDS:
        boards, solver = random_positions(rules, 60), shared_solver(rules)
        moves, alone = (
            zero(rules, sims=1, prove=nodes).choose(boards_of(boards), np.zeros(60, int))
            for nodes in (ENOUGH, 0)
        )
        for position, move, other in zip(boards, moves, alone, strict=True):
            scores = solver.scores(position)
            best = max(score for score in scores if score is not None)
            assert scores[move] == best, str(position)
            missed += scores[other] != best
    assert missed > 5


@given(first=st.integers(0, 200), nodes=st.sampled_from([1, 30, ENOUGH]))
@settings(max_examples=30, deadline=None)
def test_what_is_proven_is_true(first: int, nodes: int) -> None:
    positions = random_positions(DRAWN, first + 4)[first:]
    forest, _ = grown(DRAWN, boards_of(positions), 30, nodes)
    for tree, position in enumerate(positions):
        for move, score in enumerate(shared_solver(DRAWN).scores(position)):
            proof = float(forest.edges[tree, 0, PROOF, move])
            assert proof == OPEN or np.sign(proof) == sign(score), (position, move)


def test_with_nodes_enough_it_is_known_how_soon() -> None:
    positions = random_positions(DRAWN, 30)
    forest, _ = grown(DRAWN, boards_of(positions), 30, ENOUGH)
    found = set()
    for tree, position in enumerate(positions):
        for move, score in enumerate(shared_solver(DRAWN).scores(position)):
            proof = float(forest.edges[tree, 0, PROOF, move])
            if proof != OPEN and score is not None:
                assert proof == pytest.approx(worth_of(DRAWN, Puct(), score)), (position, move)
                found.add(score)
    assert len(found) > 5


def test_the_network_is_asked_less() -> None:
    boards = boards_of(random_positions(DRAWN, 20))
    _, every = grown(DRAWN, boards, 40, 0)
    _, few = grown(DRAWN, boards, 40, ENOUGH)
    assert few < every / 2


@pytest.mark.parametrize("nodes", [20, ENOUGH])
def test_decided_leaves_leave_no_nodes_behind(nodes: int) -> None:
    forest, _ = grown(DRAWN, boards_of(random_positions(DRAWN, 20)), 40, nodes)
    for tree in range(20):
        reached = [0]
        for node in reached:
            children = forest.edges[tree, node, CHILD, : DRAWN.move_count]
            reached += [int(child) for child in children if child != NO_CHILD]
        assert sorted(reached) == list(range(forest.counts[tree, NODES]))


@given(first=st.integers(0, 200))
@settings(max_examples=15, deadline=None)
def test_a_decision_depends_on_its_board_alone(first: int) -> None:
    boards = boards_of(random_positions(DRAWN, first + 6)[first:])
    player = zero(DRAWN, sims=12, prove=60)
    together = player.choose(boards, np.zeros(6, int))
    for row in range(6):
        alone = player.choose(boards.take(np.array([row])), np.zeros(1, int))
        assert alone[0] == together[row]


def test_a_limit_ends_it() -> None:
    stopped = Limit(stop=lambda: True)
    board = DRAWN.start()
    decision = zero(DRAWN, sims=10_000, prove=ENOUGH).decide(
        board, np.random.default_rng(0), stopped
    )
    assert decision.move in board.legal_moves()
    assert decision.effort <= 1
