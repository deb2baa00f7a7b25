"""Games are kept while they are played, and found again."""

from pathlib import Path

import pytest

from fourlab.core.storage import StorageError
from fourlab.web.keep.shelf import Shelf
from fourlab.web.keep.store import FullError, Keep
from fourlab.web.sessions.play import PlaySession
from fourlab.web.sessions.play_keeping import result_of
from web.bench import TestBench


@pytest.fixture
def keep(tmp_path: Path) -> Keep:
    return Keep(tmp_path)


def play(bench: TestBench, keep: Keep, visitor: str = "me", **query: str) -> PlaySession:
    query.setdefault("opponent", "human")
    session = PlaySession(bench, query, 1, Shelf(keep, visitor))
    session.open()
    return session


def drop(session: PlaySession, *columns: int) -> None:
    for column in columns:
        assert session.act("play", [session.line.at, column - 1]), session.error


def query_of(session: PlaySession) -> dict[str, str]:
    return dict(part.split("=", 1) for part in session.url.partition("?")[2].split("&"))


def test_a_game_is_kept_from_its_first_stone(bench: TestBench, keep: Keep) -> None:
    session = play(bench, keep)
    assert keep.items("game") == []
    drop(session, 1, 2, 1, 2, 1, 2, 1)
    [item] = keep.items("game")
    assert (item.body["moves"], item.body["outcome"]) == ("1212121", "first")
    assert f"kept={item.name}" in session.url


@pytest.mark.parametrize(
    ("error", "told"),
    [(FullError("100 games are kept"), "100 games are kept"), (StorageError("/srv/x"), "written")],
)
@pytest.mark.parametrize("writes", ["add", "put"])
def test_a_game_that_cannot_be_kept_goes_on_and_says_so_once(
    bench: TestBench,
    keep: Keep,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    told: str,
    writes: str,
) -> None:
    session = play(bench, keep)
    if writes == "put":
        drop(session, 1)

    def full(*_: object) -> None:
        raise error

    monkeypatch.setattr(keep, writes, full)
    drop(session, 4)
    assert session.notice.startswith("this game is not kept: ")
    assert told in session.notice
    assert "/srv" not in session.notice
    assert session.act("dismiss", [])
    drop(session, 4)
    assert session.notice == ""
    monkeypatch.undo()
    drop(session, 5)
    assert keep.items("game")[0].body["moves"].endswith("445")


@pytest.mark.parametrize(
    "changed",
    [
        {"game": "tictactoe", "moves": "1"},
        {"game": "connect:columns=5,rows=4,k=4", "moves": ""},
        {"game": "no board", "moves": "44"},
        {"game": "tictactoe"},
    ],
)
def test_an_address_that_is_changed_to_another_board_leaves_the_kept_game_as_it_is(
    bench: TestBench, keep: Keep, changed: dict[str, str]
) -> None:
    session = play(bench, keep)
    drop(session, 4, 4)
    [item] = keep.items("game")
    other = play(bench, keep, kept=item.name, **changed)
    drop(other, 2)
    assert keep.get(item.name).body == item.body
    assert other.games.name not in ("", item.name)
    assert other.view()["variations"] == []


def test_an_address_without_a_board_leaves_a_kept_game_of_another_as_it_is(
    bench: TestBench, keep: Keep
) -> None:
    drop(play(bench, keep, game="tictactoe"), 5, 1)
    [item] = keep.items("game")
    drop(play(bench, keep, kept=item.name, moves="44"), 4)
    assert keep.get(item.name).body == item.body


def test_a_new_game_leaves_the_old_one_where_it_is(bench: TestBench, keep: Keep) -> None:
    session = play(bench, keep)
    drop(session, 4, 4)
    assert session.act("new", [])
    assert "kept" not in session.url
    drop(session, 3)
    assert sorted(item.body["moves"] for item in keep.items("game")) == ["3", "44"]
    [other] = session.view()["games_kept"]
    again = play(bench, keep, game=other["name"])  # as /game/NAME asks for it
    assert again.line.last.notation == "44"
    assert again.games.name == other["name"]


def test_undo_and_branches_lose_no_line(bench: TestBench, keep: Keep) -> None:
    session = play(bench, keep)
    drop(session, 4, 4, 5, 5)
    session.act("look", [2])
    again = play(bench, keep, **query_of(session))
    assert (again.line.position.notation, again.line.last.notation) == ("44", "4455")
    drop(again, 1)
    [item] = keep.items("game")
    assert (item.body["moves"], item.body["variations"]) == ("441", ["4455"])
    third = play(bench, keep, **query_of(again))
    assert third.line.variations == [(3, 3, 4, 4)]


def test_two_tabs_on_one_game_lose_neither_line(bench: TestBench, keep: Keep) -> None:
    first = play(bench, keep)
    drop(first, 4)
    second = play(bench, keep, **query_of(first))
    drop(first, 4, 4)
    drop(second, 5, 5)
    drop(first, 1)
    [item] = keep.items("game")
    assert {item.body["moves"], *item.body["variations"]} == {"4441", "455"}


def test_a_kept_game_goes_on_with_its_players(bench: TestBench, keep: Keep) -> None:
    session = play(bench, keep, opponent="mcts:sims=10", you="second")
    bench.until(lambda: session.line.length == 1)
    drop(session, 1)
    bench.until(lambda: session.line.length == 3)
    again = play(bench, keep, opponent="mcts:sims=10", kept=session.games.name)
    assert again.setting.players == session.setting.players
    assert again.line.last == session.line.last


def test_somebody_elses_game_is_read_and_not_written(bench: TestBench, keep: Keep) -> None:
    session = play(bench, keep)
    drop(session, 4, 4)
    other = play(bench, keep, "you", kept=session.games.name)
    assert other.line.last.notation == "44"
    drop(other, 1)
    assert keep.get(session.games.name).body["moves"] == "44"
    assert [item.owner for item in keep.items("game")] == ["you", "me"]


def test_nobody_is_called_you_in_the_game_of_another(bench: TestBench, keep: Keep) -> None:
    body = {"game": "connect4", "first": "human", "second": "random", "starts": "you", "at": 8}
    body |= {"moves": "17172737", "stones": 8, "outcome": "second", "variations": []}
    query = {"kept": keep.add("game", "me", body).name, "opponent": "random"}
    mine, other = (play(bench, keep, owner, **query) for owner in ("me", "you"))
    assert mine.view()["review"]["title"] == "Opponent won with move 8"
    assert mine.view()["review"]["asks"] == "What went wrong?"
    review = other.view()["review"]
    assert (review["title"], review["asks"]) == ("Red won with move 8", "Turning points")
    assert "You" not in str(review)
    assert other.view()["status"]["title"] == "Red wins"
    assert other.view()["graph"].get("owner", "yellow’s side") == "yellow’s side"
    other.act("undo", [])
    drop(other, 5)  # and becomes one of one's own
    assert other.view()["status"]["title"] in ("Your move", "Opponent is thinking")


def test_a_name_that_is_gone_or_foreign_disturbs_nothing(bench: TestBench, keep: Keep) -> None:
    session = play(bench, keep, kept="nothing-here", moves="44")
    drop(session, 4)
    assert session.line.last.notation == "444"
    name = session.games.name
    keep.delete(name, "me")
    drop(session, 4)
    assert keep.get(session.games.name).body["moves"] == "4444"
    board = play(bench, keep, kept=session.games.name, game="tictactoe", moves="5")
    assert board.line.last.notation == "5"


def test_the_last_games_are_listed_with_their_results(bench: TestBench, keep: Keep) -> None:
    for columns in ((1, 2, 1, 2, 1, 2, 1), (4, 4)):
        drop(play(bench, keep), *columns)
    session = play(bench, keep)
    found = {one["result"] for one in session.view()["games_kept"]}
    assert found == {"yellow won, 7 moves", "2 moves"}
    body = {"first": "human", "second": "random", "outcome": "second", "stones": 24}
    assert result_of(body) == "lost, 24 moves"
    assert result_of({**body, "outcome": "draw"}) == "draw, 24 moves"


def test_runs_of_this_board_are_among_the_opponents(bench: TestBench, keep: Keep) -> None:
    small = "connect:columns=5,rows=4,k=4"
    made = [
        keep.add("run", "me", {"query": {"game": small}, "agent": "q"}, "Taught").name,
        keep.add("run", "me", {"query": {"game": small}}, "Newborn").name,
        keep.add("run", "you", {"query": {"game": small}, "agent": "q"}, "Another’s").name,
    ]
    runs = play(bench, keep, game=small).view()["runs"]
    assert [(one["spec"], one["title"]) for one in runs] == [(f"run:{made[0]}", "Taught")]
    assert play(bench, keep).view()["runs"] == []


def test_a_stone_that_is_sent_again_goes_on_with_the_game_that_it_began(
    bench: TestBench, keep: Keep
) -> None:
    first = play(bench, keep)
    assert first.act("play", [0, 3, "a-mark"])
    drop(first, 5)
    lost = play(bench, keep)  # the page was loaded anew, at the address from before
    assert lost.act("play", [0, 3, "a-mark"])
    assert (lost.line.last.notation, lost.games.name) == ("45", first.games.name)
    assert len(keep.items("game")) == 1
    assert lost.act("new", [])
    assert lost.act("play", [0, 3, "another"])
    other = play(bench, keep, "another visitor")
    assert other.act("play", [0, 3, "a-mark"])
    assert [item.body["moves"] for item in keep.items("game")].count("4") == 2
