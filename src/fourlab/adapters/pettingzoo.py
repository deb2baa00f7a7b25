"""Every game as a PettingZoo environment for two agents who take turns, and agents as policies.

Observations and action masks lie as in PettingZoo's `connect_four_v3`, on any board, so that a
policy plays there too:

    policy = Policy("minimax:depth=6")
    for player in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        env.step(None if terminated or truncated else policy(observation))
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from fourlab.adapters.gymnasium import action_mask, known_mode, planes
from fourlab.agents.registry import agent as find_agent
from fourlab.core.errors import IllegalMoveError, NotationError, missing_extra
from fourlab.rules.catalog import game as find_game
from fourlab.rules.formats import from_stones, row_cells, write_text
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError:
    raise missing_extra("environments for two need pettingzoo", "envs") from None

PLAYERS = ("player_0", "player_1")
Observation = dict[str, npt.NDArray[np.int8]]


def env(game: str | Rules = "connect4", render_mode: str | None = None) -> Any:
    """Return the environment with PettingZoo's usual guards: an illegal move loses."""
    guarded = wrappers.TerminateIllegalWrapper(raw_env(game, render_mode), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(guarded))


class raw_env(AECEnv[str, Observation, int]):  # type: ignore[misc]  # noqa: N801  # PettingZoo's name for it
    """The game without guards; an illegal move raises IllegalMoveError."""

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": ["ansi"],
        "name": "fourlab_v0",
        "is_parallelizable": False,
    }

    def __init__(self, game: str | Rules = "connect4", render_mode: str | None = None) -> None:
        super().__init__()
        self.rules = find_game(game)
        self.render_mode = known_mode(render_mode, self.metadata)
        self.possible_agents = list(PLAYERS)
        self.agents = list(PLAYERS)
        box = (self.rules.rows, self.rules.columns, 2)
        moves = self.rules.move_count
        self.action_spaces = {player: spaces.Discrete(moves) for player in PLAYERS}
        self.observation_spaces = {
            player: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, box, np.int8),
                    "action_mask": spaces.Box(0, 1, (moves,), np.int8),
                }
            )
            for player in PLAYERS
        }
        self.position: Position = self.rules.start()

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of an agent's moves."""
        return self.action_spaces[agent]

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees: its own stones first; the mask is empty when it waits."""
        mask = action_mask(self.position)
        if agent != self.agent_selection:
            mask[:] = 0
        side = PLAYERS.index(agent)
        return {"observation": planes(self.position, side), "action_mask": mask}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game; nothing in it is random."""
        self.position = self.rules.start()
        self.agents = list(PLAYERS)
        self.rewards = dict.fromkeys(PLAYERS, 0.0)
        self._cumulative_rewards = dict.fromkeys(PLAYERS, 0.0)
        self.terminations = dict.fromkeys(PLAYERS, False)
        self.truncations = dict.fromkeys(PLAYERS, False)
        self.infos: dict[str, dict[str, Any]] = {player: {} for player in PLAYERS}
        self.agent_selection = PLAYERS[self.position.to_move]

    def step(self, action: int | None) -> None:
        """Make the move of the agent whose turn it is."""
        mover = self.agent_selection
        if self.terminations[mover] or self.truncations[mover]:
            self._was_dead_step(action)
            return
        if action is None:
            raise IllegalMoveError(
                f"{mover} is to move and gave no move; only a finished agent may"
            )
        self._cumulative_rewards[mover] = 0.0
        self.rewards = dict.fromkeys(PLAYERS, 0.0)
        self.position = self.position.play(int(action))
        if self.position.is_over:
            self.terminations = dict.fromkeys(PLAYERS, True)
            winner = self.position.outcome.winner
            if winner is not None:
                self.rewards = {p: 1.0 if PLAYERS[winner] == p else -1.0 for p in PLAYERS}
        self.agent_selection = PLAYERS[1 - PLAYERS.index(mover)]
        self._accumulate_rewards()

    def render(self) -> str | None:
        """Return the board in text in render mode `ansi`."""
        return write_text(self.position) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Nothing is open."""


class Policy:
    """A fourlab agent by its spec: takes the observation of the side to move, gives its move.

    A seed repeats its games. Raises NotationError for what is no board of the game.
    """

    def __init__(self, agent: str, game: str | Rules = "connect4", seed: int = 0) -> None:
        self.agent = find_agent(agent, game)
        self._rng = np.random.default_rng(seed)

    def __call__(self, observation: Observation) -> int:
        """Return the move; the mask is not needed."""
        position = seen_position(self.agent.rules, observation["observation"])
        if position.is_over:
            raise NotationError(f"the game is over in {position.notation!r}; give no move there")
        return self.agent.decide(position, self._rng).move


def seen_position(rules: Rules, seen: npt.NDArray[np.int8]) -> Position:
    """Return the position that the side to move sees: the inverse of `planes`."""
    if seen.shape != (rules.rows, rules.columns, 2):
        raise NotationError(f"an observation of shape {seen.shape} is no board of {rules}")
    cells = np.array(row_cells(rules), np.int64)
    own, other = (int(cells[seen[..., plane].ravel() != 0].sum()) for plane in (0, 1))
    is_first = own.bit_count() == other.bit_count()
    first, second = (own, other) if is_first else (other, own)
    return from_stones(rules, first, second, "the observation")
