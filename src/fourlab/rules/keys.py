"""Positions as numbers."""

from fourlab.rules.geometry import Rules
from fourlab.rules.jit import kernel
from fourlab.rules.kernels import bottom_row, mirror

KEY_BITS = 31  # without gravity a key holds two boards of at most so many bits
PLACED = 1 << (2 * KEY_BITS)  # keeps the key of an empty board without gravity from being 0


@kernel
def exact_key(rules: Rules, mover: int, occupied: int) -> int:
    """Return a number, never 0, that only this position has."""
    if rules.gravity:  # the lowest zero above each column's stones marks its height
        return mover + occupied + bottom_row(rules)
    return PLACED | (occupied << KEY_BITS) | mover


@kernel
def shared_key(rules: Rules, mover: int, occupied: int) -> int:
    """Return a number, never 0, that only this position and its mirror image have."""
    key = exact_key(rules, mover, occupied)
    return min(key, exact_key(rules, mirror(rules, mover), mirror(rules, occupied)))
