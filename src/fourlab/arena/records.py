"""Records: every game in one SQLite file, each of them once.

A game is known by its pairing (agents, game, seed, conditions) and its number there, and from these
it can be played again. Games are written as they come, many in one transaction: a program that is
killed loses what was under way and nothing else. The file says which schema it has, and older ones
are brought up to date when they are opened, in memory by who only reads. Every row has a checksum:
a file that was damaged is refused.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from fourlab.arena import seals
from fourlab.arena.games import Games, moves_array
from fourlab.arena.identity import identity, labels, meant
from fourlab.arena.pairing import Pairing
from fourlab.arena.place import Place
from fourlab.arena.reading import in_memory, may_write, open_to_read
from fourlab.arena.rows import OUTCOMES, Names, Summary, added_up, game_of, same
from fourlab.arena.schema import (
    APPLICATION,
    LISTING,
    MEETINGS,
    MIGRATIONS,
    SEALED,
    SUMMARY,
    seal_of,
)
from fourlab.core.storage import StorageError, is_folder, is_there, writing
from fourlab.rules.record import GameRecord
from fourlab.version import __version__

ALONE = -1  # the seed of a pairing whose games were played by themselves
WAIT_SECONDS = 5.0  # for another program that is writing
_MARKS = ", ".join("?" * len(SEALED["games"]))
INTO_GAMES = f"INTO games VALUES ({_MARKS}, seal({_MARKS}))"  # takes the columns of a game twice


class Records:
    """An open file of records; a context manager. Every error names the file.

    Who opens it `to_read` finds one, and leaves it as it is.
    """

    def __init__(self, path: Path, to_read: bool = False, wait: float = WAIT_SECONDS) -> None:
        self.path = path
        self._to_read = to_read
        self._wait = wait
        self._seal = seals.Seal()
        if to_read and not is_there(path):
            raise self._none()
        if is_folder(path):
            raise StorageError(f"cannot record games in {path}: it is a folder; name a file")
        self._place: Place | None = None  # of the file, once it is one
        with self._errors(), writing(path):
            if to_read:
                self._connection = open_to_read(path, wait)
            else:
                self._connection = sqlite3.connect(path, timeout=wait, isolation_level=None)
        opened = self._connection
        try:
            with self._errors():
                self._prepare()
                seals.check(self._connection, self.path)
            if self._connection is opened and (not to_read or may_write(path)):
                self._place = Place(path, opened)  # else closing it moves nothing into the file
        except StorageError:
            self._connection.close()
            raise

    def _none(self) -> StorageError:
        return StorageError(f"no games recorded in {self.path}; fourlab arena records them")

    def _prepare(self) -> None:
        """Make a new file, or bring an old one up to date."""
        run = self._connection.execute
        run("BEGIN")  # another program may be making the file: all three are of one moment
        version, application = self._pragma("user_version"), self._pragma("application_id")
        is_new = version == 0 and not run("SELECT 1 FROM sqlite_master").fetchone()
        run("COMMIT")
        if not is_new and application != APPLICATION:
            raise StorageError(f"{self.path} is no fourlab record")
        if not 0 <= version <= len(MIGRATIONS):
            raise StorageError(
                f"{self.path} has schema {version}, this fourlab knows {len(MIGRATIONS)}; "
                "open it with the fourlab that wrote it, or a newer one"
            )
        if self._to_read:
            if is_new:
                raise self._none()
            if version < len(MIGRATIONS):
                self._connection = in_memory(self._connection)
        else:
            self._keep_log()
            run("PRAGMA synchronous = NORMAL")  # safe when the program dies; the disk when it can
        self._connection.create_function("seal", -1, self._seal, deterministic=True)
        if version < len(MIGRATIONS):
            self._migrate()

    def _migrate(self) -> None:
        run = self._connection.execute
        with self._transaction():
            for number in range(self._pragma("user_version"), len(MIGRATIONS)):
                for statement in MIGRATIONS[number].split(";\n"):
                    run(statement)
            run(f"PRAGMA application_id = {APPLICATION}")
            run(f"PRAGMA user_version = {len(MIGRATIONS)}")

    def _keep_log(self) -> None:
        """Let readers and the writer work at once; SQLite does not wait for this by itself."""
        deadline = time.monotonic() + self._wait
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    def _pragma(self, name: str) -> int:
        return int(self._connection.execute(f"PRAGMA {name}").fetchone()[0])

    @contextlib.contextmanager
    def at_once(self) -> Iterator[None]:
        """Do what follows all or not at all, with nobody else's writing in between."""
        with self._errors(), self._transaction():
            yield

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        """Do all of it or nothing; within another one it is a part of that."""
        if self._connection.in_transaction:
            yield
            return
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            if self._place is not None:
                self._place.check()
            self._connection.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):  # SQLite may have rolled back already
                self._connection.execute("ROLLBACK")
            raise

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        """Say in one line what is wrong with the file."""
        try:
            yield
        except OSError as error:
            raise StorageError(f"cannot write {self.path}: {error.strerror}") from None
        except sqlite3.OperationalError as error:
            if self._seal.is_called_off:
                self._seal.is_called_off = False
                raise KeyboardInterrupt from None
            if "locked" in str(error):
                raise StorageError(
                    f"{self.path} is locked by another program; wait until it has finished"
                ) from None
            if "readonly" in str(error):
                raise StorageError(
                    f"{self.path} may not be written; name another record, or make it writable"
                ) from None
            kept = "; the games in it are as they were" if is_there(self.path) else ""
            raise StorageError(f"cannot use {self.path}: {error}{kept}") from None
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # of a damaged schema
            said = str(error).partition("\n")[0]  # it may repeat the schema
            raise StorageError(f"{self.path} is no fourlab record, or damaged: {said}") from None

    def _all(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._errors():
            return self._connection.execute(query, values).fetchall()

    def add_run(self, settings: dict[str, Any]) -> None:
        """Remember the settings of a run, so that it can be gone on with."""
        with self._errors(), self._transaction():
            made = self._connection.execute(
                "INSERT INTO runs (settings, started) VALUES (?, ?)", (json.dumps(settings), _now())
            )
            seals.put(self._connection, "runs", made.lastrowid)

    def last_run(self) -> dict[str, Any]:
        """Return the settings of the last run; raises StorageError if there was none."""
        rows = self._all("SELECT settings FROM runs ORDER BY id DESC LIMIT 1")
        if not rows:
            raise StorageError(f"no run to go on with in {self.path}")
        settings: dict[str, Any] = json.loads(rows[0][0])
        return settings

    def pairing(self, pairing: Pairing) -> int:
        """Return the id of a pairing, new or known."""
        agents = list(zip((pairing.a, pairing.b), pairing.checksums, strict=True))
        conditions = (pairing.seed, pairing.plies, pairing.move_seconds or 0.0)
        with self._errors(), self._transaction():
            run = self._connection.execute
            ids = [self._agent(*known) for known in agents]
            key = (pairing.game, *ids, *conditions)
            found = run(
                "SELECT id FROM pairings WHERE (game, a, b, seed, plies, move_seconds)"
                " = (?, ?, ?, ?, ?, ?)",
                key,
            ).fetchone()
            if found:
                return int(found[0])
            made = run(
                "INSERT INTO pairings (game, a, b, seed, plies, move_seconds, fourlab, started)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (*key, __version__, _now()),
            )
            return seals.put(self._connection, "pairings", made.lastrowid)

    def _agent(self, spec: str, digest: str) -> int:
        """Return the id of an agent, new or known, by whichever path."""
        run, same = self._connection.execute, identity(spec, digest)
        known = run("SELECT id FROM agents WHERE spec = ? AND checksum = ?", (spec, digest))
        for [number] in known:
            return int(number)
        others = run("SELECT id, spec FROM agents WHERE checksum = ? ORDER BY id", (digest,))
        for number, other in others if digest else ():
            if identity(other, digest) == same:
                return int(number)
        made = run("INSERT INTO agents (spec, checksum) VALUES (?, ?)", (spec, digest))
        return seals.put(self._connection, "agents", made.lastrowid)

    def add(self, pairing: int, games: Games, notations: list[str]) -> None:
        """Record games; one that is there already stays as it is."""
        micros = np.rint(games.seconds * 1e6).astype(np.int64).tolist()
        columns = (games.numbers.tolist(), games.results.tolist(), notations, micros)
        forfeits = games.forfeits
        told = {number: json.dumps({"said": texts}) for number, texts in games.said.items()}
        rows = (
            (pairing, number, result, moves, a, b, forfeits.get(number), None, told.get(number)) * 2
            for number, result, moves, (a, b) in zip(*columns, strict=True)
        )
        with self._errors(), self._transaction():
            self._connection.executemany("INSERT OR IGNORE " + INTO_GAMES, rows)

    def keep(self, game: GameRecord) -> str:
        """Keep a game that was played by itself, by people or agents; return its id.

        It stands beside those of the arena, and the ladder counts it if it was finished.
        """
        alone = Pairing(game.game, game.first, game.second, ALONE, game.plies)
        pairing = self.pairing(alone)
        results = {name: result for result, name in OUTCOMES.items()}
        details = {
            "move_seconds": game.move_seconds,
            "decisions": game.decisions,
            "started": game.started or _now(),
            "said": game.said,
        }
        first, second = (round(spent * 1e6) for spent in game.seconds)
        with self._errors(), self._transaction():
            query = "SELECT coalesce(max(number), -2) + 2 FROM games WHERE pairing = ?"
            number = self._connection.execute(query, (pairing,)).fetchone()[0]
            row = (pairing, number, results[game.outcome], game.moves, first, second, game.forfeit,
                   game.seed, json.dumps(details))  # fmt: skip
            self._connection.execute("INSERT " + INTO_GAMES, row * 2)
        return f"{pairing}.{number}"

    def games(self, pairing: int, conditions: Pairing, below: int) -> Games:
        """Return the recorded games of a pairing with numbers below a limit."""
        rows = self._all(
            f"SELECT number, result, moves, a_us, b_us, forfeit, seal IS {seal_of('games')}"  # noqa: S608
            " FROM games WHERE pairing = ? AND number < ?",
            pairing,
            below,
        )
        seals.refuse(self.path, sum(not row[6] for row in rows), "games")
        moves, lengths = moves_array(conditions.rules, [row[2] for row in rows])
        return Games(
            np.array([row[0] for row in rows], np.int64),
            np.array([row[1] for row in rows], np.int8),
            lengths,
            moves,
            np.array([row[3:5] for row in rows], np.float64).reshape(-1, 2) / 1e6,
            {row[0]: row[5] for row in rows if row[5]},
        )

    def count(self) -> int:
        """Return the number of recorded games."""
        return int(self._all("SELECT count(*) FROM games")[0][0])

    def listing(
        self, where: str = "1", values: tuple[Any, ...] = (), limit: int = -1, offset: int = 0
    ) -> Iterator[GameRecord]:
        """Yield recorded games, those of the latest pairing first; `where` is SQL."""
        with self._errors():
            query, names = LISTING.format(where=where), self._names()
            for row in self._connection.execute(query, (*values, limit, offset)):
                seals.refuse(self.path, not row[17], f"games, {row[0]}.{row[1]},")
                yield game_of(row, names)

    def summary(self) -> Summary:
        """Return the results of each game by first and second player."""
        rows = self._all(SUMMARY, json.dumps(same(self._all(MEETINGS, ALONE))))
        seals.refuse(self.path, sum(row[11] for row in rows), "games")
        return added_up(rows, self._names())

    def named(self, text: str) -> dict[int, str]:
        """Return the agents that a text stands for: how they are called, by number."""
        agents = {row[1:]: row[0] for row in self._all("SELECT id, spec, checksum FROM agents")}
        names = labels(agents)
        those = meant(text, names)
        return {number: names[known] for known, number in agents.items() if names[known] in those}

    def _names(self) -> Names:
        """Return how agents are called, by spec and checksum."""
        return labels(self._all("SELECT spec, checksum FROM agents"))

    def beginnings(self) -> dict[str, dict[int, int]]:
        """Return for each game how many games began with openings of how many plies."""
        found: dict[str, dict[int, int]] = {}
        query = "SELECT game, plies, count(*) FROM games JOIN pairings p ON p.id = pairing"
        for game, plies, count in self._all(f"{query} GROUP BY game, plies ORDER BY game, plies"):
            found.setdefault(game, {})[plies] = count
        return found

    def close(self) -> None:
        """Close the file; what waits in the log beside it is moved into it."""
        if self._place is not None:
            self._place.leave()
        self._connection.close()

    def __enter__(self) -> Records:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
