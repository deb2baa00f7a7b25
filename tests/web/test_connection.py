"""A lost connection: the banner, the board that stays, and the way back."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from web.conftest import Visitor
from web.proxy import Wire
from web.server import Server


class Through:
    """A server as it is seen from the other end of a wire."""

    def __init__(self, port: int) -> None:
        self.url = f"http://localhost:{port}"


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


ATTEMPTS = (
    "() => { window.tried = 0; window.socket.io.on('reconnect_error', () => window.tried++); }"
)
# What a banner said stands for seconds, and is noted: a busy machine may look later.
NOTE = """
new MutationObserver(() => {
  const banner = document.querySelector(".banner.good");
  if (banner) sessionStorage.said = banner.textContent;
}).observe(document, { subtree: true, childList: true, characterData: true });
"""
NOTHING_LOST = "() => (sessionStorage.said ?? '').includes('Nothing was lost')"


def test_a_wire_that_is_frozen_and_cut_costs_nothing(browser: object, server: Server) -> None:
    wire = Wire(server.port)
    visitor = Visitor(browser, Through(wire.port))
    visitor.context.add_init_script(NOTE)
    visitor.go("/analyse?game=connect:columns=9,rows=6,k=4&moves=5")
    question = visitor.page
    run = visitor.page = visitor.tab()
    visitor.go("/learn")
    run.click("[data-testid=run]")
    run.wait_for_url("**/run/*")
    run.wait_for_selector("[data-testid=speed]:text('games/s')")
    game = visitor.page = visitor.tab()
    visitor.go("/play?opponent=mcts:sims=200&moves=44")
    game.wait_for_selector(".move[data-move='2']:not([disabled])")
    question.wait_for_selector("[data-testid=thinking]")
    for page in (question, run, game):
        page.evaluate(ATTEMPTS)
    wire.freeze()
    game.click(".move[data-move='2']")  # nobody hears of it, and it is seen on the board
    for page in (question, run, game):
        page.wait_for_selector(".banner.warn >> text=Connection lost")
    wire.cut()
    for page in (question, run, game):  # until the server has given the visitor up
        page.wait_for_function("() => window.tried >= 2")
    wire.mend()
    for page in (question, run, game):
        page.wait_for_function("() => sessionStorage.said")
        page.wait_for_function("() => window.tried === undefined")  # it was loaded anew
    game.wait_for_url(re.compile("moves=443[1-7]&"), timeout=15_000)
    run.wait_for_selector("[data-testid=run] >> text=Pause")
    run.wait_for_function(NOTHING_LOST)
    question.wait_for_selector("[data-testid=thinking]")
    visitor.context.close()
    wire.cut()


def test_what_did_not_arrive_and_cannot_be_done_again_is_told(
    browser: object, server: Server
) -> None:
    wire = Wire(server.port)
    visitor = Visitor(browser, Through(wire.port))
    visitor.go("/play?opponent=human&moves=4455")
    page = visitor.page
    wire.freeze()
    page.keyboard.press("u")
    page.wait_for_selector(".banner.warn >> text=Connection lost")
    wire.cut()
    wire.mend()
    page.wait_for_selector(".banner.good >> text=What you did last may not have arrived")
    visitor.count(".plate .disc", 4)
    visitor.context.close()
    wire.cut()


def test_a_first_stone_whose_answer_was_lost_begins_one_game(
    browser: object, server: Server
) -> None:
    wire = Wire(server.port)
    visitor = Visitor(browser, Through(wire.port))
    visitor.context.add_init_script(NOTE)
    visitor.go("/play?opponent=human")
    page = visitor.page
    games = server.folder / "kept" / "items"
    before = set(games.iterdir())
    wire.hold_answers()
    page.click(".move[data-move='2']")
    while set(games.iterdir()) == before:
        page.wait_for_timeout(20)
    wire.cut()
    page.wait_for_selector(".banner.warn")
    wire.mend()
    page.reload()
    page.wait_for_url("**moves=3&**kept=*")
    visitor.count(".plate .disc", 1)
    page.wait_for_function(NOTHING_LOST)
    assert len(set(games.iterdir()) - before) == 1
    visitor.context.close()
    wire.cut()


def test_a_page_that_is_loaded_again_before_the_server_hears_it_still_says_it_was_lost(
    browser: object, server: Server
) -> None:
    """So it goes after a restart of a busy server: it has forgotten the page before it hears it."""
    visitor, hears = Visitor(browser, server), [True]
    page = visitor.page
    wire = re.compile("_nicegui_ws")
    page.route_web_socket(wire, lambda line: line.connect_to_server() if hears[0] else None)
    visitor.go("/play?opponent=human&moves=44")
    page.evaluate("sessionStorage.fourlabLost = 'at /play?opponent=human&moves=44'")
    hears[0] = False
    page.reload()
    page.wait_for_selector(".connection", state="attached")
    hears[0] = True
    page.reload()
    page.wait_for_selector(".banner.good >> text=Connected again")
    assert page.evaluate("sessionStorage.fourlabLost") is None
    visitor.context.close()
