"""Addresses that reports write open Arena and Learn with exactly the settings in them."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from starlette.datastructures import QueryParams

from fourlab.learning.opponents import named_in
from fourlab.learning.registry import learner as find_learner
from fourlab.studies.report import links
from fourlab.web.frame import read_query
from fourlab.web.keep.shelf import Shelf
from fourlab.web.keep.store import Keep
from fourlab.web.runs.room import Room
from fourlab.web.runs.setup import HELD, read_setup
from fourlab.web.sessions.arena import ArenaSession
from fourlab.web.sessions.learn import LearnSession
from web.bench import TestBench

FIVE_BY_SIX = "connect:columns=5,rows=6,k=4"


def query(address: str) -> dict[str, str]:
    return read_query(QueryParams(urlsplit(address).query))


def learn(bench: TestBench, folder: Path, address: str) -> LearnSession:
    room = Room(bench, Keep(folder / "kept"))
    return LearnSession(bench, query(address), shelf=Shelf(room.keep, "ann"), room=room)


def test_a_match_opens_in_the_arena(bench: TestBench) -> None:
    entry = {"kind": "match", "game": FIVE_BY_SIX, "a": "mcts:sims=200,c=0.7", "b": "mcts:sims=40"}
    where = links.of_entry({**entry, "games": 10_000, "plies": 0, "seed": 3})
    assert where is not None
    session = ArenaSession(bench, query(where[1]))
    assert session.notice == ""
    event = session._event()()
    assert (event.agents, event.games, event.seed, event.plies) == (
        ("mcts:sims=200,c=0.7", "mcts:sims=40"),
        10_000,
        3,
        0,
    )
    assert str(session.rules) == FIVE_BY_SIX
    assert not session.running
    assert ArenaSession(bench, query(session.url)).url == session.url
    assert session.view()["openings"] == "Every game begins on the empty board."
    assert session.act("game", ["connect4"])
    assert session.view()["openings"].startswith("Games begin after 8 random plies")


def test_an_event_is_held_to_games_in_all(bench: TestBench) -> None:
    session = ArenaSession(bench, {"agents": "random;baseline", "games": "20000"})
    assert session.per_pair == 20_000
    assert session.act("add", ["flat:playouts=5"]) is False  # three pairs would be 60,000
    assert "at most 18,666 a pair" in session.error["text"]  # type: ignore[index]
    refused = ArenaSession(bench, {"games": "20000", "plies": "99"})
    assert "too many" in refused.notice
    assert refused.per_pair == 40


@pytest.mark.parametrize(
    ("game", "spec"),
    [
        ("tictactoe", "q:games=600,opponent=random,side=first,epsilon=0.3"),
        (FIVE_BY_SIX, "afterstates:games=260000,opponent=mcts:sims={0..25},draw=-1,alpha=0.05"),
        (
            "connect4",
            "n-tuple:opponent=self,start=uci,side=first,alpha=0.01,gamma=0.99,games=15000",
        ),
        ("tictactoe", "q:opponent=perfect,alpha=(linear:1,end=0.05),games=4000,symmetric=no"),
        ("tictactoe", "q:opponent=(minimax:ties=first),games=50"),
        ("tictactoe", "monte-carlo:side=first,keep=0.8,games=100"),
        ("connect4", "td-lambda:games=500,opponent=(2 baseline and 1 frozen:every=50),lambda=0.3"),
    ],
)
def test_a_training_opens_as_it_was(bench: TestBench, tmp_path: Path, game: str, spec: str) -> None:
    session = learn(bench, tmp_path, links.learn(game, spec, 3001))
    assert session.notice == ""
    assert not session.training.running
    expected, made = find_learner(spec, game, 3001), session.training.make()
    assert (made.rules, made.seed, made.total) == (expected.rules, 3001, expected.total)
    held = {name.replace("-", "_") for name in HELD} - {"games"}
    differ = {k for k, v in vars(made.config).items() if str(v) != str(vars(expected.config)[k])}
    assert differ <= held
    again = learn(bench, tmp_path, session.url)
    assert again.training.settings == session.training.settings
    assert session.view()["choices"]["game"]["value"] == str(expected.rules)


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("/learn?learner=q:alpha=much", "much"),
        ("/learn?learner=q:tea=strong", "has no option 'tea'"),
        ("/learn?learner=coffee:games=3", "is not offered"),
        (
            "/learn?learner=q:opponent=my_agent.py",
            "'my_agent.py' is no file that this server offers",
        ),
        ("/learn?learner=q:opponent=(mcts:sims=90000)", "too slow for a page"),
        ("/learn?learner=q:opponent=(mcts:sims={0..900000000})", "more than 1,000 stages"),
        ("/learn?learner=q:opponent=(random then minimax:depth=12)", "too slow for a page"),
        ("/learn?learner=q:opponent=minimax&game=connect4", "too slow for a page on this board"),
        ("/learn?learner=n-tuple:tuples=900", "at most 100"),
        ("/learn?learner=q:opponent=perfect&game=connect4", "choose a smaller board"),
        ("/learn?learner=q:games=5,opponent=(q:../secret)", "is not in the folder runs"),
        ("/learn?game=connect:columns=9,rows=6,k=4", "54 cells"),
        ("/learn?seed=-1", "seed"),
    ],
)
def test_a_bad_value_is_told_in_one_line_and_the_default_stays(address: str, told: str) -> None:
    asked = query(address)
    found, problem = read_setup(asked)
    assert told in problem
    assert "\n" not in problem
    rest = {"game": asked["game"]} if "game" in asked and "cells" not in told else {}
    assert found == read_setup(rest)[0]


@pytest.mark.parametrize(("written", "games"), [("1e5", 100_000), ("5.0", 5), ("1_000", 1000)])
def test_a_number_of_games_is_read_however_it_is_written(
    bench: TestBench, tmp_path: Path, written: str, games: int
) -> None:
    session = learn(bench, tmp_path, f"/learn?learner=q:games={written}&game=tictactoe")
    assert session.training.settings.games == games
    assert session.url.startswith(f"/learn?learner=q:games={games}&")
    assert not session.training.is_over


def test_a_run_of_so_many_games_ends_with_them(bench: TestBench, tmp_path: Path) -> None:
    session = learn(bench, tmp_path, links.learn("tictactoe", "q:games=700,opponent=random", 1))
    session.open()
    assert session.act("speed", [1e9])
    assert session.act("run", [])
    bench.until(lambda: session.training.is_over and not session.training.running)
    assert session.training.done == 700
    assert not session.act("run", [])
    assert "all 700 games are played" in session.error["text"]  # type: ignore[index]


def test_all_agents_of_a_text_are_named() -> None:
    text = "random then 4 baseline and 1 frozen:every=9 then mcts:sims={0..2}"
    assert list(named_in(text)) == ["random", "baseline", *(f"mcts:sims={n}" for n in range(3))]
    assert list(named_in("self")) == []
