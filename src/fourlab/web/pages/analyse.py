"""Analyse: the truth about a position, and what agents make of it."""

from nicegui import ui
from starlette.requests import Request

from fourlab.web.frame import show
from fourlab.web.laboratory import Laboratory
from fourlab.web.live import Live
from fourlab.web.sessions.analyse import AnalyseSession


class AnalysePage(Live, component="../static/analyse.js"):
    """The page, drawn by its component."""


def register(laboratory: Laboratory) -> None:
    """Give the page its address."""

    @ui.page("/analyse", title="Analyse · fourlab")
    def analyse(request: Request) -> None:
        show(
            laboratory, request, AnalysePage, lambda query: AnalyseSession(laboratory.bench, query)
        )
