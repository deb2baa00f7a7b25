"""Study `deep-q`: the experiments with a network, which need torch.

A network of one spec and seed is trained once and kept in the folder of the run, for all
experiments that ask something of it.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from fourlab.core.storage import replacing
from fourlab.learning.classes import CLASSES, Prediction, predict
from fourlab.learning.networks.deep_q import DeepQ
from fourlab.studies.base import Published
from fourlab.studies.bench import Bench
from fourlab.studies.deep_q.claims import AS_STUDIED, STARTS, UNTAUGHT
from fourlab.studies.findings import Column, Curve, Findings, Row, over_known, over_seeds
from fourlab.studies.schooling import Exam, Schooled, Schooling

RIGHT = {
    "start": "uci",
    "half": "yes",
    "steps": "3",
    "reuse": "2",
    "batch": "128",
    "sync": "25",
    "memory": "100000",
    "rate": "(linear:0.001,end=0.0001)",
}
STUDIED = {
    "start": "uci",
    "half": "yes",
    "target": "study",
    "ends": "network",
    "sync": "0",
    "mirror": "no",
    "optimiser": "sgd",
    "rate": "0.032",
    "batch": "32",
    "memory": "10000",
    "reuse": "1",
}
NETWORKS = {"network": RIGHT, AS_STUDIED: STUDIED}
WISHES: dict[str, dict[str, str]] = {  # options besides those of the network
    "as above": {},
    "the study's target": {"target": "study", "sync": "0"},
    "double": {"double": "yes"},
    "priorities": {"priority": "0.6"},
    "one decision ahead": {"steps": "1"},
    "against baseline": {"opponent": "baseline", "side": "first"},
}
LEARNED, EVERY = (15_000, 200), (500, 100)  # games, and games between two exams
SELDOM = 3  # times as many for the study's own way
EXAMINED = (1000, 50)  # games of each exam
TRIED = (1_000, 100)  # games that each wish learns from
TOLD = (None, 2_000)  # UCI positions whose class is told; None: all
NETWORK_PUBLISHED = Published(
    {
        "network": {"won": 0.94, "drawn": 0.92, "lost": 0.90},
        AS_STUDIED: {"won": 0.94, "drawn": 0.92, "lost": 0.90},
        UNTAUGHT: {"won": 0.56, "drawn": 0.50, "lost": 0.45},
    },
    source="section 4.1.5, figure 10",
    games=1000,
)
BY_START = tuple(Column(start, f"won from {start} starts", "percent") for start in STARTS)


def spec(options: dict[str, str], games: int) -> str:
    """Return the spec of a network with some options, and games to learn from."""
    return ",".join([f"deep-q:games={games}", *(f"{name}={v}" for name, v in options.items())])


def exams(count: int) -> tuple[Exam, ...]:
    """Return the exams of the study: against random from won, drawn and lost positions."""
    return tuple(Exam("random", count, "first", f"uci:{kind}") for kind in STARTS.values())


def school(bench: Bench, jobs: Sequence[Schooling]) -> list[Schooled]:
    """Train networks, examine them, and keep them."""
    found = bench.school([dataclasses.replace(job, keeps=True) for job in jobs])
    for job, schooled in zip(jobs, found, strict=True):
        with replacing(_path(bench, job.learner, job.seed)) as file:
            file.write(schooled.kept)
    return found


def trained(bench: Bench, learner: str) -> list[str]:
    """Return the files of the networks of all seeds; those that are missing are trained."""
    paths = {seed: _path(bench, learner, seed) for seed in bench.seeds(5, 2)}
    school(bench, [Schooling(learner, "connect4", s) for s, p in paths.items() if not p.exists()])
    return [str(path) for path in paths.values()]


def _path(bench: Bench, learner: str, seed: int) -> Path:
    name = hashlib.sha256(f"{learner} {seed}".encode()).hexdigest()[:16]
    return bench.folder.parent / "networks" / f"{name}.safetensors"


def network(bench: Bench) -> Findings:
    """Learn Connect 4 from UCI positions; the study's target beside the right one."""
    games, every, count = (bench.pick(*sizes) for sizes in (LEARNED, EVERY, EXAMINED))
    specs = {name: spec(options, games) for name, options in NETWORKS.items()}
    suite = bench.pick("middle", "")
    jobs = [
        Schooling(named, "connect4", seed, pace, exams(count), often=True, suite=suite)
        for named, pace in zip(specs.values(), (every, SELDOM * every), strict=True)
        for seed in bench.seeds(5, 2)
    ]
    untaught = spec(STUDIED | {"reuse": "0"}, 1)
    found = school(bench, jobs)
    size = len(bench.seeds(5, 2))
    taught = {name: found[at * size :][:size] for at, name in enumerate(specs)}
    taught[UNTAUGHT] = bench.school(
        [Schooling(untaught, "connect4", seed, 1, exams(count)) for seed in bench.seeds(5, 2)]
    )
    rows: list[Row] = [
        {
            "player": name,
            **_marks(schooled, count),
            "seconds": over_seeds([one.seconds for one in schooled]),
        }
        for name, schooled in taught.items()
    ]
    curves = [
        Curve(
            start if name == "network" else f"{start}, {name}",
            tuple(taught[name][0].done),
            tuple(tuple(report[kind][0] / count for report in one.exams) for one in taught[name]),
        )
        for name in ("network", AS_STUDIED)
        for kind, start in enumerate(STARTS)
    ]
    seconds = Column("seconds", "learning took", "seconds")
    columns = (Column("player", "first player", "text"), *BY_START, seconds)
    return Findings(columns, tuple(rows), tuple(curves), truth=_truth(taught))


def _marks(schooled: Sequence[Schooled], count: int) -> Row:
    """Return the shares of games won in the last exams."""
    won = np.array([one.exams[-1] for one in schooled])[:, :, 0] / count
    return {start: over_seeds(won[:, kind].tolist()) for kind, start in enumerate(STARTS)}


def _truth(taught: dict[str, list[Schooled]]) -> Findings | None:
    """Return how often moves were perfect and good, and how far values are off."""
    columns = (
        Column("player", "network", "text"),
        Column("perfect", "perfect moves", "percent"),
        Column("good", "moves that keep the value", "percent"),
        Column("value_error", "values off by", "number"),
    )
    rows: list[Row] = []
    for name, schooled in taught.items():
        if all(one.truth for one in schooled):
            row: Row = {"player": name}
            for column in columns[1:]:
                row[column.name] = over_known([one.truth[column.name] for one in schooled])
            rows.append(row)
    return Findings(columns, tuple(rows)) if rows else None


def predicted(job: tuple[str, int | None]) -> tuple[Prediction, Prediction]:
    """Tell classes by the network of a file: by best moves, by all moves; runs in a worker."""
    path, positions = job
    return predict(DeepQ.load(Path(path)).worths, positions)


def prediction(bench: Bench) -> Findings:
    """Tell the classes of the UCI data with what was learned."""
    games, positions = bench.pick(*LEARNED), bench.pick(*TOLD)
    told: dict[str, list[Prediction]] = {}
    for name in ("network", AS_STUDIED):
        files = trained(bench, spec(NETWORKS[name], games))
        found = bench.each(predicted, [(file, positions) for file in files])
        told[name] = [best for best, _ in found]
        told[f"{name}, mean of all moves"] = [every for _, every in found]
    rows: list[Row] = [{"values of": name, **_shares(found)} for name, found in told.items()]
    always = told["network"][0].always_win
    rows.append({"values of": "always win", "accuracy": always, "win": 1.0, "draw": 0, "loss": 0})
    columns = (
        Column("values of", "values of", "text"),
        Column("accuracy", "classes told right", "percent"),
        *(Column(kind, f"of those that are a {kind}", "percent") for kind in reversed(CLASSES)),
    )
    return Findings(columns, tuple(rows), truth=_confusion(told["network"]))


def _shares(found: Sequence[Prediction]) -> Row:
    """Return the accuracy, whole and class by class."""
    row: Row = {"accuracy": over_seeds([one.accuracy for one in found])}
    for at, kind in enumerate(CLASSES):
        row[kind] = over_seeds([one.matrix[at][at] / max(sum(one.matrix[at]), 1) for one in found])
    return row


def _confusion(found: Sequence[Prediction]) -> Findings:
    """Return how many positions of each class were said to be of each, on average over seeds."""
    matrix = np.mean([one.matrix for one in found], axis=0)
    said = [Column(f"said {kind}", f"said to be a {kind}", "whole") for kind in CLASSES]
    rows: tuple[Row, ...] = tuple(
        {"truth": kind, **{c.name: round(float(n)) for c, n in zip(said, matrix[at], strict=True)}}
        for at, kind in enumerate(CLASSES)
    )
    return Findings((Column("truth", "is a", "text"), *said), rows)


def wishes(bench: Bench) -> Findings:
    """Try what the study wished for: double Q-learning, priorities, a better opponent."""
    games, count = bench.pick(*TRIED), bench.pick(*EXAMINED)
    rows: list[Row] = []
    for name, options in WISHES.items():
        learner = spec(RIGHT | options, games)
        asked = (*exams(count), Exam("baseline", count, "alternating", "uci"))
        jobs = [Schooling(learner, "connect4", s, games, asked) for s in bench.seeds(5, 2)]
        found = school(bench, jobs)
        files = trained(bench, learner)
        told = bench.each(predicted, [(file, bench.pick(8_000, 1_000)) for file in files])
        row: Row = {"learner": name, **_marks(found, count)}
        row["baseline"] = over_seeds([one.exams[-1][-1][0] / count for one in found])
        row["accuracy"] = over_seeds([best.accuracy for best, _ in told])
        rows.append(row)
    columns = (
        Column("learner", "learner", "text"),
        *BY_START,
        Column("baseline", "won against baseline", "percent"),
        Column("accuracy", "UCI classes told right", "percent"),
    )
    table = Findings(columns, tuple(rows))
    return dataclasses.replace(table, notes=(_cost(table),))


def _cost(table: Findings) -> str:
    """Return what the study's target costs, in a sentence."""
    right, wrong = (
        table.measure(name, "lost").value for name in ("as above", "the study's target")
    )
    words = "more" if right >= wrong else "fewer"
    return (
        f"With the right target the network wins {abs(right - wrong):.1%} {words} of the games "
        "from lost starts than with the study's, all else equal."
    )
