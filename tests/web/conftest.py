"""What the tests of the web laboratory share: a workbench, a server, a browser."""

from collections.abc import Iterator

import pytest

from web.bench import TestBench


@pytest.fixture
def bench() -> Iterator[TestBench]:
    made = TestBench()
    yield made
    made.close()
