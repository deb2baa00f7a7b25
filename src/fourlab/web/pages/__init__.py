"""The pages: one file each, thin. They are registered when an application is made."""

from fourlab.web.laboratory import Laboratory
from fourlab.web.pages import analyse, arena, learn, play

PAGES = (play, learn, arena, analyse)


def register(laboratory: Laboratory) -> None:
    """Give every page its address."""
    for page in PAGES:
        page.register(laboratory)
