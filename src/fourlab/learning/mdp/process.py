"""A game as a Markov decision process, and the environment that hides it from a learner.

For reading and teaching, in plain Python over the rules. `learning/tables` trains tables inside
kernels, `planning.py` plans over arrays.
"""

from __future__ import annotations

import functools
import itertools

import numpy as np

from fourlab.agents.base import Agent
from fourlab.agents.registry import agent as find_agent
from fourlab.core.arrays import Floats
from fourlab.core.errors import GeometryError, IllegalMoveError, SpecError
from fourlab.core.kinds import typed
from fourlab.rules.boards import Boards, boards_of
from fourlab.rules.catalog import game as find_game
from fourlab.rules.enumeration import positions_by_ply
from fourlab.rules.geometry import Rules
from fourlab.rules.position import FIRST, SECOND, Position, checked_position

MOST_STATES = 200_000  # of a whole game, to be listed in plain Python: 4 x 4 takes seconds
WAIT = -1  # the only action where the opponent moves first
SIDES = {"first": FIRST, "second": SECOND}


def side_of(side: str) -> int:
    """Return FIRST or SECOND; raises SpecError for anything else."""
    if side not in SIDES:
        raise SpecError(f"side={side!r} is none; write {' or '.join(SIDES)}")
    return SIDES[side]


def known_policies(agent: Agent, boards: Boards) -> Floats:
    """Return an agent's exact policies; raises SpecError if it cannot tell them."""
    policies = agent.policies(boards)
    if policies is None:
        raise SpecError(
            f"the probabilities of {agent.spec!r} are not known exactly; take one that draws lots "
            "openly or none (random, baseline, minimax, perfect, what was learned), without time="
        )
    return policies


def start_of(rules: Rules, start: str | Position) -> Position:
    """Return where a game begins; raises an error that says why if it cannot begin there."""
    position = rules.start().play_all(start) if isinstance(start, str) else checked_position(start)
    if position.rules != rules:
        raise SpecError(f"start is a position of {position.rules}; give one of {rules}")
    if position.is_over:
        raise SpecError(
            f"start={position.notation!r}: the game is over there; leave out the last moves"
        )
    return position


class MDP:
    """A game as states, actions, transitions and rewards.

    Without an opponent the learner moves for both sides, and rewards are the first player's. With
    one, the learner plays `side`, the opponent is part of the world, a state is a turn of the
    learner's or an end, and rewards are the learner's. A reward is 1 for a win, -1 for a loss, 0
    for everything else.
    """

    def __init__(
        self, rules: Rules, opponent: Agent | None, side: int, start_state: Position
    ) -> None:
        self.rules = rules
        self.opponent = opponent
        self.side = side
        self.start_state = start_state
        if opponent is not None:
            known_policies(opponent, boards_of([]))

    @functools.cached_property
    def states(self) -> tuple[Position, ...]:
        """Every state that can be reached, in the order of their stones; GeometryError if many."""
        _check_countable(self.rules)
        found = dict.fromkeys([self.start_state])
        queue = [self.start_state]
        for state in queue:
            for action in self.actions(state):
                fresh = [after for after in self.transitions(state, action) if after not in found]
                found.update(dict.fromkeys(fresh))
                queue += fresh
        return tuple(sorted(found, key=lambda state: state.ply))

    def actions(self, state: Position) -> tuple[int, ...]:
        """Return the moves of a state, none at an end.

        Where the opponent moves first there is one: to WAIT for its move.
        """
        if self._is_opponents(state):
            return (WAIT,)
        return state.legal_moves()

    def transitions(self, state: Position, action: int) -> dict[Position, float]:
        """Return the next states with their probabilities, which add up to 1.

        Raises IllegalMoveError for an action that `actions` does not offer.
        """
        if self._is_opponents(state) and action != WAIT:
            raise IllegalMoveError(
                f"action {action!r} in '{state.notation}': the opponent moves there; write {WAIT}"
            )
        after = state if action == WAIT and self._is_opponents(state) else state.play(action)
        if not self._is_opponents(after):
            return {after: 1.0}
        assert self.opponent is not None  # noqa: S101  # for mypy
        policy = known_policies(self.opponent, boards_of([after]))[0]
        return {after.play(move): float(policy[move]) for move in np.flatnonzero(policy).tolist()}

    def reward(self, state: Position, action: int, next_state: Position) -> float:
        """Return what this step pays."""
        winner = next_state.outcome.winner
        if winner is None:
            return 0.0
        return 1.0 if winner == self.side else -1.0

    def is_terminal(self, state: Position) -> bool:
        """Return whether nothing comes after a state."""
        return state.is_over

    def sign(self, state: Position) -> int:
        """Return 1 where who moves wants high rewards, -1 where it is the other of two sides."""
        return 1 if self.opponent is not None or state.to_move == self.side else -1

    def _is_opponents(self, state: Position) -> bool:
        return self.opponent is not None and state.to_move != self.side and not state.is_over


@typed
def mdp(
    game: str | Rules,
    opponent: str | Agent | None = None,
    side: str = "first",
    start: str | Position = "",
) -> MDP:
    """Return a game as a Markov decision process: for both sides, or against an opponent.

    Raises SpecError for an opponent that cannot tell the probabilities of its moves.
    """
    rules, learner = find_game(game), side_of(side)
    if opponent is None and learner == SECOND:
        raise SpecError("side='second' needs an opponent; without one the learner moves for both")
    other = None if opponent is None else find_agent(opponent, rules)
    return MDP(rules, other, learner, start_of(rules, start))


@functools.cache
def _check_countable(rules: Rules) -> None:
    """Raise GeometryError for a game of more than MOST_STATES positions."""
    sizes = (len(movers) for movers, _ in positions_by_ply(rules))
    if any(count > MOST_STATES for count in itertools.accumulate(sizes)):
        raise GeometryError(
            f"{rules} has more than {MOST_STATES:,} positions, too many to list; take a smaller "
            "board, or best_response, which plans over arrays"
        )


class Environment:
    """What a learner sees of an MDP: a state, the actions there, and a reward for each step.

    Chance draws from one generator; `reset` without a seed goes on with it.
    """

    def __init__(self, process: MDP, seed: int = 0) -> None:
        self._process = process
        self._rng = np.random.default_rng(seed)
        self.state = process.start_state
        self.reset()

    def reset(self, seed: int | None = None) -> Position:
        """Begin a new episode and return its first state; an opponent who is first has moved."""
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self.state = self._process.start_state
        if self.actions(self.state) == (WAIT,):
            self.step(WAIT)
        return self.state

    def actions(self, state: Position) -> tuple[int, ...]:
        """Return what can be done in a state, nothing at an end."""
        return self._process.actions(state)

    def step(self, action: int) -> tuple[Position, float, bool]:
        """Act; return the next state, the reward, and whether the episode is over."""
        chances = self._process.transitions(self.state, action)
        number = int(self._rng.choice(len(chances), p=list(chances.values())))
        after = list(chances)[number]
        reward = self._process.reward(self.state, action, after)
        self.state = after
        return after, reward, self.is_over

    @property
    def is_over(self) -> bool:
        """Whether the episode has ended."""
        return self._process.is_terminal(self.state)

    def sign(self, state: Position) -> int:
        """Return 1 where who moves wants high rewards, -1 where low ones."""
        return self._process.sign(state)
