"""A network that is taught by labels: the loss, one step, and the whole set on the device."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from fourlab.core.arrays import Array
from fourlab.learning.networks.muon import Muon
from fourlab.learning.networks.replies import strategy
from fourlab.learning.networks.twin import (
    build,
    folded,
    optimiser_state,
    planes,
    put_optimiser_state,
    put_state,
    state_of,
)
from fourlab.positions.labels import UNKNOWN, UNPLAYABLE, Labels
from fourlab.rules.geometry import Rules
from fourlab.search.scores import win_score
from fourlab.values.layers import Shape
from fourlab.values.network import Network

WARMING = 200  # steps until the rate is reached
LAST_RATE = 0.01  # share of the rate at the end
SLOWEST = 0.6  # what a win with the last stone is worth, graded
NETWORK, OPTIMISER = "network.", "optimiser."


class Lesson(NamedTuple):
    """Labels as tensors, on the device of the network."""

    movers: Tensor  # [positions]
    occupied: Tensor  # [positions]
    values: Tensor  # [positions], float
    legal: Tensor  # [positions, moves], bool
    wanted: Tensor  # [positions, moves], bool: any of these is right; none: nothing is asked
    strategy: Tensor  # [positions, moves], bool: the one of them that the solver's strategy plays
    best: Tensor  # [positions, moves], bool
    keeping: Tensor  # [positions, moves], bool

    def take(self, rows: Tensor) -> Lesson:
        """Return some of the rows."""
        return Lesson(*(column[rows] for column in self))

    def first(self, count: int) -> Lesson:
        """Return the first rows, at most so many."""
        return Lesson(*(column[:count] for column in self))

    def mirrored(self, rules: Rules, flip: Tensor) -> Lesson:
        """Return the moves of those rows mirrored; `planes` mirrors their boards."""
        across = [move - 2 * (move % rules.columns) + rules.columns - 1 for move in _moves(rules)]
        turned = (torch.where(flip[:, None], side[:, across], side) for side in self[3:])
        return Lesson(*self[:3], *turned)


def _moves(rules: Rules) -> range:
    return range(rules.move_count)


def lesson_of(labels: Labels, moves: str, graded: bool, device: torch.device) -> Lesson:
    """Return labels as tensors; `moves` says which are wanted: one, best, keep or none."""
    movers, occupied = labels.boards()
    best, keeping = labels.best(), labels.keeping()
    one = np.zeros_like(best)
    one[np.arange(len(labels)), strategy(labels)] = True
    one &= best  # nothing where nothing is known
    none = np.zeros_like(best)
    wanted = {"one": one, "best": best, "keep": keeping, "none": none}[moves]
    one &= wanted
    values = np.sign(labels.values).astype(np.float32)
    if graded:
        most = win_score(labels.rules, 0)
        values *= SLOWEST + (1 - SLOWEST) * np.abs(labels.values.astype(np.float32)) / most
    values[labels.values <= UNKNOWN] = np.nan
    legal = labels.scores != UNPLAYABLE
    arrays = (movers, occupied, values, legal, wanted, one, best, keeping)
    return Lesson(*(torch.from_numpy(np.ascontiguousarray(array)).to(device) for array in arrays))


class Pupil:
    """A residual network, its optimiser, and how far it is."""

    def __init__(
        self,
        rules: Rules,
        shape: Shape,
        seed: int,
        device: torch.device,
        decay: float,
        prefer: float = 0.0,
        turn: float = 0.0,
    ) -> None:
        self.rules, self.shape, self.device, self.prefer = rules, shape, device, prefer
        module: Any = build(rules, shape, seed)
        self.module = module.to(device, memory_format=torch.channels_last)
        self.is_cuda = device.type == "cuda"
        if not self.is_cuda:
            torch.set_num_threads(1)  # sums are then taken in one order, whatever the machine
        self.optimiser = Muon(
            self.module,
            turn,
            lr=torch.tensor(0.0, device=device) if self.is_cuda else 0.0,
            weight_decay=decay,
            capturable=self.is_cuda,
            fused=self.is_cuda,
        )
        self.centres = torch.linspace(-1, 1, shape.bins, device=device)
        self._graph: Any = None  # a recorded step, what it reads and what it finds
        self._both: Tensor
        self._rows: Lesson
        self._found: Tensor

    def see(self, rows: Lesson, flip: Tensor | None = None) -> Tensor:
        """Return what the network sees of positions, mirrored where `flip` says so."""
        both = planes(self.rules, rows.movers, rows.occupied, flip)
        return both.contiguous(memory_format=torch.channels_last)

    def run(self, both: Tensor, legal: Tensor) -> tuple[Tensor, Tensor]:
        """Return the logarithms of the policy over legal moves, and of the bins."""
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.is_cuda):
            logits, bins = self.module(both)
        policy = logits.float().masked_fill(~legal, -math.inf).log_softmax(1)
        return policy, bins.float().log_softmax(1)

    def value_loss(self, bins: Tensor, values: Tensor) -> Tensor:
        """Return the loss of distributions whose mean should be these values; nan: none is known.

        A value lies between two bins, and shares itself out between them.
        """
        place = (values.nan_to_num() + 1) / 2 * (self.shape.bins - 1)
        low = place.floor().clamp(0, self.shape.bins - 2)
        part = place - low
        around = bins.gather(1, low.long()[:, None] + torch.arange(2, device=self.device))
        losses = -((1 - part) * around[:, 0] + part * around[:, 1])
        return losses.masked_fill(values.isnan(), 0.0).mean()

    def answers(self, rows: Lesson, policy: Tensor, bins: Tensor) -> tuple[Tensor, Tensor]:
        """Return [positions]: is the answer the best, and does it keep win, draw or loss?

        The answer is the likeliest move; where nothing is known of the moves, the nearest of win,
        draw and loss.
        """
        move = policy.argmax(1, keepdim=True)
        value = (bins.exp() * self.centres).sum(1)
        is_class = (value * 1.5).round().clamp(-1, 1) == rows.values.sign()
        has_moves = rows.keeping.any(1)
        is_best = torch.where(has_moves, rows.best.gather(1, move)[:, 0], is_class)
        return is_best, torch.where(has_moves, rows.keeping.gather(1, move)[:, 0], is_class)

    def learn(self, rows: Lesson, rate: float, weight: float, flip: Tensor | None = None) -> Tensor:
        """Take one step; return the two losses and the three counts, on the device."""
        self.module.train()
        for group in self.optimiser.param_groups:
            if self.is_cuda:
                group["lr"].fill_(rate)
            else:
                group["lr"] = rate
        both = self.see(rows, flip)
        if self.is_cuda and self._graph is None:
            self._capture(both, rows, weight)
        if not self.is_cuda or len(both) != len(self._both):
            return self._step(both, rows, weight)
        self._both.copy_(both)
        for kept, column in zip(self._rows, rows, strict=True):
            kept.copy_(column)
        self._graph.replay()
        return self._found.clone()

    def _step(self, both: Tensor, rows: Lesson, weight: float) -> Tensor:
        policy, bins = self.run(both, rows.legal)
        by_moves = move_loss(policy, rows, self.prefer).mean()
        by_values = self.value_loss(bins, rows.values)
        self.optimiser.zero_grad(set_to_none=True)
        loss: Any = by_moves + weight * by_values
        loss.backward()
        self.optimiser.step()
        losses = torch.stack([by_moves, by_values]).detach()
        return torch.cat([losses, counts(*self.answers(rows, policy, bins))])

    def _capture(self, both: Tensor, rows: Lesson, weight: float) -> None:
        """Record a step, to be replayed with one call: small networks wait for nothing else.

        What the steps before the record have changed is put back.
        """
        before = self.arrays()
        self._both, self._rows = both.clone(), Lesson(*(column.clone() for column in rows))
        aside: Any = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(3):
                self._step(self._both, self._rows, weight)
        torch.cuda.current_stream().wait_stream(aside)
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph):
            self._found = self._step(self._both, self._rows, weight)
        put_state(self.module, _below(before, NETWORK))
        self._put_memory(_below(before, OPTIMISER))

    @torch.no_grad()
    def _put_memory(self, arrays: dict[str, Array]) -> None:
        """Write the optimiser's memory in place, where a recorded step looks for it; none: 0."""
        groups = self.optimiser.param_groups
        for number, parameter in enumerate(one for group in groups for one in group["params"]):
            for what, value in self.optimiser.state[parameter].items():
                array = arrays.get(f"{number}.{what}")
                value.zero_() if array is None else value.copy_(torch.from_numpy(array))

    @torch.no_grad()
    def examine(self, lesson: Lesson, batch: int = 8192) -> tuple[Array, Tensor]:
        """Return the counts of a whole lesson, and the loss of moves of each row."""
        self.module.eval()
        total = torch.zeros(3, dtype=torch.int64, device=self.device)
        losses = []
        for begin in range(0, len(lesson.movers), batch):
            rows = Lesson(*(column[begin : begin + batch] for column in lesson))
            policy, bins = self.run(self.see(rows), rows.legal)
            total += counts(*self.answers(rows, policy, bins))
            losses.append(move_loss(policy, rows, self.prefer))
        found: Array = total.cpu().numpy()
        return found, torch.cat(losses) if losses else torch.empty(0)

    def folded(self, about: dict[str, Any]) -> Network:
        """Return the network as it plays."""
        return folded(self.module, self.rules, self.shape, about)

    def arrays(self, memory: bool = True) -> dict[str, Array]:
        """Return all that is needed to go on; without `memory`, a new optimiser begins."""
        found = {NETWORK + name: array for name, array in state_of(self.module).items()}
        if memory:
            kept = optimiser_state(self.optimiser)
            found |= {OPTIMISER + name: array for name, array in kept.items()}
        return found

    def restore(self, arrays: dict[str, Array]) -> None:
        """Take back what `arrays` returned; raises StorageError if it is of another network."""
        put_state(self.module, _below(arrays, NETWORK))
        if memory := _below(arrays, OPTIMISER):
            put_optimiser_state(self.optimiser, memory)


def move_loss(policy: Tensor, rows: Lesson, prefer: float = 0.0) -> Tensor:
    """Return [positions]: how unlikely the wanted moves are, taken together.

    `prefer` is the share of the loss that is for the strategy's move alone. Where none is wanted
    the loss is 0, and so is its slope.
    """
    loss = _unlikely(policy, rows.wanted, rows.legal)
    return loss if prefer == 0 else loss.lerp(_unlikely(policy, rows.strategy, rows.legal), prefer)


def _unlikely(policy: Tensor, moves: Tensor, legal: Tensor) -> Tensor:
    is_asked = moves.any(1)
    right = moves | (~is_asked[:, None] & legal)  # no logarithm of nothing
    losses = -policy.masked_fill(~right, -math.inf).logsumexp(1)
    return losses.masked_fill(~is_asked, 0.0)


def counts(is_best: Tensor, is_kept: Tensor) -> Tensor:
    """Return how many answers are best, keep the value with another move, and give it away."""
    return torch.stack([is_best.sum(), (is_kept & ~is_best).sum(), (~is_kept).sum()])


def _below(arrays: dict[str, Array], prefix: str) -> dict[str, Array]:
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }


def rate_at(rate: float, step: int, share: float) -> float:
    """Return the learning rate: warmed up, then along a cosine; `share` of the run is done."""
    cosine = 0.5 * (1 + math.cos(math.pi * min(share, 1.0)))
    return rate * (LAST_RATE + (1 - LAST_RATE) * cosine) * min(1.0, (step + 1) / WARMING)


class Course:
    """What is learned and in which order, and what is set aside: any step can be taken up again."""

    def __init__(self, learned: Lesson, held: Lesson, batch: int, seed: int) -> None:
        self.learned, self.held, self.seed = learned, held, seed
        self.count = len(learned.movers)
        self.batch = min(batch, self.count)
        self.hard = torch.empty(0, dtype=torch.int64)
        self._round, self._order = -1, torch.empty(0)
        self._dice = torch.Generator(learned.movers.device).manual_seed(seed)  # of what is hard

    def rows(self, step: int) -> Lesson:
        """Return what a step learns; what does not fill a batch is left out of a round.

        While there are `hard` rows, they are half of it.
        """
        a_round, place = divmod(step, self.count // self.batch)
        if a_round != self._round:
            device = self.learned.movers.device
            dice = torch.Generator(device).manual_seed(self.seed * 1_000_003 + a_round)
            self._order = torch.randperm(self.count, generator=dice, device=device)
            self._round = a_round
        rows = self._order[place * self.batch : (place + 1) * self.batch]
        if len(self.hard):
            half = self.batch // 2
            drawn = torch.randint(len(self.hard), (half,), generator=self._dice, device=rows.device)
            rows = torch.cat([rows[half:], self.hard[drawn]])
        return self.learned.take(rows)


def course_of(
    labels: Labels, held: float, moves: str, graded: bool, batch: int, seed: int, device: Any
) -> Course:
    """Return the course of labels, a share of which is set aside by the seed."""
    shuffled = np.random.default_rng([seed, 1]).permutation(len(labels))
    aside = min(round(held * len(labels)), len(labels) - 1)
    learned, examined = (
        lesson_of(labels.take(np.sort(rows)), moves, graded, device)
        for rows in (shuffled[aside:], shuffled[:aside])
    )
    return Course(learned, examined, batch, seed)
