"""Analyse in a real browser."""

import re
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


def test_a_whole_book_that_is_pasted_is_refused_in_words(visit: Visit) -> None:
    visitor = visit()
    visitor.go("/analyse?moves=44")
    visitor.page.fill("#paste", "4" * 1_500_000)
    visitor.page.wait_for_selector("text=too long; at most")
    visitor.page.fill("#paste", "4455")
    visitor.page.click("text=Load")
    visitor.page.wait_for_url("**moves=4455")


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


def test_a_wrong_text_and_enter_leave_the_board_and_the_message(visit: Visit) -> None:
    visitor = visit()
    page = visitor.page
    visitor.go(f"/analyse?moves={PICTURE}")
    visitor.status("Yellow wins in 9")
    for text, message in (("abc", "'a' is no column"), ("4444444", "column 4 is full")):
        page.fill("#paste", text)
        page.keyboard.press("Enter")
        page.wait_for_selector(f'.field-error:has-text("{message}")')
        assert PICTURE in page.url
        assert page.locator(".plate .disc").count() == len(PICTURE)
    page.click("text=Load 6")
    page.wait_for_url("**moves=444444")
    page.wait_for_selector('.field-error:has-text("column 4 is full")')
    assert page.input_value("#paste") == "4444444"


def test_the_tree_is_walked_by_keys(visit: Visit) -> None:
    visitor = visit()
    page = visitor.page
    visitor.go(f"/analyse?moves={PICTURE}")
    page.wait_for_selector(".tree-node[role=button]")
    page.focus('.tree-node[tabindex="0"]')
    label = "() => document.activeElement.getAttribute('aria-label')"
    first = page.evaluate(label)
    page.keyboard.press("ArrowRight")
    deeper = page.evaluate(label)
    assert deeper.split(":")[0].count(" ") == first.split(":")[0].count(" ") + 1
    assert page.is_visible(".tree-preview svg")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(label) == first
    page.keyboard.press("ArrowDown")
    second = page.evaluate(label)
    assert second != first
    page.keyboard.press("Enter")
    page.wait_for_url(f"**moves={PICTURE}{second.split(':')[0].split()[1]}*")


def test_the_pencil_of_compare_opens_a_field(visit: Visit) -> None:
    visitor = visit()
    page = visitor.page
    visitor.go(f"/analyse?moves={PICTURE}&tab=compare")
    page.click(".pair .spec >> nth=0")
    page.fill("[aria-label='Spec string']", "mcts:sims=nix")
    page.keyboard.press("Enter")
    page.wait_for_selector(".pair .field-error")
    page.fill("[aria-label='Spec string']", "mcts:sims=33")
    page.keyboard.press("Enter")
    page.wait_for_url("**a=mcts:sims=33*")


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_what_agents_expect_and_tried_is_told(visit: Visit, size: tuple[int, int]) -> None:
    visitor = visit(viewport={"width": size[0], "height": size[1]})
    page = visitor.page
    visitor.go("/analyse?moves=4453&tab=compare&a=net&b=zero:sims=100")
    expected = page.locator("[aria-label=Thinking] .lines li")
    expected.nth(1).wait_for()
    net, zero = expected.all_inner_texts()
    assert re.search(r"\d\s+\d\s+\d", net)  # the moves of its line
    assert "visits" not in net
    assert re.search(r"\d\s+\d\s+\d.*\n\d+ of 100 visits", zero, re.DOTALL)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expected.nth(1).scroll_into_view_if_needed()
    visitor.picture(f"analyse-lines-{size[0]}")


@pytest.mark.parametrize(("size", "moves"), [((1280, 800), "4"), ((390, 844), "3")])
def test_a_large_board_shows_what_is_known_so_far(
    visit: Visit, size: tuple[int, int], moves: str
) -> None:
    visitor = visit(viewport={"width": size[0], "height": size[1]})
    page = visitor.page
    visitor.go(f"/analyse?game=connect:columns=8,rows=6,k=4&moves={moves}")
    page.wait_for_selector("[data-testid=thinking]:has-text('Thinking')")
    page.wait_for_selector(".chip:has-text('guess')")
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    visitor.picture(f"analyse-thinking-{size[0]}")
