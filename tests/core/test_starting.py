"""What imports or compiles is told apart from what hangs."""

import sys
import threading
from pathlib import Path

import pytest

from fourlab.core import starting
from fourlab.core.starting import signs_of_starting

SLOW = """
from fourlab.core import starting
told = starting.gate.wait(60)
"""


def test_signs_come_while_something_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "slow_to_import.py").write_text(SLOW)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(starting, "EVERY", 0.01)
    monkeypatch.setattr(starting, "gate", threading.Event(), raising=False)
    with signs_of_starting(starting.gate.set):  # type: ignore[attr-defined]
        import slow_to_import  # type: ignore[import-not-found]
    assert slow_to_import.told
    del sys.modules["slow_to_import"]


def test_no_sign_comes_of_what_merely_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting, "EVERY", 0.001)
    monkeypatch.setattr(starting, "LOOKS", 20)
    signs: list[None] = []
    before = set(threading.enumerate())
    with signs_of_starting(lambda: signs.append(None)):
        [looking] = set(threading.enumerate()) - before
        looking.join(60)  # until it has looked as often as it may
    assert not signs


def test_signs_come_while_a_kernel_is_compiled() -> None:
    from numba import extending, njit

    seen: list[bool] = []

    def same(number: int) -> int:
        return number

    @extending.overload(same)
    def compiled(number):  # type: ignore[no-untyped-def]  # asked while types are found
        seen.append(starting._is_starting(threading.get_ident()))
        return lambda number: number

    assert njit(lambda number: same(number))(3) == 3
    assert seen
    assert all(seen)
    assert not starting._is_starting(threading.get_ident())
