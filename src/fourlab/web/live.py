"""`Live`: a session in a browser. It shows the session's view and passes on what is done there.

The view goes over once with the page, then only what changed in it, numbered, so that the browser
notices a gap and asks for all of it again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from nicegui import context
from nicegui.dependencies import compute_key, register_esm
from nicegui.element import Element
from nicegui.events import GenericEventArguments
from nicegui.version import __version__ as nicegui_version

from fourlab.core.shipped import shipped_folder
from fourlab.web.sessions.base import Session
from fourlab.web.telling import told

STATIC = shipped_folder("fourlab.web", "static")
BETWEEN_UPDATES = 0.05  # seconds; more often nobody sees
MOST_ARGUMENTS = 8
MOST_ACTIONS = 1 << 53  # that a browser can count
_newest = max(path.stat().st_mtime for path in STATIC.iterdir())
register_esm("fourlab", STATIC, max_time=_newest)
STATIC_URL = f"/_nicegui/{nicegui_version}/esm/{compute_key(STATIC, max_time=_newest)}"


class Live(Element):
    """An element whose component draws `view` and sends `act`; each page is a subclass."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self._heard = 0  # the number of the last action that arrived
        self._sent = self._shown()
        self._number = 0
        self._due: float = 0.0
        self._is_scheduled = False
        self._props["start"] = self._sent
        self._later: Callable[[float, Callable[[], None]], object] = session.bench.after
        self.on("act", self._act)
        session.changed = self._changed
        client = context.client
        client.on_connect(self._connected)
        client.on_disconnect(self._disconnected)
        client.on_delete(session.close)

    def _connected(self) -> None:
        self.session.open()

    def _disconnected(self) -> None:
        if not self.client.has_socket_connection:  # it may be back already, by another socket
            self.session.away()

    def _act(self, event: GenericEventArguments) -> None:
        """Take an action from the browser; everything in it may be wrong."""
        message = event.args
        if not isinstance(message, dict):
            return
        name, args, serial = message.get("name"), message.get("args", []), message.get("serial")
        if name == "resync":
            self._send_all()
            return
        if not isinstance(name, str) or not isinstance(args, list) or len(args) > MOST_ARGUMENTS:
            return
        if isinstance(serial, int) and 0 < serial < MOST_ACTIONS:
            self._heard = serial
        if not self.session.act(name, args):
            self._send_all()  # the browser may already show what was refused

    def _changed(self) -> None:
        """Send what changed, now or as soon as enough time has passed since the last update."""
        wait = self._due - time.monotonic()
        if wait <= 0:
            self._send()
        elif not self._is_scheduled:
            self._is_scheduled = True
            self._later(wait, self._send)

    def _send(self) -> None:
        self._is_scheduled = False
        if self.is_deleted:
            return
        view = self._shown()
        sent: dict[str, Any] = self._sent
        changes = {key: value for key, value in view.items() if sent.get(key) != value}
        self._sent = view
        if changes:
            self._emit(changes)

    def _send_all(self) -> None:
        self._sent = self._shown()
        self._emit(self._sent, fresh=True)

    def _shown(self) -> dict[str, Any]:
        session = self.session
        view = {**session.view(), "failure": told(session.failure), "waiting": session.waiting}
        view["heard"] = self._heard
        for name in ("notice", "reason"):
            if view.get(name):
                view[name] = told(view[name])
        if view.get("error"):
            view["error"] = {**view["error"], "text": told(view["error"]["text"])}
        return view

    def _emit(self, changes: dict[str, Any], fresh: bool = False) -> None:
        self._due = time.monotonic() + BETWEEN_UPDATES
        self._number += 1
        self.run_method("receive", self._number, changes, fresh)
