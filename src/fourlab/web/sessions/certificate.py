"""Certificates: what was proven of players against every reply, and the making of another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fourlab.core.errors import FourlabError
from fourlab.web.certificates import MOST_CELLS, Certificates
from fourlab.web.limits import read_game
from fourlab.web.sessions.arena_players import own_runs
from fourlab.web.sessions.arena_view import short
from fourlab.web.sessions.base import Session, View
from fourlab.web.sessions.certificate_view import card, row, walking
from fourlab.web.sessions.play_view import GAME_TITLES, game_view

CARDS = 2  # that the list shows whole
DEFAULT = {"player": "perfect", "game": "connect:columns=4,rows=4,k=3", "side": "first"}
OFFERED = {
    "perfect": "Perfect play",
    "minimax:depth=2": "Minimax 2",
    "minimax:depth=4": "Minimax 4",
    "minimax:depth=6": "Minimax 6",
    "net": "The shipped network",
}


class CertificateSession(Session):
    """All certificates, or one of them by name."""

    actions = frozenset({"certify", "stop_walk", "board"})

    def __init__(
        self,
        bench: Any,
        query: Mapping[str, str],
        certificates: Certificates,
        who: str = "",
        name: str = "",
    ) -> None:
        super().__init__(bench)
        self.certificates, self.who, self.name = certificates, who, name
        self.notice = ""
        self.game, self.runs = DEFAULT["game"], list[str]()
        try:
            self.board(query.get("game", self.game))
        except FourlabError as error:
            self.notice = str(error)
        self.asked = query.get("player", DEFAULT["player"])[:200]

    def open(self) -> None:
        if self._heard not in self.certificates.listeners:
            self.certificates.listeners.append(self._heard)
        super().open()

    def close(self) -> None:
        if self._heard in self.certificates.listeners:
            self.certificates.listeners.remove(self._heard)
        super().close()

    def _heard(self) -> None:
        self.changed()

    # What a visitor does

    def board(self, spec: str) -> None:
        """Choose the board on which a player is certified."""
        rules = read_game(spec)
        if rules.cells > MOST_CELLS:
            raise FourlabError(
                f"{rules} has {rules.cells} cells, here {MOST_CELLS} at most; on larger boards: "
                "fourlab certify"
            )
        self.game = spec
        self.runs = own_runs(rules)

    def certify(self, spec: str, side: str, strict: bool) -> None:
        """Play an agent against every reply."""
        rules = read_game(self.game)
        spec = str(spec).strip()
        self.certificates.ask(self.bench, self.who, spec, rules, str(side), strict is True)

    def stop_walk(self) -> None:
        """Stop certifying."""
        self.certificates.stop(self.who)

    # What the page shows

    def view(self) -> View:
        names = self.certificates.names()
        shown = [self.name] if self.name else self._latest(names)
        walk = self.certificates.walks.get(self.who)
        return {
            "name": self.name,
            "cards": [found for name in shown if (found := self._card(name))],
            "list": [] if self.name else [self._row(name) for name in names],
            "games": [
                {"value": spec, "label": title}
                for spec, title in GAME_TITLES.items()
                if read_game(spec).cells <= MOST_CELLS
            ],
            "game": game_view(read_game(self.game)),
            "players": [
                *({"value": spec, "label": title} for spec, title in self._players().items()),
                {"value": "", "label": "Another, as a spec"},
            ],
            "asked": self.asked,
            "walk": None if walk is None else walking(walk),
            "announce": self._announce(),
            "notice": self.notice,
            "error": self.error,
            "url": f"/certificate/{self.name}" if self.name else "/certificate",
        }

    def _latest(self, names: list[str]) -> list[str]:
        """Return the newest that was proven and the newest that was not, or the newest two."""
        verdicts: dict[bool, str] = {}
        for name in names:
            try:
                verdicts.setdefault(self.certificates.load(name).certified, name)
            except FourlabError:
                continue
        found = [verdicts[one] for one in (True, False) if one in verdicts]
        rest = [name for name in names if name not in found]
        return [*found, *rest][:CARDS]

    def _card(self, name: str) -> dict[str, Any] | None:
        try:
            found = self.certificates.load(name)
        except FourlabError as error:
            return {"name": name, "damaged": str(error)}
        files = []
        for suffix in (".json", ".moves", ".holes"):
            try:
                self.certificates.path(name, suffix)
                files.append(suffix[1:])
            except FourlabError:
                continue
        return card(name, found, files)

    def _row(self, name: str) -> dict[str, Any]:
        try:
            return row(name, self.certificates.load(name))
        except FourlabError as error:
            return {"name": name, "damaged": str(error)}

    def _players(self) -> dict[str, str]:
        runs = {spec: f"Run: {short(spec)}" for spec in self.runs}
        return {**OFFERED, **runs}

    def _announce(self) -> str:
        walk = self.certificates.walks.get(self.who)
        if walk is None:
            return ""
        return {"running": "Certifying.", "stopped": "Stopped."}.get(walk.state, "Done.")
