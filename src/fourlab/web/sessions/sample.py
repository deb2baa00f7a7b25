"""A training game as the Learn page shows it: with its positions and the exactly best moves."""

from __future__ import annotations

import functools
import time
from dataclasses import dataclass

from fourlab.core.limit import Limit
from fourlab.learning.base import Learner, Turn, WatchedGame
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position
from fourlab.search.scores import sign
from fourlab.web.sessions.truth import solver_of

EXACT_SECONDS = 0.02  # for the best moves of one row; where it does not suffice there is no dot
QUICK_GAMES = 500  # below that a slice of training is played game by game
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
    best = tuple(_best(bare.position_of(turn)) for turn in game.turns)
    return Sample(rules, number, game, best)


def _best(position: Position) -> list[int]:
    limit = Limit(seconds=EXACT_SECONDS)
    known = dict(solver_of(position.rules).moves(position, limit, weak=True))
    if not all(bounds.is_exact for bounds in known.values()):
        return []
    top = max(sign(bounds.low) for bounds in known.values())
    return [move for move, bounds in known.items() if sign(bounds.low) == top]


def train_for(learner: Learner, seconds: float, most: int) -> list[int]:
    """Train for a while, at most so many games; return wins, draws and losses."""
    began = time.perf_counter()
    tally = [0, 0, 0]
    if most < QUICK_GAMES:  # a chunk would be too many
        while sum(tally) < most and time.perf_counter() - began < seconds:
            game = learner.watch()
            if game is None:
                break
            tally[1 - game.result] += 1
        return tally
    for progress in learner.steps():
        for index, count in enumerate((progress.wins, progress.draws, progress.losses)):
            tally[index] += count
        if time.perf_counter() - began >= seconds or sum(tally) >= most:
            break
    return tally


def tally_of(sample: Sample | None) -> list[int]:
    """Return the result of a game as wins, draws and losses."""
    found = [0, 0, 0]
    if sample is not None:
        found[1 - sample.game.result] += 1
    return found
