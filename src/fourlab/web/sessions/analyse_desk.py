"""`AnalyseDesk`: a position on Analyse, and the work that follows from what is asked of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import numpy as np

from fourlab.agents.base import Agent
from fourlab.agents.mcts import Mcts, Thought
from fourlab.agents.mcts_options import MctsConfig
from fourlab.core.errors import FourlabError
from fourlab.core.spec import whole_number
from fourlab.rules.catalog import name_of
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position
from fourlab.search.analysis import Analysis
from fourlab.web.keep.findings import Findings
from fourlab.web.limits import ANALYSIS_SECONDS, read_agent, read_game
from fourlab.web.sessions.analyse_truth import MOST_SECONDS, QUICK_SECONDS, is_solved, solve_on
from fourlab.web.sessions.analyse_view import SIMULATIONS
from fourlab.web.sessions.base import Session
from fourlab.web.sessions.line import GameLine
from fourlab.web.sessions.lines import best_lines
from fourlab.web.sessions.notation import Reading, one_of, read_prefix
from fourlab.web.sessions.thinking import cell_values, guesses_of, opinion, tree_view
from fourlab.web.sessions.truth import exact_overlay, score_of
from fourlab.web.warm import task_named, task_of
from fourlab.web.words import DEFAULT_GAME
from fourlab.web.workbench import ANALYSIS, LONG, Job, pool_of

TABS = ("tree", "compare", "cells")
DEFAULT_PAIR = ("mcts:sims=200", "minimax:depth=4")


class AnalyseDesk(Session):
    """A position; whatever is to be known of it is seen to."""

    def __init__(
        self,
        bench: Any,
        query: Mapping[str, str],
        seed: int = 0,
        findings: Findings | None = None,
    ) -> None:
        super().__init__(bench)
        self.seed = seed
        self.findings = findings or Findings()
        kept = query.get("kept", "")[:64]
        self.kept = kept if kept.isascii() else ""  # the game of Play that a visitor came from
        self.notice = ""
        self.rules = self._read(lambda: read_game(query.get("game", DEFAULT_GAME)), DEFAULT_GAME)
        found = read_prefix(self.rules, query.get("moves", "") if not self.notice else "")
        self.line = GameLine(found.position)
        problems = [self.notice, found.error]
        self.reading: Reading | None = None
        self.text = ""
        self.active_tab = one_of(query, "tab", TABS, problems)
        self.simulations = int(one_of(query, "sims", [*map(str, SIMULATIONS)], problems, 1))
        place = whole_number(query.get("at", ""))
        if not found.error and place is not None:
            self.line.look(place)
        self.notice = "; ".join(filter(None, problems))
        self.pair = [
            self._spec(query.get(name, spec), spec)
            for name, spec in zip(("a", "b"), DEFAULT_PAIR, strict=True)
        ]
        self.text = self.position.notation
        self._forget()

    def _read(self, read: Any, fallback: str) -> Rules:
        try:
            rules: Rules = read()
            return rules
        except FourlabError as error:
            self.notice = str(error)
            return read_game(fallback)

    def _spec(self, spec: str, fallback: str) -> str:
        try:
            read_agent(spec, self.rules)
        except FourlabError as error:
            self.notice = "; ".join(text for text in (self.notice, str(error)) if text)
            return fallback
        return spec

    def _forget(self) -> None:
        """Forget what was found out about the position shown before."""
        self.exact: dict[str, Any] | None = None
        self.known: Analysis | None = None
        self.allowed = ANALYSIS_SECONDS  # that may be thought about this position
        self.value: int | None = None
        self.lines: list[dict[str, Any]] | None = None
        self.tree: dict[str, Any] | None = None
        self.thought: Thought | None = None
        self.guesses: dict[int, float] = {}  # the share that each move wins, by the search
        self.expanded: set[tuple[int, ...]] = set()
        self.opinions: list[dict[str, Any] | None] = [None, None]
        self.cells: dict[str, Any] | None = None

    @property
    def position(self) -> Position:
        """The position that is shown."""
        return self.line.position

    @property
    def url(self) -> str:
        """The address that leads to this position."""
        query = {"game": name_of(self.rules), "moves": self.line.last.notation}
        query |= {"kept": self.kept} if self.kept else {}
        if not self.line.is_at_end:
            query["at"] = str(self.line.at)
        if self.simulations != SIMULATIONS[1]:
            query["sims"] = str(self.simulations)
        if self.active_tab != "tree":
            query["tab"] = self.active_tab
        for name, spec, usual in zip(("a", "b"), self.pair, DEFAULT_PAIR, strict=True):
            if spec != usual:
                query[name] = spec
        return "/analyse?" + urlencode(query, safe=":=,")

    # What follows from it

    def _moved(self) -> None:
        for kind in ("exact", "lines", "value", "tree", "draw", "a", "b", "cells"):
            self.stop(kind)
        self._forget()
        self.text, self.reading = self.position.notation, None
        self.refresh()

    def refresh(self) -> None:
        if not self.is_open:
            return
        position = self.position
        if position.is_over:
            self.value = score_of(position, None)
            return
        if self.exact is None and not self._recall():
            self._think(ANALYSIS)
        if self.active_tab == "tree" and self.tree is None:
            self._search_tree(position)
        elif self.active_tab == "compare":
            self._compare(position)
        elif self.active_tab == "cells" and self.cells is None:
            seed = self.seed
            self.start("cells", lambda j: j.report(self._mapped, cell_values(position, seed)))

    def _recall(self) -> bool:
        """Go on from what was found out before, if that was anything."""
        found = self.findings.of(self.position)
        if found is None:
            return False
        self.allowed = max(self.allowed, found.allowed)
        self._solved(exact_overlay(found.known, done=True), found.known)
        return True

    @property
    def spent(self) -> float:
        """The seconds that were thought about this position."""
        return 0.0 if self.known is None else self.known.seconds

    @property
    def is_thinking(self) -> bool:
        """Whether the solver is at work, or waits for its turn."""
        return self.exact is None or not self.exact["done"]

    @property
    def can_think_longer(self) -> bool:
        """Whether it was not solved in the time given, and more of it may be had."""
        unsolved = self.known is not None and not is_solved(self.known)
        return unsolved and not self.is_thinking and self.allowed < MOST_SECONDS

    def _think(self, pool: str) -> None:
        """Solve the position, quickly at first; what takes longer keeps nobody else waiting."""
        position, before = self.position, self.known
        seconds = QUICK_SECONDS if pool == ANALYSIS else max(1.0, self.allowed - self.spent)
        if self.exact is not None:
            self.exact = {**self.exact, "done": False}
        self.start(
            "exact",
            lambda job: solve_on(job, position, before, seconds, self._solved),
            pool,
            needs=task_named("solver", self.rules),
        )

    def _solved(self, overlay: dict[str, Any], found: Analysis) -> None:
        self.known, self.exact, self.value = found, overlay, overlay["value"]
        self.findings.note(found, self.allowed)
        if overlay["done"] and not is_solved(found) and self.spent < self.allowed - 1:
            self._think(LONG)
            if self.tree is None:  # what is not known is guessed from the search
                self._search_tree(self.position)
        elif overlay["done"] and self.lines is None and overlay["scores"]:
            position, scores = self.position, overlay["scores"]
            self.start(
                "lines",
                lambda job: best_lines(job, position, scores, self._lined, ANALYSIS_SECONDS / 2),
                LONG if self.spent > QUICK_SECONDS else ANALYSIS,
            )
        self.changed()

    def _lined(self, lines: list[dict[str, Any]]) -> None:
        self.lines = lines
        self.changed()

    def _search_tree(self, position: Position) -> None:
        agent = Mcts(self.rules, MctsConfig(sims=self.simulations))
        seed = self.seed

        def search(job: Job) -> None:
            thought = agent.think(position, np.random.default_rng(seed), job.limit)
            job.report(self._searched, thought, tree_view(thought, set()), guesses_of(thought))

        self.start("tree", search, needs=task_of(agent))

    def _searched(self, thought: Thought, tree: dict[str, Any], guesses: dict[int, float]) -> None:
        self.thought, self.tree, self.guesses = thought, tree, guesses
        if self.expanded:
            self._draw()
        self.changed()

    def _draw(self) -> None:
        """Draw the tree with what is expanded: there may be very many nodes to look at."""
        thought, expanded = self.thought, set(self.expanded)
        if thought is not None:
            self.start("draw", lambda job: job.report(self._drawn, tree_view(thought, expanded)))

    def _drawn(self, tree: dict[str, Any]) -> None:
        self.tree = tree
        self.changed()

    def _compare(self, position: Position) -> None:
        for side, spec in enumerate(self.pair):
            if self.opinions[side] is None:
                self._ask(side, spec, read_agent(spec, self.rules), position)

    def _ask(self, side: int, spec: str, agent: Agent, position: Position) -> None:
        def think(job: Job) -> None:
            decision = agent.decide(position, np.random.default_rng(self.seed), job.limit)
            job.report(self._thought, side, opinion(agent, spec, decision))

        self.start("ab"[side], think, pool_of(ANALYSIS, agent), needs=task_of(agent))

    def _thought(self, side: int, found: dict[str, Any]) -> None:
        self.opinions[side] = found
        self.changed()

    def _mapped(self, cells: dict[str, Any]) -> None:
        self.cells = cells
        self.changed()
