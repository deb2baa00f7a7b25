"""The study `monte-carlo`: how fast boards are learned, with which switches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fourlab.core.arrays import Floats
from fourlab.learning.mdp.planning import best_response
from fourlab.rules.catalog import game as find_game
from fourlab.search.solver import shared_solver
from fourlab.studies.bench import Bench
from fourlab.studies.findings import Cell, Column, Curve, Findings, Measure, over_seeds, share
from fourlab.studies.monte_carlo.jobs import (
    BY_VALUES,
    INSTINCT,
    STORED,
    Course,
    spec,
    take,
)
from fourlab.studies.schooling import Exam

SHAPES = ((3, 3, 3), (4, 4, 3), (5, 4, 3), (5, 5, 3), (5, 4, 4), (6, 5, 4), (7, 6, 4))
BOARDS = {
    f"{columns} x {rows}, connect {k}": f"connect:columns={columns},rows={rows},k={k}"
    for columns, rows, k in SHAPES
}
TINY, SMALL, MIDDLE, EVEN, WHOLE = (list(BOARDS)[at] for at in (0, 1, 4, 5, 6))

ITERATIONS = 8
EPISODES = 100  # of an iteration, as the text makes sense
READINGS = (1, 10, EPISODES)  # episodes that an iteration may be
MARKS = (0, 40, 80, 200, 400, 800, 2000, 4000, 8000, 20_000, 40_000, 80_000)
SWITCH_MARKS = (0, 800, 8000, 80_000)

Rows = list[dict[str, Cell]]
BOARD = Column("board", "board", "text")


def percent(name: str, title: str) -> Column:
    """Return a column of shares."""
    return Column(name, title, "percent")


def of_seeds(values: Sequence[float] | Floats) -> Measure:
    """Return a figure over seeds whose samples keep few digits."""
    return over_seeds([round(float(value), 5) for value in values])


def courses(bench: Bench, jobs: Sequence[Course]) -> list[dict[str, Any]]:
    """Train, test, and write down how."""
    found = bench.each(take, jobs)
    for game, options in dict.fromkeys((job.game, job.options) for job in jobs):
        same = [job for job in jobs if (job.game, job.options) == (game, options)]
        games = sum(max(job.marks) for job in same)
        log(bench, game, options, [job.seed for job in same], games, same[0].tests)
    return found


def log(
    bench: Bench, game: str, options: str, seeds: Sequence[int], games: int, tests: int = 0
) -> None:
    """Write down how some runs were trained and tested."""
    exams = [Exam("random", tests, "first")] if tests else []
    bench.note_training(spec(options), game, seeds, games, exams)


def wins(found: list[dict[str, Any]], mark: int, how: str = STORED) -> Measure:
    """Return the share of test games won at a mark, by its place, over seeds."""
    return of_seeds([run["wins"][how][mark] for run in found])


def difference(one: Measure, other: Measure) -> Measure:
    """Return the difference of two figures of the same seeds."""
    pairs = zip(one.samples, other.samples, strict=True)
    return of_seeds([a - b for a, b in pairs])


def _series(found: list[dict[str, Any]], how: str = STORED) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(run["wins"][how]) for run in found)


def split(found: list[Any], parts: int) -> list[list[Any]]:
    """Return equal parts of a list, in order."""
    size = len(found) // parts
    return [found[at * size : (at + 1) * size] for at in range(parts)]


def value_of(game: str) -> str:
    """Return what a board is worth with perfect play, in words."""
    score = shared_solver(find_game(game)).score(find_game(game).start())
    return "a draw" if score == 0 else f"{'first' if score > 0 else 'second'} player wins"


# ---- iterations ---------------------------------------------------------------------------------


def iterations(bench: Bench) -> Findings:
    """Test after each of 8 policy iterations, an iteration being 1, 10 or 100 episodes."""
    seeds = bench.seeds(64, 4)
    steps = [EPISODES * number for number in range(1, ITERATIONS + 1)]
    marks = (0, *(ITERATIONS * reading for reading in READINGS[:-1]), *steps)
    tests = 100
    jobs = [Course(game, seed, marks, tests) for game in BOARDS.values() for seed in seeds]
    parts = dict(zip(BOARDS, split(courses(bench, jobs), len(BOARDS)), strict=True))
    rows: Rows = []
    curves = []
    for board, found in parts.items():
        ends = {
            f"after{ITERATIONS * reading}": wins(found, marks.index(ITERATIONS * reading))
            for reading in READINGS
        }
        gains = [run["wins"][STORED][-1] - run["wins"][STORED][0] for run in found]
        row: dict[str, Cell] = {"board": board, "untrained": wins(found, 0), **ends}
        rows.append(row | {"gain": of_seeds(gains)})
        shown = [0, *(marks.index(step) for step in steps)]
        series = tuple(tuple(run["wins"][STORED][at] for at in shown) for run in found)
        curves.append(Curve(board, tuple(range(ITERATIONS + 1)), series))
    noise = [np.std([run["wins"][STORED][0] for run in found]) for found in parts.values()]
    titles = [percent(f"after{ITERATIONS * r}", f"8 iterations of {r}") for r in READINGS]
    return Findings(
        (BOARD, percent("untrained", "untrained"), *titles, percent("gain", "gained in 8 of 100")),
        tuple(rows),
        tuple(curves),
        notes=(
            f"{tests} test games of one and the same player differ by {np.mean(noise):.1%} "
            "(standard deviation) from seed to seed: that is the noise of each published point.",
        ),
    )


# ---- boards -------------------------------------------------------------------------------------


def boards(bench: Bench) -> Findings:
    """Go on to where each board learns."""
    seeds = bench.seeds(24, 3)
    marks = bench.pick(MARKS, MARKS[:9])
    tests, graded = bench.pick(400, 100), bench.pick(1000, 100)
    jobs = [
        Course(game, seed, marks, tests, graded=graded)
        for game in BOARDS.values()
        for seed in seeds
    ]
    parts = dict(zip(BOARDS, split(courses(bench, jobs), len(BOARDS)), strict=True))
    rows: Rows = []
    truths: Rows = []
    curves = []
    for board, found in parts.items():
        middle = [wins(found, at).value for at in range(len(marks))]
        half = (middle[0] + middle[-1]) / 2
        rows.append(
            {
                "board": board,
                "untrained": wins(found, 0),
                "at800": wins(found, marks.index(800)),
                "at8000": wins(found, marks.index(8000)),
                "end": wins(found, -1),
                "best": best_share(BOARDS[board], bench.pick(25, 16)),
                "half": next(mark for mark, won in zip(marks, middle, strict=True) if won >= half),
                "states": float(np.mean([run["sizes"][-1] for run in found])),
            }
        )
        truths.append(_truth(board, found))
        curves.append(Curve(board, tuple(map(float, marks)), _series(found)))
    return Findings(
        (
            BOARD,
            percent("untrained", "untrained"),
            percent("at800", "800 episodes"),
            percent("at8000", "8,000"),
            percent("end", f"all {marks[-1]:,}"),
            percent("best", "the most there is"),
            Column("half", "half way after", "whole"),
            Column("states", "states known", "whole"),
        ),
        tuple(rows),
        tuple(curves),
        truth=Findings(
            (
                BOARD,
                Column("value", "with perfect play", "text"),
                Column("best", "best first columns", "text"),
                percent("middle", "runs that begin in the middle"),
                percent("perfect", "perfect moves"),
                percent("good", "good moves"),
            ),
            tuple(truths),
        ),
    )


def best_share(game: str, cells: int) -> float | None:
    """Return the most games that any player can win as the first; None on more cells."""
    if find_game(game).cells > cells:
        return None
    return round(best_response(game, "random", "first", draw=0).shares.wins, 5)


def _truth(board: str, found: list[dict[str, Any]]) -> dict[str, Cell]:
    """Return what perfect play says of a board, and of what was learned on it."""
    rules = find_game(BOARDS[board])
    scores = shared_solver(rules).scores(rules.start())
    best = max(score for score in scores if score is not None)
    centre = {(rules.columns - 1) // 2, rules.columns // 2}
    begins = sum(int(np.argmax(run["first"])) in centre for run in found)
    return {
        "board": board,
        "value": value_of(BOARDS[board]),
        "best": " ".join(str(at + 1) for at, score in enumerate(scores) if score == best),
        "middle": share(begins, len(found)),
        "perfect": of_seeds([run["grades"][STORED][0] for run in found]),
        "good": of_seeds([run["grades"][STORED][1] for run in found]),
    }


# ---- switches -----------------------------------------------------------------------------------


def td(bench: Bench) -> Findings:
    """Train with the switch off and on, and test with it off and on, by the same seeds."""
    seeds = bench.seeds(24, 4)
    marks = bench.pick(MARKS, MARKS[:9])
    names = (SMALL, MIDDLE, WHOLE)
    jobs = [
        Course(BOARDS[board], seed, marks, bench.pick(400, 100), options, (STORED, INSTINCT))
        for board in names
        for options in ("", "td=yes")
        for seed in seeds
    ]
    parts = iter(split(courses(bench, jobs), 2 * len(names)))
    rows: Rows = []
    curves = []
    for board in names:
        off, on = next(parts), next(parts)
        for at, mark in enumerate(marks):
            if mark not in SWITCH_MARKS:
                continue
            three = {"off": wins(off, at), "training": wins(on, at), "on": wins(on, at, INSTINCT)}
            rows.append(
                {
                    "row": f"{board}, {mark:,} episodes",
                    **three,
                    "gain_training": difference(three["training"], three["off"]),
                    "gain": difference(three["on"], three["off"]),
                }
            )
        curves += [
            Curve(f"{board}, {name}", tuple(map(float, marks)), _series(runs, how))
            for name, runs, how in (
                ("off", off, STORED),
                ("in training", on, STORED),
                ("on", on, INSTINCT),
            )
        ]
    begun, ended = wins(on, 0, INSTINCT).value, wins(on, -1, INSTINCT).value  # on the last board
    return Findings(
        (
            Column("row", "board", "text"),
            percent("off", "off"),
            percent("training", "on in training"),
            percent("on", "on in training and test"),
            percent("gain_training", "gain, training"),
            percent("gain", "gain, both"),
        ),
        tuple(rows),
        tuple(curves),
        notes=(
            f"With the switch on in tests too, the untrained player wins {begun:.1%} on {WHOLE}: "
            "it wins and blocks at sight before it has learned anything. "
            f"After {marks[-1]:,} episodes it wins {ended:.1%}.",
        ),
    )


def by_values(bench: Bench) -> Findings:
    """Play the same tables by the stored policy and by the values beside it."""
    seeds = bench.seeds(24, 4)
    marks = bench.pick(SWITCH_MARKS, SWITCH_MARKS[:-1])
    names = (TINY, SMALL, MIDDLE, WHOLE)
    tests, graded = bench.pick(400, 100), bench.pick(1000, 100)
    how = (STORED, BY_VALUES)
    jobs = [
        Course(BOARDS[board], seed, marks, tests, "", how, graded)
        for board in names
        for seed in seeds
    ]
    parts = dict(zip(names, split(courses(bench, jobs), len(names)), strict=True))
    rows: Rows = [
        {
            "row": f"{board}, {mark:,} episodes",
            "stored": wins(found, at),
            "values": wins(found, at, BY_VALUES),
            "gain": difference(wins(found, at, BY_VALUES), wins(found, at)),
        }
        for board, found in parts.items()
        for at, mark in enumerate(marks)
        if mark
    ]
    truths: Rows = [
        {
            "board": board,
            **{
                f"{name}_{player}": of_seeds([run["grades"][player][at] for run in found])
                for at, name in enumerate(("perfect", "good"))
                for player in how
            },
        }
        for board, found in parts.items()
    ]
    return Findings(
        (
            Column("row", "board", "text"),
            percent("stored", "by the stored policy"),
            percent("values", "by its values"),
            percent("gain", "gain"),
        ),
        tuple(rows),
        truth=Findings(
            (
                BOARD,
                percent(f"perfect_{STORED}", "perfect moves, stored"),
                percent(f"perfect_{BY_VALUES}", "perfect moves, by values"),
                percent(f"good_{STORED}", "good moves, stored"),
                percent(f"good_{BY_VALUES}", "good moves, by values"),
            ),
            tuple(truths),
        ),
    )
