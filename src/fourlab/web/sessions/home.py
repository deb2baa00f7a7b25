"""Home: a board with the truth above it, and a learner that grows up beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from fourlab.core.errors import FourlabError
from fourlab.rules.position import write_moves
from fourlab.web import words
from fourlab.web.keep.shelf import Shelf
from fourlab.web.sessions.analyse_view import share_of
from fourlab.web.sessions.base import Session, View, whole
from fourlab.web.sessions.home_story import GROWN, LEARNING, NEWBORN, SECONDS, TICKS, Story
from fourlab.web.sessions.play import PlaySession
from fourlab.web.sessions.play_view import board_view, game_view, play_view
from fourlab.web.sessions.truth import score_of
from fourlab.web.telling import told
from fourlab.web.words import DEFAULT_GAME

OPPONENT = "mcts:sims=40"
SHOWN = ("game", "board", "at", "canPlay", "canUndo", "status", "players", "overlay", "chips")


class HomeSession(Session):
    """A game of Connect Four and the visitor's story; the game is Play's own."""

    actions = frozenset({"play", "undo", "new", "truth", "drop", "again", "learn"})

    def __init__(
        self, bench: Any, query: Mapping[str, str], story: Story, shelf: Shelf | None = None
    ) -> None:
        super().__init__(bench)
        self.story = story
        self.game = self._board(query, shelf)
        self.game.changed = self._heard
        if query.get("truth") == "off":
            self.game.act("overlay", ["off"])

    def _board(self, query: Mapping[str, str], shelf: Shelf | None) -> PlaySession:
        """Return the game that an address tells; if none, the one that was left unfinished."""
        setting = {"game": DEFAULT_GAME, "opponent": OPPONENT, "overlay": "exact"}
        told = {name: query[name] for name in ("moves", "then", "kept") if name in query}
        if not told and self.story.board:
            left = PlaySession(self.bench, {"kept": self.story.board, **setting}, shelf=shelf)
            if not left.line.last.is_over:
                return left
        return PlaySession(self.bench, {**told, **setting}, shelf=shelf)

    def open(self) -> None:
        if self._heard not in self.story.listeners:
            self.story.listeners.append(self._heard)
        self.game.open()
        super().open()

    def close(self) -> None:
        if self._heard in self.story.listeners:
            self.story.listeners.remove(self._heard)
        self.game.close()
        super().close()

    def _heard(self) -> None:
        self.changed()

    @property
    def url(self) -> str:
        """The address of the board as it stands."""
        line, query = self.game.line, dict[str, str]()
        if line.length:
            rest = write_moves(line.rules, line.last.moves[line.at :])
            told = {"moves": line.position.notation, "then": rest, "kept": self.game.games.name}
            query = {name: text for name, text in told.items() if text or name == "moves"}
        query |= {} if self.game.setting.overlay == "exact" else {"truth": "off"}
        return "/" + ("?" + urlencode(query, safe=",") if query else "")

    # What a visitor does

    def play(self, stones: int, move: int) -> None:
        """Drop a stone on the large board."""
        self._pass("play", stones, move)

    def undo(self) -> None:
        """Take the last move back."""
        self._pass("undo")

    def new(self) -> None:
        """Begin a new game."""
        self._pass("new")

    def truth(self, shown: bool) -> None:
        """Show the exact value of every move, or not."""
        self._pass("overlay", "exact" if shown is True else "off")

    def _pass(self, name: str, *args: Any) -> None:
        done = self.game.act(name, list(args))
        if self.story.board != self.game.games.name:
            self.story.board = self.game.games.name
            self.story.keep()
        if not done and self.game.error:
            raise FourlabError(self.game.error["text"])

    def drop(self, age: int, stones: int, move: int) -> None:
        """Drop a stone against the learner."""
        whole(move, 0, self.story.rules.move_count - 1, "move")
        self.story.drop(whole(age, NEWBORN, GROWN, "age"), stones, move)

    def again(self, age: int) -> None:
        """Play the learner again."""
        self.story.again(whole(age, NEWBORN, GROWN, "age"))

    def learn(self) -> None:
        """Let it learn ten seconds, or pause it."""
        self.story.learn()

    def view(self) -> View:
        seen = play_view(self.game)
        return {
            **{name: seen[name] for name in SHOWN},
            "opponent": words.opponent_of(OPPONENT),
            "bar": self._bar(),
            "counted": counted(seen["chips"]),
            "story": story_view(self.story),
            "announce": " ".join(filter(None, (seen["announce"], spoken(self.story)))),
            "notice": self.game.notice,
            "error": self.error,
            "url": self.url,
        }

    def _bar(self) -> float | None:
        position = self.game.position
        if position.is_over:
            return share_of(position, score_of(position))
        data = self.game.overlay_data
        return share_of(position, data.get("value")) if data else None


def counted(chips: list[dict[str, Any]] | None) -> str:
    """Return the best chip with a number, to say what the number counts."""
    found = [f"{chip['first']} {chip['second']}" for chip in chips or [] if chip.get("second")]
    best = [f"{c['first']} {c['second']}" for c in chips or [] if c.get("best") and c.get("second")]
    return next((text for text in [*best, *found] if "in " in text), "")


def story_view(story: Story) -> dict[str, Any]:
    """Return everything that the page shows of a story."""
    done = story.tick - (story.goal - TICKS)  # ticks of these ten seconds
    spent = done * SECONDS / TICKS
    share = story.points[-1][1] if story.points else None
    return {
        "game": game_view(story.rules),
        "state": story.state,
        "grown": story.is_grown,
        "spent": int(spent),
        "left": max(1, round(SECONDS - spent)),
        "of": SECONDS,
        "share": done / TICKS,
        "games": story.learner.done if not story.points else story.points[-1][0],
        "age": age_of(story),
        "points": [[games, round(won, 3)] for games, won in story.points],
        "from": None if not story.points else f"{story.points[0][1]:.0%}",
        "to": None if share is None else f"{share:.0%}",
        "boards": [board(story, NEWBORN), board(story, GROWN)],
        "failure": told(story.failure),
        "href": story.href,
    }


def age_of(story: Story) -> str:
    """Say how old it is: 'Ten seconds old'."""
    tens = max(1, story.tick // TICKS)
    return "Ten seconds old" if tens == 1 else f"{tens * SECONDS} seconds old"


def board(story: Story, age: int) -> dict[str, Any]:
    """Return one of the two games against it."""
    position = story.games[age].position
    is_open = age == NEWBORN or story.can_play
    return {
        **board_view(position),
        "canPlay": position.to_move == 1 and not position.is_over and is_open,
        "result": result(story, age),
    }


def result(story: Story, age: int) -> dict[str, Any] | None:
    """Say who beat whom, None while the game goes on."""
    position = story.games[age].position
    if not position.is_over:
        return None
    winner = position.outcome.winner
    said = {0: "It beat you", 1: "You beat it", None: "Draw"}[winner]
    return {"side": winner, "text": said, "stones": position.ply}


def spoken(story: Story) -> str:
    """Say aloud where the story stands: states, not progress."""
    if story.state == LEARNING:
        return "The learner is learning."
    grown = result(story, GROWN)
    if grown:
        return f"{grown['text']}."
    return f"The learner is {age_of(story).lower()}; your turn." if story.is_grown else ""
