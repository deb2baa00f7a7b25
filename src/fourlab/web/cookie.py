"""The cookie by which a laboratory tells browsers apart, under a name of its own.

Browsers send a cookie to all ports of a host: under one name, two laboratories on a machine would
take each other's.
"""

from __future__ import annotations

import secrets
from hashlib import sha256
from pathlib import Path

from itsdangerous import TimestampSigner
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fourlab.core.files import contents
from fourlab.core.storage import replacing

OLD_NAME = "session"  # that every laboratory used, and other programs still do
KNOWN_SECONDS = 365 * 86_400  # for which a browser is told apart from others
SECRET_LETTERS = 32


def kept_secret(folder: Path) -> str:
    """Return what cookies are signed with: it outlives the server, so that visitors stay known."""
    path = folder / "secret"
    try:
        kept = contents(path).decode("ascii")
    except (OSError, UnicodeDecodeError):
        kept = ""
    if len(kept) < SECRET_LETTERS:
        kept = secrets.token_urlsafe()
        with replacing(path, private=True) as file:
            file.write(kept.encode())
    return kept


def cookie_name(secret: str) -> str:
    """Return the name of the cookie that a laboratory signs with a secret."""
    return f"fourlab-{sha256(secret.encode()).hexdigest()[:12]}"


class OldCookie:
    """Takes a cookie of the old name that this laboratory signed, and gives it back under its own.

    Who has one still finds what he made.
    """

    def __init__(self, app: ASGIApp, secret: str) -> None:
        self.app = app
        self.name = cookie_name(secret)
        self.signer = TimestampSigner(secret)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, with the cookie under both names."""
        sent = HTTPConnection(scope).cookies if scope["type"] in ("http", "websocket") else {}
        old = sent.get(OLD_NAME, "")
        if self.name in sent or not old or not self.signer.validate(old):
            await self.app(scope, receive, send)
            return
        cookie = f"{self.name}={old}"
        headers = [
            (name, value + f"; {cookie}".encode() if name == b"cookie" else value)
            for name, value in scope["headers"]
        ]

        async def send_renamed(message: Message) -> None:
            if message["type"] == "http.response.start":
                kept = f"{cookie}; path=/; Max-Age={KNOWN_SECONDS}; httponly; samesite=lax"
                MutableHeaders(scope=message).setdefault("set-cookie", kept)
            await send(message)

        await self.app({**scope, "headers": headers}, receive, send_renamed)
