"""A study by hand, without a game: one experiment for every kind of figure."""

import functools
import math
from pathlib import Path

import numpy as np

from fourlab.studies import plots
from fourlab.studies.archive import Archive, Finished, write_json
from fourlab.studies.base import Claim, Evidence, Experiment, Published, Results, Study
from fourlab.studies.bench import Bench
from fourlab.studies.findings import Column, Curve, Findings, Measure, over_seeds, share

GAME = "connect:columns=5,rows=6,k=4"
MADE = {
    "fourlab": "0.9.0",
    "commit": "27590a5",
    "python": "3.11.9",
    "cpu": "A processor <of> some make",
    "cores": 2,
    "system": "Linux",
    "numpy": "2.1.0",
    "numba": "0.61.0",
    "finished": "2026-01-02T03:04:05+00:00",
}
RESULTS = (Column("wins", "won", "percent"), Column("draws", "drawn", "percent"))
LOSSES = Column("losses", "lost", "percent")


def never(bench: Bench) -> Findings:
    raise AssertionError("the demonstration is not run")


def rewards() -> Findings:
    figures = {
        "−1, 0": (0.736, 0.116, 21.4),
        "−0.5, −0.5": (0.807, 0.012, 19.7),
        "0, 0": (0.801, 0.008, 19.4),
        "−1, −1": (0.808, 0.012, 19.9),
        "−1.5, <−1.5>": (0.807, 0.011, 20.0),
    }
    rows = tuple(
        {
            "map": label,
            "moves": length,
            "losses": share(round((1 - wins - draws) * 10_000), 10_000),
            "draws": share(round(draws * 10_000), 10_000),
            "wins": share(round(wins * 10_000), 10_000),
        }
        for label, (wins, draws, length) in figures.items()
    )
    columns = (Column("map", "loss, draw", "text"), Column("moves", "moves"), LOSSES)
    return Findings(
        (*columns, *reversed(RESULTS)),
        rows,
        notes=("A draw that is worth a loss wins 7.1 points more.",),
        truth=Findings(
            (
                Column("agent", "who", "text"),
                Column("good", "moves that keep the value", "percent"),
                Column("positions", "positions", "whole"),
            ),
            (
                {"agent": "MC 200", "good": share(830, 1000), "positions": 1000},
                {"agent": "MC 25", "good": share(705, 1000), "positions": 1000},
            ),
            notes=("The board is a draw with perfect play.",),
        ),
    )


def learning() -> Findings:
    x = tuple(float(games) for games in range(2000, 260_001, 4000))
    curves = []
    for name, low, high, salt in (("Afterstates", 0.56, 0.77, 1), ("Vanilla", 0.53, 0.73, 2)):
        rng = np.random.default_rng(salt)
        series = []
        for _ in range(5):
            wander = np.cumsum(rng.normal(0, 0.006, len(x)))
            series.append(tuple(np.linspace(low, high, len(x)) + wander - wander[-1] * 0.4))
        curves.append(Curve(name, x, tuple(series)))
    rows = tuple(
        {
            "method": curve.name,
            "end": over_seeds([line[-1] for line in curve.series]),
            "size": 1_234_567,
            "seconds": 245.0,
        }
        for curve in curves
    )
    columns = (
        Column("method", "method", "text"),
        Column("end", "won at the end", "percent"),
        Column("size", "states", "whole"),
        Column("seconds", "a training", "seconds"),
    )
    return Findings(columns, rows, tuple(curves))


def steps() -> Findings:
    figures = {"faster check": (0.638, 600), "+ tree kept": (0.508, 600), "all three": (0.64, 600)}
    columns = (Column("step", "step", "text"), Column("score", "score", "percent"))
    rows = [{"step": label, "score": share(s * n, n)} for label, (s, n) in figures.items()]
    alone = {"step": "one seed", "score": Measure(0.55)}
    return Findings(columns, (*rows, alone))


def grid() -> Findings:
    rows = tuple(
        {
            "pair": f"{gamma}, {step}",
            "gamma": gamma,
            "step": step,
            "wins": share(round(2000 * (0.5 + 0.2 * gamma - 0.6 * abs(step + 0.1))), 2000),
        }
        for gamma in (0.8, 0.9, 0.95, 1.0)
        for step in (-0.2, -0.1, -0.05, 0.0)
    )
    columns = (
        Column("pair", "γ, a step", "text"),
        Column("gamma", "discount γ"),
        Column("step", "reward of a step"),
        RESULTS[0],
    )
    return Findings(columns, rows)


def columns() -> Findings:
    boards = []
    for wide, high in ((7, 6), (6, 5)):
        shares = [1 / wide + 0.01 * math.cos(column) for column in range(wide)]
        total = sum(shares)
        shares = [one / total for one in shares]
        boards.append(
            {
                "title": f"{wide} × {high}",
                "columns": wide,
                "rows": high,
                "shares": shares,
                "lows": [one - 0.008 for one in shares],
                "highs": [one + 0.008 for one in shares],
            }
        )
    columns = (Column("board", "board", "text"), Column("policies", "policies", "whole"))
    rows = tuple({"board": board["title"], "policies": 2000} for board in boards)
    return Findings(columns, rows, extra={"boards": boards})


def values() -> Findings:
    x = tuple(float(games) for games in range(0, 4001, 80))
    ends = {"cell 9": 1.0, "cell 1": -1.0, "cell 2": -1.0, "cell 4": -0.98, "cell 6": -0.99}
    curves = []
    for salt, (name, end) in enumerate(ends.items()):
        rng = np.random.default_rng(salt)
        pace = [rng.uniform(300, 700) for _ in range(4)]
        series = tuple(tuple(end * (1 - math.exp(-games / p)) for games in x) for p in pace)
        curves.append(Curve(name, x, series))
    columns = (Column("cell", "cell", "text"), Column("value", "value at the end"))
    rows = tuple(
        {"cell": c.name, "value": over_seeds([line[-1] for line in c.series])} for c in curves
    )
    return Findings(columns, rows, tuple(curves))


def meetings() -> Findings:
    agents = ["perfect", "mcts:sims=1000", "mcts:sims=100", "baseline", "random"]
    scores: list[list[float | None]] = [[None] * 5 for _ in agents]
    games = [[0 if a == b else 2000 for a in range(5)] for b in range(5)]
    for a in range(5):
        for b in range(5):
            if a != b:
                scores[a][b] = 1 / (1 + math.exp(-(b - a) * 0.9))
    columns = (Column("agent", "agent", "text"), Column("elo", "Elo", "whole"))
    rows = tuple({"agent": agent, "elo": 1900 - 200 * n} for n, agent in enumerate(agents))
    return Findings(
        columns, rows, extra={"cross": {"agents": agents, "scores": scores, "games": games}}
    )


def opponents() -> Findings:
    rows = []
    for strength in (1, 5, 10, 25, 50, 100, 200):
        wins = 1 / (1 + strength / 60)
        rows.append(
            {
                "opponent": f"MC {strength}",
                "n": strength,
                "wins": share(round(wins * 1000), 1000),
                "draws": share(round((1 - wins) * 300), 1000),
                "losses": share(1000 - round(wins * 1000) - round((1 - wins) * 300), 1000),
            }
        )
    columns = (
        Column("opponent", "against", "text"),
        Column("n", "simulations of the opponent", "whole"),
    )
    return Findings((*columns, *RESULTS, LOSSES), tuple(rows))


PUBLISHED = Published(
    rows={
        "−1, 0": {"moves": 22.0, "losses": 0.148, "draws": 0.13, "wins": 0.722},
        "−0.5, −0.5": {"moves": 21.2, "losses": 0.192, "draws": 0.008, "wins": 0.8},
        "0, 0": {"moves": 19.6, "losses": 0.192, "draws": 0.008, "wins": 0.8},
        "−1, −1": {"moves": 20.7, "losses": 0.178, "draws": 0.015, "wins": 0.807},
        "−1.5, <−1.5>": {"moves": 20.6, "losses": 0.194, "draws": 0.012, "wins": 0.884},
    },
    source="table 2",
    games=10_000,
    took="about 12 hours",
)
EXPERIMENTS = (
    Experiment(
        "rewards",
        "Which reward for a loss and a draw makes MC 200 win most?",
        never,
        PUBLISHED,
        plots.outcome_bars,
        (30, 3),
        remarks="The study kept its tree between moves, these games do not.",
    ),
    Experiment(
        "learning",
        "Does it learn to beat MC n?",
        never,
        Published({"Afterstates": {"end": 0.77}}, "figure 4", "Afterstates are ahead at the end."),
        functools.partial(
            plots.curves, smooth=0.5, lines=(("best response", 0.82),), y="games won in training"
        ),
    ),
    Experiment(
        "steps",
        "Does each step win against the one before?",
        never,
        Published({"faster check": {"score": 0.61}, "all three": {"score": 0.7}}, "table 5"),
        functools.partial(plots.intervals, column="score", line=0.5),
    ),
    Experiment(
        "grid",
        "Which discount and reward of a step go together?",
        never,
        Published(source="figure 8", said="A discount of 1 with −0.1 a step is best."),
        lambda found, published: plots.heat(found, "gamma", "step", "wins"),
    ),
    Experiment("columns", "Which column is chosen first?", never, None, plots.columns_on_board),
    Experiment(
        "values",
        "Does self-play find the win?",
        never,
        None,
        functools.partial(plots.trajectories, moves="7385", game="tictactoe"),
    ),
    Experiment("meetings", "Who beats whom?", never, None, plots.cross_table),
    Experiment(
        "opponents",
        "How does it do against stronger ones?",
        never,
        Published({"MC 25": {"wins": 0.66}, "MC 100": {"wins": 0.4}}, "figure 11"),
        plots.outcome_areas,
    ),
    Experiment("missing", "What was left out?", never),
)


def draws_matter(results: Results) -> Evidence:
    gain = results["rewards"].measure("−1, −1", "wins").value - 0.736
    return Evidence(f"{100 * gain:.1f} points, <20,000> games", 1e-9, 1.0, 20_000)


CLAIMS = (
    Claim("A draw worth only a loss wins more & often.", draws_matter, "section 4.1"),
    Claim("−1, −1 is the best map.", lambda r: Evidence("80.1 to 80.8% for four", 0.3, 0.7, 4000)),
    Claim("Vanilla beats afterstates.", lambda r: Evidence("73% against 77%.", 1.0, 1e-6)),
    Claim("What was not run is true.", lambda r: Evidence(str(len(r["missing"].rows)))),
)
STUDY = Study(
    "demo",
    "MCTS and <afterstates>",
    "5 × 6, connect 4",
    EXPERIMENTS,
    CLAIMS,
    about="Monte Carlo tree search chooses rewards, and a table learns to beat it.",
    source="A. Author, A thesis, 2015",
    took="about 12 hours",
    value="a draw",
)
LOG = (
    {
        "kind": "match",
        "game": GAME,
        "a": "mcts:sims=200,c=1.4",
        "b": "mcts:sims=40",
        "games": 10_000,
        "distinct": 9876,
        "plies": None,
        "seed": 3,
    },
    {
        "kind": "training",
        "game": GAME,
        "learner": "afterstates:games=260000",
        "seeds": [3001, 3002, 3003, 3004, 3005],
        "games": 1_300_000,
        "exams": [{"opponent": "mcts:sims=25", "games": 500, "side": ""}],
    },
    {"kind": "grade", "game": GAME, "agent": "mcts:sims=200", "suite": "middle", "positions": 1000},
)
MAKERS = (rewards, learning, steps, grid, columns, values, meetings, opponents)


def demo(folder: Path, quick: bool = False) -> Archive:
    """Return the study's archive in a folder, all but one of its experiments finished."""
    archive = Archive.start(STUDY, folder, quick, seed=3)
    for experiment, make in zip(EXPERIMENTS, MAKERS, strict=False):
        done = Finished(experiment.name, make(), LOG, 245.0, MADE)
        write_json(archive.path(experiment), done.to_json())
    return Archive.open(STUDY, folder)
