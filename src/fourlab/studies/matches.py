"""From matches to findings: rows of outcomes, cross tables, ratings, and what they prove."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from fourlab.arena.ratings import Ratings
from fourlab.arena.statistics import Z95, Comparison, student_cdf
from fourlab.arena.tallies import Tally
from fourlab.arena.tournament import Tournament
from fourlab.studies.base import Evidence
from fourlab.studies.bench import Bench
from fourlab.studies.claims import compare, is_above
from fourlab.studies.findings import Cell, Column, Findings, Measure, share

OUTCOME = (
    Column("wins", "won", "percent"),
    Column("draws", "drawn", "percent"),
    Column("losses", "lost", "percent"),
    Column("score", "score", "percent"),
    Column("games", "games", "whole"),
)
PHASES = ("opening", "middle")


class Match(NamedTuple):
    """Two agents and how many games they play; `plies` as in `Bench.match`."""

    a: str
    b: str
    games: int
    plies: int | None = None


def play_matches(bench: Bench, name: str, matches: Mapping[str, Match]) -> Findings:
    """Play a match for every row; the first column, called `name`, has the labels."""
    rows: list[dict[str, Cell]] = [
        {name: label, **outcome(bench.match(match.a, match.b, match.games, plies=match.plies))}
        for label, match in matches.items()
    ]
    return Findings((Column(name, name, "text"), *OUTCOME), tuple(rows))


def outcome(tally: Tally) -> dict[str, Cell]:
    """Return the cells of OUTCOME for the first agent of a pairing; a score counts draws half."""
    wins, draws, losses = tally.counts.sum(axis=0).tolist()
    games = tally.games
    return {
        "wins": share(wins, games),
        "draws": share(draws, games),
        "losses": share(losses, games),
        "score": share(wins + draws / 2, games),
        "games": games,
    }


def graded(
    bench: Bench, agents: Mapping[str, str], positions: int, phases: Sequence[str] = PHASES
) -> Findings:
    """Hold agents, by label, against perfect play: perfect and good moves on the suites."""
    rows: list[dict[str, Cell]] = []
    for label, spec in agents.items():
        row: dict[str, Cell] = {"agent": label}
        for phase in phases:
            marks = bench.grade(spec, name=phase, positions=positions).overall
            row[f"perfect {phase}"] = share(marks.perfect, marks.positions)
            row[f"good {phase}"] = share(marks.good, marks.positions)
        rows.append(row)
    columns = [
        Column(f"{kind} {phase}", f"{phase}: {kind}", "percent")
        for phase in phases
        for kind in ("perfect", "good")
    ]
    return Findings((Column("agent", "agent", "text"), *columns), tuple(rows))


def cross(tournament: Tournament, labels: Sequence[str]) -> dict[str, Any]:
    """Return the cross table of a round robin as `plots.cross_table` takes it."""
    agents, count = tournament.event.agents, len(labels)
    scores: list[list[float | None]] = [[None] * count for _ in labels]
    games = [[0] * count for _ in labels]
    for tally in tournament.tallies:
        a, b = agents.index(tally.pairing.a), agents.index(tally.pairing.b)
        scores[a][b], scores[b][a] = round(tally.score, 5), round(1 - tally.score, 5)
        games[a][b] = games[b][a] = tally.games
    return {"agents": list(labels), "scores": scores, "games": games}


def contrast(ratings: Ratings, weights: Mapping[str, float], games: int = 0) -> Measure:
    """Return a weighted sum of ratings in Elo points, weights that sum to 0, with its interval."""
    vector = np.zeros(len(ratings.agents))
    for spec, weight in weights.items():
        vector[ratings.agents.index(spec)] += weight
    value = float(vector @ ratings.elo)
    half = Z95 * math.sqrt(max(0.0, float(vector @ ratings.covariance @ vector)))
    return Measure(round(value, 2), round(value - half, 2), round(value + half, 2), games)


def compare_points(found: Measure, value: float = 0.0) -> Comparison:
    """Compare Elo points, whose interval is that of a normal distribution, with a fixed number."""
    low = found.value if found.low is None else found.low
    high = found.value if found.high is None else found.high
    difference, error = found.value - value, (high - low) / (2 * Z95)
    z = difference / error if error else math.copysign(math.inf, difference) if difference else 0.0
    above, below = (student_cdf(t, math.inf) for t in (-z, z))
    return Comparison(difference, low - value, high - value, above, below, found.units)


def scores_above(found: Findings, label: str) -> Evidence:
    """Claim: the agent of a row makes more than half of the points."""
    score = found.measure(label, "score")
    return is_above(compare(score, 0.5), f"{label} {told(score)}", score.units)


def scores_more(found: Findings, label: str, other: str) -> Evidence:
    """Claim: one row's score is above another's."""
    a, b = (found.measure(name, "score") for name in (label, other))
    return is_above(compare(a, b), f"{label} {told(a)}, {other} {told(b)}", a.units + b.units)


def told(found: Measure) -> str:
    """Say a share of points with its interval."""
    low, high = (100 * (0.0 if end is None else end) for end in (found.low, found.high))
    return f"{100 * found.value:.1f}% ({low:.1f} to {high:.1f})"


def elo_told(found: Measure) -> str:
    """Say Elo points with their interval."""
    low, high = (0.0 if end is None else end for end in (found.low, found.high))
    return f"{found.value:+z.0f} ({low:+z.0f} to {high:+z.0f}) Elo"
