"""What can be set on Learn, read from an address and written into one.

Which learners there are, what they are called and what can be changed while they learn, all that
is theirs to say: `LEARNERS` and the options of their configs.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fourlab.agents.by_heart import is_small
from fourlab.core.errors import FourlabError
from fourlab.core.spec import YES_NO, Option, options_of
from fourlab.learning.base import Learner
from fourlab.learning.registry import LEARNERS
from fourlab.rules.catalog import name_of
from fourlab.rules.geometry import Rules
from fourlab.web.limits import read_game

ENDLESS = 1_000_000_000  # games: a page learns until it is paused
HELD = {"games": ENDLESS, "memory-mb": 128, "chunk": 500}  # what a page sets, where there is it
OFFERED = ("learner", "game", "opponent")
SMALL_GAMES = (
    "connect:columns=5,rows=4,k=4",
    "tictactoe",
    "connect:columns=4,rows=4,k=3",
    "connect:columns=6,rows=5,k=4",
    "connect4",
)
OPPONENTS = {
    "baseline": "Baseline",
    "random": "Random",
    "mcts:sims=20": "MCTS 20",
    "minimax:depth=2": "Minimax 2",
    "perfect": "Perfect",
    "self": "Itself",
}
RANGES = {"epsilon": (0.0, 1.0), "alpha": (-1.0, 1.0)}
WIDEST = (-1000.0, 1000.0)


@functools.cache
def dials(learner: str) -> tuple[Option, ...]:
    """Return the options of a learner that a visitor may turn while it learns."""
    return tuple(option for option in options_of(LEARNERS[learner].Config) if option.live)


def titles() -> dict[str, str]:
    """Return the learners and what people call them."""
    return {name: LEARNERS[name].title for name in LEARNERS}


@dataclass(frozen=True)
class LearnSetup:
    """A learner, a board, an opponent, and the dials that differ from the learner's own."""

    learner: str = "q"
    rules: Rules = field(default_factory=lambda: read_game(SMALL_GAMES[0]))
    opponent: str = "baseline"
    turned: Mapping[str, float | bool] = field(default_factory=dict)  # by option name

    @property
    def kind(self) -> type[Learner]:
        """The learner."""
        return LEARNERS[self.learner]

    @property
    def spec(self) -> str:
        """The learner as a spec string."""
        there = {option.name for option in options_of(self.kind.Config)}
        options: dict[str, Any] = {"opponent": f"({self.opponent})"}
        options |= {name: value for name, value in HELD.items() if name in there}
        options |= {name: _written(value) for name, value in self.turned.items()}
        return f"{self.learner}:" + ",".join(f"{name}={value}" for name, value in options.items())

    def value(self, dial: Option) -> float | bool:
        """Return a dial as it is set, or the learner's own."""
        own = dial.default if dial.kind is bool else float(dial.default)
        return self.turned.get(dial.name, own)

    def changes(self) -> dict[str, Any]:
        """Return the dials as fields of the learner's config."""
        return {
            dial.field: _written(self.turned[dial.name]) if dial.kind is str else self.value(dial)
            for dial in dials(self.learner)
            if dial.name in self.turned
        }

    def with_choice(self, name: str, value: str) -> LearnSetup:
        """Return the settings with another learner, board or opponent."""
        offers = {"learner": titles(), "game": SMALL_GAMES, "opponent": OPPONENTS}[name]
        if value not in offers:
            raise FourlabError(f"{name} {str(value)[:40]!r} is not offered; {', '.join(offers)}")
        if name == "game":
            return replace(self, rules=read_game(value))._checked()
        if name == "learner":
            return replace(self, learner=value, turned={})
        return replace(self, opponent=value)._checked()

    def _checked(self) -> LearnSetup:
        """Return the settings if a round of games ends soon."""
        if self.opponent == "perfect" and not is_small(self.rules):
            raise FourlabError(
                "a page trains against perfect play on boards such as tictactoe and 5 x 4, of "
                "which it knows every position; choose a smaller board or another opponent"
            )
        return self

    def with_dial(self, name: str, text: Any) -> LearnSetup:
        """Return the settings with a dial turned; raises FourlabError if it cannot be."""
        known = {dial.name: dial for dial in dials(self.learner)}
        if name not in known:
            raise FourlabError(f"{str(name)[:20]!r} cannot be set; {', '.join(known)}")
        return replace(self, turned={**self.turned, name: _read(known[name], text)})

    def to_query(self) -> dict[str, str]:
        """Return the settings as they stand in an address."""
        query = {"learner": self.learner, "game": name_of(self.rules), "opponent": self.opponent}
        return query | {name: _written(value) for name, value in self.turned.items()}


def _read(dial: Option, text: Any) -> float | bool:
    """Return what a visitor typed for a dial; raises FourlabError with what is allowed."""
    if dial.kind is bool:
        if str(text).lower() not in YES_NO:
            raise FourlabError(f"{dial.name} {str(text)[:20]!r} is neither yes nor no")
        return YES_NO[str(text).lower()]
    low, high = RANGES.get(dial.name, (dial.low, dial.high))
    low, high = WIDEST[0] if low is None else low, WIDEST[1] if high is None else high
    try:
        value = float(text)
    except (TypeError, ValueError):
        raise FourlabError(
            f"{dial.name} {str(text)[:20]!r} is no number; {low:g} to {high:g}"
        ) from None
    if not low <= value <= high:
        raise FourlabError(f"{dial.name} {value:g} is out of range; {low:g} to {high:g}")
    return value


def _written(value: float | bool) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}"


def read_setup(query: Mapping[str, str]) -> tuple[LearnSetup, str]:
    """Return the settings of an address, and what in it could not be taken."""
    setup, problems = LearnSetup(), []
    for name in OFFERED:
        if name in query:
            try:
                setup = setup.with_choice(name, query[name])
            except FourlabError as error:
                problems.append(str(error))
    for dial in dials(setup.learner):
        if dial.name in query:
            try:
                setup = setup.with_dial(dial.name, query[dial.name])
            except FourlabError as error:
                problems.append(str(error))
    return setup, "; ".join(problems)
