"""Experiments of study `mcts-q`, second part: what Q-learning is given."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from fourlab.rules.catalog import game as find_game
from fourlab.search.scores import sign
from fourlab.search.solver import shared_solver
from fourlab.studies.bench import Bench
from fourlab.studies.claims import compare
from fourlab.studies.findings import Cell, Column, Curve, Findings, over_seeds
from fourlab.studies.mcts_q.graduates import Graduate
from fourlab.studies.mcts_q.search import BOARD, OUTCOMES, mc
from fourlab.studies.schooling import Exam, Schooled, Schooling

Run = TypeVar("Run")

KINDS = {"afterstates": "afterstates", "vanilla": "q"}
SPARRING = 20  # simulations of the opponent in the sweeps
EPSILONS = "0.9/0.7/0.5/0.3/0.1"  # one after the other; the study's are not told
STEPS = 5  # of them
EACH, EACH_QUICK = 4_500, 200  # games for each of them
TOP = 25  # simulations of the strongest opponent
GAMMAS = (0.2, 0.4, 0.6, 0.8, 1.0)
MAPS = {  # rewards of a draw and of a loss; a win is 1
    "0, 0, 1": (0, 0),
    "0, -1, 1": (0, -1),
    "-0.5, -1, 1": (-0.5, -1),
    "-1, -1, 1": (-1, -1),
}
CHOSEN_MAP, CHOSEN_GAMMA, CHOSEN_STEP = "-0.5, -1, 1", 1.0, -0.1
MOVE_REWARDS = (-0.05, -0.1, -0.2)  # of the study
FREE = 0.0  # and none, which it did not try
ROWS = (2, 3, 4, 5, 6)
DOUBT = 0.05  # chance of a difference at which two figures are not told apart
VALUES = {1: "first wins", 0: "draw", -1: "second wins"}


def pupil(
    kind: str,
    opponent: str,
    games: int,
    rewards: str = CHOSEN_MAP,
    gamma: float = CHOSEN_GAMMA,
    step: float = CHOSEN_STEP,
    epsilon: str = "",
    side: str = "first",
) -> str:
    """Return the spec of a learner; its epsilon falls in equal steps if nothing else is said."""
    draw, loss = MAPS[rewards]
    epsilon = epsilon or f"steps:{EPSILONS},every={games // STEPS}"
    return (
        f"{KINDS[kind]}:games={games},opponent=({opponent}),side={side},alpha=0.1,gamma={gamma:g},"
        f"draw={draw:g},loss={loss:g},step={step:g},epsilon=({epsilon})"
    )


def examined(
    bench: Bench,
    specs: Sequence[str],
    seeds: range,
    opponents: Sequence[str] = (),
    suite: str = "",
    games: Sequence[str] = (),
    every: int = 0,
) -> list[list[Schooled]]:
    """Train each learner with each seed; returned by learner, then by seed."""
    exams = tuple(Exam(opponent, bench.pick(1_000, 100)) for opponent in opponents)
    each = every or bench.pick(900, 200)
    boards = games or [BOARD] * len(specs)
    jobs = [
        Schooling(spec, board, seed, each, exams, suite=suite)
        for spec, board in zip(specs, boards, strict=True)
        for seed in seeds
    ]
    found = bench.school(jobs)
    return parts(found, len(seeds))


def parts(found: Sequence[Run], size: int) -> list[list[Run]]:
    """Return runs in groups of one size."""
    return [list(found[at : at + size]) for at in range(0, len(found), size)]


def won(run: Schooled | Graduate, result: int = 0) -> float:
    """Return the share of its training games that a run won, or drew (1), or lost (2)."""
    return sum(counts[result] for counts in run.results) / run.done[-1]


def length(run: Schooled | Graduate) -> float:
    """Return the mean moves of training games of a first player on a board of even size.

    Games that it wins end with its own move, all others with the opponent's.
    """
    wins = sum(counts[0] for counts in run.results)
    return (2 * sum(run.decisions) - wins) / run.done[-1]


def marks(runs: list[Schooled], exam: int = 0) -> dict[str, Cell]:
    """Return wins, draws and losses of an exam at the end, over seeds."""
    held = [np.array(run.exams[-1][exam]) for run in runs]
    shares = np.array([counts / counts.sum() for counts in held])
    return {
        name: over_seeds(shares[:, index].tolist())
        for index, name in enumerate(("wins", "draws", "losses"))
    }


def q_rewards(bench: Bench) -> Findings:
    """Reward maps of Q-learning, averaged over gammas; the move itself costs nothing yet."""
    gammas: Sequence[float] = bench.pick(GAMMAS, (0.2, 1.0))
    games = STEPS * bench.pick(EACH, EACH_QUICK)
    grid = list(itertools.product(MAPS, gammas))
    specs = [pupil("afterstates", mc(SPARRING), games, name, gamma, 0) for name, gamma in grid]
    seeds = bench.seeds(5)
    found = dict(zip(grid, examined(bench, specs, seeds, [mc(SPARRING)]), strict=True))
    rows: list[dict[str, Cell]] = []
    curves = []
    for name in MAPS:
        for gamma in gammas:
            runs = found[name, gamma]
            label = f"{name}, gamma {gamma:g}"
            rows.append({"label": label, "map": name, "gamma": f"{gamma:g}", **_summary(runs)})
        by_seed = list(zip(*(found[name, gamma] for gamma in gammas), strict=True))
        mean = {
            "training": [float(np.mean([won(run) for run in runs])) for runs in by_seed],
            "wins": [float(np.mean([_score(run)[0] for run in runs])) for runs in by_seed],
            "losses": [float(np.mean([_score(run)[2] for run in runs])) for runs in by_seed],
            "moves": [float(np.mean([length(run) for run in runs])) for runs in by_seed],
        }
        means = {key: over_seeds(values) for key, values in mean.items()}
        rows.append({"label": name, "map": name, "gamma": "mean", **means})
        lines = [np.mean([_wins(run) for run in runs], axis=0) for runs in by_seed]
        x = tuple(float(done) for done in by_seed[0][0].done)
        curves.append(Curve(name, x, tuple(tuple(np.round(line, 4).tolist()) for line in lines)))
    columns = (
        Column("label", "draw, loss, win", "text"),
        Column("map", "map", "text"),
        Column("gamma", "gamma", "text"),
        *SUMMARY,
    )
    means_alone = Findings(columns, tuple(row for row in rows if row["gamma"] == "mean"))
    notes = (f"Over all gammas: {note_on_best(means_alone, 'training')}",)
    return Findings(columns, tuple(rows), tuple(curves), notes)


SUMMARY = (
    Column("training", "won in training", "percent"),
    Column("wins", "won afterwards", "percent"),
    Column("losses", "lost afterwards", "percent"),
    Column("moves", "mean moves in training"),
)


def _score(run: Schooled) -> tuple[float, float, float]:
    wins, draws, losses = run.exams[-1][0]
    games = wins + draws + losses
    return wins / games, draws / games, losses / games


def _wins(run: Schooled) -> list[float]:
    return [counts[0] / sum(counts) for counts in run.results]


def _summary(runs: list[Schooled]) -> dict[str, Cell]:
    return {
        "training": over_seeds([won(run) for run in runs]),
        "wins": over_seeds([_score(run)[0] for run in runs]),
        "losses": over_seeds([_score(run)[2] for run in runs]),
        "moves": over_seeds([length(run) for run in runs]),
    }


def gamma(bench: Bench) -> Findings:
    """Gamma and the reward of a move that does not end the game."""
    gammas: Sequence[float] = bench.pick(GAMMAS, (0.2, 1.0))
    games = STEPS * bench.pick(EACH, EACH_QUICK)
    grid = list(itertools.product((FREE, *MOVE_REWARDS), gammas))
    specs = [
        pupil("afterstates", mc(SPARRING), games, gamma=discount, step=step)
        for step, discount in grid
    ]
    found = examined(bench, specs, bench.seeds(5), [mc(SPARRING)])
    rows: list[dict[str, Cell]] = [
        {
            "label": pair_label(discount, step),
            "gamma": f"{discount:g}",
            "step": f"{step:g}",
            **_summary(runs),
        }
        for (step, discount), runs in zip(grid, found, strict=True)
    ]
    columns = (
        Column("label", "gamma, move", "text"),
        Column("gamma", "gamma", "text"),
        Column("step", "reward of a move", "text"),
        *SUMMARY,
    )
    found_all = Findings(columns, tuple(rows))
    return replace(found_all, notes=(note_on_best(found_all, "training"),))


def note_on_best(found: Findings, column: str) -> str:
    """Return which row has most, and how many others cannot be told from it."""
    key = found.columns[0].name
    measures = {str(row[key]): found.measure(str(row[key]), column) for row in found.rows}
    best = max(measures, key=lambda label: measures[label].value)
    rivals = [label for label in measures if label != best]
    close = [r for r in rivals if compare(measures[best], measures[r]).p_above > DOUBT]
    return (
        f"{best} has most, {measures[best].value:.1%}; {len(close)} of the {len(rivals)} others "
        "cannot be told from it by these seeds."
    )


def pair_label(discount: float, step: float) -> str:
    """Return what a row of `gamma` is called."""
    return f"{discount:g}, {step:g}"


def opponents(bench: Bench) -> Findings:
    """Trained against MC_n alone, for n in steps of five, on some games and three times as many."""
    some = STEPS * bench.pick(EACH, EACH_QUICK)
    lengths = {"some": some, "more": 3 * some}
    rows: list[dict[str, Cell]] = []
    for n in range(0, TOP + 1, 5):
        specs = [pupil("afterstates", mc(n), games) for games in lengths.values()]
        found = examined(bench, specs, bench.seeds(10), [mc(n)])
        for (how, games), runs in zip(lengths.items(), found, strict=True):
            label = f"MC{n}, {how} games"
            in_training = over_seeds([won(run) for run in runs])
            about: dict[str, Cell] = {"n": n, "games": games, "training": in_training}
            rows.append({"label": label, **about, **marks(runs)})
    columns = (
        Column("label", "opponent", "text"),
        Column("n", "n", "whole"),
        Column("games", "training games", "whole"),
        Column("training", "won in training", "percent"),
        *OUTCOMES,
    )
    return Findings(columns, tuple(rows))


def sides(bench: Bench) -> Findings:
    """The learner as first player, as second, and as either in turn: the study does not tell."""
    games = STEPS * bench.pick(EACH, EACH_QUICK)
    names = ("first", "second", "alternating")
    specs = [pupil("afterstates", mc(SPARRING), games, side=side) for side in names]
    found = examined(bench, specs, bench.seeds(8), [mc(SPARRING)])
    rows: list[dict[str, Cell]] = [
        {"side": side, "training": over_seeds([won(run) for run in runs]), **marks(runs)}
        for side, runs in zip(names, found, strict=True)
    ]
    columns = (
        Column("side", "side", "text"),
        Column("training", "won in training", "percent"),
        *OUTCOMES,
    )
    return Findings(columns, tuple(rows))


def boards(bench: Bench) -> Findings:
    """Boards of five columns and few rows."""
    games = STEPS * bench.pick(EACH, EACH_QUICK)
    heights: Sequence[int] = bench.pick(ROWS, (3, 6))
    names = [BOARD.replace("rows=6", f"rows={height}") for height in heights]
    spec = pupil("afterstates", mc(SPARRING), games)
    found = examined(
        bench, [spec] * len(names), bench.seeds(5), [mc(SPARRING)], "middle", games=names
    )
    rows: list[dict[str, Cell]] = []
    for name, height, runs in zip(names, heights, found, strict=True):
        rules = find_game(name)
        best = max(s for s in shared_solver(rules).scores(rules.start()) if s is not None)
        rows.append(
            {
                "label": f"5 x {height}",
                "value": VALUES[sign(best)],
                **marks(runs),
                "states": over_seeds([float(run.size) for run in runs]),
                "good": over_seeds([run.truth["good"] for run in runs]),
            }
        )
    columns = (
        Column("label", "columns x rows", "text"),
        Column("value", "with perfect play", "text"),
        *OUTCOMES,
        Column("states", "states", "whole"),
        Column("good", "middle: good moves", "percent"),
    )
    return Findings(columns, tuple(rows))
