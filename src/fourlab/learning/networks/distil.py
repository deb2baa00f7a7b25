"""Learner `distil`: a network is taught by the exact solver."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from fourlab.agents.net import Net, NetConfig
from fourlab.core.errors import SpecError
from fourlab.core.spec import needs, option
from fourlab.core.storage import StorageError
from fourlab.learning.base import Learner, Progress
from fourlab.learning.networks.checks import counted
from fourlab.learning.networks.sources import lessons, sources
from fourlab.positions.labels import Labels, load_labels
from fourlab.rules.geometry import Rules
from fourlab.values.layers import Shape
from fourlab.values.network import Network

if TYPE_CHECKING:  # torch comes with the first step
    from fourlab.learning.networks.pupil import Course, Pupil


@dataclass(frozen=True)
class DistilConfig:
    """Learns from the exact solver: a network is told what every move is worth."""

    games: int = option(
        2_000_000, "positions to learn, each time counted", low=1, label="Positions"
    )
    positions: str = option(
        "walk:first",
        "where they come from: walk:first|second, games:of=SPEC, suite:NAME, uci or file:PATH",
    )
    data: str = option("", "a folder that keeps their labels, or a file of labels")
    moves: str = option(
        "one",
        "one: the strategy's move; best: any with the best score; keep: any that keeps win, draw "
        "or loss; none",
        choices=("one", "best", "keep", "none"),
    )
    prefer: float = option(
        0.0, "share of the loss of moves that is for the strategy's move alone", low=0, high=1
    )
    value: str = option(
        "graded",
        "graded: sooner wins are worth more; plain: win, draw or loss; none",
        choices=("graded", "plain", "none"),
    )
    weight: float = option(0.5, "of values beside moves", low=0, high=100)
    width: int = option(32, "channels of every convolution", low=1, high=512, public=64)
    blocks: int = option(4, "of two convolutions each", low=0, high=64, public=6)
    head: int = option(16, "channels of the heads", low=1, high=512, public=64)
    hidden: int = option(64, "units of the value head", low=1, high=4096, public=256)
    bins: int = option(33, "of the distribution of values", low=2, high=1025, public=129)
    bits: int = option(0, "of a weight in the file, 2 to 8; 0: real numbers", low=0, high=8)
    distinct: int = option(
        0, "blocks with convolutions of their own, which the others repeat; 0: all", low=0, high=64
    )
    paired: bool = option(
        False, "half of the channels see mirrored what the others see; mirror images are learned"
    )
    batch: int = option(512, "positions of a step", low=1, high=65_536, public=1024)
    rate: float = option(
        0.004, "warmed up, and down to a hundredth", low=0, high=1, label="Rate", live=True
    )
    decay: float = option(1e-4, "of weights", low=0, high=1)
    turn: float = option(
        0.0, "times the rate: how far blocks' weights turn in a step; 0: AdamW's", low=0, high=100
    )
    mirror: bool = option(False, "learn mirror images too; `net` shows a network one of each pair")
    held: float = option(0.0, "share of positions set aside to be examined on", low=0, high=0.9)
    device: str = option("auto", "where it learns", choices=("auto", "cpu", "cuda"))
    chunk: int = option(5_000, "positions between two looks", low=1)

    def __post_init__(self) -> None:
        some = self.moves in ("best", "keep")
        needs(self, "prefer", used=some, why="without moves=best or moves=keep")
        needs(self, "turn", used=self.blocks > 0, why="without blocks")
        needs(self, "distinct", used=self.bits > 0, why="without bits")
        needs(self, "weight", used=self.value != "none", why="with value=none")
        needs(self, "positions", used=not self.labelled, why="where data is a file of labels")
        needs(self, "mirror", used=not self.paired, why="with paired=yes, which has them learned")
        if self.moves == "none" and (self.value == "none" or self.weight == 0):
            raise SpecError(
                f"moves=none with value={self.value}, weight={self.weight:g} teaches neither moves "
                "nor values; leave one out"
            )

    @property
    def labelled(self) -> bool:
        """Whether `data` is a file of labels, not a folder that keeps them."""
        return Path(self.data).suffix == ".npz"

    def shape(self) -> Shape:
        """Return what the network looks like."""
        sizes = (self.width, self.blocks, self.head, self.hidden, self.bins)
        return Shape("residual", *sizes, self.bits, self.distinct, int(self.paired))


class Distil(Learner):
    """Learns from the exact solver, position by position."""

    name = "distil"
    title = "Taught by the solver"
    Config = DistilConfig
    config: DistilConfig
    file: ClassVar[str] = "checkpoint.safetensors"
    size_label: ClassVar[str] = "Weights of the network"
    size_unit: ClassVar[str] = "weights"
    unit: ClassVar[str] = "positions"
    outcomes = ("best", "kept", "lost")

    def __init__(self, rules: Rules, config: DistilConfig, seed: int = 0) -> None:
        super().__init__(rules, config, seed)
        self.steps_done = 0
        self._restored: dict[str, Any] = {}
        self._file: Path | None = None  # where that is from
        self._pupil: Pupil | None = None
        self._course: Course | None = None

    @classmethod
    def check(cls, rules: Rules, config: DistilConfig) -> None:
        super().check(rules, config)
        sources(config.positions, rules)
        config.shape().layout(rules)

    @property
    def total(self) -> int:
        return self.config.games

    @property
    def follows_length(self) -> tuple[str, ...]:
        return ("rate",)

    @property
    def together(self) -> int:
        return self.config.batch

    @property
    def size(self) -> int:
        layout = self.config.shape().layout(self.rules)
        return sum(int(np.prod(sizes)) for sizes in layout.values())

    def labels(self) -> Labels:
        """Return all positions that it learns from, and those set aside."""
        data = Path(self.config.data) if self.config.data else None
        if data is not None and self.config.labelled:
            found = load_labels(data)
        else:
            found = lessons(self.config.positions, self.rules, data, self._asks)
        if found.rules != self.rules:
            raise StorageError(f"{data} has labels of {found.rules}, not of {self.rules}")
        return found

    def _asks(self, ply: int, count: int, done: int) -> None:
        self.tell(f"asking the solver about positions with {ply} stones: {done:,} of {count:,}")

    def prepare(self) -> None:
        self.course  # noqa: B018  # torch is loaded or refused, positions are labelled

    @property
    def course(self) -> Course:
        """What it learns; the labels are made or loaded the first time."""
        if self._course is None:
            from fourlab.learning.networks.pupil import course_of

            device = self.pupil.device
            targets = (self.config.moves, self.config.value == "graded")
            self._course = course_of(
                self.labels(), self.config.held, *targets, self.config.batch, self.seed, device
            )
        return self._course

    @property
    def pupil(self) -> Pupil:
        """The network and its optimiser; needs torch."""
        if self._pupil is None:
            from fourlab.learning.networks.pupil import Pupil
            from fourlab.learning.networks.twin import find_device

            device = find_device(self.config.device)
            config = self.config
            how = (config.decay, config.prefer, config.turn)
            made = Pupil(self.rules, config.shape(), self.seed, device, *how)
            if self._restored:
                self._take_up(made)
            self._pupil = made
        return self._pupil

    def _take_up(self, pupil: Pupil) -> None:
        """Put what was loaded into the pupil; raises StorageError, which names the file."""
        try:
            pupil.restore(self._restored)
        except (KeyError, TypeError, ValueError, RuntimeError) as error:  # torch's is the last
            raise StorageError(f"{self._file} is damaged: {error}; begin a new run") from None
        self._restored = {}

    def steps(self) -> Iterator[Progress]:
        self.prepare()
        while self.done < self.total:
            yield self._chunk(self.next_stop(self.config.chunk))

    def _chunk(self, stop: int) -> Progress:
        began, tenth = self.steps_done, self.done * 10 // self.total
        sums = np.zeros(5)
        while self.done < stop:
            sums += self._step()
        by_moves, by_values = (sums[:2] / (self.steps_done - began)).tolist()
        metrics = {"size": self.size, "loss_moves": by_moves, "loss_values": by_values}
        held = self.course.held
        if len(held.movers) and self.done * 10 // self.total > tenth:
            best, kept, _ = self.pupil.examine(held)[0] / len(held.movers)
            metrics |= {"held_best": float(best), "held_kept": float(best + kept)}
        best, kept, lost = (round(count) for count in sums[2:])
        return Progress(self.done, best, kept, lost, metrics)

    def _step(self) -> Any:
        """Learn a batch; return the two losses and the three counts."""
        from fourlab.learning.networks.pupil import rate_at

        rows = self.course.rows(self.steps_done).first(self.total - self.done)
        rate = rate_at(self.config.rate, self.steps_done, self.done / self.total)
        flip = None
        if self.config.mirror or self.config.paired:
            dice = np.random.default_rng([self.seed, 2, self.steps_done])
            flip = rows.legal.new_tensor(dice.random(len(rows.movers)) < 0.5)
            rows = rows.mirrored(self.rules, flip)
        found = self.pupil.learn(rows, rate, self._value_weight, flip)
        self.steps_done += 1
        self.done += len(rows.movers)
        return found.cpu().numpy()

    @property
    def _value_weight(self) -> float:
        """Of values beside moves, 0: it is taught none."""
        return 0.0 if self.config.value == "none" else self.config.weight

    def network(self) -> Network:
        """Return the network as it plays by now."""
        about = {"learner": self.name, "config": dataclasses.asdict(self.config), "seed": self.seed}
        about |= {"done": self.done, "steps": self.steps_done, "notes": self.notes}
        network = self.pupil.folded(about)
        return network if self._value_weight else network.without_values()

    def agent(self) -> Net:
        return Net(self.rules, NetConfig(), self.network())

    def save(self, path: Path) -> None:
        self.network().save(path, extra=self.pupil.arrays())

    @classmethod
    def load(cls, path: Path, games: int | None = None) -> Self:
        network, extra = Network.load_all(path)
        about = network.about
        try:
            made = cls(network.rules, cls.config_of(about, games), about["seed"])
            made.done, made.steps_done = (int(counted(about[name])) for name in ("done", "steps"))
            made.notes = dict(about["notes"])
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise StorageError(f"{path} is damaged: nothing to go on with ({error})") from None
        made._restored, made._file = extra, path
        return made

    def tune(self, **options: Any) -> None:
        super().tune(**options)
        self.config = dataclasses.replace(self.config, **options)
