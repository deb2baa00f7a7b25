"""Arena: agents against each other."""

from nicegui import ui
from starlette.requests import Request

from fourlab.web.frame import show
from fourlab.web.laboratory import Laboratory
from fourlab.web.live import Live
from fourlab.web.sessions.arena import ArenaSession


class ArenaPage(Live, component="../static/arena.js"):
    """The page, drawn by its component."""


def register(laboratory: Laboratory) -> None:
    """Give the page its address."""

    @ui.page("/arena", title="Arena · fourlab")
    def arena(request: Request) -> None:
        show(laboratory, request, ArenaPage, lambda query: ArenaSession(laboratory.bench, query))
