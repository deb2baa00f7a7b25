"""What is compiled is said by name, if it takes more than a moment."""

import threading

import pytest

from fourlab.core import waiting


class Clock:
    """Timers that go off when they are told."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.due: list[tuple[object, tuple[object, ...]]] = []
        monkeypatch.setattr(threading, "Timer", self.timer)

    def timer(self, _seconds: float, action: object, args: tuple[object, ...]) -> "Clock":
        self.due.append((action, args))
        return self

    daemon = False

    def start(self) -> None:
        """Wait."""

    def cancel(self) -> None:
        self.due.clear()

    def ring(self) -> None:
        for action, args in self.due:
            action(*args)  # type: ignore[operator]


def test_what_is_quick_passes_in_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, said = Clock(monkeypatch), []
    notice = waiting.CompilationNotice(said.append)
    for name, lasts in (("rules.kernels", False), ("search.mcts", True), ("search.flat", True)):
        notice(name, True)
        if lasts:
            clock.ring()
        notice(name, False)
    assert said == [
        "compiling search.mcts (once on this machine) ...",
        "compiling search.flat ...",
    ]


def test_listeners_are_told_until_they_leave() -> None:
    heard: list[tuple[str, bool]] = []

    def listener(name: str, begins: bool) -> None:
        heard.append((name, begins))

    waiting.listen(listener)
    waiting.tell("search.mcts", True)
    waiting.unlisten(listener)
    waiting.tell("search.mcts", False)
    assert heard == [("search.mcts", True)]
