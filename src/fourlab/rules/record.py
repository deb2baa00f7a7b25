"""`GameRecord`: a game, whoever played it and wherever; enough to replay it or play it again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import Any

from fourlab.core.errors import NotationError
from fourlab.core.files import lines_of
from fourlab.core.showing import harmless
from fourlab.core.spec import WHOLE_LIMIT
from fourlab.core.storage import StorageError, check_place, reading, writing
from fourlab.rules.catalog import game as find_game
from fourlab.rules.position import Outcome, Position, position_of

ID_MARK = "#"  # before an id where digits alone would be taken for a number
FORMAT = 2  # of a line; the first had the time of each move in `seconds` and no number


@dataclass(frozen=True)
class GameRecord:
    """A finished or broken-off game. Times are in seconds, of moves that were decided there."""

    game: str
    first: str
    second: str
    seed: int
    moves: str
    outcome: str  # first, second, draw or in progress
    seconds: tuple[float, float] = (0.0, 0.0)  # that the first and the second player thought
    plies: int = 0  # of the opening that nobody decided on
    move_seconds: tuple[float, ...] = ()
    forfeit: str | None = None  # who broke it off, where and why
    decisions: tuple[dict[str, Any], ...] = ()  # what agents thought, where that was wanted
    said: tuple[str, str] = ("", "")  # the end of what either wrote to standard error
    id: str = ""  # in the record that keeps it
    started: str = ""

    def position(self) -> Position:
        """Return the last position of the game."""
        return position_of(find_game(self.game), self.moves)

    def __str__(self) -> str:
        """Return who played, the last board and how it ended, in text."""
        position = self.position()
        ended = self.forfeit or position.outcome.words
        lines = [f"{self.first} – {self.second} on {self.game}", str(position)]
        return "\n".join([*lines, f"{self.moves}: {ended}", *self.words()])

    def words(self) -> list[str]:
        """Return what either wrote to standard error, a text for each who did."""
        sides = zip((self.first, self.second), self.said, strict=True)
        return [f"{who} wrote:\n{text.rstrip()}" for who, text in sides if text.strip()]

    def _repr_html_(self) -> str:
        """Return the game as a notebook shows it, to step through."""
        from fourlab.rules.drawing import game_html  # drawing.py stands on this module

        return game_html(self)

    def to_json(self) -> dict[str, Any]:
        """Return the record as plain data; details that are not known are left out."""
        data = {**vars(self), "seconds": list(self.seconds)}
        data |= {"said": list(self.said) if any(self.said) else []}
        for name in ("move_seconds", "decisions", "said"):
            data[name] = list(data[name])
            if not data[name]:
                del data[name]
        return data

    def to_line(self) -> str:
        """Return the record as one line."""
        return json.dumps({"format": FORMAT, **self.to_json()})

    @classmethod
    def from_line(cls, line: str) -> GameRecord:
        """Read a record; raises NotationError if the line is none or its moves are illegal."""
        try:
            given: dict[str, Any] = json.loads(line)
            if given.pop("format", 1) == 1:
                given |= {"move_seconds": given["seconds"], "seconds": _by_side(given)}
            tuples = ("seconds", "move_seconds", "decisions", "said")
            given |= {name: tuple(given[name]) for name in tuples if name in given}
            record = cls(**given)
            return replace(record, id=record.id.removeprefix(ID_MARK)).checked()
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            why = f"it lacks {error}" if isinstance(error, KeyError) else error
            raise NotationError(f"{line.strip()[:80]!r} is no game record ({why})") from None

    def checked(self) -> GameRecord:
        """Return a record that came from outside, its moves as we write them.

        Raises ValueError or TypeError for what no game can be.
        """
        names = (self.first, self.second, self.outcome, self.started)
        texts = (*names, *self.said, "" if self.forfeit is None else self.forfeit)
        if len(self.said) != 2 or not all(isinstance(text, str) for text in texts):
            raise TypeError("a text is none")
        if not all(name.isprintable() for name in names):
            raise ValueError("a name cannot be shown")
        if type(self.seed) is not int or not abs(self.seed) < WHOLE_LIMIT:
            raise ValueError(f"its seed is {self.seed!r:.40}")
        if type(self.plies) is not int or len(self.seconds) != 2:
            raise TypeError("its opening or its times are no numbers")
        json.dumps((self.decisions, self.move_seconds), allow_nan=False)
        end = self.position()
        if not (0 <= self.plies <= end.ply and all(0 <= s < inf for s in self.seconds)):
            raise ValueError("its opening or its times cannot be")
        if self.outcome not in (outcome.value for outcome in Outcome):
            raise ValueError(f"its outcome is {self.outcome!r:.40}")
        if self.forfeit is None and end.outcome.value != self.outcome:
            raise ValueError(f"its moves do not end in {self.outcome!r}")
        said = (harmless(self.said[0]), harmless(self.said[1]))
        forfeit = self.forfeit and harmless(self.forfeit)
        return replace(self, moves=end.notation, said=said, forfeit=forfeit)


def _by_side(given: dict[str, Any]) -> tuple[float, float]:
    """Return the time of each side in a line of the first format."""
    ply = position_of(find_game(given["game"]), given["moves"]).ply
    return seconds_by_side(ply, given["seconds"])


def seconds_by_side(ply: int, move_seconds: Sequence[float]) -> tuple[float, float]:
    """Return how long each side thought, from the times of the last moves of a game."""
    begin = ply - len(move_seconds)
    sides = [sum(move_seconds[(begin + side) % 2 :: 2]) for side in (0, 1)]
    return round(sides[0], 6), round(sides[1], 6)


def check_lines(path: Path) -> None:
    """Raise StorageError if no lines of games could be added to a file."""
    check_place(path)
    with reading(path):
        if path.is_file():
            try:
                first = next(filter(str.strip, lines_of(path)), "{")
            except UnicodeDecodeError:
                first = ""
            if not first.lstrip().startswith("{"):
                raise StorageError(f"{path} holds something else than games; name another file")


def save_games(path: Path, records: Iterable[GameRecord]) -> None:
    """Append records to a file of lines; one that was cut off there is ended first.

    All of them, or none where the disk is full.
    """
    check_lines(path)
    lines = "".join(f"{record.to_line()}\n" for record in records).encode()
    with writing(path), path.open("ab", buffering=0) as file:
        end = file.tell() if file.seekable() else 0
        if end:
            with path.open("rb") as before:
                before.seek(-1, 2)
                lines = lines if before.read(1) == b"\n" else b"\n" + lines
        left = memoryview(lines)
        try:
            while left:
                left = left[file.write(left) :]
        except OSError:
            if file.seekable():
                file.truncate(end)
            raise


def load_games(path: Path) -> Iterator[GameRecord]:
    """Yield the records of a file of lines, of today's format or earlier ones.

    Raises FourlabError that names the line.
    """
    with reading(path):
        for number, line in enumerate(lines_of(path), start=1):
            try:
                found = [GameRecord.from_line(line)] if line.strip() else []
            except NotationError as error:
                raise NotationError(f"{path}, line {number}: {error}") from None
            yield from found
