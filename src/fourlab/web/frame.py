"""The frame around every page: head, theme, and what a refused visitor sees."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from nicegui import app, context, ui
from starlette.datastructures import QueryParams
from starlette.requests import Request

from fourlab.core.errors import FourlabError
from fourlab.web.laboratory import Laboratory
from fourlab.web.live import STATIC, STATIC_URL, Live
from fourlab.web.sessions.base import Session
from fourlab.web.words import GLOSSARY

# The pages that the navigation shows, each with its session; the component has the page's name.
PAGES = {
    "play": "fourlab.web.sessions.play:PlaySession",
    "learn": "fourlab.web.sessions.learn:LearnSession",
    "arena": "fourlab.web.sessions.arena:ArenaSession",
    "analyse": "fourlab.web.sessions.analyse:AnalyseSession",
    "studies": "fourlab.web.sessions.studies:StudiesSession",
}

SEPARATOR = ";"  # of several values of one name in an address

# Before anything is drawn, so that no page flashes in the other theme.
THEME = """<script>
document.documentElement.dataset.theme = localStorage.getItem("fourlab-theme") ||
  (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
</script>"""
HEAD = f"""<meta name="description" content="A laboratory for Connect-Four-family games">
<link rel="stylesheet" href="{STATIC_URL}/fourlab.css">
<link rel="stylesheet" href="{STATIC_URL}/studies.css">
<link rel="stylesheet" href="{STATIC_URL}/play.css">
<link rel="stylesheet" href="{STATIC_URL}/home.css">
<link rel="stylesheet" href="{STATIC_URL}/certificate.css">
<link rel="stylesheet" href="{STATIC_URL}/analyse.css">
<link rel="stylesheet" href="{STATIC_URL}/shelf.css">
<link rel="stylesheet" href="{STATIC_URL}/windows.css">{THEME}
<script>window.fourlabPages = {json.dumps(list(PAGES))};
window.fourlabWords = {json.dumps(GLOSSARY)};</script>"""


class Notice(Live, component=STATIC / "refused.js"):
    """A page that only says why there is nothing on it."""


class Refusal(Session):
    """The session of a visitor who could not be let in."""

    def __init__(self, bench: Any, reason: str) -> None:
        super().__init__(bench)
        self.reason = reason

    def view(self) -> dict[str, Any]:
        return {"reason": self.reason, "error": None, "url": ""}


def show(
    laboratory: Laboratory,
    request: Request,
    page: type[Live],
    make_session: Callable[[dict[str, str]], Session],
) -> None:
    """Fill a page: count the visitor in, make the session from the address, and draw it."""
    ui.add_head_html(HEAD)
    client = context.client
    address = request.client.host if request.client else ""
    try:
        guest = laboratory.door.enter(address, client.delete)
    except FourlabError as error:
        client.status_code = 503
        Notice(Refusal(laboratory.bench, str(error)))
        return
    client.on_connect(guest.arrive)
    client.on_delete(lambda: laboratory.door.leave(guest))
    at_work = laboratory.room.running(_visitor())
    ui.add_head_html(f"<script>window.fourlabAtWork = {at_work};</script>")
    try:
        session = make_session(read_query(request.query_params))
    except FourlabError as error:
        client.status_code = 404
        session = Refusal(laboratory.bench, str(error))
    (Notice if isinstance(session, Refusal) else page)(session)


def _visitor() -> str:
    """Return what tells browsers apart, '' for a page that no browser asked for."""
    try:
        return str(app.storage.browser.get("id", ""))
    except RuntimeError:
        return ""


def read_query(params: Mapping[str, str]) -> dict[str, str]:
    """Return the values of an address by name; what is given more than once is a list with `;`."""
    if isinstance(params, QueryParams):
        return {name: SEPARATOR.join(params.getlist(name)) for name in params}
    return dict(params)
