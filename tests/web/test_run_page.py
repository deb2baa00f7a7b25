"""A run at its address: no step of a visitor loses it."""

import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from fourlab.web.keep.item import read_item
from fourlab.web.runs.kept import last_alive
from web.conftest import Visitor
from web.server import Server

Visit = Callable[..., Visitor]
GAMES = """() => Number(document.querySelector(".figures dd:last-of-type").textContent
    .split(" of ")[1].replace(/\\D/g, ""))"""
SEE_WHETHER_TAKEN_BACK = """() => new MutationObserver(() => {
    window.takenBack ||= document.querySelector(".banner.good")?.textContent.includes("Nothing");
}).observe(document.body, { subtree: true, childList: true, characterData: true })"""
ADDRESS = "/learn?game=tictactoe&opponent=random"


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    made = Server(tmp_path)
    made.start()
    yield made
    made.stop()


def begun(visitor: Visitor, games: int = 5000) -> str:
    """Begin a run, let it learn, and return its address."""
    visitor.go(ADDRESS)
    page = visitor.page
    page.wait_for_selector(".heat-cell", state="attached", timeout=120_000)
    page.click("[data-testid=run]")
    page.wait_for_url("**/run/q-3x3-*")
    page.wait_for_function(f"() => ({GAMES})() > {games}")
    return page.url.removeprefix(visitor.server.url)


def pause(visitor: Visitor) -> int:
    """Pause the run, wait until it is saved, and return its games."""
    visitor.page.click("[data-testid=run]:has-text('Pause')")
    visitor.page.wait_for_selector(".run-name:has-text('Paused')")  # the page knows that it arrived
    visitor.page.wait_for_selector(".run-name >> text=/· saved/")
    return games_of(visitor.page)


def games_of(page) -> int:  # type: ignore[no-untyped-def]
    return int(page.evaluate(GAMES))


def test_reload_another_page_and_back_and_a_second_tab_find_the_same_run(visit: Visit) -> None:
    visitor = visit()
    address = begun(visitor)
    page = visitor.page
    before = games_of(page)
    for _ in range(3):
        page.reload()
        page.wait_for_function("() => window.did_handshake")
    page.wait_for_function(f"() => ({GAMES})() > {before}")
    assert page.query_selector("[data-testid=watchers]") is None  # it was this tab that left
    assert page.url.endswith(address)
    visitor.go("/play")
    page.go_back()
    page.wait_for_function(f"() => ({GAMES})() > {before}")
    visitor.go("/learn")
    page.wait_for_url(f"**{address}")
    other = visitor.tab()
    other.goto(visitor.server.url + address)
    other.wait_for_selector("[data-testid=watchers] >> text=/tabs watch this run/")
    other.click("[data-testid=run]:has-text('Pause')")
    page.wait_for_selector("[data-testid=run]:has-text('Go on')")
    page.wait_for_function(f"() => ({GAMES})() > {before}")
    deadline = time.monotonic() + 60
    while games_of(other) != games_of(page):  # the games of a pause's last moment are still to come
        assert time.monotonic() < deadline, "two tabs tell different numbers of games"
        page.wait_for_timeout(50)
    visitor.picture("run-two-tabs")


def test_a_field_that_is_typed_in_is_left_alone_and_then_holds(visit: Visit) -> None:
    visitor = visit()
    begun(visitor)
    page = visitor.page
    field = "label:has-text('Explore') input"
    page.click(field)
    page.keyboard.press("Control+A")
    page.keyboard.type("0.3")
    before = games_of(page)
    page.wait_for_function(f"() => ({GAMES})() > {before + 2000}")  # many updates later
    assert page.input_value(field) == "0.3"
    page.keyboard.type("5")
    page.keyboard.press("Tab")
    page.wait_for_function(f"() => ({GAMES})() > {before + 4000}")
    expect(page.locator(field)).to_have_value("0.35")
    box = page.locator("label:has-text('Rate') span").bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + 35, box["y"] + 5)
    page.mouse.up()
    page.reload()
    page.wait_for_selector(field)
    assert page.input_value(field) == "0.35"
    assert page.input_value("label:has-text('Rate') input") == "0.20"
    pause(visitor)  # or it goes on beside all other tests


def test_kill_9_says_what_is_lost_and_a_paused_run_loses_nothing(
    browser: object, own_server: Server
) -> None:
    visitor = Visitor(browser, own_server)
    address = begun(visitor, 20_000)
    page = visitor.page
    assert own_server.process is not None
    page.wait_for_selector(".run-name >> text=/· saved/", timeout=60_000)
    kill(own_server)
    page.wait_for_selector(".banner.warn >> text=goes on there")
    own_server.start()
    page.wait_for_selector(".banner.good >> text=/\\d+ s lost/", timeout=60_000)
    assert page.url.endswith(address)
    page.wait_for_selector(".run-name >> text=/restart, \\d+ s lost/")
    visitor.picture("run-restarted")
    page.wait_for_function("() => !document.querySelector('.waiting')", timeout=60_000)
    page.evaluate(SEE_WHETHER_TAKEN_BACK)
    page.click("[data-testid=run]:has-text('Go on')")
    before = games_of(page)
    page.wait_for_function(f"() => ({GAMES})() > {before}")
    assert not page.evaluate("window.takenBack"), "a loss was told, and then none"
    games = pause(visitor)
    kept = own_server.folder / "kept" / "items" / address.rpartition("/")[2]
    while read_item(kept).body["state"] != "paused":  # so it says once all is saved
        page.wait_for_timeout(50)
    assert read_item(kept).body["saved"] >= last_alive(kept)
    kill(own_server)
    page.wait_for_selector(".banner.warn")
    own_server.start()
    page.wait_for_selector(".banner.good >> text=Nothing was lost", timeout=60_000)
    page.wait_for_function(f"() => ({GAMES})() >= {games}")
    visitor.context.close()


def kill(server: Server) -> None:
    assert server.process is not None
    os.kill(server.process.pid, signal.SIGKILL)
    server.process.wait()
    assert server.process.stdout is not None
    server.process.stdout.close()
    server.process = None


def test_ctrl_c_ends_without_a_traceback_and_saves(browser: object, own_server: Server) -> None:
    visitor = Visitor(browser, own_server)
    address = begun(visitor)
    process = own_server.process
    assert process is not None
    assert process.stdout is not None
    process.send_signal(signal.SIGINT)
    said = process.stdout.read()
    assert process.wait(timeout=30) in (0, 130, -2)
    assert "Traceback" not in said, said
    process.stdout.close()
    own_server.process = None
    own_server.start()
    page = visitor.page
    page.wait_for_selector(".run-name >> text=/the server was stopped/", timeout=60_000)
    assert page.url.endswith(address)
    visitor.context.close()


def test_the_chart_is_read_by_pointer_and_keys(visit: Visit) -> None:
    visitor = visit()
    begun(visitor)
    page = visitor.page
    pause(visitor)
    chart = page.locator(".learn-curves .chart svg").first
    chart.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    text = page.inner_text(".spoken")
    assert re.search(r"at [\d,]+ games, \d+%", text), text
    page.keyboard.press("End")
    assert re.search(r"at [\d,]+ games, \d+%", page.inner_text(".spoken"))
    assert "saved" in page.inner_text(".run-name")


def test_a_run_that_another_tab_deletes_can_be_begun_no_more(visit: Visit) -> None:
    visitor = visit()
    begun(visitor)
    pause(visitor)
    page, shelf = visitor.page, visitor.tab()
    shelf.goto(visitor.server.url + "/shelf")
    shelf.locator(".run-row").first.focus()
    shelf.keyboard.press("Delete")
    shelf.click("dialog >> text=Delete it")
    page.wait_for_selector("text=This run was deleted")
    for name in ("Go on", "Step", "Learn 10 s", "Test it", "Play against it"):
        expect(page.get_by_role("button", name=name)).to_be_disabled()
    page.keyboard.press("Space")
    page.wait_for_selector(".run-name:has-text('Paused')")
    visitor.picture("run-deleted")
    shelf.click("[data-testid=undo] >> text=Undo")
    expect(page.get_by_role("button", name="Go on")).to_be_enabled()
