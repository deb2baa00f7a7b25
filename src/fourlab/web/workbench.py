"""Where the laboratory thinks: a bounded number of threads, every job of which can be called off.

Sessions live on one thread, the event loop's. A job runs on another, gets immutable things to work
on, and hands results back with `report`, which calls the session on its own thread.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from fourlab.agents.base import Agent
from fourlab.core.errors import FourlabError
from fourlab.core.limit import CalledOffError, Limit
from fourlab.web.limits import THOUGHT_SECONDS
from fourlab.web.offered import Guarded, Offered
from fourlab.web.warm import Warming

log = logging.getLogger("fourlab.web")

FAULT = "a fault in fourlab; the server's log tells more"

Post = Callable[[Callable[[], None]], object]
MOVES, ANALYSIS, TRAINING, ARENA = "moves", "analysis", "training", "arena"
LONG = "long"  # questions that take a while: short ones never wait behind them
PATIENT = (LONG, TRAINING, ARENA)  # whose threads give way to those that somebody waits for
GIVE_WAY = 5  # by so much are they nicer than the others
DRAWING, STUDIES = "drawing", "studies"  # one at a time
OWNERS = "owners"  # agents of the server's owner, whose processes may take a minute to start
MOST_WAITING = 256  # jobs of a pool that may stand in line before a new one is refused

Work = Callable[["Job"], None]
Failed = Callable[[str], None]


class BusyError(FourlabError):
    """There is more to do than the laboratory may take on."""


class Job:
    """A piece of work that may be called off; after that nothing is heard of it."""

    def __init__(
        self,
        post: Post,
        warming: Warming | None = None,
        leave: Callable[[Job], None] = lambda job: None,
    ) -> None:
        self._post = post
        self._warming = warming
        self._leave = leave  # the line that it stands in
        self._stop = threading.Event()

    def cancel(self) -> None:
        """Call it off: it stops as soon as it looks, or does not begin."""
        self._stop.set()
        self._leave(self)

    def cancelled(self) -> bool:
        """Whether it was called off."""
        return self._stop.is_set()

    def within(self, seconds: float) -> Callable[[], bool]:
        """Return what says whether it was called off, or so many seconds are over.

        They count from the first time that it is asked: what is compiled before is off the clock.
        """
        ends: list[float] = []

        def is_over() -> bool:
            if not ends:
                ends.append(time.monotonic() + seconds)
            return self.cancelled() or time.monotonic() >= ends[0]

        return is_over

    @property
    def limit(self) -> Limit:
        """The limit of one thought, whatever its agent allows itself; it ends if called off."""
        return Limit(stop=self.within(THOUGHT_SECONDS))

    def await_kernels(self, task: str, listener: Callable[[str], None]) -> None:
        """Wait until a task of the warming is done; the listener hears what is waited for."""
        if self._warming is not None:
            self._warming.wait(task, lambda words: self.report(listener, words), self.cancelled)

    def report(self, listener: Callable[..., None], *results: object) -> None:
        """Call a listener with results on the sessions' thread, unless the job is called off."""

        def deliver() -> None:
            if not self.cancelled():
                listener(*results)

        if not self.cancelled():  # of a server that has ended there is no such thread any more
            self._post(deliver)


def pool_of(usual: str, *agents: Agent) -> str:
    """Return where agents think: those of the server's owner keep nobody else's waiting."""
    return OWNERS if any(isinstance(agent, Offered | Guarded) for agent in agents) else usual


def give_way() -> None:
    """Let this thread, and what it starts, give way to others: on Linux each has its niceness."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            thread = os.PRIO_PROCESS, threading.get_native_id()
            os.setpriority(*thread, os.getpriority(*thread) + GIVE_WAY)


class Workbench:
    """The threads of one laboratory: moves never wait for analysis, nor analysis for training.

    `post` runs a function on the sessions' thread; `later` does so after a number of seconds.
    """

    def __init__(
        self,
        post: Post,
        later: Callable[[float, Callable[[], None]], object],
        threads: int = 0,
        warming: Warming | None = None,
    ) -> None:
        self._post = post
        self._warming = warming
        self._later = later
        count = threads or max(2, os.cpu_count() or 1)
        sizes = dict.fromkeys((MOVES, ANALYSIS, LONG, TRAINING, ARENA, OWNERS), count)
        sizes |= {DRAWING: 1, STUDIES: 1}
        self._pools = {
            kind: ThreadPoolExecutor(
                size, f"fourlab-{kind}", initializer=give_way if kind in PATIENT else None
            )
            for kind, size in sizes.items()
        }
        self._lock = threading.Lock()
        self._lines: dict[str, dict[Job, tuple[Work, Failed]]] = {kind: {} for kind in sizes}
        self._free = sizes  # threads of each pool that have nothing to do
        self._jobs: set[Job] = set()  # that wait or run
        self._is_closed = False

    def start(self, work: Work, pool: str = ANALYSIS, failed: Failed = lambda _: None) -> Job:
        """Run `work(job)` on a thread; raises BusyError if too much is waiting already.

        If the work raises an exception, `failed` is told why on the sessions' thread. Once the
        workbench is closed, what is started is called off.
        """
        job = Job(self._post, self._warming, lambda job: self._take_out(job, pool))
        if self._is_closed:
            job.cancel()
            return job
        with self._lock:
            line = self._lines[pool]
            if len(line) >= MOST_WAITING:
                raise BusyError("the laboratory is busy; try again in a moment")
            line[job] = work, failed
            self._jobs.add(job)
            if self._free[pool]:
                self._free[pool] -= 1
                self._pools[pool].submit(self._serve, pool)
        return job

    def _take_out(self, job: Job, pool: str) -> None:
        """Take a job that was called off out of the line, so that it keeps nobody else out."""
        with self._lock:
            if self._lines[pool].pop(job, None) is not None:
                self._jobs.discard(job)

    def _serve(self, pool: str) -> None:
        """Do what stands in line, on a thread of a pool, until nothing does."""
        while True:
            with self._lock:
                line = self._lines[pool]
                if not line:
                    self._free[pool] += 1
                    return
                job = next(iter(line))
                work, failed = line.pop(job)
            self._run(work, job, failed)

    def after(self, seconds: float, action: Callable[[], None]) -> Job:
        """Run an action on the sessions' thread after a while, unless it is called off."""
        job = Job(self._post)

        def act() -> None:
            if not (job.cancelled() or self._is_closed):
                action()

        self._later(seconds, act)
        return job

    def _run(self, work: Work, job: Job, failed: Failed) -> None:
        try:
            if not job.cancelled():
                work(job)
        except CalledOffError:
            job.report(failed, "this took too long and was called off")
        except FourlabError as error:
            job.report(failed, str(error))
        except Exception:  # a fault in one job must not take a thread from all the others
            log.exception("a job of the web laboratory failed")
            job.report(failed, FAULT)
        finally:
            with self._lock:
                self._jobs.discard(job)

    def close(self) -> None:
        """Stop taking work and call everything off."""
        self._is_closed = True
        for job in list(self._jobs):
            job.cancel()
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)
