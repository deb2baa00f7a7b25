"""Teaching a network from a window of recent lessons.

On a GPU the lessons lie there, copies to it go through pinned memory on a stream of their own, and
a step (drawing lessons, mirroring some, both losses, the optimiser) is one captured graph: the
processor never waits. Without one the same step draws its lessons by numbers of its own, so that
one seed gives one network.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from fourlab.core.arrays import Array, Ints
from fourlab.learning.networks.muon import Muon
from fourlab.learning.networks.oracle import Eyes, new_event, new_stream
from fourlab.learning.networks.twin import build, put_optimiser_state
from fourlab.rules.geometry import Rules
from fourlab.search.puct import Reals
from fourlab.values.layers import Shape

PARTS = ("boards", "policies", "values")  # of a lesson
STAGES = 2  # one is filled while the other is copied
WARM_UP = 3  # steps before the graph is captured
POLICY, VALUE, ERROR = range(3)  # of `Trainer.losses`


class Teaching(NamedTuple):
    """How a network is taught."""

    window: int  # lessons that are kept
    recent: float  # share of all lessons so far that are drawn from, where the window allows
    batch: int
    decay: float  # of weights
    room: int  # lessons that may come at once
    seed: int
    turn: float = 0.0  # of blocks' weights, times the rate


class Window:
    """The latest lessons, in a ring."""

    def __init__(self, rules: Rules, size: int, device: torch.device) -> None:
        self.size, self.made = size, 0
        empty: list[Array] = [  # by numpy, which takes memory when it is written to
            np.zeros((size, 2), np.int64),
            np.zeros((size, rules.move_count), np.float32),
            np.zeros(size, np.float32),
        ]
        self.parts = [torch.from_numpy(part).to(device) for part in empty]

    def add(self, lessons: list[Tensor]) -> None:
        """Add lessons, over the oldest where the ring is full."""
        extra = max(len(lessons[0]) - self.size, 0)  # which would be written over at once
        self.made += extra
        lessons = [part[extra:] for part in lessons]
        count = len(lessons[0])
        at = self.made % self.size
        until_end = min(count, self.size - at)
        for part, new in zip(self.parts, lessons, strict=True):
            part[at : at + until_end].copy_(new[:until_end], non_blocking=True)
            if until_end < count:
                part[: count - until_end].copy_(new[until_end:], non_blocking=True)
        self.made += count

    def kept(self) -> dict[str, Array]:
        """Return the lessons that are still there, the oldest first."""
        have = min(self.made, self.size)
        rows = torch.arange(self.made - have, self.made) % self.size
        return {
            name: part[rows.to(part.device)].cpu().numpy()
            for name, part in zip(PARTS, self.parts, strict=True)
        }

    def restore(self, kept: dict[str, Array], made: int) -> None:
        """Put lessons back where they lay."""
        self.made = made - len(kept["values"])
        self.add([torch.from_numpy(kept[name]) for name in PARTS])


class Stage:
    """Lessons on their way to the window: arrays that kernels write into."""

    def __init__(self, rules: Rules, room: int, pinned: bool) -> None:
        kinds = [((room, 2), torch.int64), ((room, rules.move_count), torch.float32)]
        self.parts = [
            torch.zeros(size, dtype=kind) for size, kind in [*kinds, ((room,), torch.float32)]
        ]
        if pinned:
            self.parts = [part.pin_memory() for part in self.parts]
        self.arrays = [part.numpy() for part in self.parts]
        self.count = 0
        self.sent: Any = new_event() if pinned else None

    def free(self) -> tuple[Ints, Reals, Reals]:
        """Return the places that are still empty."""
        boards, policies, values = (array[self.count :] for array in self.arrays)
        return boards, policies, values


class Trainer:
    """A network, its optimiser and the window it learns from."""

    def __init__(
        self, rules: Rules, shape: Shape, teaching: Teaching, device: torch.device
    ) -> None:
        self.teaching, self.device, self.on_gpu = teaching, device, device.type == "cuda"
        self.module: nn.Module = build(rules, shape, teaching.seed).to(device)
        self.module.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.module.train()
        self.steps = 0
        self.window = Window(rules, teaching.window, device)
        self.eyes = Eyes(rules, device)
        self.bins = shape.bins
        self.centres = torch.linspace(-1, 1, shape.bins, device=device)
        self.mirrored = _mirrored_moves(rules, device)
        self.losses = torch.zeros(3, device=device)
        self._rate = torch.tensor(0.0, device=device)
        self._made = torch.zeros((), dtype=torch.int64, device=device)  # as the graph knows it
        self._recent = torch.zeros_like(self._made)
        self.optimiser = Muon(
            self.module,
            teaching.turn,
            lr=self._rate if self.on_gpu else 0.0,
            weight_decay=teaching.decay,
            capturable=self.on_gpu,
            fused=self.on_gpu,
        )
        self._graph: Any = None
        self._copies: Any = new_stream() if self.on_gpu else None
        self._stages = [Stage(rules, teaching.room, self.on_gpu) for _ in range(STAGES)]

    def remember(self, memory: dict[str, Array]) -> None:
        """Take over what an optimiser remembered, in the layout and with the rate of this one."""
        put_optimiser_state(self.optimiser, memory)
        for parameter, kept in self.optimiser.state.items():
            for name in (name for name, value in kept.items() if value.dim() == parameter.dim()):
                kept[name] = torch.empty_like(parameter).copy_(kept[name])
        for group in self.optimiser.param_groups:
            group["lr"] = self._rate if self.on_gpu else 0.0

    @property
    def stage(self) -> Stage:
        """Where the next lessons go."""
        return self._stages[0]

    def flush(self) -> None:
        """Send the lessons of the stage to the window, without waiting for anybody."""
        stage = self._stages[0]
        if stage.count == 0:
            return
        lessons = [part[: stage.count] for part in stage.parts]
        if self.on_gpu:
            self._copies.wait_stream(torch.cuda.current_stream())  # steps that read the window
            with torch.cuda.stream(self._copies):
                self.window.add(lessons)
                stage.sent.record(self._copies)
            torch.cuda.current_stream().wait_event(stage.sent)
        else:
            self.window.add(lessons)
        stage.count = 0
        self._stages = [*self._stages[1:], stage]
        if self.on_gpu:
            self.stage.sent.synchronize()  # sent one round ago

    @property
    def drawn_from(self) -> int:
        """How many of the latest lessons a step draws from."""
        made, teaching = self.window.made, self.teaching
        recent = max(int(teaching.recent * made), 20 * teaching.batch)
        return min(made, teaching.window, recent)

    def step(self, rate: float) -> None:
        """Teach one batch."""
        self.steps += 1
        if self.on_gpu:
            self._rate.fill_(rate)
            self._made.fill_(self.window.made)
            self._recent.fill_(self.drawn_from)
            self._replay()
            return
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        rng = np.random.default_rng([self.teaching.seed, self.steps])
        back = rng.integers(self.drawn_from, size=self.teaching.batch)
        rows = torch.from_numpy((self.window.made - 1 - back) % self.window.size)
        self._learn(rows, torch.from_numpy(rng.random(self.teaching.batch) < 0.5))

    def _replay(self) -> None:
        if self._graph is None:
            stream = new_stream()
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                for _ in range(WARM_UP):
                    self._learn(*self._drawn())
            torch.cuda.current_stream().wait_stream(stream)
            torch.cuda.synchronize()
            self._graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self._graph):
                self._learn(*self._drawn())
        self._graph.replay()

    def _drawn(self) -> tuple[Tensor, Tensor]:
        """Draw lessons and which to mirror, on the GPU."""
        chances = torch.rand(2, self.teaching.batch, device=self.device, dtype=torch.float64)
        back = (chances[0] * self._recent).to(torch.int64)
        return (self._made - 1 - back) % self.window.size, chances[1] < 0.5

    def _learn(self, rows: Tensor, flip: Tensor) -> None:
        """Teach lessons, each mirrored or not: whole batches would tell it by their statistics."""
        boards, policies, values = (part[rows] for part in self.window.parts)
        policies = torch.where(flip[:, None], policies[:, self.mirrored], policies)
        seen = self.eyes(boards, torch.float32, flip)
        with torch.autocast(self.device.type, torch.bfloat16, self.on_gpu, cache_enabled=False):
            logits, bins = self.module(seen)
        guessed = logits.float().log_softmax(1)
        policy_loss = -(policies * guessed).sum(1).mean()
        surprise = (policies * policies.clamp_min(1e-9).log()).sum(1).mean()
        place = (values.clamp(-1, 1) + 1) / 2 * (self.bins - 1)
        low = place.floor().clamp(0, self.bins - 2)
        spread = bins.float().log_softmax(1)
        at = low.to(torch.int64)[:, None]
        above = place - low
        below_loss = (1 - above) * spread.gather(1, at)[:, 0]
        value_loss = -(below_loss + above * spread.gather(1, at + 1)[:, 0]).mean()
        error = ((spread.exp() * self.centres).sum(1) - values).square().mean()
        self.optimiser.zero_grad(set_to_none=not self.on_gpu)
        (policy_loss + value_loss).backward()
        self.optimiser.step()
        self.losses.copy_(torch.stack([policy_loss + surprise, value_loss, error]).detach())


def _mirrored_moves(rules: Rules, device: torch.device) -> Tensor:
    """Return for each move the move it is in the mirror."""
    moves = torch.arange(rules.move_count, device=device)
    return moves - 2 * (moves % rules.columns) + rules.columns - 1
