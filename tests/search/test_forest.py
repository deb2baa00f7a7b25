"""Forests of trees: backups by hand, true proofs, and trees that do not know each other."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategies import random_positions

from fourlab.core.team import Team
from fourlab.rules.boards import Boards, boards_of
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position, position_of
from fourlab.search.forest import (
    Puct,
    absorb,
    descend,
    grow,
    line,
    new_answers,
    new_forest,
    nodes_for,
    plant,
    search,
    tell,
)
from fourlab.search.puct import DEPTH, NOBODY, NODES, PRIOR, TOTAL, VISITS, WAITING
from fourlab.search.scores import sign
from fourlab.search.solver import shared_solver

SMALL = Rules(4, 4, 3)
DRAWN = Rules(5, 4, 4)
BOARDS = [SMALL, DRAWN, Rules(3, 3, 3, gravity=False)]


def even(boards: Boards, moves: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """An evaluator that knows nothing."""
    count = len(boards.movers)
    return np.ones((count, moves)), np.zeros(count)


def knowing(rules: Rules):
    return lambda boards: even(boards, rules.move_count)


def hashing(rules: Rules):
    """An evaluator whose answers depend on the row alone and look like nothing in particular."""

    def evaluate(boards: Boards) -> tuple[np.ndarray, np.ndarray]:
        mixed = (boards.movers * 31 + boards.occupied * 17) % 1009
        moves = np.arange(rules.move_count)
        priors = 1 + (mixed[:, None] * (moves + 3)) % 11
        return priors / priors.sum(1, keepdims=True), (mixed % 21 - 10) / 20

    return evaluate


def roots_of(positions) -> np.ndarray:
    return np.array([[p.mover, p.occupied] for p in positions], np.int64)


def test_an_answer_is_counted_along_the_walk_with_changing_sign() -> None:
    rules, puct = Rules(7, 6, 4), Puct(exploration=1.5, urgency=0.2)
    forest = new_forest(rules, 1, 16)
    plant(rules, puct, forest, roots_of([rules.start()]), 8, 0, 1)
    answers = new_answers(rules, 1)
    answers[0] = [0.05, 0.05, 0.2, 0.4, 0.2, 0.05, 0.05, 0.1]
    absorb(rules, forest, answers, 0, 1)
    assert forest.edges[0, 0, PRIOR, :7] == pytest.approx(answers[0, :7])
    # The likeliest move first; its answer, seen by the other side, counts with the other sign.
    assert descend(rules, puct, forest, 0, 1) == 1
    assert forest.leaves[0].tolist() == [0, 1 << 21]
    answers[0] = [0.1, 0.1, 0.1, 0.6, 0.05, 0.05, 0.0, 0.3]
    absorb(rules, forest, answers, 0, 1)
    root = forest.edges[0, 0]
    assert root[VISITS].tolist() == [0, 0, 0, 1, 0, 0, 0, 2]
    assert root[TOTAL, 3] == pytest.approx(-0.3)
    assert root[TOTAL, 7] == pytest.approx(0.1 - 0.3)
    # Now -0.3 + 1.5 sqrt(2) 0.4 / 2 = 0.124 against, for the moves beside it, the root's mean of
    # -0.1 less 0.2 sqrt(0.4), and 1.5 sqrt(2) 0.2: together 0.198.
    descend(rules, puct, forest, 0, 1)
    assert forest.leaves[0].tolist() == [0, 1 << 14]
    answers[0, 7] = 0.9
    absorb(rules, forest, answers, 0, 1)
    # The first move comes again, and behind it its likeliest answer: two plies back to the root.
    descend(rules, puct, forest, 0, 1)
    assert forest.counts[0, DEPTH] == 2
    assert forest.leaves[0].tolist() == [1 << 21, 3 << 21]
    answers[0, 7] = 0.5
    absorb(rules, forest, answers, 0, 1)
    assert root[TOTAL, 3] == pytest.approx(-0.3 + 0.5)
    assert forest.edges[0, 1, TOTAL, 3] == pytest.approx(-0.5)
    assert forest.edges[0, 1, VISITS].tolist() == [0, 0, 0, 1, 0, 0, 0, 2]
    told = tell(rules, puct, forest)
    assert told.values[0, 3] == pytest.approx(0.1)
    # What was never tried counts as the root: 0.1 once, thrice the mean of both moves by priors.
    untried = (0.1 + 3 * (0.4 * 0.1 - 0.2 * 0.9) / 0.6) / 4
    values = np.array([untried, untried, -0.9, 0.1, untried, untried, untried])
    likely = np.array([0.05, 0.05, 0.2, 0.4, 0.2, 0.05, 0.05]) * np.exp(0.25 * 52 * values)
    assert told.worths[0] == pytest.approx((likely * values).sum() / likely.sum(), rel=1e-3)


@pytest.mark.parametrize(
    ("moves", "best", "tried"),
    [
        ("112233", {3}, {3}),  # a win at hand
        ("11223", {3}, {3}),  # a block, and nothing else
        ("4433", set(range(7)), set(range(7))),
    ],
)
def test_the_rules_are_asked_first(moves: str, best: set[int], tried: set[int]) -> None:
    rules = Rules(7, 6, 4)
    told = search(rules, knowing(rules), boards_of([position_of(rules, moves)]), 0)
    assert set(np.flatnonzero(told.policies[0]).tolist()) == tried
    assert told.moves[0] in best


def test_a_win_is_worth_more_the_sooner_it_comes() -> None:
    rules, position = Rules(7, 6, 4), position_of(Rules(7, 6, 4), "112233")
    boards = boards_of([position])
    for graded, worth in ((0.4, 0.6 + 0.4 * 18 / 21), (0.0, 1.0)):
        told = search(rules, knowing(rules), boards, 10, Puct(graded=graded))
        assert told.worths[0] == pytest.approx(worth)
        assert told.proofs[0, 3] == pytest.approx(worth)


@pytest.mark.parametrize("rules", BOARDS, ids=str)
@settings(max_examples=40, deadline=None)
@given(index=st.integers(0, 199), forced=st.booleans(), sims=st.sampled_from([20, 400]))
def test_proofs_are_true(rules: Rules, index: int, forced: bool, sims: int) -> None:
    position = random_positions(rules, 200)[index]
    told = search(
        rules, hashing(rules), boards_of([position]), sims, Puct(forced=forced, graded=0.3)
    )
    scores = shared_solver(rules).scores(position)
    for move, proof in enumerate(told.proofs[0]):
        assert (scores[move] is None) <= np.isnan(proof)
        if not np.isnan(proof):
            assert sign(scores[move]) == np.sign(proof)
    best = max(score for score in scores if score is not None)
    if np.isfinite(told.proofs[0, told.moves[0]]) and sims == 400:
        assert sign(scores[told.moves[0]]) == sign(best)


def test_small_boards_are_proven() -> None:
    rules = SMALL
    positions = random_positions(rules, 100)
    told = search(rules, knowing(rules), boards_of(positions), 3000)
    scores = [shared_solver(rules).scores(position) for position in positions]
    for row, known in enumerate(scores):
        best = max(score for score in known if score is not None)
        assert np.isfinite(told.proofs[row, told.moves[row]])
        assert sign(known[told.moves[row]]) == sign(best) == np.sign(told.worths[row])


@pytest.mark.parametrize("rules", [*BOARDS, Rules(7, 6, 4)], ids=str)
@pytest.mark.parametrize("threads", [1, 3])
def test_trees_do_not_know_each_other(rules: Rules, threads: int) -> None:
    positions = random_positions(rules, 23)
    team = Team(threads)
    together = search(rules, hashing(rules), boards_of(positions), 60, team=team)
    team.close()
    for row, position in enumerate(positions):
        alone = search(rules, hashing(rules), boards_of([position]), 60)
        for some, one in zip(together, alone, strict=True):
            np.testing.assert_array_equal(some[row], one[0])


@pytest.mark.parametrize("forced", [True, False])
def test_only_moves_cost_no_evaluation(forced: bool) -> None:
    rules, singles = Rules(7, 6, 4), []

    def evaluate(boards: Boards) -> tuple[np.ndarray, np.ndarray]:
        positions = [boards.position(rules, row) for row in range(len(boards.movers))]
        singles.extend(len(_safe_moves(position)) == 1 for position in positions)
        return hashing(rules)(boards)

    search(rules, evaluate, boards_of([position_of(rules, "444443")]), 200, Puct(forced=forced))
    assert any(singles) != forced


def _safe_moves(position: Position) -> list[int]:
    """The moves that do not lose at once, written out."""
    return [move for move in position.legal_moves() if not position.play(move).winning_moves()]


def test_a_full_tree_and_a_proven_one_are_done() -> None:
    rules, puct = Rules(7, 6, 4), Puct(forced=False)
    forest = new_forest(rules, 2, 10)
    plant(rules, puct, forest, roots_of([rules.start(), position_of(rules, "4433")]), 50, 0, 2)
    grow(rules, puct, forest, hashing(rules))
    assert forest.counts[0, NODES] == 10
    assert forest.counts[1, NODES] < 10  # two open ends: a line of four cannot be stopped
    assert tell(rules, puct, forest).worths[1] > 0.6
    assert (forest.counts[:, WAITING] == NOBODY).all()


def test_search_finds_what_the_evaluator_does_not_know() -> None:
    """From an evaluator that knows nothing, the more simulations the better."""
    rules = DRAWN
    positions = random_positions(rules, 60)
    scores = [shared_solver(rules).scores(position) for position in positions]
    good = []
    for sims in (0, 5000):
        moves = search(rules, knowing(rules), boards_of(positions), sims).moves
        best = [max(score for score in known if score is not None) for known in scores]
        rows = zip(scores, moves, best, strict=True)
        good.append(sum(sign(known[move]) == sign(top) for known, move, top in rows))
    assert good[1] >= good[0] + 8


def test_the_line_begins_with_the_move_and_is_legal() -> None:
    rules = Rules(7, 6, 4)
    forest, puct = new_forest(rules, 1, 400), Puct()
    plant(rules, puct, forest, roots_of([rules.start()]), 250, 0, 1)
    grow(rules, puct, forest, hashing(rules))
    told = tell(rules, puct, forest)
    moves = np.zeros(42, np.int64)
    count = line(rules, forest, 0, int(told.moves[0]), moves)
    assert count > 1
    assert moves[0] == told.moves[0]
    position_of(rules, tuple(moves[:count].tolist()))


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("moves", ["", "111122223"])
def test_answers_that_are_no_numbers_lead_no_walk_astray(odd: float, moves: str) -> None:
    rules = Rules(5, 4, 4)

    def evaluate(boards: Boards) -> tuple[np.ndarray, np.ndarray]:
        count = len(boards.movers)
        return np.full((count, rules.move_count), odd), np.full(count, odd)

    position = position_of(rules, moves)
    forest = new_forest(rules, 1, nodes_for(300))
    plant(rules, Puct(), forest, np.array([[position.mover, position.occupied]]), 300, 0, 1)
    grow(rules, Puct(), forest, evaluate)
    assert forest.counts[0, DEPTH] <= rules.cells
    assert np.isfinite(forest.edges).all()
    told = tell(rules, Puct(), forest)
    assert told.moves[0] in position.legal_moves()
    assert np.isfinite(told.policies).all()
