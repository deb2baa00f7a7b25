"""A study of two experiments; the second waits until a file `gate` lies in the working folder."""

import time
from pathlib import Path

from fourlab.studies.base import Claim, Evidence, Experiment, Published, Results, Study
from fourlab.studies.bench import Bench
from fourlab.studies.claims import compare, is_above
from fourlab.studies.findings import Column, Curve, Findings, Measure, over_seeds, share
from fourlab.studies.schooling import Exam, Schooling

GAME = "tictactoe"


def played(bench: Bench) -> Findings:
    tally = bench.match("baseline", "random", bench.pick(400, 100), GAME)
    return Findings(
        (Column("who", "agent", "text"), Column("score", "score", "percent")),
        ({"who": "baseline", "score": share(tally.score * tally.games, tally.games)},),
    )


def learned(bench: Bench) -> Findings:
    while not Path("gate").exists():
        time.sleep(0.01)
    spec = "q:games=600,opponent=random,epsilon=0.3"
    exam = (Exam("random", 100),)
    found = bench.school(
        [Schooling(spec, GAME, seed, 200, exam, looks=("",)) for seed in bench.seeds(5, 3)]
    )
    wins = over_seeds([schooled.exams[-1][0][0] / 100 for schooled in found])
    shares = tuple(
        tuple(results[0] / sum(results) for results in schooled.results) for schooled in found
    )
    return Findings(
        (Column("who", "learner", "text"), Column("wins", "won", "percent")),
        ({"who": "q", "wins": wins},),
        (Curve("q", tuple(found[0].done), shares),),
        (f"{wins.value:.0%} won",),
        extra={"first": found[0].looks[-1][0]},
    )


def beats(results: Results) -> Evidence:
    found = results["played"].measure("baseline", "score")
    half = results.published("played", "baseline", "score")
    return is_above(compare(found, half), f"{found.value:.0%}", found.units)


def learns(results: Results) -> Evidence:
    found = results["learned"].measure("q", "wins")
    return is_above(compare(found, Measure(0.0, units=100)), f"{found.value:.0%}")


STUDY = Study(
    name="gated",
    title="A gated study",
    game="3 x 3, connect 3",
    experiments=(
        Experiment(
            "played",
            "Does baseline beat random?",
            played,
            Published({"baseline": {"score": 0.5}}, "table 1", games=100),
        ),
        Experiment("learned", "Does q learn?", learned, takes=(20, 10)),
    ),
    claims=(
        Claim("Baseline scores more than published.", beats),
        Claim("Q wins games.", learns),
    ),
)
