"""Reports of studies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fourlab.studies.archive import Archive
from fourlab.studies.findings import Measure


def write_report(archive: Archive) -> list[Path]:
    """Write the report."""
    return []


def summary(archive: Archive) -> Iterator[Any]:
    """Yield what the terminal shows."""
    from rich.table import Table

    for experiment in archive.study.experiments:
        if experiment.name not in archive.finished:
            continue
        done = archive.finished[experiment.name]
        table = Table(box=None, pad_edge=False, title=experiment.ask, title_justify="left")
        for column in done.findings.columns:
            table.add_column(column.title)
        for row in done.findings.rows:
            cells = [row.get(column.name) for column in done.findings.columns]
            table.add_row(
                *(
                    f"{c.value:.3f} ({c.low:.3f} to {c.high:.3f})"
                    if isinstance(c, Measure) and c.low is not None
                    else str(c)
                    for c in cells
                )
            )
        yield table
    for verdict in archive.study.judge(archive.results):
        yield f"{verdict.ruling}: {verdict.claim.text} {verdict.evidence.says}"
