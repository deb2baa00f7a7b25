"""The shelf in a real browser."""

from collections.abc import Callable

from web.conftest import Visitor

Visit = Callable[..., Visitor]


def test_a_run_is_found_renamed_compared_deleted_and_brought_back(visit: Visit) -> None:
    visitor = visit()
    page = visitor.page
    visitor.go("/shelf")
    page.wait_for_selector("text=No training run yet")
    for _ in range(2):
        visitor.go("/learn?game=tictactoe&opponent=random")
        page.wait_for_selector(".heat-cell", timeout=120_000)
        page.click("[data-testid=run]")
        page.wait_for_url("**/run/q-3x3-*")
        page.wait_for_selector(".run-name >> text=/· saved/")
    visitor.go("/shelf")
    visitor.count(".run-row", 2)
    page.wait_for_selector(".shelf-link >> text=2 running")
    page.locator(".run-row").first.focus()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    page.wait_for_selector("text=2 chosen")
    page.click(".run-row >> nth=0 >> [aria-haspopup=menu]")
    page.wait_for_selector("role=menuitem[name='Play against it']")
    page.click("role=menuitem[name=Rename]")
    page.keyboard.type("mine")
    page.keyboard.press("Enter")
    page.wait_for_selector(".run-row a:text-is('mine')")
    visitor.picture("shelf-light")
    page.locator(".run-row:has-text('mine')").focus()
    page.keyboard.press("Delete")
    page.click("dialog >> text=Delete it")
    visitor.count(".run-row", 1)
    page.click("[data-testid=undo] >> text=Undo")
    visitor.count(".run-row", 2)
    page.click("[data-testid=compare]")
    page.wait_for_url("**/run/*?with=*")
    visitor.count(".learn-curves .curve.win", 2)
    visitor.go("/shelf")
    page.click(".row-act:has-text('Pause')")  # or it goes on beside all other tests
    page.wait_for_selector(".shelf-link small", state="detached")  # the one brought back stands


def test_a_phone_has_tabs_and_scrolls_only_down(visit: Visit) -> None:
    visitor = visit(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    visitor.go("/shelf")
    page = visitor.page
    page.click("role=radio[name=Games]")
    page.wait_for_selector("text=No game yet")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    visitor.picture("shelf-phone")
