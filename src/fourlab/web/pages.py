"""The pages: a session, a component that draws it, and an address, registered by name."""

from __future__ import annotations

import importlib
from typing import Any

from nicegui import ui
from starlette.requests import Request

from fourlab.web.frame import PAGES, show
from fourlab.web.laboratory import Laboratory
from fourlab.web.live import STATIC, Live
from fourlab.web.sessions.base import Session


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


def _register(laboratory: Laboratory, name: str, is_first: bool) -> None:
    page, session = page_of(name), session_of(name)

    def visit(request: Request) -> None:
        def make(query: dict[str, str]) -> Session:
            kind: Any = session  # every page's session is made from the address
            made: Session = kind(laboratory.bench, query)
            return made

        show(laboratory, request, page, make)

    ui.page(f"/{name}", title=f"{name.capitalize()} · fourlab")(visit)
    if is_first:
        ui.page("/")(visit)
