"""Study `deep-q`: the experiments on tic-tac-toe, whose values fit a table."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from fourlab.learning.mdp.planning import best_response, exact_shares
from fourlab.learning.mdp.process import Environment, mdp
from fourlab.learning.mdp.tabular import QLearning, TabularValues, random_policy
from fourlab.rules.catalog import game as find_game
from fourlab.search.scores import sign
from fourlab.search.solver import solve
from fourlab.studies import plots
from fourlab.studies.base import Published
from fourlab.studies.bench import Bench
from fourlab.studies.deep_q.claims import ALMOST, CLOSE, STUDIED
from fourlab.studies.findings import Column, Curve, Findings, Measure, Row, over_known, over_seeds
from fourlab.studies.schooling import Exam, Schooled, Schooling

GAME = "tictactoe"
POSITION = "3758"  # X on 3 and 5, O on 7 and 8, X to move
CELLS = (1, 2, 4, 6, 9)  # that are open
WINS = 9  # the cell that wins; all others lose
BEHAVIOUR = f"start=moves:{POSITION},side=first,alpha=0.1,gamma=1,epsilon=1,symmetric=no"
PERFECT = {  # opponents that never lose, and how they choose among equal moves
    "alpha-beta": "minimax:ties=first",
    "perfect, drawing lots": "perfect",
}
SELF_PLAY = "alpha=0.1,gamma=1,opponent=self,symmetric=no"
WHOLE = {
    "q, random moves": f"q:{SELF_PLAY},epsilon=1",
    "q, a tenth random": f"q:{SELF_PLAY},epsilon=0.1",
    "double-q, random moves": f"double-q:{SELF_PLAY},epsilon=1",
}


def position_values(bench: Bench, specs: dict[str, str], games: int) -> Findings:
    """Follow the values of the five moves of a position while they are learned."""
    every = 10
    seeds = bench.seeds(10, 3)
    jobs = [
        Schooling(f"{spec},games={games}", GAME, seed, every, looks=(POSITION,))
        for spec in specs.values()
        for seed in seeds
    ]
    schooled = bench.school(jobs)
    rows: list[Row] = []
    curves: list[Curve] = []
    for number, name in enumerate(specs):
        found = schooled[number * len(seeds) : (number + 1) * len(seeds)]
        rows.append({"learned": name, **_row(found)})
        if not curves:
            curves = [_trajectory(found, cell) for cell in CELLS]
    columns = (
        Column("learned", "learned by", "text"),
        Column("winner", "Q(9)"),
        Column("losers", "Q(1, 2, 4, 6)"),
        Column("episodes", "episodes", "whole"),
        Column("winner_episodes", "for Q(9)", "whole"),
        Column("loser_episodes", "for the others", "whole"),
    )
    exact = solve(find_game(GAME).start().play_all(POSITION))
    truth = Findings(
        (Column("move", "cell", "text"), Column("worth", "with perfect play", "whole")),
        tuple({"move": str(cell), "worth": sign(exact[cell - 1] or 0)} for cell in CELLS),
    )
    note = f"Episodes are counted until values stay within {CLOSE} of the truth."
    return Findings(columns, tuple(rows), tuple(curves), (note,), truth)


def _row(found: Sequence[Schooled]) -> dict[str, Measure]:
    losers = [cell for cell in CELLS if cell != WINS]
    return {
        "winner": over_seeds([_value(schooled.looks[-1][0][WINS - 1]) for schooled in found]),
        "losers": over_seeds(
            [
                float(np.mean([_value(schooled.looks[-1][0][cell - 1]) for cell in losers]))
                for schooled in found
            ]
        ),
        "episodes": over_seeds([_settled(schooled, CELLS) for schooled in found]),
        "winner_episodes": over_seeds([_settled(schooled, (WINS,)) for schooled in found]),
        "loser_episodes": over_seeds([_settled(schooled, losers) for schooled in found]),
    }


def _value(seen: float | None) -> float:
    return 0.0 if seen is None else seen


def _settled(schooled: Schooled, cells: Sequence[int]) -> float:
    """Return the episodes after which some values stay close to the truth."""
    settled = float(schooled.done[-1])
    for done, looks in zip(reversed(schooled.done), reversed(schooled.looks), strict=True):
        for cell in cells:
            truth = 1.0 if cell == WINS else -1.0
            if abs(_value(looks[0][cell - 1]) - truth) > CLOSE:
                return settled
        settled = float(done)
    return settled


def _trajectory(found: Sequence[Schooled], cell: int) -> Curve:
    step = max(1, len(found[0].done) // 100)
    series = [
        tuple(round(_value(looks[0][cell - 1]), 4) for looks in schooled.looks[::step])
        for schooled in found
    ]
    return Curve(f"cell {cell}", tuple(found[0].done[::step]), tuple(series))


def in_the_open(job: tuple[str, int, int]) -> Schooled:
    """Learn the position as the study wrote it: values begin at random; runs in a worker."""
    opponent, episodes, seed = job
    environment = Environment(mdp(GAME, opponent, start=POSITION), seed)
    values = TabularValues(spread=0.3, seed=seed)
    teacher = QLearning(environment, random_policy(environment), values, seed=seed)
    start = environment.reset()
    found = Schooled()
    for done in range(20, episodes + 1, 20):
        teacher.train(20)
        found.done.append(done)
        found.looks.append([[values[start, move] for move in range(9)]])
    return found


def fixed(bench: Bench) -> Findings:
    """Learn the position against opponents that never lose."""
    specs = {name: f"q:opponent={spec},{BEHAVIOUR}" for name, spec in PERFECT.items()}
    found = position_values(bench, specs, bench.pick(4000, 2000))
    jobs = [(PERFECT["alpha-beta"], bench.pick(1600, 1200), seed) for seed in bench.seeds(8, 2)]
    row: Row = {
        "learned": "alpha-beta, as the study wrote it",
        **_row(bench.each(in_the_open, jobs)),
    }
    return dataclasses.replace(found, rows=(found.rows[0], row, *found.rows[1:]))


def self_play(bench: Bench) -> Findings:
    """Learn the position by self-play."""
    return position_values(
        bench, {"self-play": f"q:opponent=self,{BEHAVIOUR}"}, bench.pick(8000, 4000)
    )


def whole(bench: Bench) -> Findings:
    """Learn all of tic-tac-toe by self-play and play 1,000 games against random now and then."""
    games, every = bench.pick((100_000, 1000), (100_000, 10_000))
    seeds, half = bench.seeds(8, 2), bench.pick(500, 100)
    exams = (Exam("random", half, "first"), Exam("random", half, "second"))
    last = (
        Exam("random", bench.pick(100_000, 2000)),
        Exam("perfect", bench.pick(2000, 200)),
        Exam("baseline", bench.pick(10_000, 1000)),
    )
    rows: list[Row] = []
    curves: list[Curve] = []
    for name, spec in WHOLE.items():
        spec = f"{spec},games={games}"
        often = bench.school(
            [Schooling(spec, GAME, seed, every, exams, often=True) for seed in seeds]
        )
        end = bench.school(
            [Schooling(spec, GAME, seed, every, last, suite="middle") for seed in seeds]
        )
        played = [np.array(schooled.exams).sum(axis=1) / (2 * half) for schooled in often]
        shares = [np.array(schooled.exams[-1]) for schooled in end]
        rows.append(
            {
                "learner": name,
                **{
                    column: over_seeds([float(s[0, kind] / s[0].sum()) for s in shares])
                    for kind, column in enumerate(("wins", "draws", "losses"))
                },
                "episodes": over_seeds(
                    [_almost_perfect(s.done, p[:, 2]) for s, p in zip(often, played, strict=True)]
                ),
                "held": over_seeds([float(1 - s[1, 2] / s[1].sum()) for s in shares]),
                "baseline": over_seeds([float((s[2] @ (1, 0.5, 0)) / s[2].sum()) for s in shares]),
                "good": over_seeds([s.truth["good"] for s in end]),
                "off": over_known([s.truth["value_error"] for s in end]),
            }
        )
        if name == STUDIED:
            curves = [
                Curve(word, tuple(often[0].done), tuple(tuple(p[:, kind].tolist()) for p in played))
                for kind, word in enumerate(("won", "drawn", "lost"))
            ]
    columns = (
        Column("learner", "learner", "text"),
        Column("wins", "won against random", "percent"),
        Column("draws", "drawn", "percent"),
        Column("losses", "lost", "percent"),
        Column("episodes", f"episodes until it loses under {ALMOST:.0%}", "whole"),
    )
    rows += [{"learner": name, **shares} for name, shares in known_players("random").items()]
    truth = Findings(
        (
            Column("learner", "learner", "text"),
            Column("held", "drawn against perfect play", "percent"),
            Column("baseline", "score against baseline", "percent"),
            Column("good", "moves that keep the value", "percent"),
            Column("off", "values off by"),
        ),
        tuple(row for row in rows if "off" in row),
    )
    reached = rows[-2]["wins"]
    extra = {"lines": [["the most that can be won", reached]]}
    return Findings(columns, tuple(rows), tuple(curves), truth=truth, extra=extra)


def known_players(opponent: str) -> dict[str, dict[str, float]]:
    """Return exactly what the best response and perfect play get, sides in turn."""
    sides = ("first", "second")
    best = [best_response(GAME, opponent, side, draw=0).shares for side in sides]
    sound = [exact_shares(GAME, "perfect", opponent, side) for side in sides]
    found = {}
    for name, shares in (("the most that any player can win", best), ("perfect play", sound)):
        wins, draws, losses = (sum(share) / 2 for share in zip(*shares, strict=True))
        found[name] = {"wins": wins, "draws": draws, "losses": losses}
    return found


def framework(bench: Bench) -> Findings:
    """Plan in the Markov decision process of the study: the best that any player can reach."""
    rows: list[Row] = []
    for opponent in ("random", "baseline", PERFECT["alpha-beta"]):
        for side in ("first", "second"):
            best = best_response(GAME, opponent, side)
            row: Row = dict(zip(("wins", "draws", "losses"), best.shares, strict=True))
            rows.append({"world": f"{side} against {opponent}", "states": best.states, **row})
    columns = (
        Column("world", "the learner is", "text"),
        Column("states", "states", "whole"),
        Column("wins", "best: won", "percent"),
        Column("draws", "drawn", "percent"),
        Column("losses", "lost", "percent"),
    )
    alone = len(mdp(GAME).states)
    note = f"Alone for both sides the process has {alone:,} states; its value is a draw."
    return Findings(columns, tuple(rows), notes=(note,))


def _almost_perfect(done: Sequence[int], lost: Sequence[float]) -> float:
    """Return the episodes after which the share of lost games stays small."""
    settled = float(done[-1])
    for games, losses in zip(reversed(done), reversed(lost), strict=True):
        if losses > ALMOST:
            break
        settled = float(games)
    return settled


def draw_whole(found: Findings, published: Published | None) -> Any:
    """Draw the shares against random while it learns, and the most that can be won."""
    lines = tuple((name, value) for name, value in found.extra["lines"])
    return plots.curves(found, published, x="episodes", y="games against random", lines=lines)
