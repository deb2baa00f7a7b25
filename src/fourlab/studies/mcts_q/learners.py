"""Experiments of study `mcts-q`, third part: vanilla Q-learning and afterstates, up to the end."""

from __future__ import annotations

import numpy as np

from fourlab.arena.statistics import share_interval
from fourlab.studies.bench import Bench
from fourlab.studies.findings import Cell, Column, Curve, Findings, over_known, over_seeds, value
from fourlab.studies.mcts_q.graduates import Course, Graduate, graduates
from fourlab.studies.mcts_q.search import BOARD, OUTCOMES, mc
from fourlab.studies.mcts_q.sweeps import (
    EACH,
    EACH_QUICK,
    KINDS,
    SPARRING,
    STEPS,
    TOP,
    examined,
    length,
    marks,
    parts,
    pupil,
    won,
)

# A board as a number of 30 digits takes 98 bits. In a pickle: an opcode, a length and 13 bytes; a
# text takes an opcode, a length, 30 bytes and a mark; a value an opcode and 8 bytes.
NUMBER_BYTES, TEXT_BYTES, VALUE_BYTES = 15, 33, 9
STUDY_GAMES = 200  # of the study in the validation of a step


def final(kind: str, each: int) -> str:
    """Return the spec of the final training: MC_0, MC_1 and so on, `each` games against each."""
    games = each * (TOP + 1)
    return pupil(kind, mc(f"{{0..{TOP}}}"), games, epsilon="linear:0.5,end=0.02")


def afterstates(bench: Bench) -> Findings:
    """Vanilla Q-learning and afterstates, all else equal."""
    seeds = bench.seeds(20)
    games = STEPS * bench.pick(EACH, EACH_QUICK)
    every, exams = bench.pick(900, 200), bench.pick(1_000, 200)
    courses = [
        Course(pupil(kind, mc(SPARRING), games), BOARD, seed, every, mc(SPARRING), exams)
        for kind in KINDS
        for seed in seeds
    ]
    found = graduates(bench, courses)
    rows: list[dict[str, Cell]] = []
    curves = []
    for kind, runs in zip(KINDS, parts(found, len(seeds)), strict=True):
        rows.append(
            {
                "kind": kind,
                "wins": over_seeds([won(run) for run in runs]),
                "losses": over_seeds([won(run, 2) for run in runs]),
                "ratio": over_seeds([won(run) / won(run, 2) for run in runs]),
                "moves": over_seeds([length(run) for run in runs]),
                "after": over_seeds([run.won / exams for run in runs]),
                "lost_moves": over_seeds([run.lost_moves / max(run.lost, 1) for run in runs]),
                "states": over_seeds([float(run.states) for run in runs]),
            }
        )
        curves += _training_curves(kind, runs)
    columns = (
        Column("kind", "learner", "text"),
        Column("wins", "won", "percent"),
        Column("losses", "lost", "percent"),
        Column("ratio", "won for each lost"),
        Column("moves", "mean moves"),
        Column("after", "won afterwards", "percent"),
        Column("lost_moves", "mean moves of lost games, afterwards"),
        Column("states", "states", "whole"),
    )
    return Findings(columns, tuple(rows), tuple(curves))


def _training_curves(kind: str, runs: list[Graduate]) -> list[Curve]:
    """Return wins, losses, their ratio and the moves of training games, report by report."""
    x = tuple(float(done) for done in runs[0].done)
    lines: dict[str, list[tuple[float, ...]]] = {}
    for run in runs:
        counts = np.array(run.results, float)
        games = counts.sum(axis=1)
        told = {
            "won": counts[:, 0] / games,
            "lost": counts[:, 2] / games,
            "won for each lost": counts[:, 0] / np.maximum(counts[:, 2], 1),
            "moves": (2 * np.array(run.decisions) - counts[:, 0]) / games,
        }
        for name, line in told.items():
            lines.setdefault(f"{kind}: {name}", []).append(tuple(np.round(line, 4).tolist()))
    return [Curve(name, x, tuple(series)) for name, series in lines.items()]


def training(bench: Bench) -> Findings:
    """The final training of both learners, the file of values, and games against MC_25 solved."""
    seeds = bench.seeds(5)
    each = bench.pick(10_000, 200)
    every = bench.pick(2_500, 200)
    exams, solved = bench.pick(1_000, 100), bench.pick(40, 3)
    courses = [
        Course(final(kind, each), BOARD, seed, every, mc(TOP), exams, solved)
        for kind in KINDS
        for seed in seeds
    ]
    found = graduates(bench, courses)
    rows: list[dict[str, Cell]] = []
    truth: list[dict[str, Cell]] = []
    curves = []
    for kind, runs in zip(KINDS, parts(found, len(seeds)), strict=True):
        rows.append(
            {
                "kind": kind,
                "wins": over_seeds([won(run) for run in runs]),
                "after": over_seeds([run.won / exams for run in runs]),
                "states": over_seeds([float(run.states) for run in runs]),
                "values": over_seeds([float(run.values) for run in runs]),
                "bytes": over_seeds([run.file_bytes / run.values for run in runs]),
                "megabytes": over_seeds([run.file_bytes / 1e6 for run in runs]),
                "number_bytes": NUMBER_BYTES + VALUE_BYTES,
                "text_bytes": TEXT_BYTES + VALUE_BYTES,
            }
        )
        truth += [_own_games(kind, [run.own for run in runs], solved)]
        truth += [_own_games(f"MC{TOP} against {kind}", [run.other for run in runs], solved)]
        curves += [c for c in _training_curves(kind, runs) if c.name.endswith(": won")]
    columns = (
        Column("kind", "learner", "text"),
        Column("wins", "won in training", "percent"),
        Column("after", f"won afterwards, against MC{TOP}", "percent"),
        Column("states", "states", "whole"),
        Column("values", "values", "whole"),
        Column("bytes", "bytes a value, this file"),
        Column("megabytes", "MB, this file"),
        Column("number_bytes", "bytes a board and value, pickled numbers", "whole"),
        Column("text_bytes", "pickled texts", "whole"),
    )
    told = Findings(
        (
            Column("player", f"games against MC{TOP}", "text"),
            Column("good", "good moves", "percent"),
            Column("mistakes", "draws or wins given away a game"),
        ),
        tuple(truth),
        notes=(
            "The board is a draw: a game is won only where the other side gave it away. A move "
            "that is not good turns a win into a draw or a loss, or a draw into a loss.",
        ),
    )
    return Findings(columns, tuple(rows), tuple(curves), truth=told)


def _own_games(player: str, moves: list[tuple[int, int]], games: int) -> dict[str, Cell]:
    return {
        "player": player,
        "good": over_seeds([good / made for made, good in moves]),
        "mistakes": over_seeds([(made - good) / games for made, good in moves]),
    }


def validation(bench: Bench) -> Findings:
    """The trained learners without exploration, against every opponent of their training."""
    against = range(0, TOP + 1, bench.pick(1, 5))
    each = bench.pick(10_000, 200)
    found = examined(
        bench,
        [final(kind, each) for kind in KINDS],
        bench.seeds(5),
        [mc(n) for n in against],
        suite="middle",
        every=each,
    )
    rows: list[dict[str, Cell]] = []
    for place, n in enumerate(against):
        first, second = (marks(runs, place) for runs in found)
        rows.append({"label": f"MC{n}", "n": n, **first, "vanilla": second["wins"]})
    columns = (
        Column("label", "opponent", "text"),
        Column("n", "n", "whole"),
        *OUTCOMES,
        Column("vanilla", "won by vanilla", "percent"),
    )
    truth = Findings(
        (
            Column("kind", "learner", "text"),
            Column("good", "middle: good moves", "percent"),
            Column("perfect", "middle: perfect moves", "percent"),
            Column("error", "values off by"),
        ),
        tuple(
            {
                "kind": kind,
                "good": over_seeds([run.truth["good"] for run in runs]),
                "perfect": over_seeds([run.truth["perfect"] for run in runs]),
                "error": over_known([run.truth["value_error"] for run in runs]),
            }
            for kind, runs in zip(KINDS, found, strict=True)
        ),
        notes=("Positions of random games; most of their boards were never seen in training.",),
    )
    last = rows[-1]
    low, high = share_interval(value(last["wins"]) * STUDY_GAMES, STUDY_GAMES)
    note = (
        f"Against {last['label']} {value(last['wins']):.0%} were won; one run and the study's "
        f"{STUDY_GAMES} games would tell {low:.0%} to {high:.0%}."
    )
    return Findings(columns, tuple(rows), notes=(note,), truth=truth)
