"""What was begun and not sent outlives a reload, and goes when it is sent."""

import json
from collections.abc import Callable

from web.conftest import Visitor

Visit = Callable[..., Visitor]
SMALL = "game=connect:columns=4,rows=4,k=3"
SPEC = "[aria-label='Player as a spec']"
SEARCH = "[aria-label='Moves after which the policy is shown']"
KEPT = "() => sessionStorage.fourlabUnsent ?? '[]'"


def come_back(visitor: Visitor) -> None:
    visitor.page.reload()
    visitor.page.wait_for_function("() => window.did_handshake")


def kept(visitor: Visitor, number: int) -> None:
    visitor.page.wait_for_function(
        f"number => JSON.parse(({KEPT})()).length === number", arg=number
    )


def test_a_player_half_typed_in_arena_is_there_until_it_is_added(visit: Visit) -> None:
    visitor = visit()
    visitor.go(f"/arena?{SMALL}&agents=baseline;random")
    page = visitor.page
    page.fill(SPEC, "flat:playouts=3")
    kept(visitor, 1)
    come_back(visitor)
    assert page.input_value(SPEC) == "flat:playouts=3"
    page.click(".add-spec button:text-is('Add')")
    page.wait_for_selector(".player:has-text('Flat 3')")
    page.wait_for_function("() => document.querySelector('.add-spec input').value === ''")
    page.fill(SPEC, "flat:playouts=x")
    page.keyboard.press("Enter")
    page.wait_for_selector(".strip .field-error")
    assert page.input_value(SPEC) == "flat:playouts=x"  # refused: to be mended, not typed again
    page.fill(SPEC, "")
    kept(visitor, 0)


def test_a_search_in_the_policy_is_made_again(visit: Visit) -> None:
    visitor = visit()
    visitor.go(f"/learn?{SMALL}")
    page = visitor.page
    page.fill(SEARCH, "9")
    page.wait_for_selector(".policy .field-error")
    come_back(visitor)
    assert page.input_value(SEARCH) == "9"
    page.wait_for_selector(".policy .field-error")


def test_a_pasted_text_and_a_board_half_set_up_are_there_again(visit: Visit) -> None:
    visitor = visit()
    visitor.go(f"/analyse?{SMALL}&moves=1")
    page = visitor.page
    page.fill("#paste", "12x")
    page.wait_for_selector("#paste-error .icon")
    page.click("text=Set up")
    page.click('.move[data-move="15"]')
    visitor.count(".plate .disc", 2)
    kept(visitor, 1)
    come_back(visitor)
    visitor.count(".plate .disc", 2)
    assert page.input_value("#paste") == "12x"
    page.wait_for_selector("#paste-error .icon")
    page.click('.move[data-move="15"]')
    page.click("text=Use this board")
    page.wait_for_url("**moves=14*")
    page.wait_for_selector("text=Set up")
    kept(visitor, 0)


def test_what_is_kept_is_bounded(visit: Visit) -> None:
    visitor = visit()
    visitor.go(f"/arena?{SMALL}&agents=baseline;random")
    page = visitor.page
    old = [[f"/arena?{index}", {"typed": "old"}] for index in range(20)]
    page.evaluate("old => { sessionStorage.fourlabUnsent = JSON.stringify(old); }", old)
    page.fill(SPEC, "new")
    kept(visitor, 8)
    assert json.loads(page.evaluate(KEPT))[-1][1] == {"typed": "new"}
    page.fill(SPEC, "x" * 5000)
    kept(visitor, 7)
