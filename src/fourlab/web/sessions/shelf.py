"""Shelf: what a visitor has: runs, games and events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fourlab.core.errors import FourlabError
from fourlab.web.events import IDLE, RUNNING
from fourlab.web.keep.bounds import UNDO_SECONDS
from fourlab.web.keep.shelf import Shelf
from fourlab.web.runs.room import Room
from fourlab.web.sessions.base import Session, View
from fourlab.web.sessions.shelf_view import shelf_view

REFRESH_SECONDS = 2.0
FEW_GAMES, ALL_GAMES = 5, 500


class ShelfSession(Session):
    """One page that shows a visitor's shelf."""

    actions = frozenset({"toggle", "rename", "delete", "restore", "all_games"})

    def __init__(self, bench: Any, query: Mapping[str, str], *, shelf: Shelf, room: Room) -> None:
        super().__init__(bench)
        self.shelf, self.room = shelf, room
        self.games_shown = ALL_GAMES if query.get("games") == "all" else FEW_GAMES
        self.deleted: dict[str, str] | None = None  # what can be brought back

    def view(self) -> View:
        return shelf_view(self)

    def refresh(self) -> None:
        """Look again once in a while: runs go on."""
        if self.is_open:
            self.changed()
            self.after("look", REFRESH_SECONDS, self.refresh)

    # What a visitor does

    def toggle(self, name: str) -> None:
        """Let a run go on, or pause it."""
        if not self.shelf.owns(self.shelf.open("run", name)):
            raise FourlabError("only the browser that made it can do this here")
        self.room.enter(name).run()

    def rename(self, name: str, title: str) -> None:
        """Give an item another title."""
        self.shelf.rename(name, title)

    def delete(self, name: str) -> None:
        """Delete an item; for ten seconds it can be brought back."""
        item = self.shelf.keep.get(name)
        if item.kind == "run":
            self.room.delete(name, self.shelf)
        else:
            self.shelf.delete(name)
        self.deleted = {"name": name, "title": item.title, "kind": item.kind}
        self.after("undo", UNDO_SECONDS, self._too_late)

    def _too_late(self) -> None:
        self.deleted = None
        self.changed()

    def restore(self, name: str) -> None:
        """Bring back what was just deleted."""
        self.room.restore(name, self.shelf)
        item = self.shelf.keep.get(name)
        if item.body.get("state") == RUNNING and item.kind == "event":  # if it is, it says so again
            self.shelf.put(name, {**item.body, "state": IDLE})
        self.stop("undo")
        self.deleted = None

    def all_games(self) -> None:
        """Show every game, or the last few."""
        self.games_shown = FEW_GAMES if self.games_shown == ALL_GAMES else ALL_GAMES
