"""Learn: a learner at work, watched at any speed."""

from nicegui import ui
from starlette.requests import Request

from fourlab.web.frame import show
from fourlab.web.laboratory import Laboratory
from fourlab.web.live import Live
from fourlab.web.sessions.learn import LearnSession


class LearnPage(Live, component="../static/learn.js"):
    """The page, drawn by its component."""


def register(laboratory: Laboratory) -> None:
    """Give the page its address."""

    @ui.page("/learn", title="Learn · fourlab")
    def learn(request: Request) -> None:
        show(laboratory, request, LearnPage, lambda query: LearnSession(laboratory.bench, query))
