"""The pages: a session, a component that draws it, and an address, registered by name."""

from __future__ import annotations

import importlib
from typing import Any

from nicegui import app, context, ui
from starlette.requests import Request

from fourlab.core.errors import FourlabError
from fourlab.web.frame import PAGES, Refusal, show
from fourlab.web.keep.shelf import Shelf
from fourlab.web.laboratory import Laboratory
from fourlab.web.live import STATIC, Live
from fourlab.web.sessions.base import Session
from fourlab.web.sessions.studies import ReportSession


def page_of(name: str) -> type[Live]:
    """Return the element of a page, drawn by the component of its name."""

    class Page(Live, component=STATIC / f"{name}.js"):
        """A page, drawn by its component."""

    return Page


def session_of(name: str) -> type[Session]:
    """Return the session behind a page."""
    module, _, kind = PAGES[name].partition(":")
    found: type[Session] = getattr(importlib.import_module(module), kind)
    return found


def register(laboratory: Laboratory) -> None:
    """Give every page its address; the first is the landing page too."""
    for number, name in enumerate(PAGES):
        _register(laboratory, name, is_first=number == 0)
        if session_of(name).kept_kind:
            _register_kept(laboratory, name)
    _register_reports(laboratory)


def _register(laboratory: Laboratory, name: str, is_first: bool) -> None:
    page, session = page_of(name), session_of(name)

    def visit(request: Request) -> None:
        def make(query: dict[str, str]) -> Session:
            kind: Any = session  # every page's session is made from the address
            shared = (laboratory.reruns, visitor()) if name == "studies" else ()
            made: Session = kind(
                laboratory.bench, query, *shared, **belongings(laboratory, session)
            )
            return made

        show(laboratory, request, page, make)

    ui.page(f"/{name}", title=f"{name.capitalize()} · fourlab")(visit)
    if is_first:
        ui.page("/")(visit)


def _register_kept(laboratory: Laboratory, name: str) -> None:
    """Give what a page keeps addresses by name: /run/NAME, /game/NAME, /event/NAME.

    The session finds the name in its query, under the kind of the item.
    """
    page, session = page_of(name), session_of(name)

    def visit(request: Request, item: str) -> None:
        def make(query: dict[str, str]) -> Session:
            kind: Any = session
            try:
                Shelf(laboratory.keep, visitor()).open(session.kept_kind, item)
                own = belongings(laboratory, session)
                made: Session = kind(laboratory.bench, {**query, session.kept_kind: item}, **own)
            except FourlabError as error:
                context.client.status_code = 404
                return Refusal(laboratory.bench, str(error))
            return made

        show(laboratory, request, page, make)

    ui.page(f"/{session.kept_kind}/{{item}}", title=f"{name.capitalize()} · fourlab")(visit)


def belongings(laboratory: Laboratory, session: type[Session]) -> dict[str, Any]:
    """Return what a session is made with beside its address: the visitor's shelf, and its wants."""
    shelf = {"shelf": Shelf(laboratory.keep, visitor())} if session.kept_kind else {}
    return shelf | {name: getattr(laboratory, name) for name in session.wants}


def _register_reports(laboratory: Laboratory) -> None:
    """Give every study the address of its report."""
    page = page_of("report")

    def visit(request: Request, name: str) -> None:
        def make(query: dict[str, str]) -> Session:
            made = ReportSession(laboratory.bench, query, laboratory.reruns, visitor(), name)
            if made.missing:
                context.client.status_code = 404
            return made

        show(laboratory, request, page, make)

    ui.page("/studies/{name}", title="Study · fourlab")(visit)


def visitor() -> str:
    """Return what tells the browsers of visitors apart."""
    return str(app.storage.browser.get("id", ""))
