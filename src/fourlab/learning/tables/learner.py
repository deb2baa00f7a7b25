"""`TableLearner`: learners whose values are tables or n-tuple networks."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from fourlab.agents.base import Agent as AnyAgent
from fourlab.agents.base import kernel_seed
from fourlab.agents.instant import LEARNED, RANDOM, Instant, instant_form
from fourlab.agents.learned import Learned, LearnedConfig
from fourlab.core.arrays import Array, Ints
from fourlab.core.errors import DivergedError, SpecError
from fourlab.core.limit import NO_LIMIT, CalledOffError, Limit
from fourlab.core.storage import StorageError
from fourlab.learning.base import SEEDS, Learner, Progress, WatchedGame
from fourlab.learning.opponents import opponents
from fourlab.learning.schedules import follow_length
from fourlab.learning.tables.config import TableConfig
from fourlab.learning.tables.episode import Episode, new_episode
from fourlab.learning.tables.lanes import LANES, draw_seeds, new_lanes, play_round, rounds
from fourlab.learning.tables.loop import DECISIONS, DRAWS, LOSSES, WINS, Rates, trainer
from fourlab.learning.tables.watching import watched
from fourlab.positions.starts import beside, starts
from fourlab.rules.boards import boards_of
from fourlab.rules.geometry import Rules
from fourlab.rules.position import FIRST, SECOND, Position, position_of
from fourlab.values.knowledge import SELF, Knowledge

FROZEN_PREFIX = "frozen_"
MOST_STARTS = 10_000  # positions where games begin too
SIDES = {"first": FIRST, "second": SECOND}
NOBODY = Instant(RANDOM)  # never asked where the learner is alone


class TableLearner(Learner):
    """Learns one game inside kernels; each learner of the family is a subclass with a config."""

    Config: ClassVar[type[TableConfig]]
    config: TableConfig
    Agent: ClassVar[type[Learned]] = Learned  # what plays what was learned

    def __init__(self, rules: Rules, config: TableConfig, seed: int = 0) -> None:
        super().__init__(rules, config, seed)
        about = {"learner": self.name, "config": dataclasses.asdict(config), "seed": seed}
        self.knowledge = Knowledge.new(rules, config.shape(rules, seed), about)
        self._dice = kernel_seed(np.random.default_rng(seed))
        self._frozen: Knowledge | None = None
        self._episode = new_episode(rules)
        self._lanes = new_lanes(rules)
        self._last: Episode = self._episode  # where the last game was written down
        self._also: list[Position] = []  # where games begin too
        self._opponents = (
            None if config.opponent == SELF else opponents(config.opponent, rules, config.games)
        )
        self._read_config()

    @classmethod
    def check(cls, rules: Rules, config: TableConfig) -> None:
        super().check(rules, config)
        config.shape(rules, 0).check_board(rules)

    def _read_config(self) -> None:
        self._alpha, self._epsilon = self.config.rates()
        begun = starts(self.config.start, self.rules)
        if self._also:
            begun = beside(begun, boards_of(self._also))
        self.lesson = self.config.lesson(begun)
        shape = self.config.shape(self.rules, self.seed)
        for known in (self.knowledge, self._frozen):
            if known is not None:  # a file tells both of the same ends
                known.give_ends(shape.won, shape.drawn)

    def begin_at(self, positions: Sequence[Position]) -> None:
        """From now on half of the games begin at one of these."""
        self._also = [one for one in positions if not one.is_over][:MOST_STARTS]
        self._read_config()
        self.knowledge.about["starts"] = [one.notation for one in self._also]

    @property
    def total(self) -> int:
        return self.config.games

    @property
    def size(self) -> int:
        return len(self.knowledge)

    @property
    def follows_length(self) -> tuple[str, ...]:
        rates = {"alpha": self._alpha, "epsilon": self._epsilon}
        cut_short = self.done % self.together != 0  # where a shorter run had its end
        last = (f"the last round of {self.together} games",) if cut_short else ()
        return follow_length(rates, self._opponents) + last

    @property
    def together(self) -> int:
        if self._opponents is None:
            return 1
        agents = [member.agent for stage in self._opponents.stages for member in stage]
        return 1 if all(a is None or instant_form(a) is not None for a in agents) else LANES

    def agent(self) -> Learned:
        return self.Agent(self.rules, LearnedConfig(), self.knowledge)

    def tune(self, **options: Any) -> None:
        super().tune(**options)
        self.config = dataclasses.replace(self.config, **options)
        self._read_config()
        self.knowledge.about["config"] = dataclasses.asdict(self.config)

    def steps(self) -> Iterator[Progress]:
        while self.done < self.total:
            try:
                progress = self._chunk(self.next_stop(self.config.chunk), Limit(stop=self.halt))
            except CalledOffError:
                return
            yield progress

    def advance(self, games: int, limit: Limit = NO_LIMIT) -> Progress | None:
        if self.done >= self.total:
            return None
        return self._chunk(min(self.done + games, self.total), limit)

    def prepare(self) -> None:
        if self._opponents is not None:
            self._opponents.prepare()
        opponent, _ = self._opponent()
        form = instant_form(opponent) if isinstance(opponent, AnyAgent) else opponent
        nothing, tally = self._rates(np.zeros(0, np.int64)), np.zeros(4, np.int64)
        board = (self.rules, self.knowledge.values)
        if form is not None:
            train = trainer(self.knowledge.values.kind, self.lesson.method)
            train(*board, form.own(), self.lesson, nothing, 0, self._episode, tally, self._dice)
        else:
            step = rounds(self.knowledge.values.kind, self.lesson.method)
            step(*board, self.lesson, nothing, self._lanes, np.zeros(0, np.int64), True, tally)

    def _chunk(self, stop: int, limit: Limit = NO_LIMIT) -> Progress:
        """Play up to game number `stop`, or a few more that belong together."""
        tally, began, watch = np.zeros(4, np.int64), self.done, limit.watch()
        while self.done < stop:
            try:
                self._play_block(stop, tally, watch.rest())
            except CalledOffError:
                if self.done == began:
                    raise
                break  # what was played before counts
        self._check()
        return Progress(
            done=self.done,
            wins=int(tally[WINS]),
            draws=int(tally[DRAWS]),
            losses=int(tally[LOSSES]),
            metrics={
                "alpha": self.alpha,
                "epsilon": float(self._rates(np.array([self.done - 1])).epsilons[0]),
                "size": self.size,
                "left_out": self.knowledge.left_out,
                "decisions": int(tally[DECISIONS]),
            },
        )

    def _check(self) -> None:
        """Raise DivergedError if a value was to be learned that is none."""
        if self.knowledge.has_diverged:
            raise DivergedError(
                f"{self.spec} diverged within {self.done:,} games: values beyond all bounds; "
                "learn with a smaller alpha or smaller rewards"
            )

    def _play_block(self, stop: int, tally: Ints, limit: Limit, alone: bool = False) -> None:
        """Play against one opponent up to game number `stop` at most.

        A round of lanes is played to its end, unless a single game is wanted `alone`.
        """
        opponent, until = self._opponent()
        form = instant_form(opponent) if isinstance(opponent, AnyAgent) else opponent
        if form is not None:
            self._play_inside(form.own(), min(until, stop), tally)
        elif isinstance(opponent, AnyAgent):
            end = stop if alone else self.done - self.done % LANES + LANES
            self._play_round(opponent, min(until, end), tally, limit)

    def _play_inside(self, opponent: Instant, until: int, tally: Ints) -> None:
        """Play against an opponent that moves at once, inside a kernel."""
        rates = self._rates(np.arange(self.done, until))
        train = trainer(self.knowledge.values.kind, self.lesson.method)
        played = 0
        while played < len(rates.sides):
            self.knowledge.make_room(self.rules.cells)
            played, self._dice = train(
                self.rules,
                self.knowledge.values,
                opponent,
                self.lesson,
                rates,
                played,
                self._episode,
                tally,
                self._dice,
            )
        self.done, self._last = until, self._episode

    def _play_round(self, opponent: AnyAgent, until: int, tally: Ints, limit: Limit) -> None:
        """Play against any other opponent, in lanes side by side.

        Raises CalledOffError, as if it had not begun, when the limit is over before the games are.
        """
        rates = self._rates(np.arange(self.done, until))
        seeds = np.empty(until - self.done, np.int64)
        dice = draw_seeds(self._dice, seeds)
        play_round(self.knowledge, self.lesson, opponent, rates, self._lanes, seeds, tally, limit)
        self._dice = dice
        self._last = Episode._make(array[len(seeds) - 1] for array in self._lanes.episodes)
        self.done = until

    def _rates(self, games: Ints) -> Rates:
        side = self.config.side
        return Rates(
            self._alpha.at(games, self.total),
            self._epsilon.at(games, self.total),
            np.full(len(games), SIDES[side]) if side in SIDES else games % 2,
        )

    def _opponent(self) -> tuple[AnyAgent | Instant, int]:
        """Return who plays the next games, and up to which game number."""
        if self._opponents is None:
            return NOBODY, self.total
        member, until = self._opponents.block(self.done, self.seed)
        if self._opponents.renews(self.done):
            self._frozen = self.knowledge.copy()
        if member.agent is None:
            assert self._frozen is not None  # noqa: S101  # taken in the first game
            return Instant(LEARNED, self._frozen.values), until
        return member.agent, until

    @property
    def alpha(self) -> float:
        """The step size in the last game."""
        return float(self._rates(np.array([max(self.done - 1, 0)])).alphas[0])

    def watch(self, limit: Limit = NO_LIMIT) -> WatchedGame:
        tally = np.zeros(4, np.int64)
        self._play_block(self.done + 1, tally, limit, alone=True)
        self._check()
        side = None if self.lesson.alone else int(self._rates(np.array([self.done - 1])).sides[0])
        result = int(tally[WINS] - tally[LOSSES])
        return watched(self, self._last, int(tally[DECISIONS]), side, result)

    def save(self, path: Path) -> None:
        self.knowledge.about |= {"games": self.done, "dice": self._dice, "notes": self.notes}
        extra: dict[str, Array] = {}
        if self._frozen is not None:
            extra = {FROZEN_PREFIX + name: a for name, a in self._frozen.arrays().items()}
        self.knowledge.save(path, extra)

    @classmethod
    def load(cls, path: Path, games: int | None = None) -> Self:
        knowledge, extra = Knowledge.load(path)
        about = knowledge.about
        try:
            if about["learner"] != cls.name:
                raise SpecError(f"it was learned by {about['learner']!r}, not {cls.name!r}")
            learner = cls(knowledge.rules, cls.config_of(about, games), about["seed"])
            learner.done = int(about["games"])
            learner._dice = learner._dice if about["dice"] is None else int(about["dice"])
            if not 0 <= learner._dice < SEEDS:
                raise SpecError(f"dice are {about['dice']!r:.40}")
            learner.notes = dict(about["notes"])
            also = [position_of(knowledge.rules, str(moves)) for moves in about.get("starts", ())]
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise StorageError(f"{path} is damaged: nothing to go on with ({error})") from None
        learner.knowledge = knowledge
        learner._read_config()
        if also:
            learner.begin_at(also)
        if extra:
            frozen = {name.removeprefix(FROZEN_PREFIX): array for name, array in extra.items()}
            learner._frozen = Knowledge.new(knowledge.rules, knowledge.shape)
            learner._frozen.take(path, frozen)
        return learner
