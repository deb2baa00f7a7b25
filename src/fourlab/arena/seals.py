"""Seals: the checksum that every row of the records carries, given and looked at."""

from __future__ import annotations

import zlib
from pathlib import Path
from sqlite3 import Connection

from fourlab.arena.schema import seal_of
from fourlab.core.storage import StorageError

REMEDY = "put a copy in its place, or delete it and play again"
SMALL = ("agents", "pairings", "runs")  # tables that are looked at as a whole


def seal(*columns: str | float | None) -> int:
    """Return the checksum of a row, in SQL `seal(...)`."""
    return zlib.crc32(repr(columns).encode(errors="surrogateescape"))


class Seal:
    """`seal` as SQLite calls it, which swallows what a function raises: Ctrl-C is told of here."""

    def __init__(self) -> None:
        self.is_called_off = False

    def __call__(self, *columns: str | float | None) -> int:
        try:
            return seal(*columns)
        except KeyboardInterrupt:
            self.is_called_off = True
            raise


def put(connection: Connection, table: str, row: int | None) -> int:
    """Give a row of a table that is new its seal; return its id."""
    query = f"UPDATE {table} SET seal = {seal_of(table)} WHERE id = ?"  # noqa: S608
    connection.execute(query, (row,))
    return int(row or 0)


def check(connection: Connection, path: Path) -> None:
    """Refuse a file that was damaged; the rows of games are looked at when they are read."""
    [(found,)] = connection.execute("PRAGMA quick_check(1)").fetchall()
    if found != "ok":
        raise StorageError(f"{path} is damaged: {' '.join(found.split())}; {REMEDY}")
    [(strays,)] = connection.execute("SELECT count(*) FROM pragma_foreign_key_check")
    refuse(path, strays, "rows")  # a game of no pairing would be left out of every question
    for table in SMALL:
        query = f"SELECT count(*) FROM {table} WHERE seal IS NOT {seal_of(table)}"  # noqa: S608
        [(wrong,)] = connection.execute(query)
        refuse(path, wrong, table)


def refuse(path: Path, wrong: int, what: str) -> None:
    """Raise StorageError if rows do not fit their seals."""
    if wrong:
        raise StorageError(
            f"{path} is damaged: {wrong:,} of its {what} do not fit their checksums; {REMEDY}"
        )
