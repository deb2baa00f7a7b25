"""`Reruns`: quick reruns of studies, one at a time for the whole server; others wait in line.

Each runs in a child process, so that it can be ended at once and takes nothing from the pages. What
it has finished stays in its folder: a rerun that was stopped, or failed, or was cut off by the end
of the server, goes on from there.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import fourlab
from fourlab.core.errors import FourlabError
from fourlab.core.lines import LineProcess
from fourlab.studies.archive import CONFIG, RESULTS
from fourlab.web.studies.library import BEFORE, LAST, UNDER_WAY, Library
from fourlab.web.workbench import STUDIES, BusyError, Job, Workbench

State = Literal["waiting", "running", "stopped", "failed", "finished"]
MOST_SECONDS = 900.0  # of a quick rerun, compiling included
PATIENCE = 0.5  # seconds between two looks at the clock


@dataclass(frozen=True)
class Rerun:
    """How far a rerun is."""

    name: str
    state: State
    who: str = ""  # asked for it, where that is known
    experiment: int = 1  # that runs, or would be the next
    of: int = 1
    share: float = 0.0
    left: float | None = None  # seconds
    done: int = 0  # units of this experiment
    expected: int = 0
    unit: str = ""
    compiling: bool = False
    reason: str = ""  # why it failed

    @property
    def is_active(self) -> bool:
        """Whether it runs or stands in line."""
        return self.state in ("waiting", "running")


FIELDS = ("experiment", "of", "share", "left", "done", "expected", "unit", "compiling")


class Reruns:
    """The line. It lives on the sessions' thread; `listeners` are told there of every change."""

    def __init__(self, bench: Workbench, library: Library, workers: int = 0) -> None:
        self.library = library
        self.listeners: list[Callable[[str], None]] = []
        self._bench = bench
        self._workers = workers or os.cpu_count() or 1
        self._known: dict[str, Rerun] = {}
        self._jobs: dict[str, Job] = {}
        self._children: dict[str, LineProcess] = {}

    def of(self, name: str) -> Rerun | None:
        """Return how far the rerun of a study is, None if there is none."""
        if name not in self._known:
            left = self._left_over(name)
            if left is not None:
                self._known[name] = left
        return self._known.get(name)

    def ahead(self, name: str) -> list[str]:
        """Return the studies that are run before this one's turn."""
        active = [one for one, rerun in self._known.items() if rerun.is_active]
        return active[: active.index(name)] if name in active else active

    def ask(self, name: str, who: str = "", go_on: bool = False) -> None:
        """Put a study in line, from its start or from where it stopped; it stands there once."""
        study = self.library.study(name)
        known = self.of(name)
        if known is not None and known.is_active:
            return
        is_left = go_on and known is not None and known.state in ("stopped", "failed")
        first = known.experiment if known is not None and is_left else 1

        def work(job: Job) -> None:
            self._run(job, name, fresh=not is_left)

        try:
            job = self._bench.start(work, STUDIES, lambda why: self._end(name, "failed", why))
        except BusyError as error:
            raise FourlabError(str(error)) from None
        self._jobs[name] = job
        self._known.pop(name, None)  # to the end of the line
        self._note(Rerun(name, "waiting", who, first, len(study.experiments)))

    def stop(self, name: str, who: str = "") -> None:
        """End a rerun at once, or take it out of the line; only by whom it was asked for."""
        rerun = self.of(name)
        if rerun is None or not rerun.is_active:
            return
        if rerun.who and who and rerun.who != who:
            raise FourlabError(f"another visitor runs {name}; its report will be here for all")
        self._call_off(name)
        left = self._left_over(name)
        if left is None:
            del self._known[name]
            self._tell(name)
        else:
            self._note(replace(left, of=rerun.of, share=rerun.share))

    def close(self) -> None:
        """End everything."""
        self.listeners.clear()
        for name in list(self._jobs):
            self._call_off(name)

    # What follows from it

    def _call_off(self, name: str) -> None:
        self._jobs.pop(name).cancel()
        child = self._children.pop(name, None)
        if child is not None:
            child.close()

    def _left_over(self, name: str) -> Rerun | None:
        """Return the rerun that an earlier one left behind unfinished."""
        folder = self.library.rerun_folder(name, UNDER_WAY)
        if not (folder / CONFIG).exists():
            return None
        every = self.library.study(name).experiments
        done = [(folder / RESULTS / f"{experiment.name}.json").exists() for experiment in every]
        first = done.index(False) + 1 if False in done else len(every)
        return Rerun(name, "stopped", "", first, len(every), sum(done) / len(every))

    def _run(self, job: Job, name: str, fresh: bool) -> None:
        """Run a child to its end; on a thread of the workbench."""
        folder = self.library.rerun_folder(name, UNDER_WAY)
        if fresh:
            shutil.rmtree(folder, ignore_errors=True)
        if job.cancelled():
            return
        child = LineProcess(_command(name, folder, self._workers), _environment())
        self._children[name] = child
        if job.cancelled():  # meanwhile
            child.close()
            return
        try:
            failure = _follow(job, child, lambda said: job.report(self._heard, name, said))
        finally:
            child.close()
            self._children.pop(name, None)
        if job.cancelled():
            return
        if not failure:
            _keep(folder, self.library.rerun_folder(name, LAST))
        job.report(self._end, name, "failed" if failure else "finished", failure)

    def _heard(self, name: str, said: dict[str, Any]) -> None:
        told = {field: said[field] for field in FIELDS}
        self._note(replace(self._known[name], state="running", reason="", **told))

    def _end(self, name: str, state: State, reason: str) -> None:
        self._jobs.pop(name, None)
        self._note(replace(self._known[name], state=state, reason=reason, left=None))

    def _note(self, rerun: Rerun) -> None:
        if self._known.get(rerun.name) != rerun:
            self._known[rerun.name] = rerun
            self._tell(rerun.name)

    def _tell(self, name: str) -> None:
        for listener in list(self.listeners):
            listener(name)


def _command(name: str, folder: Path, workers: int) -> list[str]:
    module = "fourlab.web.studies.child"
    return [sys.executable, "-m", module, name, str(folder), str(workers)]


def _environment() -> dict[str, str]:
    source = str(Path(fourlab.__file__).parent.parent)
    path = os.pathsep.join([source, *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path}


def _follow(job: Job, child: LineProcess, hear: Callable[[dict[str, Any]], None]) -> str:
    """Listen to a child until it ends; return why it failed, '' if it did not."""
    deadline = time.monotonic() + MOST_SECONDS
    while not job.cancelled():
        if time.monotonic() > deadline:
            return f"not finished in {MOST_SECONDS / 60:.0f} minutes; in the terminal it may be"
        try:
            line = child.hear(PATIENCE)
        except TimeoutError:
            continue
        if line is None:
            return f"its process {child.leave(PATIENCE)}; the server's memory may be too small"
        said = json.loads(line)
        if "finished" in said:
            return ""
        hear(said)
        if "failed" in said:
            return str(said["failed"])
    return ""


def _keep(folder: Path, last: Path) -> None:
    """Put a finished rerun in the place of the one before; one of both is there at any time."""
    old = last.with_name(BEFORE)
    if last.exists():
        shutil.rmtree(old, ignore_errors=True)
        last.rename(old)
    folder.rename(last)
    shutil.rmtree(old, ignore_errors=True)
