"""The exact search against retrograde values, for every position of small games."""

import numpy as np
import pytest

import retrograde
from fourlab.rules import formats
from fourlab.rules.catalog import game
from fourlab.search.scores import stones_to_come, words
from fourlab.search.solver import Solver

SMALL = [
    "tictactoe",
    "connect:columns=4,rows=4,k=4",
    "connect:columns=4,rows=4,k=3",
    "connect:columns=5,rows=4,k=4",
    "connect:columns=5,rows=4,k=3",
    "connect:columns=4,rows=5,k=4",
    "connect:columns=3,rows=7,k=4",
    "connect:columns=6,rows=2,k=3",
    "connect:columns=2,rows=6,k=2",
    "connect:columns=1,rows=6,k=3",
    "connect:columns=7,rows=1,k=3",
    "mnk:columns=3,rows=4,k=3",
    "mnk:columns=4,rows=3,k=4",
    pytest.param("mnk:columns=4,rows=4,k=4", marks=pytest.mark.slow),
    pytest.param("connect:columns=4,rows=6,k=4", marks=pytest.mark.slow),
    pytest.param("connect:columns=5,rows=4,k=5", marks=pytest.mark.slow),
]


@pytest.mark.parametrize("name", ["tictactoe", "connect:columns=3,rows=3,k=3"])
def test_retrograde_values_equal_plain_recursion(name: str) -> None:
    rules = game(name)
    for shelf, scores in zip(*retrograde.truth(name), strict=True):
        for mover, occupied, score in zip(
            shelf.movers.tolist(), shelf.occupied.tolist(), scores.tolist(), strict=True
        ):
            waiting = mover ^ occupied
            sides = (mover, waiting) if occupied.bit_count() % 2 == 0 else (waiting, mover)
            assert retrograde.naive_score(formats.from_stones(rules, *sides)) == score


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("weak", [False, True], ids=["strong", "weak"])
def test_every_position_of_a_small_game(name: str, weak: bool) -> None:
    solver = Solver(name, table_mb=16)
    for shelf, scores in zip(*retrograde.truth(name), strict=True):
        job = solver.solve_arrays(shelf.movers, shelf.occupied, weak=weak)
        assert np.array_equal(job.low, np.sign(scores) if weak else scores)
        assert np.array_equal(job.high, job.low)


@pytest.mark.parametrize("name", ["tictactoe", "connect:columns=5,rows=4,k=4"])
def test_words_count_the_stones_that_perfect_play_still_needs(name: str) -> None:
    rules = game(name)
    solver = Solver(rules)
    rng = np.random.default_rng(5)
    said = set()
    for _ in range(120):
        position = rules.start()
        for _ in range(rng.integers(0, rules.cells - 1)):
            if not position.is_over:
                position = position.play(int(rng.choice(position.legal_moves())))
        if position.is_over:
            continue
        score = solver.score(position)
        said.add(words(rules, position.ply, score).split()[0])
        line = solver.line(position)
        if score != 0:
            winner_first = score > 0
            own = len(line[0::2]) if winner_first else len(line[1::2])
            assert len(line) % 2 == winner_first
            assert stones_to_come(rules, position.ply, score) == own
    assert said == {"Win", "Draw", "Loss"}
