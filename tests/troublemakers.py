"""Agents that misbehave, each in its own way. Importing this module registers them.

Tests do so through the fixture `troublemakers`, which takes them out again.
"""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fourlab.agents.base import Agent, Decision
from fourlab.agents.registry import AGENTS
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.core.spec import option
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position


class Trouble(Agent):
    """Plays the first legal move; makes trouble from its second move on."""

    def decide(
        self, position: Position, rng: np.random.Generator, limit: Limit = NO_LIMIT
    ) -> Decision:
        if position.ply >= 4:
            self.trouble(position)
        return Decision(position.legal_moves()[0])

    def trouble(self, position: Position) -> None:
        """Do no harm."""


class Dull(Trouble):
    """Plays the first legal move."""

    name = "dull"


class Crashing(Trouble):
    """Raises."""

    name = "crashing"

    def trouble(self, position: Position) -> None:
        raise RuntimeError("out of ideas")


class Leaking(Trouble):
    """Writes into every pipe that it finds."""

    name = "leaking"

    def trouble(self, position: Position) -> None:
        for number in range(3, 20):
            place = Path(f"/proc/self/fd/{number}")
            if place.is_symlink() and "pipe:" in str(place.readlink()):
                os.write(number, b"junk\n")


class Hanging(Trouble):
    """Never answers."""

    name = "hanging"

    def trouble(self, position: Position) -> None:
        while True:
            time.sleep(60)


class Slow(Trouble):
    """Answers too late."""

    name = "slow"

    def trouble(self, position: Position) -> None:
        time.sleep(2.2)


class Cheating(Trouble):
    """Plays where there is no place."""

    name = "cheating"

    def decide(
        self, position: Position, rng: np.random.Generator, limit: Limit = NO_LIMIT
    ) -> Decision:
        return Decision(99)


class Fatal(Trouble):
    """Takes its process down with it."""

    name = "fatal"

    def trouble(self, position: Position) -> None:
        os._exit(3)


class Asking(Trouble):
    """Waits for somebody to type."""

    name = "asking"

    def trouble(self, position: Position) -> None:
        input()


class Noisy(Trouble):
    """Prints."""

    name = "noisy"

    def trouble(self, position: Position) -> None:
        print("{}\n" * 3, flush=True)  # noqa: T201
        os.write(1, b"noise\n")


class Leaving(Trouble):
    """Exits, as a program would."""

    name = "leaving"

    def trouble(self, position: Position) -> None:
        raise SystemExit(4)


class Forking(Trouble):
    """Goes on twice."""

    name = "forking"

    def trouble(self, position: Position) -> None:
        os.fork()


class Greedy(Trouble):
    """Takes all the memory there is."""

    name = "greedy"

    def trouble(self, position: Position) -> None:
        kept = []
        while True:
            kept.append(np.empty(16 << 20))


class Confused(Trouble):
    """Answers nonsense."""

    name = "confused"

    def decide(
        self, position: Position, rng: np.random.Generator, limit: Limit = NO_LIMIT
    ) -> Decision:
        return "left"  # type: ignore[return-value]


@dataclass(frozen=True)
class UnluckyConfig:
    """Options of `unlucky`."""

    marker: str = option("", "a file that says it has happened", positional=True)


class Unlucky(Trouble):
    """Is killed from outside, once."""

    name = "unlucky"
    Config = UnluckyConfig

    def trouble(self, position: Position) -> None:
        marker = Path(self.config.marker)
        if not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)


class Filed(Trouble):
    """Begins with the column that it read from a file when it was made."""

    name = "filed"
    Config = UnluckyConfig

    def __init__(self, rules: Rules, config: UnluckyConfig | None = None) -> None:
        super().__init__(rules, config)
        path = Path(self.config.marker)
        self.column = int(path.read_text()) if path.is_file() else 0

    def decide(
        self, position: Position, rng: np.random.Generator, limit: Limit = NO_LIMIT
    ) -> Decision:
        if position.ply < 2:
            return Decision(self.column)
        return super().decide(position, rng)


KINDS: dict[str, type[Agent]] = {
    k.name: k
    for k in (
        *(
            Dull,
            Crashing,
            Hanging,
            Leaking,
            Slow,
            Cheating,
            Fatal,
            Asking,
            Noisy,
            Leaving,
            Forking,
            Greedy,
            Confused,
        ),
        *(Unlucky, Filed),
    )
}
AGENTS.update(KINDS)
