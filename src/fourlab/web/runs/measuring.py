"""`Measured`: what comes of a training, by test games and beside the exact truth."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from fourlab.agents.registry import agent as find_agent
from fourlab.learning.base import Learner
from fourlab.learning.evaluation import play_off
from fourlab.positions.suites import Scored
from fourlab.web.runs.curves import Curves, columns_of, measured
from fourlab.web.runs.reference import learn_by_heart, perfect_share, truth_sample
from fourlab.web.runs.working import AtWork
from fourlab.web.workbench import Job

TEST_GAMES = 100
RESTS = 2.0  # times as long as it was looked for, it learns before the next point


class Measured(AtWork):
    """The curves of a training, and all else that is found out about what was learned."""

    def begin_measuring(self) -> None:
        """Know nothing yet."""
        self.curves = Curves()
        self.columns: dict[str, Any] | None = None
        self.tested_columns = [0] * self.settings.rules.move_count
        self.positions: list[Scored] | None = None
        self.reference: float | None = None
        self.tested: dict[str, Any] | None = None
        self.rest = 0.0  # seconds of training before which no other point is found

    def is_due(self, games: int) -> bool:
        """Whether another point of the curves is due: most of the time belongs to learning."""
        return self.seconds >= self.rest and self.curves.is_due(games)

    def test(self) -> None:
        """Play 100 test games without exploring."""

        def play(learner: Learner) -> Callable[[], None]:
            opponent, stop = self._opponent(learner), self.halt.is_set
            score = play_off(learner, opponent, TEST_GAMES, learner.done, "both", stop=stop)
            return lambda: self._note("tested", score.to_json())

        self.do(play)

    def measure(self, learner: Learner) -> Callable[[], None]:
        """Find another point of the curves if one is due, and return how to take it in."""
        if not learner.done or not self.is_due(learner.done):
            return lambda: None
        began = time.perf_counter()
        point = measured(learner, self._opponent(learner), self.positions, self.halt.is_set)
        columns = columns_of(learner, point)
        took = time.perf_counter() - began

        def take() -> None:
            self.curves.add(point, self.seconds)
            self.rest = self.seconds + RESTS * took
            self.columns = columns
            both = zip(self.tested_columns, point.columns, strict=True)
            self.tested_columns = [a + b for a, b in both]

        return take

    def _opponent(self, learner: Learner) -> Any:
        return find_agent(self.settings.yardstick, learner.rules)

    def ask_for_truth(self) -> None:
        """Find out, beside the training, what perfect play would reach."""
        settings = self.settings
        rules = settings.rules
        opponent = "self" if settings.opponent == "self" else settings.yardstick

        def solve(job: Job) -> None:
            job.report(self._note, "positions", truth_sample(rules))
            if opponent != "self":
                learn_by_heart(rules, ["perfect"], job.cancelled)
            job.report(self._note, "reference", perfect_share(rules, opponent))

        self.start("truth", solve)

    def _note(self, name: str, found: Any) -> None:
        setattr(self, name, found)
        self.changed()
