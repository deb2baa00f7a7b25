"""A quick rerun in a child process: runs a study into a folder and tells how far it is, in lines.

    python -m fourlab.web.studies.child NAME FOLDER WORKERS

Each line is JSON: `experiment` (from 1), `of`, `share` of all work, seconds `left`, `done` and
`expected` units of the experiment, whether it is `compiling`; at the end `finished`, or `failed`
with the reason. It ends with the process that started it.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any, TextIO

from fourlab.core import waiting
from fourlab.core.errors import FourlabError
from fourlab.core.workers import Workers
from fourlab.studies.archive import CONFIG, Archive
from fourlab.studies.base import Experiment
from fourlab.studies.bench import Listener
from fourlab.studies.registry import STUDIES

BETWEEN_LINES = 0.25  # seconds
NICE = 5  # so that moves and analysis come first
UNFINISHED = 0.95  # of an experiment that takes longer than was thought


class Teller:
    """Tells how far a run is, some times a second."""

    def __init__(self, archive: Archive, workers: int, out: TextIO) -> None:
        self._archive = archive
        self._workers = workers
        self._out = out
        self._lock = threading.Lock()
        self._compiling = 0
        self.begin(archive.left[0] if archive.left else None)

    def begin(self, experiment: Experiment | None) -> None:
        """An experiment begins."""
        self._experiment = experiment
        self._began = time.monotonic()
        self._estimate = self._archive.estimate(self._workers)
        self.done = self.expected = 0
        self.unit = ""

    def expect(self, units: int, unit: str) -> None:
        """More is to be done."""
        self.expected += units
        self.unit = unit

    def advance(self, units: int) -> None:
        """Some of it is done."""
        self.done += units

    def compile(self, _: str, begins: bool) -> None:
        """A kernel begins or ends to be compiled."""
        self._compiling += 1 if begins else -1

    def state(self) -> dict[str, Any]:
        """Return how far it is."""
        every = self._archive.study.experiments
        total = max(sum(experiment.takes[1] for experiment in every), 1e-9)
        left = sum(experiment.takes[1] for experiment in self._archive.left)
        own = self._experiment.takes[1] if self._experiment else 0.0
        spent = time.monotonic() - self._began
        # The estimate goes by the pace of what was done; this experiment has its part of it.
        usual = self._estimate * own / max(left, 1e-9)
        part = min(spent / max(usual, 1e-9), UNFINISHED)
        return {
            "experiment": every.index(self._experiment) + 1 if self._experiment else len(every),
            "of": len(every),
            "share": round((total - left + own * part) / total, 3),
            "left": round(max(self._estimate - spent, self._estimate - usual, 0.0)),
            "done": self.done,
            "expected": self.expected,
            "unit": self.unit,
            "compiling": self._compiling > 0,
        }

    def say(self, **message: Any) -> None:
        """Write a line."""
        with self._lock:
            self._out.write(json.dumps(message) + "\n")
            self._out.flush()

    def keep_telling(self) -> None:
        """Tell it again and again."""
        while True:
            self.say(**self.state())
            time.sleep(BETWEEN_LINES)


def rerun(name: str, folder: Path, count: int, out: TextIO) -> bool:
    """Run what is left of a study, quickly; return whether it came to its end."""
    study = STUDIES[name]
    is_begun = (folder / CONFIG).exists()
    archive = Archive.open(study, folder) if is_begun else Archive.start(study, folder, quick=True)
    teller = Teller(archive, count, out)
    waiting.listen(teller.compile)
    threading.Thread(target=teller.keep_telling, daemon=True).start()
    try:
        with Workers(count) as workers:
            for experiment in archive.run(workers, Listener(teller.expect, teller.advance)):
                teller.begin(experiment)
    except FourlabError as error:
        teller.say(failed=str(error), **teller.state())
        return False
    except Exception as error:  # a fault of a study must not leave anybody waiting
        teller.say(failed=f"{type(error).__name__}: {error}"[:300], **teller.state())
        raise
    teller.say(finished=True)
    return True


def end_with_parent() -> None:
    """End at once when whoever holds the other end of standard input is gone."""

    def listen() -> None:
        sys.stdin.read()
        os._exit(1)

    threading.Thread(target=listen, daemon=True).start()


def main(name: str, folder: str, count: str) -> int:
    """Run in the child."""
    end_with_parent()
    with contextlib.suppress(OSError, AttributeError):
        os.nice(NICE)
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what studies print is not for the parent
    return 0 if rerun(name, Path(folder), int(count), out) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
