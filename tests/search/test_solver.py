import gc
import threading
import weakref
from typing import Any

import numpy as np
import pytest

from fourlab.core.errors import FourlabError, NotationError
from fourlab.core.limit import Limit
from fourlab.rules.catalog import game
from fourlab.rules.position import Position, position_of
from fourlab.search.nodes import HIGH, LOW, RECORD, SIGN, STONES, TAG, look
from fourlab.search.questions import SOLVED
from fourlab.search.solver import Solver, solve
from fourlab.search.transpositions import probe, slot_and_tag, store

CONNECT4 = game("connect4")
# A position with a score for every column, one of them full, and one win.
FAMOUS = "4445423633442655"
FAMOUS_SCORES = [-1, -13, 0, None, 5, 3, -2]


def random_positions(plies: int, count: int, seed: int = 3) -> list[Position]:
    rng = np.random.default_rng(seed)
    found: list[Position] = []
    while len(found) < count:
        position = CONNECT4.start()
        while position.ply < plies and not position.is_over:
            position = position.play(int(rng.choice(position.legal_moves())))
        if not position.is_over:
            found.append(position)
    return found


@pytest.mark.parametrize(
    ("columns", "rows", "outcome"),
    [(4, 4, 0), (5, 5, 0), (5, 6, 0), (6, 5, 0), (6, 6, -1), (7, 4, 0), (4, 7, 0), (7, 5, 0)],
)
def test_values_of_connect_four_boards(columns: int, rows: int, outcome: int) -> None:
    rules = game(f"connect:columns={columns},rows={rows},k=4")
    assert Solver(rules).outcome(rules.start()) == outcome


def test_tictactoe_is_a_draw_from_every_first_move() -> None:
    assert Solver("tictactoe").scores(game("tictactoe").start()) == [0] * 9


def test_the_first_moves_of_connect_four() -> None:
    assert solve(CONNECT4.start()) == [-2, -1, 0, 1, 0, -1, -2]


@pytest.mark.slow
def test_the_first_moves_of_connect_four_without_a_book() -> None:
    solver = Solver(CONNECT4, threads=2)
    assert solver.scores(CONNECT4.start()) == [-2, -1, 0, 1, 0, -1, -2]


def test_scores_of_every_move() -> None:
    position = position_of(CONNECT4, FAMOUS)
    solver = Solver(CONNECT4)
    assert solver.scores(position) == FAMOUS_SCORES
    assert solver.score(position) == 5
    assert solver.outcome(position) == 1
    assert solver.scores(position, weak=True) == [-1, -1, 0, None, 1, 1, -1]
    assert solver.scores(position.mirror()) == FAMOUS_SCORES[::-1]


def test_a_move_that_wins_or_fills_the_board_needs_no_search() -> None:
    assert Solver(CONNECT4).scores(position_of(CONNECT4, "121212"))[0] == (43 - 6) // 2
    last = position_of(game("tictactoe"), "12354769")
    assert Solver("tictactoe").scores(last) == [None] * 7 + [0, None]


def test_a_solver_that_nobody_uses_is_freed_at_once() -> None:
    solver = Solver(CONNECT4)
    solver.score(position_of(CONNECT4, FAMOUS))
    freed = weakref.ref(solver)
    gc.disable()  # not only when the collector happens to run: its table is large
    try:
        del solver
        assert freed() is None
    finally:
        gc.enable()


def test_finished_and_foreign_positions_are_refused() -> None:
    solver = Solver(CONNECT4)
    over = position_of(CONNECT4, "1212121")
    for call in (solver.score, solver.scores, solver.outcome, lambda p: solver.score_many([p])):
        with pytest.raises(
            FourlabError, match=r"the game is over in connect4 '1212121' \(the first"
        ):
            call(over)
        with pytest.raises(FourlabError, match="not the game of this solver"):
            call(game("tictactoe").start())


@pytest.mark.parametrize(
    "given", [{"threads": "x"}, {"threads": 0}, {"threads": 1 << 40}, {"table_mb": "x"}]
)
def test_what_no_solver_can_have_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(FourlabError, match="write"):
        Solver(CONNECT4, **given)


@pytest.mark.parametrize("plies", [14, 20, 26, 34])
def test_strong_weak_threaded_batched_and_cleared_agree(plies: int) -> None:
    positions = random_positions(plies, 30)
    one = Solver(CONNECT4, table_mb=8)
    scores = [one.score(position) for position in positions]
    assert one.score_many(positions) == scores
    assert one.score_many(positions, weak=True) == np.sign(scores).tolist()
    three = Solver(CONNECT4, table_mb=8, threads=3)
    assert three.score_many(positions) == scores
    assert [three.score(position) for position in positions] == scores
    one.clear()
    assert one.score_many(positions[::-1]) == scores[::-1]
    tiny = Solver(CONNECT4, table_mb=0.001)
    assert [tiny.score(position) for position in positions] == scores


def test_a_node_limit_gives_honest_bounds() -> None:
    unsure = 0
    for position in random_positions(12, 12):
        truth = Solver(CONNECT4, table_mb=8).score(position)
        solver = Solver(CONNECT4, table_mb=8)
        limit = 100
        while True:
            bounds = solver.bounds(position, Limit(nodes=limit))
            assert bounds.low <= truth <= bounds.high
            assert bounds.nodes <= limit
            if bounds.is_exact:
                break
            unsure += 1
            limit *= 4  # goes on with what the table remembers
    assert unsure > 12


def test_an_interrupted_search_is_resumed_to_the_same_score() -> None:
    position = position_of(CONNECT4, "4423")
    solver = Solver(CONNECT4)
    calls = 0

    def stop() -> bool:
        nonlocal calls
        calls += 1
        return calls % 3 == 0

    interruptions = 0
    while not (bounds := solver.bounds(position, Limit(stop=stop))).is_exact:
        interruptions += 1
    assert interruptions > 2
    assert bounds.low == solve(CONNECT4.start().play_all("442"))[2] * -1


def test_a_search_stops_when_it_is_told_to() -> None:
    """Stops between two slices; how long a slice takes is measured in benchmarks/solver.py."""
    told = threading.Event()
    answers = []
    solver = Solver(CONNECT4, threads=2)

    def work() -> None:
        answers.append(solver.bounds(CONNECT4.start(), Limit(stop=told.is_set)))

    thread = threading.Thread(target=work)
    thread.start()
    told.set()
    thread.join(timeout=60)
    assert not thread.is_alive()
    assert not answers[0].is_exact


def test_a_time_limit_is_kept() -> None:
    bounds = Solver(CONNECT4).bounds(CONNECT4.start(), Limit(seconds=0.01))
    assert not bounds.is_exact
    assert bounds.low <= 1 <= bounds.high


def test_several_threads_may_use_one_solver() -> None:
    solver = Solver(CONNECT4, table_mb=8)
    positions = random_positions(16, 24)
    expected = Solver(CONNECT4, table_mb=8).score_many(positions)
    results: dict[int, list[int]] = {}

    def work(number: int) -> None:
        order = positions[number:] + positions[:number]
        scores = solver.score_many(order)
        results[number] = scores[len(scores) - number :] + scores[: len(scores) - number]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(results[number] == expected for number in range(4))


def test_the_best_line_is_perfect_play_to_the_end() -> None:
    position = position_of(CONNECT4, FAMOUS)
    solver = Solver(CONNECT4)
    score = solver.score(position)
    for move in solver.line(position):
        assert solver.scores(position)[move] == score
        position = position.play(move)
        score = -score
    assert position.is_over


def test_memory_is_stated_and_kept() -> None:
    for megabytes in (0.5, 8, 100):
        solver = Solver(CONNECT4, table_mb=megabytes)
        assert megabytes * 2**20 / 2 < solver.memory <= megabytes * 2**20
    for megabytes in (0, -1, 1e300, float("inf"), float("nan")):
        with pytest.raises(FourlabError, match="write 1 to 1,048,576"):
            Solver(CONNECT4, table_mb=megabytes)


def _says(low: int, high: int) -> Any:
    def solved(_rules: Any, problems: Any, *_: Any) -> int:
        problems.low[:], problems.high[:] = low, high
        return SOLVED

    return solved


def test_a_score_is_asked_whether_it_is_one() -> None:
    solver = Solver("tictactoe")
    for low, high in ((-1, 1), (1, 0)):
        solver._solve = _says(low, high)
        for question in (solver.score, solver.scores, solver.outcome):
            with pytest.raises(RuntimeError, match="no score"):
                question(solver.rules.start())
        with pytest.raises(RuntimeError, match="no score"):
            solver.score_arrays(*np.zeros((2, 3), np.int64))


def test_a_bound_that_came_late_is_narrowed_again() -> None:
    solver = Solver("tictactoe")
    answers = iter([_says(-1, 1), _says(0, 0)])
    solver._solve = lambda *args: next(answers)(*args)
    assert solver.bounds(solver.rules.start()).is_exact


def test_bounds_that_the_stones_rule_out_are_not_believed() -> None:
    """A foreign entry with the same tag; of 30 stones nobody can still win by 20."""
    records, words = np.zeros(RECORD, np.int64), np.zeros(4, np.int64)
    records[SIGN], records[STONES], records[TAG] = 1, 30, 12345
    for low, high, believed in ((20, 20, False), (-31, 2, False), (1, 9, False), (2, 3, True)):
        store(words, 0, 12345, low, high, 1)
        assert (look(CONNECT4, records, 0, 0, words) == low) == believed
    assert (records[LOW], records[HIGH]) != (20, 20)


def test_a_tag_has_all_the_bits_that_are_free() -> None:
    tags = [slot_and_tag(board, 2 * board, 5, 1 << 10)[1] for board in range(1, 2000)]
    seen = 0
    for tag in tags:
        seen |= tag
    assert seen == (1 << 47) - 1
    assert any(tag & 1 == 0 for tag in tags)
    assert not probe(np.zeros(4, np.int64), 1, 0)  # an empty entry says nothing of tag 0


@pytest.mark.parametrize(
    ("movers", "occupied"),
    [
        ([0, 0, 0], [0]),
        ([0], [0, 0, 0]),
        ([[0]], [[0]]),
        ([0.0], [float("nan")]),
        ([None], [None]),
        ([1], [2]),
        ([1], [1]),
        ([0], [1 << 6]),
        ([1 << 62], [3 << 62]),
        ([0], [4]),
    ],
    ids=str,
)
def test_arrays_that_are_no_boards_are_refused(movers: object, occupied: object) -> None:
    solver = Solver("connect4")
    for asked in (solver.solve_arrays, solver.score_arrays):
        with pytest.raises(NotationError):
            asked(np.array(movers), np.array(occupied), limit=Limit(seconds=1))


def test_arrays_may_be_of_any_whole_numbers() -> None:
    solver = Solver("tictactoe")
    assert solver.score_arrays([0], [0]).tolist() == [0]  # type: ignore[arg-type]
    for kind in (np.uint64, np.int32):
        assert solver.score_arrays(*np.zeros((2, 2), kind)).tolist() == [0, 0]
    assert solver.score_arrays(np.array([]), np.array([])).tolist() == []  # type: ignore[arg-type]
