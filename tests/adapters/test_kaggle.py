"""What Kaggle's runner may ask of an agent, asked without the runner."""

import pickle
import threading
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourlab.adapters.clock import RESERVE, Plan, plan
from fourlab.adapters.kaggle import as_kaggle_agent
from fourlab.adapters.plain import Grid, drop, open_columns, plain_move, wins
from fourlab.adapters.submission import Left, Request, Submission
from fourlab.adapters.thinker import make_thinker, quiet_position, read_position, submission_config
from fourlab.agents.base import Agent, Decision
from fourlab.agents.mcts import Mcts
from fourlab.core.errors import SpecError
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.core.spec import option
from fourlab.rules.catalog import game
from fourlab.rules.formats import write_kaggle
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position, position_of

PATIENT = {"actTimeout": 2, "remainingOverageTime": 600}  # a first example may compile kernels
BOARDS = [(7, 6, 4), (5, 4, 3), (1, 6, 4), (8, 7, 4), (12, 10, 5), (4, 4, 1), (3, 3, 7), (20, 2, 2)]


def question(grid: Grid, mark: int, **changes: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what the runner hands to an agent."""
    times = {**PATIENT, **changes}
    obs = {
        "board": list(grid.cells),
        "mark": mark,
        "step": 0,
        "remainingOverageTime": times["remainingOverageTime"],
    }
    board = {"columns": grid.columns, "rows": grid.rows, "inarow": grid.inarow}
    return obs, {**board, "actTimeout": times["actTimeout"], "timeout": 2, "agentTimeout": 60}


def ask(agent: Any, position: Position, **changes: Any) -> int:
    rules = position.rules
    grid = Grid(write_kaggle(position), rules.columns, rules.rows, rules.connect)
    answer = agent(*question(grid, position.to_move + 1, **changes))
    assert type(answer) is int
    return answer


def empty(columns: int, rows: int, inarow: int) -> Grid:
    return Grid([0] * (columns * rows), columns, rows, inarow)


@pytest.mark.parametrize("spec", ["baseline", "minimax:depth=2"])
@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_whole_games_on_any_board_against_itself(
    spec: str, board: tuple[int, int, int], capfd: pytest.CaptureFixture[str]
) -> None:
    agent = as_kaggle_agent(spec, seed=1)  # one function, both marks, several games
    for _ in range(2):
        grid, mark = empty(*board), 1
        while open_columns(grid):
            column = agent(*question(grid, mark))
            assert type(column) is int
            assert column in open_columns(grid)
            if wins(grid, column, mark):
                break
            grid, mark = drop(grid, column, mark), 3 - mark
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    "spec", ["mcts:sims=50", "minimax:depth=3", "perfect", "flat:playouts=500"]
)
def test_either_mark_wins_and_blocks(spec: str, capfd: pytest.CaptureFixture[str]) -> None:
    agent = as_kaggle_agent(spec, seed=1)
    rules = game("connect4")
    assert ask(agent, position_of(rules, "121212")) == 0  # the first player wins
    assert ask(agent, position_of(rules, "1212327")) == 1  # the second player wins
    assert ask(agent, position_of(rules, "71727")) == 6  # the second player blocks
    assert ask(agent, position_of(rules, "172757")) == 6  # the first player blocks
    assert capfd.readouterr().err == ""


def test_fields_may_be_keys_or_attributes_and_optional() -> None:
    agent = as_kaggle_agent("baseline", seed=1)
    position = position_of(game("connect4"), "121212")
    board = write_kaggle(position)
    assert agent(SimpleNamespace(board=board, mark=1), SimpleNamespace(columns=7)) == 0
    assert agent({"board": np.array(board), "mark": np.int64(1)}, {}) == 0
    assert not hasattr(agent, "__code__")  # where it is, the runner counts arguments, self too


def test_one_seed_is_one_game_and_agents_do_not_share_it() -> None:
    def moves(agents: list[Any]) -> list[int]:
        position = game("connect4").start()
        while not position.is_over:
            position = position.play(ask(agents[position.ply % 2], position))
        return list(position.moves)

    def pair() -> list[Any]:
        return [as_kaggle_agent("mcts:sims=30", seed=seed) for seed in (1, 2)]

    first = moves(pair())
    assert first == moves(pair())
    pairs = [pair(), pair()]  # two games at once, move by move
    positions = [game("connect4").start()] * 2
    while not positions[0].is_over:
        positions = [
            position.play(ask(agents[position.ply % 2], position))
            for agents, position in zip(pairs, positions, strict=True)
        ]
    assert list(positions[0].moves) == list(positions[1].moves) == first


NONSENSE: list[tuple[Any, Any]] = [
    ({"board": [0] * 5, "mark": 1}, {"columns": 7, "rows": 6}),
    ({"board": [1, 1, 1], "mark": 1}, {"columns": 7}),
    ({"board": [0] * 42, "mark": 3}, {}),
    ({"board": [0] * 42}, None),
    ({"board": None, "mark": "x"}, {"columns": None}),
    ({"board": [1, *[0] * 41], "mark": 2}, {}),  # a stone floats
    ({"board": [*[0] * 35, 1, 1, 1, 1, 2, 2, 2], "mark": 2}, {}),  # the game is over
    ({"board": ["?"] * 42, "mark": 1}, {}),
    (None, None),
]


@pytest.mark.parametrize("number", range(len(NONSENSE)))
def test_nonsense_gets_a_column_and_an_explanation(
    number: int, capfd: pytest.CaptureFixture[str]
) -> None:
    obs, config = NONSENSE[number]
    if obs is not None:
        obs = {**obs, "remainingOverageTime": PATIENT["remainingOverageTime"]}
    column = as_kaggle_agent("baseline")(obs, config)
    assert type(column) is int
    assert 0 <= column < 7
    board = (obs or {}).get("board") or [0] * 7
    assert column >= len(board) or board[column] in (0, "?")
    said = capfd.readouterr().err
    assert "Traceback" in said or number == 3  # that one has all that is needed


@pytest.mark.parametrize("answer", [6, 7, -1, None, "3", 2.5, OSError("no"), SystemExit(1)])
def test_whatever_an_agent_does_the_answer_is_legal(
    answer: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    def think(turn: Request, left: Left) -> Any:
        if isinstance(answer, BaseException):
            raise answer
        return answer

    agent = Submission(lambda grid: think)
    position = position_of(game("connect4"), "777777")
    assert ask(agent, position, remainingOverageTime=60) == 3
    assert "Traceback" in capfd.readouterr().err


def test_an_agent_travels_to_another_process() -> None:
    position = position_of(game("connect4"), "4455")
    agent = as_kaggle_agent("mcts:sims=20", seed=3)
    assert ask(pickle.loads(pickle.dumps(agent)), position) == ask(agent, position)


def test_a_failure_to_get_ready_is_tried_again(capfd: pytest.CaptureFixture[str]) -> None:
    failures = [OSError("not yet")]

    def make(grid: Grid) -> Any:
        if failures:
            raise failures.pop()
        return lambda turn, left: 0

    agent = Submission(make)
    assert ask(agent, game("connect4").start()) == 3
    assert "not yet" in capfd.readouterr().err
    assert ask(agent, game("connect4").start()) == 0


def test_an_agent_that_is_late_is_not_waited_for(capfd: pytest.CaptureFixture[str]) -> None:
    released = threading.Event()

    def think(turn: Request, left: Left) -> int:
        released.wait()
        return 0

    agent = Submission(lambda grid: think)
    start = game("connect4").start()
    for _ in range(2):  # the second finds it still busy
        assert ask(agent, start, actTimeout=0.1, remainingOverageTime=0) == 3
        assert capfd.readouterr().err.startswith("late: no answer in")
    released.set()
    assert ask(agent, start) == 0
    assert capfd.readouterr().err == ""


def test_a_single_open_column_needs_no_thought() -> None:
    def think(turn: Request, left: Left) -> int:
        raise AssertionError

    grid = Grid([0, 1, 0, 2], 2, 2, 2)
    assert Submission(lambda grid: think)(*question(grid._replace(cells=[1, 0, 2, 1]), 2)) == 1


seconds = st.floats(0, 100)


@given(seconds, seconds, st.integers(0, 60), st.floats(0, 1))
def test_no_plan_spends_what_is_not_there(
    act: float, overage: float, moves: int, when: float
) -> None:
    made = plan(act, overage, moves)
    assert 0 <= made.think <= made.latest
    assert made.latest <= act + overage / 2
    elapsed = when * made.latest
    assert elapsed + made.left(elapsed) <= made.latest + 0.001


@given(
    st.sampled_from([0.1, 1, 2, 10]),
    st.sampled_from([0.0, 2, 60]),
    st.lists(st.floats(0, 1), min_size=21, max_size=21),
    st.integers(0, 20),
)
def test_a_game_under_the_clock_is_never_overdrawn(
    act: float, account: float, lateness: list[float], pause: int
) -> None:
    """The runner's clock; moves take anything up to the latest, and one has a long pause."""
    overage = account
    for move, late in enumerate(lateness):
        made = plan(act, overage, 21 - move)
        duration = made.think + late * (made.latest - made.think)
        if move == pause:
            duration += 0.9 * min(account, RESERVE)
        assert duration - act <= overage
        overage -= max(0.0, duration - act)


def test_the_account_is_spent_but_not_at_once() -> None:
    first = plan(2, 60, 21)
    assert 2 < first.think < 6
    assert plan(2, 0, 21).think < 2
    assert plan(2, 60, 1).think > first.think
    assert Plan(1.0, 9.0, 0.5).left(5.0) == 0.5  # getting ready took long: it still thinks a little


@dataclass(frozen=True)
class ClockedConfig:
    time: float | None = option(None, "seconds", low=0.001)


class Clocked(Agent):
    """Notes the time that it is given."""

    name = "clocked"
    Config = ClockedConfig
    given: list[float]

    def decide(
        self, position: Position, rng: np.random.Generator, limit: Limit = NO_LIMIT
    ) -> Decision:
        Clocked.given.append(limit.within(self.config.time).seconds)
        return Decision(position.legal_moves()[0])


@pytest.mark.parametrize(("spec", "expected"), [("clocked", 1.5), ("clocked:time=0.25", 0.25)])
def test_the_plan_sets_the_time_and_the_spec_caps_it(spec: str, expected: float) -> None:
    Clocked.given = []
    grid = empty(7, 6, 4)
    think = make_thinker(Clocked, spec, grid)
    assert think(Request(grid, 1, 2, 60), lambda: 1.5) == 0
    assert Clocked.given[-1] == expected


def test_what_was_thought_is_kept_unless_the_spec_says_no() -> None:
    assert submission_config(Mcts, "mcts:sims=70").reuse
    assert submission_config(Mcts, "mcts:sims=70").sims == 70
    assert not submission_config(Mcts, "mcts:reuse=no").reuse


def test_boards_become_positions() -> None:
    rules = Rules(5, 4, 3)
    position = position_of(rules, "12213")
    turn = Request(Grid(write_kaggle(position), 5, 4, 3), 2, 2, 60)
    assert read_position(rules, turn) == position


@pytest.mark.parametrize("name", ["connect4", "connect:columns=1,rows=4,k=2"])
def test_there_is_a_quiet_position_to_warm_up_on(name: str) -> None:
    position = quiet_position(game(name))
    assert not position.is_over
    if name == "connect4":
        assert position.ply == 10
        assert not position.winning_moves()


def test_the_plain_player_wins_blocks_and_hands_over_nothing() -> None:
    rules = game("connect4")

    def move(moves: str) -> int:
        position = position_of(rules, moves)
        return plain_move(Grid(write_kaggle(position), 7, 6, 4), position.to_move + 1)

    assert move("") == 3
    assert move("112233") == 3
    assert move("1122337") == 3
    assert move("11227373") == 2  # column 4 would hand over the win above it


def test_people_do_not_play_there() -> None:
    with pytest.raises(SpecError, match="agent 'human' cannot play on Kaggle; take one of random"):
        as_kaggle_agent("human")
    with pytest.raises(SpecError, match="unknown agent 'mtcs'"):
        as_kaggle_agent("mtcs")


def test_a_substitute_answers_while_the_agent_gets_ready(
    capfd: pytest.CaptureFixture[str],
) -> None:
    compiled = threading.Event()

    def make(grid: Grid) -> Any:
        compiled.wait()
        return lambda turn, left: 0

    submission = Submission(make, lambda grid: lambda turn, left: 1)
    start = game("connect4").start()
    for _ in range(2):
        assert ask(submission, start, actTimeout=0.4, remainingOverageTime=0) == 1
        assert capfd.readouterr().err.startswith("late: ")
    compiled.set()
    assert ask(submission, start) == 0
    assert capfd.readouterr().err == ""


def test_a_substitute_answers_where_the_agent_fails_and_is_not_trusted_either() -> None:
    def fail(grid: Grid) -> Any:
        raise OSError("broken")

    start = position_of(game("connect4"), "777777")
    assert ask(Submission(fail, lambda grid: lambda turn, left: 1), start) == 1
    assert ask(Submission(fail, lambda grid: lambda turn, left: 6), start) == 3
    assert ask(Submission(fail, fail), start) == 3
