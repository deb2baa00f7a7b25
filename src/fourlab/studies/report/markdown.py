"""A report as Markdown, with its figures as files beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fourlab.studies.archive import Archive
from fourlab.studies.base import Verdict
from fourlab.studies.report import pictures
from fourlab.studies.report.outline import (
    Chapter,
    banners,
    chapters,
    corrected,
    facts,
    in_short,
    made_with,
    settings,
    weight,
)
from fourlab.studies.report.tables import Table, published_alone, rests_on, table

SIGNS = {"confirmed": "✓", "refuted": "✗", "undecided": "?", "not run": "–"}


def text_of(archive: Archive) -> str:
    """Return the report as Markdown."""
    study = archive.study
    parts = [f"# {plain(study.title)}", *map(plain, (study.about, study.source))]
    parts += [f"> {plain(said)}" for said in banners(archive)]
    lacking = pictures.missing()
    parts += [f"> {plain(lacking)}"] if lacking else []
    parts.append(grid(("", ""), [(name, value) for name, value in facts(archive)]))
    verdicts = study.judge(archive.results)
    if verdicts:
        parts += ["## Claims", f"Judged {corrected(verdicts)}.", _claims(verdicts)]
    for chapter in chapters(archive):
        parts += _chapter(chapter, archive, has_figures=not lacking)
    return "\n\n".join(part for part in parts if part) + "\n"


def plain(text: str) -> str:
    """Return text in which nothing is taken for markup."""
    return re.sub(r"([\\`*_\[\]<>|#])", r"\\\1", " ".join(text.split()))


def grid(heads: Sequence[str], rows: Sequence[Sequence[str]], right: bool = False) -> str:
    """Return a table; with `right` all columns but the first are flush right."""
    marks = ["---", *(["--:" if right else "---"] * (len(heads) - 1))]
    lines = [[plain(head) for head in heads], marks]
    lines += [[plain(cell) for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _claims(verdicts: list[Verdict]) -> str:
    rows = [
        (
            f"{SIGNS[verdict.ruling]} {verdict.ruling}",
            verdict.claim.text,
            verdict.evidence.says,
            weight(verdict),
        )
        for verdict in verdicts
    ]
    return grid(("verdict", "claim", "found", "from"), rows)


def _chapter(chapter: Chapter, archive: Archive, has_figures: bool) -> Iterator[str]:
    experiment, done, found = chapter.experiment, chapter.done, chapter.findings
    published = experiment.published
    yield f"## {plain(experiment.ask)}"
    yield plain(chapter.origin)
    if done is None or found is None:
        alone = published_alone(published)
        yield _table(alone) if alone else ""
        yield "Not run yet."
        return
    yield _table(table(found, published))
    yield plain(rests_on(found, published))
    yield plain(" ".join([*chapter.differences, *found.notes]))
    if experiment.figure is not None and has_figures:
        yield f"![{plain(chapter.alt)}]({pictures.FOLDER}/{experiment.name}.png)"
    if found.truth is not None:
        yield "### What the exact solver adds"
        yield _table(table(found.truth))
        yield plain(" ".join(found.truth.notes))
    yield f"How it was run: {plain(in_short(done, archive.seed))}."
    yield "\n".join(_log(entry_of) for entry_of in map(settings, done.log))
    yield plain(made_with(done)) + "."


def _log(entry: tuple[list[str], str]) -> str:
    specs, words = entry
    codes = [plain(spec) if "`" in spec else f"`{spec}`" for spec in specs]
    return f"- {' '.join(codes)} {plain(words)}"


def _table(made: Table) -> str:
    heads: list[str] = []
    for head in made.heads:
        heads += (
            [f"{head.title} (published)", f"{head.title} (ours)"]
            if head.is_beside
            else [head.title]
        )
    rows = []
    for place, line in enumerate(made.rows):
        cells: list[str] = []
        for head, entry in zip(made.heads, line, strict=True):
            cells += [entry.published] if head.is_beside else []
            cells.append(f"{entry.ours} {entry.spread}".strip())
        rows.append([*cells, *([", ".join(made.verdicts[place])] if made.verdicts else [])])
    return grid([*heads, *(["ours is"] if made.verdicts else [])], rows, right=True)
