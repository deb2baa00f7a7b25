"""What grows is drawn in one place of a notebook, and nowhere where nobody looks."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest

import fourlab
from fourlab.core import showing


class Thing:
    """Something that grows."""

    def __str__(self) -> str:
        return "half of it\nand more"


class Handle:
    """A place of a notebook."""

    def __init__(self) -> None:
        self.drawn: list[Any] = []

    def update(self, thing: Any) -> None:
        self.drawn.append(thing)


@pytest.fixture
def places(monkeypatch: pytest.MonkeyPatch) -> list[Handle]:
    """Return the places of a notebook in which something was drawn."""
    made: list[Handle] = []

    def display(thing: Any, display_id: bool = False) -> Handle:
        made.append(Handle())
        made[-1].update(thing)
        return made[-1]

    shell = SimpleNamespace(kernel=object())
    ipython = SimpleNamespace(get_ipython=lambda: shell, display=SimpleNamespace(display=display))
    monkeypatch.setitem(sys.modules, "IPython", ipython)  # type: ignore[arg-type]
    return made


def test_a_notebook_has_one_place_for_a_thing(places: list[Handle]) -> None:
    one, other = Thing(), Thing()
    for thing in (one, one, other, one):
        showing.show(thing)
    assert [place.drawn for place in places] == [[one, one, one], [other]]


def test_what_does_not_grow_is_shown_whole_each_time(
    places: list[Handle], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    start = fourlab.game("tictactoe").start()
    showing.show(start)
    showing.show(start)
    assert [place.drawn for place in places] == [[start], [start]]
    monkeypatch.delitem(sys.modules, "IPython")
    showing.show(start)
    assert capsys.readouterr().out == f"{start}\n"


def test_a_terminal_shows_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    showing.show(Thing())
    assert capsys.readouterr().out == ""  # nobody looks at a pipe
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    showing.show(Thing())
    assert capsys.readouterr().out == f"{showing.LINE}half of it"


def test_it_is_shown_now_and_then_and_at_the_end() -> None:
    seen: list[str] = []
    with showing.shown(seen.append, "thing") as look:
        for _ in range(1000):
            look()
        assert 1 <= len(seen) < 1000
        meanwhile = len(seen)
    assert len(seen) == meanwhile + 1
    with showing.shown(None, "thing") as look:
        look()
