"""`KeptTraining`: a training under a name, saved in its folder as it goes, and found again there.

item.json        settings, state and curves
config.json      as in every run folder, so that agents and commands can use it
checkpoint.npz   what was learned, written about every SAVE_SECONDS
alive            touched while it runs: what is lost after a kill is known by it
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from fourlab.core.errors import FourlabError
from fourlab.core.files import written_at
from fourlab.core.storage import StorageError, is_there
from fourlab.learning.base import Learner
from fourlab.learning.registry import load_own
from fourlab.learning.runs import CONFIG, RunConfig
from fourlab.learning.tables.learner import TableLearner
from fourlab.rules.catalog import name_of
from fourlab.web.keep.item import Body, Item
from fourlab.web.keep.store import Keep
from fourlab.web.runs.curves import Curves
from fourlab.web.runs.pace import Pace
from fourlab.web.runs.sample import Tally
from fourlab.web.runs.setup import LearnSetup, read_setup
from fourlab.web.runs.training import Training
from fourlab.web.workbench import Workbench

SAVE_SECONDS = 5.0  # from one save to the next: a kill loses no more than ten or so
SAVE_SHARE = 5.0  # where saving takes long, it is done for a fifth of the time
ALIVE = "alive"
ALIVE_SECONDS = 1.0
STEP_SECONDS = 1.0  # after a step until it is saved, if no other follows
NO_SPACE = "no space is left on your shelf; delete something there"
RUNNING, PAUSED, FINISHED, FAILED = "running", "paused", "finished", "failed"


class KeptTraining(Training):
    """A training under a name."""

    def __init__(self, bench: Workbench, keep: Keep, item: Item) -> None:
        body = item.body
        settings, _ = read_setup(body["query"])
        super().__init__(bench, settings)
        self.keep, self.name, self.owner = keep, item.name, item.owner
        self.folder = keep.folder(item.name)
        self.pen = threading.Lock()  # held while its folder is written, or moves
        self.pace = Pace(float(body.get("pace", self.pace.moves)))
        self.saved_at = float(body.get("saved") or item.made)  # with nothing learned, then
        self.why = str(body.get("why", ""))  # it does not run
        self.agent = body.get("agent")  # that plays what it learned; None before it is saved
        self.lost = -1.0  # seconds, by a kill of the server; negative: it was not killed
        self._saved_games = int(body.get("games", 0))
        self._owes_save = False  # it has run since what it learned was saved in whole
        self._save_due = 0.0
        self._alive_at = 0.0
        self._take(body)
        alive = last_alive(self.folder)
        if alive > self.saved_at or body.get("state") == RUNNING:
            self.lost = ALIVE_SECONDS + max(0.0, alive - self.saved_at) if alive else 0.0
            self.why = f"restart, {lost_words(self.lost)}"

    def _take(self, body: Body) -> None:
        self.done, self.size = int(body.get("games", 0)), int(body.get("size", 0))
        self.seconds = float(body.get("seconds", 0.0))
        self.won = Tally(*body.get("won", [0, 0, 0, 0]))
        self.curves = Curves.from_json(body.get("curves", {}))
        self.columns, self.tested = body.get("columns"), body.get("tested")
        self.begins = str(body.get("begins", ""))
        counts = body.get("tested_columns", [])
        if len(counts) == len(self.tested_columns):
            self.tested_columns = counts

    @property
    def state(self) -> str:
        """Running, paused, finished or failed."""
        if self.running:
            return RUNNING
        if self.is_over:
            return FINISHED
        return FAILED if self.failure else PAUSED

    @property
    def is_dirty(self) -> bool:
        """Whether it has learned something that is not saved."""
        return self.learner is not None and self.learner.done != self._saved_games

    @property
    def unsaved(self) -> float:
        """The seconds of learning that a kill would lose now."""
        return time.time() - self.saved_at if self.running else 0.0

    def body(self) -> Body:
        """Return all that is kept beside what was learned.

        It is paused there once that is saved: whoever kills the server before is told of a loss.
        """
        return {
            "query": self.settings.to_query(),
            "learner": self.settings.kind.title,
            **({"agent": self.agent} if self.agent else {}),
            "state": RUNNING if self._owes_save and self.state == PAUSED else self.state,
            "why": self.why,
            "pace": self.pace.moves,
            "games": self.done,
            "size": self.size,
            "seconds": round(self.seconds, 2),
            "won": [self.won.wins, self.won.draws, self.won.losses, self.won.decisions],
            "curves": self.curves.to_json(),
            "columns": self.columns,
            "tested_columns": self.tested_columns,
            "tested": self.tested,
            "begins": self.begins,
            "saved": self.saved_at,
        }

    def make(self) -> Learner:
        """Return the learner as it was saved last, or new."""
        path = self.folder / self.settings.kind.file
        if not path.exists():
            return super().make()
        noted = is_there(self.folder / CONFIG)  # not if it was killed after its very first save
        spec = RunConfig.load(self.folder).learner if noted else self.settings.spec
        learner = load_own(path, spec, self.settings.rules, self.seed)
        learner.tune(**self.settings.changes())
        return learner

    def refresh(self) -> None:
        """Show the game that it would play next, without playing it: looking changes nothing."""
        if self.learner is not None or self.busy or self.is_over or not self.is_kept:
            return
        if not (self.folder / self.settings.kind.file).exists():
            super().refresh()
            return

        def look(learner: Learner) -> Callable[[], None]:
            if not isinstance(learner, TableLearner):
                return lambda: None
            _, sample = self._watch(self.make())

            def show() -> None:
                if self.sample is None:
                    self.sample, self.frame = sample, 0

            return show

        self.do(look)

    def save(self) -> None:
        """Save what was learned and all that is shown of it."""
        self.do(self.saving)

    def saving(self, learner: Learner) -> Callable[[], None]:
        """Write what was learned; return how to note that; called by whoever has the learner."""
        at = time.time()
        self.write(learner)
        took, games, size = time.time() - at, learner.done, learner.size

        def note() -> None:
            self.saved_at, self._saved_games = at, games
            self._save_due = at + until_saved(took)
            self._owes_save = self.running or learner.done != games
            self.done, self.size = games, size
            self.put()

        return note

    def write(self, learner: Learner) -> None:
        """Write what was learned, unless the run was deleted; called by whoever has the learner."""
        with self.pen:
            if not self.is_kept:
                return
            self.keep.check()
            self.agent = learner.agent().name
            write_run(learner, self.folder)
            self.keep.measure(self.name)

    def put(self) -> None:
        """Write all that is kept beside what was learned, unless the run was deleted.

        A full disk is told, and the run goes on: what it learned is in memory all the same.
        """
        try:
            if self.is_kept:
                self.keep.put(self.name, self.body())
        except FourlabError as error:
            self.failure = str(error)

    @property
    def is_kept(self) -> bool:
        """Whether it has not been deleted."""
        return self.keep.has(self.name)

    def _set_running(self, running: bool, sprint: float = 0.0) -> None:
        was, self.why, self.lost = self.running, "", -1.0
        self._owes_save = running or (self._owes_save and self.learner is not None)
        super()._set_running(running, sprint)
        if was != self.running:
            self.put()
        if was and not self.running and self.learner is not None:
            self.save()

    def tune(self, name: str, text: str) -> None:
        super().tune(name, text)
        self.put()  # one that is paused is saved no more before it leaves the memory

    def speed(self, moves: float) -> None:
        super().speed(moves)
        self.put()

    def pause_for(self, why: str) -> None:
        """Pause, and say why."""
        self.pause()
        self.why = why
        self.put()
        self.changed()

    def worked(self) -> None:
        """Save what was learned when it is time, and leave a sign of life until then."""
        if not self.is_dirty or not self.is_kept:
            return
        now = time.time()
        if now - self._alive_at >= ALIVE_SECONDS or not self.running:
            self._alive_at = now
            with suppress(OSError, StorageError):  # whoever takes its folder away is told by a save
                self.keep.check()
                (self.folder / ALIVE).touch()
                os.utime(self.folder / ALIVE, (now, now))
        if not self.running:
            self.after("save", STEP_SECONDS, self.save)
        elif now >= self._save_due:
            self._save_due = now + SAVE_SECONDS
            if self.keep.has_space(self.owner):
                self.save()
            else:
                self.pause_for(NO_SPACE)


def write_run(learner: Learner, folder: Path) -> None:
    """Write what was learned as a run folder has it."""
    learner.save(folder / learner.file)
    RunConfig(learner.spec, name_of(learner.rules), learner.seed).save(folder)


def until_saved(took: float) -> float:
    """Return the seconds from one save to the next, where the first has taken so many."""
    return max(SAVE_SECONDS, SAVE_SHARE * took)


def last_alive(folder: Path) -> float:
    """Return when a run was last at work."""
    return written_at(folder / ALIVE) / 1e9


def lost_words(seconds: float) -> str:
    """Say how much was lost: nothing only if nothing was."""
    if seconds <= 0:
        return "nothing lost"
    return f"{max(1, round(seconds))} s lost"


def new_body(settings: LearnSetup) -> Body:
    """Return what is kept of a run that has just begun."""
    return {"query": settings.to_query(), "learner": settings.kind.title}
