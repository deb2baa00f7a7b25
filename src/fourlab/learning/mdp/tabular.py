"""Tabular Q-learning in the open: values in a dictionary, policies as functions, episodes.

This is the textbook loop, some thousand moves a second. `fourlab.learning.tables` has the fast
learners, with checkpoints, schedules and opponents of any kind; use those for more than a look.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

import numpy as np

from fourlab.agents.base import Agent, Decision
from fourlab.core.arrays import Floats
from fourlab.core.errors import SpecError
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.learning.mdp.process import MDP, WAIT, Environment
from fourlab.rules.boards import Boards
from fourlab.rules.position import SIDE_NAMES, Position

Policy = Callable[[Position, np.random.Generator], int]


class Sides(Protocol):
    """What says which actions there are and whose interest counts: an Environment or an MDP."""

    def actions(self, state: Position) -> tuple[int, ...]: ...

    def sign(self, state: Position) -> int: ...


class TabularValues:
    """Values by key, such as a pair of state and action.

    What was never set is 0, or with a spread is drawn from a normal distribution of that deviation
    when it is first asked for, and kept.
    """

    def __init__(self, spread: float = 0.0, seed: int = 0) -> None:
        self.spread = spread
        self._rng = np.random.default_rng(seed)
        self._table: dict[tuple[Position, int], float] = {}

    def __getitem__(self, key: tuple[Position, int]) -> float:
        if key not in self._table:
            self._table[key] = float(self._rng.normal(0, self.spread)) if self.spread else 0.0
        return self._table[key]

    def __setitem__(self, key: tuple[Position, int], value: float) -> None:
        self._table[key] = value

    def __len__(self) -> int:
        return len(self._table)


def best_value(world: Sides, values: TabularValues, state: Position) -> float:
    """Return the value of the best action, 0 at an end.

    The best is the largest value, or the smallest where it is the turn of the other of two sides.
    """
    sign = world.sign(state)
    return sign * max((sign * values[state, a] for a in world.actions(state)), default=0.0)


def best_actions(world: Sides, values: TabularValues, state: Position) -> list[int]:
    """Return the actions that have the best value."""
    top = best_value(world, values, state)
    return [action for action in world.actions(state) if values[state, action] == top]


def random_policy(world: Sides) -> Policy:
    """Return the policy that takes any action, each equally likely."""
    return lambda state, rng: int(rng.choice(world.actions(state)))


def greedy(world: Sides, values: TabularValues) -> Policy:
    """Return the policy that takes the best action, any of equals."""
    return lambda state, rng: int(rng.choice(best_actions(world, values, state)))


def epsilon_greedy(world: Sides, values: TabularValues, epsilon: float) -> Policy:
    """Return the policy that is random with probability `epsilon`, else greedy."""
    at_random, best = random_policy(world), greedy(world, values)
    return lambda state, rng: (at_random if rng.random() < epsilon else best)(state, rng)


class Callback:
    """What is told of a training; override what is of interest."""

    def on_train_begin(self, values: TabularValues) -> None:
        """Called before the first episode."""

    def on_episode_begin(self, episode: int, values: TabularValues) -> None:
        """Called before each episode, counted from 0."""

    def on_episode_end(self, episode: int, values: TabularValues) -> None:
        """Called after each episode."""

    def on_train_end(self, values: TabularValues) -> None:
        """Called after the last episode."""


class QLearning:
    """Q(s, a) += alpha * (r + gamma * best Q(s', .) - Q(s, a)) after every step of a policy.

    The best is the largest; where the learner moves for both sides, the largest for the first
    player and the smallest for the second.
    """

    def __init__(
        self,
        environment: Environment,
        policy: Policy,
        values: TabularValues,
        alpha: float = 0.1,
        gamma: float = 1.0,
        seed: int = 0,
    ) -> None:
        self.environment = environment
        self.policy = policy
        self.values = values
        self.alpha = alpha
        self.gamma = gamma
        self._rng = np.random.default_rng(seed)

    def train(self, episodes: int, callbacks: Iterable[Callback] = ()) -> None:
        """Play and learn from so many episodes."""
        told = list(callbacks)
        for callback in told:
            callback.on_train_begin(self.values)
        for episode in range(episodes):
            for callback in told:
                callback.on_episode_begin(episode, self.values)
            self.episode()
            for callback in told:
                callback.on_episode_end(episode, self.values)
        for callback in told:
            callback.on_train_end(self.values)

    def episode(self) -> None:
        """Play one episode and learn from each of its steps."""
        world, values = self.environment, self.values
        state = world.reset()
        while not world.is_over:
            action = self.policy(state, self._rng)
            after, reward, _ = world.step(action)
            target = reward + self.gamma * best_value(world, values, after)
            values[state, action] += self.alpha * (target - values[state, action])
            state = after


class GreedyAgent(Agent):
    """Plays the best action by a table of values, any of equals."""

    name = "greedy"

    def __init__(self, process: MDP, values: TabularValues) -> None:
        super().__init__(process.rules)
        self._process = process
        self._values = values

    def decide(
        self, position: Position, rng: np.random.Generator, limit: Limit = NO_LIMIT
    ) -> Decision:
        return Decision(int(rng.choice(self._best(position))))

    def policies(self, boards: Boards) -> Floats:
        policies = np.zeros((len(boards.movers), self.rules.move_count))
        for row, policy in enumerate(policies):
            best = self._best(boards.position(self.rules, row))
            policy[best] = 1 / len(best)
        return policies

    def _best(self, position: Position) -> list[int]:
        best = best_actions(self._process, self._values, position)
        if best == [WAIT]:
            raise SpecError(
                f"these values are the {SIDE_NAMES[self._process.side]}'s; in {self.rules} "
                f"'{position.notation}' it is the other's turn"
            )
        return best
