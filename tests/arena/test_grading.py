from pathlib import Path

import pytest

from fourlab.agents.registry import agent
from fourlab.arena.grading import Marks, grade, played_positions
from fourlab.core.workers import Workers
from fourlab.learning.runs import Run, RunConfig
from fourlab.positions.suites import NAMES, PHASES, Scored, load_suites, phase_positions, suite
from fourlab.rules.boards import boards_of
from fourlab.rules.catalog import game
from fourlab.rules.position import position_of
from fourlab.search.solver import Solver

CONNECT4 = game("connect4")
SMALL = game("connect:columns=5,rows=4,k=4")


def scored(*scores: int | None) -> Scored:
    return Scored(CONNECT4.start(), scores)


def test_moves_are_graded_by_what_they_give_up() -> None:
    marks = Marks()
    case = scored(5, 3, 5, 0, -2, None, 1)
    for move in (0, 2, 1, 6, 3, 4):
        marks.add(case, move)
    figures = marks.to_json()
    assert marks.positions == 6
    assert figures["perfect"] == pytest.approx(2 / 6)
    assert figures["good"] == pytest.approx(4 / 6)
    assert figures["regret"] == pytest.approx((0 + 0 + 2 + 4 + 5 + 7) / 6)


def test_a_drawn_best_keeps_only_draws() -> None:
    marks = Marks()
    case = scored(0, -1, 0, None, -3, 0, 0)
    marks.add(case, 1)
    marks.add(case, 2)
    assert (marks.perfect, marks.good) == (1, 1)


def test_one_position_bounds_no_mean() -> None:
    marks = Marks()
    marks.add(scored(5, 3, 5, 0, -2, None, 1), 1)
    assert marks.to_json()["regret_interval"] is None
    assert marks.cells()[-1] == "2.0"
    marks.add(scored(5, 3, 5, 0, -2, None, 1), 0)
    assert marks.cells()[-1] == "1.0 ± 2.0"


def test_an_unplayable_move_is_no_grade() -> None:
    with pytest.raises(ValueError, match="has no score"):
        Marks().add(scored(0, None, 0, 0, 0, 0, 0), 1)


def test_perfect_is_perfect_and_random_is_not() -> None:
    positions = suite(SMALL, "middle")
    best = grade(agent("perfect", SMALL), positions)
    assert best.overall.perfect == best.overall.positions == len(positions)
    assert best.to_json()["regret"] == 0
    drawn = grade(agent("random", SMALL), positions)
    assert drawn.overall.perfect < drawn.overall.good < drawn.overall.positions
    keeps = grade(agent("perfect:prefer=any", SMALL), positions)
    assert keeps.overall.good == keeps.overall.positions
    assert keeps.overall.perfect < keeps.overall.positions


def test_the_worst_is_the_first_position_in_which_most_was_given_up() -> None:
    asked = suite(CONNECT4, "end")[:60]
    found = grade(agent("random", CONNECT4), asked, seed=1)
    costs = found.overall.regrets
    assert found.worst == asked[costs.index(max(costs))].position.notation
    with Workers(2) as workers:
        again = grade(agent("random", CONNECT4), asked, seed=1, workers=workers)
    assert again.worst == found.worst
    assert grade(agent("perfect", CONNECT4), asked[:5]).worst == ""


def test_one_seed_is_one_grade() -> None:
    positions = suite(SMALL, "end")[:200]
    player = agent("random", SMALL)
    assert grade(player, positions, seed=1) == grade(player, positions, seed=1)
    assert grade(player, positions, seed=1) != grade(player, positions, seed=2)


@pytest.mark.parametrize("spec", ["random", "minimax:depth=2", "mcts:sims=20"])
def test_asking_about_many_at_once_gives_the_same_grade(
    spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    positions = suite(SMALL, "middle")[:50]
    player = agent(spec, SMALL)
    assert player.chooses_many
    together = grade(player, positions, seed=1)
    monkeypatch.setattr(type(player), "chooses_many", False)
    assert grade(player, positions, seed=1) == together


@pytest.mark.parametrize("name", NAMES)
def test_the_shipped_suites_are_scored_exactly(name: str) -> None:
    entries = load_suites(CONNECT4)[name]
    assert len(entries) == 1000
    assert len({entry.position for entry in entries}) == 1000
    solver = Solver(CONNECT4)
    for entry in entries[:: 40 if name in ("middle", "end") else 250]:
        assert tuple(solver.scores(entry.position)) == entry.scores
        assert not entry.position.is_over


@pytest.mark.parametrize("name", PHASES)
def test_suites_are_made_by_seed_alone(name: str) -> None:
    made = phase_positions(CONNECT4, name, size=50)
    assert made == phase_positions(CONNECT4, name, size=50)
    assert [entry.position for entry in load_suites(CONNECT4)[name][:50]] == made
    low, high = PHASES[name]
    assert all(low * 42 - 1 <= position.ply <= high * 42 for position in made)


def test_small_boards_give_as_many_positions_as_they_have() -> None:
    tiny = game("connect:columns=2,rows=2,k=2")
    assert 0 < len(phase_positions(tiny, "middle", size=100)) < 10


def test_positions_of_a_file(tmp_path) -> None:
    path = tmp_path / "positions.txt"
    path.write_text("44\n4444 2\n")
    read = suite(CONNECT4, str(path))
    assert [entry.position for entry in read] == [
        position_of(CONNECT4, "44"),
        position_of(CONNECT4, "4444"),
    ]


def test_an_agent_is_graded_where_its_own_games_lead(tmp_path: Path) -> None:
    """A table that knows its games looks like chance in positions it never met."""
    run = RunConfig("q:games=20000,opponent=baseline", "connect4", seed=1)
    list(Run.start(tmp_path, run).reports())
    player = agent(f"q:{tmp_path}", CONNECT4)
    own = played_positions(player)
    assert len({position.shared_key for position in own}) == len(own) > 100
    assert all(not position.is_over for position in own)
    assert {position.ply % 2 for position in own} == {0, 1}
    assert own == played_positions(player)
    met, unmet = own, [one.position for one in suite(CONNECT4, "middle")]
    shares = [player.seen(boards_of(some)) / len(some) for some in (met, unmet)]
    assert shares[0] > 2 * shares[1]
