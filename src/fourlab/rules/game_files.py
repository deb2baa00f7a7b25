"""Games in other people's formats: JSON lines and CSV that become tables, and PGN.

Programs that make tables take every text of digits for a number: the moves 4453, the id 3.10. So
moves are separated by spaces here, and ids begin with #. Both are read back wherever moves and ids
are.
"""

from __future__ import annotations

import csv
import io
import json
import re
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from fourlab.core.errors import NotationError
from fourlab.core.files import lines_of, text_of
from fourlab.core.storage import reading
from fourlab.rules.catalog import game as find_game
from fourlab.rules.position import read_moves
from fourlab.rules.record import ID_MARK, GameRecord, load_games

RESULTS = {"first": "1-0", "draw": "1/2-1/2", "second": "0-1", "in progress": "*"}
COLUMNS = (
    "id", "game", "first", "second", "outcome", "moves", "plies", "seed", "first_seconds",
    "second_seconds", "forfeit", "started",
)  # fmt: skip
PGN_WIDTH = 79  # characters of a line, as PGN wants it
# A comment without an end stops where another game begins. A line of a comment may look like a tag.
NEXT_GAME = r'\n(?:\[Event\s*"|[ \t]*\n\[\s*\w+\s*"(?:\\.|[^"\\\n])*"[ \t]*\][ \t]*\n)'
PGN_TOKEN = re.compile(
    rf"""\s*(?:\[\s*(\w+)\s*"((?:\\.|[^"\\])*)"\s*\]  # a tag
    |\{{(?:(?!{NEXT_GAME})[^}}])*\}}  # a comment
    |;[^\n]* |%[^\n]* |\$\d+ |\d+\.+  # what is passed over too: comments, marks, numbers
    |([()]) |(1-0|0-1|1/2-1/2|\*)(?=\s|$)  # variations; how it ended
    |([^\s()\[\]{{}};]+) |$)""",  # a move
    re.VERBOSE,
)
USUAL_ENDS = ("", "normal", "unterminated")  # PGN's words for a game that nobody broke off


def spaced(record: GameRecord) -> str:
    """Return the moves of a game from 1 on, apart from each other."""
    moves = read_moves(find_game(record.game), record.moves)
    return " ".join(str(move + 1) for move in moves)


def json_line(record: GameRecord) -> str:
    """Return a game as a line that `GameRecord.from_line` reads, and pandas without harm."""
    data = json.loads(record.to_line())
    return json.dumps({**data, "id": ID_MARK + record.id, "moves": spaced(record)}) + "\n"


def csv_line(record: GameRecord) -> str:
    """Return a game as a line of comma-separated values."""
    first, second = record.seconds
    told = {**vars(record), "id": ID_MARK + record.id, "moves": spaced(record)}
    told |= {"first_seconds": first, "second_seconds": second}
    return _row(told[column] for column in COLUMNS)


def _row(cells: object) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)  # type: ignore[arg-type]
    return text.getvalue()


def pgn(record: GameRecord) -> str:
    """Return a game in PGN: its seven mandatory tags in their order, ours, and the moves from 1.

    The first player is White.
    """
    pairing, _, number = record.id.rpartition(".")
    first, second = record.seconds
    tags = {
        "Event": f"fourlab arena {pairing}" if pairing else "fourlab",
        "Site": "?",
        "Date": record.started[:10].replace("-", ".") or "????.??.??",
        "Round": number or "-",
        "White": record.first,
        "Black": record.second,
        "Result": RESULTS[record.outcome],
        "Variant": record.game,
        "Seed": str(record.seed),
        "OpeningPlies": str(record.plies),
        **({"UTCTime": record.started[11:19]} if record.started[11:19] else {}),
        **({"WhiteSeconds": str(first), "BlackSeconds": str(second)} if first or second else {}),
        **({"Termination": record.forfeit} if record.forfeit else {}),
    }
    head = "".join(f'[{name} "{_escaped(text)}"]\n' for name, text in tags.items())
    moves = spaced(record).split()
    turns = [f"{i // 2 + 1}. {' '.join(moves[i : i + 2])}" for i in range(0, len(moves), 2)]
    text = textwrap.fill(" ".join([*turns, RESULTS[record.outcome]]), PGN_WIDTH)
    return f"{head}\n{text}\n\n"


def _escaped(text: str) -> str:
    """Return the value of a tag: on one line, quotes and backslashes escaped."""
    line = text if text.isprintable() else " ".join(text.split())
    return line.replace("\\", "\\\\").replace('"', '\\"')


def read_pgn(text: str) -> Iterator[GameRecord]:
    """Yield the games of a PGN text, ours or another's; raises NotationError that names the game.

    Without `Variant` it is connect4. Comments, variations and marks of moves are passed over.
    """
    tags: dict[str, str] = {}
    moves: list[str] = []
    number, depth, place = 1, 0, 0
    text += "\n*" if text.strip() else ""  # ends a game that nothing else ends
    while place < len(text):
        found = PGN_TOKEN.match(text, place)
        if found is None:
            raise NotationError(f"game {number}: {text[place : place + 40]!r} is no PGN")
        place = found.end()
        tag, value, bracket, result, move = found.groups()
        depth += {"(": 1, ")": -1}.get(bracket, 0)
        if depth < 0 or (depth and (tag is not None or place == len(text))):
            raise NotationError(f"game {number}: its variations do not match; each ( needs a )")
        ends = result is not None or (tag is not None and bool(moves))
        if not depth and ends and (tags or moves):
            yield _from_pgn(number, tags, moves, result or "*")
            number, tags, moves = number + 1, {}, []
        if tag is not None:
            tags[tag] = re.sub(r"\\(.)", r"\1", value)
        elif move is not None and not depth:
            moves.append(move.rstrip("!?"))


def _from_pgn(number: int, tags: dict[str, str], moves: list[str], result: str) -> GameRecord:
    """Return a game from its tags and moves; `result` counts, or its tag where that says more."""
    outcomes = {mark: outcome for outcome, mark in RESULTS.items()}
    mark = tags.get("Result", "*") if result == "*" else result
    event, played, date = (tags.get(name, "") for name in ("Event", "Round", "Date"))
    pairing = re.fullmatch(r"fourlab arena (\d+)", event)
    day = date.replace(".", "-") if re.fullmatch(r"\d{4}\.\d\d\.\d\d", date) else ""
    clock = f"T{tags['UTCTime']}Z" if day and "UTCTime" in tags else ""
    ended = tags.get("Termination", "").strip()
    try:
        record = GameRecord(
            game=tags.get("Variant", "connect4"),
            first=tags.get("White", "?"),
            second=tags.get("Black", "?"),
            seed=int(tags.get("Seed", "0")),
            moves=",".join(moves),
            outcome=outcomes[mark],
            seconds=(float(tags.get("WhiteSeconds", "0")), float(tags.get("BlackSeconds", "0"))),
            plies=int(tags.get("OpeningPlies", "0")),
            forfeit=None if ended.lower() in USUAL_ENDS else ended,
            id=f"{pairing[1]}.{played}" if pairing else "",
            started=day + clock,
        ).checked()
        if record.position().ply != len(moves):  # 44 is no column, nor two of them
            raise NotationError(f"{' '.join(moves)[:40]!r} holds a move of two columns")
        return record
    except KeyError:
        raise NotationError(f"game {number}: {mark!r} is no result of PGN") from None
    except (ValueError, TypeError) as error:  # FourlabErrors of moves and games too
        raise NotationError(f"game {number}: {error}") from None


def read_games(path: Path) -> list[GameRecord]:
    """Return the games of a file that ends in .jsonl or .pgn; raises FourlabError."""
    if path.suffix == ".jsonl":
        return list(load_games(path))
    if path.suffix != ".pgn":
        raise NotationError(
            f"cannot read games from {path}; name a file that ends in .jsonl or .pgn"
        )
    with reading(path):
        text = text_of(path, errors="replace")
    try:
        return list(read_pgn(text))
    except NotationError as error:
        raise NotationError(f"{path}, {error}") from None


class Format(NamedTuple):
    """How a file of games is written, and what its first line holds."""

    head: str
    text: Callable[[GameRecord], str]
    sign: str


FORMATS = {
    ".csv": Format(_row(COLUMNS), csv_line, _row(COLUMNS)),
    ".jsonl": Format("", json_line, f'"id": "{ID_MARK}'),
    ".pgn": Format("", pgn, '[Event "fourlab'),
}


def is_export(path: Path) -> bool:
    """Return whether a file of games is one that was exported; raises StorageError."""
    with reading(path):
        return FORMATS[path.suffix].sign in next(lines_of(path))
