"""From comparisons to evidence: what speaks for a claim, and what against it."""

from __future__ import annotations

from fourlab.arena.statistics import (
    Comparison,
    against_value,
    compare_means,
    compare_shares,
    share_against,
    share_interval,
)
from fourlab.studies.base import Evidence
from fourlab.studies.findings import Measure


def is_above(found: Comparison, says: str, games: int = 0) -> Evidence:
    """Claim: the difference is above 0."""
    return Evidence(says, found.p_above, found.p_below, games)


def all_of(says: str, *parts: Evidence) -> Evidence:
    """Claim: every part is true. It is false as soon as one part is (Bonferroni)."""
    return Evidence(
        says,
        max(part.p_for for part in parts),
        min(1.0, len(parts) * min(part.p_against for part in parts)),
        sum(part.games for part in parts),
    )


def is_not(says: str, part: Evidence) -> Evidence:
    """Claim: the part is false."""
    return Evidence(says, part.p_against, part.p_for, part.games)


def compare(found: Measure, other: Measure | float) -> Comparison:
    """Compare a measured figure with another or with a fixed one: by seeds, or else by games."""
    if isinstance(other, Measure):
        if len(found.samples) > 1 and len(other.samples) > 1:
            return compare_means(found.samples, other.samples)
        return compare_shares(_hits(found), found.units, _hits(other), other.units)
    if len(found.samples) > 1:
        return against_value(found.samples, other)
    return share_against(_hits(found), found.units, other)


def _hits(found: Measure) -> float:
    return found.value * found.units


def is_between(found: Measure, low: float, high: float, says: str, games: int = 0) -> Evidence:
    """Claim: the true figure lies between two values."""
    above, below = compare(found, low), compare(found, high)
    return Evidence(
        says,
        max(above.p_above, below.p_below),
        min(1.0, 2 * min(above.p_below, below.p_above)),
        games,
    )


def agrees(found: Measure, published: float, games: int, says: str, played: int = 0) -> Evidence:
    """Claim: a share is what was published after some games, within the interval of those games."""
    low, high = share_interval(published * games, games)
    if published >= 1:  # no share lies beyond
        return is_above(compare(found, low), says, played)
    if published <= 0:
        return is_below(compare(found, high), says, played)
    return is_between(found, low, high, says, played)


def is_below(found: Comparison, says: str, games: int = 0) -> Evidence:
    """Claim: the difference is below 0."""
    return Evidence(says, found.p_below, found.p_above, games)


def never(found: Measure, margin: float, says: str) -> Evidence:
    """Claim: a share of games is 0. One game refutes it; without any it is below the margin."""
    p_for = share_against(_hits(found), found.units, margin).p_below
    return Evidence(says, p_for, 0.0 if found.value > 0 else 1.0, found.units)
