"""`Pace`: how fast a learner is to learn, and how fast it does."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from fourlab.core.errors import FourlabError

SLOW = 30.0  # moves a second up to which every move is shown
FASTEST = 10**6.5  # from there on as fast as it goes
FIRST = 1_000_000.0
SHOWN_EVERY = 0.5  # seconds between two games that are shown where it is fast
REACHED_SECONDS = 2.0  # over which a speed is measured
LONGEST_SPRINT = 60.0


class Pace:
    """A number of moves a second, or for a while as fast as it goes."""

    def __init__(self, moves: float = FIRST, clock: Callable[[], float] = time.monotonic) -> None:
        self.moves = moves
        self._clock = clock
        self.sprint = 0.0  # seconds that it is to learn as fast as it goes, then pause
        self._sprint_ends = 0.0
        self._owed = 0.0  # games that it allows
        self._owed_at = self._shown_at = 0.0
        self._slices: deque[tuple[float, int, int]] = deque()  # when, games, moves

    @property
    def is_sprinting(self) -> bool:
        """Whether it learns as fast as it goes for a while."""
        return self.sprint > 0

    @property
    def is_spent(self) -> bool:
        """Whether that while is over."""
        return self.is_sprinting and self._clock() >= self._sprint_ends

    def sprinted(self, seconds: float) -> float:
        """Return which share of a sprint of so many seconds is over."""
        return min(1.0, max(0.0, 1 - (self._sprint_ends - self._clock()) / seconds))

    @property
    def is_fastest(self) -> bool:
        """Whether nothing holds it back."""
        return self.is_sprinting or self.moves >= FASTEST

    @property
    def is_slow(self) -> bool:
        """Whether every move is shown."""
        return not self.is_sprinting and self.moves <= SLOW

    @property
    def reached(self) -> tuple[float, float] | None:
        """Moves and games a second over the last seconds; None where nothing was trained."""
        if len(self._slices) < 2:
            return None
        seconds = self._slices[-1][0] - self._slices[0][0]
        counted = list(self._slices)[1:]
        games, moves = sum(one[1] for one in counted), sum(one[2] for one in counted)
        return (moves / seconds, games / seconds) if seconds > 0 else None

    def set(self, moves: object) -> None:
        """Set it in moves a second; raises FourlabError for what is none."""
        if isinstance(moves, bool) or not isinstance(moves, int | float) or not 0 < moves <= 1e9:
            raise FourlabError("a speed is a number of moves a second")
        self.moves = float(moves)

    def restart(self, sprint: float = 0.0) -> None:
        """Begin to count anew; with a number of seconds, as fast as it goes for so long."""
        now = self._clock()
        self.sprint, self._sprint_ends = sprint, now + sprint
        self._owed, self._owed_at = 0.0, now
        self._slices.clear()

    def allowed(self, length: float) -> int:
        """Return how many games of a length it allows by now; at most those of half a second."""
        if self.is_fastest:
            return 1 << 40
        now, rate = self._clock(), self.moves / length
        self._owed = min(self._owed + rate * (now - self._owed_at), max(1.0, rate / 2))
        self._owed_at = now
        return int(self._owed)

    def shows(self) -> bool:
        """Whether it is time to show a game again."""
        now = self._clock()
        if now - self._shown_at < SHOWN_EVERY:
            return False
        self._shown_at = now
        return True

    def played(self, games: int, moves: int) -> None:
        """Count games that were played."""
        now = self._clock()
        self._owed -= games
        self._slices.append((now, games, moves))
        while len(self._slices) > 2 and self._slices[1][0] < now - REACHED_SECONDS:
            self._slices.popleft()


def read_sprint(seconds: object) -> float:
    """Return for how long a visitor wants it to learn; raises FourlabError for what is no time."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise FourlabError("a time is a number of seconds")
    if not 1 <= seconds <= LONGEST_SPRINT:
        raise FourlabError(f"it learns for 1 to {LONGEST_SPRINT:.0f} seconds at a time")
    return float(seconds)
