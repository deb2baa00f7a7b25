"""Agents that play what was learned: `q:PATH`, `afterstates:PATH` and so on."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from fourlab.agents.base import Agent, Decision
from fourlab.agents.players import Player, learned_player
from fourlab.rules.errors import SpecError
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import cell_move, legal_cells
from fourlab.rules.position import Position
from fourlab.rules.spec import option
from fourlab.rules.storage import StorageError
from fourlab.search.choices import baseline_cells, nth_cell
from fourlab.values.knowledge import CHECKPOINT, Knowledge
from fourlab.values.packing import often_taught, unpacked
from fourlab.values.store import POLICY, TUPLES, stored_choice
from fourlab.values.table import NO_CHOICE


@dataclass(frozen=True)
class LearnedConfig:
    """Options of every agent that plays what was learned."""

    path: str = option("", "a run folder or a file of values", positional=True)
    unseen: str = option(
        "random",
        "its move where it has seen none: any, or win, else block, else any",
        choices=("random", "baseline"),
    )
    visits: int = option(1, "what was taught less often counts as unseen", low=1)


class Learned(Agent):
    """Plays the most valuable move it knows: from its file, or what is handed over."""

    Config = LearnedConfig
    name: ClassVar[str]

    def __init__(
        self,
        rules: Rules,
        config: LearnedConfig | None = None,
        knowledge: Knowledge | bytes | None = None,
    ) -> None:
        super().__init__(rules, config)
        if isinstance(knowledge, bytes):  # the contents of a file
            knowledge = unpacked(knowledge, Path(self.config.path), rules)
        self.knowledge = self._load() if knowledge is None else knowledge

    def _load(self) -> Knowledge:
        """Return what the file holds; raises an error that names it if it is not for this agent."""
        if not self.config.path:
            raise SpecError(
                f"agent {self.name!r} needs what was learned; write {self.name}:PATH, the path "
                "of a run folder or file, and make one with fourlab train"
            )
        return _load(self.name, self.config, self.rules)

    def decide(self, position: Position, rng: np.random.Generator) -> Decision:
        """Play the stored policy's or a most valuable move; where none was seen, as told."""
        known = self.knowledge
        values = known.move_values(position)
        visits = known.visits(position)
        seen = known.values.kind == TUPLES or any(visits)
        best = self._policy_moves(position)
        if not best and seen:
            top = max(value for value in values if value is not None)
            best = [move for move, value in enumerate(values) if value == top]
        if not best:
            best = self._unseen(position)
        policy = [0.0] * self.rules.move_count
        for move in best:
            policy[move] = 1 / len(best)
        return Decision(
            best[rng.integers(len(best))],
            values=tuple(values) if seen else None,
            policy=tuple(policy),
            effort=len(position.legal_moves()),
        )

    def _policy_moves(self, position: Position) -> list[int]:
        known = self.knowledge
        if known.values.kind != POLICY:
            return []
        move = stored_choice(self.rules, known.values, position.mover, position.occupied)
        return [] if move == NO_CHOICE else [int(move)]

    def _unseen(self, position: Position) -> list[int]:
        cells = legal_cells(self.rules, position.occupied)
        if self.config.unseen == "baseline":
            cells = baseline_cells(self.rules, position.mover, position.occupied)
        return [cell_move(self.rules, nth_cell(cells, n)) for n in range(cells.bit_count())]

    def player(self) -> Player | None:
        if self.config.unseen != "random" or self.knowledge.values.kind == POLICY:
            return None
        return learned_player(self.rules, self.knowledge.copy().values)


@functools.lru_cache(maxsize=8)
def _read(path: Path, _changed: int, rules: Rules, visits: int) -> Knowledge:
    known = Knowledge.load(path, rules)[0]
    return known if visits == 1 else often_taught(known, visits)


def _load(name: str, config: LearnedConfig, rules: Rules) -> Knowledge:
    """Return what a file holds, read once for all agents; raises StorageError by its name."""
    path = Path(config.path)
    path = path / CHECKPOINT if path.is_dir() else path
    try:
        changed = path.stat().st_mtime_ns
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}") from None
    known = _read(path, changed, rules, config.visits)
    learner = known.about.get("learner")
    if learner != name:
        raise StorageError(f"{path} was learned by {learner!r}; write {learner}:{config.path}")
    return known


class QAgent(Learned):
    """Plays the best move of a table of Q-values."""

    name = "q"


class AfterstatesAgent(Learned):
    """Plays to the best board of a table of afterstates."""

    name = "afterstates"


class DoubleQAgent(Learned):
    """Plays the best move of two tables of Q-values."""

    name = "double-q"


class TdLambdaAgent(Learned):
    """Plays to the best board of a table learned by TD(lambda)."""

    name = "td-lambda"


class MonteCarloAgent(Learned):
    """Plays the stored policy of Monte Carlo control."""

    name = "monte-carlo"


class NTupleAgent(Learned):
    """Plays to the best board by an n-tuple network."""

    name = "n-tuple"


LEARNED_AGENTS: dict[str, type[Learned]] = {
    kind.name: kind
    for kind in (
        QAgent,
        AfterstatesAgent,
        DoubleQAgent,
        TdLambdaAgent,
        MonteCarloAgent,
        NTupleAgent,
    )
}
