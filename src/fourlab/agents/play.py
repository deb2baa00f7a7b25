"""One game between two agents, and its record."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fourlab.agents.base import Agent, Decision
from fourlab.rules.catalog import game as find_game
from fourlab.rules.errors import NotationError
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position, position_of


@dataclass(frozen=True)
class GameRecord:
    """A finished or broken-off game: enough to replay it and to play it again."""

    game: str
    first: str
    second: str
    seed: int
    moves: str
    outcome: str
    seconds: tuple[float, ...]  # time for each move that was decided here

    def position(self) -> Position:
        """Return the last position of the game."""
        return position_of(find_game(self.game), self.moves)

    def to_json(self) -> str:
        """Return the record as one line."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: str) -> GameRecord:
        """Read a record; raises NotationError if the line is none or its moves are illegal."""
        try:
            fields: dict[str, Any] = json.loads(line)
            record = cls(**{**fields, "seconds": tuple(fields["seconds"])})
        except (ValueError, TypeError, KeyError) as error:
            raise NotationError(f"{line[:80]!r} is no game record ({error})") from None
        if record.position().outcome.value != record.outcome:
            raise NotationError(f"{line[:80]!r}: its moves do not end in {record.outcome!r}")
        return record


def save_games(path: Path, records: Iterable[GameRecord]) -> None:
    """Append records to a file of JSON lines."""
    with path.open("a", encoding="utf-8") as file:
        file.writelines(record.to_json() + "\n" for record in records)


def load_games(path: Path) -> Iterator[GameRecord]:
    """Yield the records of a file of JSON lines."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.strip():
                yield GameRecord.from_json(line)


class GameInPlay:
    """A game that is going on between two agents, of whom either may be a person."""

    def __init__(
        self, rules: Rules, first: Agent, second: Agent, seed: int, start: Position | None = None
    ) -> None:
        self.agents = (first, second)
        self.seed = seed
        self.positions = [rules.start() if start is None else start]
        self.seconds: list[float] = []
        children = np.random.SeedSequence(seed).spawn(2)
        self._rngs = [np.random.default_rng(child) for child in children]

    @property
    def position(self) -> Position:
        """The position now."""
        return self.positions[-1]

    @property
    def to_move(self) -> Agent:
        """The agent to move."""
        return self.agents[self.position.to_move]

    def step(self) -> Decision:
        """Let the agent to move decide, and play its move."""
        began = time.perf_counter()
        decision = self.to_move.decide(self.position, self._rngs[self.position.to_move])
        self.play(decision.move, time.perf_counter() - began)
        return decision

    def play(self, move: int, seconds: float) -> None:
        """Play a move that was decided elsewhere; raises IllegalMoveError and changes nothing."""
        self.positions.append(self.position.play(move))
        self.seconds.append(seconds)

    def undo(self, plies: int) -> None:
        """Take back moves of this game, as far as there are any."""
        keep = max(0, len(self.seconds) - plies)
        del self.positions[keep + 1 :], self.seconds[keep:]

    def record(self) -> GameRecord:
        """Return the record of the game so far."""
        return GameRecord(
            game=str(self.position.rules),
            first=self.agents[0].spec,
            second=self.agents[1].spec,
            seed=self.seed,
            moves=self.position.notation,
            outcome=self.position.outcome.value,
            seconds=tuple(round(second, 6) for second in self.seconds),
        )


def play_game(
    rules: Rules, first: Agent, second: Agent, seed: int, start: Position | None = None
) -> GameRecord:
    """Play a game to its end; the same seed gives the same game."""
    game = GameInPlay(rules, first, second, seed, start)
    while not game.position.is_over:
        game.step()
    return game.record()
