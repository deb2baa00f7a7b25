"""Play in a real browser."""

from collections.abc import Callable

import pytest

from fourlab.rules.catalog import game
from fourlab.rules.position import position_of
from fourlab.search.scores import words
from fourlab.search.solver import solve
from web.conftest import Visitor

PICTURE = "4445423633442655"
Visit = Callable[..., Visitor]


def click(visitor: Visitor, column: int) -> None:
    visitor.page.click(f'.move[data-move="{column - 1}"]')


def discs(visitor: Visitor, count: int) -> None:
    visitor.count(".plate .disc", count)


def test_the_first_thing_on_play_is_a_board_that_plays(visit: Visit) -> None:
    visitor = visit()
    visitor.go("/play")
    visitor.status("Your move")
    assert "Four in a row wins" in visitor.page.inner_text("[data-testid=status]")
    visitor.count("dialog[open]", 0)
    click(visitor, 4)
    discs(visitor, 2)
    visitor.status("Your move")


def test_a_whole_game_by_mouse(visit: Visit) -> None:
    visitor = visit()
    visitor.go("/play?opponent=human")
    for number, column in enumerate((1, 2, 1, 2, 1, 2, 1), start=1):
        click(visitor, column)
        discs(visitor, number)
    visitor.status("Yellow wins")
    visitor.count(".win-line", 1)
    visitor.count(".plate .faded", 3)
    visitor.page.wait_for_selector("text=lost the game")
    visitor.picture("play-end")
    visitor.page.click(".actions >> text=Turning points")
    visitor.page.wait_for_selector(".chip.best")
    visitor.page.keyboard.press("Escape")
    visitor.status("Yellow wins")
    visitor.page.click("[aria-label=Undo]")
    visitor.page.keyboard.press("n")
    discs(visitor, 0)


def test_a_whole_game_by_keyboard(visit: Visit) -> None:
    visitor = visit()
    visitor.go("/play?game=tictactoe&opponent=human")
    visitor.status("Yellow to move")
    keys = visitor.page.keyboard
    for number, key in enumerate("51928", start=1):
        keys.press(key)
        discs(visitor, number)
        visitor.status(f"{turn(number)} to move")
    keys.press("u")
    discs(visitor, 4)
    visitor.go("/play?opponent=human")
    visitor.status("Yellow to move")
    keys.press("ArrowRight")
    keys.press("ArrowRight")
    keys.press("Enter")
    discs(visitor, 1)
    visitor.status("Red to move")
    label = visitor.page.locator(".move:focus").get_attribute("aria-label")
    assert label == "Column 2, lands on row 2"
    assert visitor.page.inner_text(".spoken") == "Yellow: column 2."
    keys.press("?")
    visitor.page.wait_for_selector("dialog[open]")
    keys.press("3")  # keys do not reach the board while a dialog is open
    keys.press("Escape")
    visitor.page.wait_for_selector("dialog[open]", state="detached")
    for number, key in enumerate("727272", start=2):
        keys.press(key)
        discs(visitor, number)
        visitor.status("Yellow wins" if number == 7 else f"{turn(number)} to move")


def turn(discs_played: int) -> str:
    """Who is to move after so many discs."""
    return "Red" if discs_played % 2 else "Yellow"


def test_the_overlay_shows_the_solvers_words(visit: Visit) -> None:
    visitor = visit()
    visitor.go(f"/play?moves={PICTURE}")
    visitor.page.click("role=radio[name=Exact]")
    visitor.page.wait_for_selector(".chip.best")
    visitor.page.wait_for_selector("text=solved in")
    position = position_of(game("connect4"), PICTURE)
    expected = [
        "full" if score is None else words(position.rules, position.ply, score)
        for score in solve(position)
    ]
    shown = [text.replace("\n", " ") for text in visitor.page.locator(".chip").all_inner_texts()]
    assert shown == expected
    visitor.page.wait_for_selector("text=Win in 11 became Loss in 14")
    assert visitor.page.locator(".chip.best").get_attribute("title") == "score +5"
    visitor.page.click("role=radio[name=Visits]")
    visitor.page.wait_for_selector(".chip-visits")


def test_the_address_restores_the_game_and_two_tabs_do_not_meet(visit: Visit) -> None:
    visitor = visit()
    visitor.go("/play?opponent=human")
    for number, column in enumerate((4, 5, 3), start=1):
        click(visitor, column)
        discs(visitor, number)
    visitor.page.wait_for_url("**moves=453*")
    other = visitor.tab()
    other.goto(visitor.server.url + "/play?opponent=human&moves=77")
    other.wait_for_function("() => document.querySelectorAll('.plate .disc').length === 2")
    visitor.page.reload()
    discs(visitor, 3)
    assert visitor.page.evaluate("location.search").count("moves=453") == 1


def test_the_back_button_returns_to_the_game(visit: Visit) -> None:
    visitor = visit()
    visitor.go("/play?opponent=human")
    click(visitor, 4)
    visitor.page.wait_for_url("**moves=4&*")
    visitor.page.click(".tabs >> text=Analyse")
    visitor.page.wait_for_url("**/analyse*")
    visitor.page.go_back()
    visitor.page.wait_for_url("**/play*moves=4&*")
    discs(visitor, 1)
    visitor.status("Red to move")
    click(visitor, 4)
    visitor.page.wait_for_url("**moves=44*")


def test_a_page_that_missed_an_update_asks_for_everything(visit: Visit) -> None:
    visitor = visit()
    visitor.go("/play?opponent=human&moves=45")
    discs(visitor, 2)
    visitor.page.evaluate(
        """() => {
            const elements = Object.entries(mounted_app.elements);
            const shown = getElement(Number(elements.find(([, one]) => one.props?.start)[0]));
            shown.number -= 1;  // as if the last update had been lost, and with it a stone
            shown.view = { ...shown.view, board: { ...shown.view.board, moves: [3] } }; }"""
    )
    discs(visitor, 1)
    visitor.page.keyboard.press("o")  # what changes now is not the board
    discs(visitor, 2)


def test_setting_up_an_opponent_a_board_and_a_pair_to_watch(visit: Visit) -> None:
    visitor = visit()
    visitor.go("/play")
    page = visitor.page
    page.select_option("select[aria-label=Opponent]", "perfect")
    page.wait_for_url("**opponent=perfect*")
    page.click("role=radio[name=Opponent]")
    discs(visitor, 1)
    visitor.status("Your move")
    page.select_option("select[aria-label=Game]", "other")
    page.fill(".custom input >> nth=0", "40")
    page.click("text=Play it")
    page.wait_for_selector(".field-error >> text=too large")
    page.fill(".custom input >> nth=0", "6")
    page.fill(".custom input >> nth=1", "5")
    page.click("text=Play it")
    page.wait_for_url("**columns=6,rows=5,k=4*")
    visitor.count(".numbers span", 6)
    page.select_option("select[aria-label=Opponent]", "watch")
    page.wait_for_selector("select[aria-label=Yellow]")
    page.keyboard.press("n")
    page.wait_for_function("() => document.querySelectorAll('.plate .disc').length >= 3")
    page.keyboard.press("Space")
    page.wait_for_selector(".actions >> text=Run")


def test_an_expert_writes_a_spec_and_is_told_what_is_wrong_with_it(visit: Visit) -> None:
    visitor = visit()
    visitor.go("/play")
    page = visitor.page
    page.click(".spec")
    page.fill("[aria-label='Spec string']", "mcts:sims=1000000000")
    page.click(".expert >> text=Use")
    page.wait_for_selector(".field-error >> text=too much for the web, at most 100,000")
    assert page.input_value("[aria-label='Spec string']") == "mcts:sims=1000000000"
    page.fill("[aria-label='Spec string']", "mcts:sims=33,c=1")
    page.click(".expert >> text=Use")
    page.wait_for_url("**opponent=mcts:sims=33,c=1*")
    page.wait_for_selector("select[aria-label=Opponent]")
    visitor.page.wait_for_function(
        "() => document.querySelector('select[aria-label=Opponent]').value === 'custom'"
    )


def test_a_script_in_an_address_is_shown_as_text(visit: Visit) -> None:
    visitor = visit()
    visitor.go(
        "/play?opponent=<img src=x onerror=window.broken=1>&game=<script>window.broken=1</script>"
    )
    visitor.page.wait_for_selector(".banner.bad >> text=<script>window.broken=1</script>")
    visitor.status("Your move")
    assert visitor.page.evaluate("window.broken") is None


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pictures_of_play(visit: Visit, theme: str) -> None:
    visitor = visit(color_scheme=theme)
    visitor.go(f"/play?moves={PICTURE}&overlay=exact")
    visitor.page.wait_for_selector("text=Win in 13 became Loss in 9")
    visitor.page.hover('.move[data-move="4"]')
    visitor.picture(f"play-{theme}")
    back = visitor.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert back == {"light": "rgb(245, 246, 248)", "dark": "rgb(14, 17, 23)"}[theme]


def test_the_theme_is_chosen_and_remembered(visit: Visit) -> None:
    visitor = visit(color_scheme="light")
    visitor.go("/play")
    visitor.page.click("[aria-label='Switch to dark']")
    visitor.page.reload()
    visitor.page.wait_for_selector("[aria-label='Switch to light']")


@pytest.mark.parametrize(
    "path", [f"/play?moves={PICTURE}&overlay=exact", f"/analyse?moves={PICTURE}"]
)
def test_a_phone_shows_the_board_first_and_scrolls_only_down(visit: Visit, path: str) -> None:
    visitor = visit(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    visitor.go(path)
    page = visitor.page
    page.wait_for_selector(".chip.best")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    box = page.locator(".plate").bounding_box()
    assert box["y"] + box["height"] < 600
    visitor.picture("phone-" + path[1:].partition("?")[0])


def test_without_motion_nothing_moves(visit: Visit) -> None:
    visitor = visit(reduced_motion="reduce")
    visitor.go("/play?opponent=human")
    click(visitor, 4)
    discs(visitor, 1)
    assert visitor.page.evaluate("document.getAnimations().length") == 0


@pytest.mark.parametrize(
    "query",
    [
        "opponent=mcts:sims=100000,minimax=4",
        "game=connect:columns=8,rows=6,k=4&opponent=perfect",
        "opponent=minimax:depth=14",
    ],
)
def test_undo_while_the_opponent_thinks_ends_in_a_game_that_goes_on(
    visit: Visit, query: str
) -> None:
    visitor = visit()
    visitor.go(f"/play?{query}")
    for column in (1, 2, 3, 4, 5, 6, 1, 2):
        click(visitor, column)
        discs(visitor, 1)
        visitor.page.click(".actions >> text=Undo")
        discs(visitor, 0)
    click(visitor, 7)
    discs(visitor, 2)
    assert visitor.server.process is not None
    assert visitor.server.process.poll() is None


# The first key has an update of its own; the stone and its end come together in the one after it.
STONE_AND_UNDO = """() => {
  for (const key of "o3u")
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
}"""


def test_a_stone_taken_back_before_it_was_shown_leaves_the_board_ready(visit: Visit) -> None:
    visitor = visit()
    visitor.go("/play?opponent=human&moves=44")
    visitor.page.wait_for_selector(".move[data-move='2']:not([aria-disabled=true])")
    visitor.page.evaluate(STONE_AND_UNDO)
    discs(visitor, 2)
    click(visitor, 3)
    discs(visitor, 3)
