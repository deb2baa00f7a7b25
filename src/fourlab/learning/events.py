"""TensorBoard event files beside the metrics, where the tensorboard package is installed."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol


class EventWriter(Protocol):
    """Takes lines of metrics."""

    def write(self, line: dict[str, Any]) -> None:
        """Write one line."""
        ...


class _TensorBoard:
    def __init__(self, writer: Any) -> None:
        self._writer = writer

    def write(self, line: dict[str, Any]) -> None:
        for tag, number in scalars(line):
            self._writer.add_scalar(tag, number, line["games"])
        self._writer.flush()


def scalars(line: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, float]]:
    """Yield the numbers of a line with tags such as `truth/good`."""
    for name, value in line.items():
        if isinstance(value, dict):
            yield from scalars(value, f"{prefix}{name}/")
        elif isinstance(value, int | float) and name != "games":
            yield f"{prefix}{name}", float(value)


def event_writer(folder: Path) -> EventWriter | None:
    """Return a writer of event files into a run folder, or None without the package."""
    try:
        summary = import_module("tensorboard.summary")
    except ImportError:
        return None
    return _TensorBoard(summary.Writer(str(folder / "events")))
