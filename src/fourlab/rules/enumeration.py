"""All positions of a game, ply by ply, as arrays."""

from collections.abc import Iterator

import numpy as np

from fourlab.core.arrays import Ints
from fourlab.core.jit import kernel
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import has_line, legal_cells


@kernel
def expand(
    rules: Rules,
    movers: Ints,  # [positions]
    occupied: Ints,  # [positions]
    next_movers: Ints,  # [at least positions * moves]
    next_occupied: Ints,
) -> int:
    """Write the children of all positions that are not over; return how many there are."""
    count = 0
    for index in range(len(movers)):
        waiting = movers[index] ^ occupied[index]
        if has_line(rules, waiting):
            continue
        cells = legal_cells(rules, occupied[index])
        while cells != 0:
            next_movers[count] = waiting
            next_occupied[count] = occupied[index] | (cells & -cells)
            cells &= cells - 1
            count += 1
    return count


def positions_by_ply(rules: Rules) -> Iterator[tuple[Ints, Ints]]:
    """Yield the distinct positions with 0, 1, 2, ... stones as (movers, occupied).

    Finished games are included and go no further. The order within a ply is by `occupied`, then
    `mover`, and never changes.
    """
    movers = np.zeros(1, np.int64)
    occupied = np.zeros(1, np.int64)
    while len(movers):
        yield movers, occupied
        children = np.empty((2, len(movers) * rules.move_count), np.int64)
        count = expand(rules, movers, occupied, *children)
        movers, occupied = _distinct(*children[:, :count])


def _distinct(movers: Ints, occupied: Ints) -> tuple[Ints, Ints]:
    order = np.lexsort((movers, occupied))
    movers, occupied = movers[order], occupied[order]
    fresh = np.ones(len(movers), bool)
    fresh[1:] = (movers[1:] != movers[:-1]) | (occupied[1:] != occupied[:-1])
    return movers[fresh], occupied[fresh]
