"""Folders and files in which one program alone is at work."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fourlab.core.files import at_once, which
from fourlab.core.storage import AtWorkError, StorageError, reading, unfinished


@dataclass(frozen=True)
class Held:
    """What a program holds alone, as long as its path leads there."""

    place: Path
    which: tuple[int, int] | None

    @property
    def is_elsewhere(self) -> bool:
        """Whether the path leads to something else by now, or nowhere."""
        return which(self.place) != self.which

    def check(self) -> None:
        """Raise StorageError if it is elsewhere: what is written by its path would go astray."""
        if self.is_elsewhere:
            raise StorageError(
                f"{self.place} was deleted, moved or replaced while this program was at work "
                "there; go on where it lies now, with what was saved by then"
            )


@contextlib.contextmanager
def alone(place: Path) -> Iterator[Held]:
    """Keep every other program out that asks for the same folder or file.

    Raises AtWorkError if another is at work there. What a program was writing into the folder when
    it was killed is thrown away: nobody can be writing now.
    """
    try:
        import fcntl
    except ImportError:  # no such locks here
        yield Held(place, which(place))
        return
    with reading(place):
        handle = at_once(str(place), os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AtWorkError(
                f"another program is at work in {place}; "
                "wait until it ends, stop it, or name another place"
            ) from None
        except OSError:  # a file system without locks
            pass
        for left in unfinished(place):
            with contextlib.suppress(OSError):
                left.unlink()
        found = os.fstat(handle)
        yield Held(place, (found.st_dev, found.st_ino))
    finally:
        os.close(handle)
