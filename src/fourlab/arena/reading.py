"""How a record is opened by who only reads it: nothing is written that is not there already.

SQLite reads a file with a log through a third one, which it must make or find. Where it can do
neither, on a full disk or in a folder that may not be written, a file without a log is read as it
lies; the games in a log are never left out.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from pathlib import Path
from sqlite3 import Connection

from fourlab.core.storage import StorageError

LOG = "-wal"  # at the end of the name of SQLite's log


def log_of(path: Path) -> Path:
    """Return where SQLite keeps the log of a file: beside the file, not beside a link to it."""
    return Path(os.path.realpath(path) + LOG)


def may_write(path: Path) -> bool:
    """Return whether a file that is there may be written, and its log beside it."""
    place = Path(os.path.realpath(path))
    return os.access(place, os.W_OK) and os.access(place.parent, os.W_OK)


def open_to_read(path: Path, wait: float) -> Connection:
    """Open a file with all that its log holds; raises sqlite3.Error, or StorageError.

    It waits so many seconds for who writes.
    """
    log = log_of(path)
    if may_write(path):
        ways = ["mode=rw"]  # it takes away again what it needed beside the file
    else:
        ways = ["mode=ro"] if log.exists() else []
    for way in ways:
        try:
            return _opened(path, way, wait)
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                raise
    with contextlib.suppress(OSError):
        if log.stat().st_size:
            raise StorageError(
                f"cannot read {path}: games of it are in {log.name}, which cannot be read where "
                "nothing can be written; copy both to another folder"
            )
    return _opened(path, "immutable=1", wait)


def _opened(path: Path, way: str, wait: float) -> Connection:
    place = f"{path.absolute().as_uri()}?{way}"
    connection = sqlite3.connect(place, timeout=wait, isolation_level=None, uri=True)
    try:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("SELECT 1 FROM sqlite_master").fetchone()  # no file is opened before
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def in_memory(connection: Connection) -> Connection:
    """Return a copy that may be changed; the original is closed."""
    copy = sqlite3.connect(":memory:", isolation_level=None)
    with contextlib.closing(connection):
        connection.backup(copy)
    return copy
