"""Thousands of boards a call as one Gymnasium environment, stepped in kernels.

    envs = gymnasium.make_vec("fourlab/ConnectFour-v0", num_envs=4096, opponent="baseline")
    observations, infos = envs.reset(seed=1)
    observations, rewards, terminations, truncations, infos = envs.step(actions)

Board i with seed s is the environment of `gymnasium.make` with seed s + i, move by move. A game
that has ended begins anew in the next step, whose action for it is passed over (Gymnasium's
`AutoresetMode.NEXT_STEP`); `infos["action_mask"]` has no legal move there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from gymnasium.utils.seeding import np_random
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from fourlab.adapters.gymnasium import (
    BOTH,
    SIDE_NUMBERS,
    FourlabEnv,
    Planes,
    no_options,
)
from fourlab.adapters.registration import board_of
from fourlab.agents.base import kernel_seed
from fourlab.agents.instant import Instant, instant_cell, instant_form
from fourlab.arena.games import LOSS, WIN
from fourlab.arena.in_step import PLAYING, Batch, put, put_all
from fourlab.core.arrays import Bytes, Floats, Ints
from fourlab.core.bits import popcount
from fourlab.core.dice import roll, seeded
from fourlab.core.errors import IllegalMoveError, SpecError
from fourlab.core.jit import kernel
from fourlab.core.limit import NO_LIMIT
from fourlab.rules.boards import Boards
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import move_cell, move_count
from fourlab.rules.position import FIRST, SECOND, Position

EVERY_SIDE, ALTERNATING = -1, 2  # besides FIRST and SECOND: the sides that an agent can have
Flags = npt.NDArray[np.bool_]


class Lanes(NamedTuple):
    """Boards side by side, and the agent's part in them."""

    batch: Batch
    sides: Ints  # [boards], of the agent in this game
    begun: Ints  # [boards], games
    illegal: Flags  # [boards], whether the game ended with a move that was not legal


class Start(NamedTuple):
    """Where every game begins, and who is the agent there."""

    mover: int
    occupied: int
    side: int  # FIRST, SECOND, ALTERNATING or EVERY_SIDE


@kernel
def begin(start: Start, lanes: Lanes, lane: int) -> None:
    """Begin a game; the moves that led to the start stand in the lane already."""
    batch = lanes.batch
    batch.movers[lane], batch.occupied[lane] = start.mover, start.occupied
    batch.lengths[lane] = popcount(start.occupied)
    batch.results[lane] = PLAYING
    lanes.sides[lane] = lanes.begun[lane] % 2 if start.side == ALTERNATING else start.side
    lanes.begun[lane] += 1
    lanes.illegal[lane] = False


@kernel
def act(rules: Rules, start: Start, lanes: Lanes, actions: Ints) -> None:
    """Make the agent's move on every board, and begin a game where the last one has ended."""
    batch = lanes.batch
    for lane in range(len(actions)):
        if batch.results[lane] != PLAYING:
            begin(start, lanes, lane)
            continue
        cell = move_cell(rules, batch.occupied[lane], actions[lane])
        if cell != 0:
            put(rules, batch, lane, cell)
        else:
            lanes.illegal[lane] = True
            batch.results[lane] = LOSS if batch.lengths[lane] % 2 == FIRST else WIN


@kernel
def waits(lanes: Lanes, lane: int) -> bool:
    """Return whether it is the opponent's turn on a board."""
    batch, side = lanes.batch, lanes.sides[lane]
    if batch.results[lane] != PLAYING or side == EVERY_SIDE:
        return False
    return bool(batch.lengths[lane] % 2 != side)


@kernel
def answer(rules: Rules, form: Instant, lanes: Lanes) -> None:
    """Let an opponent that moves at once move on every board that waits for it."""
    batch = lanes.batch
    for lane in range(len(lanes.sides)):
        if waits(lanes, lane):
            state = roll(batch.states[lane])
            mover, occupied = batch.movers[lane], batch.occupied[lane]
            cell, _ = instant_cell(rules, form, mover, occupied, seeded(state))
            batch.states[lane] = state
            put(rules, batch, lane, cell)


@kernel
def deal(lanes: Lanes, rows: Ints, dice: Ints) -> int:
    """Write which boards wait for the opponent, and its dice there; return how many."""
    count = 0
    for lane in range(len(lanes.sides)):
        if waits(lanes, lane):
            lanes.batch.states[lane] = roll(lanes.batch.states[lane])
            rows[count], dice[count] = lane, lanes.batch.states[lane]
            count += 1
    return count


@kernel
def look(rules: Rules, lanes: Lanes, planes: Planes, masks: Planes, rewards: Floats) -> None:
    """Write what the agent sees, which moves are legal, and what the step was worth."""
    batch = lanes.batch
    height = rules.rows + 1
    for lane in range(len(rewards)):
        mover, occupied, result = batch.movers[lane], batch.occupied[lane], batch.results[lane]
        side, is_playing = lanes.sides[lane], result == PLAYING
        if side == EVERY_SIDE or batch.lengths[lane] % 2 == side:
            own, other = mover, mover ^ occupied
        else:
            own, other = mover ^ occupied, mover
        for column in range(rules.columns):
            for row in range(rules.rows):
                place = column * height + rules.rows - 1 - row
                planes[lane, row, column, 0] = (own >> place) & 1
                planes[lane, row, column, 1] = (other >> place) & 1
        for move in range(move_count(rules)):
            masks[lane, move] = is_playing and move_cell(rules, occupied, move) != 0
        if is_playing:
            rewards[lane] = 0.0
        else:
            rewards[lane] = -result if side == SECOND else result


class FourlabVectorEnv(VectorEnv[Planes, Ints, Any]):
    """Many boards, each of them a `FourlabEnv` with the same options.

    What moves at once plays inside the kernels; any other opponent is asked for all boards that
    wait for it in one call. `position(i)` is board i to look at.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # gymnasium declares it so
        **FourlabEnv.metadata,
        "render_modes": [],
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        game: str | Rules = "connect4",
        opponent: str = "random",
        side: str = "alternating",
        start: str = "",
    ) -> None:
        if num_envs < 1:
            raise SpecError(f"num_envs={num_envs} is no number of boards; write 1 or more")
        one = FourlabEnv(game, opponent, side, start)
        self.rules, self.opponent, self.num_envs = one.rules, one.opponent, num_envs
        self._form = None
        if self.opponent is not None:
            self.opponent.prepare()
            form = instant_form(self.opponent)
            self._form = None if form is None else form.own()
        self.single_observation_space = one.observation_space
        self.single_action_space = one.action_space
        self.observation_space = batch_space(one.observation_space, num_envs)
        self.action_space = batch_space(one.action_space, num_envs)
        played = EVERY_SIDE if opponent == BOTH else SIDE_NUMBERS.get(side, ALTERNATING)
        self._start = Start(one.start.mover, one.start.occupied, played)
        self._lanes = _new_lanes(self.rules, num_envs, one.start)
        self._is_seeded = False

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Planes, dict[str, Any]]:
        """Begin a game on every board; a whole number seeds board i with itself plus i."""
        no_options(options)
        if seed is not None or not self._is_seeded:
            given = [seed] * self.num_envs if seed is None else seed
            seeds = given if isinstance(given, list) else range(given, given + self.num_envs)
            if len(seeds) != self.num_envs:
                raise SpecError(f"{len(seeds)} seeds for {self.num_envs} boards; give one for each")
            self._lanes.batch.states[:] = [kernel_seed(np_random(one)[0]) for one in seeds]
            self._lanes.begun[:] = 0
            self._is_seeded = True
        self._lanes.batch.results[:] = 0  # of games that begin anew
        return self._advance(np.zeros(self.num_envs, np.int64))[::4]

    def step(self, actions: npt.ArrayLike) -> tuple[Planes, Floats, Flags, Flags, dict[str, Any]]:
        """Make a move on every board and let the opponent answer."""
        moves = np.asarray(actions)
        if moves.shape != (self.num_envs,) or moves.dtype.kind not in "iu":
            raise IllegalMoveError(
                f"actions of shape {moves.shape}, {moves.dtype}; give {self.num_envs} whole numbers"
            )
        wrong = np.flatnonzero((moves < 0) | (moves >= self.rules.move_count))
        if len(wrong):
            raise IllegalMoveError(
                f"action {moves[wrong[0]]} of board {wrong[0]} is no move of {self.rules}: "
                f"0 to {self.rules.move_count - 1}"
            )
        if not self._is_seeded:
            raise IllegalMoveError("no game has begun; reset() first")
        return self._advance(moves.astype(np.int64))

    def position(self, board: int) -> Position:
        """Return one of the boards."""
        return self._boards(np.array([board])).position(self.rules, 0)

    def _advance(self, moves: Ints) -> tuple[Planes, Floats, Flags, Flags, dict[str, Any]]:
        act(self.rules, self._start, self._lanes, moves)
        if self._form is not None:
            answer(self.rules, self._form, self._lanes)
        elif self.opponent is not None:
            self._ask()
        planes = np.empty(self.observation_space.shape or (), np.int8)
        masks = np.empty((self.num_envs, self.rules.move_count), np.int8)
        rewards = np.empty(self.num_envs)
        look(self.rules, self._lanes, planes, masks, rewards)
        every = np.ones(self.num_envs, np.bool_)
        infos = {"action_mask": masks, "_action_mask": every}
        if self._lanes.illegal.any():
            infos |= {"illegal": self._lanes.illegal.copy(), "_illegal": self._lanes.illegal.copy()}
        return planes, rewards, self._lanes.batch.results != PLAYING, ~every, infos

    def _boards(self, rows: Ints) -> Boards:
        batch = self._lanes.batch
        return Boards(batch.movers[rows], batch.occupied[rows], batch.moves[rows])

    def _ask(self) -> None:
        """Ask the opponent for all boards that wait for it."""
        assert self.opponent is not None  # noqa: S101  # or no board waits
        rows, dice = np.empty((2, self.num_envs), np.int64)
        count = deal(self._lanes, rows, dice)
        boards = self._boards(rows[:count])
        moves = np.asarray(self.opponent.choose(boards, dice[:count], NO_LIMIT.heard), np.int64)
        wrong = put_all(self.rules, self._lanes.batch, rows[:count], moves)
        if wrong < count:
            where = boards.position(self.rules, wrong).notation
            raise IllegalMoveError(f"{self.opponent.spec} plays {moves[wrong] + 1} in {where!r}")


def _new_lanes(rules: Rules, count: int, start: Position) -> Lanes:
    """Return boards without games."""
    moves: Bytes = np.zeros((count, rules.cells), np.uint8)
    moves[:, : start.ply] = start.moves
    integers = [np.zeros(count, np.int64) for _ in range(6)]
    movers, occupied, states, lengths, sides, begun = integers
    results = np.zeros(count, np.int8)
    batch = Batch(movers, occupied, states, results, lengths, moves)
    return Lanes(batch, sides, begun, np.zeros(count, np.bool_))


class NamedVectorEnv(FourlabVectorEnv):
    """The vector environment of an id of Gymnasium, which stands for its own boards alone."""

    def __init__(
        self, num_envs: int, name: str, game: str | Rules | None = None, **options: Any
    ) -> None:
        super().__init__(num_envs, board_of(name, game), **options)
