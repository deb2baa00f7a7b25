"""How much is kept, and how long: data, so that a page can say it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fourlab.core.files import user_folder

UNDO_SECONDS = 10.0  # in which what was deleted can be brought back
WARNING_DAYS = 7.0  # before something goes because nobody opened it
SPACE_EACH = 256 << 20  # bytes of one visitor, files of runs included
SPACE_IN_ALL = 8 << 30
MOST_TITLE = 60  # characters


@dataclass(frozen=True)
class Bound:
    """What may be kept of one kind; where `makes_room`, the oldest goes when it is full."""

    each: int  # items of one visitor
    in_all: int
    body: int  # bytes of an item's JSON text
    days: float  # after which an item that nobody opened is deleted
    makes_room: bool = False


KINDS = {
    "run": Bound(each=20, in_all=400, body=128 << 10, days=30),
    "game": Bound(each=500, in_all=10_000, body=16 << 10, days=90, makes_room=True),
    "event": Bound(each=20, in_all=400, body=64 << 10, days=30),
    "story": Bound(each=1, in_all=400, body=64 << 10, days=30, makes_room=True),  # of Home
}


def default_folder() -> Path:
    """Return where things are kept if nobody says otherwise."""
    return user_folder("XDG_DATA_HOME", "~/.local/share") / "fourlab" / "kept"
