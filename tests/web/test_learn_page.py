"""Learn and Arena in a real browser."""

from collections.abc import Callable

import pytest

from web.conftest import Visitor

Visit = Callable[..., Visitor]
SET_SPEED = """value => { const slider = document.querySelector("[aria-label=Speed]");
    slider.value = value; slider.dispatchEvent(new Event("input"));
    slider.dispatchEvent(new Event("change")); }"""
GAMES = """() => Number(document.querySelector(".learn-game h2").textContent.replace(/\\D/g, ""))"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_learner_is_started_paused_stepped_sped_up_and_tested(visit: Visit, theme: str) -> None:
    visitor = visit(color_scheme=theme)
    visitor.go("/learn")
    page = visitor.page
    page.wait_for_selector(".heat-cell", timeout=120_000)
    page.keyboard.press(".")
    page.wait_for_selector(".learn-game .said .disc-icon")
    page.evaluate(SET_SPEED, 70)
    page.keyboard.press("Space")
    page.wait_for_function(f"() => ({GAMES})() > 2000")
    page.wait_for_selector("text=/1 shown in/")
    page.keyboard.press("Space")
    page.wait_for_selector("[data-testid=run]:has-text('Go on')")
    page.click("text=Test it")
    page.wait_for_selector("[data-testid=tested]:has-text('won')")
    visitor.count(".curve.win", 1)
    page.keyboard.press("g")
    page.keyboard.press(".")
    visitor.picture(f"learn-{theme}")


# Petrol is good for the learner: the cell with the highest value has more blue than green than red.
BEST_IS_PETROL = """() => {
  const cells = [...document.querySelectorAll(".heat-cell.seen")];
  const value = cell => Number(cell.querySelector("b").textContent.replace("−", "-"));
  const best = cells.reduce((a, b) => value(a) > value(b) ? a : b);
  const [red, green, blue] = getComputedStyle(best).backgroundColor.match(/\\d+/g).map(Number);
  return value(best) > 0.3 && red < green && green < blue + 20;
}"""


def test_what_was_learned_is_shown_from_all_sides(visit: Visit) -> None:
    visitor = visit()
    visitor.go("/learn?game=tictactoe&opponent=random")
    page = visitor.page
    page.wait_for_selector(".heat-cell", timeout=120_000)
    page.evaluate(SET_SPEED, 70)
    page.keyboard.press("Space")
    page.wait_for_function(f"() => ({GAMES})() > 20000")
    page.wait_for_selector("text=/of moves throw away value/")
    page.keyboard.press("Space")
    page.keyboard.press("g")
    page.wait_for_selector("[data-testid=run]:has-text('Go on')")
    visitor.count(".histogram:not(.hollow)", 9)
    visitor.count(".histogram.hollow", 9)
    page.wait_for_function(BEST_IS_PETROL)
    page.wait_for_selector(".policy-scroll code >> text=empty board")
    page.fill(".policy input", "5 1")
    page.wait_for_selector(".policy-scroll tbody tr:first-child code:text-is('51')")
    states = page.locator(".policy-scroll code").all_inner_texts()
    assert states[0] == "51"
    assert all(state.startswith("51") for state in states)
    page.fill(".policy input", "55")
    page.wait_for_selector(".policy .field-error")


def test_moves_of_two_digits_are_looked_for_as_they_are_typed(visit: Visit) -> None:
    visitor = visit()
    visitor.go("/learn?game=mnk:columns=4,rows=4,k=4&opponent=random")
    page = visitor.page
    page.click("text=Step >> visible=true")
    page.keyboard.press("Space")
    page.wait_for_function(f"() => ({GAMES})() > 2000")
    page.fill(".policy input", "12 1")
    page.wait_for_selector(".policy-scroll tbody tr:first-child code:text-matches('^12,1($|,)')")
    assert page.locator(".policy .field-error").count() == 0


def test_space_presses_what_was_reached_by_key(visit: Visit) -> None:
    visitor = visit()
    visitor.go("/arena?game=tictactoe&agents=baseline;random;flat:playouts=5&games=2")
    page = visitor.page
    page.click("[aria-label='Player as a spec']")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.ariaLabel") == "Remove Flat 5"
    page.keyboard.press("Space")
    visitor.count(".player", 2)
    assert page.locator("text=0 of 2 games").count() == 1
    page.locator(".cross-card").click()
    page.keyboard.press("Space")  # nothing has the focus: it starts
    page.wait_for_selector("text=2 of 2 games")


def test_monte_carlo_is_stepped_by_phases(visit: Visit) -> None:
    visitor = visit()
    visitor.go("/learn?learner=monte-carlo&game=tictactoe&opponent=random")
    page = visitor.page
    page.wait_for_selector("text=/Phase: episode generation/", timeout=120_000)
    page.click(".strip-run >> text=Phase")
    page.wait_for_selector("text=/Phase: episode evaluation/")
    page.click(".strip-run >> text=Phase")
    page.wait_for_selector("text=/Phase: policy improvement/")
    page.click(".strip-run >> text=Phase")
    page.wait_for_selector("text=/Phase: episode generation/")  # of the next game: none is skipped
    page.wait_for_selector("text=/plays by its stored policy/")
    page.wait_for_url("**/run/monte-carlo-3x3-*")
    page.click("[aria-label=More]")
    page.click("role=menuitem[name=Rewards]")
    page.check(".check input")
    assert page.input_value("label:has-text('Rate') input") == "mean"  # no rate of -1


def test_numbers_are_checked_and_a_snapshot_is_played_against(visit: Visit) -> None:
    visitor = visit()
    visitor.go("/learn?game=tictactoe&opponent=random")
    page = visitor.page
    page.wait_for_selector(".heat-cell", timeout=120_000)
    page.fill("label:has-text('Explore') input", "7")
    page.keyboard.press("Tab")
    page.wait_for_selector(".field-error >> text=out of range")
    page.fill("label:has-text('Explore') input", "0.3")
    page.keyboard.press("Tab")
    page.wait_for_url("**epsilon=0.3*")
    page.click("text=Play against it")
    page.wait_for_url("**/play?*opponent=run:q-3x3-*")
    visitor.status("Your move")
    page.click("role=radio[name=Values]")
    page.wait_for_selector(".chip-values")


def test_an_arena_runs_and_its_games_open_in_analyse(visit: Visit) -> None:
    visitor = visit()
    visitor.go(
        "/arena?game=connect:columns=4,rows=4,k=3&agents=baseline;random;flat:playouts=5&games=20"
    )
    page = visitor.page
    page.wait_for_selector("text=/about .* for 60 games/", timeout=120_000)
    page.click("[data-testid=run]")
    page.wait_for_selector("text=60 of 60 games", timeout=60_000)
    page.wait_for_selector(".elo-dot")
    visitor.picture("arena-light")
    page.click(".latest a >> nth=0")
    page.wait_for_url("**/analyse?game=connect:columns=4,rows=4,k=3&moves=*")


def test_an_arena_is_stopped_and_gone_on_with(visit: Visit) -> None:
    visitor = visit(color_scheme="dark")
    visitor.go("/arena?agents=mcts:sims=2000;mcts:sims=1500;baseline&games=400&seed=11")
    page = visitor.page
    page.click("[data-testid=run]")
    page.wait_for_selector("text=/Now playing, game/", timeout=60_000)
    visitor.count(".cross-cell.playing", 2)
    before = page.inner_html("[data-testid=current]")
    page.wait_for_function(
        "before => document.querySelector('[data-testid=current]').innerHTML !== before", arg=before
    )
    page.wait_for_selector(".elo-dot", timeout=60_000)
    visitor.picture("arena-dark-running")
    page.click("[data-testid=run]")
    page.wait_for_selector("text=/all games are kept/")
    page.wait_for_selector("text=Latest game")
    visitor.count(".cross-cell.playing", 0)
    visitor.picture("arena-dark")
    page.wait_for_selector("[data-testid=run]:has-text('Go on')")


# What of the values is wider than its cell, by more than a rounding.
SPILT = """() => {
  const range = document.createRange();
  return [...document.querySelectorAll(".heat-cell :is(b, span:not(.for-readers))")]
    .filter((text) => {
      range.selectNodeContents(text);
      return range.getBoundingClientRect().width > text.closest(".heat-cell").clientWidth + 1; })
    .map((text) => text.textContent); }"""


@pytest.mark.parametrize("board", ["", "?game=connect4", "?game=tictactoe"])
def test_all_values_are_in_view_and_in_their_cells(visit: Visit, board: str) -> None:
    visitor = visit(viewport={"width": 320, "height": 900}, has_touch=True)
    visitor.go(f"/learn{board}")
    page = visitor.page
    page.click(".segmented >> text=Values")
    page.wait_for_selector(".heat-cell", timeout=120_000)
    page.keyboard.press("g")
    page.wait_for_selector(".heat-cell.seen")
    for width in (320, 390, 768, 820):
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        assert page.locator(".heat-scroll").evaluate("e => e.scrollWidth - e.clientWidth") == 0
        assert page.evaluate(SPILT) == []
