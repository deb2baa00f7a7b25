"""The review of a game in a real browser: told, replayed, tried again, sent."""

import struct
from collections.abc import Callable

import pytest

from web.conftest import Visitor

LOST = "2547774731771623655466515533"  # Red wins; turning points 1, 2, 11, 12 and 27
Visit = Callable[..., Visitor]


def reviewed(visit: Visit, **options: object) -> Visitor:
    visitor = visit(**options)
    visitor.go(f"/play?opponent=mcts:sims=40&moves={LOST}")
    visitor.page.click("text=What went wrong?")
    visitor.page.wait_for_selector("h1 >> text=You played 3; column 4 won in 2")
    return visitor


def test_a_lost_game_is_told(visit: Visit) -> None:
    visitor = reviewed(visit)
    page = visitor.page
    assert page.inner_text(".reason") == "Red wins at once on top of it, in column 3."
    visitor.count(".points li", 5)
    assert "3 yours, 2 of the opponent" in page.inner_text(".turning .heading")
    assert "11 of 14 kept, 6 best" in page.inner_text(".tallies")
    assert page.locator(".chip.played").count() == 1
    visitor.count(".badge", 1)  # the stone that wins
    visitor.count(".ring.dashed", 4)
    assert page.get_attribute(".points [aria-current=true]", "aria-current") == "true"
    visitor.picture("review-light")


def test_winners_are_not_asked_what_went_wrong(visit: Visit) -> None:
    visitor = visit()
    visitor.go("/play?opponent=mcts:sims=40&moves=1212121")
    visitor.status("You win")
    visitor.page.wait_for_selector(".actions >> text=Turning points")
    assert visitor.page.locator("text=What went wrong?").count() == 0
    visitor.page.click(".actions >> text=Turning points")
    visitor.page.wait_for_selector("h1 >> text=Opponent played 2; column 1 held the win")
    assert "had to be blocked: you win there at once" in visitor.page.inner_text(".reason")


def test_the_keys_lead_along_turning_points_and_stones(visit: Visit) -> None:
    visitor = reviewed(visit)
    page, keys = visitor.page, visitor.page.keyboard
    keys.press("[")
    page.wait_for_selector("h1 >> text=Opponent played 7; column 4 held the draw")
    page.wait_for_selector("text=9 of 11")
    visitor.count(".badge", 9)
    keys.press("ArrowRight")
    page.wait_for_selector("text=10 of 11")
    visitor.count(".badge", 1)  # the second page of the line
    visitor.count(".earlier", 9)
    assert page.inner_text(".spoken") == "22, Red, column 4, ghost"
    keys.press("ArrowLeft")
    visitor.count(".badge", 9)
    keys.press("]")
    page.wait_for_selector("h1 >> text=You played 3; column 4 won in 2")
    keys.press("Space")  # the line plays from its first stone
    page.wait_for_selector("text=1 of 1")
    keys.press("Enter")
    visitor.status("Your move")
    visitor.count(".plate .disc", 26)
    page.wait_for_url("**moves=25477747317716236554665155&then=33*")


def test_trying_again_keeps_the_game(visit: Visit) -> None:
    visitor = reviewed(visit)
    page = visitor.page
    page.click("text=Try from here")
    visitor.status("Your move")
    page.click('.move[data-move="3"]')
    visitor.count(".plate .disc", 28)
    page.wait_for_selector(".variations >> text=from move 27")
    page.click(".variations button")
    page.wait_for_url("**moves=254777473177162365546651553*")
    page.click("text=Redo")
    visitor.status("Opponent wins")


def test_a_turning_point_has_an_address_that_others_can_open(visit: Visit) -> None:
    visitor = visit()
    visitor.go("/play?opponent=human")
    for number, column in enumerate("1212121", start=1):
        visitor.page.click(f'.move[data-move="{int(column) - 1}"]')
        visitor.count(".plate .disc", number)
    visitor.page.click(".actions >> text=Turning points")
    visitor.page.wait_for_selector("h1 >> text=Red played 2; column 1 held the win")
    address = visitor.page.input_value(".share input")
    assert address.startswith("/game/")
    assert address.endswith("#6")
    other = visit()
    other.go(address)
    other.page.wait_for_selector("h1 >> text=Red played 2; column 1 held the win")
    other.page.reload()
    other.page.wait_for_selector("h1 >> text=Red played 2; column 1 held the win")


def test_on_a_phone_the_board_stays_while_the_rest_is_read(visit: Visit) -> None:
    visitor = reviewed(visit, viewport={"width": 390, "height": 844}, has_touch=True)
    visitor.page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    for part in (".plate", ".review-actions"):
        box = visitor.page.locator(part).first.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] < 844 - 64 - 130  # the pages' bar, and room to read


@pytest.mark.parametrize(
    ("theme", "width", "button"),
    [("light", 1280, "text=Picture"), ("dark", 390, "header [aria-label='Send a picture']")],
)
def test_a_picture_of_it_can_be_sent(visit: Visit, theme: str, width: int, button: str) -> None:
    visitor = reviewed(visit, color_scheme=theme, viewport={"width": width, "height": 844})
    with visitor.page.expect_download() as download:
        visitor.page.click(button)
    data = download.value.path().read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", data[16:24]) == (1200, 630)


def test_a_game_without_mistakes_says_so(visit: Visit) -> None:
    visitor = visit()
    visitor.go("/play?game=tictactoe&opponent=human&moves=152374689")
    visitor.status("Draw")
    visitor.page.wait_for_selector("text=No move changed the outcome.")


def test_the_graph_is_walked_by_keyboard(visit: Visit) -> None:
    visitor = visit()
    visitor.go(f"/play?opponent=human&moves={LOST}")
    graph = visitor.page.locator(".value-graph")
    graph.focus()
    visitor.page.keyboard.press("ArrowLeft")
    visitor.count(".plate .disc", 27)
    visitor.page.keyboard.press("Home")
    visitor.count(".plate .disc", 0)
    assert graph.get_attribute("aria-valuetext") == "after move 0: Win in 21"
