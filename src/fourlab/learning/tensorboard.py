"""TensorBoard event files beside the metrics, where the tensorboard package is installed."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from fourlab.core.errors import why

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
    """Give what writes lines of metrics into a run folder; where that cannot be it does nothing."""
    try:
        file, events = _opened(folder / EVENTS)
    except ImportError:
        yield lambda line: None
        return
    except Exception as error:  # protobuf refuses versions of others in many ways
        log.warning("no event files, tensorboard cannot be used: %s", error)
        yield lambda line: None
        return

    def record(line: dict[str, Any]) -> None:
        if file.closed:
            return
        try:
            events(line)
        except OSError as error:  # a full disk: what was learned matters more
            log.warning("no more event files: %s", why(error))
            file.close()

    with file:
        yield record


def _opened(folder: Path) -> tuple[IO[bytes], Record]:
    """Begin a file of events; raises what goes wrong.

    It is written here and now: TensorBoard's own writer does so in a thread, whose errors would be
    seen by nobody who can do without.
    """
    event = import_module("tensorboard.compat.proto.event_pb2").Event
    scalar = import_module("tensorboard.plugins.scalar.summary_v2").scalar_pb
    records = import_module("tensorboard.summary.writer.record_writer").RecordWriter
    folder.mkdir(exist_ok=True)
    path = folder / f"events.out.tfevents.{time.time():017.6f}.{os.getpid()}"
    file = path.open("wb", buffering=0)
    writer = records(file)

    def write(**fields: Any) -> None:
        writer.write(event(wall_time=time.time(), **fields).SerializeToString())

    def add(line: dict[str, Any]) -> None:
        if file.tell() == 0:
            write(file_version="brain.Event:2")
        for tag, number in scalars(line):
            write(step=line["games"], summary=scalar(tag, number))

    return file, add
