"""Who is let in, and what the server survives."""

import inspect
import json
import logging
import time
from pathlib import Path

import engineio
import httpx
import pytest
from nicegui import Client, app
from nicegui.app.app import prune_tab_storage
from nicegui.observables import ObservableDict
from socketio import AsyncServer
from starlette.types import Message, Receive, Scope, Send
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.sync.client import connect

from fourlab.web.app import create_app
from fourlab.web.guard import MOST_BODY, Guard, Unread, hush
from web.bench import on_a_loop
from web.server import Server

SOCKET = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"


def test_a_page_of_another_site_is_refused(server: Server) -> None:
    answer = httpx.get(server.url + "/play", headers={"Origin": "https://elsewhere.example"})
    assert answer.status_code == 403
    assert "other sites" in answer.text


def test_another_sites_socket_is_refused(server: Server) -> None:
    address = server.url.replace("http", "ws") + SOCKET
    with pytest.raises(InvalidStatus) as refusal:
        connect(address, origin="https://elsewhere.example")  # type: ignore[arg-type]
    assert refusal.value.response.status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_images_and_frames_of_other_sites_are_refused_and_their_links_lead_here(
    server: Server, site: str
) -> None:
    """Browsers send no Origin with these."""
    path = "/api/decide?agent=random"
    for asked, status in {
        ("no-cors", "image"): 403,
        ("no-cors", "empty"): 403,
        ("navigate", "iframe"): 403,
        ("navigate", "document"): 200,
    }.items():
        said = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": asked[0], "Sec-Fetch-Dest": asked[1]}
        assert httpx.get(server.url + path, headers=said).status_code == status, asked
    bare = httpx.get(server.url + path, headers={"Sec-Fetch-Site": site})
    assert bare.status_code == 403
    own = {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"}
    assert httpx.get(server.url + path, headers=own).status_code == 200


def test_a_borrowed_name_is_refused(server: Server) -> None:
    answer = httpx.get(server.url + "/play", headers={"Host": "elsewhere.example"})
    assert answer.status_code == 421
    assert "only to localhost" in answer.text


def test_a_large_body_is_refused_whether_it_says_its_size_or_not(server: Server) -> None:
    url = server.url + "/api/games"
    assert httpx.post(url, content=b"x" * 100_000).status_code == 413
    parts = (b'{"game": "' + b"x" * 50_000 for _ in range(3))
    assert httpx.post(url, content=parts).status_code in (400, 413)


@pytest.mark.parametrize("path", [SOCKET.replace("websocket", "polling"), "/api/games"])
@pytest.mark.parametrize("sizes", [[100_000], [1000, 100_000], [50_000] * 3])
def test_a_body_of_unknown_size_is_cut_off_without_a_fault(
    server: Server, path: str, sizes: list[int]
) -> None:
    parts = (b"x" * size for size in sizes)
    assert httpx.post(server.url + path, content=parts).status_code in (400, 413)


def test_who_leaves_before_the_body_came_reaches_no_application() -> None:
    reached, told = [], []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        reached.append(scope)

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        told.append(message["type"])

    headers = [(b"host", b"localhost"), (b"transfer-encoding", b"chunked")]
    scope = {"type": "http", "path": "/", "method": "POST", "headers": headers}
    on_a_loop(Guard(app, "127.0.0.1")(scope, receive, send))
    assert not reached
    assert "http.response.start" in told  # nobody hears it, and no server counts it as a fault


def test_pages_may_load_nothing_from_elsewhere(server: Server) -> None:
    policy = httpx.get(server.url + "/play").headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy


def test_garbage_on_the_socket_harms_nobody(server: Server) -> None:
    address = server.url.replace("http", "ws") + SOCKET
    for message in (
        b"\x00\xff" * 500,
        "42",
        '42["event"]',
        '42["event",{"client_id":1}]',
        "}{" * 99,
    ):
        try:
            with connect(address) as socket:
                socket.recv(timeout=10)
                socket.send("40")
                socket.send(message)
                socket.recv(timeout=1)
        except (WebSocketException, TimeoutError):
            pass
    assert httpx.get(server.url + "/play").status_code == 200


def test_garbage_on_the_socket_does_not_fill_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """The two libraries below write a traceback for every message that is none."""
    assert AsyncServer._handle_event_internal
    assert "' async handler error'" in inspect.getsource(engineio.async_server)
    quiet, told = Unread(), []
    for text in (
        "Task exception was never retrieved\ncoro=<AsyncServer._handle_event_internal() done>",
        "message async handler error",
        "message async handler error",
        "something else",
    ):
        fault = (ValueError, ValueError("why"), None)
        record = logging.LogRecord("asyncio", logging.ERROR, "", 1, text, (), fault)
        if quiet.filter(record):
            told.append((record.getMessage()[:20], record.exc_info is None))
    assert told == [("a browser sent what ", True), ("something else", False)]
    hush()
    for name in ("asyncio", "engineio.server"):
        assert any(isinstance(one, Unread) for one in logging.getLogger(name).filters)
        assert logging.getLogger(name).handlers == []  # or what is told once stands there twice


def test_what_browsers_have_to_log_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    """Anybody may send it: as much as fits on a disk, and with escapes that steer a terminal."""
    hush()
    for _ in range(3):
        Client.handle_log_message(None, {"level": "error", "message": "\x1b[2J"})  # type: ignore[arg-type]
    assert not any("\x1b" in record.getMessage() for record in caplog.records)
    assert len(caplog.records) <= 1


def test_a_message_larger_than_any_of_a_page_ends_its_connection(server: Server) -> None:
    said = {"client_id": "x", "level": "error", "message": "y" * MOST_BODY}
    with connect(server.url.replace("http", "ws") + SOCKET) as socket:
        socket.recv(timeout=10)
        socket.send("40")
        socket.recv(timeout=10)
        socket.send("42" + json.dumps(["log", said]))
        with pytest.raises(ConnectionClosed, match="1009"):
            socket.recv(timeout=10)


def test_nothing_is_kept_of_a_tab_that_is_gone(tmp_path: Path) -> None:
    create_app(keep=tmp_path)
    tabs = app.storage._tabs
    tabs["gone"] = ObservableDict()
    tabs["gone"].last_modified = time.time() - 120
    on_a_loop(prune_tab_storage())
    assert "gone" not in tabs


def test_a_frame_that_is_none_ends_its_connection_alone() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        raise ValueError("Invalid empty packet received")

    scope = {"type": "websocket", "path": "/", "headers": [(b"host", b"localhost")]}
    serving = Guard(app, "127.0.0.1")(scope, None, None)  # type: ignore[arg-type]
    with pytest.raises(StopIteration):  # it is through, and waited for nobody
        serving.send(None)


def test_nothing_outside_the_static_folder_is_served(server: Server) -> None:
    page = httpx.get(server.url + "/play").text
    start = page.index("/_nicegui/3", page.index('rel="stylesheet"'))
    base = page[start : page.index("/fourlab.css", start)]
    assert httpx.get(f"{server.url}{base}/board.js").status_code == 200
    for path in ("../app.py", "..%2fapp.py", "%2e%2e/app.py", "/etc/passwd"):
        answer = httpx.get(f"{server.url}{base}/{path}", follow_redirects=True)
        assert answer.status_code in (403, 404)
