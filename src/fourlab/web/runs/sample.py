"""A training game as the Learn page shows it: with its positions and the exactly best moves."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from fourlab.core.limit import NO_LIMIT, CalledOffError, Limit
from fourlab.learning.base import Learner, Progress, Turn, WatchedGame
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position
from fourlab.search.scores import sign
from fourlab.web.sessions.truth import solver_of

EXACT_SECONDS = 0.02  # for the best moves of one row; where it does not suffice there is no dot
FEW_GAMES = 32  # at first, since nobody knows how long they take
PLAY = "play"  # the phase of a learner that has no others


@dataclass(frozen=True)
class Sample:
    """A training game, whole, with the learner's decisions."""

    rules: Rules
    number: int
    game: WatchedGame
    best: tuple[list[int], ...]  # exactly best moves of each turn, none where that is not known

    @functools.cached_property
    def positions(self) -> list[Position]:
        """All positions of the game, by the stones on the board."""
        found = [self.rules.start()]
        for move in self.game.moves:
            found.append(found[-1].play(move))
        return found

    def position_of(self, turn: Turn) -> Position:
        """Return the position before a turn."""
        return self.positions[turn.ply]

    @property
    def is_late(self) -> bool:
        """Whether it was learned from in phases, after the game."""
        return any(phase != PLAY for _, _, phase in self.game.phases)


def sample_of(rules: Rules, number: int, game: WatchedGame) -> Sample:
    """Return a watched game with what the solver knows of its turns."""
    bare = Sample(rules, number, game, ())
    best = tuple(best_moves(bare.position_of(turn)) for turn in game.turns)
    return Sample(rules, number, game, best)


@functools.lru_cache(maxsize=20_000)
def best_moves(position: Position) -> list[int]:
    """Return the moves that keep the outcome; none where that is not known soon."""
    limit = Limit(seconds=EXACT_SECONDS)
    known = dict(solver_of(position.rules).moves(position, limit, weak=True))
    if not all(bounds.is_exact for bounds in known.values()):
        return []
    top = max(sign(bounds.low) for bounds in known.values())
    return [move for move, bounds in known.items() if sign(bounds.low) == top]


@dataclass
class Tally:
    """Games of training and what came of them."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    decisions: int = 0  # the learner's, where it counts them
    inside: dict[str, float] = field(default_factory=dict)  # what it said of itself last

    @property
    def games(self) -> int:
        """How many there were."""
        return self.wins + self.draws + self.losses

    def add(self, other: Tally | Progress) -> None:
        """Add the games of a chunk, or of another tally."""
        self.wins += other.wins
        self.draws += other.draws
        self.losses += other.losses
        counted = other.metrics.get("decisions", 0) if isinstance(other, Progress) else 0
        self.decisions += other.decisions if isinstance(other, Tally) else int(counted)
        self.inside = (other.inside if isinstance(other, Tally) else other.metrics) or self.inside


def make_ready(learner: Learner, say: Callable[[str], None], is_wanted: Callable[[], bool]) -> bool:
    """Prepare a learner and say what that waits for; return False if nobody wants it any more."""
    said = ""

    def tell(words: str) -> None:
        nonlocal said
        if not is_wanted():
            raise CalledOffError
        if words != said:
            said = words
            say(words)

    learner.tell = tell
    try:
        learner.prepare()
    except CalledOffError:
        return False
    finally:
        say("")
    return True


def train_for(learner: Learner, seconds: float, most: int, limit: Limit = NO_LIMIT) -> Tally:
    """Train for a while, at most about so many games, or until it is called off."""
    began = time.perf_counter()
    tally, size = Tally(), FEW_GAMES
    while tally.games < most:
        before = time.perf_counter()
        try:
            progress = learner.advance(min(size, most - tally.games), limit)
        except CalledOffError:
            break
        if progress is None:
            break
        tally.add(progress)
        now = time.perf_counter()
        if now - began >= seconds:
            break
        if now - before < seconds / 10:  # the larger the chunks, the less between them
            size *= 2
    return tally


def tally_of(sample: Sample | None) -> Tally:
    """Return the result of a game that was watched."""
    if sample is None:
        return Tally()
    result = sample.game.result
    turns = len(sample.game.turns)
    return Tally(int(result > 0), int(result == 0), int(result < 0), turns)
