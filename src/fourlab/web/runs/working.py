"""`AtWork`: a learner on a thread, one job at a time, and what waits until it is free."""

from __future__ import annotations

import threading
import time
from abc import abstractmethod
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from fourlab.core.limit import CalledOffError, Limit
from fourlab.learning.base import Learner
from fourlab.learning.opponents import named_in
from fourlab.web.runs.reference import learn_by_heart
from fourlab.web.runs.sample import make_ready
from fourlab.web.runs.setup import LearnSetup
from fourlab.web.sessions.base import Session
from fourlab.web.workbench import TRAINING, Job

# Work is done with the learner on a thread, and returns what is then done to the training.
Work = Callable[[Learner], Callable[[], None]]


class AtWork(Session):
    """A learner, made when it is first needed.

    It is touched only by jobs of kind `train`, of which there is one at a time; `lock` is held by
    the one that does. `halt` calls off the games that a job plays, not what was learned.
    """

    settings: LearnSetup

    def __init__(self, bench: Any) -> None:
        super().__init__(bench)
        self.lock = threading.Lock()
        self.halt = threading.Event()
        self.running = False
        self.watchers: list[Session] = []

    def begin_work(self) -> None:
        """Have no learner yet."""
        self.learner: Learner | None = None
        self.busy = False
        self.seconds = 0.0  # of training
        self._wishes: list[Work] = []

    @abstractmethod
    def make(self) -> Learner:
        """Return the learner as it is at the beginning; called on a thread."""

    @abstractmethod
    def ready(self, learner: Learner) -> None:
        """Hear that there is a learner now."""

    @abstractmethod
    def worked(self) -> None:
        """Hear that a job is done."""

    @abstractmethod
    def go_on(self, spent: float) -> None:
        """Do what is next after a job that took so long; nothing waits for the learner."""

    @property
    def limit(self) -> Limit:
        """The limit of games that the present job plays."""
        return Limit(stop=self.halt.is_set)

    def close(self) -> None:
        self.halt.set()
        super().close()

    def forget(self) -> None:
        """Let go of what was learned; all else is small, and waits for the collector."""
        self.learner = None

    def do(self, *work: Work, last: Work | None = None) -> None:
        """Do something with the learner on a thread; wishes first, what is no training last.

        While another job has the learner, it becomes a wish. What `halt` calls off is as if it had
        not begun.
        """
        if self.busy:
            self._wishes += work
            return
        self.busy = True
        works = [*self._wishes, *work]
        self._wishes = []
        halt = self.halt = threading.Event()
        known = self.learner
        rules, opponent = self.settings.rules, self.settings.opponent

        def job(job: Job) -> None:
            def wants() -> bool:  # somebody looks, or has let it run
                is_off = halt.is_set() or job.cancelled()
                return not is_off and bool(self.running or self.watchers)

            with self.lock:
                if known is None:
                    learn_by_heart(rules, named_in(opponent), job.cancelled)
                learner = known or self.make()
                if known is None and not make_ready(
                    learner, lambda words: job.report(self._waits, words), wants
                ):
                    job.report(self._put_off, works)
                    return
                began = time.perf_counter()
                results: list[Callable[[], None]] = []
                for one in works:
                    with suppress(CalledOffError):
                        results.append(one(learner))
                trained = time.perf_counter() - began
                if last is not None and not halt.is_set():
                    with suppress(CalledOffError):
                        results.append(last(learner))
                job.report(self._done, learner, trained, time.perf_counter() - began, results)

        self.start("train", job, TRAINING, needs="learning@any")

    def failed(self, kind: str, why: str) -> None:
        if kind == "train":
            self.busy = self.running = False
        super().failed(kind, why)

    def _put_off(self, works: list[Work]) -> None:
        """Keep for later what was to be done with a learner that was not made ready."""
        self.busy = False
        self._wishes = [*works, *self._wishes]
        if self.running:
            self.do()
        self.changed()

    def _done(
        self, learner: Learner, trained: float, spent: float, results: list[Callable[[], None]]
    ) -> None:
        """Take in what a job brought, and go on; what came last was no training."""
        if self.learner is None:
            self.learner = learner
            self.ready(learner)
        self.busy = False
        self.seconds += trained
        for result in results:
            result()
        self.worked()
        self.changed()
        if self._wishes:
            self.do()
        else:
            self.go_on(spent)
