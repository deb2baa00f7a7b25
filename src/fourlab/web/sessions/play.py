"""Play: a game against an agent, between two people, or between two agents."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fourlab.core.errors import FourlabError
from fourlab.rules.geometry import Rules
from fourlab.rules.position import FIRST, SECOND
from fourlab.web.limits import read_agent, read_game
from fourlab.web.sessions.base import View, whole
from fourlab.web.sessions.line import GameLine
from fourlab.web.sessions.overlays import hint_of
from fourlab.web.sessions.play_setup import OVERLAYS, STARTS, Setup
from fourlab.web.sessions.play_table import PlayTable
from fourlab.web.sessions.play_view import play_view
from fourlab.web.sessions.review import Review
from fourlab.web.sessions.truth import solve_moves
from fourlab.web.warm import task_named
from fourlab.web.words import DEFAULT_OPPONENT, HUMAN, opponent_of, title_of
from fourlab.web.workbench import MOVES

HINT_SECONDS = 2.0
MOST_MARK = 20  # characters


class PlaySession(PlayTable):
    """A game that is going on, and everything that can be done to it."""

    actions = frozenset(
        {
            "play",
            "undo",
            "redo",
            "look",
            "new",
            "flip",
            "setup",
            "game",
            "opponent",
            "overlay",
            "hint",
            "review",
            "leave",
            "retry",
            "think",
            "vary",
            "run",
            "dismiss",
        }
    )

    def view(self) -> View:
        return play_view(self)

    # What a visitor does

    def play(self, stones: int, move: int, mark: str = "") -> None:
        """Drop a stone; `stones` says on which position, so that a late click does nothing.

        A stone that begins a game may have a mark of its own. It is sent again where its answer
        was lost with the page: then the game that it began goes on, and none begins.
        """
        whole(move, 0, self.rules.move_count - 1, "move")
        mark = str(mark)[:MOST_MARK]
        begun = "" if self.games.name else self.games.begun_by(mark)
        if begun:
            self._read({"kept": begun, "overlay": self.setting.overlay})
            self._changed()
            return
        if stones != self.line.at or not self.human_to_move:
            return
        self.line.play(move)
        if not self.line.is_at_end and self.setting.players[self.position.to_move] != HUMAN:
            self.line.look(self.line.at + 1)  # the answer that was given before stands
        self._changed(mark)

    def undo(self) -> None:
        """Go back to the person's last turn, or one move where nobody or everybody is a person."""
        stones = self.line.at - 1
        if self.setting.people == 1 and (stones - self.setting.you) % 2:
            stones -= 1
        if stones >= 0:
            self._show(stones)

    def redo(self) -> None:
        """Go forward to the person's next turn, or one move."""
        stones = self.line.at + 1
        if self.setting.people == 1 and (stones - self.setting.you) % 2:
            stones += 1
        self._show(min(stones, self.line.length))

    def look(self, stones: int) -> None:
        """Show the position after so many moves."""
        self._show(whole(stones, 0, self.rules.cells, "move"))

    def new(self) -> None:
        """Begin a new game; who starts is drawn again if it is left to chance."""
        if self.setting.people == 1:
            side = {"you": FIRST, "opponent": SECOND}.get(self.setting.starts)
            self._take_side(int(self.rng.integers(2)) if side is None else side)
        self._begin()

    def flip(self) -> None:
        """Change sides with the opponent and play on."""
        self.setting = _seated(replace(self.setting, players=self.setting.players[::-1]))
        self.agents = self._agents(self.setting)
        self.running = True
        self._changed()

    def setup(self, starts: str) -> None:
        """Say who starts; a game in progress is given up."""
        if starts not in STARTS:
            raise FourlabError(f"{starts!r} cannot start; {', '.join(STARTS)}")
        self.setting = replace(self.setting, starts=starts)
        self.new()

    def game(self, spec: str) -> None:
        """Play another game."""
        rules = read_game(spec)
        players = tuple(self._fitting(player, rules) for player in self.setting.players)
        setting = replace(self.setting, rules=rules, players=(players[0], players[1]))
        self.agents = self._agents(setting)
        changed = [opponent_of(old) for old in self.setting.players if old not in players]
        self.setting = setting
        self.new()
        if changed:
            who = opponent_of(DEFAULT_OPPONENT)["title"]
            self.notice = f"{changed[0]['title']} cannot play {title_of(rules)}; {who} does"

    def opponent(self, spec: str, side: int | None = None) -> None:
        """Play against another agent or a person; the game goes on.

        With a side, two agents are watched and this one is replaced. `watch` lets an agent like
        the opponent take the visitor's side.
        """
        players = list(self.setting.players)
        if spec == "watch":
            agent = DEFAULT_OPPONENT if self.setting.opponent == HUMAN else self.setting.opponent
            players = [agent, agent]
        elif side is not None:
            players[whole(side, FIRST, SECOND, "side")] = spec
        elif self.setting.people == 1:
            players[1 - self.setting.you] = spec
        else:
            players = [HUMAN, spec]
        setting = replace(self.setting, players=(players[0], players[1]))
        if self.setting.people != 1 and setting.starts != "random":
            setting = _seated(setting)
        self.agents = self._agents(setting)
        if setting.people == 0 and self.setting.people > 0:
            self.running = self.line.length == 0
        self.setting = setting
        self._changed()

    def overlay(self, name: str) -> None:
        """Choose what stands above the columns."""
        if name not in OVERLAYS:
            raise FourlabError(f"there is no overlay {name!r}; {', '.join(OVERLAYS)}")
        if name == "values" and self.thinker is None:
            raise FourlabError("values are those of an agent; choose one as opponent")
        self.setting = replace(self.setting, overlay=name)
        self.overlay_data = self.hinted = None
        for kind in ("overlay", "hint"):
            self.stop(kind)
        self.refresh()

    def hint(self) -> None:
        """Find the best moves, exactly if that can be done in a moment."""
        if self.position.is_over:
            return
        position = self.position
        self.hinted = {"moves": [], "text": "Looking for the best move"}

        def found(overlay: dict[str, Any]) -> None:
            if position == self.position and overlay["done"]:
                self.hinted = hint_of(position, overlay)
                self.changed()

        needs = task_named("solver", self.rules)
        self.start(
            "hint", lambda job: solve_moves(job, position, found, HINT_SECONDS), MOVES, needs
        )

    def review(self, move: int | None = None) -> None:
        """Show a turning point, or the last one of the side that lost."""
        seeks = move is None and bool(self.values.missing(self.line.positions))
        move = self.told.decisive(self.line.positions) if move is None else move
        self._show(whole(move, 0, self.rules.cells, "move"))
        if self.line.last.is_over:
            self.told.selected, self.told.seeks = self.line.at, seeks
            self._changed()

    def leave(self) -> None:
        """Leave the review: the game stands as it ended."""
        self._show(self.line.length)

    def retry(self, move: int) -> None:
        """Try a turning point again; the game as it was is kept as a variation."""
        stones = whole(move, 1, self.rules.cells, "move") - 1
        if self.setting.people == 1 and (stones - self.setting.you) % 2:
            stones += 1
        self._show(stones)

    def think(self) -> None:
        """Let the solver take longer over what it did not solve in time."""
        self.told.think_longer()
        self.overlay_data = None
        self.refresh()

    def vary(self, number: int) -> None:
        """Go to a variation; the game becomes one in its place."""
        self.line.choose(whole(number, 0, len(self.line.variations) - 1, "variation"))
        self.told.selected = None
        self.running = False
        self._changed()

    def run(self) -> None:
        """Let two agents go on, or pause them."""
        self.running = not self.running
        if self.running:
            self.line.look(self.line.length)
        self._changed()

    def dismiss(self) -> None:
        """Take the notice away."""
        self.notice = ""

    # How it is done

    def _fitting(self, spec: str, rules: Rules) -> str:
        """Return a player, or the usual opponent where it cannot play a game."""
        try:
            if spec != HUMAN:
                read_agent(spec, rules)
        except FourlabError:
            return DEFAULT_OPPONENT
        return spec

    def _take_side(self, side: int) -> None:
        opponent = self.setting.opponent
        players = (HUMAN, opponent) if side == FIRST else (opponent, HUMAN)
        self.setting = replace(self.setting, players=players)
        self.agents = self._agents(self.setting)

    def _begin(self) -> None:
        self.games.begin()
        self.line = GameLine(self.rules.start())
        self.told = Review()
        self.running = True
        self.notice = ""
        self._changed()

    def _show(self, stones: int) -> None:
        self.line.look(stones)
        self.told.selected = None
        self.running = False
        self._changed()


def _seated(setting: Setup) -> Setup:
    """Return a setup in which the side is said to start that does, where one person plays."""
    if setting.people != 1:
        return setting
    return replace(setting, starts="opponent" if setting.you == SECOND else "you")
