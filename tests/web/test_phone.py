"""A phone of 390 pixels: every page in all its states scrolls only down and can be touched."""

from collections.abc import Callable

import pytest

from web.conftest import Visitor

PICTURE = "4445423633442655"
SMALL_BOARD = "connect:columns=4,rows=4,k=3"
Visit = Callable[..., Visitor]

# Points of the graph of values lie closer than that; the list of moves leads to the same places.
TOO_SMALL = """() => [...document.querySelectorAll("button, a, input, select, textarea, summary")]
    .filter(e => e.checkVisibility({ visibilityProperty: true }) && !e.matches(".skip"))
    .map(e => e.type === "checkbox" ? e.closest("label") : e)
    .map(e => [e.tagName, e.className, e.textContent.slice(0, 20), e.getBoundingClientRect()])
    .filter(([, , , box]) => box.width && (box.height < 44 || box.width < 44))
    .map(([tag, name, text, box]) => `${tag}.${name} ${text}: ${box.width} x ${box.height}`)"""


def end_of_a_game(visitor: Visitor) -> None:
    visitor.go("/play?opponent=human&moves=1212121")
    visitor.page.wait_for_selector("text=lost the game")
    visitor.page.wait_for_selector(".points .tag")


def everything_of_play(visitor: Visitor) -> None:
    visitor.go(f"/play?moves={PICTURE}&overlay=exact")
    visitor.page.wait_for_selector(".chip.best")
    visitor.page.select_option("select[aria-label=Game]", "other")
    visitor.page.click(".spec")
    visitor.page.wait_for_selector("[aria-label='Spec string']")


def keys(visitor: Visitor) -> None:
    visitor.go("/play")
    visitor.page.click("[aria-label=Keys]")
    visitor.page.wait_for_selector("dialog[open]")


def learner(visitor: Visitor) -> None:
    visitor.go("/learn?learner=monte-carlo")
    visitor.page.wait_for_selector("text=Test it >> visible=true")
    visitor.page.click(".settings")
    visitor.page.click("[aria-label=More]")
    visitor.page.click("text=Rewards")


def values(visitor: Visitor) -> None:
    visitor.go("/learn")
    visitor.page.wait_for_selector(".heat-cell", state="attached", timeout=120_000)
    visitor.page.click("role=radio[name=Values]")
    visitor.page.wait_for_selector(".policy-scroll tbody tr >> nth=0")


def curves(visitor: Visitor) -> None:
    visitor.go("/learn")
    visitor.page.click("role=radio[name=Curves]")
    visitor.page.wait_for_selector("summary >> text=Show data")


def arena(visitor: Visitor) -> None:
    visitor.go(f"/arena?game={SMALL_BOARD}&agents=baseline;random;flat:playouts=5&games=20")
    visitor.page.click("[data-testid=run]")
    visitor.page.wait_for_selector("text=60 of 60 games", timeout=120_000)
    visitor.page.wait_for_selector(".latest a")


def analyse(tab: str, ready: str) -> Callable[[Visitor], None]:
    def visit_it(visitor: Visitor) -> None:
        visitor.go(f"/analyse?moves={PICTURE}&tab={tab}")
        visitor.page.wait_for_selector(ready)
        visitor.page.wait_for_selector(".lines li >> nth=3")

    return visit_it


def setting_up(visitor: Visitor) -> None:
    visitor.go(f"/analyse?moves={PICTURE}")
    visitor.page.click("text=Set up")


def studies(visitor: Visitor) -> None:
    visitor.go("/studies")
    visitor.page.wait_for_selector(".study h2:has-text('A tiny study')")


def report(visitor: Visitor) -> None:
    visitor.go("/studies/tiny")
    visitor.page.click("text=Rerun quick")
    visitor.page.wait_for_selector(".study-report .claims li", timeout=120_000)
    visitor.page.click("summary:has-text('How it was run') >> nth=0")
    visitor.page.click("summary:has-text('Download')")


def api(visitor: Visitor) -> None:
    visitor.page.goto(visitor.server.url + "/api")


STATES = {
    "end": end_of_a_game,
    "play-all": everything_of_play,
    "keys": keys,
    "learn-settings": learner,
    "learn-values": values,
    "learn-curves": curves,
    "arena-results": arena,
    "analyse-tree": analyse("tree", ".tree-list li"),
    "analyse-compare": analyse("compare", ".lean.chosen"),
    "analyse-cells": analyse("cells", ".cell-map"),
    "analyse-setup": setting_up,
    "studies": studies,
    "report": report,
    "api": api,
}


@pytest.mark.parametrize("state", STATES)
def test_everything_can_be_touched_and_nothing_scrolls_sideways(visit: Visit, state: str) -> None:
    visitor = visit(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    STATES[state](visitor)
    visitor.picture(f"phone-{state}")
    assert visitor.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert visitor.page.evaluate(TOO_SMALL) == []
