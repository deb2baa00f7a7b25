"""`Findings`: what was found out about positions that took long, so that no page asks twice.

A page that was left stops thinking; whoever comes back, in another tab or after a restart, goes on
from what is noted here. The newest few hundred stand in one file.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fourlab.core.files import contents
from fourlab.core.spec import WHOLE_LIMIT
from fourlab.core.storage import StorageError, replacing, seal, unseal
from fourlab.rules.catalog import name_of
from fourlab.rules.geometry import BOARD_BITS
from fourlab.rules.position import Position
from fourlab.search.analysis import Analysis
from fourlab.search.scores import Bounds

MOST = 300  # positions
LEAST_SECONDS = 1.0  # what takes less is soon asked again


@dataclass(frozen=True)
class Finding:
    """What is known of a position, and for how long it may be thought about in all."""

    known: Analysis
    allowed: float


class Findings:
    """The newest findings, by position; in memory alone where there is no file."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._entries: dict[str, dict[str, Any]] = {}
        self._is_saved = True
        if path is not None and path.exists():
            with suppress(OSError, ValueError, RecursionError):  # a damaged file is begun anew
                found = unseal(json.loads(contents(path)), path, must=True)
                self._entries = {name: entry for name, entry in found.items() if _is_one(entry)}

    def note(self, known: Analysis, allowed: float) -> None:
        """Add to what is known of a position, if it took a while to find out."""
        if known.seconds < LEAST_SECONDS:
            return
        before, name = self.of(known.position), _name(known.position)
        moves, seconds = dict(known.moves), known.seconds
        if before is not None:  # by another tab, perhaps
            moves |= {m: b & moves[m] if m in moves else b for m, b in before.known.moves.items()}
            seconds, allowed = max(seconds, before.known.seconds), max(allowed, before.allowed)
        self._entries.pop(name, None)
        self._entries[name] = {
            "moves": {str(move): [bounds.low, bounds.high] for move, bounds in moves.items()},
            "nodes": known.nodes,
            "seconds": round(seconds, 3),
            "allowed": allowed,
        }
        while len(self._entries) > MOST:
            del self._entries[next(iter(self._entries))]
        self._is_saved = False

    def of(self, position: Position) -> Finding | None:
        """Return what is known of a position, if it was asked about before."""
        entry = self._entries.get(_name(position))
        if entry is None:
            return None
        moves = {int(move): Bounds(low, high) for move, (low, high) in entry["moves"].items()}
        if not moves.keys() <= set(position.legal_moves()):
            return None
        known = Analysis(position, moves, entry["nodes"], entry["seconds"])
        return Finding(known, entry["allowed"])

    def save(self) -> None:
        """Write the file, if anything has changed."""
        if self._is_saved or self._path is None:
            return
        self._is_saved = True
        with suppress(StorageError), replacing(self._path, durable=False) as file:
            file.write(json.dumps(seal(self._entries)).encode())


def _is_one(entry: Any) -> bool:
    """Return whether an entry of a file is one that `note` may have made."""
    try:
        counts = [number for bounds in entry["moves"].values() for number in bounds]
        ordered = all(low <= high for low, high in entry["moves"].values())
        named = all(move.isdecimal() and len(move) <= 2 for move in entry["moves"])
        numbers = [entry["nodes"], entry["seconds"], entry["allowed"]]
        whole = all(type(one) is int and abs(one) <= BOARD_BITS for one in counts)
        return named and ordered and whole and all(_is_amount(number) for number in numbers)
    except (TypeError, KeyError, ValueError, AttributeError):
        return False


def _is_amount(number: Any) -> bool:
    return type(number) in (int, float) and 0 <= number < WHOLE_LIMIT


def _name(position: Position) -> str:
    """Return what two positions share only if they are the same, however they came about."""
    return f"{name_of(position.rules)} {position.mover:x} {position.occupied:x}"
