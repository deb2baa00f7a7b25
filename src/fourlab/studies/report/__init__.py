"""Reports of studies: one HTML file, Markdown, figures, and what the terminal shows."""

from __future__ import annotations

import io
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZipFile

from fourlab.core.storage import replacing
from fourlab.studies.archive import REPORT, Archive
from fourlab.studies.report.html import fragment, page, styles
from fourlab.studies.report.markdown import text_of
from fourlab.studies.report.pictures import write_pictures
from fourlab.studies.report.terminal import summary

__all__ = ["fragment", "page", "styles", "summary", "write_report", "zipped"]


def write_report(archive: Archive, folder: Path | None = None, pixels: bool = True) -> list[Path]:
    """Write report.html, report.md and the figures, into a study's own folder if none is named.

    Figures are SVG, and with `pixels` PNG too.
    """
    target = folder or archive.folder
    paths = []
    for name, text in zip(REPORT, (page(archive), text_of(archive)), strict=False):
        paths.append(target / name)
        with replacing(paths[-1]) as file:
            file.write(text.encode())
    formats = (".png", ".svg") if pixels else (".svg",)
    return [*paths, *write_pictures(archive, target, formats)]


def zipped(archive: Archive) -> bytes:
    """Return a ZIP file of report.md and the figures that it shows."""
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as made, TemporaryDirectory() as place:
        made.writestr("report.md", text_of(archive))
        for path in write_pictures(archive, Path(place), (".png",)):
            made.write(path, path.relative_to(place))
    return buffer.getvalue()
