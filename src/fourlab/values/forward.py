"""Networks run without torch: about a third of a millisecond a board and core.

A network becomes a list of steps over one stretch of memory a board, which holds the buffers
between layers. A step multiplies rows of one buffer with weights and writes another; the rows of a
convolution are the cells of a board with a margin of zeros, whose neighbours lie at fixed distances
(`taps`). What a board gives depends on that board alone, bit for bit.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fourlab.core.arrays import Array, Ints
from fourlab.core.bits import popcount
from fourlab.core.jit import kernel
from fourlab.core.scratch import Scratch
from fourlab.core.tile import LANES, ROWS, add_products
from fourlab.rules.geometry import Rules

Reals = npt.NDArray[np.float32]

BLOCK = ROWS  # boards that go through the layers together: weights are fetched once for all
SHARE = 2 * BLOCK  # boards worth a thread of their own
FIRST, COUNT, TAP, TAPS_END, INPUTS, CHUNKS, WEIGHT, FLAGS = range(8)  # fields of a step
ZERO = np.float32(0.0)
PLAIN, RECTIFIED, ADDED = 0, 1, 2  # flags: sums below 0 become 0; what was there is added first


class Program(NamedTuple):
    """A network as steps, and what they work with."""

    steps: Ints  # [steps, fields]
    sources: Ints  # rows that steps read, as places in a board's memory
    targets: Ints  # and rows that they write
    taps: Ints  # distances to neighbours
    weights: Reals  # for each LANES outputs of a step their biases, then their weights
    cells: Ints  # bits of a board's cells
    seen: Ints  # and where a network sees them: the first buffer of the memory
    planes: int  # 2: own stones and the other's; 1: the first player's less the second's
    size: int  # of a board's memory


class Work(NamedTuple):
    """Work space of one thread; the margins of boards in it are 0 and stay so."""

    memory: Reals  # [BLOCK * size]
    rows: Ints  # [ROWS]
    sums: Reals  # [ROWS * LANES]


class Forward:
    """The layers of a network, laid out to be run. Several threads may run it at once."""

    def __init__(self, rules: Rules, kind: str, layers: dict[str, Array]) -> None:
        plan = _Plan(rules, layers)
        self._outputs, self._policy = plan.study() if kind == "study" else plan.residual()
        self.program = plan.program()
        self.threads = os.cpu_count() or 1
        self._work = Scratch(self._new_work)

    def _new_work(self) -> Work:
        memory = np.zeros(BLOCK * self.program.size, np.float32)
        return Work(memory, np.zeros(ROWS, np.int64), np.zeros(ROWS * LANES, np.float32))

    def __call__(self, movers: Ints, occupied: Ints) -> tuple[Reals, Reals | None]:
        """Return the last layer's outputs [boards, bins or 1], and the policy's [boards, moves]."""
        count = len(movers)
        outputs = np.empty((count, self._outputs.stride), np.float32)
        logits = np.empty((count, self._policy.stride), np.float32)
        share = max(-(-count // self.threads), SHARE)

        def part(first: int) -> None:
            stop = min(first + share, count)
            with self._work.lent() as work:
                for begin in range(first, stop, BLOCK):
                    end = min(begin + BLOCK, stop)
                    run_block(self.program, work, movers[begin:end], occupied[begin:end])
                    _read(work, self._outputs, outputs[begin:end])
                    _read(work, self._policy, logits[begin:end])

        if count <= share:
            part(0)
        else:
            with ThreadPoolExecutor(self.threads) as pool:
                list(pool.map(part, range(0, count, share)))
        return outputs, logits if self._policy.stride else None


def _read(work: Work, buffer: _Buffer, found: Reals) -> None:
    """Copy what lies in a buffer of each board."""
    place = buffer.places[0]
    found[:] = work.memory.reshape(BLOCK, -1)[: len(found), place : place + buffer.stride]


@kernel
def run_block(program: Program, work: Work, movers: Ints, occupied: Ints) -> None:
    """Run all steps for at most BLOCK boards."""
    for board in range(len(movers)):
        _set_planes(program, work.memory, board, movers[board], occupied[board])
    for step in range(len(program.steps)):
        _run_step(program, work, step, len(movers))


@kernel
def _set_planes(program: Program, memory: Reals, board: int, mover: int, occupied: int) -> None:
    """Write what a network sees of a board."""
    sign = 1 - 2 * (popcount(occupied) & 1)
    for index in range(len(program.cells)):
        place = board * program.size + program.seen[index]
        own = (mover >> program.cells[index]) & 1
        other = ((mover ^ occupied) >> program.cells[index]) & 1
        if program.planes == 1:
            memory[place] = sign * (own - other)
        else:
            memory[place] = own
            memory[place + 1] = other


@kernel
def _run_step(program: Program, work: Work, step: int, boards: int) -> None:
    """Run one step for all boards of a block, a tile of rows after the other."""
    first, count = program.steps[step, FIRST], program.steps[step, COUNT]
    tap, taps_end = program.steps[step, TAP], program.steps[step, TAPS_END]
    inputs, flags = program.steps[step, INPUTS], program.steps[step, FLAGS]
    width = LANES + (taps_end - tap) * inputs * LANES
    for begin in range(0, boards * count, ROWS):
        for row in range(ROWS):  # the last tile may repeat a row, which it does not write
            number = min(begin + row, boards * count - 1)
            place = program.sources[first + number % count]
            work.rows[row] = number // count * program.size + place
        for chunk in range(program.steps[step, CHUNKS]):
            weight = program.steps[step, WEIGHT] + chunk * width
            for index in range(ROWS * LANES):
                work.sums[index] = program.weights[weight + index % LANES]
            add_products(
                work.sums, work.memory, work.rows, program.taps, tap, taps_end, inputs,
                program.weights, weight + LANES,
            )  # fmt: skip
            for row in range(min(ROWS, boards * count - begin)):
                number = begin + row
                place = program.targets[first + number % count] + chunk * LANES
                _write(work, row, number // count * program.size + place, flags)


@kernel
def _write(work: Work, row: int, place: int, flags: int) -> None:
    """Write the sums of a row to a place in the memory."""
    for lane in range(LANES):
        total = work.sums[row * LANES + lane]
        if flags & ADDED != 0:
            total += work.memory[place + lane]
        work.memory[place + lane] = max(total, ZERO) if flags & RECTIFIED != 0 else total


class _Buffer(NamedTuple):
    """What lies between layers: places of cells in a board's memory, and what a cell takes."""

    places: list[int]  # column by column
    stride: int  # channels, padded
    columns: int = 1
    rows: int = 1


class _Plan:
    """Steps in the making."""

    def __init__(self, rules: Rules, layers: dict[str, Array]) -> None:
        self.rules, self.layers = rules, layers
        self.size = self.weights_size = 0
        self.steps: list[list[int]] = []
        self.sources: list[int] = []
        self.targets: list[int] = []
        self.taps: list[int] = []
        self.weights: list[Reals] = []

    def residual(self) -> tuple[_Buffer, _Buffer]:
        """Plan a residual network; return where it writes its bins and its policy."""
        width = _padded(len(self.layers["stem.bias"]))
        both, x, y = self._board(2), self._board(width), self._board(width)
        self._step("stem", both, x)
        for index in range(sum(name.endswith(".a.bias") for name in self.layers)):
            self._step(f"blocks.{index}.a", x, y)
            self._step(f"blocks.{index}.b", y, x, RECTIFIED | ADDED)
        policy, value = self._cells("policy", x), self._cells("value", x)
        self._step("policy", x, policy)
        self._step("value", x, value)
        hidden = self._vector("hidden", value)
        return self._vector("bins", hidden, PLAIN), self._vector("moves", policy, PLAIN)

    def study(self) -> tuple[_Buffer, _Buffer]:
        """Plan the study's network; return where it writes its output, and a policy of nothing."""
        width = _padded(len(self.layers["convolutions.0.bias"]))
        x, y, z = self._board(1, 1), self._board(width, 1), self._board(width, 1)
        for index in range(sum(name.startswith("convolutions") for name in self.layers) // 2 - 1):
            self._step(f"convolutions.{index}", x, y)
            x, y, z = y, z, y
        last = self._cells(f"convolutions.{index + 1}", x)
        self._step(f"convolutions.{index + 1}", x, last)
        return self._vector("worth", self._vector("hidden", last), PLAIN), _Buffer([0], 0)

    def program(self) -> Program:
        """Return what was planned."""
        height, planes = self.rules.rows + 1, self.steps[0][INPUTS]
        cells = [c * height + r for c in range(self.rules.columns) for r in range(self.rules.rows)]
        return Program(
            steps=np.array(self.steps, np.int64),
            sources=np.array(self.sources, np.int64),
            targets=np.array(self.targets, np.int64),
            taps=np.array(self.taps, np.int64),
            weights=np.concatenate(self.weights),
            cells=np.array(cells, np.int64),
            seen=np.array(self._places(0, planes, 0), np.int64),
            planes=planes,
            size=self.size,
        )

    def _room(self, size: int) -> int:
        self.size += size
        return self.size - size

    def _board(self, stride: int, rim: int = 0) -> _Buffer:
        """Make room for a board with a margin of one cell; cells on its rim are margin too."""
        columns, rows = self.rules.columns, self.rules.rows
        begin = self._room((columns + 2) * (rows + 2) * stride)
        places = self._places(begin, stride, rim)
        return _Buffer(places, stride, columns - 2 * rim, rows - 2 * rim)

    def _places(self, begin: int, stride: int, rim: int) -> list[int]:
        height = self.rules.rows + 2
        return [
            begin + ((column + 1) * height + row + 1) * stride
            for column in range(rim, self.rules.columns - rim)
            for row in range(rim, self.rules.rows - rim)
        ]

    def _cells(self, name: str, like: _Buffer) -> _Buffer:
        """Make room for what a layer makes of each cell, without margin: one long row."""
        stride = _padded(len(self.layers[f"{name}.bias"]))
        begin = self._room(len(like.places) * stride)
        places = [begin + index * stride for index in range(len(like.places))]
        return like._replace(places=places, stride=stride)

    def _vector(self, name: str, source: _Buffer, flags: int = RECTIFIED) -> _Buffer:
        """Plan a layer that sees all cells at once."""
        size = len(self.layers[f"{name}.bias"])
        target = _Buffer([self._room(_padded(size))], size)
        self._step(name, source, target, flags)
        return target

    def _step(self, name: str, source: _Buffer, target: _Buffer, flags: int = RECTIFIED) -> None:
        """Plan a layer: a convolution over cells, or one that sees all of them as one row."""
        weight, bias = self.layers[f"{name}.weight"], self.layers[f"{name}.bias"]
        places, taps, first = source.places, [0], len(self.sources)
        if weight.ndim == 2:  # [outputs, channels * rows * columns]
            weight = weight.reshape(len(bias), -1, source.rows, source.columns)
            spare = source.stride - weight.shape[1] if len(places) > 1 else 0
            weight = np.pad(weight, ((0, 0), (0, spare), (0, 0), (0, 0)))
            places = places[:1]
        elif weight.shape[2] > 1:
            height = (self.rules.rows + 2) * source.stride
            taps = [c * height + r * source.stride for c in (-1, 0, 1) for r in (-1, 0, 1)]
        matrix = weight.transpose(3, 2, 1, 0).reshape(-1, len(bias))  # column, row, channel
        rows = np.pad(np.vstack([bias, matrix]), ((0, 0), (0, _padded(len(bias)) - len(bias))))
        chunks = rows.reshape(len(rows), -1, LANES).transpose(1, 0, 2)
        self.steps.append(
            [first, len(places), len(self.taps), len(self.taps) + len(taps),
             len(matrix) // len(taps), len(chunks), self.weights_size, flags]
        )  # fmt: skip
        self.sources += places
        self.targets += target.places
        self.taps += taps
        self.weights.append(np.ascontiguousarray(chunks, np.float32).ravel())
        self.weights_size += chunks.size


def _padded(count: int) -> int:
    """Return a number of channels rounded up to whole vectors."""
    return -(-count // LANES) * LANES
