"""The learner `zero`: a network that plays itself and learns from what its search found.

Without a GPU one seed is one network, and a run that was put away goes on as if nothing had
happened. On a GPU the order of things depends on its speed. A run whose window and games are too
large for a file begins other games when it goes on, and fills the window anew.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from fourlab.agents.base import Agent
from fourlab.core.arrays import Array, Ints
from fourlab.core.errors import SpecError
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.core.storage import StorageError
from fourlab.learning.base import SELF_PLAY, Learner, Progress
from fourlab.learning.networks.checks import check_starts, counted
from fourlab.learning.networks.lessons import DRAWS, LOSSES, TAKEN, WINS
from fourlab.learning.networks.selfplay import Course
from fourlab.learning.networks.zero_options import ZeroConfig
from fourlab.positions.suites import read_positions
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position
from fourlab.values.network import Network

if TYPE_CHECKING:
    from fourlab.learning.networks.workshop import Workshop

FILE_BYTES = 15_000_000  # what a checkpoint may take; what does not fit is made anew
OTHER_GAMES = 1_000_003  # between the seeds of games before and after a run was taken up
COUNTERS = {"base": int, "clock": float, "lessons": int, "taken_steps": int}
MOST_STARTS = 50_000  # positions where games begin too
LOOK_SECONDS = 1.0  # between two looks at the clock on a GPU
ADVANCE_SECONDS = 0.5  # that one call goes on at most: somebody watches
Arrays = dict[str, Array]


class Zero(Learner):
    """Learns from nothing but the rules, by playing itself."""

    name = "zero"
    title = "Self-play with search"
    Config = ZeroConfig
    file: ClassVar[str] = "checkpoint.safetensors"
    size_label: ClassVar[str] = "Weights of the network"
    size_unit: ClassVar[str] = "weights"
    outcomes = SELF_PLAY

    def __init__(self, rules: Rules, config: ZeroConfig, seed: int = 0) -> None:
        super().__init__(rules, config, seed)
        self.config: ZeroConfig
        self.base = 0  # games that were played before the games under way were begun
        self.clock = 0.0  # seconds of training
        self.lessons = 0
        self.taken_steps = 0
        self._before: Network | None = None  # at the last report
        self._saved: Arrays = {}  # what was loaded and not yet taken up
        self._file: Path | None = None  # where from

    @property
    def total(self) -> int:
        budget = self.config.seconds
        return self.done if budget is not None and self.clock >= budget else self.config.games

    @property
    def follows_length(self) -> tuple[str, ...]:
        return ("rate",)

    @property
    def together(self) -> int:
        return self.config.chunk

    def looks(self, every: int) -> str:
        # It takes its new network there, so that looks at other times would change what it learns.
        return f"after every {self.together} games or some more, on a GPU after every second"

    @property
    def size(self) -> int:
        layout = self.config.shape.layout(self.rules)
        return sum(math.prod(sizes) for sizes in layout.values())

    @property
    def untaught(self) -> str:
        if self.taken_steps:
            return ""
        return f"{self.workshop.lacking:,} lessons too few" if self.config.reuse else "reuse=0"

    @functools.cached_property
    def starts(self) -> Ints:
        """Positions where games begin too: [positions, 2]."""
        if len(self._saved.get("starts", ())) > 0:
            return np.asarray(self._saved["starts"], np.int64)
        if not self.config.starts:
            return np.zeros((0, 2), np.int64)
        found = _boards(read_positions(self.rules, Path(self.config.starts)))
        if len(found) == 0:
            raise SpecError(f"starts={self.config.starts}: no game goes on there")
        return found

    def begin_at(self, positions: Sequence[Position]) -> None:
        """From now on a share of games, `start-share`, begins at one of these."""
        self.starts = _boards(positions)[:MOST_STARTS]
        self.workshop.begin_at(self.starts)

    @functools.cached_property
    def workshop(self) -> Workshop:
        """What it works with; needs torch."""
        from fourlab.learning.networks import twin  # noqa: F401  # says where torch is missing
        from fourlab.learning.networks.workshop import Workshop

        made = Workshop(self.rules, self.config, self.seed, self.starts)
        try:
            self._take_up(made)
        except (KeyError, TypeError, ValueError, RuntimeError) as error:  # torch's is the last
            raise StorageError(f"{self._file} is damaged: {error}; begin a new run") from None
        return made

    def prepare(self) -> None:
        _ = self.workshop

    def _course(self, lanes: int) -> Course:
        config = self.config
        return Course(
            seed=self.seed + OTHER_GAMES * self.base,
            games=config.games,
            stride=2 * lanes,
            full_sims=config.sims,
            fast_sims=config.fast_sims,
            full_share=config.full,
            noise=config.noise,
            hot=config.hot,
            mix=config.mix,
            random_share=config.random,
            random_plies=config.random_plies,
            weak_share=config.weak,
            weak_first=config.weak_first,
            weak_rate=config.weak_rate,
            start_share=config.start_share,
            asides=config.asides,
        )

    def tune(self, **options: Any) -> None:
        super().tune(**options)
        self.config = dataclasses.replace(self.config, **options)
        if "workshop" in vars(self):
            self.workshop.tune(self.config, self._course(self.workshop.lanes))

    def steps(self) -> Iterator[Progress]:
        while self.done < self.total:
            yield self._chunk(self.config.chunk)

    def advance(self, games: int, limit: Limit = NO_LIMIT) -> Progress | None:
        """Play and learn until about so many games are over, half a second at most.

        A limit ends it between two turns: nothing that was played is lost.
        """
        return self._chunk(games, limit.within(ADVANCE_SECONDS)) if self.done < self.total else None

    def _progress(self) -> float:
        """Return how much of the run is over, 0 to 1."""
        share = self.done / self.config.games
        if self.config.seconds:
            share = max(share, self.clock / self.config.seconds)
        return min(share, 1.0)

    def _rate(self) -> float:
        """Return the step size: half a cosine from the first to the last."""
        end = self.config.rate_end
        falling = 0.5 * (1 + math.cos(math.pi * self._progress()))
        return float(self.config.rate) * (end + (1 - end) * falling)

    def _chunk(self, games: int, limit: Limit = NO_LIMIT) -> Progress:
        """Play and learn until some games are over."""
        shop = self.workshop
        watch = limit.watch()
        before, evaluations, began = self.done, shop.evaluations, time.perf_counter()
        results = np.zeros(5, np.int64)
        seconds = 0.0
        while self.done < self.total:
            shop.turn(self._rate())
            tally = shop.take_tally()
            results += tally
            self.done += int(tally[WINS] + tally[DRAWS] + tally[LOSSES])
            self.lessons += int(tally[TAKEN])
            now = time.perf_counter() - began
            self.clock += now - seconds
            seconds = now
            if seconds > LOOK_SECONDS if shop.on_gpu else self.done - before >= games:
                break
            if watch.is_over():
                break
        shop.settle()
        self.taken_steps = shop.trainer.steps
        waits = not self.taken_steps and self.config.reuse > 0
        return Progress(
            done=self.done,
            wins=int(results[WINS]),
            draws=int(results[DRAWS]),
            losses=int(results[LOSSES]),
            metrics={
                "size": self.size,
                "seconds": self.clock,
                "evaluations_per_s": (shop.evaluations - evaluations) / max(seconds, 1e-9),
                "lessons_per_s": int(results[TAKEN]) / max(seconds, 1e-9),
                "lessons": self.lessons,
                "steps": self.taken_steps,
                **({"lessons_lacking": shop.lacking} if waits else {}),
                "rate": self._rate(),
                **shop.losses(),
                **shop.clock.shares(),
            },
        )

    def network(self) -> Network:
        """Return the network as it is now."""
        from fourlab.learning.networks.twin import folded

        about = {
            "learner": self.name,
            "config": dataclasses.asdict(self.config),
            "seed": self.seed,
            "games": self.done,
            "notes": self.notes,
            **{name: getattr(self, name) for name in COUNTERS},
        }
        return folded(self.workshop.trainer.module, self.rules, self.config.shape, about)

    def agent(self) -> Agent:
        return self._player(self.network())

    def _player(self, network: Network) -> Agent:
        from fourlab.agents.zero import Zero as Player
        from fourlab.agents.zero import ZeroConfig as PlayerConfig

        return Player(self.rules, PlayerConfig(sims=self.config.look), network)

    def past(self) -> tuple[Agent, int] | None:
        if self.config.past_games == 0:
            return None
        before, self._before = self._before, self.network()
        return None if before is None else (self._player(before), self.config.past_games)

    def save(self, path: Path) -> None:
        from fourlab.learning.networks import twin

        shop, network = self.workshop, self.network()
        kept = _named("module.", twin.state_of(shop.trainer.module)) | {"starts": self.starts}
        kept |= _named("past.", {} if self._before is None else self._before.layers)
        room = FILE_BYTES - _bytes(network.layers) - _bytes(kept)
        optimiser = twin.optimiser_state(shop.trainer.optimiser)
        for arrays in (_named("optimiser.", optimiser), _named("games.", shop.under_way())):
            room -= _bytes(arrays)
            kept |= arrays if room > 0 else {}
        network.save(path, extra=kept)

    @classmethod
    def load(cls, path: Path, games: int | None = None) -> Self:
        network, saved = Network.load_all(path)
        about = network.about
        try:
            if about["learner"] != cls.name:
                raise SpecError(f"it was learned by {about['learner']!r}, not {cls.name!r}")
            learner = cls(network.rules, cls.config_of(about, games), about["seed"])
            learner.done, learner.notes = int(counted(about["games"])), dict(about["notes"])
            for name, kind in COUNTERS.items():
                setattr(learner, name, kind(counted(about[name])))
            check_starts(network.rules, saved.get("starts", np.zeros((0, 2), np.int64)))
            if past := _part(saved, "past."):
                learner._before = Network.checked(path, network.header(), past)[0]
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise StorageError(f"{path} is damaged: nothing to go on with ({error})") from None
        if learner.config.games != about["config"]["games"]:
            # Lanes that were through rest for good: the rest of a longer run begins others.
            # Lessons that nothing was learned from yet are kept: it would wait for all again.
            kept = () if learner.taken_steps else ("games.counters", "games.window.")
            lost = {n for n in saved if n.startswith("games.") and not n.startswith(kept)}
            saved = {name: array for name, array in saved.items() if name not in lost}
        learner._saved, learner._file = saved, path
        return learner

    def _take_up(self, shop: Workshop) -> None:
        """Put what was loaded into the workshop; go on with its games, or begin others."""
        from fourlab.learning.networks import twin

        saved, self._saved = self._saved, {}
        if saved:
            twin.put_state(shop.trainer.module, _part(saved, "module."))
            shop.trainer.steps = self.taken_steps
        if optimiser := _part(saved, "optimiser."):
            shop.trainer.remember(optimiser)
        else:
            shop.warm_from = self.taken_steps
        games = _part(saved, "games.")
        if not shop.are_games(games):
            self.base, shop.refills = self.done, self.taken_steps > 0
        firsts = self.base + np.arange(2 * shop.lanes, dtype=np.int64).reshape(2, -1)
        shop.open(self._course(shop.lanes), firsts, games)


def _boards(positions: Sequence[Position]) -> Ints:
    """Return positions that are not over as [positions, 2]."""
    going_on = [(one.mover, one.occupied) for one in positions if not one.is_over]
    return np.array(going_on, np.int64).reshape(-1, 2)


def _named(prefix: str, arrays: Arrays) -> Arrays:
    return {prefix + name: array for name, array in arrays.items()}


def _part(arrays: Arrays, prefix: str) -> Arrays:
    """Return the arrays whose names begin so, without that beginning."""
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }


def _bytes(arrays: Arrays) -> int:
    return sum(array.nbytes for array in arrays.values())
