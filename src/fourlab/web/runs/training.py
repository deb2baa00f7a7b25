"""`Training`: a learner at work on the server. Whoever looks at it sees the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from fourlab.core.errors import FourlabError
from fourlab.core.spec import configure, parse
from fourlab.learning.base import Learner
from fourlab.rules.position import Position
from fourlab.web.runs.measuring import Measured
from fourlab.web.runs.pace import Pace, read_sprint
from fourlab.web.runs.sample import Sample, Tally, sample_of, tally_of, train_for
from fourlab.web.runs.setup import LearnSetup
from fourlab.web.sessions.base import View

SLICE = 0.1  # seconds of training between two looks at what the visitors want


class Training(Measured):
    """A learner, what it has learned, and the pace at which it learns.

    A pause calls off the games that it plays, not what it has learned.
    """

    def __init__(self, bench: Any, settings: LearnSetup, seed: int = 0) -> None:
        super().__init__(bench)
        self.seed = settings.seed or seed
        self.settings = replace(settings, seed=self.seed)
        self.pace = Pace()
        self.changed = self._tell
        self.begin()

    def view(self) -> View:
        raise NotImplementedError("a training is shown by the sessions that watch it")

    def begin(self) -> None:
        """Know nothing yet."""
        self.begin_work()
        self.sample: Sample | None = None
        self.frame = 0
        self.size = 0  # of what it has learned
        self.done = 0  # games played
        self.won = Tally()
        self.rate = 1  # training games for each one shown
        self.begin_measuring()
        self.inside: dict[str, float] = {}  # what the learner said of itself last
        self.begins = ""  # where games begin too

    def _tell(self) -> None:
        """Show all who look what has changed."""
        for watcher in list(self.watchers):
            watcher.changed()

    @property
    def is_over(self) -> bool:
        """Whether all games that it was to learn from are played."""
        return self.done >= self.settings.games

    # What a visitor does

    def run(self) -> None:
        """Start, or pause."""
        if not self.running:
            self._check_left()
        self._set_running(not self.running)

    def pause(self) -> None:
        """Stop, if it runs."""
        self._set_running(False)

    def _set_running(self, running: bool, sprint: float = 0.0) -> None:
        if self.running and not running:
            self.halt.set()
        self.running = running
        self.pace.restart(sprint)
        self.stop("tick")
        if running:
            self.tick()

    def learn(self, seconds: float) -> None:
        """Learn as fast as it goes for so long, then pause."""
        sprint = read_sprint(seconds)
        self._check_left()
        self._set_running(True, sprint)

    def step(self, what: str) -> None:
        """Go on by a move, a phase, or a game, and pause."""
        if what not in ("move", "phase", "game"):
            raise FourlabError(f"there is no step {str(what)[:20]!r}; move, phase or game")
        self._set_running(False)
        if self.sample is None or self.frame + 1 >= len(self.sample.game.phases):
            self._check_left()
            self._next_game(None if what == "game" else 0)
            return
        frames = self.sample.game.phases
        self.frame += 1
        if what == "game":
            self.frame = len(frames) - 1
        elif what == "phase":
            phase = frames[self.frame - 1][2]
            while frames[self.frame][2] == phase and self.frame + 1 < len(frames):
                self.frame += 1

    def _check_left(self) -> None:
        if self.is_over:
            raise FourlabError(f"all {self.settings.games:,} games are played; begin a new run")

    def speed(self, moves: float) -> None:
        """Set the pace in moves a second."""
        self.pace.set(moves)
        if self.running:
            self._set_running(True)

    def tune(self, name: str, text: str) -> None:
        """Change a rate or a reward at once, without a reset."""
        self.settings = self.settings.with_dial(name, text)
        changes = self.settings.changes()

        def retune(learner: Learner) -> Callable[[], None]:
            learner.tune(**changes)
            return lambda: None

        self.do(retune)

    def begin_at(self, positions: list[Position]) -> None:
        """From now on let games begin at these too; raises FourlabError where they cannot."""
        kind = self.settings.kind
        if not hasattr(kind, "begin_at"):
            raise FourlabError(f"{kind.title} begins all its games on the empty board")
        self.begins = f"half of the games begin at {len(positions):,} holes"

        def begin(learner: Any) -> Callable[[], None]:
            learner.begin_at(positions)
            return lambda: None

        self.do(begin)

    # What follows from it

    def refresh(self) -> None:
        if self.learner is None and not self.busy and not self.is_over:
            self._next_game(0)

    def tick(self) -> None:
        """Do what is next: show a move, play a game, or train for a while."""
        if not self.running or self.busy:
            return
        if self.is_over or self.pace.is_spent:
            self._set_running(False)
            self.changed()
        elif not self.pace.is_slow:
            self._train()
        elif self.sample is None or self.frame + 1 >= len(self.sample.game.phases):
            self._next_game(0)
        else:
            self.frame += 1
            self.changed()
            self.after("tick", 1 / self.pace.moves, self.tick)

    def _next_game(self, frame: int | None) -> None:
        """Play one game; show its beginning, or with None its end."""

        def play(learner: Learner) -> Callable[[], None]:
            tally, sample = self._watch(learner)
            return self._taken(learner, sample, frame, tally)

        self.do(play, last=self.measure)

    def _watch(self, learner: Learner) -> tuple[Tally, Sample | None]:
        """Let a learner play a game that is told; no sample if it cannot tell any, or has ended."""
        if learner.done >= learner.total:
            return Tally(), None
        game = learner.watch(self.limit)
        if game is not None:
            sample = sample_of(learner.rules, learner.done, game)
            return tally_of(sample), sample
        tally, progress = Tally(), learner.advance(1, self.limit)
        if progress is not None:
            tally.add(progress)
        return tally, None

    def _train(self) -> None:
        """Train for a slice of time, or as many games as the pace allows by now."""
        most = self.pace.allowed(self._length)
        if most == 0:
            self.after("tick", SLICE, self.tick)
            return
        shown = self.pace.shows()

        def train(learner: Learner) -> Callable[[], None]:
            tally, sample = self._watch(learner) if shown else (Tally(), None)
            tally.add(train_for(learner, SLICE, most - tally.games, self.limit))
            return self._taken(learner, sample, None, tally)

        self.do(train, last=self.measure)

    @property
    def _length(self) -> float:
        """Moves in a game, as far as that is known."""
        if not self.won.games or not self.won.decisions:
            return self.settings.rules.cells / 2
        return self._moves(self.won) / self.won.games

    def _moves(self, tally: Tally) -> int:
        """Return the moves of both sides in games of training."""
        if not tally.decisions:
            return tally.games * self.settings.rules.cells // 2
        return tally.decisions * (1 if self.settings.opponent == "self" else 2)

    def _taken(
        self, learner: Learner, sample: Sample | None, frame: int | None, tally: Tally
    ) -> Callable[[], None]:
        """Return how to note what a job brought."""
        size, done = learner.size, learner.done

        def take() -> None:
            self.sample = sample or self.sample  # at the end of a run there is no other
            self.size, self.done = size, done
            last = 0 if self.sample is None else len(self.sample.game.phases) - 1
            if sample is not None or frame is not None:
                self.frame = last if frame is None else min(frame, last)
            self.won.add(tally)
            self.inside = tally.inside or self.inside
            self.rate = max(self.rate, tally.games) if sample is None else tally.games
            self.pace.played(tally.games, self._moves(tally))

        return take

    def catch_up(self, games: int) -> None:
        """Play up to a number of games that are known already, with the same dice."""

        def play(learner: Learner) -> Callable[[], None]:
            if learner.done < games:
                learner.advance(games - learner.done)
            return lambda: None

        self.do(play)

    def make(self) -> Learner:
        """Return the learner as it is at the beginning; called on a thread."""
        settings = self.settings
        config = configure(settings.kind.Config, parse(settings.spec), "learner")
        return settings.kind(settings.rules, config, self.seed)

    def ready(self, learner: Learner) -> None:
        self.size, self.done = learner.size, learner.done
        self.curves.cut(learner.done)
        self.ask_for_truth()
        self.pace.restart(self.pace.sprint)  # it could not learn before

    def worked(self) -> None:
        """Hear that a job is done."""

    def go_on(self, spent: float) -> None:
        if self.running:
            wait = 1 / self.pace.moves if self.pace.is_slow else SLICE - spent
            self.after("tick", 0.0 if self.pace.is_fastest else max(0.0, wait), self.tick)
