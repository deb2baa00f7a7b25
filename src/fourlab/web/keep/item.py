"""`Item`: one thing that is kept, and its file, which is checked whenever it is read."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from fourlab.core.files import contents
from fourlab.core.storage import StorageError, replacing

FILE, FORMAT = "item.json", 1
NAME = re.compile(r"[a-z0-9][a-z0-9-]{3,63}")
Body = dict[str, Any]


@dataclass(frozen=True)
class Item:
    """A run, a game or an event. What is in `body` is the business of its kind."""

    name: str  # in addresses; whoever knows it can open the item
    kind: str
    title: str
    owner: str  # the visitor who made it, and who alone may rename or delete it
    made: float  # seconds since the epoch, as all times
    changed: float
    opened: float
    body: Body = field(default_factory=dict)


def write_item(folder: Path, item: Item) -> None:
    """Write an item into its folder, all of it or nothing.

    A process that is killed loses nothing by it; only a machine that loses power may.
    """
    text = json.dumps(asdict(item), sort_keys=True)
    full = {"format": FORMAT, "checksum": _checksum(text), "item": json.loads(text)}
    with replacing(folder / FILE, durable=False) as file:
        file.write(json.dumps(full).encode())


def read_item(folder: Path) -> Item:
    """Return the item in a folder; raises StorageError if it is missing, damaged or foreign."""
    path = folder / FILE
    try:
        full = json.loads(contents(path))
        if full["format"] != FORMAT:
            raise StorageError(f"{path} has format {full['format']}, this fourlab reads {FORMAT}")
        if _checksum(json.dumps(full["item"], sort_keys=True)) != full["checksum"]:
            raise StorageError(f"{path} is damaged: its checksum does not fit")
        item = Item(**full["item"])
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, TypeError, KeyError, RecursionError):
        raise StorageError(f"{path} is no item of fourlab, or it is damaged") from None
    if item.name != folder.name:
        raise StorageError(f"{path} is of {str(item.name)[:40]!r}, not of {folder.name!r}")
    return item


def size_of(folder: Path) -> int:
    """Return the bytes of all files of an item."""
    found = 0
    for path in folder.rglob("*"):
        try:
            found += path.stat().st_size
        except OSError:  # replaced at this moment
            continue
    return found


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
