"""Certificates: what was proven of players against every reply, and the making of another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fourlab.core.errors import FourlabError
from fourlab.core.spec import parse
from fourlab.learning.registry import LEARNERS
from fourlab.rules.catalog import name_of
from fourlab.web.certificates import MOST_CELLS, Certificates
from fourlab.web.circle import Circle
from fourlab.web.keep.shelf import Shelf
from fourlab.web.limits import read_game, written
from fourlab.web.runs.room import Room
from fourlab.web.sessions.arena_players import kept_runs, own_runs
from fourlab.web.sessions.arena_view import short
from fourlab.web.sessions.base import Session, View
from fourlab.web.sessions.certificate_view import card, row, run_of, shipped, walking
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

    actions = frozenset({"certify", "stop_walk", "board", "train_on"})

    def __init__(
        self,
        bench: Any,
        query: Mapping[str, str],
        certificates: Certificates,
        shelf: Shelf,
        room: Room,
        name: str = "",
    ) -> None:
        super().__init__(bench)
        self.certificates, self.shelf, self.room, self.name = certificates, shelf, room, name
        self.who = shelf.owner
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
        self.game = name_of(rules)
        self.runs = own_runs(rules)

    def certify(self, spec: str, side: str, strict: bool) -> None:
        """Play an agent against every reply."""
        rules = read_game(self.game)
        spec = str(spec).strip()
        self.certificates.ask(self.bench, self.who, spec, rules, str(side), strict is True)

    def stop_walk(self) -> None:
        """Stop certifying."""
        self.certificates.stop(self.who)

    def train_on(self, name: str) -> None:
        """Let the run that a certificate refutes go on from the holes, and certify it again."""
        why = self._why_not(name)
        if why:
            raise FourlabError(why)
        going = self.certificates.circles.get(self.who)
        if self.certificates.is_running(self.who) or (going and going.is_going_on):
            raise FourlabError("one player of yours is being certified; wait for that first")
        circle = Circle(self.bench, self.certificates, self.who, name)
        run = run_of(circle.found, self.shelf.keep)
        circle.begin(self.room.enter(run), self.certificates.tell)
        self.certificates.circles[self.who] = circle

    def _why_not(self, name: str) -> str:
        """Say why no run can go on from the holes of a certificate, nothing if one can."""
        found = self.certificates.load(name)
        run = run_of(found, self.shelf.keep)
        if not run:
            return "Only a run on your shelf can go on from here; this player is none."
        item = self.shelf.keep.get(run)
        if not self.shelf.owns(item):
            return "This run is another visitor’s; copy it on its page, and certify the copy."
        kind = LEARNERS[parse(item.body["query"]["learner"]).name]
        if not hasattr(kind, "begin_at"):
            return f"{kind.title} begins all its games on the empty board."
        try:
            self.certificates.path(name, ".holes")
        except FourlabError:
            return "Its holes were not kept with the certificate."
        return ""

    # What the page shows

    def view(self) -> View:
        names, others = self.certificates.names(), self.certificates.shipped()
        shown = [self.name] if self.name else self._latest(names)
        walk = self.certificates.walks.get(self.who)
        circle = self.certificates.circles.get(self.who)
        return {
            "name": self.name,
            "cards": [self._card(name) for name in shown],
            "list": [] if self.name else [self._row(name) for name in names],
            "shipped": [] if self.name else [self._card(name) for name in others],
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
            "circle": None if circle is None else circle.view(),
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

    def _card(self, name: str) -> dict[str, Any]:
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
        if name in self.certificates.shipped():
            return card(name, found, files) | shipped(name, found)
        why = "" if found.certified else self._why_not(name)
        run = run_of(found, self.shelf.keep)
        keep = self.shelf.keep
        player = keep.get(run).title if run else written(found.agent, keep.root)
        return card(name, found, files) | {"whyNot": why, "player": player}

    def _row(self, name: str) -> dict[str, Any]:
        try:
            return row(name, self.certificates.load(name))
        except FourlabError as error:
            return {"name": name, "damaged": str(error)}

    def _players(self) -> dict[str, str]:
        runs = {spec: f"Run: {short(spec)}" for spec in self.runs}
        own = kept_runs(self.shelf, read_game(self.game)).items()
        return {**OFFERED, **{spec: f"Your run: {title}" for spec, title in own}, **runs}

    def _announce(self) -> str:
        walk = self.certificates.walks.get(self.who)
        if walk is None:
            return ""
        return {"running": "Certifying.", "stopped": "Stopped."}.get(walk.state, "Done.")
