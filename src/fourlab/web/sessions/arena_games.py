"""The games of one pair of an event, a page at a time, out of the record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fourlab.arena.records import Records
from fourlab.web.events import LiveEvent
from fourlab.web.limits import RECORD

PAGE = 20  # games of a page


@dataclass
class PairGames:
    """The pair that a visitor looks at, by the numbers of its players, and its games."""

    row: int
    column: int
    page: int = 0
    games: list[dict[str, Any]] | None = None  # None until they are read

    @property
    def place(self) -> tuple[int, int, int]:
        """Which pair it is, and which of its pages."""
        return self.row, self.column, self.page


def games_between(live: LiveEvent, one: str, other: str, page: int) -> list[dict[str, Any]]:
    """Return a page of the recorded games of two players of an event as plain data, in order."""
    event = live.event()
    (pairing,) = [found for found in event.pairings() if {found.a, found.b} == {one, other}]
    with Records(RECORD) as records:
        values = (records.pairing(pairing), event.games)
        found = records.listing("pairing = ? AND number < ?", values, PAGE, page * PAGE)
        return [game.to_json() for game in found]
