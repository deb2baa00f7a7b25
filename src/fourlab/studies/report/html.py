"""A report as HTML: one file that needs nothing else, or a part of the laboratory's page."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from importlib.resources import files

from fourlab.studies.archive import Archive
from fourlab.studies.base import Verdict
from fourlab.studies.findings import Findings
from fourlab.studies.report import links as addresses
from fourlab.studies.report import pictures
from fourlab.studies.report.html_table import html_table
from fourlab.studies.report.outline import (
    Chapter,
    banners,
    chapters,
    corrected,
    facts,
    in_short,
    made_with,
    settings,
    tally,
    weight,
)
from fourlab.studies.report.tables import (
    data,
    published_alone,
    rests_on,
    table,
)

TONES = {"confirmed": "win", "refuted": "loss", "undecided": "draw", "not run": "none"}
SIGNS = {
    "confirmed": '<path d="M3 8.5l3.2 3.2L13 4.8"/>',
    "refuted": '<path d="M4 4l8 8M12 4l-8 8"/>',
    "undecided": '<path d="M5.5 6.2a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.8-1.1 1.6M8 13h.01"/>',
    "not run": '<path d="M4 8h8"/>',
}
BARS = 12  # rows up to which shares are drawn as bars too
SCRIPT = """
const root = document.documentElement, button = document.querySelector(".theme");
const system = () => matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
button.hidden = false;
button.onclick = () => {
  root.dataset.theme = (root.dataset.theme || system()) === "dark" ? "light" : "dark";
};
"""


def page(archive: Archive) -> str:
    """Return the whole report as one file."""
    title = escape(archive.study.title)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{_colours()}{styles()}</style></head>"
        '<body class="study-page">'
        '<button class="theme" type="button" hidden>Light or dark</button>'
        f"{fragment(archive)}<script>{SCRIPT}</script></body></html>\n"
    )


def styles() -> str:
    """Return the style sheet of a fragment; its colours are the laboratory's variables."""
    return _resource("report.css")


def fragment(archive: Archive, links: bool = False) -> str:
    """Return the report's body; `links` lead to the laboratory's pages with the same settings."""
    study = archive.study
    every = chapters(archive)
    size = "quick" if archive.quick else "full"
    about = "".join(f"<p>{escape(said)}</p>" for said in (study.about, study.source) if said)
    notes = "".join(
        f'<p class="notice" role="note">{escape(said)}</p>' for said in banners(archive)
    )
    lacking = pictures.missing()
    if lacking:
        notes += f'<p class="notice" role="note">{escape(lacking[0].upper() + lacking[1:])}</p>'
    strip = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
        for name, value in facts(archive)
    )
    verdicts = study.judge(archive.results)
    return (
        f'<div class="study-report"><header><h1>{escape(study.title)}</h1>'
        f'<code>{escape(study.name)}</code><span class="size">{size}</span>'
        f'<div class="about">{about}</div></header>{notes}'
        f'<dl class="facts">{strip}</dl><div class="parts"><aside>{_claims(verdicts)}'
        f"{_contents(every)}</aside><main>{''.join(_chapter(c, archive, links) for c in every)}"
        "</main></div></div>"
    )


# ---- claims and contents ------------------------------------------------------------------------


def tag(ruling: str, text: str = "") -> str:
    """Return a verdict with its sign."""
    sign = f'<svg viewBox="0 0 16 16" aria-hidden="true">{SIGNS[ruling]}</svg>'
    return f'<span class="verdict {TONES[ruling]}">{sign}{escape(text or ruling)}</span>'


def _claims(verdicts: list[Verdict]) -> str:
    if not verdicts:
        return ""
    counts = "".join(
        tag(ruling, f"{number} {ruling}").replace("verdict ", f"verdict {'zero ' * (not number)}")
        for ruling, number in tally(verdicts)
    )
    items = []
    for verdict in verdicts:
        under = " · ".join(
            escape(part)
            for part in (verdict.evidence.says, weight(verdict), verdict.claim.where)
            if part
        )
        said = f"<p>{escape(verdict.claim.text)}</p><p class='under'>{under}</p>"
        items.append(f"<li>{tag(verdict.ruling)}<div>{said}</div></li>")
    return (
        '<section class="part claims" id="claims"><div class="top"><h2>'
        f'<a href="#claims">Claims</a></h2><span>{escape(corrected(verdicts))}</span></div>'
        f'<p class="counts">{counts}</p><ul>{"".join(items)}</ul></section>'
    )


def _contents(every: list[Chapter]) -> str:
    items = "".join(
        f'<li><a href="#{_anchor(c)}">{escape(c.experiment.ask)}</a></li>' for c in every
    )
    return (
        '<nav class="part contents" aria-label="Experiments"><h2>Experiments</h2>'
        f"<ol>{items}</ol></nav>"
    )


def _anchor(chapter: Chapter) -> str:
    return "experiment-" + re.sub(r"[^A-Za-z0-9_-]", "-", chapter.experiment.name)


# ---- experiments --------------------------------------------------------------------------------


def _chapter(chapter: Chapter, archive: Archive, links: bool) -> str:
    experiment, done, found = chapter.experiment, chapter.done, chapter.findings
    where = _anchor(chapter)
    top = (
        f'<div class="top"><h2><a href="#{where}">{escape(experiment.ask)}</a></h2>'
        f"<span>experiment {chapter.number} of {chapter.total}</span></div>"
    )
    said = f'<p class="said">{escape(chapter.origin)}</p>' if chapter.origin else ""
    if done is None or found is None:
        alone = published_alone(experiment.published)
        body = f"{said}{html_table(alone, 'As published') if alone else ''}<p>Not run yet.</p>"
        return f'<article class="part" id="{where}">{top}{body}</article>'
    body = "".join(
        [
            said,
            html_table(table(found, experiment.published), experiment.ask),
            _note(rests_on(found, experiment.published)),
            _paragraph(chapter.differences),
            _paragraph(found.notes),
            _figure(chapter),
            _truth(found.truth),
            _how(chapter, archive, links),
        ]
    )
    return f'<article class="part" id="{where}">{top}{body}</article>'


def _paragraph(sentences: Iterable[str]) -> str:
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(" ".join(sentences)))
    return f"<p>{text}</p>" if text else ""


def _note(text: str) -> str:
    return f'<p class="note">{escape(text)}</p>' if text else ""


def _figure(chapter: Chapter) -> str:
    assert chapter.findings is not None  # noqa: S101
    drawn = pictures.picture(chapter.experiment, chapter.findings)
    if drawn is None:
        return ""
    shown = _image(drawn.wide, "wide" if drawn.narrow else "only", chapter.alt)
    shown += _image(drawn.narrow, "narrow", chapter.alt) if drawn.narrow else ""
    told = "".join(html_table(made, "What the figure shows") for made in data(chapter.findings))
    more = f"<details><summary>Show data</summary>{told}</details>" if told else ""
    return f"<figure>{shown}</figure>{more}"


def _image(svg: str, kind: str, alt: str) -> str:
    labelled = svg.replace("<svg ", f'<svg role="img" aria-label="{escape(alt)}" ', 1)
    return f'<div class="{kind}">{labelled}</div>'


def _truth(truth: Findings | None) -> str:
    if truth is None:
        return ""
    made = html_table(table(truth), "Held against perfect play", len(truth.rows) <= BARS)
    made += _note(rests_on(truth, None))
    return (
        f'<section class="truth"><h3>What the exact solver adds</h3>{made}'
        f"{_paragraph(truth.notes)}</section>"
    )


def _how(chapter: Chapter, archive: Archive, links: bool) -> str:
    done = chapter.done
    assert done is not None  # noqa: S101
    items = []
    for entry in done.log:
        specs, words = settings(entry)
        codes = " ".join(f"<code>{escape(spec)}</code>" for spec in specs)
        where = addresses.of_entry(entry) if links else None
        link = f' <a href="{escape(where[1])}">{escape(where[0])}</a>' if where else ""
        items.append(f"<li>{codes} {escape(words)}{link}</li>")
    return (
        f"<details><summary>How it was run: {escape(in_short(done, archive.seed))}</summary>"
        f'<ul class="log">{"".join(items)}</ul><p>{escape(made_with(done))}</p></details>'
    )


# ---- colours ------------------------------------------------------------------------------------


def _resource(name: str) -> str:
    return files("fourlab.studies.report").joinpath(name).read_text("utf-8")


def _colours() -> str:
    """Return the variables: dark where the system is or the reader says so, light on paper."""
    text = _resource("colours.css")
    light, dark = re.findall(r"\{(.*?)\}", text, flags=re.DOTALL)
    return (
        f":root{{{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}"
        f":root[data-theme=light]{{{light}}}:root[data-theme=dark]{{{dark}}}"
        f"@media print{{:root,:root[data-theme]{{{light}}}}}"
    )
