"""The notebook of the examples: its cells run, and what they show can be drawn and read."""

import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cells import notebook
from fourlab.learning.runs import Run

BOOK = Path(__file__).parent.parent / "examples" / "notebook.ipynb"
EMPTY = {"br", "input"}  # elements that have no end


class Balanced(HTMLParser):
    """Reads HTML whose elements all end where they should."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.said = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        pass

    def handle_data(self, data: str) -> None:
        self.said += f"{data}\n" if self.open[-1:] != ["style"] else ""


def read(text: str) -> str:
    reader = Balanced()
    reader.feed(text)
    assert not reader.open
    return reader.said


def test_its_cells_run_and_draw_what_they_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    cells = json.loads(BOOK.read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert not any(cell.get("outputs") for cell in cells)
    with notebook() as book:
        shown = [book.run(text) for text in code]
        run = book.names["run"]
    position, decision, game, _, tournament, _, grade, sweep = shown
    assert "'4443'" in ElementTree.fromstring(position._repr_svg_()).attrib["aria-label"]
    assert f"move {decision.move + 1}" in read(decision._repr_html_())
    assert ">start</label>" in game._repr_html_()
    assert "baseline" in read(game._repr_html_())
    drawn, told = read(tournament._repr_html_()), repr(tournament)
    for agent in tournament.event.agents:
        assert agent in drawn
        assert agent in told
    assert tournament.event.agents[0].startswith("middle.py@")
    assert not any(tally.forfeits for tally in tournament.tallies)
    assert "all" in read(grade._repr_html_())
    assert grade.overall.to_json()["good"] > 0.8  # it has learned
    assert repr(sweep).splitlines()[1].split()[:2] == ["blunder", "against"]
    assert read(sweep._repr_html_()).count("baseline") == 3  # a row for each point
    check_run(run)


def check_run(run: Run) -> None:
    """Look at what a run that is over shows: a full bar, and a curve for each thing measured."""
    text = run._repr_html_()
    said = read(text)
    assert "60,000 of 60,000 games" in said
    assert "against random" in said
    assert '<i style="width:100.0%">' in text
    curves = [points.split() for points in re.findall(r'points="([^"]+)"', text)]
    assert len(curves[0]) > 20  # a curve that grew while it trained
    assert len(curves[1]) == 11  # a point for each evaluation, the last one twice
    assert repr(run).startswith("q:")
    assert "IPython" not in sys.modules
