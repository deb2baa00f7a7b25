"""What can be set on Learn, read from an address and written into one."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fourlab.agents.exact import is_small
from fourlab.learning.config import Training
from fourlab.learning.registry import LEARNERS
from fourlab.rules.catalog import name_of
from fourlab.rules.errors import FourlabError
from fourlab.rules.geometry import Rules
from fourlab.rules.spec import options_of
from fourlab.web.limits import read_game

ENDLESS = 1_000_000_000  # games: a page learns until it is paused
MEMORY_MB = 128
OFFERED = ("learner", "game", "opponent")
LEARNER_TITLES = {
    "q": "Q-learning",
    "afterstates": "Afterstates",
    "double-q": "Double Q-learning",
    "td-lambda": "TD(λ)",
    "monte-carlo": "Monte Carlo control",
    "n-tuple": "N-tuple network",
}
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
NUMBERS = ("epsilon", "alpha", "gamma", "win", "draw", "loss", "step", "block")
RANGES = {"epsilon": (0.0, 1.0), "alpha": (-1.0, 1.0), "gamma": (0.0, 1.0)}
REWARDS = (-1000.0, 1000.0)


@functools.cache
def _defaults(learner: str) -> dict[str, float]:
    """Return the numbers of a learner that nobody has set."""
    return {
        one.name: float(one.default) for one in options_of(LEARNERS[learner]) if one.name in NUMBERS
    }


@dataclass(frozen=True)
class Settings:
    """A learner, a board, an opponent, and the numbers that differ from the learner's own."""

    learner: str = "q"
    rules: Rules = field(default_factory=lambda: read_game(SMALL_GAMES[0]))
    opponent: str = "baseline"
    numbers: Mapping[str, float] = field(default_factory=dict)
    instinct: bool = False

    @property
    def kind(self) -> type[Training]:
        """The learner's config."""
        return LEARNERS[self.learner]

    @property
    def spec(self) -> str:
        """The learner as a spec string."""
        options: dict[str, Any] = {"opponent": f"({self.opponent})", "games": ENDLESS}
        options |= {"memory-mb": MEMORY_MB, **{n: f"{v:g}" for n, v in self.numbers.items()}}
        if self.learner == "monte-carlo" and self.instinct:
            options["td"] = "yes"
        return f"{self.learner}:" + ",".join(f"{name}={value}" for name, value in options.items())

    def number(self, name: str) -> float:
        """Return a number as it is set, or the learner's own."""
        return self.numbers[name] if name in self.numbers else _defaults(self.learner)[name]

    def changes(self) -> dict[str, Any]:
        """Return the numbers as fields of the learner's config."""
        texts = ("alpha", "epsilon")
        found: dict[str, Any] = {
            name: f"{value:g}" if name in texts else value for name, value in self.numbers.items()
        }
        if self.learner == "monte-carlo":
            found["instinct"] = self.instinct
        return found

    def with_choice(self, name: str, value: str) -> Settings:
        """Return the settings with another learner, board or opponent."""
        offers = {"learner": LEARNER_TITLES, "game": SMALL_GAMES, "opponent": OPPONENTS}[name]
        if value not in offers:
            raise FourlabError(f"{name} {str(value)[:40]!r} is not offered; {', '.join(offers)}")
        if name == "game":
            return replace(self, rules=read_game(value))._checked()
        if name == "learner":
            return replace(self, learner=value, numbers={})
        return replace(self, opponent=value)._checked()

    def _checked(self) -> Settings:
        """Return the settings if they go together."""
        if self.opponent == "perfect" and not is_small(self.rules):
            raise FourlabError(
                "perfect play can be trained against on boards such as tictactoe and 5 x 4, of "
                "which it knows every position; choose a smaller board or another opponent"
            )
        return self

    def with_number(self, name: str, text: str) -> Settings:
        """Return the settings with another number; raises FourlabError if it is none."""
        if name == "td":
            return replace(self, instinct=text in ("yes", "true", True))
        if name not in NUMBERS:
            raise FourlabError(f"{str(name)[:20]!r} cannot be set; {', '.join(NUMBERS)}")
        low, high = RANGES.get(name, REWARDS)
        try:
            value = float(text)
        except (TypeError, ValueError):
            raise FourlabError(
                f"{name} {str(text)[:20]!r} is no number; {low:g} to {high:g}"
            ) from None
        if not low <= value <= high:
            raise FourlabError(f"{name} {value:g} is out of range; {low:g} to {high:g}")
        return replace(self, numbers={**self.numbers, name: value})

    def to_query(self) -> dict[str, str]:
        """Return the settings as they stand in an address."""
        query = {"learner": self.learner, "game": name_of(self.rules), "opponent": self.opponent}
        query |= {name: f"{value:g}" for name, value in self.numbers.items()}
        if self.instinct:
            query["td"] = "yes"
        return query


def read_settings(query: Mapping[str, str]) -> tuple[Settings, str]:
    """Return the settings of an address, and what in it could not be taken."""
    settings, problems = Settings(), []
    for name in (*OFFERED, *NUMBERS, "td"):
        if name not in query:
            continue
        try:
            if name in OFFERED:
                settings = settings.with_choice(name, query[name])
            else:
                settings = settings.with_number(name, query[name])
        except FourlabError as error:
            problems.append(str(error))
    return settings, "; ".join(problems)
