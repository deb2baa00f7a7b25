"""The trainings and matches of the study `minimax-q`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fourlab.arena.statistics import share_interval
from fourlab.rules.catalog import game as find_game
from fourlab.rules.position import Position, position_of
from fourlab.search.scores import sign
from fourlab.search.solver import shared_solver
from fourlab.studies.base import Published
from fourlab.studies.bench import Bench
from fourlab.studies.findings import (
    Cell,
    Column,
    Curve,
    Findings,
    Measure,
    over_known,
    over_seeds,
    share,
)
from fourlab.studies.schooling import Exam, Schooled, Schooling

SIDES = {"X": "first", "O": "second"}
QUICKER = 10  # times fewer training games in a quick run
VARIANT_SEEDS = (10, 2)  # of what is no setting of the study
Row = dict[str, Cell]


@dataclass(frozen=True)
class Course:
    """How Q-learning is taught a game: epochs, and rates that fall from one to the next."""

    name: str
    game: str
    depth: int  # of the opponent that the study calls minimax
    opponent: str  # in training
    epochs: int
    games: int  # an epoch
    alpha: tuple[float, float]  # at first, and its factor an epoch
    epsilon: tuple[float, float]
    rewards: tuple[float, float, float]  # win, tie, loss
    suite: str  # of positions to grade on

    def minimax(self, ties: str = "first", plain: str = "no") -> str:
        """Return the study's minimax, which plays the first of equal moves."""
        return f"minimax:depth={self.depth},ties={ties},plain={plain}"

    def trainings(
        self,
        bench: Bench,
        side: str,
        seeds: Sequence[int],
        changes: dict[str, Any] | None = None,
        games: int = 0,
        **asked: Any,
    ) -> list[Schooling]:
        """Return a training of one side, 'X' or 'O', for each seed, looked at every epoch.

        `changes` are options of the learner, `games` those of an epoch where not the study's.
        """
        every = games or bench.pick(self.games, self.games // QUICKER)
        win, draw, loss = self.rewards
        options = {
            "games": self.epochs * every,
            "opponent": f"({self.opponent})",
            "side": SIDES[side],
            "alpha": f"(exp:{self.alpha[0]},factor={self.alpha[1]},every={every})",
            "epsilon": f"(exp:{self.epsilon[0]},factor={self.epsilon[1]},every={every})",
            "gamma": 0.9,
            "win": win,
            "draw": draw,
            "loss": loss,
            "symmetric": "no",
            **(changes or {}),
        }
        spec = "q:" + ",".join(f"{name}={value}" for name, value in options.items())
        return [Schooling(spec, self.game, seed, every, **asked) for seed in seeds]


# ---- against baseline ----------------------------------------------------------------------------

OUTCOMES = (
    Column("wins", "wins", "percent"),
    Column("draws", "ties", "percent"),
    Column("losses", "losses", "percent"),
)
TRUTH = (
    Column("player", "player", "text"),
    Column("perfect", "perfect moves", "percent"),
    Column("good", "good moves", "percent"),
    Column("off", "values off by"),
)


def against_baseline(
    bench: Bench,
    course: Course,
    matches: tuple[int, int],
    seeds: tuple[int, int],
    published: Published,
    ties: tuple[float, ...] = (),
) -> Findings:
    """Play minimax and trained Q-players against baseline from either side.

    `matches` are games of minimax and `seeds` trainings, in full and quick; `ties` are other
    rewards for a tie, tried beside the study's with fewer seeds.
    """
    rows, notes = _minimax_rows(bench, course, bench.pick(*matches))
    notes += _told_intervals(published)
    exam = Exam("baseline", bench.pick(1000, 200))
    variants: dict[str, dict[str, Any]] = {"": {}, ", mirrored": {"symmetric": "yes"}}
    variants |= {f", a tie worth {tie:g}": {"draw": tie} for tie in ties}
    curves, truth = [], _graded(bench, course)
    for suffix, change in variants.items():
        for side in SIDES:
            trained = bench.seeds(*(VARIANT_SEEDS if suffix else seeds))
            asked: dict[str, Any] = {"exams": (exam,), "often": not suffix, "suite": course.suite}
            runs = bench.school(course.trainings(bench, side, trained, change, **asked))
            label = f"Q {side}{suffix}"
            rows.append({"player": label, **_shares([run.exams[-1][0] for run in runs])})
            truth.append({"player": label, **_truths(runs)})
            if not suffix:
                curves.append(_curve(label, runs))
    columns = (Column("player", "player", "text"), *OUTCOMES)
    return Findings(
        columns, tuple(rows), tuple(curves), tuple(notes), Findings(TRUTH, tuple(truth))
    )


def _minimax_rows(bench: Bench, course: Course, games: int) -> tuple[list[Row], list[str]]:
    rows: list[Row] = []
    notes = []
    for suffix, ties in (("", "first"), (", equals by lot", "random")):
        spec = course.minimax(ties)
        played = bench.match(spec, "baseline", games, course.game, plies=0)
        for side, counts in zip(SIDES, played.counts.tolist(), strict=True):
            outcomes = zip(("wins", "draws", "losses"), counts, strict=True)
            marks = {name: share(count, sum(counts)) for name, count in outcomes}
            rows.append({"player": f"minimax {side}{suffix}", **marks})
        notes.append(
            f"{played.distinct:,} of {played.games:,} games of {spec} against baseline differ."
        )
    return rows, notes


def _told_intervals(published: Published) -> list[str]:
    """Say how much room the published number of games leaves."""
    words = []
    for row, shares in published.rows.items():
        low, high = share_interval(shares["wins"] * published.games, published.games)
        words.append(f"{row} {shares['wins']:.1%} ({low:.1%} to {high:.1%})")
    return [
        f"Wins as published, with the interval of {published.games:,} games: {', '.join(words)}."
    ]


def _shares(results: Sequence[tuple[int, int, int]]) -> Row:
    """Return shares over seeds of wins, draws and losses."""
    parts = np.array(results) / np.array(results).sum(axis=1, keepdims=True)
    columns = zip(("wins", "draws", "losses"), parts.T.tolist(), strict=True)
    return {name: over_seeds(values) for name, values in columns}


def _curve(name: str, runs: Sequence[Schooled]) -> Curve:
    wins = [[exams[0][0] / sum(exams[0]) for exams in run.exams] for run in runs]
    return Curve(name, tuple(runs[0].done), tuple(map(tuple, wins)))


def _graded(bench: Bench, course: Course) -> list[Row]:
    """Grade who does not learn, for comparison."""
    rows: list[Row] = []
    for name, spec in (("random", "random"), ("minimax", course.minimax())):
        marks = bench.grade(spec, course.game, course.suite, bench.pick(None, 100)).overall
        perfect, good = (share(hits, marks.positions) for hits in (marks.perfect, marks.good))
        rows.append({"player": name, "perfect": perfect, "good": good, "off": None})
    return rows


def _truths(runs: Sequence[Schooled]) -> Row:
    names = {"perfect": "perfect", "good": "good", "off": "value_error"}
    return {name: over_known([run.truth[key] for run in runs]) for name, key in names.items()}


# ---- states --------------------------------------------------------------------------------------

STATES = (
    Column("player", "player", "text"),
    Column("pairs", "Q-states", "whole"),
    Column("per_game", "new in a game"),
    Column("taught", "of them taught", "whole"),
    Column("states", "boards", "whole"),
)


def states(bench: Bench, courses: Sequence[Course]) -> Findings:
    """Count the pairs of board and move that training comes to."""
    rows: list[Row] = []
    for course in courses:
        for side in SIDES:
            runs = bench.school(course.trainings(bench, side, bench.seeds(10)))
            pairs = [run.sizes["moves"] for run in runs]
            rows.append(
                {
                    "player": f"{course.name} {side}",
                    "pairs": over_seeds(pairs),
                    "per_game": over_seeds([count / runs[0].done[-1] for count in pairs]),
                    "taught": over_seeds([run.sizes["taught"] for run in runs]),
                    "states": over_seeds([run.sizes["states"] for run in runs]),
                }
            )
    shares = [_value(row["taught"]) / _value(row["pairs"]) for row in rows]
    note = (
        "A Q-state is a move of a board that was looked up, tried or not; tried were "
        f"{min(shares):.0%} to {max(shares):.0%} of them."
    )
    return Findings(STATES, tuple(rows), notes=(note,))


def _value(cell: Cell) -> float:
    assert isinstance(cell, Measure)  # noqa: S101  # such columns hold nothing else
    return cell.value


# ---- head to head --------------------------------------------------------------------------------

LINES = (Column("lines", "different games"), Column("length", "moves"))
FINALS = (
    Column("player", "player", "text"),
    Column("moves", "a game of the first seed", "text"),
    Column("share", "of its games", "percent"),
    Column("error", "thrown away by the move on ply", "text"),
)


def head_to_head(
    bench: Bench, courses: Sequence[Course], seeds: tuple[int, int], told: tuple[int, int]
) -> Findings:
    """Let Q-players meet minimax from either side, and tell their games."""
    rows: list[Row] = []
    finals: list[Row] = []
    boards = []
    for course in courses:
        exam = Exam(course.minimax(), bench.pick(200, 20), told=bench.pick(*told))
        for side in SIDES:
            seeded = bench.seeds(*seeds)
            runs = bench.school(course.trainings(bench, side, seeded, exams=(exam,)))
            label = f"{course.name}, Q {side}"
            games = [run.told[0] for run in runs]
            lengths = [sum(map(len, lines)) / len(lines) for lines in games]
            rows.append(
                {
                    "player": label,
                    **_shares([run.exams[-1][0] for run in runs]),
                    "lines": over_seeds([len(set(lines)) for lines in games]),
                    "length": over_seeds(lengths),
                }
            )
            line, times = Counter(games[0]).most_common(1)[0]
            boards.append({"title": label, "game": course.game, "moves": line})
            of_all = share(times, len(games[0]))
            error = first_error(position_of(find_game(course.game), line), "XO".index(side))
            finals.append({"player": label, "moves": line, "share": of_all, "error": error})
    columns = (Column("player", "player", "text"), *OUTCOMES, *LINES)
    truth = Findings(FINALS, tuple(finals))
    return Findings(columns, tuple(rows), truth=truth, extra={"boards": boards})


def first_error(end: Position, side: int) -> str:
    """Return the ply of the first move of a side that lost a win or a draw; '-' without one."""
    position = end.rules.start()
    for move in end.moves:
        if position.to_move == side:
            scores = shared_solver(end.rules).scores(position)
            best = max(score for score in scores if score is not None)
            if sign(scores[move] or 0) < sign(best):
                words = {1: "a win", 0: "a draw"}[sign(best)]
                return f"{position.ply + 1}, {words}"
        position = position.play(move)
    return "-"


# ---- trained against minimax ---------------------------------------------------------------------


def rematch(bench: Bench, course: Course, games: dict[int, tuple[int, int]]) -> Findings:
    """Train as X against baseline or minimax of a depth, then play that minimax."""
    rows: list[Row] = []
    for depth, sizes in games.items():
        rival = replace(course, depth=depth).minimax()
        every = bench.pick(*sizes) // course.epochs
        exam = Exam(rival, bench.pick(200, 20), told=bench.pick(20, 4))
        for name, opponent in (("baseline", "baseline"), ("minimax", f"({rival})")):
            change = {"opponent": opponent}
            jobs = course.trainings(bench, "X", bench.seeds(), change, every, exams=(exam,))
            runs = bench.school(jobs)
            lengths = [sum(map(len, run.told[0])) / len(run.told[0]) for run in runs]
            rows.append(
                {
                    "player": f"depth {depth}, after {name}",
                    **_shares([run.exams[-1][0] for run in runs]),
                    "games": course.epochs * every,
                    "length": over_seeds(lengths),
                }
            )
    columns = (
        Column("player", "minimax met, Q trained against", "text"),
        Column("games", "training games", "whole"),
        *OUTCOMES,
        Column("length", "moves"),
    )
    return Findings(columns, tuple(rows))
