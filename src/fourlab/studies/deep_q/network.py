"""Study `deep-q`: the experiments with a network, which need torch.

The networks of one spec and seed are trained once and kept in the folder of the run, for all
experiments that ask something of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from fourlab.agents.registry import agent
from fourlab.core.storage import replacing
from fourlab.learning.classes import CLASSES, Prediction, predict
from fourlab.learning.evaluation import play_off
from fourlab.learning.networks.deep_q import DeepQ
from fourlab.studies.base import Published
from fourlab.studies.bench import Bench
from fourlab.studies.deep_q.claims import STARTS
from fourlab.studies.findings import Column, Curve, Findings, Row, over_seeds, share
from fourlab.studies.schooling import Exam, Schooled, Schooling

RIGHT = "deep-q:start=uci,half=yes,steps=8,sync=100,batch=128,reuse=4"
STUDIED = "start=uci,half=yes,target=study,steps=1,sync=0,mirror=no,epsilon=0.1"
NETWORKS = {
    "network": RIGHT,
    "its target, as we learn": RIGHT.replace("steps=8,sync=100", "target=study,sync=0"),
    "as the study did": (
        f"deep-q:{STUDIED},ends=network,optimiser=sgd,rate=0.001,batch=32,memory=10000,reuse=4"
    ),
}
WISHES = {  # options on top of those of `network`, and fewer games
    "as above": "",
    "double": ",double=yes",
    "priorities": ",priority=0.6",
    "one step": "steps=1",
    "against baseline": ",opponent=baseline,side=first",
}
OPPONENTS = {"random": (20_000, 100), "baseline": (2_000, 50), "minimax:depth=4": (400, 10)}
OPPONENTS |= {"mcts:sims=200": (400, 10)}  # games a seed, in full and quick
NETWORK_PUBLISHED = Published(
    {
        "as the study did": {"won": 0.94, "drawn": 0.92, "lost": 0.90},
        "network": {"won": 0.94, "drawn": 0.92, "lost": 0.90},
        "before training": {"won": 0.56, "drawn": 0.50, "lost": 0.45},
    },
    source="section 4.1.5, figure 10",
    games=1000,
)


def school(
    bench: Bench, specs: dict[str, str], games: int, every: int, exams: Sequence[Exam], suite: str
) -> dict[str, list[Schooled]]:
    """Train networks of several seeds and keep them; examined every so many games."""
    seeds = bench.seeds(5, 2)
    jobs = [
        Schooling(
            f"{spec},games={games}",
            "connect4",
            seed,
            every,
            tuple(exams),
            often=True,
            suite=suite,
            keeps=True,
        )
        for spec in specs.values()
        for seed in seeds
    ]
    found = bench.school(jobs)
    for job, schooled in zip(jobs, found, strict=True):
        with replacing(_path(bench, job.learner, job.seed)) as file:
            file.write(schooled.kept)
    parts = [found[at : at + len(seeds)] for at in range(0, len(found), len(seeds))]
    return dict(zip(specs, parts, strict=True))


def trained(bench: Bench, spec: str, games: int) -> list[str]:
    """Return the files of networks of all seeds; those that are missing are trained."""
    named = f"{spec},games={games}"
    seeds = bench.seeds(5, 2)
    missing = [seed for seed in seeds if not _path(bench, named, seed).exists()]
    jobs = [Schooling(named, "connect4", seed, games, keeps=True) for seed in missing]
    for seed, schooled in zip(missing, bench.school(jobs), strict=True):
        with replacing(_path(bench, named, seed)) as file:
            file.write(schooled.kept)
    return [str(_path(bench, named, seed)) for seed in seeds]


def _path(bench: Bench, spec: str, seed: int) -> Path:
    name = hashlib.sha256(f"{spec} {seed}".encode()).hexdigest()[:16]
    return bench.folder.parent / "networks" / f"{name}.safetensors"


def network(bench: Bench) -> Findings:
    """Learn Connect 4 from UCI positions; the study's target beside the right one."""
    games, every = bench.pick((15_000, 500), (200, 100))
    count = bench.pick(1000, 50)
    exams = [Exam("random", count, "first", f"uci:{kind}") for kind in STARTS.values()]
    found = school(bench, NETWORKS, games, every, exams, bench.pick("middle", ""))
    untrained = bench.school(
        [
            Schooling(f"{spec_of_untrained()},games=1", "connect4", seed, 1, tuple(exams))
            for seed in bench.seeds(5, 2)
        ]
    )
    rows: list[Row] = []
    for name, schooled in (*found.items(), ("before training", untrained)):
        won = np.array([one.exams[-1] for one in schooled])[:, :, 0] / count
        row: Row = {"player": name}
        row |= {start: over_seeds(won[:, kind].tolist()) for kind, start in enumerate(STARTS)}
        row["seconds"] = over_seeds([one.seconds for one in schooled])
        rows.append(row)
    columns = (
        Column("player", "first player", "text"),
        *(Column(start, f"won from {start} starts", "percent") for start in STARTS),
        Column("seconds", "seconds of learning", "seconds"),
    )
    curves = [
        Curve(
            start if name == "network" else f"{start}, as the study did",
            tuple(found[name][0].done),
            tuple(tuple(report[kind][0] / count for report in one.exams) for one in found[name]),
        )
        for name in ("network", "as the study did")
        for kind, start in enumerate(STARTS)
    ]
    return Findings(columns, tuple(rows), tuple(curves), truth=_truth(found))


def spec_of_untrained() -> str:
    """Return the study's network without a learning step."""
    return NETWORKS["as the study did"].replace("reuse=4", "reuse=0")


def _truth(found: dict[str, list[Schooled]]) -> Findings | None:
    """Return how often moves were perfect and good, and how far values are off."""
    if not all(one.truth for schooled in found.values() for one in schooled):
        return None
    columns = (
        Column("player", "network", "text"),
        Column("perfect", "perfect moves", "percent"),
        Column("good", "moves that keep the value", "percent"),
        Column("value_error", "values off by", "number"),
    )
    rows: list[Row] = []
    for name, schooled in found.items():
        row: Row = {"player": name}
        for column in columns[1:]:
            row[column.name] = over_seeds([float(one.truth[column.name]) for one in schooled])
        rows.append(row)
    return Findings(columns, tuple(rows))


def _predicted(job: tuple[str, int | None]) -> Prediction:
    path, positions = job
    return predict(DeepQ.load(Path(path)).worths, positions)


def prediction(bench: Bench) -> Findings:
    """Predict the classes of the UCI data with what was learned."""
    games, positions = bench.pick((15_000, None), (200, 2_000))
    rows: list[Row] = []
    matrix = np.zeros((3, 3))
    for name in ("network", "as the study did"):
        files = trained(bench, NETWORKS[name], games)
        found = bench.each(_predicted, [(file, positions) for file in files])
        rows.append({"values of": name, **_shares(found)})
        if name == "network":
            matrix = np.sum([one.matrix for one in found], axis=0) / len(found)
            always = found[0].always_win
    rows.append(
        {"values of": "always win", "accuracy": always, "win": 1.0, "draw": 0.0, "loss": 0.0}
    )
    columns = (
        Column("values of", "values of", "text"),
        Column("accuracy", "classes told right", "percent"),
        *(Column(kind, f"of {kind} positions", "percent") for kind in reversed(CLASSES)),
    )
    return Findings(columns, tuple(rows), truth=_confusion(matrix))


def _shares(found: Sequence[Prediction]) -> Row:
    """Return the accuracy, whole and class by class."""
    row: Row = {"accuracy": over_seeds([one.accuracy for one in found])}
    for at, kind in enumerate(CLASSES):
        row[kind] = over_seeds([one.matrix[at][at] / max(sum(one.matrix[at]), 1) for one in found])
    return row


def _confusion(matrix: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Findings:
    """Return the mean number of positions of each true class that were said to be of each."""
    said = [Column(f"said {kind}", f"said: {kind}", "whole") for kind in CLASSES]
    rows: tuple[Row, ...] = tuple(
        {"truth": kind, **{c.name: round(float(n)) for c, n in zip(said, matrix[at], strict=True)}}
        for at, kind in enumerate(CLASSES)
    )
    return Findings((Column("truth", "truth", "text"), *said), rows)


def _played(job: tuple[str, str, int, str]) -> tuple[int, int, int]:
    path, opponent, games, start = job
    made = DeepQ.load(Path(path))
    score = play_off(made, agent(opponent, made.rules), games, made.seed, "alternating", start)
    return score.wins, score.draws, score.losses


def opponents(bench: Bench) -> Findings:
    """Play 100,000 games against random, and meet better opponents."""
    games = bench.pick(15_000, 200)
    files = trained(bench, RIGHT, games)
    rows: list[Row] = []
    for opponent, sizes in OPPONENTS.items():
        count = bench.pick(*sizes)
        found = bench.each(_played, [(file, opponent, count, "uci") for file in files])
        shares = np.array(found) / count
        rows.append(
            {
                "opponent": opponent,
                "wins": over_seeds(shares[:, 0].tolist()),
                "draws": over_seeds(shares[:, 1].tolist()),
                "losses": over_seeds(shares[:, 2].tolist()),
                "pooled": share(int(np.sum(found, axis=0)[0]), count * len(files)),
                "games": count * len(files),
            }
        )
    columns = (
        Column("opponent", "opponent", "text"),
        Column("wins", "won", "percent"),
        Column("draws", "drawn", "percent"),
        Column("losses", "lost", "percent"),
        Column("pooled", "won of all games", "percent"),
        Column("games", "games", "whole"),
    )
    return Findings(columns, tuple(rows))


def wishes(bench: Bench) -> Findings:
    """Try what the study wished for: double Q-learning, priorities, better opponents."""
    games, count = bench.pick((3_000, 1000), (100, 50))
    positions = bench.pick(20_000, 1_000)
    exams = [Exam("random", count, "first", f"uci:{kind}") for kind in STARTS.values()]
    exams.append(Exam("baseline", count, "alternating", "uci"))
    specs = {name: wished(options) for name, options in WISHES.items()}
    found = school(bench, specs, games, games, exams, "")
    rows: list[Row] = []
    for name, schooled in found.items():
        marks = np.array([one.exams[-1] for one in schooled])[:, :, 0] / count
        row: Row = {"learner": name}
        for kind, column in enumerate((*STARTS, "baseline")):
            row[column] = over_seeds(marks[:, kind].tolist())
        files = trained(bench, specs[name], games)
        told = bench.each(_predicted, [(file, positions) for file in files])
        row["accuracy"] = over_seeds([one.accuracy for one in told])
        rows.append(row)
    columns = (
        Column("learner", "learner", "text"),
        *(Column(start, f"won from {start} starts", "percent") for start in STARTS),
        Column("baseline", "won against baseline", "percent"),
        Column("accuracy", "UCI classes told right", "percent"),
    )
    return Findings(columns, tuple(rows))


def wished(options: str) -> str:
    """Return the spec of the network with options changed or added."""
    changed = {item.partition("=")[0] for item in options.split(",") if item}
    name, _, rest = RIGHT.partition(":")
    kept = [item for item in rest.split(",") if item.partition("=")[0] not in changed]
    return f"{name}:{','.join([*kept, *(item for item in options.split(',') if item)])}"
