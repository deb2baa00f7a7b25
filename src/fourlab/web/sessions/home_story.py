"""The story that Home tells: a newborn learner is beaten, learns ten seconds, and beats."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import numpy as np

from fourlab.agents.registry import agent as find_agent
from fourlab.core.errors import FourlabError
from fourlab.core.spec import configure, parse
from fourlab.learning.base import Learner
from fourlab.learning.evaluation import play_off
from fourlab.learning.registry import LEARNERS
from fourlab.rules.catalog import game as find_game
from fourlab.rules.position import FIRST, Position, position_of
from fourlab.web.keep.item import Body
from fourlab.web.keep.shelf import Shelf
from fourlab.web.keep.store import Keep
from fourlab.web.sessions.home_keeping import StoryKeeper
from fourlab.web.sessions.line import GameLine
from fourlab.web.workbench import MOVES, TRAINING, Job, Workbench

GAME = "connect:columns=4,rows=4,k=3"
LEARNER = "q"
SPEC = "q:games=1000000000,opponent=self,chunk=20,memory-mb=64"
YARDSTICK = "baseline"
SECONDS = 10
TICKS = 20  # points of the curve in that time
GAMES = 1_000_000  # that it plays in that time
TEST_GAMES = 1000
MOST_STORIES = 200
NEWBORN, GROWN = 0, 1  # the two ages at which it is played
READY, LEARNING, PAUSED = "ready", "learning", "paused"


def games_at(tick: int) -> int:
    """Return how many games it has played after a tick: ever more, since it learns most early.

    After the first ten seconds it plays as many in each tick.
    """
    if tick > TICKS:
        return GAMES + (tick - TICKS) * GAMES // TICKS
    return round(math.exp(math.log(GAMES) * tick / TICKS)) if tick else 0


class Story:
    """One visitor's learner, from its birth on, and the games played against it.

    It lives at the server: all of a visitor's pages show the same. It learns only while asked to,
    ten seconds at a time, and goes on when nobody looks. After a restart of the server it waits
    as it was at its last tick.
    """

    def __init__(self, bench: Workbench, seed: int, keeper: StoryKeeper | None = None) -> None:
        self.bench = bench
        self.keeper = keeper or StoryKeeper()
        self.rules = find_game(GAME)
        self.rng = np.random.default_rng(seed)
        self.newborn, self.learner = self._born(seed), self._born(seed)
        self.games = [GameLine(self.rules.start()), GameLine(self.rules.start())]
        self.state = READY
        self.tick, self.goal = 0, TICKS
        self.busy = False  # a job has the learner
        self.points: list[tuple[int, float]] = []  # games, and the share won of the test games
        self.failure = ""
        self.board = ""  # where the game on the large board is kept
        self.listeners: list[Callable[[], None]] = []
        self._jobs: dict[str, Job] = {}
        try:
            self._take(self.keeper.open())
        except FourlabError as error:
            self.failure = str(error)
        self._answer(NEWBORN)
        if self.can_play:
            self._answer(GROWN)

    def _take(self, body: Body) -> None:
        """Take up a story that was kept; raises FourlabError if the learner cannot be read."""
        if not body:
            return
        self.board = body["board"]
        if body["tick"]:
            self.learner = self.keeper.load(self.newborn)
            self.tick, self.goal = body["tick"], body["goal"]
            self.points = [(games, share) for games, share in body["points"]]
            self.state = READY if self.tick >= self.goal else PAUSED
        self.games = [GameLine(position_of(self.rules, moves)) for moves in body["games"]]

    def keep(self) -> None:
        """Keep the story as it stands."""
        self.keeper.put(
            {
                "tick": self.tick,
                "goal": self.goal,
                "points": self.points,
                "games": [line.last.notation for line in self.games],
                "board": self.board,
            }
        )

    def _born(self, seed: int) -> Learner:
        config = configure(LEARNERS[LEARNER].Config, parse(SPEC), "learner")
        return LEARNERS[LEARNER](self.rules, config, seed)

    @property
    def is_grown(self) -> bool:
        """Whether it has learned its first ten seconds."""
        return self.tick >= TICKS

    @property
    def can_play(self) -> bool:
        """Whether it can be played as it has become: not while it learns."""
        return self.is_grown and self.state == READY

    @property
    def href(self) -> str:
        """Where such a learner can be watched move by move."""
        query = {"game": GAME, "learner": LEARNER, "opponent": "self"}
        return "/learn?" + urlencode(query, safe=":=,")

    # What a visitor does

    def drop(self, age: int, stones: int, move: int) -> None:
        """Play a move against it at an age; `stones` says on which position."""
        if age == GROWN and not self.can_play:
            raise FourlabError("let it learn ten seconds first")
        line = self.games[age]
        if stones != line.at or line.position.is_over or line.position.to_move == FIRST:
            return
        line.play(move)
        self.keep()
        self._answer(age)

    def again(self, age: int) -> None:
        """Begin another game against it."""
        self.games[age] = GameLine(self.rules.start())
        self.keep()
        if age == NEWBORN or self.can_play:
            self._answer(age)

    def learn(self) -> None:
        """Learn ten seconds, or what is left of them; or pause."""
        if self.state == LEARNING:
            self._stop("tick")
            self.state = PAUSED
            return
        if self.tick >= self.goal:
            self.goal += TICKS
        self.state, self.failure = LEARNING, ""
        self.keep()
        if not self.busy:
            self._train()

    # What follows from it

    def _answer(self, age: int) -> None:
        """Let it move, if it is its turn: it has the first move."""
        position = self.games[age].position
        if position.is_over or position.to_move != FIRST:
            return
        learner, seed = (self.newborn, self.learner)[age], int(self.rng.integers(2**32))

        def think(job: Job) -> None:
            decision = learner.agent().decide(position, np.random.default_rng(seed), job.limit)
            job.report(self._answered, age, position, decision.move)

        self._start(f"move {age}", think, MOVES)

    def _answered(self, age: int, position: Position, move: int) -> None:
        if self.games[age].position == position:
            self.games[age].play(move)
            self.keep()
            self._tell()

    def _train(self) -> None:
        """Learn until the next tick is due."""
        self.busy = True
        learner, target = self.learner, games_at(self.tick + 1)
        opponent = find_agent(YARDSTICK, self.rules)

        def train(job: Job) -> None:
            if not self.points:
                job.report(self.points.append, (0, _share(learner, opponent)))
            if learner.done < target:
                for progress in learner.steps():
                    if progress.done >= target or job.cancelled():
                        break
            self.keeper.save(learner)
            job.report(self._trained, learner.done, _share(learner, opponent))

        self._start("train", train, TRAINING)

    def _trained(self, games: int, share: float) -> None:
        self.busy = False
        self.points.append((games, share))
        self.tick += 1
        if self.tick >= self.goal:
            self.state = READY
            self.again(GROWN)
        elif self.state == LEARNING:
            self._jobs["tick"] = self.bench.after(SECONDS / TICKS, self._train)
        self.keep()
        self._tell()

    def _start(self, kind: str, work: Callable[[Job], None], pool: str) -> None:
        def prepared(job: Job) -> None:
            job.await_kernels("learning@any", lambda words: None)
            work(job)

        self._stop(kind)
        try:
            self._jobs[kind] = self.bench.start(prepared, pool, self._failed)
        except FourlabError as error:
            self._failed(str(error))

    def _stop(self, kind: str) -> None:
        job = self._jobs.pop(kind, None)
        if job is not None:
            job.cancel()

    def _failed(self, why: str) -> None:
        self.failure, self.busy = why, False
        if self.state == LEARNING:
            self.state = PAUSED
        self._tell()

    def _tell(self) -> None:
        for listener in list(self.listeners):
            listener()

    def close(self) -> None:
        """Forget it: all its work is called off."""
        for kind in list(self._jobs):
            self._stop(kind)


def _share(learner: Learner, opponent: Any) -> float:
    """Return how many of some test games it wins when it starts."""
    return play_off(learner, opponent, TEST_GAMES, learner.done, "first").wins / TEST_GAMES


class Stories:
    """The stories of a server's visitors; the one that nobody has looked at longest goes first."""

    def __init__(self, keep: Keep | None = None, most: int = MOST_STORIES) -> None:
        self.keep, self.most = keep, most
        self._known: OrderedDict[str, Story] = OrderedDict()

    def of(self, visitor: str, bench: Workbench) -> Story:
        """Return a visitor's story; it begins with the first look."""
        if visitor not in self._known:
            keeper = StoryKeeper(Shelf(self.keep, visitor) if self.keep else None)
            self._known[visitor] = Story(bench, int.from_bytes(visitor.encode()[-6:]), keeper)
        self._known.move_to_end(visitor)
        while len(self._known) > self.most:
            self._known.popitem(last=False)[1].close()
        return self._known[visitor]
