"""The figures of a report, drawn where matplotlib is installed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fourlab.core.errors import MissingExtraError
from fourlab.studies.archive import REPORT, Archive
from fourlab.studies.base import Experiment
from fourlab.studies.canvas import NARROW, drawn_for, new_figure, save, svg_text
from fourlab.studies.findings import Findings

*_, FOLDER = REPORT


@dataclass(frozen=True)
class Picture:
    """A figure as SVG for a page and for a phone; '' for the latter where they are the same."""

    wide: str
    narrow: str


def missing() -> str:
    """Return what brings figures where they cannot be drawn, '' where they can."""
    try:
        new_figure(1, 1)
    except MissingExtraError as error:
        return str(error)
    return ""


def picture(experiment: Experiment, found: Findings) -> Picture | None:
    """Draw an experiment for the inside of a page; None without a figure or matplotlib."""
    if experiment.figure is None or missing():
        return None
    wide = svg_text(experiment.figure(found, experiment.published), f"{experiment.name}-wide")
    with drawn_for(NARROW):
        drawn = experiment.figure(found, experiment.published)
    narrow = svg_text(drawn, f"{experiment.name}-narrow")
    is_same = _view(wide) == _view(narrow)  # a figure that does not ask how wide the page is
    return Picture(wide, "" if is_same else narrow)


def _view(svg: str) -> str:
    return svg.split("viewBox=", 1)[1].split(">", 1)[0]


def write_pictures(archive: Archive, folder: Path, formats: tuple[str, ...]) -> list[Path]:
    """Write every figure into a folder in some formats, such as .png and .svg."""
    paths: list[Path] = []
    if missing():
        return paths
    for experiment in archive.study.experiments:
        done = archive.finished.get(experiment.name)
        if done is None or experiment.figure is None:
            continue
        figure = experiment.figure(done.findings, experiment.published)
        for suffix in formats:
            paths.append(folder / FOLDER / f"{experiment.name}{suffix}")
            save(figure, paths[-1])
    return paths
