"""What the study `monte-carlo` asks of one training: jobs of plain data, one a board and seed."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from fourlab.agents.base import Agent
from fourlab.agents.learned import LearnedConfig, MonteCarloAgent
from fourlab.agents.registry import agent
from fourlab.arena.games import DRAW as DRAWN
from fourlab.arena.games import WIN as WON
from fourlab.arena.grading import Marks
from fourlab.arena.in_step import play_from
from fourlab.learning.registry import learner
from fourlab.learning.tables.learner import TableLearner
from fourlab.positions.suites import Scored, phase_positions, score_positions
from fourlab.rules.boards import boards_of
from fourlab.rules.catalog import game as find_game
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import move_cell, winning_cells
from fourlab.rules.keys import board_of
from fourlab.rules.position import Position
from fourlab.values.knowledge import Knowledge
from fourlab.values.table import NO_CHOICE

LEARNER = "monte-carlo:side=first,opponent=random"  # the study's learner always begins
WIN, BLOCK, GAMMA, KEEP = 200.0, 100.0, 0.5, 0.9  # what it is paid, and how much of it it keeps
ENDLESS = 10_000_000  # games: more than any census needs
STORED, INSTINCT, BY_VALUES = "stored", "instinct", "values"  # how what was learned is played


@dataclass(frozen=True)
class Course:
    """A training that is stopped after some episodes for test games against `random`."""

    game: str
    seed: int
    marks: tuple[int, ...]  # episodes
    tests: int  # games of a test
    options: str = ""  # of the learner, beside the study's own
    players: tuple[str, ...] = (STORED,)
    graded: int = 0  # positions on which the moves at the end are held against perfect play


def spec(options: str = "") -> str:
    """Return the spec of the study's learner with further options."""
    return f"{LEARNER},{options}" if options else LEARNER


def trained(game: str, seed: int, options: str, marks: tuple[int, ...]) -> Iterator[TableLearner]:
    """Yield one learner again and again, when it has played as many games as a mark says."""
    some = [mark for mark in marks if mark]
    made = learner(spec(options), game, seed, games=max(some, default=1), chunk=math.gcd(*some))
    assert isinstance(made, TableLearner)  # noqa: S101  # for the type checker
    steps = made.steps()
    for mark in marks:
        while made.done < mark:
            next(steps)
        yield made


def player_of(made: TableLearner, how: str) -> Agent:
    """Return who plays what was learned: by the stored policy, or by the values beside it.

    The stored policy moves at random where it has nothing; with instinct it makes the move of the
    best reward at once.
    """
    known = made.knowledge
    if how == BY_VALUES:
        known = known.copy()
        known.values.table.choices.fill(NO_CHOICE)
    unseen = "baseline" if how == INSTINCT else "random"
    return MonteCarloAgent(made.rules, LearnedConfig(unseen=unseen), known)


def take(course: Course) -> dict[str, Any]:
    """Return the share of test games won by player and mark, states known, grades at the end."""
    wins: dict[str, list[float]] = {how: [] for how in course.players}
    draws: dict[str, list[float]] = {how: [] for how in course.players}
    sizes, grades = [], {}
    for made in trained(course.game, course.seed, course.options, course.marks):
        for how in course.players:
            won, drawn = play_tests(player_of(made, how), course.tests, course.seed)
            wins[how].append(won)
            draws[how].append(drawn)
        sizes.append(made.size)
    if course.graded:
        positions = graded_positions(course.game, course.graded)
        grades = {how: _marks(player_of(made, how), positions) for how in course.players}
    first = made.knowledge.move_values(made.rules.start())
    return {"wins": wins, "draws": draws, "sizes": sizes, "grades": grades, "first": first}


def play_tests(player: Agent, games: int, seed: int) -> tuple[float, float]:
    """Return the shares of games that a player wins and draws as the first against `random`."""
    boards = boards_of([player.rules.start()] * games)
    dice = np.random.default_rng([seed, 1]).integers(1 << 62, size=games)
    results = play_from(boards, player, agent("random", player.rules), dice)
    return float((results == WON).mean()), float((results == DRAWN).mean())


@functools.cache
def graded_positions(game: str, count: int) -> list[Scored]:
    """Return positions of the middle of the game with exact scores."""
    return list(score_positions(phase_positions(find_game(game), "middle", count)))


def _marks(player: Agent, positions: list[Scored]) -> tuple[float, float]:
    """Return how often its moves are perfect and good."""
    dice = np.random.default_rng(0).integers(1 << 62, size=len(positions))
    moves = player.choose(boards_of([scored.position for scored in positions]), dice)
    marks = Marks()
    for scored, move in zip(positions, moves.tolist(), strict=True):
        marks.add(scored, move)
    return marks.perfect / len(positions), marks.good / len(positions)


# ---- columns ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Census:
    """A training that ends when so many states have a stored move, whose columns are counted."""

    game: str
    seed: int
    policies: int
    options: str = ""


def count(census: Census) -> dict[str, Any]:
    """Return by column how many stored moves there are, and how many a random policy would have.

    The random policy stands in the same states and draws from their open columns. All of it once
    more for stored moves whose value is exactly 200; `at_once` of those win at once.
    """
    chunk = max(1, census.policies // 2000)
    made = learner(spec(census.options), census.game, census.seed, games=ENDLESS, chunk=chunk)
    assert isinstance(made, TableLearner)  # noqa: S101  # for the type checker
    for _ in made.steps():
        if made.size >= census.policies:
            break
    rules, table = made.rules, made.knowledge.values.table
    rows = np.flatnonzero(table.choices != NO_CHOICE)
    keys, chosen = table.keys[rows], table.choices[rows]
    guards = np.array([1 << at * (rules.rows + 1) + rules.rows for at in range(rules.columns)])
    is_open = (keys[:, None] & guards) == 0  # in a key the guard bit of a full column is set
    by_chance = is_open / is_open.sum(axis=1, keepdims=True)
    best = table.values[rows, chosen] == WIN
    found: dict[str, Any] = {"games": made.done, "policies": len(rows)}
    for name, part in (("all", np.full(len(rows), True)), ("best", best)):
        found[name] = np.bincount(chosen[part], minlength=rules.columns).tolist()
        found[f"{name}_chance"] = by_chance[part].sum(axis=0).tolist()
    winning = zip(keys[best].tolist(), chosen[best].tolist(), strict=True)
    return found | {"at_once": sum(_wins(rules, key, move) for key, move in winning)}


def _wins(rules: Rules, key: int, move: int) -> bool:
    return move in Position(rules, *board_of(rules, key), ()).winning_moves()


# ---- returns ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Measuring:
    """A training whose values of the first moves are looked at after some episodes."""

    game: str
    seed: int
    marks: tuple[int, ...]
    exact: bool = False  # whether the true returns are wanted too; for small boards


def measure(job: Measuring) -> list[dict[str, Any]]:
    """Return at each mark values and trials of the first moves, and their true returns."""
    found = []
    for made in trained(job.game, job.seed, "", job.marks):
        start = made.rules.start()
        truth = Returns(made.knowledge)
        found.append(
            {
                "values": made.knowledge.move_values(start),
                "trials": made.knowledge.visits(start),
                "truth": [truth.of_move(start, move) for move in start.legal_moves() if job.exact],
            }
        )
    return found


class Returns:
    """The expected return of a learner's policy against `random`, exactly; for small boards.

    Its policy over many games: the most valued move with probability `keep`, else any; where it has
    seen nothing, any.
    """

    def __init__(self, known: Knowledge, keep: float = KEEP) -> None:
        self.known, self.keep = known, keep
        self._returns: dict[int, float] = {}

    def of_move(self, position: Position, move: int) -> float:
        """Return the expected return of a move, the policy followed from then on."""
        after = position.play(move)
        value = reward(position, move)
        if after.is_over:
            return value
        replies = [after.play(reply) for reply in after.legal_moves()]
        return value + GAMMA * sum(map(self.of_state, replies)) / len(replies)

    def of_state(self, position: Position) -> float:
        """Return the expected return where the learner is to move; 0 when the game is over."""
        if position.is_over:
            return 0.0
        if position.key not in self._returns:
            moves = position.legal_moves()
            values = self.known.move_values(position)
            best = max(values[move] or 0.0 for move in moves)
            tops = [move for move in moves if values[move] == best]
            worths = {move: self.of_move(position, move) for move in moves}
            top = sum(worths[move] for move in tops) / len(tops)
            other = sum(worths.values()) / len(worths)
            self._returns[position.key] = self.keep * top + (1 - self.keep) * other
        return self._returns[position.key]


def reward(position: Position, move: int) -> float:
    """Return the study's reward: for a win, else for taking a cell where the other would win."""
    rules, occupied = position.rules, position.occupied
    cell = move_cell(rules, occupied, move)
    if winning_cells(rules, position.mover) & cell:
        return WIN
    return BLOCK if winning_cells(rules, position.mover ^ occupied) & cell else 0.0


# ---- the study's own keys -----------------------------------------------------------------------


@dataclass(frozen=True)
class MixedKeys:
    """Training as in the study's program: a move by the policy is kept under the board after it.

    What is stored when a state is met for the first time, the random move made there or now and
    then another, is never looked at again: no later return reaches that state.
    """

    game: str
    seed: int
    marks: tuple[int, ...]
    tests: int = 100


def train_mixed(job: MixedKeys) -> dict[str, Any]:
    """Return test games won and policies at each mark, and what is kept of the first move."""
    rules, rng = find_game(job.game), np.random.default_rng(job.seed)
    policy: dict[int, int] = {}
    afterwards: set[int] = set()  # boards after a move, with a policy that nobody follows
    wins, policies, played, returns = [], [], 0, []
    for mark in job.marks:
        while played < mark:
            played += 1
            line = _mixed_game(rules, policy, rng)
            met = [(position, move) for position, move in line if position.key not in policy]
            if line[0][0].key in policy:
                returns.append(sum(GAMMA**at * reward(*step) for at, step in enumerate(line)))
            afterwards |= {p.play(move).key for p, move in line if p.key in policy}
            for position, move in met:
                open_columns = position.legal_moves()
                other = open_columns[rng.integers(len(open_columns))]
                policy[position.key] = int(other if rng.random() < 1 - KEEP else move)
        games = [_mixed_game(rules, policy, rng)[-1] for _ in range(job.tests)]
        wins.append(sum(reward(*last) == WIN for last in games) / job.tests)
        policies.append(len(policy) + len(afterwards))
    return {"wins": wins, "policies": policies, "trials": len(returns), "value": _mean(returns)}


def _mean(values: list[float]) -> float:
    return float(np.mean(values)) if len(values) else 0.0


def _mixed_game(
    rules: Rules, policy: dict[int, int], rng: np.random.Generator
) -> list[tuple[Position, int]]:
    """Play a game against `random`; return the learner's positions and moves."""
    line: list[tuple[Position, int]] = []
    position = rules.start()
    while not position.is_over:
        open_columns = position.legal_moves()
        move = int(open_columns[rng.integers(len(open_columns))])
        if len(line) * 2 == position.ply:
            move = policy.get(position.key, move)
            line.append((position, move))
        position = position.play(move)
    return line
