"""Studies that take no time, or as long as a test wants; a server finds them as installed ones."""

import os
import time
from collections.abc import Callable
from pathlib import Path

from fourlab.core.errors import FourlabError
from fourlab.studies import plots
from fourlab.studies.base import Claim, Evidence, Experiment, Published, Results, Study
from fourlab.studies.bench import Bench
from fourlab.studies.claims import compare, is_above
from fourlab.studies.findings import Column, Findings, Row, share

NAMES = {"tiny": "TINY", "gated": "GATED", "faulty": "FAULTY"}
RESULTS = tuple(Column(name, name, "percent") for name in ("wins", "draws", "losses"))
COLUMNS = (Column("who", "agent", "text"), *RESULTS)
MATCH = {
    "kind": "match",
    "game": "tictactoe",
    "a": "baseline",
    "b": "random",
    "games": 400,
    "distinct": 380,
    "plies": 0,
    "seed": 5,
}
TRAINING = {
    "kind": "training",
    "game": "tictactoe",
    "learner": "q:games=600,opponent=random,side=first,epsilon=0.3",
    "seeds": [4, 5],
    "games": 1200,
    "exams": [],
}
GRADE = {"kind": "grade", "game": "tictactoe", "agent": "random", "suite": "middle", "positions": 9}


def count(bench: Bench) -> Findings:
    """Find figures, and say that they come from games."""
    bench.log += [MATCH, TRAINING, GRADE]
    figures = {"baseline": (80, 5, 15), "random": (15, 5, 80)}
    rows: list[Row] = []
    for who, three in figures.items():
        shares = {c.name: share(n, 100) for c, n in zip(RESULTS, three, strict=True)}
        rows.append({"who": who, **shares})
    return Findings(COLUMNS, tuple(rows))


def wait(bench: Bench) -> Findings:
    """Wait until a file `gate` lies in the working folder."""
    while not Path("gate").exists():
        time.sleep(0.01)
    return count(bench)


def fail(bench: Bench) -> Findings:
    """Fail until a file `mended` lies in the working folder."""
    if not Path("mended").exists():
        raise FourlabError("the second experiment has no ink; bring some")
    return count(bench)


def ahead(results: Results) -> Evidence:
    found = results["first"].measure("baseline", "wins")
    other = results["first"].measure("random", "wins")
    return is_above(compare(found, other), f"{found.value:.0%}", 200)


def _study(name: str, title: str, second: Callable[[Bench], Findings]) -> Study:
    published = Published(
        {"baseline": {"wins": 0.78}}, "table 1", "Baseline is ahead.", games=100, took="an hour"
    )
    return Study(
        name,
        title,
        "3 × 3, line of 3",
        (
            Experiment("first", "Is baseline ahead?", count, published, plots.outcome_bars),
            Experiment("second", "Is it still ahead?", second, figure=plots.outcome_bars),
        ),
        (
            Claim("Baseline is ahead.", ahead),
            Claim("The second is run.", lambda results: Evidence(str(results["second"].rows[0]))),
        ),
        about="Who is ahead.",
        took="an hour",
        value="a draw",
    )


TINY = _study("tiny", "A tiny study", count)
GATED = _study("gated", "A gated study", wait)
FAULTY = _study("faulty", "A faulty study", fail)


def install(folder: Path) -> str:
    """Write what makes these studies an installed package; return the path that finds it."""
    about = folder / "tiny_studies-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny-studies\nVersion: 1.0\n")
    lines = [f"{name} = web.tiny_studies:{place}\n" for name, place in NAMES.items()]
    (about / "entry_points.txt").write_text("[fourlab.studies]\n" + "".join(lines))
    return os.pathsep.join([str(folder), str(Path(__file__).parents[1])])
