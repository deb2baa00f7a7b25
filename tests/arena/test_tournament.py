"""Tournaments: the same for any workers, resumed as if never stopped."""

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fourlab.arena.events import Event
from fourlab.arena.games import Games
from fourlab.arena.match import play
from fourlab.arena.pairing import Pairing, Stretch
from fourlab.arena.records import Records
from fourlab.arena.sprt import Hypotheses
from fourlab.arena.tallies import Tally
from fourlab.arena.tournament import Tournament
from fourlab.core.errors import FourlabError, SpecError
from fourlab.core.workers import Workers

SMALL = "connect:columns=5,rows=4,k=4"
AGENTS = ("random", "baseline", "mcts:sims=20", "perfect:blunder=0.5")
TIMES = ("a_ms_per_move", "b_ms_per_move")


def run(event: Event, workers: int = 2, records: Records | None = None) -> Tournament:
    tournament = Tournament(event, records, resume=records is not None)
    with Workers(workers) as pool:
        for _ in tournament.run(pool):
            pass
    return tournament


def figures(tournament: Tournament) -> dict[str, Any]:
    """Return everything but times."""
    answer = tournament.to_json()
    for pair in answer["pairs"]:
        for name in TIMES:
            del pair[name]
    return answer


def test_any_number_of_workers_plays_the_same_games() -> None:
    event = Event(SMALL, AGENTS, games=24, seed=7)
    alone = figures(run(event, workers=1))
    assert alone["games"] == 6 * 24
    for workers in (2, 5):
        assert figures(run(event, workers)) == alone
    assert figures(run(Event(SMALL, AGENTS, games=24, seed=8))) != alone


def test_forty_workers_play_the_games_of_one() -> None:
    """Jitted agents alone: forty threads cost little, forty processes would not."""
    event = Event(SMALL, ("random", "baseline", "mcts:sims=20", "minimax:depth=3"), 160, seed=7)
    alone = figures(run(event, workers=1))
    assert alone["games"] == 6 * 160
    for workers in (2, 40):
        assert figures(run(event, workers)) == alone


def test_the_stronger_agents_are_rated_higher() -> None:
    answer = run(Event(SMALL, ("random", "baseline", "mcts:sims=200"), games=200)).to_json()
    assert [entry["agent"] for entry in answer["ratings"]] == [
        "mcts:sims=200",
        "baseline",
        "random",
    ]
    assert answer["anchor"] is None
    assert answer["not_separated"] == []
    for pair in answer["pairs"]:
        assert pair["wins"] + pair["draws"] + pair["losses"] == 200
        assert pair["score"] == pytest.approx((pair["wins"] + pair["draws"] / 2) / 200)
        assert pair["low"] < pair["score"] < pair["high"]
        assert 100 < pair["distinct"] <= 200
        assert 4 < pair["mean_moves"] <= 20
        assert pair["forfeits"] == []


def test_times_are_per_move_of_each_agent() -> None:
    """One game of 5 plies, begun by the first agent, and one of 6, begun by the second."""
    numbers, lengths = np.array([0, 1]), np.array([5, 6])
    own_moves = np.array([[3, 2], [3, 3]])
    nobody = np.zeros(2, np.int8)
    games = Games(
        numbers, nobody, lengths, np.zeros((2, 20), np.uint8), own_moves * np.array([0.002, 0.5])
    )
    tally = Tally(Pairing(SMALL, "random", "baseline", seed=1, plies=0))
    tally.add(games)
    assert [tally.to_json()[name] for name in TIMES] == pytest.approx([2, 500])


def test_points_of_a_and_of_first_players() -> None:
    """Even games, begun by a: a win and a draw. Odd ones, begun by b: a loss and two wins of a."""
    numbers = np.array([0, 2, 1, 3, 5])
    results = np.array([1, 0, -1, 1, 1], np.int8)
    lengths = np.full(5, 7)
    tally = Tally(Pairing(SMALL, "random", "baseline", seed=1, plies=0))
    tally.add(Games(numbers, results, lengths, np.zeros((5, 20), np.uint8), np.zeros((5, 2))))
    found = tally.to_json()
    assert [found[name] for name in ("wins", "draws", "losses")] == [3, 1, 1]
    assert found["score"] == pytest.approx(3.5 / 5)
    assert found["first_share"] == pytest.approx(2.5 / 5)
    assert (found["mean_moves"], found["distinct"]) == (7, 1)


def test_deterministic_agents_play_different_games() -> None:
    tournament = run(Event("connect4", ("minimax:depth=1", "minimax:depth=2"), games=100))
    assert tournament.tallies[0].distinct >= 99


def test_few_openings_are_told() -> None:
    tiny = "connect:columns=3,rows=2,k=3"
    [pair] = run(Event(tiny, ("random", "baseline"), games=400)).to_json()["pairs"]
    assert 10 < pair["distinct"] < 200
    few = Tournament(Event("tictactoe", ("random", "baseline"), games=400))
    assert few.remarks == []
    with Workers(1) as pool:
        list(few.run(pool))
    [lacks] = few.remarks
    assert re.fullmatch(r"only \d\d different openings of 2 plies for 400 games", lacks)
    assert lacks in str(few.sheet())
    assert run(Event("connect4", ("random", "baseline"), games=400)).remarks == []


FIRST = ("minimax:depth=2,ties=first", "minimax:depth=3,ties=first")


@pytest.mark.parametrize(
    ("agents", "games", "plies", "repeats"),
    [
        (("random", "baseline"), 5000, 0, False),  # by lot: independent, if often the same
        (("random", "baseline"), 5000, 2, False),
        (("random", FIRST[0]), 5000, 0, False),
        (FIRST, 100, 2, True),
        (FIRST, 10, 0, True),
        (FIRST, 4, 2, False),  # from openings that differ
    ],
)
def test_games_repeat_where_nobody_draws_lots(
    agents: tuple[str, ...], games: int, plies: int, repeats: bool
) -> None:
    [tally] = run(Event("tictactoe", agents, games=games, plies=plies)).tallies
    assert tally.repeats == repeats
    assert tally.distinct < 0.9 * games or games == 4


def test_openings_that_no_game_reaches_are_refused() -> None:
    with pytest.raises(SpecError, match="no openings of 35 plies were found"):
        Event("connect:k=2", ("random", "baseline"), plies=35)


def test_who_meets_whom() -> None:
    def pairs(**options: Any) -> list[tuple[str, str]]:
        event = Event(SMALL, ("random", "baseline", "perfect"), **options)
        return [(pairing.a, pairing.b) for pairing in event.pairings()]

    first = [("random", "baseline"), ("random", "perfect")]
    assert pairs() == [*first, ("baseline", "perfect")]
    assert pairs(gauntlet=True) == first
    assert pairs(against=("flat",)) == [
        (name, "flat") for name in ("random", "baseline", "perfect")
    ]


def test_events_are_canonical_plain_data() -> None:
    event = Event(SMALL, ("mcts:sims=20,c=1.4", "random"), games=7, hypotheses=Hypotheses(0, 30))
    assert event.agents == ("mcts:sims=20", "random")
    assert event.games == 8  # openings are played twice
    assert event.plies == 4
    assert Event.from_json(event.to_json()) == event


@pytest.mark.parametrize(
    ("agents", "options", "says"),
    [
        (("random",), {}, "needs two agents"),
        (("random", "magic"), {}, "unknown agent 'magic'"),
        (("random", "human"), {}, "terminal only"),
        (("random", "baseline", "random"), {}, "'random' is given twice"),
        (("random",), {"against": ("baseline", "baseline")}, "'baseline' is given twice"),
        (("random", "baseline"), {"anchor": "perfect"}, "anchor 'perfect' does not play"),
        (("random", "baseline"), {"plies": 20}, "plies=20: write a whole number, 0 to 19"),
        (("random", "baseline"), {"games": -1}, "games=-1: write a whole number, 1 to"),
        (("random", "baseline"), {"games": math.nan}, "games=nan"),
        (("random", "baseline"), {"seed": None}, "seed=None: write a whole number, 0 to"),
        (("random", "baseline"), {"seed": 2**63}, "less than 2..63"),
        (("random", "baseline"), {"move_seconds": -1}, "move_seconds=-1: write a number from"),
        (("random", "baseline"), {"move_seconds": math.nan}, "move_seconds=nan"),
    ],
)
def test_what_cannot_be_played_is_refused(
    agents: tuple[str, ...], options: dict[str, Any], says: str
) -> None:
    with pytest.raises(SpecError, match=says):
        Event(SMALL, agents, **options)


def test_an_agent_may_play_itself() -> None:
    answer = run(Event(SMALL, ("random", "random"), games=400)).to_json()
    assert 0.4 < answer["pairs"][0]["score"] < 0.6


def test_a_test_ends_with_the_same_game_for_any_workers() -> None:
    event = Event(SMALL, ("baseline", "random"), 4000, 3, hypotheses=Hypotheses(0, 50))
    alone = figures(run(event, workers=1))
    [pair] = alone["pairs"]
    assert pair["sprt"]["verdict"] == "high"
    assert alone["games"] < 400
    assert figures(run(event, workers=3)) == alone
    refuted = run(Event(SMALL, ("random", "baseline"), 4000, 3, hypotheses=Hypotheses(0, 50)))
    assert refuted.to_json()["pairs"][0]["sprt"]["verdict"] == "low"
    short = run(Event(SMALL, ("random", "random"), 10, hypotheses=Hypotheses(0, 5)))
    assert short.to_json()["pairs"][0]["sprt"]["verdict"] == "undecided"


@pytest.mark.parametrize("tested", [None, Hypotheses(0, 10)])
def test_a_resumed_tournament_is_as_if_never_stopped(
    tmp_path: Path, tested: Hypotheses | None
) -> None:
    event = Event(SMALL, ("random", "baseline", "mcts:sims=10"), 120, 5, hypotheses=tested)
    whole = figures(run(event))
    with Records(tmp_path / "games.db") as records:
        for stop in (1, 3, 8):
            tournament = Tournament(event, records, resume=True)
            with Workers(2) as pool:
                going = tournament.run(pool)
                for _ in range(stop):
                    next(going, None)
                going.close()
        assert 0 < records.count() < whole["games"]
        assert figures(run(event, records=records)) == whole
        assert records.count() == whole["games"]
        assert figures(run(event, records=records)) == whole  # nothing is left to play
        assert records.count() == whole["games"]


def test_a_longer_tournament_keeps_the_games_of_a_shorter_one(tmp_path: Path) -> None:
    with Records(tmp_path / "games.db") as records:
        run(Event(SMALL, ("random", "baseline"), 20, 5), records=records)
        before = [entry.moves for entry in records.listing()]
        longer = run(Event(SMALL, ("random", "baseline"), 50, 5), records=records)
        assert [entry.moves for entry in records.listing()][:20] == before
    assert figures(longer) == figures(run(Event(SMALL, ("random", "baseline"), 50, 5)))


def test_a_test_takes_up_the_games_of_a_plain_tournament(tmp_path: Path) -> None:
    tested = Event(SMALL, ("baseline", "random"), 400, 3, hypotheses=Hypotheses(0, 50))
    with Records(tmp_path / "games.db") as records:
        tournament = Tournament(Event(SMALL, ("baseline", "random"), 100, 3), records)
        table = tournament.meetings[0]
        for first in (0, 10, 40):  # with gaps
            games = play(Stretch(table.pairing, first, 10))
            records.add(table.record_id, games, games.notations(table.pairing.rules))
        assert figures(run(tested, records=records)) == figures(run(tested))


def test_games_are_not_played_twice_by_mistake(tmp_path: Path) -> None:
    event = Event(SMALL, ("random", "baseline"), 20, 5)
    with Records(tmp_path / "games.db") as records:
        run(event, records=records)
        with pytest.raises(FourlabError, match=r"has 20 of these games already; go on with"):
            Tournament(event, records)


@pytest.mark.usefixtures("troublemakers")
def test_a_crash_is_a_forfeit_and_not_the_end_of_the_tournament(tmp_path: Path) -> None:
    event = Event(SMALL, ("dull", "crashing", "random"), 10)
    assert event.modules == ("troublemakers",)
    with Records(tmp_path / "games.db") as records:
        tournament = run(event, records=records)
        forfeits = list(records.listing("forfeit IS NOT NULL"))
    answer = tournament.to_json()
    assert answer["games"] == 30
    assert len(answer["pairs"][0]["forfeits"]) == 10
    assert answer["pairs"][0]["score"] == 1
    assert answer["pairs"][1]["forfeits"] == []
    assert any(
        "crashing at move" in entry.forfeit and "out of ideas" in entry.forfeit
        for entry in forfeits
    )
