"""What the study `minimax-q` says of search: what it takes, and what can be reached at all."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fourlab.agents.base import Agent
from fourlab.agents.play import GameInPlay
from fourlab.agents.registry import agent
from fourlab.learning.mdp.planning import best_response, exact_shares
from fourlab.learning.registry import learner
from fourlab.rules.boards import boards_of
from fourlab.rules.catalog import game as find_game
from fourlab.rules.position import position_of
from fourlab.search.solver import Solver
from fourlab.studies.bench import Bench
from fourlab.studies.findings import Column, Findings, over_seeds
from fourlab.studies.minimax_q.learning import OUTCOMES, SIDES, Course, Row
from fourlab.studies.schooling import Schooling

AIMS = {  # what a win, a tie and a loss are worth to those who aim so
    "most points": (1, 0.5, 0),
    "most wins": (1, 0, 0),
    "the rewards of the study": (1, 0.5, -1),
    "never loses, then most wins": (1, 0, -1e6),
}


def reachable(bench: Bench, course: Course) -> Findings:
    """Compute what the best responses to baseline get, and minimax, without playing."""
    rows: list[Row] = []
    for side, place in SIDES.items():
        for aim, (win, draw, loss) in AIMS.items():
            found = best_response(course.game, "baseline", place, win=win, draw=draw, loss=loss)
            rows.append({"player": f"{aim}, {side}", **found.shares._asdict()})
        for name, ties in (("minimax", "first"), ("minimax, equals by lot", "random")):
            shares = exact_shares(course.game, course.minimax(ties), "baseline", place)
            rows.append({"player": f"{name}, {side}", **shares._asdict()})
    return Findings((Column("player", "player", "text"), *OUTCOMES), tuple(rows))


TIMES = (
    Column("player", "player", "text"),
    Column("nodes", "positions a move", "whole"),
    Column("plain", "unpruned", "whole"),
    Column("seconds", "seconds a move", "seconds"),
)


@dataclass(frozen=True)
class Clocking:
    """Games of an agent against baseline, from the side of the one that is clocked."""

    game: str
    agent: str
    side: int
    first: int  # seed of the first game
    games: int


def clocked(job: Clocking) -> tuple[list[float], float]:
    """Return the mean effort a move of each game, and the mean seconds a move."""
    rules = find_game(job.game)
    player, other = agent(job.agent, rules), agent("baseline", rules)
    efforts, seconds = [], []
    for seed in range(job.first, job.first + job.games):
        pair: tuple[Agent, Agent] = (player, other) if job.side == 0 else (other, player)
        game = GameInPlay(rules, *pair, seed)
        while not game.position.is_over:
            game.step()
        told = [decision for decision in game.decisions[job.side :: 2] if decision is not None]
        efforts.append(round(sum(decision.effort for decision in told) / len(told), 1))
        seconds += game.seconds[job.side :: 2]
    return efforts, sum(seconds) / len(seconds)


def q_seconds(job: Schooling) -> list[float]:
    """Return seconds a move of a Q-player, in batches of moves on the empty board."""
    made = learner(job.learner, job.game, job.seed)
    for _ in made.steps():
        pass
    player, board = made.agent(), boards_of([made.rules.start()])
    dice = np.zeros(1, np.int64)
    player.choose(board, dice)
    batches = []
    for _ in range(20):
        began = time.perf_counter()
        for _ in range(50):
            player.choose(board, dice)
        batches.append((time.perf_counter() - began) / 50)
    return batches


def times(bench: Bench, courses: Sequence[Course]) -> Findings:
    """Clock minimax from either side, and count what it searches; then a Q-player."""
    jobs, labels = [], []
    sizes = {"no": bench.pick(400, 4), "yes": bench.pick(40, 4)}
    for course in courses:
        for number, side in enumerate(SIDES):
            labels.append(f"{course.name} {side}")
            for plain, games in sizes.items():
                spec = course.minimax(plain=plain)
                jobs.append(Clocking(course.game, spec, number, bench.seed * games, games))
    found = bench.each(clocked, jobs)
    rows: list[Row] = []
    for label, pruned, full in zip(labels, found[::2], found[1::2], strict=True):
        row: Row = {"player": label, "nodes": over_seeds(pruned[0]), "plain": over_seeds(full[0])}
        rows.append({**row, "seconds": pruned[1]})
    for course in courses:
        trainings = course.trainings(bench, "X", [bench.seed], {"opponent": "baseline"})
        [batches] = bench.each(q_seconds, trainings)
        row = {"player": f"{course.name} Q", "nodes": None, "plain": None}
        rows.append({**row, "seconds": over_seeds(batches)})
    return Findings(TIMES, tuple(rows))


SEARCH = (
    Column("search", "search", "text"),
    Column("plain", "unpruned", "whole"),
    Column("nodes", "alpha-beta", "whole"),
    Column("plain_seconds", "unpruned, seconds", "seconds"),
    Column("seconds", "alpha-beta, seconds", "seconds"),
)
MIDWAY = "444444325"  # solved in a moment


def searches(bench: Bench, courses: Sequence[Course]) -> Findings:
    """Count what a search of the first move takes, plain and pruned, and the exact solver's."""
    tic, four = courses
    asked = [(f"{tic.name}, to the end", tic)]
    depths = range(1, bench.pick(9, 6))
    asked += [(f"{four.name}, depth {depth}", replace(four, depth=depth)) for depth in depths]
    rows: list[Row] = []
    for label, course in asked:
        plain, pruned = (_first_move(bench, course, plain) for plain in ("yes", "no"))
        row: Row = {"search": label, "plain": plain[0], "nodes": pruned[0]}
        rows.append({**row, "plain_seconds": plain[1], "seconds": pruned[1]})
    solver = Solver(four.game)
    solver.prepare()
    for moves in bench.pick((MIDWAY, ""), (MIDWAY,)):
        solver.clear()
        bounds = solver.bounds(position_of(solver.rules, moves))
        label = f"exact solver, after {moves}" if moves else "exact solver, first move"
        row = {"search": label, "plain": None, "nodes": bounds.nodes}
        rows.append({**row, "plain_seconds": None, "seconds": bounds.seconds})
    return Findings(SEARCH, tuple(rows))


def _first_move(bench: Bench, course: Course, plain: str) -> tuple[int, float]:
    """Return the positions and the seconds of a search of the empty board."""
    player = agent(course.minimax(plain=plain), course.game)
    player.prepare()
    began = time.perf_counter()
    effort = player.decide(player.rules.start(), np.random.default_rng(bench.seed)).effort
    return effort, time.perf_counter() - began
