"""Limits, work space, registries: the small things that all stands on."""

import math
import threading
from typing import Any

import pytest

from fourlab.core.errors import SpecError
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.core.registry import Registry
from fourlab.core.scratch import Scratch


def test_a_limit_narrows_and_never_widens() -> None:
    assert NO_LIMIT.is_open
    assert not Limit(stop=lambda: False).is_open
    assert NO_LIMIT.within(2.0).seconds == 2.0
    assert Limit(seconds=1.0).within(2.0).seconds == 1.0
    assert Limit(seconds=1.0).within(None).seconds == 1.0
    narrowed = Limit(nodes=5, stop=lambda: True).within(1.0)
    assert narrowed.nodes == 5
    assert narrowed.stop()


@pytest.mark.parametrize(
    ("name", "given"),
    [
        *(("seconds", seconds) for seconds in (math.nan, None, "1")),
        *(("nodes", nodes) for nodes in (-1, None, 1e6)),
        ("stop", True),
    ],
)
def test_a_limit_that_could_not_end_a_search_is_refused(name: str, given: Any) -> None:
    with pytest.raises(SpecError, match=f"^{name}={given!r}: write"):
        Limit(**{name: given})
    assert Limit(nodes=5).watch().rest(9).nodes == 0


def test_a_watch_says_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 10.0
    monkeypatch.setattr("fourlab.core.limit.time.perf_counter", lambda: now)
    watch = Limit(seconds=2.0, nodes=100).watch()
    assert not watch.is_over(99)
    assert watch.is_over(100)
    now = 11.5
    assert (watch.elapsed, watch.left) == (1.5, 0.5)
    assert (watch.rest(40).seconds, watch.rest(40).nodes) == (0.5, 60)
    now = 12.0
    assert watch.is_over()
    assert NO_LIMIT.watch().left == math.inf
    assert Limit(stop=lambda: True).watch().is_over()


def test_no_two_ever_hold_the_same_work_space() -> None:
    made: list[list[int]] = []
    scratch: Scratch[list[int]] = Scratch(lambda: made.append([]) or made[-1])
    with scratch.lent() as one, scratch.lent() as other:
        assert one is not other
    with scratch.lent() as again:
        assert any(again is space for space in made)
    assert len(made) == 2
    barrier = threading.Barrier(4)
    held: list[int] = []

    def hold() -> None:
        with scratch.lent() as space:
            barrier.wait(timeout=60)
            held.append(id(space))
            barrier.wait(timeout=60)

    threads = [threading.Thread(target=hold) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(held)) == 4


def test_work_space_comes_back_after_an_accident() -> None:
    scratch: Scratch[list[int]] = Scratch(list)
    with pytest.raises(RuntimeError), scratch.lent() as first:
        raise RuntimeError
    with scratch.lent() as second:
        assert second is first


def test_work_space_that_is_not_to_be_kept_is_made_anew() -> None:
    scratch: Scratch[list[int]] = Scratch(list, keeps=False)
    with scratch.lent() as first:
        pass
    with scratch.lent() as second:
        assert second is not first


def test_a_registry_loads_what_is_asked_for_and_takes_what_is_added() -> None:
    registry: Registry[object] = Registry("thing", {"path": "pathlib:Path", "none": "nowhere:No"})
    assert registry.find("path").__name__ == "Path"
    assert list(registry) == ["path", "none"]
    registry["own"] = int
    assert registry["own"] is int
    assert "own" in registry
    del registry["own"]
    with pytest.raises(SpecError, match="unknown thing 'pth'; did you mean 'path'"):
        registry.find("pth")
    with pytest.raises(KeyError):
        registry["own"]
