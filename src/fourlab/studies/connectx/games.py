"""The experiments of study `connectx`: its agent, what time is in simulations, what is played.

Nothing here looks at a clock: what a step buys is a number of simulations, fixed below beside how
it was measured, so that games depend on the seed alone.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

from fourlab.agents.play import GameInPlay
from fourlab.agents.registry import agent
from fourlab.arena.events import Event
from fourlab.rules.catalog import game
from fourlab.studies.bench import Bench
from fourlab.studies.connectx import win_checks
from fourlab.studies.findings import Cell, Column, Findings, share
from fourlab.studies.matches import (
    OUTCOME,
    Match,
    contrast,
    cross,
    graded,
    outcome,
    play_matches,
    told,
)

# The agent of the document. It speaks of scores for wins and ties, so a loss is taken as worth
# nothing: with rewards from -1 to 1 its C = 1 would be C = 0.5 here.
AGENT = {
    "formula": "ucb1",
    "c": "1",
    "win": "1",
    "draw": "0.5",
    "loss": "0",
    "final": "score",
    "solver": "no",
}

# Time in simulations. Plain Python plays about 3,500 random games a second with a check of the
# whole board and 18,500 with one around the last piece, 5.3 times as many (`checks` measures it
# anew); walking the tree costs both the same, so that 5 is left. A thousand simulations in Kaggle's
# two seconds are an assumption: a tree of Python objects and copied boards take most of the time.
CHECK = 5
FAST = 1000
SLOW = FAST // CHECK
ACT, EXTRA, BANK, OWN_MOVES = 2.0, 0.3, 60.0, 21  # seconds a move, added to it, in all; moves
OVERAGE = (ACT + EXTRA) / ACT
WHOLE_BANK = (ACT + BANK / OWN_MOVES) / ACT

CONSTANTS = (0.25, 0.3536, 0.5, 0.7071, 0.85, 1.2, 1.4142)  # against 1
SWEPT = 0.7071  # the least in the document
BUDGETS = ((SLOW, 6000), (FAST, 6000), (4 * FAST, 1200))  # simulations, games
KAGGLE = {"Version 1": 903.7, "Version 2": 2008.7, "Version 3": 2043.6, "Version 4": 2375.2}
FACTORS = {"C": "faster check", "T": "tree kept", "O": "overage time", "S": "best score"}

# What the document names as future work, with the simulations that cost what 1,000 of the base do
# (processor time of our kernels over positions of random games, the least of 16 rounds).
FUTURE: dict[str, tuple[dict[str, str], int]] = {
    "minimax, 2 plies at leaves": ({"minimax": "2"}, 1122),
    "proofs carried up": ({"solver": "yes"}, 1038),
    "minimax and proofs": ({"minimax": "2", "solver": "yes"}, 1018),
    "pruning, 2 errors": ({"prune": "2"}, 921),
    "pruning, 3 errors": ({"prune": "3"}, 922),
    "UCB1-Tuned": ({"formula": "tuned"}, 613),
    "PUCT": ({"formula": "puct", "c": "2"}, 947),
    "graded scores": ({"graded": "0.5"}, 1029),
    "heavy playouts": ({"playouts": "heavy"}, 614),
    "all children at once": ({"expand": "all"}, 1855),
    "proofs, heavy, all children": (
        {"solver": "yes", "playouts": "heavy", "expand": "all", "c": "0.5"},
        841,
    ),
}


def mcts(simulations: float, **changes: str) -> str:
    """Return the document's agent with some simulations a move and some options changed."""
    options = {**AGENT, **changes, "sims": str(round(simulations))}
    return "mcts:" + ",".join(f"{name}={value}" for name, value in options.items())


VERSIONS = {
    "Version 1": mcts(SLOW),
    "Version 2": mcts(FAST),
    "Version 3": mcts(FAST, reuse="yes"),
    "Version 4": mcts(FAST * OVERAGE, reuse="yes"),
}


def exploration(bench: Bench) -> Findings:
    """Play every C against C = 1."""
    games = bench.pick(5000, 80)
    found = play_matches(
        bench,
        "constant",
        {f"C = {c:.2f}": Match(mcts(FAST, c=str(c)), mcts(FAST), games) for c in CONSTANTS},
    )
    rows = [
        {**row, "other": 2 * c, "published": "yes" if c >= SWEPT else "no"}
        for row, c in zip(found.rows, CONSTANTS, strict=True)
    ]
    label, *rest = found.columns
    columns = (
        label,
        Column("other", "the same C for rewards -1 to 1"),
        Column("published", "in the document's sweep", "text"),
        *rest,
    )
    best = max((f"C = {c:.2f}" for c in CONSTANTS), key=lambda c: float(found.measure(c, "score")))
    note = f"Best against C = 1 is {best} with {told(found.measure(best, 'score'))}."
    return Findings(columns, tuple(rows), notes=(note,))


def choice(bench: Bench) -> Findings:
    """Play the choice by score against that by visits, at several budgets."""
    matches = {
        f"{sims:,} simulations": Match(
            mcts(sims), mcts(sims, final="visits"), bench.pick(games, games // 40)
        )
        for sims, games in BUDGETS
    }
    found = play_matches(bench, "budget", matches)
    gaps = {label: abs(float(found.measure(label, "score")) - 0.5) for label in matches}
    widest = max(gaps, key=gaps.__getitem__)
    needed = (0.98 / max(gaps[widest], 1e-3)) ** 2  # 1.96 standard errors of a share near 1/2
    note = (
        f"The widest gap is {gaps[widest]:.1%} from even, at {widest}; a gap of that size shows "
        f"at 95% after about {needed:,.0f} games."
    )
    return replace(found, notes=(note,))


def checks(bench: Bench) -> Findings:
    """Time the three checks over the same random games, plain and compiled."""
    games = bench.pick(10_000, 500)
    plain, quick = win_checks.timed_plainly, win_checks.timed
    ways = (
        ("plain Python, whole board", plain, win_checks.WHOLE),
        ("plain Python, around the last piece", plain, win_checks.LAST),
        ("numba, whole board", quick, win_checks.WHOLE),
        ("numba, around the last piece", quick, win_checks.LAST),
        ("numba, bit board", quick, win_checks.BITS),
    )
    rows: list[dict[str, Cell]] = []
    for label, timed, check in ways:
        found = timed("connect4", check, games, bench.seed)
        reads = None if check == win_checks.BITS else win_checks.most_reads(game("connect4"), check)
        rows.append(
            {
                "way": label,
                "reads": reads,
                "wins": found.wins / games,
                "moves": found.moves / games,
                "seconds": found.seconds * 10_000 / games,
            }
        )
        bench.log.append({"kind": "timing", "game": "connect4", "check": check, "playouts": games})
    columns = (
        Column("way", "language and check", "text"),
        Column("reads", "cells read at most", "whole"),
        Column("wins", "won by the first player", "percent"),
        Column("moves", "moves a game"),
        Column("seconds", "seconds for 10,000 games", "seconds"),
    )
    return Findings(columns, tuple(rows), notes=(f"All ways play the same {games:,} games.",))


def time_buys(bench: Bench) -> Findings:
    """Play more simulations against fewer."""
    matches = {
        f"{few:,} doubled": Match(mcts(2 * few), mcts(few), bench.pick(games, 40))
        for few, games in ((SLOW, 6000), (FAST, 3000), (4 * FAST, 2500))
    }
    for times in (CHECK, 10, 20):
        label = f"{SLOW:,} times {times}"
        matches[label] = Match(mcts(times * SLOW), mcts(SLOW), bench.pick(1000, 20))
    return play_matches(bench, "simulations", matches)


def kept_visits(spec: str, games: int, seed: int) -> float:
    """Return what kept trees bring to decisions, in visits for each simulation of their own."""
    visits, simulations = 0, 0
    for number in range(games):
        going = GameInPlay(game("connect4"), agent(spec), agent(spec), seed + number)
        while not going.position.is_over:
            decision = going.step()
            visits += sum(decision.visits or ())
            simulations += decision.effort
    return visits / simulations - 1


def steps(bench: Bench) -> Findings:
    """Play every refinement alone against the agent without it."""
    few, many, kept = mcts(SLOW), mcts(FAST), mcts(FAST, reuse="yes")
    found = play_matches(
        bench,
        "refinement",
        {
            "faster check": Match(many, few, bench.pick(2000, 60)),
            "tree kept": Match(kept, many, bench.pick(8000, 60)),
            "overage time": Match(mcts(FAST * OVERAGE), many, bench.pick(10_000, 60)),
            "overage time, all of it": Match(mcts(FAST * WHOLE_BANK), many, bench.pick(1500, 40)),
        },
    )
    wide, narrow = (
        kept_visits(mcts(FAST, reuse="yes", c=c), bench.pick(100, 4), bench.seed)
        for c in (AGENT["c"], "0.35")
    )
    notes = (
        f"{EXTRA:g} s a move are {EXTRA * OWN_MOVES:.1f} of the {BANK:.0f} s in {OWN_MOVES} moves, "
        f"{OVERAGE:g} times the simulations; all of it spent evenly is {WHOLE_BANK:.2f} times.",
        f"Two plies later a kept tree is worth {wide:.0%} of a new one in visits; with C = 0.35, "
        f"which looks less widely, {narrow:.0%}.",
    )
    return replace(found, notes=notes)


def versions(bench: Bench) -> Findings:
    """Let the four versions meet, all against all."""
    event = Event("connect4", tuple(VERSIONS.values()), bench.pick(1500, 40), bench.seed)
    played = bench.tournament(event)
    ratings, specs = played.ratings(), dict(zip(VERSIONS, event.agents, strict=True))
    rows: list[dict[str, Cell]] = []
    first = specs["Version 1"]
    for label, before in zip(VERSIONS, (None, *VERSIONS), strict=False):
        spec = specs[label]
        gain = contrast(ratings, {spec: 1, specs[before]: -1}) if before else None
        elo = contrast(ratings, {spec: 1, first: -1})
        rows.append({"version": label, "told": str(KAGGLE[label]), "elo": elo, "gain": gain})
    for tally in played.tallies:
        a, b = (event.agents.index(name) for name in (tally.pairing.a, tally.pairing.b))
        if b == a + 1:
            rows[b]["score"] = share((1 - tally.score) * tally.games, tally.games)
            rows[b]["games"] = tally.games
    columns = (
        Column("version", "version", "text"),
        Column("told", "published, Kaggle's points", "text"),
        Column("elo", "Elo above version 1"),
        Column("gain", "Elo above the one before"),
        Column("score", "score against the one before", "percent"),
        Column("games", "of games", "whole"),
    )
    truth = graded(
        bench, {k: v for k, v in VERSIONS.items() if k[-1] in "12"}, bench.pick(1000, 40)
    )
    return Findings(
        columns, tuple(rows), truth=truth, extra={"cross": cross(played, list(VERSIONS))}
    )


NONE, ALL = "none", "".join(FACTORS)
COMBINATIONS = tuple(
    "".join(letters) or NONE
    for count in range(len(FACTORS) + 1)
    for letters in itertools.combinations(FACTORS, count)
)


def effects() -> dict[str, dict[str, float]]:
    """Return what each effect is: a weighted sum of the ratings of all combinations."""
    half = len(COMBINATIONS) / 2
    found = {
        factor: {name: (1 if letter in name else -1) / half for name in COMBINATIONS}
        for letter, factor in FACTORS.items()
    }
    for one, other in itertools.combinations(FACTORS, 2):
        found[f"{FACTORS[one]} with {FACTORS[other]}"] = {
            name: (1 if (one in name) == (other in name) else -1) * 2 / half
            for name in COMBINATIONS
        }
    alone = dict.fromkeys(FACTORS, -1.0)
    found["all four"] = {ALL: 1, NONE: -1}
    found["all four less each alone"] = {ALL: 1, NONE: len(FACTORS) - 1, **alone}
    return found


def factorial(bench: Bench) -> Findings:
    """Let all combinations of the refinements meet, and take their effects apart."""
    made = [
        mcts(
            (FAST if "C" in name else SLOW) * (OVERAGE if "O" in name else 1),
            final="score" if "S" in name else "visits",
            reuse="yes" if "T" in name else "no",
        )
        for name in COMBINATIONS
    ]
    event = Event("connect4", tuple(made), bench.pick(240, 2), bench.seed)
    played = bench.tournament(event)
    ratings, specs = played.ratings(), dict(zip(COMBINATIONS, event.agents, strict=True))
    rows: list[dict[str, Cell]] = [
        {
            "effect": label,
            "elo": contrast(ratings, {specs[name]: weight for name, weight in weights.items()}),
        }
        for label, weights in effects().items()
    ]
    columns = (Column("effect", "effect", "text"), Column("elo", "Elo points"))
    note = (
        "A row of one refinement is its mean worth over all versions; a row of two is how much "
        "more the one is worth where the other is there."
    )
    table = cross(played, COMBINATIONS)
    return Findings(columns, tuple(rows), notes=(note,), extra={"cross": table})


def future(bench: Bench) -> Findings:
    """Play what the document names as future work against its agent, at equal time."""
    games = bench.pick(3000, 60)
    found = play_matches(
        bench,
        "variant",
        {
            label: Match(mcts(sims, **changes), mcts(FAST), games)
            for label, (changes, sims) in FUTURE.items()
        },
    )
    rows = [
        {**row, "sims": sims} for row, (_, sims) in zip(found.rows, FUTURE.values(), strict=True)
    ]
    named = ("proofs carried up", "minimax and proofs", "proofs, heavy, all children")
    agents = {"base": mcts(FAST)}
    agents |= {name: mcts(FUTURE[name][1], **FUTURE[name][0]) for name in named}
    truth = graded(bench, agents, bench.pick(1000, 40))
    kept = ", ".join(f"{told(truth.measure(label, 'good middle'))} by {label}" for label in agents)
    return Findings(
        (found.columns[0], Column("sims", "simulations", "whole"), *OUTCOME),
        tuple(rows),
        notes=(f"Of random positions in the middle of a game the result is kept in {kept}.",),
        truth=truth,
    )


def randomness(bench: Bench) -> Findings:
    """Count different games from the empty board against an opponent that never varies."""
    rows: list[dict[str, Cell]] = []
    for label in list(VERSIONS)[1:3]:
        tally = bench.match(
            VERSIONS[label], "minimax:depth=4,ties=first", bench.pick(3000, 60), plies=0
        )
        rows.append(
            {"version": label, "distinct": share(tally.distinct, tally.games), **outcome(tally)}
        )
    columns = (Column("version", "version", "text"), Column("distinct", "different", "percent"))
    return Findings((*columns, *OUTCOME), tuple(rows))
