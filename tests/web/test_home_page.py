"""Home as a visitor meets it, and the page of an address that does not exist."""

from collections.abc import Callable

import pytest

from web.conftest import Visitor

Visit = Callable[..., Visitor]


def test_a_first_visitor_plays_sees_the_truth_and_is_beaten(visit: Visit) -> None:
    visitor = visit()
    visitor.go("/")
    page = visitor.page
    page.wait_for_selector(".chip.best")
    assert page.evaluate("() => document.documentElement.scrollHeight") <= 800  # one screen
    page.keyboard.press("4")
    page.wait_for_url("**/?moves=4*")
    visitor.status("Your move")
    page.click("[data-testid=learn]")
    page.wait_for_selector("[data-testid=grown] .disc", timeout=240_000)  # it may be compiled first
    page.reload()  # nothing of it is lost
    page.wait_for_selector("[data-testid=grown] .disc")
    assert page.locator(".home-board .disc").count() == 2
    for _ in range(6):
        open_columns = page.locator('[data-testid=grown] .move[aria-disabled="false"]')
        page.wait_for_selector(
            '[data-testid=grown] .move[aria-disabled="false"], .story :text("It beat you")'
        )
        if page.locator("text=It beat you").count():
            break
        discs = page.locator("[data-testid=grown] .disc").count()
        open_columns.first.click()
        page.wait_for_function(
            "n => document.querySelectorAll('[data-testid=grown] .disc').length > n + 1"
            " || document.querySelector('[data-testid=grown] .win-line')",
            arg=discs,
        )
    page.wait_for_selector("text=It beat you")
    visitor.picture("home-beaten")


@pytest.mark.parametrize(
    ("path", "term", "said"),
    [
        ("/", "Baseline", "wins if it can, blocks if it must"),
        ("/learn", "Baseline", "wins if it can, blocks if it must"),
        ("/learn", "Q(s, a)", "What the learner thinks a move is worth"),
        ("/arena", "spec", "A player written in one line"),
    ],
)
def test_words_explain_themselves_by_key(visit: Visit, path: str, term: str, said: str) -> None:
    visitor = visit()
    visitor.go(path)
    visitor.page.locator(f".word:text-is('{term}')").first.focus()
    visitor.page.keyboard.press("Enter")
    visitor.page.wait_for_selector(f"text={said} >> visible=true")
    visitor.page.keyboard.press("Escape")
    assert not visitor.page.locator(f"text={said}").first.is_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pictures_of_home(visit: Visit, theme: str) -> None:
    visitor = visit(color_scheme=theme)
    visitor.go("/?moves=4445")
    visitor.page.wait_for_selector(".chip.best")
    visitor.picture(f"home-{theme}")


def test_an_unknown_address_has_its_own_page(visit: Visit) -> None:
    visitor = visit(color_scheme="dark")
    page = visitor.page
    answer = page.goto(visitor.server.url + "/no/such?x=<b>")
    assert answer.status == 404
    assert page.inner_text("h1") == "There is no such page"
    assert "/no/such" in page.inner_text("code")
    assert page.evaluate("() => document.documentElement.dataset.theme") == "dark"
    links = page.locator("main a").evaluate_all("all => all.map(one => one.pathname)")
    assert {"/", "/shelf", "/play", "/studies"} <= set(links)
    visitor.picture("no-such-page")
    visitor.complaints.clear()  # the browser complains of the 404 that it was to get


def test_the_api_page_keeps_name_and_theme(visit: Visit) -> None:
    visitor = visit()
    page = visitor.page
    page.goto(visitor.server.url + "/api")
    assert page.inner_text(".brand").strip() == "fourlab"
    page.click("[data-switch]")
    assert page.evaluate("() => document.documentElement.dataset.theme") == "dark"
    visitor.go("/analyse")
    assert page.evaluate("() => document.documentElement.dataset.theme") == "dark"
