"""The agent that plays what `deep-q` learned: to the board that its network likes best."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from fourlab.agents.base import Agent, Decision
from fourlab.core.arrays import Array, Floats, Ints
from fourlab.core.errors import SpecError
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.core.spec import option
from fourlab.rules.boards import Boards
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position
from fourlab.values.base import read_header, values_file
from fourlab.values.network import KIND, Network
from fourlab.values.outlook import PORTION, Singles, look, to_mover


class Worths(Protocol):
    """What says what moves are worth to the side to move."""

    def worths(self, boards: Boards) -> Array:
        """Return [boards, moves], nan where a move is not legal."""
        ...


@dataclass(frozen=True)
class Judged:
    """A network that was taught to value boards on which the game is over, too."""

    network: Network

    def worths(self, boards: Boards) -> Array:
        """Return [boards, moves], nan where a move is not legal."""
        found = look(self.network.rules, boards.movers, boards.occupied, self._value, by_rule=False)
        return to_mover(found, boards.occupied)

    def _value(self, movers: Ints, occupied: Ints) -> Singles:
        none = np.zeros((len(movers), 0), np.uint8)
        values = self.network.values(Boards(movers, occupied, none))
        return to_mover(values, occupied).astype(np.float32)


def _judging(network: Network) -> Worths:
    """Return a network as it was taught: one that judges ends is asked about them, too."""
    config = network.about.get("config", {})
    judges = isinstance(config, dict) and config.get("ends") == "network"
    return Judged(network) if judges else network


@dataclass(frozen=True)
class DeepQAgentConfig:
    """Options of `deep-q`."""

    path: str = option("", "a run folder or a file of weights", positional=True)


class DeepQAgent(Agent):
    """Plays to the best board by a network of deep Q-learning.

    One that is to load `later` has looked at the header of its file, and reads it when it first
    plays.
    """

    name = "deep-q"
    Config = DeepQAgentConfig
    is_deterministic = True

    def __init__(
        self,
        rules: Rules,
        config: DeepQAgentConfig | None = None,
        values: Worths | bytes | None = None,
        later: bool = False,
    ) -> None:
        super().__init__(rules, config)
        if later:
            read_header(self._file, KIND, rules)
        elif values is None:
            self.values = self._load()
        elif isinstance(values, bytes):  # the contents of a file
            self.values = _judging(Network.unpacked(values, Path(self.config.path), rules))
        else:
            self.values = values

    @functools.cached_property
    def values(self) -> Worths:
        """What it plays by."""
        return self._load()

    @property
    def _file(self) -> Path:
        if not self.config.path:
            raise SpecError(
                "agent 'deep-q' needs what was learned; write deep-q:PATH, the path of a run "
                "folder or file, and make one with fourlab train"
            )
        return values_file(Path(self.config.path))

    def _load(self) -> Worths:
        return _judging(Network.load(self._file, self.rules))

    def choose(self, boards: Boards, dice: Ints, limit: Limit = NO_LIMIT) -> Ints:
        moves = np.empty(len(dice), np.int64)
        for rows, _ in boards.portions(self.rules, PORTION, limit, moves):
            moves[rows] = np.nanargmax(self.values.worths(boards.take(rows)), axis=1)
        return moves

    def decide(
        self, position: Position, rng: np.random.Generator, limit: Limit = NO_LIMIT
    ) -> Decision:
        worths: Floats = self.values.worths(self.board(position))[0]
        move = int(np.nanargmax(worths))
        values = tuple(None if np.isnan(worth) else float(worth) for worth in worths)
        policy = tuple(float(other == move) for other in range(len(worths)))
        return Decision(move, values, values, policy, effort=len(position.legal_moves()))

    def carried(self) -> dict[str, bytes]:
        values = self.values.network if isinstance(self.values, Judged) else self.values
        return {"values": values.to_go()} if isinstance(values, Network) else {}

    def sources(self) -> tuple[Path, ...]:
        return (values_file(Path(self.config.path)),) if self.config.path else ()
