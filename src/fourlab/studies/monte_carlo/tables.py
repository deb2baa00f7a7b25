"""The study `monte-carlo`: what is in the learned tables, and what the study's own held."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from fourlab.rules.catalog import game as find_game
from fourlab.search.solver import shared_solver
from fourlab.studies.bench import Bench
from fourlab.studies.findings import Cell, Column, Curve, Findings, Measure, share
from fourlab.studies.monte_carlo.jobs import (
    Census,
    Course,
    Measuring,
    MixedKeys,
    count,
    measure,
    train_mixed,
)
from fourlab.studies.monte_carlo.learning import (
    BOARDS,
    EVEN,
    SMALL,
    TINY,
    WHOLE,
    Rows,
    courses,
    log,
    of_seeds,
    percent,
    split,
    wins,
)

POLICIES, MANY = 2000, 100_000
RANDOM = "keep=0"  # every stored move is random: what a policy looks like that learned nothing
CRITICAL = {5: 11.070, 6: 12.592}  # chi-square by degrees of freedom, 95%
DEMO = 54  # games when the document's picture was taken; the last had not changed a policy yet
MIXED, RIGHT = "keys mixed", "keys before the move"
ALL, BEST = "all", "best"  # stored moves, and those of value 200


# ---- columns ------------------------------------------------------------------------------------


def centre(columns: int) -> range:
    """Return the central columns: 3 of an odd number, 2 of an even one."""
    middle = columns // 2
    return range(middle - 1, middle + 1 + columns % 2)


def surveys(bench: Bench) -> dict[str, list[dict[str, Any]]]:
    """Return what was counted by row: board, size and kind of policy, a run a seed."""
    kinds = [(board, POLICIES, options) for board in (WHOLE, EVEN) for options in ("", RANDOM)]
    kinds += [(board, MANY, "") for board in bench.pick((WHOLE, EVEN), ())]
    found: dict[str, list[dict[str, Any]]] = {}
    for board, policies, options in kinds:
        seeds = bench.seeds(100 if policies == POLICIES else 24, 6)
        runs = bench.each(count, [Census(BOARDS[board], s, policies, options) for s in seeds])
        found[row_name(board, policies, options)] = runs
        log(bench, BOARDS[board], options, seeds, sum(run["games"] for run in runs))
    return found


def row_name(board: str, policies: int, options: str = "") -> str:
    """Return the label of what was counted."""
    return f"{board.split(',')[0]}, {policies:,} policies" + (", random" if options else "")


def shares(runs: list[dict[str, Any]], name: str) -> tuple[np.ndarray[Any, Any], ...]:
    """Return [seeds, columns]: shares of columns, and what a random policy would have there."""
    counts, chance = (np.array([run[key] for run in runs]) for key in (name, f"{name}_chance"))
    total = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return counts / total, chance / total


def columns(bench: Bench) -> Findings:
    """Count the columns of all stored moves."""
    return _histogram(surveys(bench), ALL)


def winning(bench: Bench) -> Findings:
    """Count the columns of stored moves of value 200."""
    return _histogram(surveys(bench), BEST)


def _histogram(found: dict[str, list[dict[str, Any]]], name: str) -> Findings:
    rows = tuple(_row(label, runs, name) for label, runs in found.items())
    drawn = {label: runs for label, runs in found.items() if f"{POLICIES:,}" in label}
    truths: Rows = []
    for label, runs in drawn.items():
        here, chance = shares(runs, name)
        truths += [
            {
                "column": f"{label}, column {at + 1}",
                "share": dataclasses.replace(of_seeds(here[:, at]), samples=()),
                "chance": float(chance[:, at].mean()),
                "score": score,
            }
            for at, score in enumerate(_first_scores(label))
        ]
    return Findings(
        (
            Column("row", "stored moves", "text"),
            Column("games", "games", "whole"),
            Column("moves", "moves counted", "whole"),
            percent("central", "in the centre"),
            percent("chance", "of a random policy"),
            percent("more", "difference"),
            percent("outer", "in outer columns"),
            percent("seen", "runs with a pattern"),
            *([percent("at_once", "that win at once")] if name == BEST else []),
        ),
        rows,
        notes=_notes(rows),
        truth=Findings(
            (
                Column("column", "column", "text"),
                percent("share", "share"),
                percent("chance", "of a random policy"),
                Column("score", "exact score as a first move", "whole"),
            ),
            tuple(truths),
        ),
        extra={"boards": [_picture(label, shares(runs, name)[0]) for label, runs in drawn.items()]},
    )


def _row(label: str, runs: list[dict[str, Any]], name: str) -> dict[str, Cell]:
    here, chance = shares(runs, name)
    moves = np.array([sum(run[name]) for run in runs])
    inner = list(centre(here.shape[1]))
    central, expected = here[:, inner].sum(axis=1), chance[:, inner].sum(axis=1)
    squares = ((here - chance) ** 2 / np.maximum(chance, 1e-9)).sum(axis=1) * moves
    at_once = sum(run["at_once"] for run in runs) / max(sum(sum(run[BEST]) for run in runs), 1)
    return {
        "row": label,
        "games": float(np.mean([run["games"] for run in runs])),
        "moves": float(moves.mean()),
        "central": of_seeds(central),
        "chance": float(expected.mean()),
        "more": of_seeds(central - expected),
        "outer": of_seeds(1 - central),
        "seen": share(int((squares > CRITICAL[here.shape[1] - 1]).sum()), len(runs)),
        "at_once": at_once,
    }


def _notes(rows: Sequence[dict[str, Cell]]) -> tuple[str, ...]:
    seen = rows[0]["seen"]
    assert isinstance(seen, Measure)  # noqa: S101  # for the type checker
    return (
        f"A single run, which is what the document looked at, shows a pattern at 95% (chi-square "
        f"against a random policy in the same states) in {seen.value:.0%} of {seen.units} runs on "
        f"{rows[0]['row']}; 5% would be so by chance.",
    )


def _picture(label: str, here: np.ndarray[Any, Any]) -> dict[str, Any]:
    board = label.split(",")[0]
    width, height = (int(part) for part in board.split(" x "))
    found = [of_seeds(here[:, at]) for at in range(width)]
    return {
        "title": label,
        "columns": width,
        "rows": height,
        "shares": [part.value for part in found],
        "lows": [part.low for part in found],
        "highs": [part.high for part in found],
    }


def _first_scores(label: str) -> list[int | None]:
    board = next(game for name, game in BOARDS.items() if name.startswith(label.split(",")[0]))
    return shared_solver(find_game(board)).scores(find_game(board).start())


# ---- precision ----------------------------------------------------------------------------------


def precision(bench: Bench) -> Findings:
    """Look at the values of the first moves as their trials grow."""
    marks = bench.pick((100, 1000, 10_000, 100_000), (100, 1000, 10_000))
    seeds, names = bench.seeds(24, 6), (TINY, SMALL, WHOLE)
    jobs = [
        Measuring(BOARDS[board], seed, marks, board == TINY) for board in names for seed in seeds
    ]
    rows: Rows = []
    curves = []
    for board, runs in zip(names, split(bench.each(measure, jobs), len(names)), strict=True):
        log(bench, BOARDS[board], "", seeds, marks[-1] * len(seeds))
        spreads = []
        for at, mark in enumerate(marks):
            values = np.array([run[at]["values"] for run in runs])  # [seeds, columns]
            apart = np.abs(values - values.mean(axis=0)).mean(axis=1) / values.mean()
            spreads.append(apart)
            truth = np.array([run[at]["truth"] for run in runs])
            rows.append(
                {
                    "row": f"{board}, {mark:,} episodes",
                    "value": of_seeds(values.max(axis=1)),
                    "trials": float(np.mean([max(run[at]["trials"]) for run in runs])),
                    "spread": of_seeds(apart),
                    "off": of_seeds(np.abs(values - truth).mean(axis=1)) if truth.size else None,
                    "bias": of_seeds((values - truth).mean(axis=1)) if truth.size else None,
                }
            )
        series = tuple(tuple(line) for line in np.transpose(spreads).round(5).tolist())
        curves.append(Curve(board, tuple(map(float, marks)), series))
    return Findings(
        (
            Column("row", "board", "text"),
            Column("value", "best Q of a first move"),
            Column("trials", "trials of the most tried", "whole"),
            percent("spread", "between seeds, of the mean"),
            Column("off", "off the true return"),
            Column("bias", "above it"),
        ),
        tuple(rows),
        tuple(curves),
    )


# ---- the study's own program --------------------------------------------------------------------


def demo(bench: Bench) -> Findings:
    """Take the document's picture again, and let its keys go on: mixed as they were, and right."""
    seeds, tests = bench.seeds(24, 3), bench.pick(100, 50)
    plans = ((BOARDS[WHOLE], (DEMO - 1, DEMO)), (BOARDS[SMALL], (0, 800)))
    right = courses(bench, [Course(game, s, marks, tests) for game, marks in plans for s in seeds])
    mixed = bench.each(
        train_mixed, [MixedKeys(game, s, marks, tests) for game, marks in plans for s in seeds]
    )
    seen = bench.each(measure, [Measuring(BOARDS[WHOLE], s, (DEMO,)) for s in seeds])
    firsts = [max(zip(run[0]["trials"], run[0]["values"], strict=True)) for run in seen]
    whole, small = split(mixed, 2)
    ends = [run["wins"][1] for run in small]
    kept = [run["policies"][0] for run in whole]
    rows: Rows = [
        {
            "row": MIXED,
            "policies": of_seeds(kept),
            "trials": of_seeds([run["trials"] for run in whole]),
            "value": of_seeds([run["value"] for run in whole]),
            "won": of_seeds([run["wins"][1] for run in whole]),
            "untrained": of_seeds([run["wins"][0] for run in small]),
            "end": of_seeds(ends),
        }
    ]
    whole_right, small_right = split(right, 2)
    rows.append(
        {
            "row": RIGHT,
            "policies": of_seeds([run["sizes"][0] for run in whole_right]),
            "trials": of_seeds([trials for trials, _ in firsts]),
            "value": of_seeds([value for _, value in firsts]),
            "won": wins(whole_right, 1),
            "untrained": wins(small_right, 0),
            "end": wins(small_right, 1),
        }
    )
    board = WHOLE.split(",")[0]
    return Findings(
        (
            Column("row", "how states are kept", "text"),
            Column("policies", f"{board}, {DEMO} games: policies"),
            Column("trials", "trials of the first move"),
            Column("value", "its mean return"),
            percent("won", "test games won"),
            percent("untrained", f"{SMALL}: untrained"),
            percent("end", "after 800 episodes"),
        ),
        tuple(rows),
        notes=(
            f"Policies after {DEMO - 1} games with mixed keys: {min(kept)} to {max(kept)} by seed.",
            f"One run with mixed keys wins anything from {min(ends):.0%} to "
            f"{max(ends):.0%} of its test games on {SMALL}: what it stored by "
            "chance is all it ever plays.",
        ),
    )
