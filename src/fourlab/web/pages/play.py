"""Play, the landing page."""

from nicegui import ui
from starlette.requests import Request

from fourlab.web.frame import show
from fourlab.web.laboratory import Laboratory
from fourlab.web.live import Live
from fourlab.web.sessions.play import PlaySession


class PlayPage(Live, component="../static/play.js"):
    """The page, drawn by its component."""


def register(laboratory: Laboratory) -> None:
    """Give the page its addresses."""

    @ui.page("/")
    @ui.page("/play", title="Play · fourlab")
    def play(request: Request) -> None:
        show(laboratory, request, PlayPage, lambda query: PlaySession(laboratory.bench, query))
