"""Events live at the server, outlive pages, and say what they measure."""

import itertools
import shutil
import threading
from pathlib import Path

import pytest

from fourlab.arena.events import Event
from fourlab.arena.match import play
from fourlab.arena.pairing import Stretch
from fourlab.arena.records import Records
from fourlab.arena.tournament import Tournament
from fourlab.learning.registry import learner
from fourlab.learning.runs import RunConfig
from fourlab.web import limits
from fourlab.web.events import Events, LiveEvent, report_of
from fourlab.web.keep.shelf import Shelf
from fourlab.web.keep.store import Keep
from fourlab.web.limits import RECORD
from fourlab.web.sessions.arena import ArenaSession
from fourlab.web.workbench import LONG as LONG_POOL
from fourlab.web.workbench import Job
from web.bench import THREADS, TestBench

QUERY = {"game": "tictactoe", "agents": "perfect;baseline;random", "games": "20", "seed": "3"}
EVENT = Event("tictactoe", ("random", "baseline"), 2).to_json()
LONG = {"game": "connect4", "agents": "mcts:sims=400;mcts:sims=300;random", "games": "200"}


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def arena(bench: TestBench, events: Events, shelf: Shelf, **query: str) -> ArenaSession:
    session = ArenaSession(bench, query or QUERY, shelf, events)
    session.open()
    return session


def begun(bench: TestBench, session: ArenaSession) -> str:
    """Begin the event of a session; return the name under which it is kept."""
    assert session.act("run", []), session.error
    bench.until(lambda: session.event or session.error)
    assert session.event is not None, session.error
    return session.event.item


def save_run(name: str, game: str) -> Path:
    """Save a learner that knows nothing as a run of the server."""
    made = learner("q:games=10", game, 0)
    folder = Path("runs") / name
    RunConfig(made.spec, str(made.rules), 0).save(folder)
    made.save(folder / made.file)
    return folder


def test_an_event_has_an_address_and_outlives_the_page_and_the_server(
    bench: TestBench, tmp_path: Path
) -> None:
    events, shelf = Events(), Shelf(Keep(tmp_path / "kept"), "me")
    session = arena(bench, events, shelf)
    assert session.url.startswith("/arena?")
    name = begun(bench, session)
    assert session.url == f"/event/{name}"
    live = session.event
    session.close()  # nobody looks
    bench.until(lambda: live.state == "finished")
    assert shelf.keep.get(name).body["played"] == 60
    assert shelf.keep.get(name).title == "Three agents, 3 × 3"
    again = arena(bench, events, shelf, event=name)
    assert (again.view()["played"], again.view()["left"]) == (60, "done")
    anew = arena(bench, Events(), Shelf(Keep(tmp_path / "kept"), "me"), event=name)  # a restart
    bench.until(lambda: anew.report)
    assert anew.view()["cross"] == again.view()["cross"]
    assert anew.view()["latest"] == again.view()["latest"]


def test_an_event_that_was_cut_off_goes_on_with_the_rest(bench: TestBench, tmp_path: Path) -> None:
    shelf = Shelf(Keep(tmp_path / "kept"), "me")
    session = arena(bench, Events(), shelf, **LONG)
    name = begun(bench, session)
    bench.until(lambda: session.report and session.report["played"] > 0)
    kept = session.report["played"]
    assert session.view()["offline"] == "While the server is up, the event goes on there."
    session.event._job.cancel()  # as if the server had been killed
    keep = Keep(tmp_path / "kept")
    assert keep.get(name).body["state"] == "running"
    events = Events(keep)
    assert keep.get(name).body["state"] == "stopped"
    again = arena(bench, events, Shelf(keep, "me"), event=name)
    bench.until(lambda: again.report)
    assert again.view()["played"] >= kept
    assert again.view()["left"] == "stopped; all games are kept"
    assert again.view()["regained"] == "Every finished game is kept; Go on plays the rest."
    assert again.act("run", [])
    bench.until(lambda: again.report["played"] > kept)
    again.event.stop()


def test_two_tabs_see_one_event_and_only_its_owner_stops_it(
    bench: TestBench, tmp_path: Path
) -> None:
    events, keep = Events(), Keep(tmp_path / "kept")
    mine = arena(bench, events, Shelf(keep, "me"), **LONG)
    name = begun(bench, mine)
    tab = arena(bench, events, Shelf(keep, "me"), event=name)
    other = arena(bench, events, Shelf(keep, "you"), event=name)
    assert tab.event is mine.event is other.event
    assert not other.act("run", [])
    assert "only the browser that began" in other.error["text"]
    assert not other.view()["owner"]
    assert not tab.act("games", ["30"])  # not while it runs
    assert tab.act("run", [])
    assert not mine.running


def test_an_event_begins_while_walks_of_certificates_take_their_time(
    bench: TestBench, tmp_path: Path
) -> None:
    started, over = threading.Event(), list[int]()

    def walk(job: Job) -> None:
        started.wait(60)
        job.report(over.append, 1)

    for _ in range(THREADS):
        bench.start(walk, LONG_POOL)
    session = arena(bench, Events(), Shelf(Keep(tmp_path / "kept"), "me"))
    assert session.act("run", [])
    bench.until(lambda: session.event)
    started.set()
    assert not over


def test_a_deleted_event_ends_and_is_gone(bench: TestBench, tmp_path: Path) -> None:
    events, shelf = Events(), Shelf(Keep(tmp_path / "kept"), "me")
    session = arena(bench, events, shelf, **LONG)
    shelf.delete(begun(bench, session))
    bench.until(lambda: session.report)
    session.event._note(at_once=True)
    assert not session.running
    with pytest.raises(Exception, match="nothing is kept under"):
        events.of(bench, session.event.item, shelf)


def test_no_more_events_of_one_visitor_run_than_are_allowed(
    bench: TestBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fourlab.web.events.MOST_RUNNING", 1)
    events, shelf = Events(), Shelf(Keep(tmp_path / "kept"), "me")
    one = arena(bench, events, shelf, **LONG)
    begun(bench, one)
    two = arena(bench, events, shelf, **{**LONG, "seed": "9"})
    assert two.act("run", [])
    bench.until(lambda: two.error)
    assert "stop one first" in two.error["text"]
    assert one.act("run", [])  # it stops
    assert two.act("run", [])
    bench.until(lambda: two.running)
    assert not one.act("run", [])  # nor does one that was begun before go on
    assert "stop one first" in one.error["text"]
    assert not one.running
    two.event.stop()


def test_only_so_many_events_are_held_and_those_that_run_are(
    bench: TestBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fourlab.web.events.MOST_OPEN", 2)
    events, shelf = Events(), Shelf(Keep(tmp_path / "kept"), "me")
    running = events.begin(bench, Event.from_json(EVENT), shelf, "running")
    running.state = "running"
    for number in range(4):
        last = events.begin(bench, Event.from_json(EVENT), shelf, str(number))
    assert list(events._live.values()) == [running, last]


def test_another_setting_is_another_event(bench: TestBench, tmp_path: Path) -> None:
    session = arena(bench, Events(), Shelf(Keep(tmp_path / "kept"), "me"))
    begun(bench, session)
    bench.until(lambda: session.event.state == "finished")
    assert session.act("games", ["22"])
    assert session.event is None
    assert session.url.startswith("/arena?")
    assert session.view()["ratings"] == []


def test_nobody_has_a_rating_or_an_overlap_without_games(bench: TestBench) -> None:
    event = Event("tictactoe", ("random", "baseline", "perfect"), 20, 3)
    with Records(RECORD) as records:
        tournament = Tournament(event, records)
        assert report_of(tournament, records)["ratings"] == []
        meeting = next(m for m in tournament.meetings if m.pairing.b == "baseline")
        meeting.take(0, play(Stretch(meeting.pairing, 0, 2)))
        report = report_of(tournament, records)
    assert {one["agent"] for one in report["ratings"]} == {"random", "baseline"}
    session = ArenaSession(bench, QUERY)
    session._follow(LiveEvent(bench, event.to_json(), None, ""))
    session.event.report = report
    view = session.view()
    assert view["unrated"] == ["Perfect"]
    assert all("0 won, 0 drawn, 0 lost" not in text for text in view["remarks"])


def test_neighbours_who_have_not_met_do_not_overlap(bench: TestBench) -> None:
    event = Event("tictactoe", ("random", "baseline", "perfect", "flat:playouts=5"), 20, 3)
    with Records(RECORD) as records:
        tournament = Tournament(event, records)
        for meeting in tournament.meetings:
            if "random" in (meeting.pairing.a, meeting.pairing.b):
                meeting.take(0, play(Stretch(meeting.pairing, 0, 2)))
        report = report_of(tournament, records)
    met = {
        frozenset((p["a"], p["b"])) for p in report["pairs"] if p["wins"] + p["draws"] + p["losses"]
    }
    close = [(one["agent"], one["close"][0]) for one in report["ratings"] if one["close"]]
    assert all(frozenset(pair) in met for pair in close)
    assert len(report["ratings"]) == 4


@pytest.mark.parametrize(("asked", "played", "said"), [("7", 8, True), ("8", 8, False)])
def test_an_odd_number_of_games_says_how_many_are_played(
    bench: TestBench, asked: str, played: int, said: bool
) -> None:
    for session in (ArenaSession(bench, {**QUERY, "games": asked}), ArenaSession(bench, QUERY)):
        assert session.act("games", [asked])
        view = session.view()
        assert (view["perPair"], view["wasOdd"], view["total"]) == (played, said, 3 * played)
    assert session.act("seed", ["4"])
    assert not session.view()["wasOdd"]


def test_where_games_begin_is_said_and_can_be_chosen(bench: TestBench) -> None:
    session = ArenaSession(bench, {"agents": "random;baseline"})
    assert "after 8 random plies" in session.view()["openings"]
    assert [one["value"] for one in session.view()["begins"]["options"]] == ["0", "8"]
    assert session.act("begins", ["0"])
    assert session._event()().plies == 0
    assert session.view()["openings"] == "Every game begins on the empty board."
    assert "plies=0" in session.url
    assert not session.act("begins", ["99"])


def test_a_learned_player_begins_on_the_empty_board_unless_told_otherwise(
    bench: TestBench,
) -> None:
    folder = save_run("mine", "connect:columns=4,rows=4,k=3")
    save_run("other", "tictactoe")
    query = {"game": "connect:columns=4,rows=4,k=3", "agents": "random;baseline"}
    session = ArenaSession(bench, query)
    assert [one["spec"] for one in session.view()["runs"]] == [f"q:{folder}"]
    assert session._event()().plies == 4
    assert session.act("add", [f" q:{folder} "])
    assert session._event()().plies == 0
    assert "where the learned player has learned" in session.view()["openings"]
    assert session.act("begins", ["4"])
    assert session._event()().plies == 4


def test_runs_on_the_shelf_are_offered_by_their_title_and_play_by_name(
    bench: TestBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = "connect:columns=4,rows=4,k=3"
    shelf = Shelf(Keep(tmp_path / "kept"), "me")
    body = {"query": {"game": rules}, "agent": "q"}
    item = shelf.add("run", body, "My first", "q")
    shelf.add("run", {"query": {"game": rules}}, "Newborn")
    shelf.add("run", {**body, "query": {"game": "tictactoe"}}, "Elsewhere")
    made = learner("q:games=10", rules, 0)
    made.save(shelf.keep.folder(item.name) / made.file)
    monkeypatch.setattr(limits, "_find_run", lambda name: ("q", shelf.keep.folder(name)))
    session = arena(bench, Events(), shelf, game=rules, agents="random;baseline")
    assert session.view()["runs"] == [{"spec": f"run:{item.name}", "title": "My first"}]
    assert session.act("add", [f"run:{item.name}"]), session.error
    assert session.view()["players"][-1]["short"] == item.name  # and not where its file lies
    assert session._event()().plies == 0
    assert session.url.startswith(f"/arena?game={rules}&agents=random;baseline;run:{item.name}&")
    again = ArenaSession(bench, {"game": rules, "agents": f"random;run:{item.name}"}, shelf)
    assert again.notice == ""


def test_an_event_whose_player_was_deleted_is_told_of_in_words(
    bench: TestBench, tmp_path: Path
) -> None:
    folder = save_run("gone", "tictactoe")
    shelf, events = Shelf(Keep(tmp_path / "kept"), "me"), Events()
    session = arena(bench, events, shelf, game="tictactoe", agents=f"random;q:{folder}", games="2")
    name = begun(bench, session)
    bench.until(lambda: not session.running)
    shutil.rmtree(folder)
    far = shelf.keep.get(name).body
    looking = arena(bench, Events(), Shelf(shelf.keep, "you"), event=name)
    bench.until(lambda: looking.failure)
    assert shelf.keep.get(name).body == far  # looking changes nothing
    live = ArenaSession(bench, {"event": name}, shelf, events)
    assert live.view()
    assert live.report is not None
    assert live.report["played"] == 2
    assert live.act("run", [])
    bench.until(lambda: live.event.failure)
    anew = arena(bench, Events(), shelf, event=name)
    bench.until(lambda: anew.failure)
    for why in (live.event.failure, anew.failure):
        assert "a player of this event is gone" in why
        assert "fourlab" not in why  # no command brings it back
    assert anew.act("run", [])
    bench.until(lambda: anew.event.failure)
    assert shelf.keep.get(name).body["played"] == 2  # as the shelf says
    assert [one["short"] for one in anew.view()["players"]] == ["Random", "gone"]
    assert anew.act("remove", [1]) is False  # one alone is no event
    assert anew.act("replace", [1, "baseline"])


def test_players_without_dice_are_told_to_repeat_themselves(bench: TestBench) -> None:
    agents = "minimax:depth=2,ties=first;minimax:depth=4,ties=first"
    session = ArenaSession(bench, {"agents": agents, "plies": "0"})
    assert "repeat the same two games" in session.view()["openings"]
    assert session.act("begins", ["8"])
    assert "repeat" not in session.view()["openings"]


def test_measuring_says_how_far_it_is(bench: TestBench) -> None:
    session = ArenaSession(bench, QUERY)
    seen: list[str] = []
    session.changed = lambda: seen.append(session.view()["estimate"])
    session.open()
    bench.until(lambda: session.estimate is not None)
    assert [f"timing a game of pair {number} of 3" for number in (1, 2, 3)] == [
        text for text, _ in itertools.groupby(seen) if "pair" in text
    ]


def test_games_under_way_are_counted(bench: TestBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fourlab.web.events.BETWEEN_REPORTS", -1.0)
    session = ArenaSession(bench, QUERY)
    seen: list[int] = []
    session.changed = lambda: seen.append(session.view()["underWay"])
    session.open()
    begun(bench, session)
    bench.until(lambda: session.event.state == "finished")
    assert max(seen) > 0
    assert session.view()["underWay"] == 0


def test_every_game_of_a_pair_can_be_opened(bench: TestBench, tmp_path: Path) -> None:
    shelf, events = Shelf(Keep(tmp_path / "kept"), "ann"), Events()
    session = arena(bench, events, shelf, **{**QUERY, "games": "30"})
    session.act("run", [])
    bench.until(lambda: session.report is not None and session.report["played"] == 90)
    assert session.act("between", [2, 0])
    bench.until(lambda: session.view()["pair"]["games"] is not None)
    pair = session.view()["pair"]
    assert (pair["title"], pair["total"], len(pair["games"])) == ("Random against Perfect", 30, 20)
    assert pair["games"][0]["first"] == "Perfect"
    assert pair["games"][1]["first"] == "Random"
    assert session.act("between", [2, 0, 1])
    bench.until(lambda: session.view()["pair"]["games"] is not None)
    rest = session.view()["pair"]
    assert (rest["from"], rest["more"], len(rest["games"])) == (21, 0, 10)
    won = [game["result"] for game in (*pair["games"], *rest["games"])[::2]].count("1–0")
    lost = [game["result"] for game in (*pair["games"], *rest["games"])[1::2]].count("0–1")
    assert session.view()["cross"][0][2]["counts"][0] == won + lost
    assert session.act("between", [2, 0, 1])  # once more: closed
    assert session.view()["pair"] is None
    assert not session.act("between", [1, 1])
    assert not session.act("between", [0, 9])
