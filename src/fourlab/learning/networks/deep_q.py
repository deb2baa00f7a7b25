"""`DeepQ`: approximate Q-learning over afterstates, from a replay memory, many games at once."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from fourlab.agents.base import kernel_seed
from fourlab.agents.deep_q import DeepQAgent
from fourlab.core.arrays import Array, Floats, Ints
from fourlab.core.errors import SpecError
from fourlab.core.limit import NO_LIMIT, CalledOffError, Limit
from fourlab.core.spec import WHOLE_LIMIT
from fourlab.core.storage import StorageError
from fourlab.learning.base import Learner, Progress
from fourlab.learning.networks.checks import check_memory, counted
from fourlab.learning.networks.deep_q_options import DeepQConfig
from fourlab.learning.networks.lanes import NOBODY
from fourlab.learning.networks.replay import Replay, Rows
from fourlab.learning.schedules import Schedule, follow_length
from fourlab.rules.boards import Boards
from fourlab.rules.geometry import Rules
from fourlab.values.network import Network
from fourlab.values.outlook import (
    Singles,
    best_moves,
    best_worths,
    look,
    mirror_some,
    to_mover,
)

MEMORY, LANES, FROZEN = "memory.", "lanes.", "frozen."


@dataclass
class Part:
    """What a chunk has come to by now, as far as it was played before it was called off."""

    stop: int = 0  # the game at which the chunk ends; 0: none has begun
    wins: int = 0
    draws: int = 0
    losses: int = 0
    decisions: int = 0
    lessons: int = 0  # learning steps
    errors: float = 0.0  # the sum of their losses


class DeepQ(Learner):
    """Learns what boards are worth to the first player; one side picks the most, one the least."""

    name, title, Config = "deep-q", "Deep Q-learning", DeepQConfig
    file = "checkpoint.safetensors"
    size_label = "Learning steps"
    size_unit = "learning steps"
    config: DeepQConfig

    def __init__(self, rules: Rules, config: DeepQConfig, seed: int = 0) -> None:
        from fourlab.learning.networks.estimator import Estimator
        from fourlab.learning.networks.playing import Play

        super().__init__(rules, config, seed)
        self.estimator = Estimator(rules, config.shape, seed, config.optimiser, config.half)
        self.play = Play(rules, config, seed, self.estimator)
        self.replay = Replay(config.memory, rules.move_count, config.priority)
        self.updates = 0
        self._owed = 0.0  # learning steps that are due
        self._part = Part()
        self._ran_dry = False  # whether lanes stood empty at the end of a shorter run
        self._dice = kernel_seed(np.random.default_rng(seed))
        self._read_config()

    def _read_config(self) -> None:
        self._rate, self._epsilon = self.config.rates()

    @property
    def total(self) -> int:
        return self.config.games

    @property
    def follows_length(self) -> tuple[str, ...]:
        rates = {"rate": self._rate, "epsilon": self._epsilon}
        last = ("the last games side by side",) if self._ran_dry else ()
        return follow_length(rates, self.play.opponents) + last

    @property
    def together(self) -> int:
        return self.config.lanes

    def looks(self, every: int) -> str:
        return "" if self.together == 1 else f"where games end, up to {self.together} together"

    @property
    def size(self) -> int:
        return self.updates

    @property
    def untaught(self) -> str:
        if self.updates:
            return ""
        config = self.config
        if not config.reuse:
            return "reuse=0"
        lacking = min((1 - self._owed) * config.batch / config.reuse, WHOLE_LIMIT)
        return f"{math.ceil(lacking):,} boards too few"

    def tune(self, **options: Any) -> None:
        super().tune(**options)
        self.config = dataclasses.replace(self.config, **options)
        self._read_config()

    def prepare(self) -> None:
        if self.play.opponents is not None:
            self.play.opponents.prepare()

    def agent(self) -> DeepQAgent:
        return DeepQAgent(self.rules, None, self)

    def worths(self, boards: Boards) -> Array:
        """Return what moves are worth to the side to move, as `Values` do."""
        return to_mover(self._look(boards.movers, boards.occupied), boards.occupied)

    def values(self, boards: Boards) -> Floats:
        """Return what boards are worth to the side to move."""
        worths = self.estimator.value(boards.movers, boards.occupied)
        return to_mover(worths, boards.occupied)

    def _look(self, movers: Ints, occupied: Ints) -> Singles:
        return look(self.rules, movers, occupied, self.estimator.value, self.config.by_rule)

    def steps(self) -> Iterator[Progress]:
        while self.done < self.total:
            self._part.stop = self._part.stop or self.next_stop(self.config.chunk)
            try:
                self._play(self._part, Limit(stop=self.halt))
            except CalledOffError:
                self._progress(self._part)  # says if learning diverged: that is not gone on with
                return
            part, self._part = self._part, Part()
            yield self._progress(part)

    def advance(self, games: int, limit: Limit = NO_LIMIT) -> Progress | None:
        """Play and learn until about so many games are over; a limit ends it between two moves.

        Games of a chunk of `steps` that was called off, which nobody was told of, are told too.
        """
        if self.done >= self.total:
            return None
        part, self._part = self._part, Part()
        part.stop = min(self.done + games, self.total)
        with suppress(CalledOffError):
            self._play(part, limit)
        return self._progress(part)

    def _play(self, part: Part, limit: Limit) -> None:
        """Play and learn until a chunk has ended, with a few games more that end together.

        Raises CalledOffError between two moves when the limit is over before that.
        """
        watch = limit.watch()
        while self.done < part.stop:
            watch.check()
            results, rows = self.play.step(self._epsilon, watch.rest())
            part.wins += int((results > 0).sum())
            part.draws += int((results == 0).sum())
            part.losses += int((results < 0).sum())
            part.decisions += len(rows.movers)
            self.done += len(results)
            for error in self._learn_from(rows):
                part.lessons += 1
                part.errors += error

    def _progress(self, part: Part) -> Progress:
        metrics = {
            "rate": self._now(self._rate),
            "epsilon": self._now(self._epsilon),
            "size": self.updates,
            "decisions": part.decisions,
        }
        if part.lessons:
            metrics["loss"] = part.errors / part.lessons
        return Progress(self.done, part.wins, part.draws, part.losses, metrics)

    def _now(self, found: Schedule) -> float:
        return float(found.at(np.array([max(self.done - 1, 0)]), self.total)[0])

    def _learn_from(self, rows: Rows) -> list[float]:
        """Remember rows and take the learning steps that are due; return their losses."""
        losses = []
        if len(rows.movers):
            self.replay.add(rows)
            self._owed += len(rows.movers) * self.config.reuse / self.config.batch
        while self._owed >= 1:
            self._owed -= 1
            losses.append(self._learn())
        return losses

    def _learn(self) -> float:
        config = self.config
        numbers, self._dice = self.replay.draw(config.batch, self._dice)
        rows = self.replay.take(numbers)
        targets = self.targets(numbers, rows)
        if config.mirror:
            self._dice = mirror_some(self.rules, rows.movers, rows.occupied, self._dice)
        weights = self.replay.corrections(numbers, config.correct)
        errors = self.estimator.learn(
            rows.movers, rows.occupied, targets, weights, self._now(self._rate)
        )
        self.replay.learn_errors(numbers, errors)
        self.updates += 1
        if config.sync and self.updates % config.sync == 0:
            self.estimator.follow(config.soft)
        return float((errors**2).mean())

    def targets(self, numbers: Ints, rows: Rows) -> Singles:
        """Return what the boards of some rows of the memory are to be worth."""
        if self.config.target == "study":
            later = self.estimator.value(rows.movers, rows.occupied)
        else:
            later = np.zeros(len(numbers), np.float32)
            on = rows.factors > 0
            later[on] = self._later(numbers[on], rows.next_movers[on], rows.next_occupied[on])
        found: Singles = rows.rewards + rows.factors * later
        return found

    def _later(self, numbers: Ints, movers: Ints, occupied: Ints) -> Singles:
        """Return what next boards are worth, by the target network if there is one."""
        if not self.config.sync:
            return best_worths(self._look(movers, occupied), occupied)
        worths = self._by_target(numbers)
        if not self.config.double:
            return best_worths(worths, occupied)
        moves, none = np.empty_like(numbers), np.zeros_like(numbers)
        best_moves(self._look(movers, occupied), occupied, none, moves)
        liked: Singles = worths[np.arange(len(moves)), moves]
        return liked

    def _by_target(self, numbers: Ints) -> Singles:
        """Return the worths of next moves; one target network is asked once for each row."""
        memory, stamp = self.replay, self.updates // self.config.sync
        old = np.unique(numbers[memory.stamps[numbers] != stamp])
        if len(old):
            movers, occupied = memory.rows.next_movers[old], memory.rows.next_occupied[old]
            value = self.estimator.target_value
            memory.worths[old] = look(self.rules, movers, occupied, value, self.config.by_rule)
            memory.stamps[old] = stamp
        worths: Singles = memory.worths[numbers]
        return worths

    def save(self, path: Path) -> None:
        about = {
            "learner": self.name,
            "config": dataclasses.asdict(self.config),
            "seed": self.seed,
            "games": self.done,
            "notes": self.notes,
            "updates": self.updates,
            "owed": self._owed,
            "dice": self._dice,
            "part": dataclasses.asdict(self._part),
            "begun": self.play.begun,
            "frozen_at": self.play.frozen_at,
            "written": self.replay.written,
            "largest": self.replay.largest,
        }
        parts = {
            "": self.estimator.arrays(),
            MEMORY: self.replay.arrays(),
            LANES: self.play.lanes._asdict(),
            FROZEN: self.play.frozen.arrays() if self.play.frozen else {},
        }
        extra = {prefix + name: a for prefix, part in parts.items() for name, a in part.items()}
        self.estimator.folded(about).save(path, extra=extra)

    @classmethod
    def load(cls, path: Path, games: int | None = None) -> Self:
        network, extra = Network.load_all(path)
        about = network.about
        try:
            if about["learner"] != cls.name:
                raise SpecError(f"it was learned by {about['learner']!r}, not {cls.name!r}")
            made = cls(network.rules, cls.config_of(about, games), int(about["seed"]))
            made.done, made.notes = int(counted(about["games"])), dict(about["notes"])
            made.updates, made._owed = int(counted(about["updates"])), counted(about["owed"], 1)
            made._dice = int(counted(about["dice"]))
            made._part = _part_of(about.get("part", {}))  # older files have none
            made.estimator.restore(extra)
            written, largest = int(counted(about["written"])), float(about["largest"])
            made.replay.restore(written, largest, _named(extra, MEMORY))
            check_memory(made.rules, made.replay)
            play = made.play
            begun, frozen_at = int(counted(about["begun"])), int(about["frozen_at"])
            play.restore(begun, frozen_at, _named(extra, LANES))
            end = about["config"]["games"]
            made._ran_dry = end != made.total and begun == end and play.has_empty_lanes
            if play.frozen_at != NOBODY:
                play.frozen = made.estimator.clone()
                play.frozen.restore(_named(extra, FROZEN))
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise StorageError(f"{path} is damaged: nothing to go on with ({error})") from None
        return made


def _part_of(fields: dict[str, Any]) -> Part:
    """Return the part of a chunk that a file tells of; raises TypeError, ValueError for none."""
    errors = float(fields.get("errors", 0.0))
    counts = {name: int(counted(value)) for name, value in fields.items() if name != "errors"}
    return Part(**counts, errors=counted(errors, math.inf))


def _named(arrays: dict[str, Array], prefix: str) -> dict[str, Array]:
    """Return the arrays whose names begin so, by the rest of their names."""
    return {name.removeprefix(prefix): a for name, a in arrays.items() if name.startswith(prefix)}
