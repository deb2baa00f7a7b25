"""The most that any player can get from a known opponent, and what a known player gets: exactly.

Two steps over the layers of a game, from the last to the first: to take the best move where one
knows what follows (`_improve`), and to say what follows from the moves that are taken
(`_evaluate`).
Value iteration does both layer by layer, in one sweep; policy iteration evaluates all layers, then
improves all, until nothing changes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fourlab.agents.base import Agent
from fourlab.agents.registry import agent as find_agent
from fourlab.core.arrays import Floats
from fourlab.core.errors import SpecError
from fourlab.core.jit import kernel
from fourlab.core.kinds import typed
from fourlab.learning.mdp.layers import MOST_POSITIONS, NOT_PLAYED, WON, Layer, layers
from fourlab.learning.mdp.process import side_of, start_of
from fourlab.rules.catalog import game as find_game
from fourlab.rules.geometry import Rules
from fourlab.rules.position import FIRST, Position

WIN, DRAW, LOSS = range(3)
CLOSE = 1e-12  # values that differ by rounding alone are equal

Choices = npt.NDArray[np.int8]


class Worth(NamedTuple):
    """What the ends of a game are worth to the player."""

    win: float = 1.0
    draw: float = 0.5
    loss: float = 0.0


@kernel
def _share(child: int, after: Floats, is_own: bool, end: int) -> float:
    """Return how often the player comes to this end after a move that leads to this child."""
    if child >= 0:
        return float(after[child, end])
    if child == WON:
        return 1.0 if end == (WIN if is_own else LOSS) else 0.0
    return 1.0 if end == DRAW else 0.0


@kernel
def _improve(layer: Layer, after: Floats, worth: Worth, choices: Choices) -> int:
    """Write the best move of each position of the player's; return how many of them changed.

    The best has the highest value, of these the most wins, of these the lowest number. A choice
    stays until another is better.
    """
    changes = 0
    for row in range(len(choices)):
        before = chosen = choices[row]
        best, most = -np.inf, 0.0
        for number in range(-1, layer.children.shape[1]):
            move = before if number < 0 else number  # what is chosen comes first
            if move == NOT_PLAYED or layer.children[row, move] == NOT_PLAYED:
                continue
            child = layer.children[row, move]
            wins = _share(child, after, True, WIN)
            value = worth.win * wins
            value += worth.draw * _share(child, after, True, DRAW)
            value += worth.loss * _share(child, after, True, LOSS)
            if value > best + CLOSE or (value > best - CLOSE and wins > most + CLOSE):
                chosen, best, most = move, value, wins
        choices[row] = chosen
        changes += chosen != before
    return changes


@kernel
def _evaluate(layer: Layer, after: Floats, is_own: bool, choices: Choices, shares: Floats) -> None:
    """Write how often the player wins, draws and loses from each position.

    It plays the choices where there are any, else what the chances of the layer say.
    """
    for row in range(len(shares)):
        for end in range(3):
            if len(choices) > 0:
                child = layer.children[row, choices[row]]
                shares[row, end] = _share(child, after, is_own, end)
                continue
            total = 0.0
            for move in range(layer.children.shape[1]):
                child = layer.children[row, move]
                if child != NOT_PLAYED:
                    total += layer.chances[row, move] * _share(child, after, is_own, end)
            shares[row, end] = total


class Plan(NamedTuple):
    """Moves for all positions, and what comes of them; a list has an array for each layer."""

    choices: list[Choices]  # [positions], [0] where it is not the player's turn to choose
    shares: list[Floats]  # [positions, 3]: wins, draws and losses of the player


NOTHING = np.zeros((0, 3))  # what follows the last layer
NO_CHOICES: Choices = np.zeros(0, np.int8)


def _after(plan: Plan, number: int) -> Floats:
    return plan.shares[number + 1] if number + 1 < len(plan.shares) else NOTHING


def _empty_plan(game: list[Layer], own: int) -> Plan:
    """Return a plan without choices in which every other layer, from `own` on, is the player's."""
    sizes = [len(layer.movers) for layer in game]
    turns = [number % 2 == own for number in range(len(game))]
    choices = [
        np.full(size if turn else 0, NOT_PLAYED, np.int8)
        for size, turn in zip(sizes, turns, strict=True)
    ]
    return Plan(choices, [np.zeros((size, 3)) for size in sizes])


def _evaluate_layer(game: list[Layer], own: int, plan: Plan, number: int) -> None:
    after, is_own = _after(plan, number), number % 2 == own
    _evaluate(game[number], after, is_own, plan.choices[number], plan.shares[number])


def value_iteration(game: list[Layer], own: int, worth: Worth) -> Plan:
    """Return a best plan, found in one sweep; `own` is the number of the player's first layer."""
    plan = _empty_plan(game, own)
    for number in reversed(range(len(game))):
        _improve(game[number], _after(plan, number), worth, plan.choices[number])
        _evaluate_layer(game, own, plan, number)
    return plan


def policy_iteration(game: list[Layer], own: int, worth: Worth) -> Plan:
    """Return a best plan, found by improving the plan to play the first move there is."""
    plan = _empty_plan(game, own)
    for number in range(own, len(game), 2):
        plan.choices[number][:] = np.argmax(game[number].children != NOT_PLAYED, axis=1)
    changes = 1
    while changes:
        for number in reversed(range(len(game))):
            _evaluate_layer(game, own, plan, number)
        changes = sum(
            _improve(game[number], _after(plan, number), worth, plan.choices[number])
            for number in range(own, len(game), 2)
        )
    return plan


class Shares(NamedTuple):
    """How often a player wins, draws and loses: exact, but for rounding."""

    wins: float
    draws: float
    losses: float

    @property
    def score(self) -> float:
        """What it scores, a draw counting half."""
        return self.wins + self.draws / 2


@dataclass(frozen=True)
class BestResponse:
    """The best that any player can do against an opponent, and how."""

    value: float  # the highest mean worth of a game that there is
    shares: Shares  # of a plan that has this value, of these one with the most wins
    states: int  # positions in which the player chooses
    layers: list[Layer] = field(repr=False, compare=False)
    plan: Plan = field(repr=False, compare=False)

    def move(self, position: Position) -> int | None:
        """Return its move in a position, None where it never has to choose one."""
        for layer, choices in zip(self.layers, self.plan.choices, strict=True):
            if len(choices):
                is_here = (layer.movers == position.mover) & (layer.occupied == position.occupied)
                if is_here.any():
                    return int(choices[is_here.argmax()])
        return None


@typed
def best_response(
    game: str | Rules,
    opponent: str | Agent,
    side: str = "first",
    *,
    win: float = 1.0,
    draw: float = 0.5,
    loss: float = 0.0,
    start: str | Position = "",
    most: int = MOST_POSITIONS,
) -> BestResponse:
    """Return the best that any player of this side can do against an opponent.

    With `draw=0` it is whoever wins most often. Raises SpecError for an opponent that cannot tell
    the probabilities of its moves, GeometryError for more than `most` positions.
    """
    rules, player = find_game(game), side_of(side)
    begin, other = start_of(rules, start), find_agent(opponent, rules)
    found = layers(begin, (None, other) if player == FIRST else (other, None), most)
    worth = Worth(float(win), float(draw), float(loss))
    if not np.isfinite(worth).all():
        raise SpecError(f"win={win}, draw={draw}, loss={loss}: write finite numbers")
    plan = value_iteration(found, int(begin.to_move != player), worth)
    shares = Shares(*plan.shares[0][0].tolist())
    value = sum(part * share for part, share in zip(worth, shares, strict=True))
    return BestResponse(value, shares, sum(map(len, plan.choices)), found, plan)


@typed
def exact_shares(
    game: str | Rules,
    player: str | Agent,
    opponent: str | Agent,
    side: str = "first",
    *,
    start: str | Position = "",
    most: int = MOST_POSITIONS,
) -> Shares:
    """Return how often a player wins, draws and loses against an opponent, without playing.

    Raises as `best_response` does, for the player too.
    """
    rules, is_second = find_game(game), side_of(side) != FIRST
    begin, pair = start_of(rules, start), (find_agent(player, rules), find_agent(opponent, rules))
    found = layers(begin, pair[::-1] if is_second else pair, most)
    own = int(begin.to_move != side_of(side))
    plan = Plan([NO_CHOICES] * len(found), [np.zeros((len(layer.movers), 3)) for layer in found])
    for number in reversed(range(len(found))):
        _evaluate_layer(found, own, plan, number)
    return Shares(*plan.shares[0][0].tolist())
