"""Learn: a learner at work, watched at any speed."""

from __future__ import annotations

import datetime
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

from fourlab.agents.registry import agent as find_agent
from fourlab.core.errors import FourlabError
from fourlab.core.spec import configure, parse
from fourlab.learning.base import Learner
from fourlab.learning.evaluation import against_truth, play_off
from fourlab.learning.runs import RunConfig
from fourlab.positions.suites import Scored
from fourlab.rules.catalog import name_of
from fourlab.web.limits import RUNS
from fourlab.web.sessions.base import Session, View
from fourlab.web.sessions.curves import Curves
from fourlab.web.sessions.learn_setup import OFFERED, read_setup
from fourlab.web.sessions.learn_view import learn_view
from fourlab.web.sessions.reference import perfect_share, truth_sample
from fourlab.web.sessions.sample import Sample, sample_of, tally_of, train_for
from fourlab.web.workbench import TRAINING, Job

SLOW = 30.0  # moves a second up to which every move is shown
FASTEST = 10_000.0  # on the slider; from there on as fast as it goes
SLICE = 0.1  # seconds of training between two looks at what the visitor wants
TEST_GAMES = 100
CURVE_GAMES = 200
MOST_SAVES = 20
REMEMBERED_GAMES = 400

# Work is done with the learner on a thread, and returns what is then done to the session.
Work = Callable[[Learner], Callable[[], None]]


class LearnSession(Session):
    """A learner, what it has learned, and the pace at which it is watched.

    The learner is touched only by jobs of kind `train`, of which there is one at a time.
    """

    actions = frozenset({"run", "step", "speed", "reset", "choose", "tune", "test", "save"})

    def __init__(self, bench: Any, query: Mapping[str, str], seed: int = 0) -> None:
        super().__init__(bench)
        self.settings, self.notice = read_setup(query)
        self.seed = self.settings.seed or seed
        self.pace = 2.0
        self.running = False
        self._begin()

    def _begin(self) -> None:
        """Forget everything that was learned."""
        for kind in ("train", "tick", "truth", "reference"):
            self.stop(kind)
        self.learner: Learner | None = None
        self.busy = False
        self.sample: Sample | None = None
        self.frame = 0
        self.size = 0  # of what it has learned
        self.done = 0  # games played
        self.won = [0, 0, 0]
        self.rate = 1  # training games for each one shown
        self.curves = Curves()
        self.columns: deque[list[int]] = deque(maxlen=REMEMBERED_GAMES)
        self.positions: list[Scored] | None = None
        self.reference: float | None = None
        self.tested: dict[str, Any] | None = None
        self.saved: dict[str, str] | None = None
        self.saves = 0
        self._wishes: list[Work] = []

    @property
    def url(self) -> str:
        """The address of this learner and its settings; what it has learned is not in it."""
        return "/learn?" + urlencode(self.settings.to_query(), safe=":=,")

    @property
    def is_slow(self) -> bool:
        """Whether every move is shown."""
        return self.pace <= SLOW

    @property
    def is_over(self) -> bool:
        """Whether all games that it was to learn from are played."""
        return self.done >= self.settings.games

    def view(self) -> View:
        return learn_view(self)

    # What a visitor does

    def run(self) -> None:
        """Start, or pause."""
        if not self.running:
            self._check_left()
        self.running = not self.running
        self.stop("tick")
        if self.running:
            self._tick()

    def step(self, what: str) -> None:
        """Go on by a move, a phase, or a game, and pause."""
        self.running = False
        self.stop("tick")
        if self.sample is None or self.frame + 1 >= len(self.sample.game.phases):
            self._check_left()
            self._next_game(0 if what == "move" else None)
            return
        frames = self.sample.game.phases
        if what == "game":
            self.frame = len(frames) - 1
        elif what == "phase":
            later = range(self.frame + 1, len(frames))
            phase = frames[self.frame][2]
            others = [n for n in later if frames[n][2] != phase]
            self.frame = others[0] if others else len(frames) - 1
        elif what == "move":
            self.frame += 1
        else:
            raise FourlabError(f"there is no step {what!r}; move, phase or game")

    def _check_left(self) -> None:
        if self.is_over:
            raise FourlabError(f"all {self.settings.games:,} games are played; Reset begins again")

    def speed(self, moves: float) -> None:
        """Set the pace in moves a second."""
        if isinstance(moves, bool) or not isinstance(moves, int | float) or not 0 < moves <= 1e9:
            raise FourlabError("a speed is a number of moves a second")
        self.pace = float(moves)
        if self.running and not self.busy:
            self._tick()

    def reset(self) -> None:
        """Begin again with nothing learned."""
        self.running = False
        self._begin()
        self.refresh()

    def choose(self, name: str, value: str) -> None:
        """Choose another learner, board or opponent; learning begins again."""
        if name not in OFFERED:
            raise FourlabError(f"{str(name)[:20]!r} cannot be chosen")
        self.settings = self.settings.with_choice(name, value)
        running = self.running
        self.reset()
        if running:
            self.run()

    def tune(self, name: str, text: str) -> None:
        """Change a rate or a reward at once, without a reset."""
        self.settings = self.settings.with_dial(name, text)
        changes = self.settings.changes()

        def retune(learner: Learner) -> Callable[[], None]:
            learner.tune(**changes)
            return lambda: None

        self._wish(retune)

    def test(self) -> None:
        """Play 100 test games without exploring."""

        def play(learner: Learner) -> Callable[[], None]:
            score = play_off(learner, self._opponent(learner), TEST_GAMES, learner.done, "both")
            return lambda: self._note("tested", score.to_json())

        self._wish(play)

    def save(self) -> None:
        """Save the run as it is, in a run folder, and say how to play against it."""
        if self.saves >= MOST_SAVES:
            raise FourlabError(f"this page has saved {MOST_SAVES} runs; that is enough")
        self.saves += 1
        self._wish(self._save)

    # What follows from it

    def refresh(self) -> None:
        if self.is_open and self.learner is None and not self.busy:
            self._next_game(0)

    def _note(self, name: str, found: Any) -> None:
        setattr(self, name, found)

    def _wish(self, wish: Work) -> None:
        """Have something done to the learner by the next job."""
        self._work(wish)

    def _opponent(self, learner: Learner) -> Any:
        return find_agent(self.settings.yardstick, learner.rules)

    def _tick(self) -> None:
        """Do what is next: show a move, play a game, or train for a while."""
        if not self.running or not self.is_open or self.busy:
            return
        if self.is_over:
            self.running = False
            self.changed()
        elif not self.is_slow:
            self._train()
        elif self.sample is None or self.frame + 1 >= len(self.sample.game.phases):
            self._next_game(0)
        else:
            self.frame += 1
            self.changed()
            self.after("tick", 1 / self.pace, self._tick)

    def _next_game(self, frame: int | None) -> None:
        """Play one game; show its beginning, or with None its end."""

        def play(learner: Learner) -> Callable[[], None]:
            sample = self._watch(learner)
            size, done = learner.size, learner.done
            return lambda: self._take(sample, size, done, frame, tally_of(sample))

        self._work(play)

    def _watch(self, learner: Learner) -> Sample | None:
        """Let a learner play a game that is told; None if it cannot tell any, or has ended."""
        if learner.done >= learner.total:
            return None
        game = learner.watch()
        if game is not None:
            return sample_of(learner.rules, learner.done, game)
        next(learner.steps(), None)
        return None

    def _train(self) -> None:
        """Train for a slice of time, or as many games as the pace allows in it."""
        moves = max(1, self.settings.rules.cells // 2)
        fastest = self.pace >= FASTEST
        most = 1 << 40 if fastest else max(1, int(self.pace * 2 * SLICE / moves))

        def train(learner: Learner) -> Callable[[], None]:
            tally = train_for(learner, SLICE, most)
            sample = self._watch(learner)
            both = [a + b for a, b in zip(tally, tally_of(sample), strict=True)]
            size, done = learner.size, learner.done
            return lambda: self._take(sample, size, done, None, both)

        self._work(train)

    def _take(
        self, sample: Sample | None, size: int, done: int, frame: int | None, tally: list[int]
    ) -> None:
        """Note what a job brought."""
        self.sample = sample or self.sample  # at the end of a run there is no other
        self.size, self.done = size, done
        last = 0 if self.sample is None else len(self.sample.game.phases) - 1
        self.frame = last if frame is None else frame
        self.won = [a + b for a, b in zip(self.won, tally, strict=True)]
        self.rate = sum(tally)
        if sample is not None:
            self.columns.append([turn.move for turn in sample.game.turns])

    def _work(self, *work: Work) -> None:
        """Do something with the learner on a thread; wishes first, a point of the curves last.

        While another job has the learner, it becomes a wish.
        """
        if self.busy:
            self._wishes += work
            return
        self.busy = True
        works = [*self._wishes, *work]
        self._wishes = []
        began = time.perf_counter()
        known, is_due, positions = self.learner, self.curves.is_due, self.positions

        def job(job: Job) -> None:
            learner = known or self._make()
            results = [one(learner) for one in works]
            if learner.done and is_due(learner.done):
                results.append(self._measure(learner, positions))
            job.report(self._done, learner, began, results)

        self.start("train", job, TRAINING, needs="learning@any")

    def failed(self, kind: str, why: str) -> None:
        if kind == "train":
            self.busy = self.running = False
        super().failed(kind, why)

    def _make(self) -> Learner:
        settings = self.settings
        config = configure(settings.kind.Config, parse(settings.spec), "learner")
        return settings.kind(settings.rules, config, self.seed)

    def _measure(self, learner: Learner, positions: list[Scored] | None) -> Callable[[], None]:
        score = play_off(learner, self._opponent(learner), CURVE_GAMES, learner.done, "both")
        thrown = 1 - against_truth(learner, positions)["good"] if positions else None
        games = learner.done
        return lambda: self.curves.add(games, score.to_json(), thrown)

    def _done(self, learner: Learner, began: float, results: list[Callable[[], None]]) -> None:
        """Take in what a job brought, and go on."""
        if self.learner is None:
            self.learner = learner
            self._ask_for_truth()
        self.busy = False
        for result in results:
            result()
        self.changed()
        if self._wishes:
            self._work()
        elif self.running:
            wait = 1 / self.pace if self.is_slow else SLICE - (time.perf_counter() - began)
            self.after("tick", 0.0 if self.pace >= FASTEST else max(0.0, wait), self._tick)

    def _ask_for_truth(self) -> None:
        """Find out, beside the training, what perfect play would reach."""
        settings = self.settings
        rules = settings.rules
        opponent = "self" if settings.opponent == "self" else settings.yardstick

        def solve(job: Job) -> None:
            job.report(self._note, "positions", truth_sample(rules))
            job.report(self._note, "reference", perfect_share(rules, opponent))

        self.start("truth", solve)

    def _save(self, learner: Learner) -> Callable[[], None]:
        stamp = datetime.datetime.now(tz=datetime.UTC).strftime("%Y%m%d-%H%M%S")
        name = f"{learner.name}-{learner.rules.columns}x{learner.rules.rows}"
        folder = RUNS / "web" / f"{name}-{stamp}-{learner.done}"
        RunConfig(learner.spec, name_of(learner.rules), learner.seed).save(folder)
        learner.save(folder / learner.file)
        query = {"game": name_of(learner.rules), "opponent": f"{learner.agent().name}:{folder}"}
        play = "/play?" + urlencode(query, safe=":=,/")
        return lambda: self._note("saved", {"path": str(folder), "play": play})
