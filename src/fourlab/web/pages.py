"""The pages: a session, a component that draws it, and an address, registered by name."""

from __future__ import annotations

import importlib
from typing import Any

from fastapi import HTTPException
from nicegui import app, context, ui
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response

from fourlab.core.errors import FourlabError
from fourlab.web.frame import PAGES, show
from fourlab.web.keep.shelf import Shelf
from fourlab.web.laboratory import Laboratory
from fourlab.web.live import STATIC, Live
from fourlab.web.plain_page import add_lost_page, lost_page
from fourlab.web.sessions.base import Session
from fourlab.web.sessions.certificate import CertificateSession
from fourlab.web.sessions.home import HomeSession
from fourlab.web.sessions.shelf import ShelfSession
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
    """Give every page its address."""
    for name in PAGES:
        _register(laboratory, name)
        if session_of(name).kept_kind:
            _register_kept(laboratory, name)
    _register_reports(laboratory)
    _register_home(laboratory)
    _register_shelf(laboratory)
    _register_certificates(laboratory)
    add_lost_page()


def _register(laboratory: Laboratory, name: str) -> None:
    page, session = page_of(name), session_of(name)

    def visit(request: Request) -> None:
        def make(query: dict[str, str]) -> Session:
            kind: Any = session  # every page's session is made from the address
            shared = (laboratory.reruns, visitor()) if name == "studies" else ()
            own = {"shelf": Shelf(laboratory.keep, visitor())} if session.kept_kind else {}
            made: Session = kind(laboratory.bench, query, *shared, **own, **lent(laboratory, name))
            return made

        show(laboratory, request, page, make)

    ui.page(f"/{name}", title=f"{name.capitalize()} · fourlab")(visit)


def _register_kept(laboratory: Laboratory, name: str) -> None:
    """Give what a page keeps addresses by name: /run/NAME, /game/NAME, /event/NAME.

    The session finds the name in its query, under the kind of the item.
    """
    page, session = page_of(name), session_of(name)

    def visit(request: Request, item: str) -> Response | None:
        shelf = Shelf(laboratory.keep, visitor())
        try:
            shelf.open(session.kept_kind, item)
        except FourlabError:
            return HTMLResponse(lost_page(request.url.path), 404)

        def make(query: dict[str, str]) -> Session:
            kind: Any = session
            named = {**query, session.kept_kind: item}
            made: Session = kind(laboratory.bench, named, shelf=shelf, **lent(laboratory, name))
            return made

        show(laboratory, request, page, make)
        return None

    ui.page(f"/{session.kept_kind}/{{item}}", title=f"{name.capitalize()} · fourlab")(visit)


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


def _register_home(laboratory: Laboratory) -> None:
    """Give Home its address: the first that a visitor sees."""
    page = page_of("home")

    def visit(request: Request) -> None:
        def make(query: dict[str, str]) -> Session:
            story = laboratory.stories.of(visitor(), laboratory.bench)
            shelf = Shelf(laboratory.keep, visitor())
            return HomeSession(laboratory.bench, query, story, shelf)

        show(laboratory, request, page, make)

    ui.page("/", title="fourlab: four in a row, with the truth beside it")(visit)


def _register_shelf(laboratory: Laboratory) -> None:
    """Give the shelf its address."""
    page = page_of("shelf")

    def visit(request: Request) -> None:
        def make(query: dict[str, str]) -> Session:
            shelf = Shelf(laboratory.keep, visitor())
            return ShelfSession(laboratory.bench, query, shelf=shelf, room=laboratory.room)

        show(laboratory, request, page, make)

    ui.page("/shelf", title="Shelf · fourlab")(visit)


def _register_certificates(laboratory: Laboratory) -> None:
    """Give the certificates their addresses: all of them, each by name, and its files."""
    page, shelf = page_of("certificate"), laboratory.certificates

    def show_them(request: Request, name: str = "") -> None:
        def make(query: dict[str, str]) -> Session:
            own = Shelf(laboratory.keep, visitor())
            return CertificateSession(laboratory.bench, query, shelf, own, laboratory.room, name)

        show(laboratory, request, page, make)

    def visit(request: Request) -> None:
        show_them(request)

    def visit_one(request: Request, name: str) -> Response | None:
        try:
            shelf.path(name)
        except FourlabError:
            return HTMLResponse(lost_page(request.url.path), 404)
        show_them(request, name)
        return None

    def download(name: str, suffix: str) -> Response:
        try:
            path = shelf.path(name, f".{suffix}" if suffix in ("json", "moves", "holes") else "?")
        except FourlabError as error:
            raise HTTPException(404, str(error)) from None
        return FileResponse(path, filename=path.name)

    app.get("/certificate/{name}/file.{suffix}")(download)
    ui.page("/certificate", title="Certificates · fourlab")(visit)
    ui.page("/certificate/{name}", title="Certificate · fourlab")(visit_one)


def lent(laboratory: Laboratory, name: str) -> dict[str, Any]:
    """Return what the sessions of a page share with those of all other visitors."""
    shared: dict[str, dict[str, Any]] = {
        "analyse": {"findings": laboratory.findings},
        "arena": {"events": laboratory.events},
        "learn": {"room": laboratory.room},
    }
    return shared.get(name, {})


def visitor() -> str:
    """Return what tells the browsers of visitors apart."""
    return str(app.storage.browser.get("id", ""))
