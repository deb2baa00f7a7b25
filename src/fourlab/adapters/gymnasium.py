"""Every game as a Gymnasium environment: against a fixed opponent, or for both sides.

    env = gymnasium.make("fourlab/ConnectFour-v0", opponent="baseline")
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(3)

The observation is that of PettingZoo's `connect_four_v3`, rows x columns x 2, the stones of the
side to move in the first plane; `info["action_mask"]` and `action_masks()` mark the legal moves.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from fourlab.adapters.registration import board_of
from fourlab.agents.base import kernel_seed
from fourlab.agents.registry import agent as find_agent
from fourlab.core.dice import roll
from fourlab.core.errors import IllegalMoveError, SpecError, missing_extra
from fourlab.core.limit import NO_LIMIT
from fourlab.rules.boards import boards_of
from fourlab.rules.catalog import game as find_game
from fourlab.rules.formats import row_cells, write_text
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import move_cell
from fourlab.rules.position import FIRST, SECOND, Position

try:
    import gymnasium
    from gymnasium import spaces
except ImportError:
    raise missing_extra("environments need gymnasium", "envs") from None

Planes = npt.NDArray[np.int8]
BOTH = "self"
SIDE_NUMBERS = {"first": FIRST, "second": SECOND}
SIDES = (*SIDE_NUMBERS, "alternating")


class RenderModeError(SpecError, TypeError):
    """No such way of drawing; a TypeError too, since Stable-Baselines3 tries one out."""


def known_mode(mode: str | None, metadata: Mapping[str, Any]) -> str | None:
    """Return a render mode; raises RenderModeError for one that there is not."""
    if mode is not None and mode not in metadata["render_modes"]:
        raise RenderModeError(
            f"no render mode {mode!r}; there is: {', '.join(metadata['render_modes'])}"
        )
    return mode


def no_options(options: dict[str, Any] | None) -> None:
    """Raise SpecError for options of a reset: there are none."""
    if options:
        raise SpecError(f"reset takes no options, not {', '.join(map(repr, options))}; leave out")


def check_start(start: Position, side: str | None) -> None:
    """Raise SpecError if games cannot begin there, or the opponent may end them before we move."""
    where = f"start={start.notation!r}"
    if start.is_over:
        raise SpecError(f"{where}: the game is over there; leave out the last moves")
    mine = side is None or SIDE_NUMBERS.get(side) == start.to_move
    if not mine and any(start.play(move).is_over for move in start.legal_moves()):
        turn = list(SIDE_NUMBERS)[start.to_move]
        raise SpecError(f"{where}: the opponent can end the game at once; write side={turn!r}")


def planes(position: Position, side: int) -> Planes:
    """Return the stones of a side and of the other, as rows x columns x 2 from the top left."""
    rules = position.rules
    second = position.first_stones ^ position.occupied
    own, other = (position.first_stones, second)[:: 1 if side == FIRST else -1]
    stones = np.array([own, other], np.int64)
    seen: Planes = np.not_equal(stones & _cells(rules), 0).astype(np.int8)
    return seen


@functools.cache
def _cells(rules: Rules) -> npt.NDArray[np.int64]:
    """Return the bit of every cell, from the top left."""
    return np.array(row_cells(rules), np.int64).reshape(rules.rows, rules.columns, 1)


def action_mask(position: Position) -> npt.NDArray[np.int8]:
    """Return 1 for every legal move."""
    mask = np.zeros(position.rules.move_count, np.int8)
    mask[list(position.legal_moves())] = 1
    return mask


class FourlabEnv(gymnasium.Env[Planes, np.int64]):
    """A game for one agent.

    Against an `opponent` the agent plays `side`; the reward is 1, 0 or -1 for it at the end. With
    opponent `self` the agent moves for both sides, and the reward is the first player's. A move
    that is full or taken ends the game as a loss of the side that made it; a number that is no move
    of the board, or a move after the end, raises IllegalMoveError.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012  # gymnasium declares it so

    def __init__(
        self,
        game: str | Rules = "connect4",
        opponent: str = "random",
        side: str = "alternating",
        start: str = "",
        render_mode: str | None = None,
    ) -> None:
        if side not in SIDES:
            raise SpecError(f"side={side!r} is none; write {', '.join(SIDES)}")
        self.rules = find_game(game)
        self.opponent = None if opponent == BOTH else find_agent(opponent, self.rules)
        self.side = side
        self.start = self.rules.start().play_all(start)
        check_start(self.start, None if self.opponent is None else side)
        self.render_mode = known_mode(render_mode, self.metadata)
        shape = (self.rules.rows, self.rules.columns, 2)
        self.observation_space = spaces.Box(0, 1, shape, np.int8)
        self.action_space = spaces.Discrete(self.rules.move_count)
        self.position = self.start
        self._agent_side = FIRST
        self._is_over = False
        self._games = 0
        self._dice: int | None = None  # of the opponent, a roll for each move of its

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Planes, dict[str, Any]]:
        """Begin a game; the opponent makes its first move if it is its turn."""
        no_options(options)
        super().reset(seed=seed)
        if seed is not None or self._dice is None:
            self._games = 0
            self._dice = kernel_seed(self.np_random)
        self._agent_side = SIDE_NUMBERS.get(self.side, self._games % 2)
        self._games += 1
        self._is_over = False
        self.position = self.start
        self._let_opponent_move()
        return self._observation(), self._info()

    def step(self, action: np.int64) -> tuple[Planes, float, bool, bool, dict[str, Any]]:
        """Make the agent's move and let the opponent answer."""
        if not self.action_space.contains(action):
            moves = self.rules.move_count
            raise IllegalMoveError(
                f"action {action!r} is no move of {self.rules}: 0 to {moves - 1}"
            )
        if self._dice is None:
            raise IllegalMoveError("no game has begun; reset() first")
        if self._is_over:
            raise IllegalMoveError(f"the game is over ('{self.position.notation}'); reset() first")
        move = int(action)
        if move_cell(self.rules, self.position.occupied, move) == 0:
            self._is_over = True
            first_player = -1.0 if self.position.to_move == FIRST else 1.0
            reward = first_player if self.opponent is None else -1.0
            return self._observation(), reward, True, False, {**self._info(), "illegal": True}
        self.position = self.position.play(move)
        self._let_opponent_move()
        self._is_over = self.position.is_over
        return self._observation(), self._reward(), self._is_over, False, self._info()

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which moves are legal, as MaskablePPO asks for them."""
        return self._mask().astype(np.bool_)

    def render(self) -> str | None:
        """Return the board in text in render mode `ansi`."""
        return write_text(self.position) if self.render_mode == "ansi" else None

    def _let_opponent_move(self) -> None:
        if self.opponent is None or self.position.is_over:
            return
        if self.position.to_move != self._agent_side:
            assert self._dice is not None  # noqa: S101  # cast by the first reset
            self._dice = roll(self._dice)
            moves = np.array([self.position.moves], np.uint8)
            board = boards_of([self.position])._replace(moves=moves)
            dice = np.array([self._dice], np.int64)
            move = int(self.opponent.choose(board, dice, NO_LIMIT.heard)[0])
            self.position = self.position.play(move)

    def _reward(self) -> float:
        winner = self.position.outcome.winner
        if winner is None:
            return 0.0
        mine = FIRST if self.opponent is None else self._agent_side
        return 1.0 if winner == mine else -1.0

    def _observation(self) -> Planes:
        side = self.position.to_move if self.opponent is None else self._agent_side
        return planes(self.position, side)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._mask(), "moves": self.position.notation}

    def _mask(self) -> npt.NDArray[np.int8]:
        """Return 1 for every legal move, none once a game was ended by one that was not."""
        return action_mask(self.position) * np.int8(not self._is_over)


class NamedEnv(FourlabEnv):
    """The environment of an id of Gymnasium, which stands for its own boards alone."""

    def __init__(self, name: str, game: str | Rules | None = None, **options: Any) -> None:
        super().__init__(board_of(name, game), **options)
