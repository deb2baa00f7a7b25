"""A learner of study `mcts-q` after its training: its file, its games, and what they gave away."""

from __future__ import annotations

from dataclasses import dataclass, field

from fourlab.agents.registry import agent
from fourlab.arena.games import Games
from fourlab.arena.grading import Marks
from fourlab.arena.in_step import play_in_step
from fourlab.arena.pairing import Pairing, Stretch
from fourlab.learning.registry import learner
from fourlab.learning.tables.learner import TableLearner
from fourlab.positions.suites import Scored
from fourlab.rules.geometry import Rules
from fourlab.search.solver import shared_solver
from fourlab.studies.bench import Bench
from fourlab.studies.schooling import Exam
from fourlab.values.packing import packed


@dataclass(frozen=True)
class Course:
    """A training run, then games as first player without exploration, some of them solved."""

    learner: str
    game: str
    seed: int
    every: int  # games between two reports
    opponent: str  # of the games that follow
    games: int
    solved: int = 0


@dataclass
class Graduate:
    """What a course came to."""

    done: list[int] = field(default_factory=list)  # training games at each report
    results: list[tuple[int, int, int]] = field(default_factory=list)  # since the last: w, d, l
    decisions: list[int] = field(default_factory=list)  # since the last
    states: int = 0  # rows of its table
    values: int = 0  # that were taught
    file_bytes: int = 0
    won: int = 0  # of the games that followed
    lost: int = 0
    lost_moves: int = 0  # in those lost
    moves: int = 0  # in all of them
    own: tuple[int, int] = (0, 0)  # its moves in solved games, and the good ones
    other: tuple[int, int] = (0, 0)  # the opponent's


def graduate(course: Course) -> Graduate:
    """Train to the end, play and look back."""
    made = learner(course.learner, course.game, course.seed, chunk=course.every)
    if not isinstance(made, TableLearner):
        raise TypeError(f"{made.name} keeps no table")
    made.prepare()
    found = Graduate()
    for progress in made.steps():
        found.done.append(progress.done)
        found.results.append((progress.wins, progress.draws, progress.losses))
        found.decisions.append(int(progress.metrics["decisions"]))
    found.states = made.size
    found.values = len(made.knowledge.arrays()["keys"])
    found.file_bytes = len(packed(made.knowledge))
    pairing = Pairing(course.game, made.name, course.opponent, course.seed, 0)
    players = (made.agent(), agent(course.opponent, course.game))
    played = play_in_step(Stretch(pairing, 0, 2 * course.games), players)
    played = played.take(played.numbers % 2 == 0)  # in those it is first
    is_lost = played.results < 0
    found.lost, found.lost_moves = int(is_lost.sum()), int(played.lengths[is_lost].sum())
    found.won = int((played.results > 0).sum())
    found.moves = int(played.lengths.sum())
    found.own, found.other = look_back(made.rules, played, course.solved)
    return found


def look_back(rules: Rules, played: Games, games: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return moves and good moves of the first and of the second player in the first games."""
    solver, marks = shared_solver(rules), (Marks(), Marks())
    for line, length in zip(played.moves[:games], played.lengths[:games], strict=True):
        position = rules.start()
        for move in line[:length].tolist():
            scored = Scored(position, tuple(solver.scores(position)))
            marks[position.ply % 2].add(scored, move)
            position = position.play(move)
    first, second = ((mark.positions, mark.good) for mark in marks)
    return first, second


def graduates(bench: Bench, courses: list[Course]) -> list[Graduate]:
    """Run courses on the workers of a bench, in their order."""
    found = bench.each(graduate, courses)
    for spec in dict.fromkeys(course.learner for course in courses):
        taken = [c for c in zip(courses, found, strict=True) if c[0].learner == spec]
        course = taken[0][0]
        games = sum(done.done[-1] for _, done in taken)
        exams = [Exam(course.opponent, course.games, "first")]
        seeds = [course.seed for course, _ in taken]
        bench.note_training(spec, course.game, seeds, games, exams)
    return found
