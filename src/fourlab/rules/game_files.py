"""Games in other people's formats: JSON lines and CSV that become tables, and PGN.

Programs that make tables take every text of digits for a number: the moves 4453, the id 3.10. So
moves are separated by spaces here, and ids begin with #. Both are read back wherever moves and ids
are.
"""

from __future__ import annotations

import csv
import io
import json
import textwrap
from collections.abc import Callable
from typing import NamedTuple

from fourlab.rules.catalog import game as find_game
from fourlab.rules.position import read_moves
from fourlab.rules.record import ID_MARK, GameRecord

RESULTS = {"first": "1-0", "draw": "1/2-1/2", "second": "0-1", "in progress": "*"}
COLUMNS = (
    "id", "game", "first", "second", "outcome", "moves", "plies", "seed", "first_seconds",
    "second_seconds", "forfeit", "started",
)  # fmt: skip
PGN_WIDTH = 79  # characters of a line, as PGN wants it


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
        **({"Termination": record.forfeit} if record.forfeit else {}),
    }
    head = "".join(f'[{name} "{_escaped(text)}"]\n' for name, text in tags.items())
    moves = spaced(record).split()
    turns = [f"{i // 2 + 1}. {' '.join(moves[i : i + 2])}" for i in range(0, len(moves), 2)]
    text = textwrap.fill(" ".join([*turns, RESULTS[record.outcome]]), PGN_WIDTH)
    return f"{head}\n{text}\n\n"


def _escaped(text: str) -> str:
    """Return the value of a tag: on one line, quotes and backslashes escaped."""
    return " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')


class Format(NamedTuple):
    """How a file of games is written."""

    head: str
    text: Callable[[GameRecord], str]


FORMATS = {
    ".csv": Format(_row(COLUMNS), csv_line),
    ".jsonl": Format("", json_line),
    ".pgn": Format("", pgn),
}
