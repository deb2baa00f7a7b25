"""What a learner is: training as an iterator that can be put away, taken up, watched and tuned."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

from fourlab.agents.base import Agent
from fourlab.core.errors import DivergedError, SpecError
from fourlab.core.limit import NO_LIMIT, Limit, never
from fourlab.core.spec import checked, options_of, write
from fourlab.positions.starts import starts
from fourlab.rules.geometry import Rules
from fourlab.values.knowledge import SELF

SEEDS = 1 << 63


@dataclass(frozen=True)
class Progress:
    """What a chunk of games came to, for the learner; in self-play, for the first player.

    A learner that plays none counts what its `unit` says, with results as its `outcomes` say.
    """

    done: int  # games since the beginning of the run
    wins: int
    draws: int
    losses: int
    metrics: dict[str, float] = field(default_factory=dict)  # what else there is to plot

    def __post_init__(self) -> None:
        for name, value in self.metrics.items():
            if not math.isfinite(value):
                raise DivergedError(
                    f"learning diverged within {self.done:,} games: its {name} is {value}; "
                    "learn with a smaller rate"
                )

    @property
    def played(self) -> int:
        """The games of the chunk."""
        return self.wins + self.draws + self.losses


Numbers = list[float | None]


@dataclass(frozen=True)
class Turn:
    """One decision of a watched game; lists have an entry for each move, None where it is none."""

    ply: int  # stones on the board before it
    move: int
    before: Numbers  # what each move was worth when it was made
    after: Numbers  # and when the game had been learned from
    trials: list[int | None]  # how often each was taught, this time included; None: not counted
    update: str  # the update written out


@dataclass(frozen=True)
class WatchedGame:
    """A training game, whole. `phases` are the steps in which it can be shown."""

    moves: tuple[int, ...]
    side: int | None  # the learner's, None where it plays both
    result: int  # 1, 0 or -1 for the learner, or for the first player
    turns: tuple[Turn, ...]
    phases: tuple[tuple[int, int, str], ...]  # stones shown, turns learned from, what goes on


def unheard(words: str) -> None:
    """Tell nobody."""


SELF_PLAY = ("first won", "drawn", "second won")  # outcomes where a learner is both players


class Learner(ABC):
    """Learns one game; `steps` yields after each chunk of games.

    Laws: all that is random comes from the seed, so that one seed is one run; a learner saved after
    any step and loaded again goes on as if nothing had happened, bit for bit. The first line of its
    config's docstring describes it.
    """

    name: ClassVar[str]
    title: ClassVar[str]  # for people
    Config: ClassVar[type[Any]]
    file: ClassVar[str] = "checkpoint.npz"  # what a run folder calls what `save` writes
    size_label: ClassVar[str] = "States in the table"  # what `size` counts, on a page
    size_unit: ClassVar[str] = "states"  # and in a line
    unit: ClassVar[str] = "games"  # what `done` counts
    outcomes: tuple[str, str, str] = ("won", "drawn", "lost")  # of each

    def __init__(self, rules: Rules, config: Any, seed: int = 0) -> None:
        self.check(rules, config)
        self.outcomes = self.results(config)
        self.rules = rules
        self.config = config
        self.seed = seed
        self.done = 0  # games played
        self.notes: dict[str, Any] = {}  # kept with the learner for whoever runs it
        self.pause_every = 0  # a step ends at each multiple of so many games, if it can
        self.halt = never  # a step ends before its time when it says so, if it can
        # Hears in words what `prepare` is at, while that takes long; what it raises calls it off.
        self.tell: Callable[[str], None] = unheard

    @classmethod
    def check(cls, rules: Rules, config: Any) -> None:
        """Raise FourlabError if it cannot learn this game with these options; soon known."""
        if hasattr(config, "start"):
            starts(config.start, rules)

    @property
    @abstractmethod
    def total(self) -> int:
        """Games of the whole run."""

    @property
    def size(self) -> int:
        """How much it has learned, in `size_unit`s."""
        return 0

    @property
    def untaught(self) -> str:
        """Why nothing at all was learned by now, in words; nothing where something was."""
        return ""

    @property
    def spec(self) -> str:
        """The spec string of the learner and its options."""
        return write(self.name, self.config)

    @abstractmethod
    def steps(self) -> Iterator[Progress]:
        """Play and learn until all games are played."""

    def advance(self, games: int, limit: Limit = NO_LIMIT) -> Progress | None:
        """Play and learn from about so many games, or one chunk; None if all are played.

        A learner that can be called off raises CalledOffError when the limit is over before
        anything was learned.
        """
        return next(self.steps(), None)

    @classmethod
    def results(cls, config: Any) -> tuple[str, str, str]:
        """Return what the `outcomes` of a learner are with this config."""
        return SELF_PLAY if getattr(config, "opponent", None) == SELF else cls.outcomes

    def prepare(self) -> None:  # noqa: B027  # most learners are ready
        """Compile and load all that training needs, off every clock."""

    @abstractmethod
    def agent(self) -> Agent:
        """Return the agent that plays what is known by now; it goes on learning with the run."""

    @abstractmethod
    def save(self, path: Path) -> None:
        """Write all that is needed to go on; an old file stays until this one is complete."""

    @classmethod
    @abstractmethod
    def load(cls, path: Path, games: int | None = None) -> Self:
        """Return the learner that was saved; raises StorageError if the file is none.

        With `games` its run has that length from now on.
        """

    @classmethod
    def config_of(cls, about: dict[str, Any], games: int | None) -> Any:
        """Return the config in what a file says of its learner; raises SpecError."""
        config = checked(cls.Config(**about["config"]))
        if type(about["seed"]) is not int or not 0 <= about["seed"] < SEEDS:
            raise SpecError(f"seed is {about['seed']!r:.40}")
        done = about["games"] if "games" in about else about["done"]
        if type(done) is not int or done < 0:
            raise SpecError(f"games are {done!r:.40}")
        return config if games is None else replace(config, games=games)

    @property
    def follows_length(self) -> tuple[str, ...]:
        """What changes over the whole length of the run, and so is another in a longer one."""
        return ()

    @property
    def together(self) -> int:
        """How many games it may play before it can be looked at."""
        return 1

    def looks(self, every: int) -> str:
        """When it is looked at, in words; nothing if that can be after every so many games."""
        return f"after every {self.together} {self.unit}" if every % self.together else ""

    @property
    def start(self) -> str:
        """Where its games begin, in the words of `positions.starts`."""
        return str(getattr(self.config, "start", "empty"))

    @property
    def side(self) -> str:
        """Its side: first, second, or alternating."""
        return str(getattr(self.config, "side", "alternating"))

    def watch(self, limit: Limit = NO_LIMIT) -> WatchedGame | None:
        """Play one game, learn from it, and tell it; None if this learner cannot be watched.

        It can be called off as `advance` can.
        """
        return None

    def past(self) -> tuple[Agent, int] | None:
        """Return its self of the last time this was asked, and how many games to play it; or None.

        It becomes the self that the next time will give.
        """
        return None

    def tune(self, **options: Any) -> None:
        """Change options that are declared live, by field name, without a reset."""
        live = {option.field for option in options_of(self.Config) if option.live}
        if not options.keys() <= live:
            raise ValueError(f"{sorted(options.keys() - live)} cannot change while it learns")
        checked(replace(self.config, **options))

    def next_stop(self, chunk: int) -> int:
        """Return the game at which a step of `chunk` games ends."""
        stops = [self.done + chunk, self.total]
        if self.pause_every:
            stops.append(self.done - self.done % self.pause_every + self.pause_every)
        return min(stops)
