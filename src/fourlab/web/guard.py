"""The guard at the door: which requests are let in, and what browsers are told about ours."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOCAL_NAMES = {"127.0.0.1", "localhost", "::1", "[::1]"}
MOST_BODY = 64 * 1024  # bytes; nothing that anybody sends here is larger

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
        refusal = self._refusal(Headers(scope=scope))
        if refusal is None:
            await self.app(scope, receive, self._with_headers(scope, send))
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
        if origin is not None and urlsplit(origin).netloc != host:
            return 403, "requests from other sites are refused"
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > MOST_BODY:
            return 413, f"at most {MOST_BODY} bytes"
        return None

    @staticmethod
    def _with_headers(scope: Scope, send: Send) -> Send:
        if scope["type"] != "http":
            return send

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        return send_with_headers


def _name(host: str) -> str:
    """Return a Host header without its port."""
    return host.rsplit(":", 1)[0] if not host.endswith("]") else host
