"""Analyse: one position, what is true of it, and what agents think of it."""

from __future__ import annotations

from fourlab.core.errors import FourlabError
from fourlab.web.limits import read_agent, read_game
from fourlab.web.sessions.analyse_desk import DEFAULT_PAIR, TABS, AnalyseDesk
from fourlab.web.sessions.analyse_truth import LONGER_SECONDS, MOST_SECONDS
from fourlab.web.sessions.analyse_view import SIMULATIONS, analyse_view
from fourlab.web.sessions.base import View, whole
from fourlab.web.sessions.line import GameLine
from fourlab.web.sessions.notation import read_position, read_stones
from fourlab.web.workbench import LONG

MOST_EXPANDED = 40


class AnalyseSession(AnalyseDesk):
    """A position, looked at from every side."""

    actions = frozenset(
        {
            "play",
            "look",
            "game",
            "load",
            "typed",
            "mirror",
            "place",
            "tab",
            "simulate",
            "expand",
            "compare",
            "longer",
            "dismiss",
        }
    )

    def view(self) -> View:
        return analyse_view(self)

    # What a visitor does

    def play(self, stones: int, move: int) -> None:
        """Play a move in the shown position."""
        whole(move, 0, self.rules.move_count - 1, "move")
        if stones == self.line.at and not self.position.is_over:
            self.line.play(move)
            self._moved()

    def look(self, stones: int) -> None:
        """Show the position after so many moves."""
        self.line.look(whole(stones, 0, self.rules.cells, "move"))
        self._moved()

    def game(self, spec: str) -> None:
        """Analyse another game, from its start."""
        self.rules = read_game(spec)
        self.line = GameLine(self.rules.start())
        for index, fallback in enumerate(DEFAULT_PAIR):
            self.pair[index] = self._spec(self.pair[index], fallback)
        self._moved()

    def typed(self, text: str) -> None:
        """Read what is being typed, without moving a stone."""
        if not isinstance(text, str):
            raise FourlabError("type moves, a Kaggle list or a board")
        self.text = text[:2000]
        self.reading = read_position(self.rules, text)

    def load(self, text: str, partly: bool = False) -> None:
        """Show the position that a text describes; what is wrong in it stays said.

        A move string that goes wrong is loaded only as far as it is right, if that is asked for.
        """
        self.typed(text)
        reading = self.reading
        if reading is None or not (
            reading.is_good or (partly is True and reading.kind == "moves" and reading.position.ply)
        ):
            return
        self.line = GameLine(reading.position)
        self._moved()
        if not reading.is_good:
            self.text, self.reading = text[:2000], reading

    def mirror(self) -> None:
        """Reflect the whole line left to right."""
        at = self.line.at
        self.line = GameLine(self.line.last.mirror())
        self.line.look(at)
        self._moved()

    def place(self, stones: list[int]) -> None:
        """Show a board that was set up by hand: 0, 1 or 2 for each cell from the top left."""
        self.line = GameLine(read_stones(self.rules, stones))
        self._moved()

    def tab(self, name: str) -> None:
        """Choose which thinking is shown."""
        if name not in TABS:
            raise FourlabError(f"there is no view {name!r}; {', '.join(TABS)}")
        self.active_tab = name
        self.refresh()

    def simulate(self, count: int) -> None:
        """Search the tree again with another number of simulations."""
        if count not in SIMULATIONS:
            raise FourlabError(f"{str(count)[:20]} simulations are not offered; {SIMULATIONS}")
        self.simulations = count
        self.stop("draw")
        self.tree, self.thought, self.expanded = None, None, set()
        self.refresh()

    def expand(self, path: list[int]) -> None:
        """Show all children of a node, or the usual ones again."""
        whole(len(path), 0, self.rules.cells, "length")
        where = tuple(whole(move, 0, self.rules.move_count - 1, "move") for move in path)
        if where in self.expanded:
            self.expanded.remove(where)
        elif len(self.expanded) < MOST_EXPANDED:
            self.expanded.add(where)
        self._draw()

    def compare(self, side: int, spec: str) -> None:
        """Choose one of the two agents that are compared."""
        read_agent(spec, self.rules)
        self.pair[whole(side, 0, 1, "side")] = spec
        self.opinions[side] = None
        self.refresh()

    def longer(self) -> None:
        """Think on about a position that was not solved in the time given."""
        if self.can_think_longer:
            self.allowed = min(MOST_SECONDS, self.allowed + LONGER_SECONDS)
            self._think(LONG)

    def dismiss(self) -> None:
        """Take the notice away."""
        self.notice = ""
