"""A report opened as a file: nothing is fetched, nothing sticks out, dark where the system is."""

from pathlib import Path

import pytest

from fourlab.studies.report import page
from studies.demo import demo
from web.conftest import PICTURES

SIZES = {
    "light": {"viewport": {"width": 1280, "height": 800}},
    "dark": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}},
}
GROUND = "() => getComputedStyle(document.body).backgroundColor"
INK = "() => getComputedStyle(document.querySelector('h1')).color"
LIGHT, DARK, BLACK = "rgb(245, 246, 248)", "rgb(14, 17, 23)", "rgb(20, 25, 37)"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("study") / "report.html"
    path.write_text(page(demo(path.parent, quick=True)), "utf-8")
    return path


@pytest.mark.parametrize("size", SIZES)
def test_a_report_is_read_as_a_file(browser, report: Path, size: str) -> None:  # type: ignore[no-untyped-def]
    context = browser.new_context(**SIZES[size])
    tab = context.new_page()
    noted: list[str] = []
    tab.on("request", lambda request: noted.append(request.url))
    tab.on("console", lambda message: noted.append(message.text))
    tab.on("pageerror", lambda error: noted.append(str(error)))
    tab.goto(report.as_uri())
    tab.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    wide, window = tab.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide <= window
    kind = "narrow" if size == "phone" else "wide"
    shown = tab.locator(f"figure .{kind} svg:visible").count()
    assert shown == tab.locator("figure svg:visible").count() == 8
    assert tab.evaluate(GROUND) == (DARK if size == "dark" else LIGHT)
    PICTURES.mkdir(parents=True, exist_ok=True)
    tab.screenshot(path=PICTURES / f"report-{size}.png", full_page=True)
    tab.get_by_role("button", name="Light or dark").click()
    assert tab.evaluate(GROUND) == (LIGHT if size == "dark" else DARK)
    tab.emulate_media(media="print")
    assert tab.evaluate(INK) == BLACK
    assert noted == [report.as_uri()]
    context.close()


def test_paper_cuts_no_figure_and_no_short_table_and_leaves_no_heading_behind(  # type: ignore[no-untyped-def]
    browser, report: Path
) -> None:
    tab = browser.new_page()
    tab.goto(report.as_uri())
    tab.emulate_media(media="print")
    styles = "(all, name) => all.map(one => getComputedStyle(one)[name])"

    def told(selector: str, name: str) -> set[str]:
        return set(tab.locator(selector).evaluate_all(styles, name))

    for whole in ("figure", "tr", ".said", ".claims li"):
        assert told(whole, "breakInside") == {"avoid"}, whole
    for followed in (".top", ".said", "h3", "thead"):
        assert told(followed, "breakAfter") == {"avoid"}, followed
    rows = tab.locator("main .scroll").evaluate_all(
        "all => all.map(one => [one.querySelectorAll('tbody tr').length, getComputedStyle(one)])"
        ".map(([rows, style]) => [rows, style.breakInside])"
    )
    assert {(count <= 15, inside) for count, inside in rows} == {(True, "avoid"), (False, "auto")}
    tab.close()


def test_the_first_column_stays_where_a_table_is_moved_sideways(browser, report: Path) -> None:  # type: ignore[no-untyped-def]
    context = browser.new_context(**SIZES["phone"])
    tab = context.new_page()
    tab.goto(report.as_uri())
    box = tab.locator("#experiment-rewards .scroll").first
    label = box.locator("tbody th").first
    label.scroll_into_view_if_needed()
    before = label.bounding_box()
    box.evaluate("one => { one.scrollLeft = 120; }")
    assert box.evaluate("one => one.scrollLeft") == 120
    assert label.bounding_box() == before
    context.close()
