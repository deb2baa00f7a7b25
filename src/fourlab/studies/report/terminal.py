"""A report as the terminal shows it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.table import Table as Grid
from rich.text import Text

from fourlab.studies.archive import Archive
from fourlab.studies.report import pictures
from fourlab.studies.report.markdown import SIGNS
from fourlab.studies.report.outline import Chapter, banners, chapters, corrected, weight
from fourlab.studies.report.tables import WITHIN, Entry, Head

STYLES = {"confirmed": "cyan", "refuted": "red", "undecided": "yellow", "not run": "dim"}
DIM = "bright_black"


def summary(archive: Archive) -> Iterator[Any]:
    """Yield what the terminal shows: ours with intervals, published in grey, claims."""
    for said in banners(archive):
        yield Text(said, style="bold")
    for chapter in chapters(archive):
        if chapter.done is not None:
            yield from _chapter(chapter)
    verdicts = archive.study.judge(archive.results)
    if verdicts:
        yield Text(f"\nClaims, {corrected(verdicts)}", style="bold")
        grid = Grid(box=None, pad_edge=False, show_header=False)
        for verdict in verdicts:
            style = STYLES[verdict.ruling]
            said = verdict.evidence.says.removesuffix(".")
            under = ", ".join(part for part in (said, weight(verdict)) if part)
            text = Text(verdict.claim.text)
            text.append(f"\n{under}" if under else "", style=DIM)
            grid.add_row(Text(f"{SIGNS[verdict.ruling]} {verdict.ruling}", style=style), text)
        yield grid
    lacking = pictures.missing()
    if lacking:
        yield Text(lacking, style=DIM)


def _chapter(chapter: Chapter) -> Iterator[Any]:
    made = chapter.table
    assert made is not None  # noqa: S101
    yield Text(f"\n{chapter.experiment.ask}", style="bold")
    grid = Grid(box=None, pad_edge=False, header_style=DIM)
    for place, head in enumerate(made.heads):
        is_text = place == 0 or head.form == "text"
        grid.add_column(_head(head), justify="left" if is_text else "right")
    if made.verdicts:
        grid.add_column("ours is")
    widths = [
        (
            max((len(line[place].spread) for line in made.rows), default=0),
            max((len(line[place].published) for line in made.rows), default=0),
        )
        for place in range(len(made.heads))
    ]
    for place, line in enumerate(made.rows):
        cells = [_cell(*one) for one in zip(made.heads, line, widths, strict=True)]
        if made.verdicts:
            word = made.in_short(place)
            cells.append(Text(word, style=DIM if word == WITHIN else "bold"))
        grid.add_row(*cells)
    yield grid
    said = " ".join(chapter.differences)
    if said:
        yield Text(said, style=DIM)


def _head(head: Head) -> Text:
    text = Text(head.title)
    if head.is_beside:
        text.append("\nours, published")
    return text


def _cell(head: Head, entry: Entry, widths: tuple[int, int]) -> Text:
    """Return our figure, its interval and the published one, each as wide as in other rows."""
    spread, published = widths
    text = Text(entry.ours)
    if spread:
        text.append(f" {entry.spread:<{spread}}")
    if head.is_beside:
        text.append(f" {entry.published or '–':>{published}}", style=DIM)
    return text
