"""The shelf without a page."""

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from fourlab.agents import learned
from fourlab.core.errors import SpecError
from fourlab.rules.catalog import game as find_game
from fourlab.values.knowledge import Knowledge
from fourlab.web import words
from fourlab.web.api import _named, add_api
from fourlab.web.keep.shelf import Shelf
from fourlab.web.keep.store import Keep
from fourlab.web.limits import offer_runs, read_agent
from fourlab.web.runs.room import Room
from fourlab.web.sessions.analyse import AnalyseSession
from fourlab.web.sessions.arena import ArenaSession
from fourlab.web.sessions.arena_players import read_players
from fourlab.web.sessions.arena_view import short
from fourlab.web.sessions.learn import LearnSession
from fourlab.web.sessions.play import PlaySession
from fourlab.web.sessions.shelf import ShelfSession
from web.bench import TestBench, on_a_loop

BOARD = {"game": "tictactoe", "opponent": "random"}
GAME = {"game": "connect4", "first": "human", "second": "random", "moves": "4455", "variations": []}


@pytest.fixture
def room(tmp_path: Path, bench: TestBench) -> Room:
    made = Room(bench, Keep(tmp_path / "kept"))
    offer_runs(made.player)
    return made


def shelf_of(room: Room, who: str = "ann") -> ShelfSession:
    return ShelfSession(room.bench, {}, shelf=Shelf(room.keep, who), room=room)


def run_of(room: Room, bench: TestBench, who: str = "ann", games: int = 500) -> LearnSession:
    session = LearnSession(bench, BOARD, shelf=Shelf(room.keep, who), room=room)
    session.open()
    session.act("run", [])
    bench.until(lambda: session.training.done > games)
    session.act("run", [])
    kept = session.kept
    assert kept is not None
    bench.until(lambda: not kept.busy and not kept.is_dirty)
    return session


def test_everyone_sees_their_own(room: Room) -> None:
    for who in ("ann", "ann", "bob"):
        room.keep.add("game", who, {**GAME, "outcome": "in progress"}, title="Against Random")
    room.keep.add("event", "bob", {"state": "finished", "played": 40, "total": 40}, title="Cup")
    ann, bob = shelf_of(room).view(), shelf_of(room, "bob").view()
    assert (len(ann["games"]), len(bob["games"])) == (2, 1)
    assert (len(ann["events"]), bob["events"][0]["state"]) == (0, "finished")
    used = {meter["title"]: (meter["used"], meter["most"]) for meter in ann["meters"]}
    assert used["Games"] == (2, 500)
    assert used["Events"] == (0, 20)


@pytest.mark.parametrize(
    ("first", "second", "outcome", "tag"),
    [
        ("human", "random", "first", "Won"),
        ("random", "human", "first", "Lost"),
        ("human", "human", "second", "Red won"),
        ("human", "random", "draw", "Draw"),
        ("human", "random", "in progress", "Going on"),
    ],
)
def test_a_game_says_how_it_stands(
    room: Room, first: str, second: str, outcome: str, tag: str
) -> None:
    room.keep.add("game", "ann", {**GAME, "first": first, "second": second, "outcome": outcome})
    assert shelf_of(room).view()["games"][0]["tag"]["text"] == tag


def test_a_run_goes_on_and_pauses_from_the_shelf(room: Room, bench: TestBench) -> None:
    session = run_of(room, bench)
    session.close()
    shelf = shelf_of(room)
    [row] = shelf.view()["runs"]
    assert row["state"] == "paused"
    assert row["next"] == f"at {session.training.done:,} games"
    assert not shelf_of(room, "bob").act("toggle", [row["name"]])
    assert shelf.act("toggle", [row["name"]])
    [row] = shelf.view()["runs"]
    assert (row["state"], row["next"]) == ("running", "pauses in 30 min")
    assert shelf.view()["atWork"] == 1
    assert shelf_of(room, "bob").view()["atWork"] == 0
    assert shelf.act("toggle", [row["name"]])
    assert shelf.view()["runs"][0]["state"] == "paused"


def test_things_are_renamed_deleted_and_brought_back(room: Room) -> None:
    name = room.keep.add("game", "ann", GAME, title="Against Random").name
    shelf = shelf_of(room)
    assert shelf.act("rename", [name, "my first win"])
    assert shelf.view()["games"][0]["title"] == "my first win"
    assert not shelf_of(room, "bob").act("delete", [name])
    assert shelf.act("delete", [name])
    view = shelf.view()
    assert view["games"] == []
    assert view["deleted"]["title"] == "my first win"
    assert shelf.act("restore", [name])
    assert shelf.view()["games"][0]["title"] == "my first win"
    assert shelf.view()["deleted"] is None


@pytest.mark.parametrize(("state", "shown"), [("running", "paused"), ("finished", "finished")])
def test_an_event_that_is_brought_back_says_how_it_stands(
    room: Room, state: str, shown: str
) -> None:
    body = {"state": state, "played": 4, "total": 40}
    item, session = room.keep.add("event", "ann", body, title="Cup"), shelf_of(room)
    assert session.act("delete", [item.name])
    assert session.act("restore", [item.name])
    assert [event["state"] for event in session.view()["events"]] == [shown]


def test_one_of_something_is_not_written_as_many(room: Room) -> None:
    body = {**GAME, "moves": "4", "outcome": "in progress", "variations": ["3"]}
    item = room.keep.add("game", "ann", body)
    day = room.keep.kinds["game"].days * 86_400
    room.keep._clock = lambda: item.opened + day - 80_000
    [game] = shelf_of(room).view()["games"]
    assert game["about"].endswith("· 1 move · 1 variation")
    assert game["soon"] == "goes in 1 day unless opened"


def test_a_run_is_a_player_everywhere(room: Room, bench: TestBench) -> None:
    session = run_of(room, bench)
    assert session.kept is not None
    rules, name = find_game("tictactoe"), session.kept.name
    players = read_players([f"run:{name}", "random"], rules)
    assert name in players[0]
    assert read_players(players, rules) == players  # as an address gives them back
    assert read_agent(players[0], rules).spec == players[0]
    row = shelf_of(room).view()["runs"][0]
    assert f"opponent=run:{name}" in row["play"]
    assert f"agents=run:{name};" in row["arena"]
    assert f"a=run:{name}" in row["analyse"]


def test_a_table_is_read_where_it_plays_and_no_page_waits_for_it(
    room: Room, bench: TestBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = run_of(room, bench)
    assert session.kept is not None
    name, load, readers = session.kept.name, Knowledge.load, []

    def loaded(*args: Any) -> Any:
        readers.append(threading.current_thread())
        return load(*args)

    learned._read.cache_clear()
    monkeypatch.setattr(Knowledge, "load", loaded)
    read_players([f"run:{name}", "random"], find_game("tictactoe"))
    query = {"game": "tictactoe", "opponent": f"run:{name}", "you": "second", "overlay": "values"}
    table = PlaySession(bench, query)
    table.open()
    bench.until(lambda: table.line.length > 0)
    bench.until(lambda: table.overlay_data)
    assert readers
    assert threading.current_thread() not in readers
    with pytest.raises(SpecError, match="cannot play Connect Four 7 × 6; it knows Tic-tac-toe"):
        read_agent(f"run:{name}", find_game("connect4"))


def test_a_run_is_called_by_its_title(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "_title_of", room.title)
    name = room.keep.add("run", "ann", {"agent": "q"}, title="my best", stem="q-3x3").name
    for spec in (f"run:{name}", f"q:{room.keep.folder(name)}"):
        assert words.opponent_of(spec)["title"] == "my best"
        assert short(spec) == "my best"
    assert words.opponent_of("run:gone-1")["title"] == "gone-1"


def test_a_run_of_another_board_is_refused_by_its_title_and_not_by_its_folder(
    room: Room, bench: TestBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(words, "_title_of", room.title)
    kept, shelf = run_of(room, bench).kept, Shelf(room.keep, "ann")
    assert kept is not None
    spec, why = f"run:{kept.name}", "'q-3x3-1' cannot play Connect Four 7 × 6; it knows Tic-tac-toe"
    arena = ArenaSession(bench, {"agents": f"{spec};random", **BOARD}, shelf)
    assert not arena.act("game", ["connect4"])
    analyse = AnalyseSession(bench, {"a": spec})
    assert not analyse.act("compare", [0, spec])
    app = FastAPI()
    add_api(app, SimpleNamespace())  # type: ignore[arg-type]

    async def ask() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app)) as client:
            return await client.get("http://localhost/api/decide", params={"agent": spec})

    answer = on_a_loop(ask())
    assert answer.status_code == 400
    for told in (
        PlaySession(bench, {"opponent": spec}).notice,
        ArenaSession(bench, {"agents": f"{spec};random"}, shelf).notice,
        (arena.error or {})["text"],
        analyse.notice,
        (analyse.error or {})["text"],
        answer.json()["detail"],
    ):
        assert told.startswith(why)
        assert "/" not in told
    play = PlaySession(bench, {**BOARD, "opponent": spec})
    assert play.setting.opponent == spec
    assert play.act("game", ["connect4"])
    assert play.notice == "q-3x3-1 cannot play Connect Four 7 × 6; Monte Carlo tree search does"


def test_a_run_that_is_gone_or_damaged_is_told_without_its_folder(
    room: Room, bench: TestBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(words, "_title_of", room.title)
    kept, shelf = run_of(room, bench).kept, Shelf(room.keep, "ann")
    assert kept is not None
    rules, spec = find_game("tictactoe"), f"run:{kept.name}"
    play = PlaySession(bench, {**BOARD, "opponent": spec})
    arena = ArenaSession(bench, {"game": "tictactoe", "agents": f"{spec};random"}, shelf)
    file = kept.folder / "checkpoint.npz"
    whole = file.read_bytes()
    file.write_bytes(whole[:100])
    with pytest.raises(SpecError, match="what 'q-3x3-1' has learned cannot be read"):
        read_agent(spec, rules)
    file.write_bytes(whole)
    room.delete(kept.name, shelf)
    arena.open()
    assert kept.name in arena.failure
    for action in (["run"], ["add", "baseline"]):
        assert not arena.act(action[0], action[1:])
        assert kept.name in (arena.error or {})["text"]
        assert "/" not in (arena.error or {})["text"]
    assert play.act("game", ["connect4"])
    assert play.notice.endswith("cannot play Connect Four 7 × 6; Monte Carlo tree search does")


def test_a_program_is_told_the_name_of_a_run_and_not_its_folder(
    room: Room, bench: TestBench
) -> None:
    kept = run_of(room, bench).kept
    assert kept is not None
    spec = f"run:{kept.name}"
    player = read_agent(spec, find_game("tictactoe"))
    assert (_named(spec, player), _named("random", player)) == (spec, player.spec)


def test_several_runs_stand_on_one_chart(room: Room, bench: TestBench) -> None:
    one, other = run_of(room, bench), run_of(room, bench, games=800)
    assert one.kept is not None
    assert other.kept is not None
    assert one.view()["others"] == [{"value": other.kept.name, "label": "q-3x3-2"}]
    assert one.act("compare", [[other.kept.name]])
    [compared] = one.view()["compared"]
    assert compared["title"] == "q-3x3-2"
    assert compared["points"] == other.view()["wins"]
    assert one.url == f"/run/{one.kept.name}?with={other.kept.name}"
    room.delete(other.kept.name, Shelf(room.keep, "ann"))
    assert one.view()["compared"] == []


@pytest.mark.parametrize("is_run", [False, True])
def test_an_address_names_few_runs_for_one_chart_each_once(
    room: Room, bench: TestBench, is_run: bool
) -> None:
    own, shelf = run_of(room, bench).kept, Shelf(room.keep, "ann")
    assert own is not None
    body = {"query": {"game": "tictactoe"}}
    names = [shelf.add("run", body, f"run {n}").name for n in range(6)]
    several = [own.name, names[0], *names] if is_run else [names[0], *names]
    query = {"with": ",".join(several), **({"run": own.name} if is_run else {})}
    session = LearnSession(bench, query, shelf=shelf, room=room)
    assert [one["name"] for one in session.view()["compared"]] == names[:3]
    assert "3 further runs stand on a chart; 3 were left out" in session.view()["notice"]
    query["with"] = ",".join([*names[:2], names[1]])
    session = LearnSession(bench, query, shelf=shelf, room=room)
    assert [one["name"] for one in session.view()["compared"]] == names[:2]
    assert "left out" not in session.view()["notice"]


def test_what_is_no_run_stands_on_no_chart(room: Room, bench: TestBench) -> None:
    shelf = Shelf(room.keep, "ann")
    name = shelf.add("event", {}).name
    assert LearnSession(bench, {"with": name}, shelf=shelf, room=room).view()["compared"] == []


def test_a_damaged_item_is_told(room: Room) -> None:
    name = room.keep.add("game", "ann", GAME).name
    (room.keep.folder(name) / "item.json").write_text("{")
    again = Room(room.bench, Keep(room.keep.root))
    assert shelf_of(again).view()["problems"] == 1
