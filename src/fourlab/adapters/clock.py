"""How much of its time a Kaggle agent spends on a move.

The runner gives `actTimeout` seconds for every move and lets the agent draw on one account of
`remainingOverageTime` seconds for the whole game; who overdraws it has lost. So a move may take its
own time and a fair share of the account, and a part of the account is never planned for: it pays
for pauses, when the machine does something else.
"""

from typing import NamedTuple

RESERVE = 10.0  # seconds of the account that are never planned for
HORIZON = 12  # moves among which the account is shared: most games are decided by then
MARGIN = 0.05  # share of `actTimeout` that is left unused, twice: to finish, and to hand over
LEAST_MARGIN = 0.03  # seconds
SHORTEST = 0.001  # seconds that an agent is given in any case


class Plan(NamedTuple):
    """Seconds of one move, counted from the call."""

    think: float  # when to have decided
    latest: float  # when to answer, decided or not
    least: float  # for the search itself, where getting ready took longer than `think`

    def left(self, elapsed: float) -> float:
        """Return how long the search may run from now on."""
        late = min(self.least, (self.latest - elapsed) / 2)
        return max(self.think - elapsed, late, SHORTEST)


def plan(act: float, overage: float, moves_left: int) -> Plan:
    """Plan a move with `act` seconds, an account of `overage`, and own moves left in the game."""
    margin = max(LEAST_MARGIN, MARGIN * act)
    spare = max(0.0, overage - RESERVE)
    return Plan(
        think=max(0.0, act - 2 * margin) + spare / max(1, min(moves_left, HORIZON)) / 2,
        latest=max(0.0, act - margin) + spare / 2,
        least=act / 4,
    )
