"""Nonsense from visitors: in actions, addresses and headers, and all of it refused in words."""

import contextlib
import importlib
import inspect
import json
import logging
import pkgutil
import random
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from fourlab.core.errors import FourlabError
from fourlab.web import sessions
from fourlab.web.certificates import Certificates
from fourlab.web.events import Events
from fourlab.web.keep.shelf import Shelf
from fourlab.web.keep.store import Keep
from fourlab.web.runs.room import Room
from fourlab.web.sessions.base import Session
from fourlab.web.sessions.home_story import Stories
from fourlab.web.studies.library import Library
from fourlab.web.studies.reruns import Reruns
from fourlab.web.workbench import Job, Workbench
from web.server import Server

TEXTS = [
    *("", " ", "\0", "a\0b", "\n", "😀", "²", "४", "\ud800", "-1", "1e308", "inf", "nan"),
    *("9" * 5000, "x" * 100_000, "(" * 300, "[" * 5000, '{"a":' * 300, "../../etc/passwd"),
    *("[0,1,2]", "[1e999]"),
    *("connect4", "tictactoe", "mnk:columns=9,rows=6,k=4", "connect:columns=31,rows=1,k=2"),
    *("connect:columns=1e300", "mnk:columns=-1", "connect:columns=99999999999999999999"),
    *("random", "mcts:sims=200", "mcts:sims={0..2147483648}", "minimax:depth=14,plain=yes"),
    *("perfect", "flat:playouts=1e9", "q:runs/x", "q:", "net", "zero:runs/\0", "learned:/dev/zero"),
    *("human", "watch", "self", "you", "exact", "values", "compare", "move", "game", "4455"),
    *("learner", "opponent", "alpha", "epsilon", "q", "td-lambda", "mcts-q", "quick", "full"),
]
ASKED = (
    *("game", "moves", "then", "at", "opponent", "agents", "a", "b", "learner", "seed", "games"),
    *("run", "with", "plies", "sims", "tab", "kept", "event", "player", "you", "overlay", "alpha"),
)  # names in addresses
NUMBERS = [0, 1, 2, 3, 6, 41, 42, 63, -1, 10**6, 2**31, 2**63, -(2**63), 10**400]
ODD = [None, True, False, 0.5, -0.0, 1e308, float("inf"), float("nan"), {}, {"a": [1]}, [], [[]]]


def deep(levels: int) -> list[Any]:
    """A list in a list in a list."""
    nest: list[Any] = []
    for _ in range(levels):
        nest = [nest]
    return nest


def any_value(rng: random.Random) -> Any:
    """Something that a browser could send."""
    kind = rng.randrange(8)
    if kind < 3:
        return rng.choice(TEXTS)
    if kind < 5:
        return rng.choice(NUMBERS)
    if kind == 5:
        return rng.choice([*ODD, deep(300), deep(990)])
    if kind == 6:
        return [rng.choice([0, 1, 2]) for _ in range(rng.choice([9, 20, 42, 54, 1000]))]
    return [any_value(rng) for _ in range(rng.randrange(4))]


class IdleBench(Workbench):
    """A workbench that does nothing: what is started is noted and never runs."""

    def __init__(self) -> None:
        super().__init__(lambda deliver: None, lambda seconds, action: None, threads=1)

    def start(
        self,
        work: Callable[[Job], None],
        pool: str = "",
        failed: Callable[[str], None] = lambda _: None,
    ) -> Job:
        return Job(lambda deliver: None)


def all_sessions() -> list[type[Session]]:
    """Every session that there is."""
    for module in pkgutil.iter_modules(sessions.__path__, f"{sessions.__name__}."):
        importlib.import_module(module.name)
    found, waiting = [], list(Session.__subclasses__())
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        if kind.__module__.startswith(sessions.__name__) and not inspect.isabstract(kind):
            found.append(kind)
    return sorted(found, key=lambda kind: kind.__name__)


def made(kind: type[Session], query: dict[str, str], folder: Path) -> Session:
    """A session of a kind, with whatever it asks for by name."""
    bench, keep = IdleBench(), Keep(folder)
    at_hand: dict[str, Any] = {
        "bench": bench,
        "query": query,
        "shelf": Shelf(keep, "somebody"),
        "events": Events(),
        "certificates": Certificates(),
        "room": Room(bench, keep),
        "reruns": Reruns(bench, Library(folder / "studies"), 1),
        "who": "somebody",
        "name": "mcts-q",
        "story": Stories().of("somebody", bench),
    }
    wanted = inspect.signature(kind).parameters.values()
    given = {one.name: at_hand[one.name] for one in wanted if one.name in at_hand}
    session: Session = kind(**given)
    session.is_open = True
    return session


def pelt(kind: type[Session], events: int, folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Send a session so many events; after each it can be shown, and nothing is a fault."""
    rng = random.Random(kind.__name__)  # the same events every time
    names = [*sorted(kind.actions), "view", "close", "__init__", "\0", "x" * 5000]
    session = made(kind, {}, folder)
    for _ in range(events):
        if rng.random() < 0.05:
            query = {word: str(rng.choice(TEXTS)) for word in ASKED if rng.random() < 0.3}
            with contextlib.suppress(FourlabError):  # then the page says why
                session = made(kind, query, folder)
        name, args = rng.choice(names), [any_value(rng) for _ in range(rng.randrange(4))]
        with caplog.at_level(logging.ERROR):
            done = session.act(name, args)
        assert not caplog.records, (name, args)
        assert done == (session.error is None)
        assert len(json.dumps(session.view())) < 1_000_000, (name, str(args)[:200])
        if not done:
            assert session.error is not None
            assert len(session.error["text"]) < 4000, (name, str(args)[:200])


@pytest.mark.parametrize("kind", all_sessions())
def test_no_event_upsets_a_session(
    kind: type[Session],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.chdir(tmp_path)
    pelt(kind, 100, tmp_path, caplog)


@pytest.mark.slow
@pytest.mark.parametrize("kind", all_sessions())
def test_no_event_of_very_many_upsets_a_session(
    kind: type[Session],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.chdir(tmp_path)
    pelt(kind, 10_000, tmp_path, caplog)


PATHS = [
    *(
        "/",
        "/play",
        "/learn",
        "/arena",
        "/analyse",
        "/studies",
        "/studies/mcts-q",
        "/api",
        "/api/x",
    ),
    *("/api/decide", "/api/analyse", "/api/games", "/game/x", "/run/x", "/event/x", "/favicon.ico"),
    *("/_nicegui/x", "/_nicegui_ws/socket.io/", "/studies/mcts-q/report.html", "/%2e%2e/x", "//x"),
]
HEADERS = ["Host", "Origin", "Cookie", "Content-Length", "Accept", "Range", "If-None-Match", "X"]
VALUES = [
    b"",
    b"\xb2",
    b"\xff\xfe",
    b"http://[",
    b"-1",
    b"1e9",
    b"9" * 200,
    b"a" * 4000,
    b"[::1",
    b"*",
]


def ask(server: Server, request: bytes) -> int:
    """Send bytes; return the status of the answer, 0 if there is none."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as stream:
        stream.sendall(request)
        answer = stream.recv(65536)
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/") else 0


def any_request(rng: random.Random, port: int) -> bytes:
    """A request that is wrong somewhere."""
    path = rng.choice(PATHS)
    if rng.random() < 0.3:
        path += rng.choice(["/%00", "%00", "/" + "a" * 300, "/%0a", "/%ff", "/..%2f..%2fetc", "/~"])
    name, text = rng.choice([*ASKED, "agent", "seconds"]), rng.choice(TEXTS)[:300]
    query = [f"{name}={quote(text, errors='replace')}"]
    query = query * (rng.random() < 0.6) + ["%=&&;"] * (rng.random() < 0.1)
    headers = {"Host": f"localhost:{port}".encode(), "Connection": b"close"}
    if rng.random() < 0.6:
        headers[rng.choice(HEADERS)] = rng.choice(VALUES)
    method = rng.choice(["GET", "GET", "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "X"])
    line = f"{method} {path}{'?' * bool(query)}{'&'.join(query)} HTTP/1.1\r\n".encode()
    return line + b"".join(n.encode() + b": " + v + b"\r\n" for n, v in headers.items()) + b"\r\n"


def pelt_server(server: Server, requests: int) -> None:
    rng = random.Random(7)  # the same requests every time
    for _ in range(requests):
        request = any_request(rng, server.port)
        assert ask(server, request) != 500, request


def test_no_path_or_header_upsets_the_server(server: Server) -> None:
    pelt_server(server, 60)


@pytest.mark.slow
def test_no_path_or_header_of_very_many_upsets_the_server(server: Server) -> None:
    pelt_server(server, 4000)


@pytest.mark.parametrize(
    ("path", "header", "status"),
    [
        ("/studies/%00", b"X: x", 400),
        ("/learn?run=nobody", b"X: x", 404),
        ("/run/nobody", b"X: x", 404),
        ("/_nicegui/1/static/%00", b"X: x", 400),
        ("/" + "a" * 300, b"X: x", 414),
        ("/play", b"Origin: http://[", 403),
        ("/play", b"Content-Length: \xb2", 400),
    ],
)
def test_odd_paths_and_headers_are_refused(
    server: Server, path: str, header: bytes, status: int
) -> None:
    start = f"GET {path} HTTP/1.1\r\nHost: localhost:{server.port}\r\n".encode()
    assert ask(server, start + header + b"\r\nConnection: close\r\n\r\n") == status


@pytest.mark.parametrize("kind", all_sessions())
def test_what_is_nested_too_deeply_to_be_written_is_refused(
    kind: type[Session], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    session = made(kind, {}, tmp_path)
    for name in sorted(kind.actions):
        for args in ([deep(990)], [0, deep(990)], [deep(990), 0], [[deep(990)]]):
            done = session.act(name, args)  # as deep as a page's message may be
            assert done == (session.error is None)


def test_a_session_refuses_a_fault_of_its_own_in_words(tmp_path: Path) -> None:
    class Clumsy(Session):
        """Trips over whatever it is given."""

        actions = frozenset({"trip"})

        def view(self) -> dict[str, Any]:
            return {}

        def trip(self, what: str) -> None:
            raise {"value": ValueError, "index": IndexError, "own": FourlabError}[what]("why")

    session = Clumsy(IdleBench())
    for what, said in (("value", "'trip' does not take"), ("index", "not take"), ("own", "why")):
        assert not session.act("trip", [what])
        assert session.error is not None
        assert said in session.error["text"]
