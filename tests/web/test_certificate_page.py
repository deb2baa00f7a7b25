"""The Certificate page in a browser."""

from collections.abc import Callable

from web.conftest import Visitor

Visit = Callable[..., Visitor]
SMALL = "connect:columns=4,rows=4,k=3"


def certified(visitor: Visitor, player: str) -> None:
    page = visitor.page
    visitor.go(f"/certificate?game={SMALL}")
    page.wait_for_selector("text=Certify a player")
    if not page.locator(".certify-form").count():
        page.click("text=Certify a player")
    page.select_option("[aria-label=Player]", player)
    page.click(".certify-form .primary")
    page.wait_for_selector("[data-testid=done]", timeout=120_000)


def test_a_first_visitor_finds_what_comes_with_fourlab(visit: Visit) -> None:
    visitor = visit(viewport={"width": 390, "height": 844})
    page = visitor.page
    visitor.go("/analyse")
    page.click("text=Certificates")
    page.wait_for_selector("h2:has-text('Comes with fourlab')")
    visitor.count(".certificate-card .plies rect", 84)
    visitor.picture("certificates-shipped-phone")
    page.focus(".certificate-card:has-text('zero:sims=64') h2 a")
    page.keyboard.press("Enter")
    page.wait_for_url("**/certificate/zero-first")
    page.wait_for_selector("text=fourlab certify --check zero-first")
    page.click("text=Play against it")
    visitor.status("Your move")


def test_a_player_is_certified_checked_and_refuted(visit: Visit) -> None:
    visitor = visit()
    page = visitor.page
    certified(visitor, "perfect")
    page.wait_for_selector("h2:has-text('Proven as first player, weak')")
    certified(visitor, "minimax:depth=2")
    page.wait_for_selector("h2:has-text('Not proven')")
    visitor.picture("certificate")
    with page.expect_download() as download:
        page.click("text=Its moves >> nth=0")
    assert download.value.suggested_filename.endswith(".moves")
    page.click(".certificate-card:has-text('Not proven') h2 a")
    page.wait_for_url("**/certificate/minimax-*")
    page.click(".refuting a >> nth=0")
    page.wait_for_url("**/analyse?game=connect:columns=4*")


def test_a_certificate_that_is_not_there_has_the_page_of_what_does_not_exist(visit: Visit) -> None:
    visitor = visit()
    for path in ("/certificate/none", "/certificate/none/file.json", "/certificate/x/file.py"):
        assert visitor.page.goto(visitor.server.url + path).status == 404
    visitor.complaints.clear()  # of what it was to get
