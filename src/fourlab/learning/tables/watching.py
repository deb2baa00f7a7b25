"""A training game told: what was known before each decision, and what was learned from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fourlab.learning.base import Turn, WatchedGame
from fourlab.learning.tables.episode import AVERAGES, RETURNS, Episode
from fourlab.rules.formats import from_stones
from fourlab.rules.position import FIRST, Position
from fourlab.values.store import TUPLES

if TYPE_CHECKING:
    from fourlab.learning.tables.learner import TableLearner

PLAY, GENERATION = "play", "episode generation"
EVALUATION, IMPROVEMENT = "episode evaluation", "policy improvement"
Phases = list[tuple[int, int, str]]


def watched(
    learner: TableLearner, episode: Episode, decisions: int, side: int | None, result: int
) -> WatchedGame:
    """Tell the game that was just played, from the learner's decisions in it."""
    turns: list[Turn] = []
    position = learner.rules.start()
    for index in range(decisions):
        board = int(episode.movers[index]), int(episode.occupied[index])
        position = _reached(position, *board, is_first=index == 0)
        turns.append(_turn(learner, episode, index, position))
        position = position.play(int(episode.moves[index]))
    if decisions and not position.is_over:  # the opponent ended it, by a line or on a full board
        wins = position.winning_moves()
        position = position.play(wins[0] if result < 0 and wins else position.legal_moves()[0])
    late = learner.lesson.method in (AVERAGES, RETURNS)
    phases = _after_game(turns, position.ply) if late else _at_once(turns, position.ply)
    return WatchedGame(position.moves, side, result, tuple(turns), tuple(phases))


def _reached(position: Position, mover: int, occupied: int, is_first: bool) -> Position:
    """Return the position with these stones: the first of a game, or at most one move later."""
    if position.occupied == occupied:
        return position
    for move in position.legal_moves():
        after = position.play(move)
        if after.occupied == occupied:
            return after
    if not is_first:
        raise ValueError("the stones of two decisions do not follow from each other")
    sides = (mover, mover ^ occupied)
    first, second = sides if occupied.bit_count() % 2 == FIRST else sides[::-1]
    return from_stones(position.rules, first, second)


def _turn(learner: TableLearner, episode: Episode, index: int, position: Position) -> Turn:
    move = int(episode.moves[index])
    after = learner.knowledge.move_values(position)
    trials = learner.knowledge.visits(position)
    new, target = float(after[move] or 0.0), float(episode.targets[index])
    old = float(episode.takens[index])
    if learner.lesson.method == AVERAGES:  # a mean tells what it was before
        count = trials[move] or 1
        old = (count * new - target) / (count - 1) if count > 1 else 0.0
    before = [old if m == move else value for m, value in enumerate(after)]
    counted = [None if count == -1 else count for count in trials]  # a network does not count
    update = _update(learner, old, float(episode.rewards[index]), target, trials[move] or 1)
    return Turn(position.ply, move, before, after, counted, update)


def _update(learner: TableLearner, old: float, reward: float, target: float, trials: int) -> str:
    """Write an update out as a sum."""
    if learner.knowledge.values.kind == TUPLES:  # many weights share the step: no sum of one line
        return f"{_number(old)} drawn toward {_number(target)}, by all weights that it adds up"
    alpha, gamma = learner.alpha, learner.config.gamma
    if learner.lesson.method == AVERAGES and alpha < 0:
        way = f"({_number(target)} − {_number(old)}) / {trials}"
        return f"{_number(old)} + {way}, the mean of {trials} returns"
    rest = (target - reward) / gamma if gamma else 0.0
    way = f"({_number(reward)} + {gamma:.2f} × {_number(rest)} − {_number(old)})"
    return f"{_number(old)} + {alpha:.2f} × {way}"


def _number(value: float) -> str:
    text = f"{value:z.2f}" if abs(value) < 10 else f"{value:z.0f}"
    return text.replace("-", "−")


def _at_once(turns: list[Turn], last: int) -> Phases:
    """Return the steps of a game that is learned from as it goes: a turn when the next is there."""
    first = turns[0].ply if turns else last
    known = [after.ply for after in turns[1:]] + [last] * bool(turns)
    return [(n, sum(at <= n for at in known), PLAY) for n in range(first, last + 1)]


def _after_game(turns: list[Turn], last: int) -> Phases:
    """Return the steps of a game that is learned from when it is over."""
    first = turns[0].ply if turns else last
    played = [(n, 0, GENERATION) for n in range(first, last + 1)]
    taught = [(last, count + 1, EVALUATION) for count in range(len(turns))]
    return [*played, *taught, (last, len(turns), IMPROVEMENT)]
