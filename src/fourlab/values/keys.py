"""Positions as numbers: the keys of value tables.

A key is exact: no two positions of a game share one, except mirror images where a table is
symmetric. It is never 0, so that fresh memory is an empty table.
"""

from fourlab.rules.errors import GeometryError
from fourlab.rules.geometry import Rules
from fourlab.rules.jit import kernel
from fourlab.rules.kernels import mirror
from fourlab.rules.keys import KEY_BITS, exact_key


def check_size(rules: Rules) -> None:
    """Raise GeometryError for a board whose positions do not fit into keys."""
    bits = rules.columns * (rules.rows + 1)
    if not rules.gravity and bits > KEY_BITS:
        raise GeometryError(
            f"no value table for {rules}: without gravity columns * (rows + 1) may be "
            f"{KEY_BITS}, here it is {bits}; 5 x 5 fits, and so does every board with gravity"
        )


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
def mirror_move(rules: Rules, move: int) -> int:
    """Return the move reflected left to right."""
    return move - 2 * (move % rules.columns) + rules.columns - 1
