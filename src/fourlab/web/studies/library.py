"""`Library`: what the server knows of the studies. Read, judged and drawn once, off the loop."""

from __future__ import annotations

import logging
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any, Literal, TypeVar

from fourlab.core.errors import FourlabError
from fourlab.studies.archive import CONFIG, Archive, shipped
from fourlab.studies.base import Published, Study
from fourlab.studies.canvas import CARD, drawn_for, svg_text
from fourlab.studies.registry import STUDIES
from fourlab.studies.report import fragment, page, styles, zipped
from fourlab.studies.report.outline import Chapter, chapters, facts, tally
from fourlab.studies.report.pictures import missing
from fourlab.studies.report.tables import published_alone

log = logging.getLogger("fourlab.web")

Made = TypeVar("Made")
Size = Literal["full", "quick"]
FULL: Size = "full"
QUICK: Size = "quick"
LAST, UNDER_WAY = "last", "under-way"  # folders of a study's quick reruns
BEFORE = "old"  # and of the one whose place the last takes, until it has it
SHOWN_ROWS = 4  # of a published table on a card
FORMS: dict[str, Callable[[Archive], str | bytes]] = {
    "fragment": lambda archive: f"<style>{styles()}</style>{fragment(archive, links=True)}",
    "html": page,
    "zip": zipped,
}


class Library:
    """The studies, their full runs as shipped and their last quick reruns, kept in a folder.

    What takes long (`card`, `picture`, `report`) is for the one thread that draws; it is kept until
    the run that it was made of is another.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._kept: dict[tuple[str, ...], tuple[str, Any]] = {}

    @property
    def names(self) -> list[str]:
        """The studies in their order."""
        return list(STUDIES)

    def study(self, name: str) -> Study:
        """Return a study; only those that are registered, never a file that a visitor names."""
        if name not in STUDIES:
            known = ", ".join(self.names) or "none yet"
            raise FourlabError(f"there is no study {name[:40]!r}; there are: {known}")
        return STUDIES.find(name)

    def rerun_folder(self, name: str, which: str) -> Path:
        """Return where a quick rerun is, the last one or that under way."""
        return self.folder / name / which

    def archive(self, name: str, size: Size) -> Archive | None:
        """Return a run of a study, None if there is none or it cannot be read."""
        study = self.study(name)
        kept = (self.rerun_folder(name, which) for which in (LAST, BEFORE))
        try:
            if size == FULL:
                return shipped(study)
            there = (folder for folder in kept if (folder / CONFIG).exists())
            return next((Archive.open(study, folder) for folder in there), None)
        except FourlabError as error:
            log.warning("study %s, %s run: %s", name, size, error)
            return None

    def card(self, name: str) -> dict[str, Any]:
        """Return what a card says of a study, as plain data."""
        study = self.study(name)
        runs = {size: archive for size in (FULL, QUICK) if (archive := self.archive(name, size))}
        stamps = {str(size): stamp(archive) for size, archive in runs.items()}
        return self._once(("card", name), str(stamps), lambda: _card(study, runs, stamps))

    def known_card(self, name: str) -> dict[str, Any] | None:
        """Return a card that was made before; at once."""
        kept = self._kept.get(("card", name))
        return kept[1] if kept else None

    def picture(self, name: str) -> str:
        """Return the figure that stands for a study, as SVG for the inside of a page."""
        archive = self.archive(name, FULL) or self.archive(name, QUICK)
        if archive is None:
            return ""
        return self._once(("picture", name), stamp(archive), lambda: _picture(archive))

    def report(self, name: str, size: Size, form: str) -> str | bytes:
        """Return a run's report: `fragment` for a page, `html` or `zip` as a file."""
        archive = self.archive(name, size)
        if archive is None:
            raise FourlabError(f"study {name} has no {size} run here")
        return self._once((form, name, size), stamp(archive), lambda: _report(archive, form))

    def _once(self, key: tuple[str, ...], version: str, make: Callable[[], Made]) -> Made:
        kept = self._kept.get(key)
        if kept is None or kept[0] != version:
            kept = self._kept[key] = (version, make())
        found: Made = kept[1]
        return found


def stamp(archive: Archive) -> str:
    """Return what changes when a run is another."""
    times = [str(done.made.get("finished", "")) for done in archive.finished.values()]
    return f"{len(times)}-{max(times, default='')}"


def telling(archive: Archive) -> Chapter:
    """Return the experiment that stands for a study; another one where it was not run."""
    every = chapters(archive)
    first = [c for c in every if c.experiment.name == archive.study.telling] or every[:1]
    drawn = [c for c in every if c.done is not None and c.experiment.figure is not None]
    return next((c for c in first if c in drawn), drawn[0] if drawn else first[0])


def _card(study: Study, runs: dict[Size, Archive], stamps: dict[str, str]) -> dict[str, Any]:
    size, archive = next(iter(runs.items()), ("", Archive(study, Path())))
    known = dict(facts(archive))
    now = known.get("Time now", "")
    now = f"{now}, quick" if size == QUICK else f"{now} now"
    times = [f"{study.took} then"] * bool(study.took) + [now] * bool(size)
    chapter = telling(archive)
    counts = _counts(archive) if size else []
    has_picture = chapter.done is not None and chapter.experiment.figure and not missing()
    return {
        "name": study.name,
        "title": study.title,
        "line": " · ".join(filter(None, [study.game, ", ".join(times)])),
        "size": size,
        "runs": stamps,
        "counts": [{"ruling": ruling, "count": count} for ruling, count in counts],
        "seeds": _seeds(known.get("Seeds", "")),
        "picture": f"/studies/{study.name}/picture?of={stamp(archive)}" if has_picture else "",
        "alt": chapter.alt,
        "about": study.about,
        "told": None if chapter.done else _told(chapter.experiment.published),
    }


def _counts(archive: Archive) -> list[tuple[str, int]]:
    try:
        return tally(archive.study.judge(archive.results))
    except Exception:  # a run of another version may lack what a claim reads
        log.exception("the claims of study %s cannot be judged", archive.study.name)
        return []


def _report(archive: Archive, form: str) -> str | bytes:
    try:
        return FORMS[form](archive)
    except Exception:  # as above
        log.exception("the report of study %s cannot be made", archive.study.name)
        raise FourlabError(
            f"the report of {archive.study.name} cannot be made of this run; rerun it"
        ) from None


def _seeds(told: str) -> str:
    """Return how many seeds trainings have, '' without any: `outline.facts` in short."""
    number, _, rest = told.partition(" for each training")
    return "" if number == told else f"{number} seeds{rest}"


def _told(published: Published | None) -> dict[str, Any]:
    """Return what was published, for a card without a run."""
    made = published_alone(published)
    shown = made.rows[:SHOWN_ROWS] if made else ()
    return {
        "said": published.said if published else "",
        "source": published.source if published else "",
        "heads": [head.title for head in made.heads] if made else [],
        "rows": [[entry.ours for entry in row] for row in shown],
        "left": len(made.rows) - len(shown) if made else 0,
    }


def _picture(archive: Archive) -> str:
    chapter = telling(archive)
    if chapter.findings is None or chapter.experiment.figure is None or missing():
        return ""
    try:
        with drawn_for(CARD):
            drawn = chapter.experiment.figure(chapter.findings, chapter.experiment.published)
            text = svg_text(drawn, f"{archive.study.name}-card")
    except Exception:  # a run of another version may lack what the figure shows
        log.exception("the figure of study %s cannot be drawn", archive.study.name)
        return ""
    return text.replace("<svg ", f'<svg role="img" aria-label="{escape(chapter.alt)}" ', 1)
