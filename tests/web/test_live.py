"""What goes between a session and its page: numbered, bounded, and over when the visitor leaves."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from nicegui import Client
from nicegui.page import page
from starlette.requests import Request

from fourlab.web.live import Live
from fourlab.web.sessions.base import Session, View
from web.bench import TestBench, on_a_loop

ASKED = {"type": "http", "path": "/counter", "headers": [], "server": ("localhost", 80)}


class Counter(Session):
    """A session that counts."""

    actions = frozenset({"add"})

    def __init__(self, bench: TestBench) -> None:
        super().__init__(bench)
        self.count = 0

    def view(self) -> View:
        return {"count": self.count, "title": "a counter"}

    def add(self, by: int) -> None:
        self.count += by


class Spy(Live):
    """A page that notes what would go to the browser."""

    def __init__(self, session: Session) -> None:
        self.sent: list[tuple[Any, ...]] = []
        super().__init__(session)

    def run_method(self, name: str, *args: Any, **_: Any) -> Any:
        self.sent.append((name, *args))


@pytest.fixture
def spied(bench: TestBench, monkeypatch: pytest.MonkeyPatch) -> Spy:
    monkeypatch.setattr("fourlab.web.live.BETWEEN_UPDATES", 0.0)

    async def make() -> Spy:
        with Client(page("/counter"), request=Request(ASKED)):
            return Spy(Counter(bench))

    return on_a_loop(make())


def act(spied: Spy, message: Any) -> None:
    spied._act(SimpleNamespace(args=message))  # type: ignore[arg-type]


def test_only_what_changed_goes_over_and_every_update_has_the_next_number(spied: Spy) -> None:
    for by in (1, 2, 3):
        act(spied, {"name": "add", "args": [by]})
    assert spied.sent == [
        ("receive", 1, {"count": 1}, False),
        ("receive", 2, {"count": 3}, False),
        ("receive", 3, {"count": 6}, False),
    ]
    spied.session.changed()  # nothing is different
    assert len(spied.sent) == 3


def test_a_page_that_missed_something_gets_everything(spied: Spy) -> None:
    act(spied, {"name": "add", "args": [5]})
    act(spied, {"name": "resync"})
    everything = {"count": 5, "title": "a counter", "failure": "", "waiting": "", "heard": 0}
    assert spied.sent[-1] == ("receive", 2, everything, True)


@pytest.mark.parametrize("serial", [None, "3", -1, 1 << 60, 2.5])
def test_a_page_hears_which_of_its_actions_arrived(spied: Spy, serial: object) -> None:
    act(spied, {"name": "add", "args": [0], "serial": 7})
    assert spied.sent[-1] == ("receive", 1, {"heard": 7}, False)
    act(spied, {"name": "add", "args": [1], "serial": serial})
    assert spied.sent[-1] == ("receive", 2, {"count": 1}, False)


def test_a_failure_is_shown_until_the_next_action(spied: Spy) -> None:
    spied.session.failed("work", "no space left")
    act(spied, {"name": "add", "args": [1]})
    assert [update[2] for update in spied.sent] == [
        {"failure": "no space left"},
        {"count": 1, "failure": ""},
    ]


def test_what_the_core_says_reaches_the_page_in_its_words(
    spied: Spy, monkeypatch: pytest.MonkeyPatch
) -> None:
    said, meant = "epsilon 2 is out of range; 0 to 1e+06", "Explore ε 2 is out of range; 0 to 1,000"
    view = {"notice": said, "error": {"field": "tune", "text": said}}
    monkeypatch.setattr(spied.session, "view", lambda: view)
    spied.session.failed("work", said)
    shown = spied.sent[-1][2]
    texts = [shown["failure"], shown["notice"], shown["error"]["text"]]
    assert [text.removesuffix(",000") for text in texts] == [meant] * 3


@pytest.mark.parametrize(
    "message",
    [
        None,
        "add",
        {"name": "close", "args": []},
        {"name": "__init__", "args": []},
        {"name": 3},
        {"name": "add", "args": "1"},
        {"name": "add", "args": [1] * 99},
        {"name": "add", "args": [[]]},
    ],
)
def test_nonsense_changes_nothing(spied: Spy, message: Any) -> None:
    spied.session.open()
    act(spied, message)
    assert spied.session.view()["count"] == 0
    assert spied.session.is_open


def test_many_changes_at_once_are_one_update(
    spied: Spy, bench: TestBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fourlab.web.live.BETWEEN_UPDATES", 1e6)
    waiting = []
    spied._later = lambda seconds, action: waiting.append(action)
    for _ in range(100):
        act(spied, {"name": "add", "args": [1]})
    assert [update[2] for update in spied.sent] == [{"count": 1}]
    assert len(waiting) == 1
    waiting[0]()
    assert spied.sent[-1][1:3] == (2, {"count": 100})


def test_whose_last_socket_is_gone_is_away_and_may_come_back(
    spied: Spy, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(spied.session, "open", lambda: told.append("here"))
    monkeypatch.setattr(spied.session, "away", lambda: told.append("away"))

    async def come_and_go() -> None:
        monkeypatch.setattr("nicegui.core.loop", asyncio.get_running_loop())
        for socket in ("one", "two"):
            await spied.client.handle_handshake(socket, "tab", None, "document", None)
        spied.client.handle_disconnect("one")  # the other one is still there
        assert told == ["here", "here"]
        spied.client.handle_disconnect("two")
        await spied.client.handle_handshake("three", "tab", None, "document", None)

    on_a_loop(come_and_go())
    assert told == ["here", "here", "away", "here"]


def test_when_the_visitor_leaves_the_session_is_closed(spied: Spy) -> None:
    spied._connected()
    assert spied.session.is_open
    spied.client.delete()
    assert not spied.session.is_open
