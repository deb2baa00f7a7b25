"""Analyse in a real browser."""

from collections.abc import Callable

import pytest

from web.conftest import Visitor

PICTURE = "4445423633442655"
Visit = Callable[..., Visitor]


def test_good_and_bad_strings(visit: Visit) -> None:
    visitor = visit()
    visitor.go("/analyse")
    page = visitor.page
    page.fill("#paste", PICTURE)
    page.click("text=Load")
    visitor.status("Yellow wins in 9")
    page.wait_for_url(f"**moves={PICTURE}*")
    page.fill("#paste", "444444124")
    page.wait_for_selector("text=move 9: column 4 is full; open: 1 2 3 5 6 7")
    assert page.inner_text(".mirror mark") == "4"
    visitor.status("Yellow wins in 9")
    page.click("text=Load 8")
    page.wait_for_url("**moves=44444412*")


def test_stepping_with_keys_and_setting_up_a_board(visit: Visit) -> None:
    visitor = visit()
    visitor.go(f"/analyse?moves={PICTURE}")
    page = visitor.page
    page.wait_for_selector(".steps >> text=16 of 16")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector("text=15 of 16")
    page.keyboard.press("Home")
    page.wait_for_selector("text=0 of 16")
    visitor.status("Yellow wins in 21")
    page.click("text=Set up")
    page.click('.move[data-move="38"]')  # the middle of the bottom row
    page.click('.move[data-move="3"]')  # and one that floats at the top
    page.click('.move[data-move="3"]')
    page.click("text=Use this board")
    page.wait_for_selector(".field-error >> text=a stone floats")
    page.click('.move[data-move="3"]')
    page.click("text=Use this board")
    page.wait_for_url("**moves=4")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pictures_of_analyse(visit: Visit, theme: str) -> None:
    visitor = visit(color_scheme=theme)
    page = visitor.page
    for tab, ready in (("tree", ".agreement"), ("compare", ".lean.chosen"), ("cells", ".cell-map")):
        visitor.go(f"/analyse?moves={PICTURE}&tab={tab}")
        page.wait_for_selector(ready)
        page.wait_for_selector(".lines li >> nth=3")
        visitor.picture(f"analyse-{tab}-{theme}")


def test_the_tree_opens_and_plays(visit: Visit) -> None:
    visitor = visit()
    visitor.go(f"/analyse?moves={PICTURE}")
    page = visitor.page
    page.wait_for_selector(".tree-more")
    before = page.locator(".tree-node").count()
    page.locator(".tree-more").first.click()
    page.wait_for_function(f"() => document.querySelectorAll('.tree-node').length > {before}")
    page.locator(".tree-node").nth(1).hover()
    page.wait_for_selector(".tree-preview svg")
    page.click("role=radio[name='500']")
    page.wait_for_selector("text=500 simulations")
