"""A game that a notebook shows, stepped through in a browser."""

from typing import Any

from fourlab.rules.record import GameRecord

COUNT = """name => [...document.querySelectorAll(name)]
    .filter(part => getComputedStyle(part).display !== "none").length"""


def test_a_game_is_stepped_through_and_games_keep_apart(browser: Any) -> None:
    page = browser.new_page()
    game = GameRecord("connect4", "mcts", "random", 1, "4455362", "first")._repr_html_()
    page.set_content(game)

    def shown() -> tuple[int, int, int]:
        """Return how many discs, rings of a last move and winning lines are to be seen."""
        discs, rings, lines = (
            page.evaluate(COUNT, f".fl-{part}") for part in ("disc", "last", "line")
        )
        return discs, rings, lines

    assert shown() == (7, 1, 1)
    strip = page.locator(".fl-moves").bounding_box()
    back, on = ((strip["x"] + x, strip["y"] + 18) for x in (18, 60))
    page.mouse.click(*back)
    page.mouse.click(*back)
    assert shown() == (5, 1, 0)
    page.mouse.click(*on)
    assert shown() == (6, 1, 0)
    page.get_by_text("start").click()
    assert shown() == (0, 0, 0)
    page.keyboard.press("ArrowRight")
    assert shown() == (1, 1, 0)
    page.keyboard.press("Enter")  # sends nothing
    assert shown() == (1, 1, 0)
    page.set_content(game + game)
    page.get_by_text("start").first.click()
    assert shown() == (7, 1, 1)  # the other one stands where it was
    page.close()
