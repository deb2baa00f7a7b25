"""Learn: a learner at work, watched at any speed; a draft at /learn, a run at /run/NAME."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from typing import Any, ClassVar
from urllib.parse import urlencode

from fourlab.core.errors import FourlabError
from fourlab.learning.base import Learner
from fourlab.rules.catalog import name_of
from fourlab.web.keep.shelf import Shelf
from fourlab.web.keep.store import FullError
from fourlab.web.runs.kept import NO_SPACE, KeptTraining, write_run
from fourlab.web.runs.policy import policy_of
from fourlab.web.runs.room import Room
from fourlab.web.runs.setup import OFFERED, read_setup
from fourlab.web.runs.training import Training
from fourlab.web.sessions.base import Session, View
from fourlab.web.sessions.learn_view import learn_view

MOST_COMPARED = 3  # further runs on one chart
DOING = frozenset({"run", "step", "learn", "test", "challenge"})  # done to a run
CHANGING = DOING | {"speed", "tune", "fork", "rename"}  # to one that is kept
GONE = "this run was deleted; bring it back on the shelf while that can be done, or begin a new one"


class LearnSession(Session):
    """One page that looks at a training.

    What is not begun yet is a draft, which nobody else sees. The first thing that is done to it
    makes it a run, with a name and an address.
    """

    kept_kind: ClassVar[str] = "run"
    actions = DOING | {"speed", "choose", "board", "tune", "fork", "rename", "find", "compare"}
    unasked = frozenset({"find"})

    def __init__(
        self, bench: Any, query: Mapping[str, str], seed: int = 0, *, shelf: Shelf, room: Room
    ) -> None:
        self.shelf, self.room, self.notice = shelf, room, ""
        name = query.get("run", "") or (_latest(shelf) if not query else "")
        self.training: Training
        if name:
            self.training = room.enter(name)
        else:
            settings, self.notice = read_setup(query)
            self.training = Training(bench, settings, seed)
        self.compared: list[str] = []
        self._compare(query.get("with", "").split(","))
        self.challenged = ""
        self.policy: dict[str, Any] | None = None
        super().__init__(bench)

    @property
    def kept(self) -> KeptTraining | None:
        """The run that is shown; None while it is a draft."""
        return self.training if isinstance(self.training, KeptTraining) else None

    @property
    def failure(self) -> str:
        """What could not be done, for all who look."""
        return self.training.failure

    @failure.setter
    def failure(self, why: str) -> None:
        self.training.failure = why

    @property
    def waiting(self) -> str:
        """What is compiled before work can begin."""
        return self.training.waiting

    @waiting.setter
    def waiting(self, words: str) -> None:
        self.training.waiting = words

    @property
    def url(self) -> str:
        """The address of the run, or of the draft's settings."""
        if self.kept is None:
            return "/learn?" + urlencode(self.training.settings.to_query(), safe=":=,")
        beside = f"?with={','.join(self.compared)}" if self.compared else ""
        return f"/run/{self.kept.name}{beside}"

    def view(self) -> View:
        return learn_view(self)

    def open(self) -> None:
        self.is_open = True
        self.room.look(self, self.training)

    def away(self) -> None:
        self.room.away(self, self.training)

    def close(self) -> None:
        super().close()
        self.room.leave(self, self.training)

    def act(self, name: str, args: list[Any]) -> bool:
        if name in (DOING if self.kept is None else CHANGING):
            try:
                self._take_seat()
            except FourlabError as error:
                self.error = {"field": name, "text": str(error)}
                self.changed()
                return False
        done = super().act(name, args)
        self.training.changed()  # the others who look
        return done

    def _take_seat(self) -> None:
        """See to it that the training is one of the room's, which alone can be paused and saved."""
        if self.kept is None:
            self._move_to(self.room.adopt(self.training, self.shelf))
        elif not self.kept.is_kept:
            raise FourlabError(GONE)
        elif not self.room.holds(self.kept):
            self._move_to(self.room.enter(self.kept.name))

    def _move_to(self, training: Training) -> None:
        self.room.leave(self, self.training)
        self.training = training
        if self.is_open:
            self.room.look(self, training)

    # What a visitor does

    def run(self) -> None:
        """Start, or pause."""
        self.training.run()

    def learn(self, seconds: float) -> None:
        """Learn as fast as it goes for so long, then pause."""
        self.training.learn(seconds)

    def step(self, what: str) -> None:
        """Go on by a move, a phase, or a game, and pause."""
        self.training.step(what)

    def speed(self, moves: float) -> None:
        """Set the pace in moves a second."""
        self.training.speed(moves)

    def tune(self, name: str, text: str) -> None:
        """Change a rate or a reward at once, without a reset."""
        self.training.tune(name, text)

    def test(self) -> None:
        """Play 100 test games without exploring."""
        self.training.test()

    def choose(self, name: str, value: str) -> None:
        """Choose another learner, board or opponent; in a run that begins a draft beside it."""
        if name not in OFFERED:
            raise FourlabError(f"{str(name)[:20]!r} cannot be chosen")
        settings = self.training.settings.with_choice(name, value)
        draft = Training(self.bench, settings, self.training.seed)
        draft.pace.moves = self.training.pace.moves
        self.compared = []
        self._move_to(draft)

    def board(self, columns: int, rows: int, connect: int, gravity: bool) -> None:
        """Choose a board by its size and its goal."""
        family = "connect" if gravity else "mnk"
        sizes = (_size(columns, "columns"), _size(rows, "rows"), _size(connect, "connect"))
        if sizes[2] > max(sizes[:2]):
            raise FourlabError(f"no line of {sizes[2]} fits on {sizes[0]} × {sizes[1]}")
        self.choose("game", "{}:columns={},rows={},k={}".format(family, *sizes))

    def fork(self) -> None:
        """Copy the run, as it is, into one of the visitor's own."""
        kept = self.kept
        if kept is None:
            raise FourlabError("there is no run to copy yet")
        if not self.shelf.keep.has_space(self.shelf.owner):
            raise FullError(NO_SPACE)
        title, spare = f"copy of {self.shelf.keep.get(kept.name).title}", self.shelf.keep.spare()

        def copy(learner: Learner) -> Callable[[], None]:
            try:
                write_run(learner, spare)
            except FourlabError as error:
                why = str(error)
                return lambda: self._not_copied(why)
            return keep

        def keep() -> None:
            body = {**kept.body(), "state": "paused"}
            try:
                item = self.shelf.add("run", body, title, kept.name[:-9], spare)
                self._move_to(self.room.enter(item.name))
            except FourlabError as error:
                self._not_copied(str(error))
                shutil.rmtree(spare, ignore_errors=True)

        kept.do(copy)

    def _not_copied(self, why: str) -> None:
        """Say why a run was not copied; the run itself goes on."""
        self.error = {"field": "fork", "text": why}
        self.changed()

    def rename(self, title: str) -> None:
        """Give the run another title."""
        if self.kept is None:
            raise FourlabError("a run has a title once it has begun")
        self.shelf.rename(self.kept.name, title)

    def challenge(self) -> None:
        """Save the run and say where one plays against it."""
        kept = self.kept
        assert kept is not None  # noqa: S101  # a draft has become a run by now
        self.challenged = ""

        def ready(learner: Learner) -> Callable[[], None]:
            query = {"game": name_of(learner.rules), "opponent": f"run:{kept.name}"}
            address = "/play?" + urlencode(query, safe=":=,/")
            return lambda: setattr(self, "challenged", address)

        kept.save()
        kept.do(ready)

    def find(self, text: str) -> None:
        """List what it knows of the positions that follow some moves."""
        wanted = str(text)[:100]

        def look(learner: Learner) -> Callable[[], None]:
            found = policy_of(learner, wanted)
            return lambda: setattr(self, "policy", found)

        if self.training.learner is not None:
            self.training.do(look)

    def compare(self, names: list[str]) -> None:
        """Show other runs on the same chart."""
        wanted = [str(name) for name in names[:MOST_COMPARED]]
        for name in wanted:
            self.shelf.open("run", name)
        self._compare(wanted)

    def _compare(self, names: list[str]) -> None:
        """Put other runs on the chart, each once, and say how many find no place there."""
        own = "" if self.kept is None else self.kept.name
        others = [name for name in dict.fromkeys(names) if name not in ("", own)]
        self.compared, left_out = others[:MOST_COMPARED], len(others[MOST_COMPARED:])
        if left_out:
            why = f"{MOST_COMPARED} further runs stand on a chart; {left_out:,} were left out"
            self.notice = "; ".join(filter(None, (self.notice, why)))


def _latest(shelf: Shelf) -> str:
    """Return the run that a visitor had last, nothing if there is none."""
    runs = shelf.items("run")
    return runs[0].name if runs else ""


def _size(value: Any, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 9:
        raise FourlabError(f"{what} {str(value)[:20]!r} is not allowed; 1 to 9")
    return value
