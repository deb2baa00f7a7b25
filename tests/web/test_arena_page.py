"""Arena in a browser: an event at its address."""

from collections.abc import Callable

from web.conftest import Visitor

Visit = Callable[..., Visitor]
SMALL = "game=connect:columns=4,rows=4,k=3"
EIGHT = (
    "mcts:sims=10;mcts:sims=20;mcts:sims=30;flat:playouts=5;baseline;random;perfect;minimax:depth=2"
)


def test_an_event_keeps_its_address_through_reload_tab_and_back(visit: Visit) -> None:
    visitor = visit()
    page = visitor.page
    visitor.go(f"/arena?{SMALL}&agents=baseline;random&games=20")
    page.wait_for_selector("text=for 20 games", timeout=240_000)  # it may be compiled first
    page.click("[data-testid=run]")
    page.wait_for_url("**/event/*")
    page.wait_for_selector("text=20 of 20 games")
    address = page.url
    table = page.inner_text(".cross")
    page.wait_for_selector("[data-testid=current] .disc-yellow")  # short as it is, a game is shown
    page.reload()
    page.wait_for_selector("text=20 of 20 games")
    assert (page.url, page.inner_text(".cross")) == (address, table)
    tab = visitor.tab()
    tab.goto(address)
    tab.wait_for_selector("text=20 of 20 games")
    page.goto(visitor.server.url + "/play")
    page.go_back()
    page.wait_for_selector("text=20 of 20 games")
    assert page.url == address
    visitor.picture("arena-event")


def test_eight_players_are_shown_whole(visit: Visit) -> None:
    visitor = visit()
    visitor.go(f"/arena?{SMALL}&agents={EIGHT}&games=2")
    page = visitor.page
    page.wait_for_selector("text=of 56 games")
    assert page.evaluate("""() => { const box = document.querySelector(".cross-scroll");
        return box.scrollWidth <= box.clientWidth; }""")
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_a_player_is_typed_as_a_spec_and_a_wrong_one_is_told_why(visit: Visit) -> None:
    visitor = visit()
    visitor.go(f"/arena?{SMALL}&agents=baseline;random&games=7")
    page = visitor.page
    page.wait_for_selector("[data-testid=openings]:has-text('8 games a pair are played')")
    page.fill("[aria-label='Player as a spec']", "flat:playouts=3")
    page.keyboard.press("Enter")
    page.wait_for_selector(".player:has-text('Flat 3')")
    page.fill("[aria-label='Player as a spec']", "q:/etc/passwd")
    page.keyboard.press("Enter")
    page.wait_for_selector(".field-error:has-text('not in the folder')")


def test_an_event_that_is_gone_has_the_page_of_what_does_not_exist(visit: Visit) -> None:
    visitor = visit()
    answer = visitor.page.goto(visitor.server.url + "/event/event-nobody22")
    assert answer.status == 404
    visitor.page.wait_for_selector("h1:text-is('There is no such page')")
    visitor.complaints.clear()  # of the 404 that it was to get
