"""Every page in all its states and in every window, from 320 pixels to a desktop, by touch.

A state is loaded once, on a phone; then the window grows. Nothing may be cut off or wider than the
window, everything can be touched, and in forced colours what is chosen has a line of its own.
"""

from collections.abc import Callable, Iterator

import pytest

from web.conftest import Visitor
from web.server import Server

PICTURE = "4445423633442655"
SMALL_BOARD = "connect:columns=4,rows=4,k=3"
WIDE_BOARD = "connect:columns=31,rows=1,k=2"  # solved in a moment
PHONE = (390, 844)
WINDOWS = [PHONE, (320, 640), (844, 390), (640, 400), (820, 1180), (1024, 768), (1440, 900)]
PICTURED = [PHONE, (844, 390), (820, 1180)]  # 640 × 400: 1280 × 800 at 200%

# Points of the graph of values lie closer than that; the list of moves leads to the same places.
# Columns of a board share what width there is. The tree is a list of buttons on a phone.
TOO_SMALL = """(least) => [...document.querySelectorAll(
      "button, a, input, select, textarea, summary, [role=button], [role=treeitem]")]
    .filter((e) => e.checkVisibility({ visibilityProperty: true }) && !e.matches(".skip, .move"))
    .filter((e) => !least || !e.matches(".word, .note a")) // as high as the line they stand in
    .map((e) => e.type === "checkbox" ? e.closest("label") : e)
    .map((e) => [e, e.getBoundingClientRect(), e.closest("svg") ? 24 : least ?? 44])
    .filter(([, box, least]) => box.width && (box.height < least || box.width < least))
    .map(([e, box]) => `${e.tagName}.${e.className} ${e.textContent.slice(0, 20)}: ` +
      `${box.width} x ${box.height}`)
"""
# What lies outside of the window, or whose text is cut off, and cannot be scrolled to.
CUT = """() => {
    const all = "button, a, input, select, h1, h2, h3, th, td, label, .chip b, .plate, .segmented";
    const styled = (e) => getComputedStyle(e);
    const rolls = (e) => /auto|scroll/.test(styled(e).overflowX);
    const scrolls = (e) => e && (rolls(e) || scrolls(e.parentElement));
    const is_cut = (e) => e.scrollWidth > e.clientWidth + 1 &&
      (styled(e).overflowX === "hidden" || e.matches(".segmented"));
    const is_out = (box) => box.width && (box.left < -1 || box.right > innerWidth + 1);
    return [...document.querySelectorAll(all)]
      .filter((e) => e.checkVisibility({ visibilityProperty: true }))
      .filter((e) => !e.matches(".skip, .for-readers, .row-name a")) // names of any length end in …
      .filter((e) => !scrolls(e.parentElement) && (is_out(e.getBoundingClientRect()) || is_cut(e)))
      .map((e) => `${e.tagName}.${e.className} ${e.textContent.slice(0, 30)}`); }"""
# Without colours: what is chosen, beside one of its kind that is not.
CHOSEN = {
    ".lean.chosen": ".lean:not(.chosen)",
    ".chip.best": ".chip:not(.best)",
    ".moves-grid .now": ".moves-grid button:not(.now)",
    ".heat-cell.chosen": ".heat-cell:not(.chosen, .changed)",
    "[aria-checked=true]": "[role=radio][aria-checked=false]",
    ".tabs [aria-current]": ".tabs a:not([aria-current])",
}
UNMARKED = """(chosen) => Object.entries(chosen)
    .filter((pair) => {
      const [one, other] = pair.map((selector) => document.querySelector(selector));
      if (!one?.checkVisibility() || !other) return false;
      const line = (style) => style.outlineStyle + style.borderTopWidth + style.borderTopColor;
      return line(getComputedStyle(one)) === line(getComputedStyle(other)); })
    .map(([selector]) => selector)"""
# Chips whose text is wider than they are.
OVERFLOWING = """() => [...document.querySelectorAll(".chip")].filter((chip) => {
      const text = document.createRange();
      text.selectNodeContents(chip);
      return text.getBoundingClientRect().width > chip.getBoundingClientRect().width; })
    .map((chip) => chip.textContent)"""
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def home(visitor: Visitor) -> None:
    visitor.go("/")
    visitor.page.wait_for_selector(".chip.best")


def end_of_a_game(visitor: Visitor) -> None:
    visitor.go("/play?opponent=human&moves=1212121")
    visitor.page.wait_for_selector("text=lost the game")
    visitor.page.wait_for_selector(".points .tag")


def wide_columns(visitor: Visitor) -> None:
    visitor.go(f"/play?game={SMALL_BOARD}&opponent=human&moves=12")
    visitor.page.wait_for_selector(".plate")


def many_columns(page: str) -> Callable[[Visitor], None]:
    def visit_it(visitor: Visitor) -> None:
        visitor.go(f"/{page}?game={WIDE_BOARD}&opponent=human&overlay=exact")
        visitor.page.wait_for_selector(".chip.best")
        visitor.count(".chip", 31)
        assert visitor.page.evaluate(OVERFLOWING) == []

    return visit_it


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


def run(tab: str, ready: str) -> Callable[[Visitor], None]:
    def visit_it(visitor: Visitor) -> None:
        visitor.go("/learn")
        visitor.page.click("text=Step >> visible=true")
        visitor.page.wait_for_url("**/run/*")
        visitor.page.click(f"role=radio[name={tab}]")
        visitor.page.wait_for_selector(ready, timeout=120_000)

    return visit_it


def arena(visitor: Visitor) -> None:
    visitor.go(f"/arena?game={SMALL_BOARD}&agents=baseline;random;flat:playouts=5&games=20")
    visitor.page.click("[data-testid=run]")
    visitor.page.wait_for_selector("text=60 of 60 games", timeout=120_000)
    visitor.page.wait_for_selector(".latest a")
    visitor.page.click("button.cross-cell >> nth=0")
    visitor.page.wait_for_selector(".pair-games li >> nth=19")


def analyse(tab: str, ready: str) -> Callable[[Visitor], None]:
    def visit_it(visitor: Visitor) -> None:
        visitor.go(f"/analyse?moves={PICTURE}&tab={tab}")
        visitor.page.wait_for_selector(ready)
        visitor.page.wait_for_selector(".lines li >> nth=3")

    return visit_it


def setting_up(visitor: Visitor) -> None:
    visitor.go(f"/analyse?moves={PICTURE}")
    visitor.page.click("text=Set up")


def shelf(visitor: Visitor) -> None:
    visitor.go("/shelf")
    visitor.page.wait_for_selector(".run-row")


def certificate(visitor: Visitor) -> None:
    visitor.go(f"/certificate?game={SMALL_BOARD}")
    visitor.page.wait_for_selector(".certify-form, .certificate-card")
    if visitor.page.locator(".certify-form").count() == 0:  # folded where there are certificates
        visitor.page.click("button:has-text('Certify a player')")
    visitor.page.select_option("[aria-label=Player]", "minimax:depth=2")
    visitor.page.click(".certify-form .primary")
    visitor.page.wait_for_selector("[data-testid=done]", timeout=120_000)
    visitor.page.wait_for_selector(".plies rect")


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


def lost(visitor: Visitor) -> None:
    visitor.page.goto(visitor.server.url + "/run/nobody-made-this")
    visitor.page.wait_for_selector(".bottom-bar .icon >> nth=4")
    visitor.complaints.clear()  # that there is no such page


STATES = {
    "home": home,
    "end": end_of_a_game,
    "wide": wide_columns,
    "play-many": many_columns("play"),
    "analyse-many": many_columns("analyse"),
    "play-all": everything_of_play,
    "keys": keys,
    "learn-settings": learner,
    "run-values": run("Values", ".policy-scroll tbody tr >> nth=0"),
    "run-curves": run("Curves", "summary >> text=Show data"),
    "arena": arena,
    "analyse-tree": analyse("tree", ".tree-list li"),
    "analyse-compare": analyse("compare", ".lean.chosen"),
    "analyse-cells": analyse("cells", ".cell-map"),
    "analyse-setup": setting_up,
    "shelf": shelf,
    "certificate": certificate,
    "studies": studies,
    "report": report,
    "api": api,
    "lost": lost,
}


@pytest.fixture(scope="module")
def visitor(browser: object, server: Server) -> Iterator[Visitor]:
    """One visitor for all states, with the runs of the first on the shelf of the last."""
    made = Visitor(browser, server, has_touch=True, reduced_motion="reduce")
    yield made
    made.context.close()
    assert made.complaints == []


@pytest.mark.parametrize("state", STATES)
def test_a_page_fits_every_window(visitor: Visitor, state: str) -> None:
    page = visitor.page
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    STATES[state](visitor)
    for width, height in WINDOWS:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(DRAWN)
        if (width, height) in PICTURED:
            visitor.picture(f"{state}-{width}x{height}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, width
        assert page.evaluate(CUT) == [], width
        assert page.evaluate(TOO_SMALL) == [], width
        assert page.evaluate("document.getAnimations().length") == 0
        for plate in page.locator(":is(.analyse, .home-board) .plate").all():
            box = plate.bounding_box()  # no board is scrolled to while it is played on
            assert box["y"] + box["height"] <= height, width
    page.emulate_media(forced_colors="active")
    visitor.picture(f"{state}-forced-colours")
    assert page.evaluate(UNMARKED, CHOSEN) == []
    page.emulate_media(forced_colors="none")


def test_a_mouse_needs_24_pixels(visit: Callable[..., Visitor]) -> None:
    visitor = visit(viewport={"width": 1440, "height": 900})
    for path in ("/", f"/play?moves={PICTURE}", "/learn", f"/arena?game={SMALL_BOARD}", "/shelf"):
        visitor.go(path)
        assert visitor.page.evaluate(TOO_SMALL, 24) == [], path


OVERLAP = """() => {
    const boxes = [...document.querySelectorAll(".ticks i")]
      .map((e) => e.getBoundingClientRect()).filter((box) => box.width);
    return boxes.some((box, at) => at && box.left < boxes[at - 1].right); }"""


def test_a_wide_window_has_no_empty_half(visit: Callable[..., Visitor]) -> None:
    visitor = visit(viewport={"width": 1440, "height": 900})
    visitor.go("/learn?learner=deep-q")
    inside, curves = (
        visitor.page.locator(part).bounding_box() for part in (".learn-values", ".learn-curves")
    )
    assert (inside["x"], inside["width"]) == (curves["x"], curves["width"])
    assert not visitor.page.evaluate(OVERLAP)
    visitor.go("/shelf")
    meters = visitor.page.locator(".meters").bounding_box()
    assert meters["x"] + meters["width"] == 1440 - meters["x"]
