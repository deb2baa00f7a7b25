"""What an agent is: a thing that decides, and shows why."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from fourlab.core.arrays import Floats, Ints
from fourlab.core.errors import FourlabError, OwnCodeError
from fourlab.core.kinds import typed
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.core.spec import options_of, write
from fourlab.rules.boards import Boards, boards_of
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position, checked_position

SEED_LIMIT = 1 << 63  # kernels keep the state of their dice in 63 bits

Numbers = tuple[float | None, ...]


@dataclass(frozen=True)
class Decision:
    """A move and the reasons for it, with one entry for every move of the game, legal or not.

    `values` is what the agent thinks each move is worth to the side to move: 1 a win, 0 a draw,
    -1 a loss, None where it does not know. `raw` says the same in the agent's own unit. `policy` is
    how strongly it leans to each move (the probabilities where it draws lots), `visits` how often a
    search tried it. `line` is how it expects the game to go on, this move first. `effort` counts
    what it looked at this time; it is no part of the decision, since what an agent remembers makes
    it smaller.
    """

    move: int
    values: Numbers | None = None
    raw: Numbers | None = None
    policy: tuple[float, ...] | None = None
    visits: tuple[int, ...] | None = None
    line: tuple[int, ...] = ()
    effort: int = field(default=0, compare=False)

    def __str__(self) -> str:
        """Return what is known of every move as rows of figures."""
        from fourlab.agents.drawing import decision_text  # drawing.py stands on this module

        return decision_text(self)

    def _repr_html_(self) -> str:
        """Return values over the moves as a notebook shows them."""
        from fourlab.agents.drawing import decision_html

        return decision_html(self)


@dataclass(frozen=True)
class NoOptions:
    """The config of an agent that has nothing to set."""


class Agent(ABC):
    """A player of one game.

    Laws: a move is legal; the position is never changed; the same position and the same state of
    `rng` give the same decision, unless a limit cut it short. Row i of `choose` depends on row i
    and `dice[i]` alone, and where an agent chooses many at once, `choose` of one position with the
    dice `kernel_seed(rng)` is the move of `decide` with `rng`. Several threads may use one agent
    with the decisions of one: it holds no work space, and what it remembers between moves is taken
    out by one decision alone. The first line of an agent's docstring describes it in
    `fourlab agents`.
    """

    Config: ClassVar[type[Any]] = NoOptions
    name: ClassVar[str]
    is_deterministic: bool = False  # whether equal positions always give equal moves
    mirrors_alike: bool = False  # whether mirror images always give mirrored moves
    home_plies: int | None = None  # of the openings it was trained with; None: it plays from any

    def __init_subclass__(cls, **options: Any) -> None:
        """Have every agent's `decide` refuse dice and limits that are none, and give a decision."""
        super().__init_subclass__(**options)
        if "decide" in vars(cls):
            cls.decide = _deciding(typed(cls.decide, Agent.decide))  # type: ignore[method-assign]

    def __init__(self, rules: Rules, config: Any = None) -> None:
        self.rules = rules
        self.config = self.Config() if config is None else config

    @property
    def spec(self) -> str:
        """The shortest spec string that gives this agent."""
        return write(self.name, self.config)

    @abstractmethod
    def decide(
        self, position: Position, rng: np.random.Generator, limit: Limit = NO_LIMIT
    ) -> Decision:
        """Choose a move in a position that is not over; what is called off ends soon, somehow."""

    def choose(self, boards: Boards, dice: Ints, limit: Limit = NO_LIMIT) -> Ints:
        """Return a move for each of many positions; `dice` are their seeds.

        The limit is that of the whole call; what it leaves no time for gets any legal move.
        """
        moves = np.empty(len(dice), np.int64)
        for rows, rest in boards.portions(self.rules, 1, limit, moves):
            position = boards.position(self.rules, rows.start)
            rng = np.random.default_rng(int(dice[rows.start]))
            moves[rows] = self.decide(position, rng, rest).move
        return moves

    def board(self, position: Position) -> Boards:
        """Return a position as kernels take it; raises FourlabError if there is nothing to decide.

        They would take the stones of another game for those of this one.
        """
        if checked_position(position).rules != self.rules:
            raise FourlabError(f"{position.rules} is not the game of {self!r}")
        if position.is_over:
            where = f"{self.rules} '{position.notation}'"
            raise FourlabError(f"the game is over in {where} ({position.outcome.words})")
        return boards_of([position])

    def policies(self, boards: Boards) -> Floats | None:
        """Return how likely each move is in each of many positions, exactly: [boards, moves].

        None where that cannot be told: an agent that samples, or that is cut short by a clock. What
        depends on the order of earlier moves counts as unknown too.
        """
        if not self.is_deterministic:
            return None
        count = len(boards.movers)
        policies = np.zeros((count, self.rules.move_count))
        moves = self.choose(boards, np.zeros(count, np.int64), NO_LIMIT.heard)
        policies[np.arange(count), moves] = 1.0
        return policies

    @property
    def chooses_many(self) -> bool:
        """Whether many positions at once are quicker than one after the other."""
        return type(self).choose is not Agent.choose

    def prepare(self) -> None:  # noqa: B027  # most agents are ready
        """Compile and load all that a decision needs, off every clock; the second time is quick."""

    def said(self) -> str:
        """Return the end of what its own program wrote to standard error since the last call."""
        return ""

    def sources(self) -> tuple[Path, ...]:
        """Return the files that make it who it is, besides its code.

        By default those that its options name without an option's name, as in `q:runs/mine`.
        """
        fields = [option.field for option in options_of(type(self.config)) if option.positional]
        named = [str(getattr(self.config, field)) for field in fields]
        paths = [Path(name) for name in named if name]
        below = [path for folder in paths if folder.is_dir() for path in folder.rglob("*")]
        return tuple(sorted(path for path in (*paths, *below) if path.is_file()))

    def carried(self) -> dict[str, bytes]:
        """Return what was learned as files' contents, by the argument of its class.

        A copy of the agent that is made with them elsewhere needs no file.
        """
        return {}

    def __repr__(self) -> str:
        return f"<agent {self.spec} for {self.rules}>"


def kernel_seed(rng: np.random.Generator) -> int:
    """Draw a seed for the dice of a kernel."""
    return int(rng.integers(SEED_LIMIT, dtype=np.uint64))


def _deciding(decide: Callable[..., Any]) -> Callable[..., Decision]:
    """Return an agent's `decide` that raises OwnCodeError where it gives no decision."""

    @functools.wraps(decide)
    def decided(self: Agent, *args: Any, **options: Any) -> Decision:
        found = decide(self, *args, **options)
        if not isinstance(found, Decision):
            given = f"{self.name}: decide gave {found!r:.50}"
            raise OwnCodeError(f"{given}; return fourlab.Decision(move)")
        return found

    return decided
