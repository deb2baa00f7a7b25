"""Settings shared by all tests."""

import importlib
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from fourlab.agents.registry import AGENTS

# A deadline would assert a wall-clock time, and a first example may compile kernels.
settings.register_profile(
    "fourlab", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("fourlab")

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
