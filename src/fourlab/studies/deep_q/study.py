"""Study `deep-q`: values by self-play; tic-tac-toe in a table, and Connect 4 from UCI starts."""

from __future__ import annotations

import functools

import numpy as np

from fourlab.agents.registry import agent
from fourlab.arena.in_step import play_from
from fourlab.positions.starts import draw_boards, starts
from fourlab.positions.uci import uci
from fourlab.rules.catalog import game as find_game
from fourlab.studies import plots
from fourlab.studies.base import Experiment, Published, Study
from fourlab.studies.bench import Bench
from fourlab.studies.deep_q import network as net
from fourlab.studies.deep_q import strength
from fourlab.studies.deep_q import tictactoe as ttt
from fourlab.studies.deep_q.claims import CLAIMS, STARTS, STUDIED
from fourlab.studies.findings import Column, Curve, Findings, Measure, Row, over_seeds, share
from fourlab.studies.schooling import Exam, Schooling

CONNECT_4 = {
    "n-tuple": "n-tuple:opponent=self,start=uci,side=first,alpha=0.01,gamma=0.99,epsilon=0.1",
    "q": "q:opponent=self,start=uci,side=first,alpha=0.1,gamma=0.99,epsilon=0.1",
}
YARDSTICKS = {"random": (5000, 200), "baseline": (5000, 200), "perfect": (40, 2)}  # games

UCI_PUBLISHED = Published(
    {"win": {"count": 44_473}, "draw": {"count": 6_449}, "loss": {"count": 16_635}},
    source="section 2.1.3",
)
FIXED_PUBLISHED = Published(
    {"alpha-beta": {"winner": 1.0, "losers": -1.0, "episodes": 800}},
    source="section 4.1.1, figures 5 and 6",
    said="Q(9) takes longer than the others, since its win comes a move later.",
)
SELF_PUBLISHED = Published(
    {"self-play": {"winner": 1.0, "losers": -1.0, "episodes": 3500}},
    source="section 4.1.2, figure 7",
    said="About four times slower than against a strong opponent.",
)
WHOLE_PUBLISHED = Published(
    {STUDIED: {"episodes": 70_000}},
    source="section 4.1.3, figure 8",
    said="Almost perfect against a random player after around 70,000 episodes.",
)
NETWORK_PUBLISHED = Published(
    {
        "random": {"won": 0.56, "drawn": 0.50, "lost": 0.45},
        "n-tuple": {"won": 0.94, "drawn": 0.92, "lost": 0.90},
    },
    source="section 4.1.5, figure 10: a convolutional network, before training beside random",
    games=1000,
)


def classes(bench: Bench) -> Findings:
    """Count the classes of the UCI data, made from the rules and the solver."""
    data = uci()
    rows: tuple[Row, ...] = tuple(
        {"class": name, "count": int((data.outcomes == outcome).sum())}
        for name, outcome in (("win", 1), ("draw", 0), ("loss", -1))
    )
    return Findings((Column("class", "class", "text"), Column("count", "positions", "whole")), rows)


def from_class(job: tuple[str, str, int, int]) -> tuple[int, int, int]:
    """Play an agent first against random from UCI positions of one class; runs in a worker."""
    spec, outcome, games, seed = job
    rules = find_game("connect4")
    rng = np.random.default_rng(seed)
    boards = draw_boards(rules, starts(f"uci:{outcome}", rules), rng.integers(1 << 62, size=games))
    seeds = rng.integers(1 << 62, size=games)
    results = play_from(boards, agent(spec, rules), agent("random", rules), seeds)
    return int((results > 0).sum()), int((results == 0).sum()), int((results < 0).sum())


def connect_4(bench: Bench) -> Findings:
    """Learn Connect 4 from UCI positions and play random from won, drawn and lost ones."""
    games, every = bench.pick((15_000, 500), (3_000, 1_500))
    count = bench.pick(1000, 100)
    exams = tuple(Exam("random", count, "first", f"uci:{kind}") for kind in STARTS.values())
    rows: list[Row] = []
    curves: list[Curve] = []
    for name, spec in CONNECT_4.items():
        found = bench.school(
            [
                Schooling(f"{spec},games={games}", "connect4", seed, every, exams, often=True)
                for seed in bench.seeds(5, 2)
            ]
        )
        won = np.array([schooled.exams for schooled in found])[:, :, :, 0] / count
        rows.append({"player": name, **_by_start(won[:, -1])})
        if not curves:
            curves = [
                Curve(start, tuple(found[0].done), tuple(map(tuple, won[:, :, kind].tolist())))
                for kind, start in enumerate(STARTS)
            ]
    for spec, sizes in YARDSTICKS.items():
        played = bench.pick(*sizes)
        jobs = [(spec, outcome, played, bench.seed) for outcome in STARTS.values()]
        won_by = zip(STARTS, bench.each(from_class, jobs), strict=True)
        rows.append(
            {"player": spec, **{start: share(won, played) for start, (won, _, _) in won_by}}
        )
    columns = (
        Column("player", "first player", "text"),
        *(Column(start, f"won from {start} starts", "percent") for start in STARTS),
    )
    return Findings(columns, tuple(rows), tuple(curves))


def _by_start(won: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> dict[str, Measure]:
    return {start: over_seeds(won[:, kind].tolist()) for kind, start in enumerate(STARTS)}


STUDY = Study(
    name="deep-q",
    title="Values by self-play",
    game="tic-tac-toe, and 7 x 6",
    value="a draw, and a win for the first player",
    about=(
        "Q-learning of one position and of all of tic-tac-toe, against a perfect opponent and by "
        "self-play, then Connect 4 from the positions of the UCI data set."
    ),
    source="D. A. Robles, Learning to Play Board Games With Reinforcement Learning, 2017",
    telling="self-play",
    experiments=(
        Experiment(
            "fixed",
            "How soon are the values of one position learned against a perfect opponent?",
            ttt.fixed,
            FIXED_PUBLISHED,
            functools.partial(plots.trajectories, moves=ttt.POSITION, title="Against alpha-beta"),
            takes=(9, 3),
        ),
        Experiment(
            "self-play",
            "How soon are they learned by self-play?",
            ttt.self_play,
            SELF_PUBLISHED,
            functools.partial(plots.trajectories, moves=ttt.POSITION, title="By self-play"),
            takes=(2, 2),
        ),
        Experiment(
            "whole",
            "When is all of tic-tac-toe learned by self-play?",
            ttt.whole,
            WHOLE_PUBLISHED,
            ttt.draw_whole,
            takes=(15, 8),
        ),
        Experiment(
            "framework",
            "What is the best that any player can reach in the processes of the study?",
            ttt.framework,
            Published(source="sections 2.2 and 3.2", said="The framework; no figures."),
            functools.partial(plots.outcome_bars, title="The best that any player can reach"),
            takes=(1, 3),
        ),
        Experiment(
            "classes",
            "How many of the UCI positions are won, drawn and lost?",
            classes,
            UCI_PUBLISHED,
            takes=(1, 3),
        ),
        Experiment(
            "connect-4",
            "What is learned of Connect 4 from UCI positions, against random?",
            connect_4,
            NETWORK_PUBLISHED,
            functools.partial(plots.curves, x="episodes", y="games won against random"),
            takes=(120, 15),
            remarks=(
                "The published figures are those of a convolutional network: here an n-tuple "
                "network and a table learn in its place."
            ),
        ),
        Experiment(
            "network",
            "What does a network learn from UCI positions, as it should and as the study did?",
            net.network,
            net.NETWORK_PUBLISHED,
            functools.partial(plots.curves, x="episodes", y="games won against random"),
            takes=(1150, 12),
            remarks=(
                "The study taught a board 0.99 times its own value, without a maximum and without "
                "a target network, so that only boards where the game is over teach anything. It "
                "learned from every board 32 times on average, with steps of 0.001; here that is "
                "once, with steps 32 times as large, which takes a thirtieth of the time. Its "
                "opponent's random numbers began anew in every episode; here they do not."
            ),
        ),
        Experiment(
            "prediction",
            "Do the learned values tell the classes of the UCI data?",
            net.prediction,
            Published(source="section 2.1.3", said="Promised for evaluation, not reported."),
            takes=(60, 5),
        ),
        Experiment(
            "opponents",
            "How does it do in 100,000 games, and against better opponents than random?",
            strength.opponents,
            Published(source="sections 1.3 and 5.3", said="Planned; no figures."),
            functools.partial(plots.outcome_bars, title="The network against others"),
            takes=(120, 5),
        ),
        Experiment(
            "search",
            "What does alpha-beta at 1, 2 and 4 plies add to the learned values?",
            strength.search,
            Published(source="section 1.2", said="Promised for evaluation, not reported."),
            functools.partial(plots.outcome_bars, title="Some plies ahead, against minimax"),
            takes=(120, 8),
        ),
        Experiment(
            "wishes",
            "What does the study's target cost, and what do double Q-learning and priorities add?",
            net.wishes,
            Published(source="section 5.3", said="Wished for; no figures."),
            functools.partial(plots.intervals, column="accuracy", title="UCI classes told right"),
            takes=(200, 12),
        ),
    ),
    claims=CLAIMS,
)
