"""A second opinion on certificates: an agent against every reply, by plain recursion."""

import functools
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from fourlab.agents.base import Agent, Decision
from fourlab.core.arrays import Ints
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.rules.boards import Boards
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import mirror_move
from fourlab.rules.position import Outcome, Position
from fourlab.search.scores import sign
from retrograde import truth


@functools.cache
def outcomes(name: str) -> dict[int, int]:
    """Return the outcome of every position that is not over, by shared key."""
    listed, scores = truth(name)
    return {
        key: sign(score)
        for shelf, row in zip(listed, scores, strict=True)
        for key, score in zip(shelf.keys.tolist(), row.tolist(), strict=True)
    }


@functools.cache
def outcome(position: Position) -> int:
    """Return the outcome for the side to move."""
    if position.is_over:
        return 0 if position.outcome is Outcome.DRAW else -1
    return outcomes(str(position.rules))[position.shared_key]


class Strategy(Agent):
    """Keeps win, draw or loss with its first move that does, unless told otherwise."""

    name = "strategy"
    is_deterministic = True

    def __init__(self, rules: Rules, other: dict[int, int] | None = None, alike: bool = False):
        super().__init__(rules)
        self.other = other or {}  # moves by the position's key
        self.mirrors_alike = alike
        self.asked = 0

    def decide(
        self, position: Position, rng: np.random.Generator, limit: Limit = NO_LIMIT
    ) -> Decision:
        self.asked += 1
        if self.mirrors_alike and position.mirror().key < position.key:
            return Decision(int(mirror_move(self.rules, self.move(position.mirror()))))
        return Decision(self.move(position))

    def move(self, position: Position) -> int:
        if position.key in self.other:
            return self.other[position.key]
        return max(position.legal_moves(), key=lambda move: -outcome(position.play(move)))


class Killed(Strategy):
    """Ends its process, without a word, in one of its batches."""

    batches = 0

    def choose(self, boards: Boards, dice: Ints, limit: Limit = NO_LIMIT) -> Ints:
        self.batches -= 1
        if self.batches == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().choose(boards, dice, limit)


@dataclass
class Truth:
    """What plain recursion finds."""

    asked: dict[int, Position] = field(default_factory=dict)
    won: set[int] = field(default_factory=set)  # positions whose move wins
    drawn: set[int] = field(default_factory=set)  # full boards, and whose move fills the board
    lost: set[int] = field(default_factory=set)
    after: dict[int, Position] = field(default_factory=dict)

    def holes(self, threshold: int) -> set[int]:
        """Return the asked positions in which the agent's move gave a threshold away."""
        return {
            key
            for key, position in self.asked.items()
            if outcome(position) >= threshold > -outcome(self.after[key])
        }


def every_reply(agent: Agent, side: int, start: Position) -> Truth:
    """Play an agent against every reply."""
    found = Truth()
    rng = np.random.default_rng(0)

    def reply(position: Position, then: Callable[[Position], None]) -> None:
        for move in position.legal_moves():
            then(position.play(move))

    def visit(position: Position) -> None:
        if position.is_over:
            ends = found.drawn if position.outcome is Outcome.DRAW else found.lost
            ends.add(position.key)
        elif position.key not in found.asked:
            after = position.play(agent.decide(position, rng).move)
            found.asked[position.key], found.after[position.key] = position, after
            if after.outcome is Outcome.DRAW:
                found.drawn.add(position.key)
            elif after.is_over:
                found.won.add(position.key)
            else:
                reply(after, visit)

    if start.to_move == side:
        visit(start)
    else:
        reply(start, visit)
    return found
