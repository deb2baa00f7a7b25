"""Study `strength`, one of our own: how strong the search agents are, and what makes them so."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from dataclasses import replace

from fourlab.studies import plots
from fourlab.studies.base import Claim, Evidence, Experiment, Results, Study
from fourlab.studies.bench import Bench
from fourlab.studies.claims import all_of, compare, is_above, is_between, is_not
from fourlab.studies.findings import Column, Findings
from fourlab.studies.matches import (
    Match,
    graded,
    play_matches,
    scores_above,
    scores_more,
    told,
)

BASE = "mcts:sims=1000"  # uct, c=1.4, light playouts, solver backup

# Variants, with the simulations that cost what 1,000 of the base do: processor time of a decision
# over positions of random games. Fixed, so that games depend on the seed alone.
VARIANTS = {
    "expand=all,playouts=heavy": 1170,
    "playouts=heavy,minimax=2": 682,
    "expand=all": 2241,
    "playouts=heavy": 740,
    "formula=puct,c=4": 1005,
    "c=1": 994,
    "final=robust": 1066,
    "prune=3": 951,
    "minimax=2": 870,
    "final=score": 986,
    "draw=-1": 1004,
    "depth=4": 1058,
    "formula=ucb1,c=1": 1039,
    "formula=tuned,c=1": 786,
    "c=0.7": 886,
    "c=2": 1000,
    "graded=0.5": 996,
    "solver=no": 860,
}
NO_MATTER = (
    "formula=tuned,c=1",
    "formula=puct,c=4",
    "prune=3",
    "final=score",
    "final=robust",
    "draw=-1",
)
MARGIN = 0.05  # of the points to either side of even: hardly a difference

DOUBLINGS = ((100, 4000), (1000, 3000), (10_000, 400))  # simulations, games
TWENTYFOLD = ((200, 1000), (4000, 100), (16_000, 40))
QUICK_SIMULATIONS = 20_000  # the most that a quick run waits for

PHASES = ("opening", "middle", "end")
GRADED = (  # agents, and positions of each suite
    ("random", 1000),
    ("baseline", 1000),
    ("minimax:depth=6", 1000),
    ("mcts:sims=100", 1000),
    ("mcts:sims=1000", 1000),
    ("mcts:sims=10000", 1000),
    ("mcts:sims=100000", 200),
    ("mcts:sims=1000000", 60),
)
QUICKLY_GRADED = 6  # of them: a million simulations take their time


def variants(bench: Bench) -> Findings:
    """Play every variant against the base at equal time."""
    games = bench.pick(2000, 40)
    matches = {
        options: Match(f"mcts:{options},sims={sims}", BASE, games)
        for options, sims in VARIANTS.items()
    }
    found = play_matches(bench, "variant", matches)
    rows = [{**row, "sims": sims} for row, sims in zip(found.rows, VARIANTS.values(), strict=True)]
    label, *rest = found.columns
    columns = (label, Column("sims", "simulations for the same time", "whole"), *rest)
    return replace(found, columns=columns, rows=tuple(rows))


def simulations(bench: Bench) -> Findings:
    """Play more simulations against fewer."""
    matches = {
        f"{few:,} times {times}": Match(
            f"mcts:sims={times * few}", f"mcts:sims={few}", bench.pick(games, 20)
        )
        for times, sizes in ((2, DOUBLINGS), (20, TWENTYFOLD))
        for few, games in sizes
        if few * times <= bench.pick(few * times, QUICK_SIMULATIONS)
    }
    return play_matches(bench, "simulations", matches)


def minimax(bench: Bench) -> Findings:
    """Play alpha-beta against the baseline and against tree search."""
    return play_matches(
        bench,
        "match",
        {
            "depth 6, baseline": Match("minimax:depth=6", "baseline", bench.pick(2000, 40), 0),
            "depth 6, 1,000 simulations": Match("minimax:depth=6", BASE, bench.pick(3000, 40)),
            "depth 10, 10,000 simulations": Match(
                "minimax:depth=10", "mcts:sims=10000", bench.pick(400, 4)
            ),
        },
    )


def grades(bench: Bench) -> Findings:
    """Hold agents against perfect play."""
    tables = [
        graded(bench, {spec: spec}, bench.pick(positions, 40), PHASES)
        for spec, positions in GRADED[: bench.pick(len(GRADED), QUICKLY_GRADED)]
    ]
    rows = tuple(row for table in tables for row in table.rows)
    return replace(tables[0], rows=rows)


EXPERIMENTS = (
    Experiment(
        name="variants",
        ask="Which variants of mcts are worth their time?",
        run=variants,
        figure=functools.partial(
            plots.intervals, column="score", line=0.5, title=f"Score against {BASE}, equal time"
        ),
        takes=(125, 4),
    ),
    Experiment(
        name="simulations",
        ask="What do more simulations buy?",
        run=simulations,
        figure=functools.partial(
            plots.intervals, column="score", line=0.5, title="More simulations against fewer"
        ),
        takes=(90, 2),
    ),
    Experiment(
        name="minimax",
        ask="How strong is alpha-beta beside tree search?",
        run=minimax,
        figure=functools.partial(plots.outcome_bars, title="minimax against others"),
        takes=(30, 2),
    ),
    Experiment(
        name="grades",
        ask="How close do agents come to perfect play?",
        run=grades,
        figure=functools.partial(
            plots.intervals, column="good opening", title="Moves that keep the result, opening"
        ),
        takes=(45, 2),
    ),
)


def beats(variant: str) -> Callable[[Results], Evidence]:
    """Return the test that a variant beats the base."""
    return lambda results: scores_above(results["variants"], variant)


def loses(variant: str) -> Callable[[Results], Evidence]:
    """Return the test that the base beats a variant."""

    def test(results: Results) -> Evidence:
        part = scores_above(results["variants"], variant)
        return is_not(part.says, part)

    return test


def hardly_matter(results: Results) -> Evidence:
    """Several variants are all within a margin of the base."""
    found = results["variants"]
    scores = [found.measure(name, "score") for name in NO_MATTER]
    parts = [is_between(s, 0.5 - MARGIN, 0.5 + MARGIN, told(s), s.units) for s in scores]
    return all_of(
        ", ".join(f"{name} {told(s)}" for name, s in zip(NO_MATTER, scores, strict=True)), *parts
    )


def minimax_is_even(results: Results) -> Evidence:
    """Depth 6 is within a margin of 1,000 simulations."""
    score = results["minimax"].measure("depth 6, 1,000 simulations", "score")
    return is_between(score, 0.5 - MARGIN, 0.5 + MARGIN, told(score), score.units)


def minimax_beats_baseline(results: Results) -> Evidence:
    """Depth 6 makes more than 99 of 100 points."""
    score = results["minimax"].measure("depth 6, baseline", "score")
    return is_above(compare(score, 0.99), told(score), score.units)


def doubling_buys_less(results: Results) -> Evidence:
    """Twice the simulations win more where there are few."""
    return scores_more(results["simulations"], "100 times 2", "10,000 times 2")


def better_moves(results: Results) -> Evidence:
    """From 100 to 1,000 to 10,000 simulations more opening moves keep the result."""
    found = results["grades"]
    marks = [found.measure(f"mcts:sims={sims}", "good opening") for sims in (100, 1000, 10_000)]
    parts = [
        is_above(compare(more, less), "", more.units) for less, more in itertools.pairwise(marks)
    ]
    return all_of(", then ".join(told(mark) for mark in marks), *parts)


CLAIMS = (
    Claim("Solver backup is worth it", loses("solver=no")),
    Claim("Heavy playouts are worth their price", beats("playouts=heavy")),
    Claim("Simulating all children of a new node beats one at a time", beats("expand=all")),
    Claim("Graded rewards do harm", loses("graded=0.5")),
    Claim(
        "UCB1-Tuned, PUCT, pruning, the final choice and the reward of a draw hardly matter "
        f"({MARGIN:.0%} of the points to either side)",
        hardly_matter,
    ),
    Claim("Twice the simulations buy less the more there are", doubling_buys_less),
    Claim("minimax to 6 plies makes over 99% against baseline", minimax_beats_baseline),
    Claim(
        f"minimax to 6 plies and 1,000 simulations are even (within {MARGIN:.0%})", minimax_is_even
    ),
    Claim("Ten times the simulations find more good moves in the opening", better_moves),
)

STUDY = Study(
    name="strength",
    title="How strong the search agents are",
    game="7 x 6, connect 4",
    experiments=EXPERIMENTS,
    claims=CLAIMS,
    about="Variants of Monte Carlo tree search at equal time, what simulations buy, alpha-beta "
    "beside it, and how far all of them are from perfect play.",
    value="a win of the first player",
)
