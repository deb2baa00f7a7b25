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
    page.evaluate(SET_SPEED, 40)
    page.keyboard.press("Space")
    page.wait_for_function(f"() => ({GAMES})() > 2000")
    page.wait_for_selector("text=/showing 1 game in/")
    page.keyboard.press("Space")
    page.wait_for_selector("[data-testid=run]:has-text('Run')")
    page.click("text=Play 100 test games")
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
    page.evaluate(SET_SPEED, 40)
    page.keyboard.press("Space")
    page.wait_for_function(f"() => ({GAMES})() > 20000")
    page.wait_for_selector("text=/of moves throw away value/")
    page.keyboard.press("Space")
    page.keyboard.press("g")
    page.wait_for_selector("[data-testid=run]:has-text('Run')")
    visitor.count(".histogram", 9)
    page.click("summary >> text=policy")
    page.wait_for_function(BEST_IS_PETROL)
    page.wait_for_function(
        """() => document.querySelectorAll(".heat tbody tr").length
            === document.querySelectorAll(".learn-values .data tbody tr").length"""
    )


def test_monte_carlo_is_stepped_by_phases_and_a_run_is_saved(visit: Visit) -> None:
    visitor = visit()
    visitor.go("/learn?learner=monte-carlo&game=tictactoe&opponent=random")
    page = visitor.page
    page.wait_for_selector("text=/Phase: episode generation/", timeout=120_000)
    page.click(".strip-run >> text=Phase")
    page.wait_for_selector("text=/Phase: episode evaluation/")
    page.click(".strip-run >> text=Phase")
    page.wait_for_selector("text=/Phase: policy improvement/")
    page.click("text=Rewards")
    page.check(".check input")
    page.wait_for_url("**td=yes*")
    page.click("text=Save this run")
    page.wait_for_selector("text=/Saved in/")
    path = page.inner_text(".learn-game .note code")
    assert (visitor.server.folder / path).is_dir()


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
    page.click("text=Play against it now")
    page.wait_for_url("**/play?*opponent=q:runs/web/*")
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


@pytest.mark.parametrize("path", ["/learn", "/arena"])
def test_a_phone_scrolls_only_down(visit: Visit, path: str) -> None:
    visitor = visit(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    visitor.go(path)
    visitor.page.wait_for_selector(".strip")
    assert visitor.page.evaluate("document.documentElement.scrollWidth") <= 390
    visitor.picture("phone-" + path[1:])
