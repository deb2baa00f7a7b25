"""`Answers`: an agent's moves in the positions of one level, kept in a file as they are found.

A byte a move. Beside it lies a file with a checksum of every block: what a bad disk has changed is
asked again, and so is what was being written when a walk was killed.
"""

from __future__ import annotations

import logging
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fourlab.arena.certify.kernels import UNASKED
from fourlab.core.arrays import Bytes, Ints
from fourlab.core.storage import beside, replacing

BLOCK = 1 << 12  # moves that have a checksum together
SUMS = ".sums"
log = logging.getLogger("fourlab.certify")


class Answers:
    """The moves of a level of `count` positions; those that are not known yet are UNASKED."""

    def __init__(self, path: Path, count: int) -> None:
        self._blocks = -(-count // BLOCK)
        self._moves: Bytes = _mapped(path, np.full(count, UNASKED, np.uint8))
        fresh = np.array([self._sum(block) for block in range(self._blocks)], np.uint32)
        self._sums: npt.NDArray[np.uint32] = _mapped(beside(path, SUMS), fresh)
        damaged = np.flatnonzero(self._sums != fresh)
        for block in damaged.tolist():
            self.take(block * BLOCK, np.full(len(self._block(block)), UNASKED, np.uint8))
        if len(damaged):
            log.warning("%s was damaged or cut off; what is missing is asked again", path)

    @property
    def left(self) -> Ints:
        """The positions that are still to be asked."""
        return np.flatnonzero(self._moves == UNASKED)

    @property
    def moves(self) -> Bytes:
        """All moves."""
        return np.array(self._moves)

    def take(self, first: int, moves: Bytes) -> None:
        """Keep the moves of positions that follow each other."""
        end = first + len(moves)
        self._moves[first:end] = moves
        for block in range(first // BLOCK, -(-end // BLOCK)):
            self._sums[block] = self._sum(block)

    def _block(self, block: int) -> Bytes:
        return self._moves[block * BLOCK : (block + 1) * BLOCK]

    def _sum(self, block: int) -> int:
        return zlib.crc32(self._block(block).tobytes())


def _mapped(path: Path, empty: npt.NDArray[Any]) -> Any:
    """Return a file as an array that is kept there; one of another size begins anew."""
    if not path.exists() or path.stat().st_size != empty.nbytes:
        with replacing(path) as file:
            file.write(empty.tobytes())
    return np.memmap(path, empty.dtype, "r+") if len(empty) else empty
