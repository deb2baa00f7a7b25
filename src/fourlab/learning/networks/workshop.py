"""Self-play and training at once: two groups of games in turn, one network.

While the kernels bring one group to its next leaves, the network answers the other's; steps of
training and copies of lessons are started in between. On a GPU all of that overlaps. Without one
everything happens in the same order, one thing after the other.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import torch

from fourlab.core.arrays import Array, Ints
from fourlab.core.spec import WHOLE_LIMIT
from fourlab.core.storage import StorageError
from fourlab.core.team import Team
from fourlab.learning.networks.checks import check_lessons, check_trees
from fourlab.learning.networks.lessons import BLOCK, GAME, gather, new_harvest, new_lanes
from fourlab.learning.networks.oracle import Desk, Oracle
from fourlab.learning.networks.selfplay import Course, Games, advancer, begin
from fourlab.learning.networks.trainer import PARTS, Teaching, Trainer
from fourlab.learning.networks.twin import find_device
from fourlab.learning.networks.zero_options import ZeroConfig
from fourlab.rules.catalog import is_named
from fourlab.rules.geometry import Rules
from fourlab.search.forest import new_forest, nodes_for
from fourlab.search.puct import NOBODY, WAITING

GROUPS = 2
GPU_LANES, LANES = 8192, 64
GPU_BATCH, BATCH = 4096, 256
STAGED = 16_384  # lessons that go to a GPU together
STEPS_A_TURN = 4  # of training at most, so that self-play never waits long
PREFILL, REFILL = 20, 4  # batches before training; so many times that in the middle of a run
WARM_STEPS = 200  # of training until the rate is reached


@dataclass
class Clock:
    """Where the seconds went."""

    kernels: float = 0.0  # in self-play
    network: float = 0.0  # waiting for answers
    training: float = 0.0  # starting steps, or taking them
    transfers: float = 0.0  # gathering lessons and sending them off
    whole: float = 0.0

    def shares(self) -> dict[str, float]:
        """Return each as a share of the whole."""
        whole = max(self.whole, 1e-9)
        return {
            f"{name}_share": value / whole for name, value in vars(self).items() if name != "whole"
        }


@dataclass
class Group:
    """Some of the games, their forest and where their leaves are answered."""

    games: Games
    desk: Desk


@dataclass
class Workshop:
    """All that a run works with; `turn` is one round of one group."""

    rules: Rules
    config: ZeroConfig
    seed: int
    starts: Ints
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        config, rules = self.config, self.rules
        self.device = find_device(config.device)
        self.on_gpu = self.device.type == "cuda"
        if self.on_gpu:
            torch.backends.cudnn.benchmark = True
            torch.manual_seed(self.seed)
        else:
            # The network has a thread, training another: more would wait for each other, on a busy
            # machine for ever, and sums would depend on their number.
            torch.set_num_threads(1)
        self.lanes = config.lanes or (GPU_LANES if self.on_gpu else LANES)
        self.batch = config.batch or (GPU_BATCH if self.on_gpu else BATCH)
        self.blocks = -(-self.lanes // BLOCK)
        self.staged = STAGED if self.on_gpu else 1
        room = self.staged + self.blocks * BLOCK * (rules.cells + 2)
        sizes = (config.window, config.recent, self.batch)
        teaching = Teaching(*sizes, config.decay, room, self.seed, config.turn)
        self.trainer = Trainer(rules, config.shape, teaching, self.device)
        self.oracle = Oracle(rules, config.shape, self.device)
        cores = os.cpu_count() or 1
        self.team = Team(config.threads or (max(cores - 1, 1) if self.on_gpu else 1))
        self.tally = np.zeros(5, np.int64)
        self.refills = False  # whether the window is filled anew in the middle of a run
        self.evaluations = self.trained = self.turns = self.warm_from = 0
        self.steps_before = 0  # it was taken up
        self._kernel = advancer(rules if is_named(rules) else None)

    def open(self, course: Course, firsts: Ints, under_way: dict[str, Array]) -> None:
        """Begin games, of numbers [groups, lanes], or go on with those that are under way.

        Lessons that come without games are taken into the window.
        """
        self.oracle.take(self.trainer.module)
        self.steps_before = self.trainer.steps
        self.groups = [self._group(course, first) for first in firsts]
        self._compile(self.groups[0])
        if under_way:
            self._put_back_lessons(under_way)
        if self.are_games(under_way):
            self._put_back(under_way)
            return
        for group in self.groups:
            begin(self.rules, group.games, 0, self.lanes)
            group.desk.launch()

    def tune(self, config: ZeroConfig, course: Course) -> None:
        """Go on with other options, of those that may change."""
        self.config = config
        for group in self.groups:
            group.games = group.games._replace(course=course)

    def begin_at(self, starts: Ints) -> None:
        """Let games begin at other positions from now on."""
        self.starts = starts
        for group in self.groups:
            group.games = group.games._replace(starts=starts)

    def _compile(self, group: Group) -> None:
        """Compile what turns need, off the clock: nothing is served, nothing is there to gather."""
        self._kernel(self.rules, group.games, group.desk.answers, 0, 0)
        gather(group.games.harvest, *self.trainer.stage.free(), self.tally)

    def under_way(self) -> dict[str, Array]:
        """Return what it takes to go on with the games and the window; the trainer is apart."""
        window = self.trainer.window
        counters = np.array([window.made, self.trained, self.turns], np.int64)
        found: dict[str, Array] = {"counters": counters}
        found |= {f"window.{name}": array for name, array in window.kept().items()}
        for name, array in self._arrays():
            found[name] = array.astype(np.int64 if array.dtype.kind == "i" else array.dtype)
        return found

    @staticmethod
    def are_games(found: dict[str, Array]) -> bool:
        """Return whether games are under way in what was found, and not lessons alone."""
        return "0.answers" in found

    def _put_back_lessons(self, found: dict[str, Array]) -> None:
        made, self.trained, self.turns = found["counters"].tolist()
        window = {name: found[f"window.{name}"] for name in PARTS}
        check_lessons(self.rules, window, made)
        self.trainer.window.restore(window, made)

    def _put_back(self, found: dict[str, Array]) -> None:
        for name, array in self._arrays():
            if found[name].shape != array.shape or found[name].dtype.kind != array.dtype.kind:
                raise StorageError(f"its games are damaged: {name} does not fit")
            array[:] = found[name]
        for group in self.groups:
            check_trees(self.rules, group.games.forest, group.games.lanes)

    def _arrays(self) -> Iterator[tuple[str, Array]]:
        """Yield all that the games consist of, answered leaves included."""
        for number, group in enumerate(self.groups):
            group.desk.wait()
            yield f"{number}.answers", group.desk.answers
            for part in (group.games.forest, group.games.lanes):
                for name, array in part._asdict().items():
                    yield f"{number}.{type(part).__name__}.{name}", array

    def _group(self, course: Course, first: Ints) -> Group:
        desk = Desk(self.oracle, self.lanes)
        nodes = nodes_for(max(course.full_sims, course.fast_sims))
        forest = new_forest(self.rules, self.lanes, nodes, desk.leaves)
        lanes = new_lanes(self.rules, first)
        harvest = new_harvest(self.rules, self.lanes)
        return Group(Games(self.config.puct, course, self.starts, forest, lanes, harvest), desk)

    def turn(self, rate: float) -> None:
        """Let the next group have its answers and go on to its next leaves; then train."""
        group = self.groups[self.turns % GROUPS]
        self.turns += 1
        began = time.perf_counter()
        group.desk.wait()
        answered = time.perf_counter()
        self.evaluations += self._waiting(group)
        self.begin_kernels(group)
        self.team.end()
        advanced = time.perf_counter()
        group.desk.launch()
        self._collect(group)
        collected = time.perf_counter()
        self.train(rate)  # while no thread of the team waits for the interpreter
        ended = time.perf_counter()
        clock = self.clock
        clock.network += answered - began
        clock.kernels += advanced - answered
        clock.transfers += collected - advanced
        clock.training += ended - collected
        clock.whole += ended - began

    def begin_kernels(self, group: Group) -> None:
        """Set the team to bring a group to its next leaves."""
        rules, games, answers = self.rules, group.games, group.desk.answers
        self.team.begin(
            lambda first, stop: self._kernel(rules, games, answers, first, stop), self.blocks
        )

    def _waiting(self, group: Group) -> int:
        course, marks = group.games.course, group.games.lanes.marks
        if course.games - int(marks[0, GAME]) > course.stride:  # no lane rests yet
            return self.lanes
        return int((group.games.forest.counts[:, WAITING] != NOBODY).sum())

    def _collect(self, group: Group) -> None:
        """Gather what games left, and send it to the window when there is enough."""
        stage = self.trainer.stage
        stage.count += gather(group.games.harvest, *stage.free(), self.tally)
        if stage.count >= self.staged:
            self.trainer.flush()

    @property
    def prefill(self) -> int:
        """The lessons in the window before it trains."""
        once = self.config.prefill or PREFILL * self.batch
        return once * (REFILL if self.refills else 1)

    @property
    def lacking(self) -> int:
        """How many more lessons the next step takes, where it is ever taken."""
        due = math.ceil(min((self.trained + self.batch) / self.config.reuse, WHOLE_LIMIT))
        return max(0, max(self.prefill, due) - self.trainer.window.made)

    def train(self, rate: float) -> None:
        """Take the steps that are due."""
        config, made = self.config, self.trainer.window.made
        if made < self.prefill:
            return
        if self.refills:  # short games end first: not too much of them
            self.refills, self.trained = False, int(made * config.reuse)
        for _ in range(STEPS_A_TURN):
            if self.trained + self.batch > made * config.reuse:
                return
            warmth = (self.trainer.steps + 1 - self.warm_from) / WARM_STEPS
            self.trainer.step(rate * min(1.0, warmth))
            self.trained += self.batch
            if self.trainer.steps % config.refresh == 0:
                self.oracle.take(self.trainer.module)

    def settle(self) -> None:
        """Bring everything to where it can be put away: lessons in the window, one network."""
        self.trainer.flush()
        self.oracle.take(self.trainer.module)

    def losses(self) -> dict[str, float]:
        """Return the losses of the last step; the policy's is 0 where the target is met.

        There are none before the first, nor before the first after it was taken up.
        """
        if self.trainer.steps == self.steps_before:
            return {}
        policy, value, error = self.trainer.losses.tolist()
        return {"policy_loss": policy, "value_loss": value, "value_error": error}

    def take_tally(self) -> Ints:
        """Return the results and lessons since the last time."""
        tally, self.tally = self.tally, np.zeros(5, np.int64)
        return tally
