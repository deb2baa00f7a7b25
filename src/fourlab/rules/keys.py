"""Positions as numbers: the one definition of a key.

A key is exact: no two positions of a game share one, except mirror images where that is asked for.
It is never 0, so that fresh memory is an empty table. With gravity every board has keys; without,
those whose bits fit twice into a number (`check_size`). `Position.key` knows no such limit.
"""

from fourlab.core.errors import GeometryError
from fourlab.core.jit import kernel
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import mirror

KEY_BITS = 31  # without gravity a key holds two boards of at most so many bits
PLACED = 1 << (2 * KEY_BITS)  # keeps the key of an empty board without gravity from being 0


def has_keys(rules: Rules) -> bool:
    """Return whether the positions of a board fit into keys."""
    return rules.gravity or rules.columns * (rules.rows + 1) <= KEY_BITS


def check_size(rules: Rules) -> None:
    """Raise GeometryError for a board whose positions do not fit into keys."""
    if not has_keys(rules):
        raise GeometryError(
            f"no table of positions for {rules}: without gravity columns * (rows + 1) may be "
            f"{KEY_BITS}, here it is {rules.columns * (rules.rows + 1)}; 5 x 5 fits, and so does "
            "every board with gravity"
        )


@kernel
def exact_key(rules: Rules, mover: int, occupied: int) -> int:
    """Return a number, never 0, that only this position has."""
    if rules.gravity:  # the lowest zero above each column's stones marks its height
        return mover + occupied + rules.bottom
    return PLACED | (occupied << KEY_BITS) | mover


def board_of(rules: Rules, key: int) -> tuple[int, int]:
    """Return the mover's and all stones of a position by its exact key: `exact_key` backwards."""
    if not rules.gravity:
        board = (1 << KEY_BITS) - 1
        return key & board, (key ^ PLACED) >> KEY_BITS
    mover = occupied = 0
    for column in range(rules.columns):
        shift = column * (rules.rows + 1)
        stones = key >> shift & (2 << rules.rows) - 1
        height = stones.bit_length() - 1  # its highest bit stands above the column's stones
        mover |= (stones ^ 1 << height) << shift
        occupied |= ((1 << height) - 1) << shift
    return mover, occupied


@kernel
def table_key(rules: Rules, symmetric: bool, mover: int, occupied: int) -> tuple[int, bool]:
    """Return the key of a position, and whether it is the key of its mirror image."""
    key = exact_key(rules, mover, occupied)
    if symmetric:
        reflected = exact_key(rules, mirror(rules, mover), mirror(rules, occupied))
        if reflected < key:
            return reflected, True
    return key, False


@kernel
def shared_key(rules: Rules, mover: int, occupied: int) -> int:
    """Return a number, never 0, that only this position and its mirror image have."""
    return table_key(rules, True, mover, occupied)[0]


@kernel
def is_reflected(rules: Rules, mover: int, occupied: int) -> bool:
    """Return whether a position's mirror image stands for both: the one of the smaller key.

    Boards without keys are compared in the same order.
    """
    own, image = mirror(rules, mover), mirror(rules, occupied)
    if rules.gravity:
        return exact_key(rules, own, image) < exact_key(rules, mover, occupied)
    return image < occupied or (image == occupied and own < mover)
