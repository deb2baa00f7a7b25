"""Games on Play in a real browser: nothing that was played is lost, and the board shows it well."""

from collections.abc import Callable

import pytest

from web.conftest import Visitor
from web.test_play_page import click, discs

Visit = Callable[..., Visitor]


def test_back_leads_from_a_new_game_to_the_one_before(visit: Visit) -> None:
    visitor = visit()
    visitor.go("/play?opponent=human")
    click(visitor, 4)
    visitor.page.wait_for_url("**moves=4&*kept=*")
    visitor.page.keyboard.press("n")
    discs(visitor, 0)
    visitor.page.wait_for_selector(".your-games li")
    visitor.page.go_back()
    discs(visitor, 1)
    click(visitor, 5)
    visitor.page.wait_for_url("**moves=45&*")


def test_reload_after_undo_shows_what_was_shown(visit: Visit) -> None:
    visitor = visit()
    visitor.go("/play?opponent=human&moves=4455")
    visitor.page.keyboard.press("u")
    discs(visitor, 3)
    visitor.page.wait_for_url("**moves=445&then=5*")
    visitor.page.reload()
    discs(visitor, 3)
    visitor.page.click("text=Redo")
    discs(visitor, 4)


@pytest.mark.parametrize(
    "query",
    [
        "opponent=mcts:sims=50",
        "opponent=minimax:depth=4",
        "opponent=zero:sims=25",
        "opponent=baseline&game=tictactoe",
        "opponent=perfect:time=0.2&game=connect:columns=8,rows=6,k=4",
        "opponent=flat:playouts=5&game=connect:columns=5,rows=4,k=4&you=second",
    ],
)
def test_undo_then_the_same_move_is_answered_in_both_of_two_tabs(visit: Visit, query: str) -> None:
    visitor = visit()
    first = int("second" in query)
    other = visitor.tab()
    for page in (visitor.page, other):
        visitor.page = page
        visitor.go(f"/play?{query}")
        discs(visitor, first)
    for column in (2, 2, 3, 2):
        for page in (visitor.page, other):
            visitor.page = page
            page.wait_for_selector(".move[aria-disabled=false]")
            click(visitor, column)
            discs(visitor, first + 2)
            visitor.status("Your move")
            page.click("[aria-label=Undo]")
            discs(visitor, first)
    click(visitor, 4)
    discs(visitor, first + 2)
    visitor.status("Your move")


def test_the_ring_waits_for_the_disc_to_land(visit: Visit) -> None:
    visitor = visit()
    visitor.go("/play?opponent=human&moves=4")
    discs(visitor, 1)
    visible, fallen = visitor.page.evaluate(
        """async () => {
            document.querySelector('.move[data-move="0"]').click();
            for (let turn = 0; turn < 9; turn++) await null;  // until it is drawn
            const board = document.querySelector(".plate svg");
            const look = () => getComputedStyle(board.querySelector(".ring").parentElement).opacity;
            const moving = board.getAnimations({ subtree: true });
            for (const one of moving) { one.pause(); one.currentTime = 100; }
            const falling = [board.querySelectorAll(".disc").length, look()];
            for (const one of moving) one.finish();
            return [falling, look()];
        }"""
    )
    assert visible == [2, "0"]
    assert fallen == "1"


def test_a_long_list_of_moves_is_all_there(visit: Visit) -> None:
    visitor = visit()
    visitor.go("/play?opponent=human&moves=1337242161224317677166347261374432554565")
    visitor.count(".moves-grid button", 40)
    grid = visitor.page.locator(".moves-grid")
    assert grid.evaluate("e => e.scrollWidth <= e.clientWidth")
    now, box = visitor.page.locator(".moves-grid .now").bounding_box(), grid.bounding_box()
    assert box["y"] <= now["y"]
    assert now["y"] + now["height"] <= box["y"] + box["height"]
    visitor.page.keyboard.press("u")
    assert visitor.page.evaluate("scrollY") == 0


def test_the_board_is_turned_round_copied_and_analysed(visit: Visit) -> None:
    visitor = visit(permissions=["clipboard-read", "clipboard-write"])
    visitor.go("/play?opponent=human&moves=12")
    page = visitor.page
    left = page.locator('.move[data-move="0"]').bounding_box()["x"]
    page.keyboard.press("b")
    page.wait_for_function(
        "(x) => document.querySelector('.move[data-move=\"6\"]').getBoundingClientRect().x === x",
        arg=left,
    )
    assert page.locator(".numbers span").all_inner_texts() == list("7654321")
    click(visitor, 1)
    discs(visitor, 3)
    page.wait_for_url("**moves=121&*")
    page.keyboard.press("c")
    page.wait_for_selector("text=Copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    page.click(".tools >> text=Analyse")
    page.wait_for_url("**/analyse?game=connect4&moves=121&kept=*")
    page.click("text=Back to the game")
    discs(visitor, 3)
    page.wait_for_url("**/play?*moves=121&*")


def test_cells_without_gravity_carry_their_numbers(visit: Visit) -> None:
    visitor = visit()
    visitor.go("/play?game=tictactoe&opponent=human&moves=5")
    assert visitor.page.locator(".cell-numbers text").all_text_contents() == list("123456789")
    label = visitor.page.locator('.move[data-move="5"]').get_attribute("aria-label")
    assert label == "Cell 6, row 2, column 3"


def test_perfect_play_on_a_large_board_says_what_it_cannot_do(visit: Visit) -> None:
    visitor = visit()
    visitor.go("/play?game=connect:columns=8,rows=6,k=4&opponent=perfect")
    assert "too large to be solved" in visitor.page.inner_text("[data-testid=doubt]")
