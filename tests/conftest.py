"""Settings shared by all tests."""

import importlib
import os
import signal
from collections.abc import Iterator
from itertools import groupby

import pytest
from hypothesis import HealthCheck, settings

from fourlab.agents.registry import AGENTS

# A deadline would assert a wall-clock time, and a first example may compile kernels.
settings.register_profile(
    "fourlab", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("plain", settings.get_profile("fourlab"), max_examples=25)
settings.load_profile("plain" if os.environ.get("NUMBA_DISABLE_JIT") == "1" else "fourlab")

# A shell starts what runs in the background with Ctrl-C ignored, and children inherit that.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def troublemakers() -> Iterator[None]:
    """Register agents that misbehave, for one test."""
    before = dict(AGENTS)
    AGENTS.update(importlib.import_module("troublemakers").KINDS)
    yield
    AGENTS.clear()
    AGENTS.update(before)


def pytest_xdist_auto_num_workers() -> int:
    """Return two workers more than there are cores: tests of pages wait more than they work."""
    return (os.cpu_count() or 1) + 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Spread the files that open pages among the others, so that workers do not all wait at once.

    Files are handed out whole and in this order (`--dist loadfile --no-loadscope-reorder`).
    """
    places: list[tuple[float, list[pytest.Item]]] = []
    files = [list(group) for _, group in groupby(items, lambda item: item.path)]
    pages = [any("visit" in getattr(item, "fixturenames", ()) for item in file) for file in files]
    for is_page in (True, False):
        kind = [file for file, opens in zip(files, pages, strict=True) if opens is is_page]
        places += [(number / len(kind), file) for number, file in enumerate(kind)]
    places.sort(key=lambda place: place[0])
    items[:] = [item for _, file in places for item in file]
