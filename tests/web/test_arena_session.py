"""Arena without a page."""

import itertools
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from fourlab.arena.events import Event
from fourlab.arena.pairing import Stretch
from fourlab.arena.ratings import rate
from fourlab.arena.records import Records
from fourlab.arena.tournament import Tournament
from fourlab.core.workers import Workers
from fourlab.web.events import CalledOffError, LiveEvent, _ratings
from fourlab.web.limits import RECORD
from fourlab.web.sessions.arena import ArenaSession
from fourlab.web.sessions.arena_players import MOST_IN_ALL
from fourlab.web.sessions.arena_view import _remarks
from fourlab.web.workbench import Job
from web.bench import TestBench

QUERY = {"game": "tictactoe", "agents": "perfect;baseline;random", "games": "20", "seed": "3"}


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def arena(bench: TestBench, **query: str) -> ArenaSession:
    session = ArenaSession(bench, {**QUERY, **query})
    session.open()
    return session


def do(session: ArenaSession, name: str, *args: object) -> None:
    assert session.act(name, list(args)), session.error


def test_the_time_is_estimated_before_anything_is_played(bench: TestBench) -> None:
    session = arena(bench)
    assert session.view()["estimate"].startswith("timing")
    bench.until(lambda: session.estimate is not None)
    assert session.view()["estimate"].endswith("for 60 games")
    assert session.view()["played"] == 0


def test_as_many_games_as_are_said_would_settle_it(bench: TestBench) -> None:
    players = ["random", "baseline", "flat", "mcts", "minimax"]

    def results(more: float = 1.0) -> dict[tuple[str, str], tuple[int, int, int]]:
        """All play alike, but random a little better than the others."""
        share = {name: 0.55 if name == "random" else 0.5 for name in players}
        won = {pair: 1000 * share[pair[0]] / (share[pair[0]] + share[pair[1]])
               for pair in itertools.permutations(players, 2)}  # fmt: skip
        return {p: (round(more * w), 0, round(more * (1000 - w))) for p, w in won.items()}

    few = {pair: (w // 50, d, lost // 50) for pair, (w, d, lost) in results().items()}
    ratings = _ratings(SimpleNamespace(results=lambda: few))  # type: ignore[arg-type]
    pairs = [
        {"a": a, "b": b, "wins": few[a, b][0] + few[b, a][2], "draws": 0,
         "losses": few[a, b][2] + few[b, a][0], "score": 0.5}
        for a, b in itertools.combinations(players, 2)
    ]  # fmt: skip
    session = arena(bench, agents=";".join(players))
    session.event = SimpleNamespace(report={"ratings": ratings, "pairs": pairs})  # type: ignore[assignment]
    first = _remarks(session)[0]
    found = re.search(r"About ([0-9,]+) more games (.*) would settle it", first)
    assert found, first
    assert found[2] == "a pair"
    games = sum(few["random", "baseline"]) * 2
    grown = (games + int(found[1].replace(",", ""))) / games / 50
    rated = rate(results(grown))
    best, second = rated.ranking()[:2]
    assert best == "random"
    assert rated.difference(best, second)[1] > -5
    alone = dict(few)
    for pair in ((best, second), (second, best)):
        alone[pair] = results(grown)[pair]
    assert rate(alone).difference(best, second)[1] < -10


def test_players_who_would_be_called_the_same_go_by_where_they_differ(bench: TestBench) -> None:
    long = "minimax:depth=4,own2=6,own3=11,ties="
    session = arena(bench, agents=f"{long}first;{long}central;mcts:sims=200;mcts;mcts:sims=1000")
    names = [player["short"] for player in session.view()["players"]]
    assert names[:2] == ["minimax:…ties=first", "minimax:…ties=central"]
    assert len(set(names)) == 5
    rows = session.view()["cross"]
    assert len(rows) == 5
    assert names[2] == "MCTS 200"
    session = arena(bench, agents=f"{long[:-6]};{long}first")  # one goes on where the other ends
    names = [player["short"] for player in session.view()["players"]]
    assert names == ["minimax:depth=4,own2=6,", "minimax:…ties=first"]


def test_the_page_shows_what_the_command_line_finds(bench: TestBench) -> None:
    session = arena(bench)
    do(session, "run")
    bench.until(lambda: session.report and not session.running)
    view = session.view()
    assert (view["played"], view["left"]) == (60, "done")
    event = Event("tictactoe", tuple(session.players), 20, 3)
    same = Tournament(event)
    with Workers(1) as workers:
        assert list(same.run(workers))[-1] == 60
    for pair, tally in zip(session.report["pairs"], same.tallies, strict=True):
        assert (pair["wins"], pair["draws"]) == tuple(tally.counts.sum(axis=0)[:2])
    cross = view["cross"]
    for row in range(3):
        assert cross[row][row] is None
        for column in range(row):
            assert cross[row][column]["score"] + cross[column][row]["score"] == pytest.approx(1)
    assert view["ratings"][0]["name"] == "Perfect"
    assert sum(one["elo"] for one in view["ratings"]) / 3 == pytest.approx(1500, abs=1)
    assert view["latest"][0]["href"].startswith("/analyse?game=tictactoe&moves=")


def test_stopped_games_are_kept_and_gone_on_with(bench: TestBench) -> None:
    session = arena(bench, agents="mcts:sims=400;mcts:sims=300;random", games="200")
    do(session, "run")
    bench.until(lambda: session.report and session.report["played"] > 0)
    do(session, "run")
    assert not session.running
    kept = session.report["played"]
    again = arena(bench, agents="mcts:sims=400;mcts:sims=300;random", games="200")
    do(again, "run")
    bench.until(lambda: again.report is not None)
    assert again.report["played"] >= kept
    again.close()


def test_the_intervals_are_those_of_the_ratings(bench: TestBench) -> None:
    session = arena(bench, agents="baseline;random")
    do(session, "run")
    bench.until(lambda: session.report and not session.running)
    same = Tournament(Event("tictactoe", tuple(session.players), 20, 3))
    with Workers(1) as workers:
        assert list(same.run(workers))[-1] == 20
    gap, low, _ = same.ratings().difference("baseline", "random")
    for one, sign in zip(session.view()["ratings"], (1, -1), strict=True):
        assert one["elo"] == pytest.approx(1500 + sign * gap / 2, abs=1)
        assert one["half"] == pytest.approx((gap - low) / 2, abs=1)  # each about their mean


def test_two_tabs_that_run_the_same_event_do_not_disturb_each_other(bench: TestBench) -> None:
    one, other = arena(bench), arena(bench)
    do(one, "run")
    do(other, "run")
    for session in (one, other):
        bench.until(lambda session=session: session.report and not session.running)
        assert session.view()["played"] == 60
    assert one.view()["cross"] == other.view()["cross"]


def test_openings_that_are_few_or_none_are_told(bench: TestBench) -> None:
    session = arena(bench, agents="baseline;random")
    do(session, "games", "60")
    do(session, "begins", "2")
    assert "Here" not in session.view()["openings"]
    do(session, "run")
    bench.until(lambda: session.report and not session.running)
    assert "different openings of 2 plies for 60 games." in session.view()["openings"]
    session = arena(bench, game="connect:k=2", agents="baseline;random", plies="35")
    for why in ("estimate", "begin"):
        bench.until(lambda: session.failure)
        assert "no openings of 35 plies were found" in session.failure, why
        assert session.act("run", [])
    assert session.event is None


def test_neighbours_that_overlap_are_told_apart_from_those_that_do_not(bench: TestBench) -> None:
    session = arena(bench, agents="flat:playouts=20;flat:playouts=21;random")
    do(session, "run")
    bench.until(lambda: session.report and not session.running)
    [remark] = session.view()["remarks"][:1]
    assert "overlap" in remark
    assert session.view()["ratings"][0]["close"]


@pytest.mark.parametrize(
    ("game", "agents", "caption"),
    [
        ("connect4", "baseline;random", "one of 2 side by side"),  # inside a kernel
        # in a process of their own
        ("connect:columns=5,rows=4,k=4", "perfect:blunder=0.5;random", "game 1 of 20"),
    ],
)
def test_the_game_that_goes_on_is_shown_move_by_move(
    bench: TestBench, monkeypatch: pytest.MonkeyPatch, game: str, agents: str, caption: str
) -> None:
    monkeypatch.setattr("fourlab.web.events.BETWEEN_REPORTS", -1.0)
    session = arena(bench, game=game, agents=agents)
    seen = []
    session.changed = lambda: seen.append(session.view()["now"])
    do(session, "run")
    bench.until(lambda: session.report and not session.running)
    games = [now for now in seen if now is not None]
    assert caption in games[0]["caption"]
    names = {one["short"] for one in session.view()["players"]}
    assert all({now["first"], now["second"]} == names for now in games)
    assert all(sorted(now["pair"]) == [0, 1] for now in games)
    longer = [
        (one["moves"], two["moves"])
        for one, two in itertools.pairwise(games)
        if one["caption"] == two["caption"]
    ]
    assert all(after[: len(before)] == before for before, after in longer)
    assert any(len(after) - len(before) in (1, 2) for before, after in longer)
    with Records(RECORD) as records:
        recorded = {entry.moves for entry in records.listing("1", (), 1000)}
    assert games[-1]["notation"] in recorded
    assert seen[-1] is None  # nothing is going on any more


def test_the_game_that_goes_on_is_shown_some_times_a_second_and_no_more(bench: TestBench) -> None:
    session = arena(bench)
    job = Job(bench.posts.put)
    session._follow(LiveEvent(bench, session._event()().to_json(), None, ""))
    watch = session.event.watch(job)
    games = Stretch(session._event()().pairings()[0], 0, 2)
    for _ in range(1000):
        watch(games, [4])
    bench.until(lambda: session.now)
    assert bench.posts.qsize() < 100
    do(session, "run")
    job.cancel()
    with pytest.raises(CalledOffError):
        watch(games, [4])


def test_nothing_is_shown_as_going_on_after_a_stop(bench: TestBench) -> None:
    session = arena(bench, agents="mcts:sims=4000;mcts:sims=3000", game="connect4", games="200")
    do(session, "run")
    bench.until(lambda: session.now)
    do(session, "run")
    assert session.view()["now"] is None


def test_an_event_that_would_take_too_long_is_not_begun_before_that_is_known(
    bench: TestBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fourlab.web.events.MOST_SECONDS", 1e-9)
    session = arena(bench, games="2000", agents="mcts:sims=4000;mcts:sims=3000")
    do(session, "run")
    bench.until(lambda: session.error)
    assert "choose fewer games" in session.error["text"]
    assert not session.running
    assert not session.act("run", [])


@pytest.mark.parametrize(
    ("name", "args", "part"),
    [
        ("add", ["mcts:sims=1e9"], "too much"),
        ("add", ["random"], "twice"),
        ("add", ["q:/etc/passwd"], "not in the folder"),
        ("games", ["1000000"], "not allowed"),
        ("games", ["many"], "no number"),
        ("remove", [9], "not allowed"),
        ("game", ["connect:columns=99,rows=9,k=4"], "too large"),
    ],
)
def test_bad_input_is_refused(bench: TestBench, name: str, args: list[object], part: str) -> None:
    session = arena(bench)
    before = session.url
    assert not session.act(name, args)
    assert session.error is not None
    assert part in session.error["text"]
    assert session.url == before


def test_an_event_has_a_number_of_games_in_all(bench: TestBench) -> None:
    players = ";".join(f"mcts:sims={number}" for number in range(1, 5))  # six pairs
    most = MOST_IN_ALL // 6
    session = arena(bench, agents=players)
    do(session, "games", str(most // 2 * 2))
    assert not session.act("games", [str(most + 2)])
    assert session.error is not None
    assert f"at most {most:,} a pair" in session.error["text"]
    assert "too many for the web" in str(arena(bench, agents=players, games=str(most + 2)).notice)


def test_the_address_restores_the_event(bench: TestBench) -> None:
    session = arena(bench)
    query = dict(part.split("=", 1) for part in session.url.partition("?")[2].split("&"))
    assert ArenaSession(bench, query).url == session.url
    assert ArenaSession(bench, {"agents": "nobody;random"}).notice


def test_a_player_alone_is_told_in_good_english(bench: TestBench) -> None:
    notice = ArenaSession(bench, {"agents": "random"}).notice
    assert notice == "choose 2 to 8 players, not 1"
