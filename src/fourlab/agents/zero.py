"""The player that searches with a network: `zero`."""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass

import numpy as np

from fourlab.agents.base import Decision
from fourlab.agents.net import (
    NetworkAgent,
    NetworkConfig,
    images,
    numbers,
    oriented,
    unturned_moves,
)
from fourlab.core.arrays import Floats, Ints
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.core.spec import option
from fourlab.core.storage import StorageError
from fourlab.core.team import ALONE, Team
from fourlab.rules.boards import Boards, boards_of
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position
from fourlab.search.forest import Walk, descend, grow, line, new_forest, nodes_for, plant, tell
from fourlab.search.proving import Prover
from fourlab.search.puct import NODES, Forest, Puct
from fourlab.values.network import Network

DEFAULT_SIMULATIONS = 100
# Of values against priors where the move is chosen: four times what is taught, where noise must be
# kept out. Of 500 moves in games of strong search 460 were perfect, 454 with the taught scale.
SCALE = 1.0
SIMULATIONS_PER_SECOND = 20_000  # more than any machine has; room for them is made
FOREST_BYTES = {"cpu": 1 << 28, "cuda": 1 << 31}  # of trees that grow side by side
LINE_PLIES = 32


@dataclass(frozen=True)
class ZeroConfig(NetworkConfig):
    """Options of `zero`."""

    sims: int | None = option(
        None,
        f"simulations a move; none: {DEFAULT_SIMULATIONS}, or as many as time= allows",
        low=0,
        high=1_000_000,
        public=10_000,
    )
    time: float | None = option(None, "seconds a move at most", low=0.001, high=3600, public=5)
    exploration: float = option(
        1.5, "weight of what the network likes and was little tried", name="c", low=0, high=100
    )
    urgency: float = option(
        0.2, "how far below its parent an untried move counts", name="fpu", low=0, high=2
    )
    prove: int = option(
        0,
        "nodes of exact search that may decide a leaf before the network is asked",
        low=0,
        high=100_000,
        public=1000,
    )


class Zero(NetworkAgent):
    """Tree search guided by a network: looks deeper where it likes what it sees."""

    name = "zero"
    Config = ZeroConfig

    def __init__(
        self,
        rules: Rules,
        config: ZeroConfig | None = None,
        network: Network | bytes | None = None,
        later: bool = False,
    ) -> None:
        super().__init__(rules, config, network, later)
        self.mirrors_alike = self.is_deterministic = self.config.time is None
        self._walk: Walk = Prover(rules, self.config.prove) if self.config.prove else descend

    def _checked(self, network: Network) -> Network:
        self._graded(network)
        return super()._checked(network)

    @functools.cached_property
    def _puct(self) -> Puct:
        config, graded = self.config, self._graded(self.network)
        return Puct(config.exploration, config.urgency, SCALE, graded=graded)

    def _graded(self, network: Network) -> float:
        """Return the share of a win's worth that speed made where the network learned it.

        Proofs are to count in the tree as its values do. Raises StorageError if its file says what
        cannot be.
        """
        config = network.about.get("config")
        if not isinstance(config, dict):
            return Puct().graded
        plain = config.get("value") == "plain"  # as `distil` says it
        found = 0.0 if plain else config.get("graded", Puct().graded)
        if type(found) not in (int, float) or not 0 <= found < 1:
            source = self._file or "the network"
            raise StorageError(f"{source} is damaged: graded={found!r:.40} is not 0 to 0.99")
        return float(found)

    @property
    def simulations(self) -> int:
        """The most simulations that it runs for a move."""
        config = self.config
        if config.sims is not None:
            return int(config.sims)
        if config.time is None:
            return DEFAULT_SIMULATIONS
        return int(config.time * SIMULATIONS_PER_SECOND) + 1

    @property
    def chooses_many(self) -> bool:
        return self.config.time is None

    def choose(self, boards: Boards, dice: Ints, limit: Limit = NO_LIMIT) -> Ints:
        if not self.chooses_many:
            return super().choose(boards, dice, limit)
        turned, flipped = oriented(self.rules, boards)
        moves = np.empty(len(flipped), np.int64)
        size = new_forest(self.rules, 1, nodes_for(self.simulations)).edges.nbytes
        step = max(FOREST_BYTES[self.config.device] // size, 1)
        for rows, rest in turned.portions(self.rules, step, limit, moves):
            forest = self._grown(turned.take(rows), rest, self.simulations)
            moves[rows] = tell(self.rules, self._puct, forest).moves
        return unturned_moves(self.rules, moves, flipped)

    def _grown(self, boards: Boards, limit: Limit, sims: int) -> Forest:
        """Return a tree for each board, grown."""
        sims = min(sims, limit.nodes)
        forest = new_forest(self.rules, len(boards.movers), nodes_for(sims))
        roots = np.stack(boards[:2], axis=1)
        plant(self.rules, self._puct, forest, roots, sims, 0, len(roots))
        on_cpu = self.config.device == "cpu"  # there the network takes nearly all of the time
        team = ALONE if on_cpu else Team(os.cpu_count() or 1)
        within = limit.within(self.config.time)
        grow(self.rules, self._puct, forest, self.evaluate, within, team, self._walk)
        if not on_cpu:
            team.close()
        return forest

    def decide(
        self, position: Position, rng: np.random.Generator, limit: Limit = NO_LIMIT
    ) -> Decision:
        turned, flipped = oriented(self.rules, self.board(position))
        forest = self._grown(turned, limit, self.simulations)
        told = tell(self.rules, self._puct, forest)
        back = images(self.rules) if flipped[0] else np.arange(self.rules.move_count)
        expected = np.zeros(LINE_PLIES, np.int64)
        count = line(self.rules, forest, 0, int(told.moves[0]), expected)
        return Decision(
            move=int(back[told.moves[0]]),
            values=numbers(_worths(told.values[0], told.proofs[0])[back]),
            raw=numbers(told.values[0][back]),
            policy=tuple(told.policies[0][back].astype(float).tolist()),
            visits=tuple(told.visits[0][back].tolist()),
            line=tuple(back[expected[:count]].tolist()),
            effort=int(forest.counts[0, NODES]),
        )

    def prepare(self) -> None:
        forest = self._grown(boards_of([self.rules.start()]), NO_LIMIT, 1)
        told = tell(self.rules, self._puct, forest)
        line(self.rules, forest, 0, int(told.moves[0]), np.zeros(1, np.int64))


def _worths(values: Floats, proofs: Floats) -> Floats:
    """Return values of moves where proven ones are sure: the sooner a win, the more it counted."""
    return np.where(np.isnan(proofs), values, np.sign(proofs))
