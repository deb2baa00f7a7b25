"""Home without a page: the game beside the truth, and the learner that grows up."""

from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from fourlab.arena.certify.certificate import certify
from fourlab.learning.registry import learner
from fourlab.web.keep.shelf import Shelf
from fourlab.web.keep.store import Keep
from fourlab.web.sessions import home_story
from fourlab.web.sessions.home import HomeSession, counted
from fourlab.web.sessions.home_story import GROWN, NEWBORN, TICKS, Stories, Story, games_at
from fourlab.web.words import GLOSSARY
from web.bench import TestBench

MILLION = home_story.GAMES


def home(bench: TestBench, story: Story | None = None, **query: str) -> HomeSession:
    session = HomeSession(bench, query, story or Story(bench, 5))
    session.open()
    return session


def do(session: HomeSession, name: str, *args: object) -> None:
    assert session.act(name, list(args)), session.error


def learned(session: HomeSession) -> None:
    do(session, "learn")
    session.bench.until(lambda: session.story.state == "ready")


@pytest.fixture(autouse=True)
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Learn with hardly a pause between the games, and fewer of them: nobody looks."""
    monkeypatch.setattr(home_story, "SECONDS", 1)
    monkeypatch.setattr(home_story, "GAMES", 20_000)


def test_the_board_has_exact_chips_and_an_address(bench: TestBench) -> None:
    session = home(bench)
    bench.until(lambda: session.view()["chips"] and session.view()["chips"][3].get("best"))
    assert session.view()["counted"] == "Win in 21"
    assert session.url == "/"
    do(session, "play", 0, 3)
    bench.until(lambda: session.game.line.length == 2)
    assert session.url == f"/?moves={session.game.line.last.notation}"
    do(session, "truth", False)
    assert session.url.endswith("&truth=off")
    again = home(bench, moves=session.game.line.last.notation, truth="off")
    assert again.url == session.url


def test_ten_seconds_make_a_player_that_cannot_be_beaten(
    bench: TestBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(home_story, "GAMES", MILLION)
    story = Story(bench, 1)
    session = home(bench, story)
    assert not session.act("drop", [GROWN, 1, 0])
    learned(session)
    view = session.view()["story"]
    assert view["grown"]
    assert (view["points"][0][0], view["games"]) == (0, story.learner.done)
    assert MILLION <= view["games"] < MILLION + 100
    assert view["points"][0][1] < 0.3
    assert view["points"][-1][1] > 0.95
    path = tmp_path / "grown.npz"
    story.learner.save(path)
    assert certify(f"q:{path},ties=first", story.rules, "first", explain=False).certified


def test_it_moves_first_and_answers(bench: TestBench) -> None:
    session = home(bench)
    bench.until(lambda: session.story.games[NEWBORN].length == 1)
    assert session.view()["story"]["boards"][NEWBORN]["canPlay"]
    legal = session.view()["story"]["boards"][NEWBORN]["legal"]
    do(session, "drop", NEWBORN, 0, legal[0])  # late: of a position that is gone
    assert session.story.games[NEWBORN].length == 1
    do(session, "drop", NEWBORN, 1, legal[0])
    line = session.story.games[NEWBORN]
    bench.until(lambda: line.length == 3 or line.last.is_over)
    do(session, "again", NEWBORN)
    bench.until(lambda: session.story.games[NEWBORN].length == 1)


def test_pages_of_one_visitor_see_the_same_learner_and_leaving_loses_nothing(
    bench: TestBench,
) -> None:
    stories = Stories(most=2)
    one = home(bench, stories.of("me", bench))
    do(one, "learn")
    one.close()
    other = home(bench, stories.of("me", bench))
    assert other.story is one.story
    bench.until(lambda: other.story.is_grown)
    assert other.view()["story"]["grown"]
    stories.of("you", bench)
    stories.of("they", bench)
    assert stories.of("me", bench) is not one.story  # room was needed


def test_after_a_restart_learner_games_and_board_are_as_they_were(
    bench: TestBench, tmp_path: Path
) -> None:
    def visit(**query: str) -> HomeSession:
        """Come to a server that has just started."""
        keep = Keep(tmp_path)
        story = Stories(keep).of("ann", bench)
        session = HomeSession(bench, query, story, Shelf(keep, "ann"))
        session.open()
        return session

    first = visit()
    do(first, "learn")
    bench.until(lambda: first.story.tick == 3)
    first.story.close()
    bench.until(lambda: first.story.games[NEWBORN].length == 1)
    do(first, "drop", NEWBORN, 1, 0)
    bench.until(lambda: first.story.games[NEWBORN].length == 3)
    do(first, "play", 0, 3)
    bench.until(lambda: first.game.line.length == 2)
    again = visit()
    was, now = first.view()["story"], again.view()["story"]
    assert (now["points"], now["boards"][NEWBORN]) == (was["points"], was["boards"][NEWBORN])
    assert (now["state"], again.story.tick) == ("paused", 3)
    assert again.story.learner.done == now["games"] >= games_at(3)
    assert again.view()["board"] == first.view()["board"]
    assert again.url == first.url
    bench.until(lambda: again.view()["canUndo"])
    do(again, "undo")
    assert visit(**dict(parse_qsl(urlsplit(again.url).query))).view()["board"]["moves"] == []
    games = Shelf(Keep(tmp_path), "ann").items("game")
    assert [item.body["stones"] for item in games] == [2]  # one game, however often it is visited
    do(again, "new")
    assert visit().url == "/"
    path = again.story.keeper._path(again.story.learner)
    assert path is not None
    for spoil in (learner("q", "tictactoe").save, lambda path: path.write_bytes(b"damaged")):
        spoil(path)
        lost = visit().view()["story"]
        assert (lost["state"], lost["points"]) == ("ready", [])
        assert "begins anew" in lost["failure"]


def test_a_pause_ends_within_a_tick_and_goes_on_where_it_was(bench: TestBench) -> None:
    session = home(bench)
    story = session.story
    do(session, "learn")
    bench.until(lambda: story.tick >= 2)
    do(session, "learn")
    assert session.view()["story"]["state"] == "paused"
    bench.until(lambda: not story.busy)
    at = story.tick
    do(session, "learn")
    bench.until(lambda: story.tick > at)
    bench.until(lambda: story.is_grown)
    assert story.state == "ready"
    assert [games for games, _ in story.points] == sorted(games for games, _ in story.points)


def test_ever_more_games_in_a_tick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(home_story, "GAMES", MILLION)
    steps = [games_at(tick) for tick in range(2 * TICKS + 1)]
    assert (steps[0], steps[TICKS], steps[2 * TICKS]) == (0, MILLION, 2 * MILLION)
    assert steps == sorted(steps)


@pytest.mark.parametrize("args", [[2, 0, 0], [0, 0, 9], ["x", 0, 0], [0]])
def test_bad_input_is_refused(bench: TestBench, args: list[object]) -> None:
    assert not home(bench).act("drop", args)


def test_what_is_counted_is_the_best_chip() -> None:
    chips = [{"first": "Loss", "second": "in 4"}, {"first": "Win", "second": "in 9", "best": True}]
    assert counted(chips) == "Win in 9"
    assert counted(None) == counted([{"first": "Draw", "best": True}]) == ""


def test_words_of_the_trade_are_explained_in_a_sentence_or_two() -> None:
    assert {"baseline", "spec", "Q(s, a)"} <= set(GLOSSARY)
    assert all(text.endswith(".") and 20 < len(text) < 240 for text in GLOSSARY.values())
