"""`GameKeeper`: the place where a game of Play is kept while it is played, and found again."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from fourlab.core.errors import FourlabError
from fourlab.rules.catalog import game, name_of
from fourlab.rules.position import FIRST, SECOND, position_of, read_moves, write_moves
from fourlab.web.keep.item import Body
from fourlab.web.keep.shelf import Shelf
from fourlab.web.keep.store import FullError
from fourlab.web.limits import KEPT
from fourlab.web.sessions.line import GameLine
from fourlab.web.sessions.play_setup import Setup
from fourlab.web.words import COLOURS, DEFAULT_GAME, HUMAN, opponent_of

RECENT = 5  # games that the page itself leads back to


class GameKeeper:
    """Keeps one game at a time on a visitor's shelf; without a shelf nothing is kept.

    `name` is where the game is kept, '' while there is nothing to keep. Another visitor's game is
    not written to: what is played on from it becomes a game of one's own.
    """

    def __init__(self, shelf: Shelf | None = None) -> None:
        self.shelf = shelf
        self.name = self.unkept = ""  # why it is not kept
        self.is_foreign = False  # whether it is another visitor's that is looked at
        self._variations: list[str] = []
        self.recent: list[dict[str, Any]] = []  # the visitor's last games, when this one began
        self.runs: list[dict[str, str]] = []  # what the visitor taught to play, of any board

    def open(self, query: Mapping[str, str]) -> Mapping[str, str]:
        """Take up the game that an address names; what else the address says goes before it.

        The address /game/NAME has the name where others have the board. One that was changed to
        another board leaves the kept game as it is.
        """
        if self.shelf is None:
            return query
        name = query.get("kept") or query.get("game", "")
        try:
            item = self.shelf.open("game", name)
            given = {key: value for key, value in query.items() if value != name}
            given = given if "moves" in given else {**query_of(item.body), **given}
            if game(given.get("game", DEFAULT_GAME)) != game(item.body["game"]):
                raise FourlabError(f"{name} is a game on another board")
        except FourlabError:  # gone, or another board: the address says enough
            self._look()
            return query
        self.is_foreign = not self.shelf.owns(item)
        self.name = "" if self.is_foreign else item.name
        self._look()
        self._variations = [item.body["moves"], *item.body.get("variations", [])]
        return given

    def add_variations(self, line: GameLine) -> None:
        """Give a line the variations that were kept with its game."""
        for text in self._variations:
            with suppress(FourlabError):  # of another board: somebody changed the address
                line.remember(position_of(line.rules, text).moves)

    def begin(self) -> None:
        """A new game begins; the one before stays where it is kept."""
        self.name, self.is_foreign, self.unkept = "", False, ""
        self._look()

    def begun_by(self, mark: str) -> str:
        """Return the name of the visitor's game that a stone with this mark began, or ''."""
        if self.shelf is None or not mark:
            return ""
        games = self.shelf.items("game")
        return next((item.name for item in games if item.body.get("mark") == mark), "")

    def save(self, setting: Setup, line: GameLine, mark: str = "") -> str:
        """Keep the game as it stands; what another tab added to it stays.

        Returns why it cannot be kept, once a game: a full shelf must not stop it.
        """
        if self.shelf is None or line.length == 0:
            return ""
        known, self.unkept = self.unkept, ""
        try:
            self._put(self.shelf, setting, line, mark)
        except FullError as error:
            self.unkept = f"this game is not kept: {error}"
        except FourlabError:  # which names folders of the server
            self.unkept = "this game is not kept: nothing can be written there"
        return "" if known else self.unkept

    def _put(self, shelf: Shelf, setting: Setup, line: GameLine, mark: str) -> None:
        kept = None
        if self.name:
            with suppress(FourlabError):  # deleted meanwhile: it is kept anew
                kept = shelf.open("game", self.name)
                for text in (kept.body["moves"], *kept.body["variations"]):
                    line.remember(tuple(read_moves(line.rules, text)))
        body = body_of(setting, line, mark if kept is None else kept.body.get("mark", ""))
        if kept is None:
            self.name = shelf.add("game", body, title_for(setting)).name
        elif body != kept.body:
            shelf.put(self.name, body)

    def _look(self) -> None:
        """See what else is on the shelf."""
        if self.shelf is None:
            return
        games = [item for item in self.shelf.items("game") if item.name != self.name]
        self.recent = [
            {"name": item.name, "title": item.title, "result": result_of(item.body)}
            for item in games[:RECENT]
        ]
        self.runs = [
            {
                "spec": f"{KEPT}{item.name}",
                "title": item.title,
                "game": item.body.get("query", {}).get("game", DEFAULT_GAME),
            }
            for item in self.shelf.items("run")
            if "agent" in item.body
        ]


def body_of(setting: Setup, line: GameLine, mark: str = "") -> Body:
    """Return a game as it is kept: enough to go on with it, and the mark of its first stone."""
    return {
        "game": name_of(line.rules),
        "first": setting.players[FIRST],
        "second": setting.players[SECOND],
        "starts": setting.starts,
        "moves": line.last.notation,
        "at": line.at,
        "stones": line.length,
        "outcome": line.last.outcome.value,
        "variations": [write_moves(line.rules, moves) for moves in line.variations],
        **({"mark": mark} if mark else {}),
    }


def query_of(body: Body) -> dict[str, str]:
    """Return the address of a kept game as far as Play reads it."""
    first, second = body["first"], body["second"]
    moves = read_moves_of(body)
    query = {"game": body["game"], "starts": body["starts"], **moves}
    if first != HUMAN and second == HUMAN:
        return {**query, "opponent": first, "you": "second"}
    return {**query, "opponent": second, **({} if first == HUMAN else {"watch": first})}


def read_moves_of(body: Body) -> dict[str, str]:
    """Return the moves that were shown, and those after them."""
    rules = game(body["game"])
    moves = read_moves(rules, body["moves"])
    at = body["at"]
    return {"moves": write_moves(rules, moves[:at]), "then": write_moves(rules, moves[at:])}


def result_of(body: Body) -> str:
    """Say how a game stands for the person who played it: 'lost, 28 moves'."""
    stones = f"{body['stones']} move{'' if body['stones'] == 1 else 's'}"
    winner = {"first": FIRST, "second": SECOND}.get(body["outcome"])
    if winner is None:
        return f"draw, {stones}" if body["outcome"] == "draw" else stones
    people = [side for side, key in enumerate(("first", "second")) if body[key] == HUMAN]
    if len(people) != 1:
        return f"{COLOURS[winner].lower()} won, {stones}"
    return f"{'won' if people[0] == winner else 'lost'}, {stones}"


def title_for(setting: Setup) -> str:
    """Return the title of a game: who played."""
    names = [_name(player) for player in setting.players]
    if setting.people == 1:
        return f"Against {names[1 - setting.you]}"
    return "Two people" if setting.people else " and ".join(names)


def _name(player: str) -> str:
    who = opponent_of(player)
    return (
        f"{who['title']}, {who['strength']}" if who["level"] and who["strength"] else who["title"]
    )
