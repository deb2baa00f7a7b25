"""What the tests of the web laboratory share: a workbench, a server, a browser."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from web.bench import TestBench
from web.server import Server

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
STILL = """() => document.getAnimations().every(
    one => one.playState != "running" || one.effect.getComputedTiming().iterations == Infinity)"""
PICTURES = Path(__file__).parents[2] / "build" / "screenshots"


@pytest.fixture
def bench() -> Iterator[TestBench]:
    made = TestBench()
    yield made
    made.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    made = Server(tmp_path_factory.mktemp("laboratory"))
    made.start()
    yield made
    made.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    """Chromium; where there is none, the reason says how to get it."""
    sync_api = pytest.importorskip("playwright.sync_api")
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no Chromium; install it (Debian: apt-get install chromium)")
    with sync_api.sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield made
        made.close()


class Visitor:
    """A browser with a page; it notes every complaint and every request to another host."""

    def __init__(self, browser, server: Server, **options) -> None:  # type: ignore[no-untyped-def]
        self.server = server
        options.setdefault("viewport", {"width": 1280, "height": 800})
        self.context = browser.new_context(**options)
        self.context.set_default_timeout(60_000)
        self.complaints: list[str] = []
        self.page = self.tab()

    def tab(self):  # type: ignore[no-untyped-def]
        page = self.context.new_page()
        page.on("console", lambda m: m.type == "error" and self.complaints.append(m.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", self._note)
        return page

    def _note(self, request) -> None:  # type: ignore[no-untyped-def]
        if not request.url.startswith((self.server.url, "data:", "blob:")):
            self.complaints.append(f"request to {request.url}")

    def go(self, path: str) -> None:
        """Open a path and wait until it can be used."""
        self.page.goto(self.server.url + path)
        self.page.wait_for_selector(".connection:not(.off)", state="attached")
        self.page.wait_for_function("() => window.did_handshake")

    def status(self, text: str) -> None:
        """Wait for the headline."""
        self.page.wait_for_selector(f'[data-testid=status] h1:text-is("{text}")')

    def count(self, selector: str, number: int) -> None:
        """Wait until so many elements are there."""
        self.page.wait_for_function(
            "([selector, number]) => document.querySelectorAll(selector).length === number",
            arg=[selector, number],
        )

    def picture(self, name: str) -> None:
        """Keep a picture of the page as it is once nothing moves any more."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.page.wait_for_function(STILL)
        self.page.screenshot(path=PICTURES / f"{name}.png")


@pytest.fixture
def visit(browser: object, server: Server) -> Iterator[Callable[..., Visitor]]:
    """Make visitors; at the end none of them may have anything to complain about."""
    made: list[Visitor] = []

    def make(**options: object) -> Visitor:
        made.append(Visitor(browser, server, **options))
        return made[-1]

    yield make
    for visitor in made:
        visitor.context.close()
    assert [complaint for visitor in made for complaint in visitor.complaints] == []
