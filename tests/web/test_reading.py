"""What players have learned is read where they play: no page waits for it, and none is told where.

A visitor who names a large file would hold all pages up.
"""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fourlab.agents import learned, net
from fourlab.arena import events
from fourlab.core.errors import FourlabError
from fourlab.learning.registry import learner
from fourlab.learning.runs import RunConfig
from fourlab.rules.catalog import game
from fourlab.values.knowledge import Knowledge
from fourlab.values.network import Network
from fourlab.web import limits
from fourlab.web.certificates import Certificates
from fourlab.web.events import Events
from fourlab.web.keep.shelf import Shelf
from fourlab.web.keep.store import Keep
from fourlab.web.laboratory import Laboratory
from fourlab.web.sessions.arena import ArenaSession
from fourlab.web.sessions.play import PlaySession
from nets import random_network
from web.bench import TestBench

SMALL = "connect:columns=4,rows=3,k=3"
PLAYERS = ("q:runs/table", "net:runs/network", "zero:runs/network,sims=4", "deep-q:runs/network")


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def _runs(_own_folder: None) -> None:
    save_table(Path("runs") / "table")
    random_network(game(SMALL)).save(Path("runs") / "network" / "checkpoint.safetensors")


@pytest.fixture
def readers(monkeypatch: pytest.MonkeyPatch) -> list[threading.Thread]:
    """The threads on which files were read, or digests of them taken."""
    threads: list[threading.Thread] = []

    def noted(read: Callable[..., Any]) -> Callable[..., Any]:
        def note(*args: Any) -> Any:
            threads.append(threading.current_thread())
            return read(*args)

        return note

    for kind in (Knowledge, Network):
        monkeypatch.setattr(kind, "checked", noted(kind.checked))
    monkeypatch.setattr(events, "checksum", noted(events.checksum))
    learned._read.cache_clear()
    net._read.cache_clear()
    return threads


def save_table(folder: Path) -> None:
    """Save a learner that knows little as a run."""
    made = learner("q:games=50", SMALL, 0)
    made.advance(50)
    RunConfig(made.spec, SMALL, 0).save(folder)
    made.save(folder / made.file)


def read_elsewhere(readers: list[threading.Thread]) -> bool:
    """Return whether something was read, and nothing on the thread of the pages."""
    return bool(readers) and threading.current_thread() not in readers


@pytest.mark.parametrize("player", PLAYERS)
def test_an_event_reads_its_players_where_they_play(
    bench: TestBench, readers: list[threading.Thread], player: str
) -> None:
    shelf = Shelf(Keep(Path("kept")), "me")
    query = {"game": SMALL, "agents": "random;baseline", "games": "2"}
    session = ArenaSession(bench, query, shelf, Events())
    session.open()
    assert session.act("add", [player]), session.error
    assert session.act("run", [])
    bench.until(lambda: session.failure or (session.report and not session.running))
    assert session.view()["left"] == "done"
    assert session.event is not None
    again = ArenaSession(bench, {"event": session.event.item}, shelf, Events())
    again.open()
    bench.until(lambda: again.failure or again.report)
    assert again.view()["cross"] == session.view()["cross"]
    assert read_elsewhere(readers)


@pytest.mark.parametrize("player", PLAYERS)
def test_a_player_is_certified_where_it_is_asked(
    bench: TestBench, readers: list[threading.Thread], player: str
) -> None:
    certificates = Certificates()
    certificates.ask(bench, "me", player, game(SMALL), "first", strict=False)
    bench.until(lambda: not certificates.is_running("me"))
    assert certificates.walks["me"].name
    assert read_elsewhere(readers)


@pytest.mark.parametrize("player", PLAYERS)
def test_an_opponent_is_read_where_it_thinks(
    bench: TestBench, readers: list[threading.Thread], player: str
) -> None:
    table = PlaySession(bench, {"game": SMALL, "opponent": player, "you": "second"})
    table.open()
    bench.until(lambda: table.failure or table.line.length > 0)
    assert not table.failure
    assert read_elsewhere(readers)


@pytest.mark.parametrize("player", ["net:runs/table", "deep-q:runs/table", "q:runs/network"])
def test_what_a_file_says_it_is_none_of_is_refused_at_once(player: str) -> None:
    with pytest.raises(FourlabError, match=r"is a fourlab values, not|is of a network"):
        limits.read_agent(player, game(SMALL))


def test_what_a_page_is_sent_names_runs_and_no_folder(
    bench: TestBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = Shelf(Keep(tmp_path / "kept"), "me")
    item = shelf.add("run", {"query": {"game": SMALL}, "agent": "q"}, "My first", "q")
    save_table(shelf.keep.folder(item.name))
    monkeypatch.setattr(limits, "_find_run", lambda name: ("q", shelf.keep.folder(name)))
    query = {"game": SMALL, "agents": f"random;run:{item.name}", "games": "2"}
    session = ArenaSession(bench, query, shelf, Events())
    session.open()
    assert session.act("run", [])
    bench.until(lambda: session.failure or (session.report and not session.running))
    view = session.view()
    assert [one["spec"] for one in view["players"]] == ["random", f"run:{item.name}"]
    assert {one["agent"] for one in view["export"]["ratings"]} == {"random", f"run:{item.name}"}
    assert str(tmp_path) not in str(view)


def test_a_folder_is_told_from_the_names_in_it_wherever_the_server_was_started() -> None:
    assert Laboratory(keep=Path("kept")).keep.root.is_absolute()
