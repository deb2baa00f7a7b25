"""Whether the file that games are recorded in is the one that lies at its path, before each write.

Somebody may delete it, move it, or put another one there or into it: SQLite would write on into
what is gone, or mix the pages of two files. Who opens the file after it was overwritten and before
the next look reads a mixture, which the seals of its rows refuse.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
from pathlib import Path
from sqlite3 import Connection

from fourlab.arena.reading import log_of
from fourlab.core.files import which
from fourlab.core.storage import StorageError

LOOKS = 3  # at a file that seems to be another: somebody may be moving the log into it
PAIRINGS = """SELECT id, game, a, b, seed, started,
    (SELECT count(*) FROM games WHERE pairing = id) FROM pairings"""
log = logging.getLogger(__name__)

Counts = dict[tuple[object, ...], int]  # the games of every pairing


class Place:
    """The file at a path, as it is when this is made; SQLite's connection to it."""

    def __init__(self, path: Path, connection: Connection) -> None:
        self._path = path
        self._connection = connection
        self._file = which(path)
        self._stamp = _stamp(path)
        self._held: Counts = _pairings(path) or {}  # in the file itself, without its log

    def check(self) -> None:
        """Raise StorageError if it is another file now."""
        if self.is_elsewhere or self.is_overwritten:
            raise StorageError(
                f"{self._path} was deleted, moved or replaced while games were recorded in it; "
                "those under way are lost"
            )

    @property
    def is_elsewhere(self) -> bool:
        """Whether the file that is open has another path by now, or none."""
        return which(self._path) != self._file

    @property
    def is_overwritten(self) -> bool:
        """Whether something else was written into the file than its own log.

        It is looked into only when it has changed, which it seldom does: games go into the log.
        """
        stamp = _stamp(self._path)
        if stamp == self._stamp:
            return False
        for _ in range(LOOKS):
            found = _pairings(self._path)
            if found is not None and _within(self._held, found) and _within(found, self._all()):
                self._stamp, self._held = stamp, found
                return False
        return True

    def _all(self) -> Counts:
        """Return the pairings in the file and its log."""
        try:
            return _counted(self._connection)
        except sqlite3.DatabaseError:  # pages of two files
            return {}

    def leave(self) -> None:
        """Let SQLite leave the log to the file that it belongs to when the connection is closed.

        It would move it into the file that lies there now.
        """
        if self.is_elsewhere:
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        elif self.is_overwritten:
            with contextlib.suppress(OSError):
                os.truncate(log_of(self._path), 0)
            log.warning("%s was overwritten: what was recorded last is lost", self._path)


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


def _counted(connection: Connection) -> Counts:
    return {tuple(pairing): games for *pairing, games in connection.execute(PAIRINGS)}


def _within(less: Counts, more: Counts) -> bool:
    """Return whether nothing that one holds is missing in the other."""
    return all(more.get(pairing, -1) >= games for pairing, games in less.items())


def _pairings(path: Path) -> Counts | None:
    """Return the pairings in a file itself, without its log; None if it is no such file.

    SQLite opens it: closing it in another way would give up the locks of this process.
    """
    only = f"{path.absolute().as_uri()}?immutable=1"
    try:
        with contextlib.closing(sqlite3.connect(only, uri=True)) as file:
            return _counted(file)
    except sqlite3.OperationalError:  # no table yet
        return {}
    except sqlite3.DatabaseError:
        return None
