"""Arena without a page."""

from pathlib import Path

import pytest

from fourlab.arena.events import Event
from fourlab.arena.executors import Workers
from fourlab.arena.tournament import Tournament
from fourlab.web.sessions.arena import ArenaSession
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
    assert session.view()["estimate"] == "measuring"
    bench.until(lambda: session.estimate is not None)
    assert session.view()["estimate"].endswith("for 60 games")
    assert session.view()["played"] == 0


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


def test_neighbours_that_overlap_are_told_apart_from_those_that_do_not(bench: TestBench) -> None:
    session = arena(bench, agents="flat:playouts=20;flat:playouts=21;random")
    do(session, "run")
    bench.until(lambda: session.report and not session.running)
    [remark] = session.view()["remarks"][:1]
    assert "overlap" in remark
    assert session.view()["ratings"][0]["close"]


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


def test_the_address_restores_the_event(bench: TestBench) -> None:
    session = arena(bench)
    query = dict(part.split("=", 1) for part in session.url.partition("?")[2].split("&"))
    assert ArenaSession(bench, query).url == session.url
    assert ArenaSession(bench, {"agents": "nobody;random"}).notice
