"""Play on small windows: the board never moves under a finger, and nothing is cut off."""

from collections.abc import Callable

import pytest

from web.conftest import Visitor
from web.test_every_window import TOO_SMALL

Visit = Callable[..., Visitor]
PORTRAIT, LANDSCAPE = (390, 844), (844, 390)
LOST = "2547774731771623655466515533"  # a game of 28 moves that Red wins
WHERE = """() => { const box = document.querySelector(".plate").getBoundingClientRect();
    return [box.top, box.left, box.width, box.height]; }"""


def on(visit: Visit, size: tuple[int, int], **options: object) -> Visitor:
    width, height = size
    touch = {"has_touch": True, "is_mobile": True} if min(size) < 480 else {}
    return visit(viewport={"width": width, "height": height}, **touch, **options)


def look_at_every_frame(visitor: Visitor) -> None:
    """Note from now on every place where the board was seen."""
    visitor.page.evaluate(
        f"""() => {{ const where = {WHERE}; window.places = new Set();
            const note = () => {{ places.add(where().join()); requestAnimationFrame(note); }};
            note(); }}"""
    )


@pytest.mark.parametrize(
    ("size", "scrolled"), [(PORTRAIT, 0), (PORTRAIT, 30), (LANDSCAPE, 0), ((1280, 800), 0)], ids=str
)
def test_the_board_stays_where_it_is_for_a_whole_game(
    visit: Visit, size: tuple[int, int], scrolled: int
) -> None:
    visitor = on(visit, size)
    visitor.go("/play?opponent=human&overlay=exact")
    page = visitor.page
    page.wait_for_selector(".chip.best")
    page.evaluate(f"scrollTo(0, {scrolled})")
    look_at_every_frame(visitor)
    for number, column in enumerate(LOST, start=1):
        page.evaluate(f"document.querySelector('.move[data-move=\"{int(column) - 1}\"]').click()")
        visitor.count(".plate .disc", number)
        if number < len(LOST):
            visitor.status("Red to move" if number % 2 else "Yellow to move")
        if number == 10:
            page.click(".actions >> text=Hint")
            page.wait_for_selector("text=Hint: ")
    visitor.status("Red wins")
    page.wait_for_selector("text=lost the game")
    assert len(page.evaluate("[...places]")) == 1
    visitor.picture(f"whole-game-{size[0]}-{scrolled}")


@pytest.mark.parametrize("size", [PORTRAIT, LANDSCAPE], ids=str)
def test_a_game_by_touch_against_an_opponent(visit: Visit, size: tuple[int, int]) -> None:
    visitor = on(visit, size)
    visitor.go("/play?opponent=random")
    look_at_every_frame(visitor)
    for number in range(1, 6):
        column = visitor.page.locator(".move[aria-disabled=false]").nth(number % 2)
        column.tap()
        visitor.page.wait_for_function(
            "(n) => document.querySelectorAll('.plate .disc').length === n || "
            "document.querySelector('.win-line')",
            arg=2 * number,
        )
        if visitor.page.locator(".win-line").count():
            break
    assert len(visitor.page.evaluate("[...places]")) == 1


SIZES = [(320, 568), (568, 320), (667, 375), LANDSCAPE, PORTRAIT, (640, 400), (820, 1180)]


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_nothing_is_cut_off(visit: Visit, size: tuple[int, int]) -> None:
    visitor = on(visit, size)
    page = visitor.page
    visitor.go("/play?moves=4445423633442655&overlay=exact")
    page.wait_for_selector(".chip.best")
    fits(visitor, size)
    visitor.picture(f"play-{size[0]}x{size[1]}")
    visitor.go(f"/play?opponent=mcts:sims=40&moves={LOST}")
    page.wait_for_selector(".kept-bar .won", state="attached")
    page.click("text=What went wrong?")
    page.wait_for_selector(".wrong")
    fits(visitor, size)
    visitor.picture(f"review-{size[0]}x{size[1]}")


@pytest.mark.parametrize("size", [(320, 568), PORTRAIT], ids=str)
@pytest.mark.parametrize("page", ["play", "analyse"])
def test_a_tall_board_is_whole(visit: Visit, size: tuple[int, int], page: str) -> None:
    visitor = on(visit, size)
    visitor.go(f"/{page}?game=connect:columns=3,rows=8,k=3&moves=221")
    visitor.page.wait_for_selector(".plate")
    top, _, _, high = visitor.page.evaluate(WHERE)
    assert top + high <= size[1]


def fits(visitor: Visitor, size: tuple[int, int]) -> None:
    page, (width, height) = visitor.page, size
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    top, left, wide, high = page.evaluate(WHERE)
    assert left >= 0
    assert left + wide <= width
    assert top >= 0
    if height >= 375:  # lower than that no board with buttons above it can be shown whole
        assert top + high <= height
    if min(size) < 480 and size != (640, 400):
        small = [one for one in page.evaluate(TOO_SMALL) if not one.startswith("BUTTON.move ")]
        assert small == []  # seven columns share what width there is
    texts = page.locator(".chip b")
    cut = "(all) => all.filter(e => e.scrollWidth > e.parentElement.clientWidth + 1).length"
    assert texts.evaluate_all(cut) == 0


def test_held_sideways_the_board_is_whole_and_nothing_scrolls(visit: Visit) -> None:
    visitor = on(visit, LANDSCAPE)
    visitor.go("/play?moves=44")
    page = visitor.page
    assert page.evaluate("document.documentElement.scrollHeight") <= LANDSCAPE[1]
    before = page.evaluate(WHERE)
    for name, inside in (("Moves", ".moves-grid"), ("Setup", "select[aria-label=Opponent]")):
        page.click(f".drawer-buttons >> text={name}")
        page.wait_for_selector(inside)
        top, left, width, _ = page.evaluate(WHERE)
        box = page.locator(".panel").bounding_box()
        assert (top, left) == tuple(before[:2])
        assert box["x"] >= left + width  # over the panel, never over the board
        page.click(f".drawer-buttons >> text={name}")
        page.wait_for_selector(inside, state="hidden")


def test_forced_colours_keep_ring_and_dot(visit: Visit) -> None:
    visitor = visit(forced_colors="active")
    visitor.go(f"/play?opponent=mcts:sims=40&moves={LOST}")
    visitor.page.click("text=What went wrong?")
    visitor.page.wait_for_selector(".wrong")
    fill = "(e) => getComputedStyle(e).fill"
    disc, dot = (
        visitor.page.locator(f".plate {name} >> nth=0").evaluate(fill)
        for name in (".disc-red", ".mark-red")
    )
    assert disc != dot
    assert dot == visitor.page.evaluate("getComputedStyle(document.body).color")  # the system's
    ring = visitor.page.locator(".plate .mark-yellow >> nth=0")
    assert ring.evaluate("(e) => getComputedStyle(e).stroke") != disc
    visitor.picture("review-forced-colours")
