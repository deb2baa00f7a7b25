"""TensorBoard event files beside the metrics, where the tensorboard package is installed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

log = logging.getLogger("fourlab.events")

EVENTS = "events"  # what a run folder calls it
Record = Callable[[dict[str, Any]], None]


def scalars(line: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, float]]:
    """Yield the numbers of a line with tags such as `truth/good`."""
    for name, value in line.items():
        if isinstance(value, dict):
            yield from scalars(value, f"{prefix}{name}/")
        elif isinstance(value, int | float) and name != "games":
            yield f"{prefix}{name}", float(value)


@contextmanager
def event_writer(folder: Path) -> Iterator[Record]:
    """Give what writes lines of metrics into a run folder; without the package it does nothing."""
    try:
        summary = import_module("tensorboard.summary")
    except ImportError:
        yield lambda line: None
        return
    except Exception as error:  # protobuf refuses versions of others in many ways
        log.warning("no event files, tensorboard cannot be imported: %s", error)
        yield lambda line: None
        return
    with closing(summary.Writer(str(folder / EVENTS))) as writer:

        def record(line: dict[str, Any]) -> None:
            for tag, number in scalars(line):
                writer.add_scalar(tag, number, line["games"])
            writer.flush()

        yield record
