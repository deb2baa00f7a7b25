"""A lost connection: the banner, the board that stays, and the way back."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from web.conftest import Visitor
from web.server import Server


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    made = Server(tmp_path)
    made.start()
    yield made
    made.stop()


def test_a_restart_shows_a_banner_and_loses_nothing(browser: object, own_server: Server) -> None:
    visitor = Visitor(browser, own_server)
    visitor.go("/play?opponent=human&moves=4455")
    page = visitor.page
    own_server.stop()
    page.wait_for_selector(".banner.warn >> text=Connection lost")
    visitor.count(".plate .disc", 4)
    assert page.locator("#main").get_attribute("inert") is not None
    visitor.picture("banner-lost")
    own_server.start()
    page.wait_for_selector(".banner.good >> text=Nothing was lost", timeout=30_000)
    page.wait_for_function("() => document.querySelectorAll('.plate .disc').length === 4")
    page.click('.move[data-move="0"]')
    page.wait_for_function("() => document.querySelectorAll('.plate .disc').length === 5")
    visitor.context.close()


def test_when_the_network_drops_for_a_moment_the_same_page_goes_on(
    browser: object, server: Server
) -> None:
    visitor = Visitor(browser, server)
    visitor.go("/play?opponent=human&moves=44")
    page = visitor.page
    page.evaluate("window.mine = 1; window.socket.io.engine.close()")
    page.wait_for_selector(".banner.warn")
    page.wait_for_selector(".banner.good", timeout=30_000)
    page.click('.move[data-move="0"]')
    page.wait_for_url("**moves=441*")
    visitor.context.close()
