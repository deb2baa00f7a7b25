"""Agents that play what was learned: `q:PATH`, `afterstates:PATH` and so on."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fourlab.agents.base import Decision
from fourlab.agents.instant import LEARNED, Instant, InstantAgent
from fourlab.core.errors import SpecError
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.core.spec import on_path, option, write
from fourlab.core.storage import StorageError, reading
from fourlab.rules.boards import Boards
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import move_cell
from fourlab.rules.position import Position
from fourlab.search.choices import baseline_cells
from fourlab.values.base import read_header, values_file
from fourlab.values.knowledge import FILE_KIND, Knowledge
from fourlab.values.packing import often_taught, packed, unpacked
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
    ties: str = option(
        "random",
        "which of equal moves it plays; first: always the same, so that it draws no lots at all",
        choices=("random", "first"),
    )
    visits: int = option(1, "what was taught less often counts as unseen", low=1)


class Learned(InstantAgent):
    """Plays the most valuable move of a run, whoever learned it.

    One that is to load `later` has looked at the header of its file, and reads it when it first
    plays: until then it knows neither `home_plies` nor whether it `mirrors_alike`.
    """

    Config = LearnedConfig
    name = "learned"

    def __init__(
        self,
        rules: Rules,
        config: LearnedConfig | None = None,
        knowledge: Knowledge | bytes | None = None,
        later: bool = False,
    ) -> None:
        super().__init__(rules, config)
        if isinstance(knowledge, bytes):  # the contents of a file
            knowledge = unpacked(knowledge, Path(self.config.path), rules)
        self.is_deterministic = self.config.ties == "first"
        self._known = knowledge
        if later:
            self._learner = str(_look(self.name, self.config, self.rules).get("learner"))
        else:
            self._take(self._load() if knowledge is None else knowledge)

    @property
    def knowledge(self) -> Knowledge:
        """What was learned."""
        if self._known is None:
            self._take(self._load())
        assert self._known is not None  # noqa: S101  # taken just now
        return self._known

    def _take(self, knowledge: Knowledge) -> None:
        values = knowledge.values
        begins = knowledge.about.get("config", {}).get("start", "empty")
        # A table knows the boards it has seen, a network has something to say of all others.
        self.home_plies = 0 if begins == "empty" and values.kind != TUPLES else None
        # A network adds up a board and its mirror image in another order.
        self.mirrors_alike = self.is_deterministic and values.symmetric and values.kind != TUPLES
        self._learner = str(knowledge.about.get("learner"))
        self._known = knowledge

    def _load(self) -> Knowledge:
        """Return what the file holds; raises an error that names it if it is not for this agent."""
        if not self.config.path:
            raise SpecError(
                f"agent {self.name!r} needs what was learned; write {self.name}:PATH, the path "
                "of a run folder or file, and make one with fourlab train"
            )
        return _load(self.name, self.config, self.rules)

    @property
    def chooses_many(self) -> bool:
        return True

    @property
    def spec(self) -> str:
        """The shortest spec string, by who learned it: `learned` stands for all of them."""
        kinds = [kind.name for kind in Learned.__subclasses__()]
        named = type(self) is Learned and self._learner in kinds
        return write(self._learner if named else self.name, self.config)

    def form(self, limit: Limit = NO_LIMIT) -> Instant:
        instinct = self.config.unseen == "baseline"
        return Instant(LEARNED, self.knowledge.values, instinct, self.is_deterministic)

    def explain(self, position: Position, move: int) -> Decision:
        """Say what was learned of each move; where nothing was, what it draws from."""
        known = self.knowledge
        held, taught = known.move_values(position), known.visits(position)
        raw = tuple(value if count else None for value, count in zip(held, taught, strict=True))
        seen = any(taught)
        likely = self._likely(position, held, seen)
        if self.is_deterministic or move not in likely:  # a learner may have gone on meanwhile
            likely = [move]
        return Decision(
            move,
            values=tuple(known.worth(value, position.to_move) for value in raw) if seen else None,
            raw=raw if seen else None,
            policy=tuple((m in likely) / len(likely) for m in range(self.rules.move_count)),
            effort=len(position.legal_moves()),
        )

    def _likely(self, position: Position, held: list[float | None], seen: bool) -> list[int]:
        """Return the moves that it draws from."""
        known = self.knowledge
        if known.values.kind == POLICY:
            move = stored_choice(self.rules, known.values, position.mover, position.occupied)
            if move != NO_CHOICE:
                return [int(move)]
        if not seen and self.config.unseen == "baseline":
            cells = baseline_cells(self.rules, position.mover, position.occupied)
            taken = position.occupied
            return [m for m in position.legal_moves() if move_cell(self.rules, taken, m) & cells]
        top = max(value for value in held if value is not None)
        return [move for move, value in enumerate(held) if value == top]

    def seen(self, boards: Boards) -> int:
        """Return of how many boards anything was learned."""
        return int((~np.isnan(self.knowledge.worths(boards))).any(axis=1).sum())

    def carried(self) -> dict[str, bytes]:
        return {"knowledge": packed(self.knowledge)}

    def sources(self) -> tuple[Path, ...]:
        return (values_file(Path(self.config.path)),) if self.config.path else ()


@functools.lru_cache(maxsize=8)
def _read(path: Path, _changed: int, rules: Rules, visits: int) -> Knowledge:
    known = Knowledge.load(path, rules)[0]
    return known if visits == 1 else often_taught(known, visits)


def _load(name: str, config: LearnedConfig, rules: Rules) -> Knowledge:
    """Return what a file holds, read once for all agents; raises StorageError by its name."""
    path = _file(config)
    with reading(path):
        changed = path.stat().st_mtime_ns
    known = _read(path, changed, rules, config.visits)
    _check_learner(name, config, path, known.about)
    return known


def _look(name: str, config: LearnedConfig, rules: Rules) -> dict[str, Any]:
    """Return what the header of the file says of who learned it; nothing else is read.

    Raises what `_load` would, as far as that tells.
    """
    path = _file(config)
    about = read_header(path, FILE_KIND, rules).get("about")
    about = about if isinstance(about, dict) else {}
    _check_learner(name, config, path, about)
    return about


def _file(config: LearnedConfig) -> Path:
    path = values_file(Path(config.path))
    if path.suffix == ".safetensors":
        raise StorageError(f"{path} is of a network; write {on_path('net', config.path)}")
    return path


def _check_learner(name: str, config: LearnedConfig, path: Path, about: dict[str, Any]) -> None:
    learner = about.get("learner")
    ours = [kind.name for kind in Learned.__subclasses__()]  # a package's plays by one of them
    if name not in (learner, Learned.name) and (learner in ours or not isinstance(learner, str)):
        better = on_path(str(learner), config.path)
        raise StorageError(f"{path} was learned by {learner!r}; write {better}")


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
