"""`PlayTable`: a game on Play, and the work that follows from how it stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fourlab.agents.base import Agent, Decision
from fourlab.agents.learned import Learned
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position
from fourlab.web.keep.shelf import Shelf
from fourlab.web.limits import ANALYSIS_SECONDS, read_agent
from fourlab.web.sessions.base import Session
from fourlab.web.sessions.overlays import opinion_overlay, values_overlay, visits_overlay
from fourlab.web.sessions.play_keeping import GameKeeper
from fourlab.web.sessions.play_setup import Setup, address, read_line, read_setup
from fourlab.web.sessions.review import Review, Told, tell_all
from fourlab.web.sessions.truth import GameValues, solve_game, solve_moves
from fourlab.web.warm import task_named, task_of
from fourlab.web.words import HUMAN, opponent_of
from fourlab.web.workbench import ANALYSIS, MOVES, Job, pool_of

VISITS_AGENT = "mcts:sims=2000"
WATCH_SECONDS = 0.7  # between the moves of two agents


class PlayTable(Session):
    """A game with its players; whoever is to move, and whatever is to be known, is seen to."""

    kept_kind = "game"

    def __init__(
        self,
        bench: Any,
        query: Mapping[str, str],
        seed: int | None = None,
        shelf: Shelf | None = None,
    ) -> None:
        super().__init__(bench)
        self.rng = np.random.default_rng(seed)
        self.games = GameKeeper(shelf)
        query = self._read(query)
        self.running = True
        self.told = Review()
        self.overlay_data: dict[str, Any] | None = None
        self.hinted: dict[str, Any] | None = None
        self.guessed = False  # whether the last answer of a perfect player was not proven
        if query.get("review") == "yes" and self.line.at and self.line.last.is_over:
            self.told.selected = self.line.at

    def _read(self, query: Mapping[str, str]) -> Mapping[str, str]:
        """Take up the game that an address names; return all that is said of it."""
        query = self.games.open(query)
        self.setting, problems = read_setup(query)
        self.line, wrong = read_line(self.setting.rules, query)
        self.games.add_variations(self.line)
        self.notice = "; ".join(filter(None, [*problems, wrong]))
        self.agents = self._agents(self.setting)
        return query

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
    def reader(self) -> int | None:
        """The side that is called You; nobody's in another visitor's game that is over."""
        is_told = self.games.is_foreign and self.line.last.is_over
        return self.setting.you if self.setting.people == 1 and not is_told else None

    @property
    def human_to_move(self) -> bool:
        """Whether a person may move in the shown position."""
        is_person = self.setting.players[self.position.to_move] == HUMAN
        return is_person and not self.position.is_over and not self.is_reviewing

    @property
    def agent_to_move(self) -> bool:
        """Whether the game waits for an agent: never while a visitor looks back."""
        is_person = self.setting.players[self.position.to_move] == HUMAN
        return self.line.is_at_end and not is_person and not self.position.is_over

    @property
    def thinker(self) -> int | None:
        """The side of the agent whose thoughts can be shown: the mover's, or the opponent's."""
        mover = self.position.to_move
        return next((side for side in (mover, 1 - mover) if self.agents[side] is not None), None)

    @property
    def values(self) -> GameValues:
        """The exact scores of the game's positions, as far as they are known."""
        return self.told.values

    @property
    def is_reviewing(self) -> bool:
        """Whether a turning point is shown."""
        return self.told.selected is not None

    @property
    def shows_graph(self) -> bool:
        """Whether the exact values may be shown: they would give a game in progress away."""
        return self.setting.overlay == "exact" or self.line.last.is_over

    @property
    def url(self) -> str:
        """The address that leads to what is shown."""
        return address(self.setting, self.line, self.games.name, self.is_reviewing)

    # What follows from it

    def refresh(self) -> None:
        if not self.is_open:
            return
        self._let_agent_move()
        self._fill_overlay()
        self._judge()

    def _judge(self) -> None:
        """Find the scores of the game, then what there is to tell of its turning points."""
        missing = self.values.missing(self.line.positions)
        untold = self.told.untold(self.line.positions)
        seconds, needs = self.told.seconds, task_named("solver", self.rules)
        if self.shows_graph and missing:
            self.start(
                "graph", lambda job: solve_game(job, missing, self._valued, seconds), needs=needs
            )
        elif self.line.last.is_over and untold:
            self.start(
                "tell", lambda job: tell_all(job, untold, self._was_told, seconds), needs=needs
            )

    def _agents(self, setting: Setup) -> tuple[Agent | None, ...]:
        return tuple(
            None if spec == HUMAN else read_agent(spec, setting.rules) for spec in setting.players
        )

    def _changed(self, mark: str = "") -> None:
        for kind in ("move", "overlay", "hint", "graph", "tell"):
            self.stop(kind)
        self.overlay_data = self.hinted = None
        self.guessed = False
        self.notice = self.games.save(self.setting, self.line, mark) or self.notice
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

        pool, needs = pool_of(MOVES, agent), task_of(agent)
        if watching:
            self.after("move", WATCH_SECONDS, lambda: self.start("move", think, pool, needs))
        else:
            self.start("move", think, pool, needs)

    def _answered(self, position: Position, decision: Decision) -> None:
        if position != self.line.last or not self.line.is_at_end:
            return
        agent = self.agents[position.to_move]
        self.line.play(decision.move)
        self._changed()
        values = decision.values or ()
        self.guessed = (
            agent is not None
            and agent.name == "perfect"
            and any(values[move] is None for move in position.legal_moves())
        )
        self.changed()

    def _fill_overlay(self) -> None:
        position = self.position
        waits = self.agent_to_move and (self.setting.people == 1 or self.running)
        if self.overlay_data is not None or position.is_over or waits or self.is_reviewing:
            return
        if self.setting.overlay == "exact":
            self.start(
                "overlay",
                lambda job: solve_moves(job, position, self._overlaid, ANALYSIS_SECONDS),
                needs=task_named("solver", self.rules),
            )
        elif self.setting.overlay == "visits":
            self._ask(position, self.thinker, by_visits=True)
        elif self.setting.overlay == "values" and self.thinker is not None:
            self._ask(position, self.thinker, by_visits=False)

    def _ask(self, position: Position, side: int | None, by_visits: bool) -> None:
        """Show what the agent of a side thinks; a search's visits where it counts none."""
        search = read_agent(VISITS_AGENT, self.rules)
        opponent = search if side is None else self.agents[side]
        assert opponent is not None  # noqa: S101  # a thinker is one
        spec = VISITS_AGENT if side is None else self.setting.players[side]
        rng = np.random.default_rng(int(self.rng.integers(2**32)))

        def ask(job: Job) -> None:
            if isinstance(opponent, Learned) and not by_visits:
                job.report(self._overlaid, values_overlay(position, opponent))
                return
            # Another one of its kind, so that what the opponent remembers stays as it is.
            decision = read_agent(spec, self.rules).decide(position, rng, job.limit)
            whose = "" if side is None else opponent_of(spec)["title"]
            if by_visits and decision.visits is None:
                decision, whose = search.decide(position, rng, job.limit), ""
            overlay = visits_overlay if by_visits else opinion_overlay
            job.report(self._overlaid, overlay(position, decision, whose))

        self.start("overlay", ask, pool_of(ANALYSIS, opponent), needs=task_of(opponent))

    def _overlaid(self, overlay: dict[str, Any]) -> None:
        self.overlay_data = overlay
        self.changed()

    def _valued(self, position: Position, score: int | None) -> None:
        self.values.add(position, score)
        if not self.values.missing(self.line.positions):
            if self.told.seeks and self.is_reviewing:
                self.line.look(self.told.decisive(self.line.positions))
                self.told.selected, self.told.seeks = self.line.at, False
            self._judge()
        self.changed()

    def _was_told(self, position: Position, told: Told | None) -> None:
        self.told.told[position] = told
        self.changed()
