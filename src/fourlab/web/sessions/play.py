"""Play: a game against an agent, between two people, or between two agents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import numpy as np

from fourlab.agents.base import Agent, Decision
from fourlab.agents.learned import Learned
from fourlab.arena.records import Records
from fourlab.core.errors import FourlabError
from fourlab.rules.catalog import name_of
from fourlab.rules.geometry import Rules
from fourlab.rules.position import FIRST, SECOND, Position
from fourlab.rules.record import GameRecord
from fourlab.web.limits import ANALYSIS_SECONDS, RECORD, read_agent, read_game
from fourlab.web.sessions.base import Session, View, whole
from fourlab.web.sessions.line import GameLine
from fourlab.web.sessions.notation import read_prefix
from fourlab.web.sessions.overlays import hint_of, values_overlay, visits_overlay
from fourlab.web.sessions.play_setup import OVERLAYS, STARTS, Setup, read_setup
from fourlab.web.sessions.play_view import play_view
from fourlab.web.sessions.truth import GameValues, solve_game, solve_moves
from fourlab.web.warm import task_named, task_of
from fourlab.web.words import DEFAULT_OPPONENT, HUMAN
from fourlab.web.workbench import MOVES, Job

VISITS_AGENT = "mcts:sims=2000"
WATCH_SECONDS = 0.7  # between the moves of two agents
HINT_SECONDS = 2.0
MOST_KEPT = 100  # games that one page may keep


class PlaySession(Session):
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
            "explain",
            "run",
            "keep",
            "dismiss",
        }
    )

    def __init__(self, bench: Any, query: Mapping[str, str], seed: int | None = None) -> None:
        super().__init__(bench)
        self.rng = np.random.default_rng(seed)
        self.setting, moves, problems = read_setup(query)
        found = read_prefix(self.setting.rules, moves)
        self.line = GameLine(found.position)
        self.notice = "; ".join([*problems, *([found.error] if found.error else [])])
        self.running = True
        self.values = GameValues()
        self.overlay_data: dict[str, Any] | None = None
        self.hinted: dict[str, Any] | None = None
        self.kept: dict[str, str] | None = None
        self.keeps = 0
        self.agents = self._agents(self.setting)

    # What is so

    @property
    def rules(self) -> Rules:
        """The game that is played."""
        return self.setting.rules

    @property
    def position(self) -> Position:
        """The position that is shown."""
        return self.line.position

    @property
    def human_to_move(self) -> bool:
        """Whether a person may move in the shown position."""
        is_person = self.setting.players[self.position.to_move] == HUMAN
        return is_person and not self.position.is_over

    @property
    def agent_to_move(self) -> bool:
        """Whether the game waits for an agent: never while a visitor looks back."""
        is_person = self.setting.players[self.position.to_move] == HUMAN
        return self.line.is_at_end and not is_person and not self.position.is_over

    @property
    def learned(self) -> Learned | None:
        """The agent whose values can be shown: the opponent, if it has learned."""
        found = [agent for agent in self.agents if isinstance(agent, Learned)]
        return found[0] if found else None

    @property
    def shows_graph(self) -> bool:
        """Whether the exact values may be shown: they would give a game in progress away."""
        return self.setting.overlay == "exact" or self.line.last.is_over

    @property
    def url(self) -> str:
        """The address that leads to this position."""
        setting = self.setting
        query = {"game": name_of(self.rules), "moves": self.line.last.notation}
        query["opponent"] = setting.opponent
        if setting.people == 0:
            query["watch"] = setting.players[FIRST]
        if setting.you == SECOND:
            query["you"] = "second"
        if setting.starts == "random":
            query["starts"] = "random"
        if setting.overlay != "off":
            query["overlay"] = setting.overlay
        return "/play?" + urlencode(query, safe=":=,")

    def view(self) -> View:
        return play_view(self)

    # What a visitor does

    def play(self, stones: int, move: int) -> None:
        """Drop a stone; `stones` says on which position, so that a late click does nothing."""
        whole(move, 0, self.rules.move_count - 1, "move")
        if stones != self.line.at or not self.human_to_move:
            return
        self.line.play(move)
        self._changed()

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
        self.setting = replace(self.setting, players=self.setting.players[::-1])
        if self.setting.people == 1:
            self.setting = replace(
                self.setting, starts="opponent" if self.setting.you == SECOND else "you"
            )
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
        setting = replace(self.setting, rules=rules)
        self.agents = self._agents(setting)
        self.setting = setting
        self.new()

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
        self.agents = self._agents(setting)
        if setting.people == 0 and self.setting.people > 0:
            self.running = self.line.length == 0
        self.setting = setting
        self._changed()

    def overlay(self, name: str) -> None:
        """Choose what stands above the columns."""
        if name not in OVERLAYS:
            raise FourlabError(f"there is no overlay {name!r}; {', '.join(OVERLAYS)}")
        if name == "values" and self.learned is None:
            raise FourlabError("values need a learned agent as opponent")
        self.setting = replace(self.setting, overlay=name)
        self.overlay_data = None
        self.stop("overlay")
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

    def explain(self) -> None:
        """Show the move that decided the game, with the exact scores of its alternatives."""
        self.setting = replace(self.setting, overlay="exact")
        blunders = self.values.blunders(self.line.positions)
        self._show(blunders[-1].move - 1 if blunders else self.line.at)

    def run(self) -> None:
        """Let two agents go on, or pause them."""
        self.running = not self.running
        if self.running:
            self.line.look(self.line.length)
        self._changed()

    def keep(self) -> None:
        """Keep the game in the record of the laboratory, beside those of its arena."""
        if self.keeps >= MOST_KEPT:
            raise FourlabError(f"this page has kept {MOST_KEPT} games; that is enough")
        self.keeps += 1
        last, players = self.line.last, self.setting.players
        record = GameRecord(
            game=name_of(self.rules),
            first=players[FIRST],
            second=players[SECOND],
            seed=0,
            moves=last.notation,
            outcome=last.outcome.value,
        )

        def write(job: Job) -> None:
            with Records(RECORD) as records:
                job.report(self._kept, records.keep(record))

        self.start("keep", write)

    def _kept(self, identity: str) -> None:
        self.kept = {"id": identity, "moves": self.line.last.notation, "path": str(RECORD)}
        self.changed()

    def dismiss(self) -> None:
        """Take the notice away."""
        self.notice = ""

    # What follows from it

    def refresh(self) -> None:
        if not self.is_open:
            return
        self._let_agent_move()
        self._fill_overlay()
        missing = self.values.missing(self.line.positions)
        if self.shows_graph and missing:
            needs = task_named("solver", self.rules)
            self.start("graph", lambda job: solve_game(job, missing, self._valued), needs=needs)

    def _agents(self, setting: Setup) -> tuple[Agent | None, ...]:
        return tuple(
            None if spec == HUMAN else read_agent(spec, setting.rules) for spec in setting.players
        )

    def _take_side(self, side: int) -> None:
        opponent = self.setting.opponent
        players = (HUMAN, opponent) if side == FIRST else (opponent, HUMAN)
        self.setting = replace(self.setting, players=players)
        self.agents = self._agents(self.setting)

    def _begin(self) -> None:
        self.line = GameLine(self.rules.start())
        self.values = GameValues()
        self.running = True
        self.notice = ""
        self._changed()

    def _show(self, stones: int) -> None:
        self.line.look(stones)
        self.running = False
        self._changed()

    def _changed(self) -> None:
        for kind in ("move", "overlay", "hint", "graph"):
            self.stop(kind)
        self.overlay_data = None
        self.hinted = None
        self.refresh()

    def _let_agent_move(self) -> None:
        watching = self.setting.people == 0
        agent = self.agents[self.position.to_move]
        if not self.agent_to_move or agent is None or (watching and not self.running):
            return
        position, seed = self.position, int(self.rng.integers(2**32))

        def think(job: Job) -> None:
            decision = agent.decide(position, np.random.default_rng(seed), job.limit)
            job.report(self._answered, position, decision)

        needs = task_of(agent)
        if watching:
            self.after("move", WATCH_SECONDS, lambda: self.start("move", think, MOVES, needs))
        else:
            self.start("move", think, MOVES, needs)

    def _answered(self, position: Position, decision: Decision) -> None:
        if position != self.line.last or not self.line.is_at_end:
            return
        self.line.play(decision.move)
        self._changed()
        self.changed()

    def _fill_overlay(self) -> None:
        position = self.position
        waits = self.agent_to_move and (self.setting.people == 1 or self.running)
        if self.overlay_data is not None or position.is_over or waits:
            return
        if self.setting.overlay == "exact":
            self.start(
                "overlay",
                lambda job: solve_moves(job, position, self._overlaid, ANALYSIS_SECONDS),
                needs=task_named("solver", self.rules),
            )
        elif self.setting.overlay == "values" and self.learned is not None:
            learned = self.learned
            self.start(
                "overlay", lambda j: j.report(self._overlaid, values_overlay(position, learned))
            )
        elif self.setting.overlay == "visits":
            agent = read_agent(VISITS_AGENT, self.rules)
            seed = int(self.rng.integers(2**32))

            def search(job: Job) -> None:
                decision = agent.decide(position, np.random.default_rng(seed), job.limit)
                job.report(self._overlaid, visits_overlay(position, decision))

            self.start("overlay", search, needs=task_of(agent))

    def _overlaid(self, overlay: dict[str, Any]) -> None:
        self.overlay_data = overlay
        self.changed()

    def _valued(self, position: Position, score: int | None) -> None:
        self.values.add(position, score)
        self.changed()
