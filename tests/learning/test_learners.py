"""Learners learn what is known to be true, and the same every time."""

import functools
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fourlab.agents.registry import agent
from fourlab.core.errors import SpecError
from fourlab.core.spec import options_of
from fourlab.learning.base import Learner
from fourlab.learning.evaluation import against_truth, play_off, truth_positions
from fourlab.learning.opponents import opponents
from fourlab.learning.registry import LEARNERS, learner
from fourlab.learning.tables.learner import TableLearner
from fourlab.rules.catalog import game
from fourlab.rules.kernels import move_cell
from fourlab.rules.position import Position, position_of
from fourlab.search.scores import sign
from fourlab.search.solver import solve
from fourlab.values.store import teach

SMALL = {"n-tuple": "n-tuple:tuples=4,length=3"}
TABLES = [name for name in LEARNERS if issubclass(LEARNERS[name], TableLearner)]
SPECS = [SMALL.get(name, name) for name in TABLES]


def trained(spec: str, board: str = "tictactoe", seed: int = 1, **options: object) -> Learner:
    made = learner(spec, board, seed, **options)
    for _ in made.steps():
        pass
    return made


def digest(made: Learner) -> str:
    arrays = made.knowledge.arrays()
    whole = hashlib.sha256()
    for name in sorted(arrays):
        whole.update(name.encode() + np.ascontiguousarray(arrays[name]).tobytes())
    return whole.hexdigest()


@pytest.mark.parametrize("spec", SPECS)
def test_one_seed_is_one_table(spec: str) -> None:
    first = digest(trained(spec, games=300))
    assert digest(trained(spec, games=300)) == first
    assert digest(trained(spec, games=300, chunk=7)) == first
    assert digest(trained(spec, games=300, seed=2)) != first


PLAIN = """
import json, sys
sys.path[:0] = {path!r}
from test_learners import digest, trained
print(json.dumps([digest(trained(spec, games=25)) for spec in {specs!r}]))
"""


def test_jitted_and_plain_python_learn_the_same() -> None:
    specs = [*SPECS, "q:opponent=self,spread=0.3", "td-lambda:opponent=(frozen:every=10)"]
    code = PLAIN.format(specs=specs, path=[os.path.dirname(__file__)])  # noqa: PTH120
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    assert json.loads(run.stdout) == [digest(trained(spec, games=25)) for spec in specs]


@pytest.mark.parametrize("spec", ["q", "afterstates", "double-q", "td-lambda", "monte-carlo"])
def test_a_game_of_two_cells_gets_its_known_values(spec: str) -> None:
    board = "connect:columns=2,rows=1,k=2"
    rewards = {"draw": 1.0, "step": -0.25, "block": 0.0, "gamma": 0.5, "games": 2000}
    options = rewards if spec == "monte-carlo" else {**rewards, "epsilon": "1"}
    versus = trained(spec, board, **options)
    assert versus.knowledge.move_values(game(board).start()) == pytest.approx([1, 1], abs=1e-3)
    after = position_of(game(board), "1")
    assert versus.knowledge.move_values(after)[1] == pytest.approx(1, abs=1e-3)
    # Alone, the second player sees the draw as the first player's gain: -1, and -0.25 + 0.5 * 1.
    alone = trained(spec, board, **options, opponent="self")
    assert alone.knowledge.move_values(after)[1] == pytest.approx(-1, abs=1e-3)
    assert alone.knowledge.move_values(game(board).start()) == pytest.approx([0.25] * 2, abs=1e-3)


@pytest.mark.parametrize(("board", "last"), [("columns=2,rows=1", "1"), ("columns=3,rows=1", "12")])
def test_a_network_knows_a_draw_as_the_side_that_fills_the_board_sees_it(
    board: str, last: str
) -> None:
    for opponent, seen in (("self", -1 if last == "1" else 1), ("random", 1)):
        options = f"n-tuple:tuples=4,length=1,games=10,draw=0.5,opponent={opponent}"
        made = trained(options, f"connect:{board},k=2")
        position = position_of(made.rules, last)
        [filling] = position.legal_moves()
        assert made.knowledge.move_values(position)[filling] == 0.5 * seen


def test_what_ends_are_worth_to_a_network_is_turned_while_it_learns(tmp_path: Path) -> None:
    made = learner("n-tuple:tuples=4,length=1,games=20,chunk=10", "connect:columns=3,rows=1,k=2")
    next(made.steps())
    made.tune(win=0.5, draw=0.25)
    made.save(tmp_path / made.file)
    for one in (made, type(made).load(tmp_path / made.file)):
        assert one.knowledge.move_values(position_of(made.rules, "13"))[1] == 0.5
        assert one.knowledge.move_values(position_of(made.rules, "12"))[2] == 0.25


def test_a_network_that_was_turned_goes_on_against_its_earlier_self_as_if_never_put_away(
    tmp_path: Path,
) -> None:
    spec = "n-tuple:games=400,opponent=(frozen:every=200)"
    made = learner(spec, "connect:columns=4,rows=3,k=3", 1)
    made.advance(250)
    made.tune(win=0.1)
    made.save(tmp_path / made.file)
    again = type(made).load(tmp_path / made.file)
    weights = []
    for one in (made, again):
        one.advance(100)
        weights.append(one.knowledge.arrays()["weights"])
    assert (weights[0] == weights[1]).all()


@pytest.mark.parametrize(
    ("opponent", "games", "least"),
    [
        ("minimax:ties=first", 800, 0.98),
        ("perfect", 800, 0.6),
        ("perfect", 4000, 0.98),
        ("self", 3500, 0.98),
    ],
)
def test_the_position_of_the_deep_q_study(opponent: str, games: int, least: float) -> None:
    """X on 3 and 5, O on 7 and 8: only 9 wins, by two threats; everything else loses.

    Minimax to the end, which always takes the first of equal replies, is the study's opponent;
    `perfect` draws from four equal replies to 9, so that what follows is learned four times over.
    """
    made = trained(
        "q:alpha=0.1,gamma=1,epsilon=1,symmetric=no,side=first,start=(moves:3758)",
        opponent=opponent,
        games=games,
    )
    values = made.knowledge.move_values(position_of(made.rules, "3758"))
    assert least < values[8] <= 1
    assert [values[move] for move in (0, 1, 3, 5)] == pytest.approx([-1] * 4, abs=0.01)


def greedy_positions(made: Learner, position: Position, free: int) -> set[Position]:
    """All positions where one side plays its best moves and side `free` any."""
    if position.is_over:
        return set()
    values = made.knowledge.move_values(position)
    top = max(value for value in values if value is not None)
    moves = position.legal_moves()
    if position.to_move != free:
        moves = tuple(move for move in moves if values[move] == top)
    found = {position}
    for move in moves:
        found |= greedy_positions(made, position.play(move), free)
    return found


@functools.cache
def tictactoe_by_self_play() -> Learner:
    return trained("q:opponent=self,alpha=1,epsilon=0.5,games=200000,symmetric=yes")


def test_tictactoe_by_self_play_is_solved() -> None:
    made = tictactoe_by_self_play()
    reached = {p for free in (0, 1) for p in greedy_positions(made, made.rules.start(), free)}
    assert len(reached) > 100
    for position in reached:
        truth = max(score for score in solve(position) if score is not None)
        values = made.knowledge.move_values(position)
        assert max(value for value in values if value is not None) == sign(truth)


@pytest.mark.parametrize("spec", ["q:draw=-0.6", "afterstates:win=0.2"])
def test_values_of_self_play_are_the_truth_on_the_scale_of_decisions(spec: str) -> None:
    soon_known = "games=1000,alpha=1,epsilon=1,start=(moves:125473)"
    made = trained(f"{spec},opponent=self,{soon_known}")
    for moves in ("125473", "1254736", "12547369"):
        position = position_of(made.rules, moves)
        values = made.agent().decide(position, np.random.default_rng(0)).values
        truth = [None if score is None else sign(score) for score in solve(position)]
        assert values == pytest.approx(truth, abs=1e-6), moves


@pytest.mark.parametrize("opponent", ["perfect", "random"])
def test_tictactoe_by_self_play_never_loses(opponent: str) -> None:
    made = tictactoe_by_self_play()
    score = play_off(made, agent(opponent, made.rules), 10_000, seed=1, side="alternating")
    assert score.games == 10_000
    assert score.losses == 0
    assert score.wins == 0 if opponent == "perfect" else score.wins > 8000


@pytest.mark.parametrize("spec", SPECS)
def test_every_learner_gets_better(spec: str) -> None:
    board = "connect:columns=4,rows=4,k=3"
    options = {"games": 20_000, "opponent": "random", "side": "first"}
    made = learner(spec, board, 1, **options)
    before = play_off(made, agent("baseline", board), 1000, 1, "first")
    for _ in made.steps():
        pass
    after = play_off(made, agent("baseline", board), 1000, 1, "first")
    assert after.wins > before.wins + 100


def test_first_and_second_in_one_table_do_not_meet() -> None:
    """A state knows whose turn it is: one table for both sides is two tables in one."""
    both = trained("q:games=2000,alpha=1,gamma=0,epsilon=1,opponent=random,symmetric=no")
    keys = {side: set() for side in ("first", "second")}
    for side in keys:
        alone = trained("q:games=4000,alpha=1,epsilon=1,symmetric=no", side=side)
        keys[side] = set(alone.knowledge.arrays()["keys"].tolist())
    assert not keys["first"] & keys["second"]
    assert len(both.knowledge) > 0


def test_schedules_begin_with_the_first_game() -> None:
    made = learner(
        "q:games=4,chunk=1,alpha=(steps:1/0/0.5,every=1),epsilon=(linear:1,end=0)", "tictactoe"
    )
    seen = [(p.done, p.metrics["alpha"], p.metrics["epsilon"]) for p in made.steps()]
    assert seen == [(1, 1.0, 1.0), (2, 0.0, 0.75), (3, 0.5, 0.5), (4, 0.5, 0.25)]
    once = trained("q:games=1,alpha=1,epsilon=0", seed=1)
    more = trained("q:games=9,alpha=(steps:1/0,every=1),epsilon=0", seed=1)
    learned = [made.knowledge.arrays()["values"] for made in (once, more)]
    assert np.count_nonzero(learned[0]) == np.count_nonzero(learned[1]) > 0


@pytest.mark.parametrize(("epsilon", "share"), [("0", 0.0), ("0.5", 0.25), ("1", 0.5)])
def test_moves_are_explored_as_often_as_told(epsilon: str, share: float) -> None:
    """A game of two cells, the first of which was taught to be better."""
    made = learner(
        f"q:games=4000,alpha=0,side=first,symmetric=no,epsilon={epsilon}",
        "connect:columns=2,rows=1,k=2",
    )
    start = made.rules.start()
    teach(made.rules, made.knowledge.values, 0, 0, 0, move_cell(made.rules, 0, 0), 0, 1.0, 0.5)
    for _ in made.steps():
        pass
    _, other = made.knowledge.visits(start)
    assert other == pytest.approx(4000 * share, abs=150 if share else 0)


def test_instinct_wins_where_nothing_was_seen() -> None:
    options = "start=(moves:1425),side=first,games=1"
    wins = {
        td: sum(
            next(learner(f"monte-carlo:td={td},{options}", "tictactoe", seed).steps()).wins
            for seed in range(20)
        )
        for td in ("yes", "no")
    }
    assert wins["no"] < wins["yes"] == 20


def test_an_earlier_self_is_brought_up_to_date() -> None:
    often, once = (
        trained(f"afterstates:games=400,epsilon=0,opponent=(frozen:every={every})")
        for every in (50, 400)
    )
    assert digest(often) != digest(once)


def whole(made: Learner) -> tuple[str, bytes]:
    """What it has learned, and its earlier self."""
    assert isinstance(made, TableLearner)
    frozen = made._frozen
    arrays = [] if frozen is None else frozen.arrays().values()
    return digest(made), b"".join(array.tobytes() for array in arrays)


@pytest.mark.parametrize(
    "opponent",
    [
        "random then frozen:every=70",
        "minimax:depth=1 then frozen:every=70 then baseline",
        "frozen:every=70 then minimax:depth=1",
    ],
)
def test_an_earlier_self_does_not_depend_on_who_looks(opponent: str, tmp_path: Path) -> None:
    options = {"games": 470, "opponent": opponent}
    once = trained("q", chunk=1000, **options)
    assert whole(trained("q", chunk=35, **options)) == whole(once)
    stopped = learner("q", "tictactoe", 1, chunk=30, **options)
    while stopped.done < stopped.total:
        stopped.advance(45)
        stopped.save(tmp_path / stopped.file)
        stopped = type(stopped).load(tmp_path / stopped.file)
    assert whole(stopped) == whole(once)


def test_an_earlier_self_is_brought_up_to_date_before_it_is_met() -> None:
    found = opponents("minimax:depth=1 then frozen:every=70 then random", game("tictactoe"), 630)
    ends, number = [], 0
    while number < 630:
        number = found.block(number, 1)[1]
        ends.append(number)
    assert ends == [70, 140, 210, 280, 350, 420, 630]
    assert [number for number in range(630) if found.renews(number)] == [0, *ends[:5]]


def test_memory_is_bounded_and_what_is_left_out_is_counted() -> None:
    made = trained("q:memory-mb=0.01,games=3000,epsilon=1")
    assert made.knowledge.left_out > 0
    assert made.knowledge.bytes < 30_000
    assert len(made.knowledge) == len(np.unique(made.knowledge.arrays()["keys"]))


def test_values_that_nobody_taught_are_not_held_against_the_truth() -> None:
    made = trained("q", games=300)
    positions = truth_positions(made.rules, "middle")
    taught = [count for one in positions for count in made.knowledge.visits(one.position) if count]
    assert 0 < against_truth(made, positions)["values_seen"] == len(taught)


def test_evaluation_changes_nothing() -> None:
    made, other = learner("q:games=400", "tictactoe"), learner("q:games=400", "tictactoe")
    steps, others = made.steps(), other.steps()
    next(steps)
    before = digest(made)
    play_off(made, agent("baseline", made.rules), 100, 1, "alternating")
    against_truth(made, truth_positions(made.rules, "middle")[:20])
    assert digest(made) == before
    next(others)
    for _ in steps:
        pass
    for _ in others:
        pass
    assert digest(made) == digest(other)


def test_what_is_no_learner_or_opponent_is_named() -> None:
    with pytest.raises(SpecError, match=r"human' cannot play .*; every other agent can"):
        learner("q:opponent=human", "connect4")
    with pytest.raises(SpecError, match="unknown learner 'qq'; did you mean 'q'"):
        learner("qq")
    with pytest.raises(SpecError, match="learner 'q' has no option 'alfa'"):
        learner("q:alfa=1")
    with pytest.raises(SpecError, match="opponent 'self' stands alone"):
        learner("q:opponent=(random and self)")


@pytest.mark.parametrize("name", LEARNERS)
def test_learners_are_described(name: str) -> None:
    assert (LEARNERS[name].__doc__ or "").splitlines()[0].endswith(".")
    assert all(option.help for option in options_of(LEARNERS[name].Config))
