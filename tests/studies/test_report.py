import builtins
import dataclasses
import io
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from fourlab.positions.suites import suite
from fourlab.rules.catalog import game as find_game
from fourlab.studies.archive import Archive, Finished, write_json
from fourlab.studies.base import Experiment, Published, Study
from fourlab.studies.canvas import PALETTE
from fourlab.studies.findings import Column, Findings, share
from fourlab.studies.report import fragment, page, styles, summary, write_report
from fourlab.studies.report.html import _resource
from fourlab.studies.report.links import analyse, arena, learn, of_entry
from fourlab.studies.report.markdown import text_of
from fourlab.studies.report.tables import data
from studies.demo import CLAIMS, EXPERIMENTS, MADE, STUDY, demo, learning, never

SVG = "http://www.w3.org/2000/svg"
VOID = {"meta", "br", "path", "use", "rect", "circle", "line", "image", "stop"}
WIN = Column("wins", "won", "percent")
NAME = Column("name", "who", "text")


class Page(HTMLParser):
    """What a page holds: text, attributes, tables cell by cell; it must be well nested."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.attributes: list[tuple[str, str, str]] = []
        self.tables: list[list[list[str]]] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.is_cell = False
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, text: str) -> None:
        self.words.append(text)
        if {"td", "th"} & set(self.open):
            self.tables[-1][-1][-1] += text

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    return demo(tmp_path_factory.mktemp("demo") / "study")


@pytest.fixture(scope="module")
def html(archive: Archive) -> str:
    return page(archive)


@pytest.fixture(scope="module")
def made(html: str) -> Page:
    return Page(html)


def terminal(archive: Archive, width: int) -> str:
    console = Console(width=width, file=io.StringIO(), record=True)
    for part in summary(archive):
        console.print(part)
    return console.export_text()


# ---- HTML ---------------------------------------------------------------------------------------


def test_the_page_needs_nothing_else(html: str, made: Page) -> None:
    assert set(re.findall(r"https?://[^\s\"'<)]*", html)) == {SVG}
    assert not re.search(r"@import|url\((?!#)", html)
    for tag, name, value in made.attributes:
        assert (tag, name) not in {("script", "src"), ("link", "href"), ("img", "src")}
        if name == "href":
            assert value.startswith("#"), (tag, value)


def test_identifiers_are_unique_and_links_lead_somewhere(made: Page) -> None:
    ids = [value for _, name, value in made.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    targets = {value[1:] for _, name, value in made.attributes if name == "href"}
    assert targets <= set(ids)


def test_every_experiment_has_its_question_table_and_figure(html: str, made: Page) -> None:
    for experiment in EXPERIMENTS:
        part = re.search(rf'<article class="part" id="experiment-{experiment.name}">.*?</article>',
                         html, re.DOTALL)  # fmt: skip
        assert part is not None
        own = Page(part[0])
        assert experiment.ask in own.text
        if experiment.name == "missing":
            assert "Not run yet." in own.text
            continue
        assert own.tables
        pictures = [value for tag, name, value in own.attributes if (tag, name) == ("svg", "role")]
        assert pictures == ["img", "img"]  # for a page, and for a phone
        labels = [value for _, name, value in own.attributes if name == "aria-label"]
        assert any(experiment.ask in label for label in labels)
        for word in ("seed 3", "27590a5", "mcts:sims=200,c=1.4", "98.8%", "Python 3.11.9"):
            assert word in own.text


def test_published_figures_stand_beside_ours(made: Page) -> None:
    rows = made.tables[0]
    assert rows[0] == ["loss, draw", "moves", "lost, %", "drawn, %", "won, %", "ours is"]
    assert rows[1] == ["published", "ours"] * 4
    assert rows[2] == [
        "−1, 0", "22.0", "21.4", "14.8", "14.8 ± 0.7", "13.0", "11.6 ± 0.6", "72.2", "73.6 ± 0.9",
        "won 1.4 above +1",
    ]  # fmt: skip
    assert rows[4][-1] == "within"
    assert "Nine of 15 published figures lie within our intervals." in made.text
    assert "The study kept its tree between moves" in made.text
    assert "About 12 hours then, 4.1 min now." in made.text
    assert "A draw that is worth a loss wins 7.1 points more." in made.text
    assert "What the exact solver adds" in made.text


def test_claims_come_with_verdict_evidence_and_correction(made: Page) -> None:
    for claim in CLAIMS:
        assert claim.text in made.text
    for words in (
        "1 confirmed", "1 refuted", "1 undecided", "1 not run", "corrected for three claims (Holm)",
        "20,000 games, p < 0.001", "73% against 77%", "section 4.1",
    ):  # fmt: skip
        assert words in made.text
    assert made.text.index("Claims") < made.text.index(EXPERIMENTS[0].ask)


def test_facts_stand_on_top(made: Page) -> None:
    for words in ("5 × 6, connect 4", "a draw", "5 for each training", "about 12 hours",
                  "33 min", "2 cores, Python 3.11.9, numba 0.61.0", "27590a5"):  # fmt: skip
        assert words in made.text.split("Claims")[0]


def test_a_small_run_says_so_and_a_full_one_does_not(tmp_path: Path, made: Page) -> None:
    words = "Small samples: a quick run. The full one: fourlab study demo"
    quick = dataclasses.replace(STUDY, experiments=())
    assert words in fragment(Archive(quick, tmp_path, quick=True))
    assert words in text_of(Archive(quick, tmp_path, quick=True))
    assert words not in made.text
    assert "8 of 9 experiments are finished." in made.text


def hostile(folder: Path) -> Archive:
    """A study whose every word looks like markup."""
    bad = '<img src=x onerror="alert(1)">|`*&'
    column = Column("wins", bad, "percent")
    result = Findings(
        (Column("name", bad, "text"), column, Column("word", bad, "text")),
        ({"name": bad, "wins": share(1, 2), "word": bad},),
        notes=(bad,),
        truth=Findings((NAME, column), ({"name": bad, "wins": 0.5},), notes=(bad,)),
        extra={"cross": {"agents": [bad], "scores": [[None]]}},
    )
    published = Published({bad: {"wins": 0.5}}, bad, bad, 10, bad)
    experiment = Experiment("bad", bad, never, published, remarks=bad)
    study = Study("bad", bad, bad, (experiment,), about=bad, source=bad, took=bad, value=bad)
    archive = Archive.start(study, folder)
    log = ({"kind": "match", "game": bad, "a": bad, "b": bad, "games": 2, "distinct": 2,
            "plies": 0, "seed": 1}, {"kind": bad, "game": "connect4", "note": bad})  # fmt: skip
    made = {**MADE, "commit": bad, "cpu": bad}
    write_json(archive.path(experiment), Finished("bad", result, log, 1.0, made).to_json())
    return Archive.open(study, folder)


def test_nothing_that_is_said_is_taken_for_markup(tmp_path: Path) -> None:
    archive = hostile(tmp_path / "bad")
    body = fragment(archive, links=True)
    read = Page(body)
    assert not {"img", "script"} & {tag for tag, *_ in read.attributes}
    assert not [name for _, name, _ in read.attributes if name.startswith("on")]
    assert read.text.count("onerror=") > 15
    assert "<img" not in re.sub(r"\\.", "", re.sub(r"`[^`]*`", "", text_of(archive)))
    assert "<img" in terminal(archive, 300)


def test_links_lead_to_the_laboratory_only_where_they_are_asked_for(archive: Archive) -> None:
    one = Archive(dataclasses.replace(STUDY, experiments=EXPERIMENTS[:1]), archive.folder)
    one.finished = {"rewards": archive.finished["rewards"]}
    read = Page(fragment(one, links=True))
    hrefs = [value for _, name, value in read.attributes if name == "href"]
    game = "connect%3Acolumns%3D5%2Crows%3D6%2Ck%3D4"
    assert [href for href in hrefs if not href.startswith("#")] == [
        f"/arena?game={game}&agents=mcts%3Asims%3D200%2Cc%3D1.4&agents=mcts%3Asims%3D40"
        "&games=10000&seed=3",
        f"/learn?game={game}&learner=afterstates%3Agames%3D260000&seed=3001",
        f"/analyse?game={game}&moves=32334132",
    ]
    grade = {"kind": "grade", "game": "connect4", "suite": "middle"}
    first = suite(find_game("connect4"), "middle")[0].position.notation
    assert of_entry(grade) == ("Open in Analyse", f"/analyse?game=connect4&moves={first}")
    worst = of_entry({**grade, "worst": "4455"})
    assert worst == ("Open in Analyse", "/analyse?game=connect4&moves=4455")
    assert of_entry({**grade, "suite": "positions.txt"}) is None  # no position is known
    assert arena("mnk", ("a", "b"), 5, 1) == "/arena?game=mnk&agents=a&agents=b&games=5&seed=1"
    assert learn("connect4", "q", 2) == "/learn?game=connect4&learner=q&seed=2"
    assert analyse("connect4", "4455") == "/analyse?game=connect4&moves=4455"


def test_data_of_curves_is_short_and_ends_at_the_end() -> None:
    [made] = data(learning())
    assert 10 < len(made.rows) <= 20
    assert [head.title for head in made.heads] == ["at", "Afterstates", "Vanilla"]
    assert made.rows[-1][0].ours == "258,000"


# ---- colours ------------------------------------------------------------------------------------


def variables(css: str) -> list[dict[str, str]]:
    """Return the light variables and the dark ones of a style sheet."""
    blocks = re.findall(r":root[^{]*\{(.*?)\}", css, re.DOTALL)[:2]
    return [dict(re.findall(r"(--[a-z0-9-]+):\s*([^;]+);", block)) for block in blocks]


def test_colours_are_the_laboratorys() -> None:
    laboratory = Path(sys.modules["fourlab"].__path__[0]) / "web" / "static" / "fourlab.css"
    theirs, ours = variables(laboratory.read_text()), variables(_resource("colours.css"))
    for mine, known in zip(ours, theirs, strict=True):
        assert mine.items() <= known.items()
    for name, colour in PALETTE.items():
        told = ours[0][f"--{name}"]
        told = "#ffffff" if told == "#fff" else told
        apart = [abs(int(colour[n : n + 2], 16) - int(told[n : n + 2], 16)) for n in (1, 3, 5)]
        assert max(apart) <= 1, name
    assert set(re.findall(r"var\((--[a-z0-9-]+)", styles())) <= ours[0].keys()


# ---- files --------------------------------------------------------------------------------------


def test_tables_in_markdown_have_as_many_cells_as_heads(archive: Archive) -> None:
    text = text_of(archive)
    widths: list[int] = []
    tables = 0
    for line in text.splitlines():
        if not line.startswith("|"):
            widths = []
            continue
        tables += not widths
        widths.append(len(re.findall(r"(?<!\\)\|", line)))
        assert len(set(widths)) == 1, line
    assert tables > 9
    assert "| −1, 0 | 22.0 | 21.4 |" in text
    assert "![" in text
    assert "](figures/rewards.png)" in text


def test_a_report_is_written_again_from_what_was_kept(archive: Archive, tmp_path: Path) -> None:
    small = dataclasses.replace(STUDY, experiments=EXPERIMENTS[2:3])
    write_json(tmp_path / "study.json", {"format": 1, "study": "demo", "quick": False, "seed": 3})
    for experiment in small.experiments:
        write_json(tmp_path / "results" / f"{experiment.name}.json",
                   archive.finished[experiment.name].to_json())  # fmt: skip
    paths = write_report(Archive.open(small, tmp_path))
    assert [path.relative_to(tmp_path).as_posix() for path in paths] == [
        "report.html", "report.md", "figures/steps.png", "figures/steps.svg",
    ]  # fmt: skip
    first = [path.read_bytes() for path in paths]
    assert [path.read_bytes() for path in write_report(Archive.open(small, tmp_path))] == first


def test_without_matplotlib_tables_still_come(
    archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return known(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    monkeypatch.setattr(archive, "folder", tmp_path)
    paths = write_report(archive)
    assert [path.name for path in paths] == ["report.html", "report.md"]
    for path in paths:
        text = path.read_text()
        assert "pip install" in text
        assert "73.6" in text
        assert "figures/" not in text
    assert "<figure" not in paths[0].read_text()


def test_the_terminal_has_ours_published_and_verdicts_in_a_hundred_columns(
    archive: Archive,
) -> None:
    text = terminal(archive, 100)
    assert max(map(len, text.splitlines())) <= 100
    row = r"−1, −1 +19.9 20.7 +18.0 ± 0.8 17.8 +1.2 ± 0.2 +1.5 +80.8 ± 0.8 80.7 +within"
    assert re.search(row, text)
    for words in ("✓ confirmed", "✗ refuted", "? undecided", "Vanilla beats afterstates."):
        assert words in text
    assert ".," not in text  # the figures of a claim end with a point, and its p-value follows
