"""`Room`: the runs that are in memory, and the rules by which they go on, pause and leave it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fourlab.core.errors import FourlabError, SpecError
from fourlab.web.keep.bounds import UNDO_SECONDS
from fourlab.web.keep.item import Item
from fourlab.web.keep.shelf import Shelf
from fourlab.web.keep.store import FullError, Keep
from fourlab.web.runs.kept import RUNNING, KeptTraining, new_body
from fourlab.web.runs.training import Training
from fourlab.web.sessions.base import Session
from fourlab.web.workbench import Workbench

log = logging.getLogger("fourlab.web")

ALONE_SECONDS = 30 * 60.0  # for which a run goes on when nobody looks
IDLE_SECONDS = 20.0  # after which one that does nothing leaves the memory
MOST_LIVE = 60  # runs in memory
LOCK_SECONDS = 3.0  # to wait for learners at the end of the server
# What a draft hands over to the run that it becomes.
STATE = (
    *("learner", "sample", "frame", "size", "done", "won", "seconds"),
    *("curves", "columns", "tested_columns", "positions", "reference", "tested", "rest"),
)


@dataclass
class Seat:
    """A run in memory, and since when nobody has looked at it."""

    training: KeptTraining
    left: float


class Room:
    """Runs in memory, by name. What is not here lies in its folder."""

    def __init__(
        self, bench: Workbench, keep: Keep, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.bench = bench
        self.keep = keep
        self._clock = clock
        self._seats: dict[str, Seat] = {}
        self._deleted: dict[str, Seat] = {}

    def enter(self, name: str) -> KeptTraining:
        """Return a run, from its folder if it is not in memory; raises FullError, or Unknown."""
        item = self.keep.get(name)
        seat = self._seats.get(name)
        if seat is None:
            self._make_room()
            seat = Seat(KeptTraining(self.bench, self.keep, item), self._clock())
            self._seats[name] = seat
        return seat.training

    def holds(self, training: KeptTraining) -> bool:
        """Whether a training is in memory under its name, and not another one, or none."""
        seat = self._seats.get(training.name)
        return seat is not None and seat.training is training

    def adopt(self, draft: Training, shelf: Shelf) -> KeptTraining:
        """Give a training a name and keep it; raises FullError where no more may be kept."""
        self._make_room()
        rules = draft.settings.rules
        stem = f"{draft.settings.learner}-{rules.columns}x{rules.rows}"
        item = shelf.add("run", new_body(draft.settings), self._title(shelf, stem), stem)
        training = self.enter(item.name)
        training.pace.moves = draft.pace.moves
        for name in STATE:
            setattr(training, name, getattr(draft, name))
        if draft.busy:  # a job has its learner: another one plays the same games
            training.learner = None
            training.catch_up(draft.done)
        draft.close()
        draft.forget()
        training.put()
        return training

    def _title(self, shelf: Shelf, stem: str) -> str:
        taken = {item.title for item in shelf.items("run")}
        return next(f"{stem}-{n}" for n in range(1, len(taken) + 2) if f"{stem}-{n}" not in taken)

    def look(self, watcher: Session, training: Training) -> None:
        """Somebody looks at a training: it shows its first game."""
        if watcher not in training.watchers:
            training.watchers.append(watcher)
        training.open()
        training.refresh()
        training.changed()

    def away(self, watcher: Session, training: Training) -> None:
        """Somebody looks no more, but may come back: a draft waits."""
        if watcher in training.watchers:
            training.watchers.remove(watcher)
        seat = self._seats.get(training.name) if isinstance(training, KeptTraining) else None
        if seat is not None and not training.watchers:
            seat.left = self._clock()
        training.changed()

    def leave(self, watcher: Session, training: Training) -> None:
        """Somebody has left; a draft that nobody sees is gone."""
        if not isinstance(training, KeptTraining):
            training.close()
            training.forget()
        self.away(watcher, training)

    def state(self, item: Item) -> dict[str, Any]:
        """Return what a run is doing: state, why, games, watchers, minutes until it pauses."""
        seat = self._seats.get(item.name)
        if seat is None:
            training = KeptTraining(self.bench, self.keep, item)  # what was lost is its to say
            return {**_told(training), "watchers": 0, "minutes": None}
        training = seat.training
        left = ALONE_SECONDS - (self._clock() - seat.left)
        minutes = None if training.watchers or not training.running else max(1, round(left / 60))
        return {**_told(training), "watchers": len(training.watchers), "minutes": minutes}

    def player(self, name: str) -> tuple[str, Path]:
        """Return which agent plays what a run has learned, and the folder that it reads."""
        item = self.keep.get(name)
        if item.kind != "run" or "agent" not in item.body:
            raise SpecError(f"run {item.title!r} has not learned anything yet; let it run first")
        return str(item.body["agent"]), self.keep.folder(name)

    def title(self, name: str) -> str:
        """Return the title of a run by its name, and what is none as it is."""
        return self.keep.get(name).title if self.keep.has(name) else name

    def running(self, owner: str) -> int:
        """Return how many runs of a visitor are at work."""
        seats = self._seats.values()
        return sum(s.training.running and s.training.owner == owner for s in seats)

    def delete(self, name: str, shelf: Shelf) -> None:
        """Delete a run; it stays at hand as long as that can be undone."""
        seat = self._seats.get(name)
        if seat is None or not shelf.owns(self.keep.get(name)):
            shelf.delete(name)
            return
        seat.training.close()
        with seat.training.pen:  # what else it does may take long
            shelf.delete(name)
        seat.training.running = seat.training.busy = False
        seat.training.changed()
        self._deleted[name] = self._seats.pop(name)
        seat.left = self._clock()

    def restore(self, name: str, shelf: Shelf) -> None:
        """Bring back what was just deleted, with all that was learned since it was saved."""
        shelf.restore(name)
        seat = self._deleted.pop(name, None)
        if seat is not None:
            self._seats[name] = seat
            seat.left = self._clock()
            if seat.training.learner is not None:
                seat.training.save()

    def tick(self) -> None:
        """Pause what nobody looked at for long, and let go of what does nothing."""
        now = self._clock()
        for name, seat in list(self._seats.items()):
            training = seat.training
            alone = 0.0 if training.watchers else now - seat.left
            if training.running and alone > ALONE_SECONDS:
                training.pause_for(f"nobody looked for {ALONE_SECONDS / 60:.0f} minutes")
            elif not training.running and not training.busy and alone > IDLE_SECONDS:
                self._let_go(name)
        for name, seat in list(self._deleted.items()):
            if now - seat.left > UNDO_SECONDS + 1:
                seat.training.forget()
                del self._deleted[name]

    def close(self) -> None:
        """Save everything: the server ends. Nobody waits for one that does not stop."""
        trainings = [(seat.training, seat.training.running) for seat in self._seats.values()]
        for training, _ in trainings:
            training.close()
        end = self._clock() + LOCK_SECONDS
        for training, was_running in trainings:
            learner, left = training.learner, max(0.0, end - self._clock())
            if learner is None or not training.lock.acquire(timeout=left):
                continue
            try:
                training.running = training.busy = False
                if was_running:
                    training.why = "the server was stopped"
                training.saving(learner)()
            except FourlabError as error:  # the others are saved all the same
                log.warning("%s was not saved: %s", training.name, error)
            finally:
                training.lock.release()
        self._seats.clear()

    def _make_room(self) -> None:
        """See to it that one more fits into the memory; raises FullError if it does not."""
        if len(self._seats) < MOST_LIVE:
            return
        idle = [n for n, s in self._seats.items() if not s.training.watchers and not _works(s)]
        if not idle:
            raise FullError(f"{MOST_LIVE} runs are at work in this laboratory; try again later")
        self._let_go(min(idle, key=lambda name: self._seats[name].left))

    def _let_go(self, name: str) -> None:
        """Take a run out of memory; what it learned was saved when it paused."""
        training = self._seats[name].training
        if training.is_dirty:
            training.save()
        else:
            training.close()
            training.forget()
            del self._seats[name]


def _works(seat: Seat) -> bool:
    return seat.training.running or seat.training.busy or seat.training.is_dirty


def _told(training: KeptTraining) -> dict[str, Any]:
    return {
        "state": training.state,
        "why": training.why,
        "games": training.done,
        "is_running": training.state == RUNNING,
        "wins": training.curves.to_json()["wins"],
    }
