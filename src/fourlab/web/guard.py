"""The guard at the door: which requests are let in, and what browsers are told about ours."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOCAL_NAMES = {"127.0.0.1", "localhost", "::1", "[::1]"}
MOST_BODY = 64 * 1024  # bytes; nothing that anybody sends here is larger
TOO_LARGE = f"at most {MOST_BODY} bytes"
MOST_PATH = 240  # characters, below what a file name may have
DIGITS = re.compile("[0-9]{1,9}")

# Vue compiles templates and NiceGUI runs inline scripts, hence the two unsafe words. Nothing may
# come from or go to another host.
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self' ws: wss:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


UNREAD = ("AsyncServer._handle_event_internal()", "message async handler error")
LOGS_FOR_BROWSERS = "handle_log_message"  # NiceGUI's: it would write whatever anybody sends


class Unread(logging.Filter):
    """Tells once, in a line, of messages that no page of ours sends: they could fill a disk."""

    told = False

    def filter(self, record: logging.LogRecord) -> bool:
        """Let pass what is about something else, and the first."""
        is_sent = record.funcName == LOGS_FOR_BROWSERS
        if not is_sent and not any(mark in record.getMessage() for mark in UNREAD):
            return True
        was_told, self.told = self.told, True
        record.msg = "a browser sent what no page does; it is passed over, like all that follow"
        record.args, record.exc_info = (), None
        return not was_told


class Ended(logging.Filter):
    """Passes over requests that the end of the server called off: that is no fault of theirs."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let pass what is about something else."""
        return not (record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError))


_unread, _ended = Unread(), Ended()


def hush() -> None:
    """Keep what is no fault of ours from filling the log, or standing there twice."""
    logging.getLogger("uvicorn.error").addFilter(_ended)
    for name in ("asyncio", "engineio.server", "nicegui"):
        logger = logging.getLogger(name)
        logger.addFilter(_unread)
        logger.handlers.clear()  # of its own, beside the program's


class Guard:
    """Refuses requests made by pages of other origins, in other hosts' names, or too large.

    On a loopback address the Host must be a local name: otherwise a page on the internet could
    point its own name at this machine and read along.
    """

    def __init__(self, app: ASGIApp, host: str) -> None:
        self.app = app
        self.is_local = host in LOCAL_NAMES

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or answer it with the reason why not."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        refusal = self._refusal(Headers(scope=scope)) or _odd(scope["path"])
        if refusal is None and scope["type"] == "websocket":
            with contextlib.suppress(ValueError):  # of a frame that is none: the connection ends
                await self.app(scope, receive, send)
        elif refusal is None:
            if scope["method"] == "HEAD":  # the server below leaves the body out
                scope = {**scope, "method": "GET"}
            bounded = _bounded(receive)
            first = await bounded()
            if first["type"] == "http.disconnect":  # for which some below are not prepared
                await PlainTextResponse(f"{TOO_LARGE}\n", 413)(scope, receive, send)
            else:
                await self.app(scope, _after(first, bounded), _with_headers(send))
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": refusal[1]})
        else:
            status, reason = refusal
            await PlainTextResponse(f"{reason}\n", status)(scope, receive, send)

    def _refusal(self, headers: Headers) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if self.is_local and _name(host) not in LOCAL_NAMES:
            return 421, "this laboratory answers only to localhost; see fourlab serve --help"
        origin = headers.get("origin")
        if _is_from_elsewhere(headers) if origin is None else _host_of(origin) != host:
            return 403, "requests from other sites are refused"
        length = headers.get("content-length", "0")
        if not DIGITS.fullmatch(length) or int(length) > MOST_BODY:
            return 413, TOO_LARGE
        return None


def _is_from_elsewhere(headers: Headers) -> bool:
    """Whether a page of another site asks for an image, a script, a frame or the like.

    Browsers send no Origin with these. A link from elsewhere may lead here.
    """
    if headers.get("sec-fetch-site") not in ("cross-site", "same-site"):
        return False
    asked = (headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest"))
    return asked != ("navigate", "document")


def _host_of(origin: str) -> str | None:
    """Return the host of an Origin header, None if it is no address."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


def _odd(path: str) -> tuple[int, str] | None:
    """Refuse a path that no file system has; nothing of ours is called so."""
    if len(path) > MOST_PATH:
        return 414, f"at most {MOST_PATH} characters"
    if not path.isprintable():
        return 400, "a path with characters that cannot be seen"
    return None


def _with_headers(send: Send) -> Send:
    """Tell the browser with every answer what a page of ours may do."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers


def _bounded(receive: Receive) -> Receive:
    """Cut off a body that is longer than it said, or did not say."""
    left = MOST_BODY

    async def receive_bounded() -> Message:
        nonlocal left
        message = await receive()
        if message["type"] == "http.request":
            left -= len(message.get("body", b""))
            if left < 0:
                return {"type": "http.disconnect"}
        return message

    return receive_bounded


def _after(first: Message, receive: Receive) -> Receive:
    """Give a message that was taken already, then those that follow it."""
    waiting = [first]

    async def receive_after() -> Message:
        return waiting.pop() if waiting else await receive()

    return receive_after


def _name(host: str) -> str:
    """Return a Host header without its port."""
    return host.rsplit(":", 1)[0] if not host.endswith("]") else host
