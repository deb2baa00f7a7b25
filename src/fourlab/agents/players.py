"""Agents inside kernels: whole games, matches and training runs without a call from Python.

`Agent.player()` gives the jitted form of an agent, where it has one; `choose` lets it move. A
player has work space of its own: make one for each thread.
"""

from typing import NamedTuple

from fourlab.rules.geometry import Rules
from fourlab.rules.jit import kernel
from fourlab.search.choices import baseline_cells, random_cell, random_legal_cell
from fourlab.values.knowledge import NOTHING
from fourlab.values.store import Values, greedy

RANDOM, BASELINE, LEARNED = range(3)


class Player(NamedTuple):
    """The jitted form of an agent."""

    kind: int
    values: Values = NOTHING  # of a LEARNED player


@kernel
def choose(rules: Rules, player: Player, mover: int, occupied: int, state: int) -> tuple[int, int]:
    """Return the cell that the player fills in a game in progress, and the next dice state."""
    if player.kind == LEARNED:
        cell, _, state = greedy(rules, player.values, mover, occupied, state)
        return cell, state
    if player.kind == BASELINE:
        return random_cell(baseline_cells(rules, mover, occupied), state)
    return random_legal_cell(rules, occupied, state)
