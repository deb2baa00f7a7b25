"""The network as self-play asks it: a batch of leaves in, priors and values out.

Everything happens in the order in which it was asked for, beside the caller: on a GPU on a stream
of its own, the layers a captured graph in bfloat16; without one in a thread of its own.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from fourlab.core.arrays import Array, Ints
from fourlab.learning.networks.twin import fold, run
from fourlab.rules.boards import Boards
from fourlab.rules.geometry import Rules
from fourlab.search.puct import MOVER, OCCUPIED, Reals
from fourlab.values.layers import Shape

WARM_UP = 3  # runs before a graph is captured


def new_stream(priority: int = 0) -> Any:
    """Return a queue of work of the GPU's."""
    return torch.cuda.Stream(priority=priority)  # type: ignore[no-untyped-call]


def new_event() -> Any:
    """Return a mark in such a queue, to wait for."""
    return torch.cuda.Event()  # type: ignore[no-untyped-call]


class Eyes:
    """Boards as the network sees them; made once, so that nothing is copied while it looks."""

    def __init__(self, rules: Rules, device: torch.device) -> None:
        height = rules.rows + 1
        bits = [
            column * height + row for row in range(rules.rows) for column in range(rules.columns)
        ]
        self.places = torch.tensor(bits, device=device)
        self.sizes = (2, rules.rows, rules.columns)

    def __call__(self, boards: Tensor, kind: torch.dtype, flip: Tensor | None = None) -> Tensor:
        """Return [boards, 2, rows, columns] of boards [boards, 2]; mirrored where `flip` says."""
        mover, occupied = boards[:, MOVER : MOVER + 1], boards[:, OCCUPIED : OCCUPIED + 1]
        stones = torch.stack([mover >> self.places, (mover ^ occupied) >> self.places], 1) & 1
        both = stones.view(-1, *self.sizes)
        if flip is not None:
            both = torch.where(flip[:, None, None, None], both.flip(3), both)
        return both.to(kind).contiguous(memory_format=torch.channels_last)


class Oracle:
    """The network of self-play; `take` brings it up to date with the one that is trained."""

    def __init__(self, rules: Rules, shape: Shape, device: torch.device) -> None:
        self.rules, self.shape, self.device = rules, shape, device
        self.on_gpu = device.type == "cuda"
        self.kind = torch.bfloat16 if self.on_gpu else torch.float32
        self.eyes = Eyes(rules, device)
        self.centres = torch.linspace(-1, 1, shape.bins, device=device)
        self.layers = {
            name: self._laid(torch.zeros(sizes, dtype=self.kind, device=device))
            for name, sizes in shape.layout(rules).items()
        }
        self.stream: Any = new_stream(priority=-1) if self.on_gpu else None
        self.thread = ThreadPoolExecutor(1)

    def _laid(self, layer: Tensor) -> Tensor:
        return layer.contiguous(memory_format=torch.channels_last) if layer.dim() == 4 else layer

    @torch.no_grad()
    def take(self, module: nn.Module) -> None:
        """Take over the weights of a module; leaves that are under way still get the old ones."""
        fresh = fold(module, self.rules, self.shape)
        if not self.on_gpu:
            self.thread.submit(self._put, fresh)
            return
        self.stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.stream):
            self._put(fresh)
            for layer in fresh.values():
                layer.record_stream(self.stream)

    def put(self, layers: dict[str, Tensor]) -> None:
        """Take over folded layers, at once."""
        self._put(layers)
        if self.on_gpu:
            torch.cuda.synchronize()

    @torch.no_grad()
    def _put(self, fresh: dict[str, Tensor]) -> None:
        for name, layer in self.layers.items():
            layer.copy_(fresh[name].reshape(layer.shape))

    @torch.no_grad()
    def answer(self, boards: Tensor) -> Tensor:
        """Return [boards, moves + 1]: a policy over all moves and, last, the value."""
        bins, logits = run(self.shape, self.layers, self.eyes(boards, self.kind))
        assert logits is not None  # noqa: S101  # a residual network has a policy
        value = (bins.float().softmax(1) * self.centres).sum(1, keepdim=True)
        return torch.cat([logits.float().softmax(1), value], 1)

    def evaluate(self, boards: Boards) -> tuple[Array, Array]:
        """Answer for any number of boards at once: an `Evaluator`."""
        both = np.stack([boards.movers, boards.occupied], 1)
        count = len(both)
        if self.on_gpu:  # few sizes: each is a plan that is looked for
            both = np.pad(both, ((0, (1 << max(count - 1, 63).bit_length()) - count), (0, 0)))
            self.stream.synchronize()
        answers = self.answer(torch.from_numpy(both).to(self.device)).cpu().numpy()[:count]
        return answers[:, :-1], answers[:, -1]


class Desk:
    """Where the leaves of one forest lie, and the answers to them."""

    def __init__(self, oracle: Oracle, lanes: int) -> None:
        self.oracle = oracle
        moves = oracle.rules.move_count
        self._leaves = torch.zeros(lanes, 2, dtype=torch.int64)
        self._answers = torch.zeros(lanes, moves + 1)
        if oracle.on_gpu:
            self._leaves, self._answers = self._leaves.pin_memory(), self._answers.pin_memory()
            self._capture(lanes)
        self._job: Future[None] | None = None
        self.leaves: Ints = self._leaves.numpy()
        self.answers: Reals = self._answers.numpy()

    def _capture(self, lanes: int) -> None:
        oracle = self.oracle
        self._here = torch.zeros(lanes, 2, dtype=torch.int64, device=oracle.device)
        self._done = new_event()
        oracle.stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(oracle.stream):
            for _ in range(WARM_UP):
                oracle.answer(self._here)
        torch.cuda.synchronize()
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph, stream=oracle.stream):
            self._there = oracle.answer(self._here)
        torch.cuda.synchronize()

    def launch(self) -> None:
        """Ask for answers to the leaves as they are now."""
        if not self.oracle.on_gpu:
            self._job = self.oracle.thread.submit(self._answer)
            return
        with torch.cuda.stream(self.oracle.stream):
            self._here.copy_(self._leaves, non_blocking=True)
            self._graph.replay()
            self._answers.copy_(self._there, non_blocking=True)
            self._done.record(self.oracle.stream)

    def _answer(self) -> None:
        self._answers.copy_(self.oracle.answer(self._leaves))

    def wait(self) -> None:
        """Return when the answers are there."""
        if self.oracle.on_gpu:
            self._done.synchronize()
        elif self._job is not None:
            self._job.result()
            self._job = None
