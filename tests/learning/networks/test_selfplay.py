"""Games of self-play: what they teach, by hand where it can be, and that threads do not matter."""

from typing import NamedTuple

import numpy as np
import pytest

from fourlab.core.arrays import Ints
from fourlab.core.team import Team
from fourlab.learning.networks.lessons import (
    BLOCK,
    DRAWS,
    LOSSES,
    TAKEN,
    WINS,
    gather,
    new_harvest,
    new_lanes,
)
from fourlab.learning.networks.selfplay import Course, Games, advancer, begin
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position, position_of
from fourlab.search.forest import Puct, new_answers, new_forest, nodes_for
from fourlab.search.puct import NOBODY, WAITING, Reals
from fourlab.search.scores import sign
from fourlab.search.solver import shared_solver

SMALL = Rules(4, 4, 3)
NOWHERE = np.zeros((0, 2), np.int64)
PLAIN = Course(
    seed=5,
    games=400,
    stride=0,
    full_sims=16,
    fast_sims=4,
    full_share=0.5,
    noise=0.25,
    hot=4,
    mix=0.5,
    random_share=0.5,
    random_plies=6,
    weak_share=0.5,
    weak_first=0.5,
    weak_rate=0.5,
    start_share=0.0,
    asides=0.5,
)


class Lessons(NamedTuple):
    boards: Ints
    policies: Reals
    values: Reals
    tally: Ints


def taught(
    rules: Rules,
    course: Course,
    lanes: int = 2 * BLOCK + 5,
    threads: int = 1,
    starts: Ints = NOWHERE,
    puct: Puct = Puct(),  # noqa: B008  # a tuple
) -> Lessons:
    """Play all games of a course with answers that look like nothing in particular."""
    team = Team(threads)
    forest = new_forest(rules, lanes, nodes_for(course.full_sims))
    course = course._replace(stride=lanes)
    lane_arrays, harvest = new_lanes(rules, np.arange(lanes)), new_harvest(rules, lanes)
    games = Games(puct, course, starts, forest, lane_arrays, harvest)
    begin(rules, games, 0, lanes)
    advance, answers, tally = advancer(None), new_answers(rules, lanes), np.zeros(5, np.int64)
    blocks, moves = -(-lanes // BLOCK), np.arange(rules.move_count)
    room = blocks * BLOCK * (rules.cells + 2)
    space = (
        np.zeros((room, 2), np.int64),
        np.zeros((room, rules.move_count), np.float32),
        np.zeros(room, np.float32),
    )
    found = []
    while True:
        count = gather(harvest, *space, tally)
        found.append([array[:count].copy() for array in space])
        if (forest.counts[:, WAITING] == NOBODY).all():
            team.close()
            return Lessons(*(np.concatenate(part) for part in zip(*found, strict=True)), tally)
        mixed = (forest.leaves[:, 0] * 31 + forest.leaves[:, 1] * 17) % 1009
        answers[:, :-1] = 1 + (mixed[:, None] * (moves + 3)) % 11
        answers[:, -1] = (mixed % 21 - 10) / 40
        team.share(lambda first, stop: advance(rules, games, answers, first, stop), blocks)


def positions_of(rules: Rules, lessons: Lessons) -> list[Position]:
    return [Position(rules, *board, ()) for board in lessons.boards.tolist()]


@pytest.mark.parametrize("rules", [SMALL, Rules(3, 3, 3, gravity=False)], ids=str)
def test_every_game_is_played_and_every_lesson_is_one(rules: Rules) -> None:
    lessons = taught(rules, PLAIN)
    assert lessons.tally[[WINS, DRAWS, LOSSES]].sum() == 400
    assert len(lessons.values) == lessons.tally[TAKEN]
    assert np.abs(lessons.values).max() <= 1
    np.testing.assert_allclose(lessons.policies.sum(1), 1, atol=1e-5)
    for position, policy in zip(positions_of(rules, lessons), lessons.policies, strict=True):
        assert not position.is_over
        assert set(np.flatnonzero(policy > 1e-6).tolist()) <= set(position.legal_moves())


def test_lessons_do_not_depend_on_threads_and_one_seed_is_one_course() -> None:
    alone = taught(SMALL, PLAIN)
    for others in (taught(SMALL, PLAIN, threads=3), taught(SMALL, PLAIN)):
        for one, other in zip(alone, others, strict=True):
            np.testing.assert_array_equal(one, other)
    another = taught(SMALL, PLAIN._replace(seed=6))
    assert not np.array_equal(alone.boards[:50], another.boards[:50])


def test_what_is_decided_is_taught_as_the_rules_have_it() -> None:
    lessons = taught(SMALL, PLAIN._replace(asides=1.0))
    wins = losses = 0
    for position, policy, value in zip(
        positions_of(SMALL, lessons), lessons.policies, lessons.values, strict=True
    ):
        likely = set(np.flatnonzero(policy > 0.01).tolist())
        if winning := set(position.winning_moves()):
            wins += 1
            assert likely == winning
            assert value > 0.6
        elif all(position.play(move).winning_moves() for move in position.legal_moves()):
            losses += position.ply < SMALL.cells - 1
            assert value <= 0
    assert wins > 100
    assert losses > 20


def test_only_moves_are_taught_with_the_value_of_what_follows() -> None:
    """A block is the whole policy, and its value is that of the game, search alone and all."""
    for mix in (0.0, 1.0):
        lessons = taught(SMALL, PLAIN._replace(mix=mix, full_share=1.0, weak_share=0.0))
        blocks = 0
        for position, policy, value in zip(
            positions_of(SMALL, lessons), lessons.policies, lessons.values, strict=True
        ):
            safe = [m for m in position.legal_moves() if not position.play(m).winning_moves()]
            if len(safe) == 1 and not position.winning_moves():
                blocks += 1
                assert policy[safe[0]] == pytest.approx(1)
                assert value != 0 or mix == 1.0
        assert blocks > 50


def test_before_a_random_move_the_result_does_not_count() -> None:
    """With the result alone as target, values are results: never those of the search between.

    Before a random move, or a drawn one that gives something away, the search's value stands.
    """

    def between(**course: float) -> float:
        values = taught(SMALL, PLAIN._replace(mix=1.0, **course)).values
        return float(((np.abs(values) < 0.6) & (values != 0)).mean())

    assert between(weak_share=0.0, hot=0) == 0.0
    assert 0.1 < between(weak_share=1.0, weak_rate=1.0, hot=0) < 0.9
    assert 0.02 < between(weak_share=0.0, hot=6) < 0.9


def test_games_begin_where_they_are_told_to() -> None:
    hole = position_of(Rules(7, 6, 4), "44444")
    starts = np.array([[hole.mover, hole.occupied]], np.int64)
    course = PLAIN._replace(games=200, start_share=1.0, full_share=1.0, asides=0.0)
    lessons = taught(Rules(7, 6, 4), course, starts=starts)
    occupied = lessons.boards[:, 1]
    assert (occupied & hole.occupied == hole.occupied).all()
    assert (occupied == hole.occupied).sum() == 200
    half = taught(Rules(7, 6, 4), course._replace(start_share=0.5), starts=starts)
    assert 60 < (half.boards[:, 1] == hole.occupied).sum() < 140


def test_a_proven_game_ends_with_a_true_result() -> None:
    """Positions taught with a proof have the sign that the solver gives them."""
    lessons = taught(SMALL, PLAIN._replace(mix=0.0, weak_share=0.0, full_sims=200))
    sure = 0
    for position, value in zip(positions_of(SMALL, lessons), lessons.values, strict=True):
        if abs(value) >= 0.6:
            scores = shared_solver(SMALL).scores(position)
            assert sign(max(s for s in scores if s is not None)) == np.sign(value)
            sure += 1
    assert sure > 300


def test_without_the_rule_the_end_is_still_seen() -> None:
    lessons = taught(SMALL, PLAIN, puct=Puct(rule=False, forced=False))
    assert lessons.tally[[WINS, DRAWS, LOSSES]].sum() == 400
    seen = [bool(position.winning_moves()) for position in positions_of(SMALL, lessons)]
    assert sum(seen) > 50
