"""Studies in a real browser: cards, a report, a rerun, and links with settings in them."""

import re
import signal
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest

from fourlab.studies.report import links
from web.conftest import Visitor
from web.server import Server

Visit = Callable[..., Visitor]
NOTE_THEME = """() => addEventListener("beforeprint",
    () => { window.printed = document.documentElement.dataset.theme; })"""


def card(name: str, selector: str) -> str:
    return f"[aria-labelledby=study-{name}] >> {selector}"


def rerun(visitor: Visitor, name: str) -> None:
    """Rerun a study to its end; the server is the same for all tests."""
    page = visitor.page
    visitor.go("/studies")
    page.wait_for_selector(card(name, "h2:has-text('study')"))
    page.click(card(name, ".outline:has-text('Rerun quick')"))
    page.wait_for_selector(card(name, "[role=progressbar]"))
    page.wait_for_selector(card(name, ".outline:has-text('Rerun quick')"))
    page.wait_for_selector(card(name, "text=1 confirmed"))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_study_is_rerun_and_its_report_read(visit: Visit, theme: str) -> None:
    visitor = visit(color_scheme=theme)
    page = visitor.page
    rerun(visitor, "tiny")
    page.wait_for_selector(card("tiny", ".study-picture svg[role=img]"))
    page.wait_for_selector(card("tiny", ".verdict.win:has-text('1 confirmed')"))
    page.wait_for_selector(card("tiny", ".verdict.loss.zero:has-text('0 refuted')"))
    visitor.picture(f"studies-{theme}")
    page.click(card("tiny", "text=Open report"))
    page.wait_for_selector("h1:has-text('A tiny study')")
    page.wait_for_selector(".study-report .claims li >> nth=1")
    assert page.locator(".report-head .size").inner_text() == "quick"
    visible = page.locator("h1:visible").all_inner_texts()
    assert visible == ["A tiny study"]
    visitor.picture(f"report-{theme}")
    page.click("summary:has-text('Contents')")
    page.click(".menu a:has-text('still ahead')")
    assert page.evaluate("location.hash") == "#experiment-second"
    page.click("summary:has-text('Download')")
    with page.expect_download() as found:
        page.click(".menu a:has-text('HTML')")
    assert found.value.suggested_filename == "tiny-quick.html"
    assert "<!DOCTYPE html>" in Path(found.value.path()).read_text()
    page.click("summary:has-text('Download')")
    with page.expect_download() as found:
        page.click(".menu a:has-text('Markdown')")
    assert found.value.suggested_filename == "tiny-quick.zip"
    with ZipFile(found.value.path()) as kept:
        text = kept.read("report.md").decode()
        shown = re.findall(r"!\[.*?\]\((.*?)\)", text)
        assert shown == ["figures/first.png", "figures/second.png"]
        assert all(kept.read(name).startswith(b"\x89PNG") for name in shown)


def test_a_rerun_outlives_a_reload_is_seen_by_others_and_stopped(visit: Visit) -> None:
    visitor, other = visit(), visit()
    page = visitor.page
    visitor.go("/studies")
    page.wait_for_selector(card("gated", "h2:has-text('gated study')"))
    page.click(card("gated", ".rerun .outline >> nth=-1"))  # rerun, or start over
    page.wait_for_selector(card("gated", "text=Experiment 2 of 2"))
    page.reload()
    page.wait_for_selector(card("gated", "[role=progressbar]"))
    visitor.picture("studies-running")
    other.go("/studies/gated")
    other.page.wait_for_selector("text=Started by another visitor")
    page.click(card("gated", "text=Stop"))
    page.wait_for_selector(card("gated", "text=Go on from experiment 2"))
    other.page.wait_for_selector("text=Go on from experiment 2")
    visitor.picture("studies-stopped")


def test_a_server_ends_though_a_rerun_is_under_way(browser: object, tmp_path: Path) -> None:
    server = Server(tmp_path)
    server.start()
    visitor = Visitor(browser, server)
    visitor.go("/studies/gated")
    visitor.page.click("text=Rerun quick")
    visitor.page.wait_for_selector("text=Experiment 2 of 2")
    visitor.context.close()
    process = server.process
    assert process is not None
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) is not None
    server.stop()
    left = tmp_path / "runs" / "web" / "studies" / "gated" / "under-way" / "results"
    assert [file.name for file in left.iterdir()] == ["first.json"]


def test_a_rerun_that_failed_says_why(visit: Visit) -> None:
    visitor = visit()
    visitor.go("/studies/faulty")
    visitor.page.wait_for_selector("text=Not run yet")
    visitor.page.click(".rerun .outline >> nth=-1")
    visitor.page.wait_for_selector("text=/Failed at experiment 2 of 2.*no ink/")
    visitor.picture("report-failed")


def test_what_an_experiment_was_made_of_is_one_click_away(visit: Visit) -> None:
    visitor = visit()
    page = visitor.page
    rerun(visitor, "tiny")

    def follow(name: str) -> None:
        visitor.go("/studies/tiny")
        page.click("summary:has-text('How it was run') >> nth=0")
        page.click(f"a:has-text('Open in {name}') >> nth=0")
        page.wait_for_selector(f".tabs a[aria-current]:has-text('{name}')")

    follow("Arena")
    page.wait_for_selector("[data-testid=openings]:has-text('empty board')")
    assert page.locator(".player").all_inner_texts() == ["Baseline", "Random"]
    fields = page.locator(".strip input")
    assert [fields.nth(n).input_value() for n in range(2)] == ["400", "5"]
    page.wait_for_selector("text=0 of 400 games")  # nothing starts by itself
    follow("Learn")
    page.wait_for_selector("[data-testid=fixed]:has-text('games=600, side=first, seed 4')")
    assert page.input_value("select[aria-label=Against]") == "random"
    assert page.input_value("select[aria-label=Board]") == "tictactoe"
    assert page.locator("[data-testid=run]").inner_text() == "Run"
    follow("Analyse")
    page.wait_for_selector("[role=grid], .board")
    assert "moves=" in page.evaluate("location.search")


def test_paper_is_light_and_has_the_report_alone(visit: Visit) -> None:
    visitor = visit(color_scheme="dark")
    page = visitor.page
    rerun(visitor, "tiny")
    visitor.go("/studies/tiny")
    page.wait_for_selector(".study-report")
    page.evaluate(NOTE_THEME)
    page.pdf()
    assert page.evaluate("window.printed") == "light"
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.emulate_media(media="print")
    for part in (".header", ".report-actions", ".crumbs"):
        assert not page.is_visible(part)
    assert page.is_visible("h1:has-text('A tiny study')")


def test_a_bad_link_is_told_in_one_line_and_the_defaults_stay(visit: Visit) -> None:
    visitor = visit()
    visitor.go(links.learn("connect:columns=99,rows=9,k=4", "q:alpha=much", 3))
    banner = visitor.page.locator(".banner.bad")
    banner.wait_for()
    assert "too large" in banner.inner_text()
    assert visitor.page.input_value("select[aria-label=Learner]") == "q"


def test_an_unknown_study_has_a_page_that_says_what_exists(server) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"{server.url}/studies/nothing")
    assert refused.value.code == 404
    text = refused.value.read().decode()
    assert "nothing" in text
    assert "tiny" in text
