"""Arena and Analyse in every window: tablet, a phone held sideways, 200% zoom, 320 pixels."""

from collections.abc import Callable

import pytest

from web.conftest import Visitor
from web.test_phone import PICTURE, TOO_SMALL, analyse, arena

Visit = Callable[..., Visitor]
WINDOWS = [(820, 1180), (844, 390), (640, 400), (320, 640)]  # 640 × 400: 1280 × 800 at 200%
STATES = {
    "arena": arena,
    "analyse-tree": analyse("tree", ".tree-list li, .agreement"),
    "analyse-compare": analyse("compare", ".lean.chosen"),
    "analyse-cells": analyse("cells", ".cell-map"),
}
# What lies outside of the window, or whose text is cut off, and cannot be scrolled to.
CUT = """() => {
    const all = "button, a, input, select, h1, h2, h3, th, td, label, .chip b, .plate";
    const styled = (e) => getComputedStyle(e);
    const rolls = (e) => /auto|scroll/.test(styled(e).overflowX);
    const scrolls = (e) => e && (rolls(e) || scrolls(e.parentElement));
    const is_cut = (e) => e.scrollWidth > e.clientWidth + 1 && styled(e).overflowX === "hidden";
    const is_out = (box) => box.width && (box.left < -1 || box.right > innerWidth + 1);
    return [...document.querySelectorAll(all)]
      .filter((e) => e.checkVisibility({ visibilityProperty: true }))
      .filter((e) => !e.matches(".skip, .for-readers"))
      .filter((e) => !scrolls(e.parentElement) && (is_out(e.getBoundingClientRect()) || is_cut(e)))
      .map((e) => `${e.tagName}.${e.className} ${e.textContent.slice(0, 30)}`); }"""


@pytest.mark.parametrize("state", STATES)
def test_nothing_is_cut_off_in_any_window(visit: Visit, state: str) -> None:
    visitor = visit(forced_colors="active", has_touch=True, is_mobile=True)
    page = visitor.page
    STATES[state](visitor)
    for width, height in WINDOWS:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function("wide => innerWidth === wide", arg=width)
        visitor.picture(f"{state}-{width}x{height}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, width
        assert page.evaluate(CUT) == [], width
        small = [one for one in page.evaluate(TOO_SMALL) if not one.startswith("BUTTON.move ")]
        assert small == [], width
        for plate in page.locator(".analyse .plate").all():
            assert plate.bounding_box()["height"] < height - 40


def test_forced_colours_tell_the_sides_and_what_is_chosen(visit: Visit) -> None:
    visitor = visit(forced_colors="active")
    visitor.go(f"/analyse?moves={PICTURE}&tab=compare")
    page = visitor.page
    page.wait_for_selector(".lean.chosen")
    fill = "(e) => getComputedStyle(e).fill"
    marks = [page.locator(f".plate {name} >> nth=0") for name in (".disc-red", ".mark-red")]
    assert marks[0].evaluate(fill) != marks[1].evaluate(fill)
    line = """(e) => { const style = getComputedStyle(e);
        return style.outlineStyle + style.borderTopWidth + style.borderTopColor; }"""
    chosen, other = page.locator(".lean.chosen").first, page.locator(".lean:not(.chosen)").first
    assert chosen.evaluate(line) != other.evaluate(line)
