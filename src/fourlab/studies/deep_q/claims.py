"""The claims of study `deep-q` and their tests."""

from __future__ import annotations

import functools
import itertools
import math

from fourlab.arena.statistics import compare_means
from fourlab.studies.base import Claim, Evidence, Results
from fourlab.studies.claims import all_of, compare, is_above, is_between, is_not

CLOSE = 0.05  # a value is learned when it stays this near to the truth
ALMOST = 0.01  # of games lost, where a player is almost perfect
STUDIED = "q, random moves"
AS_STUDIED, UNTAUGHT = "as the study did", "before training"
STARTS = {"won": "win", "drawn": "draw", "lost": "loss"}  # for the first player


def counts_agree(results: Results) -> Evidence:
    """The classes have the published sizes: a matter of counting, not of chance."""
    found = {
        name: int(results["classes"].measure(name, "count").value)
        for name in ("win", "draw", "loss")
    }
    same = all(found[name] == results.published("classes", name, "count") for name in found)
    says = ", ".join(f"{count:,} {name}" for name, count in found.items())
    return Evidence(says, p_for=0.0 if same else 1.0, p_against=1.0 if same else 0.0)


def about(experiment: str, row: str, results: Results, factor: float = 2.0) -> Evidence:
    """Claim: as many episodes as published, within a factor."""
    found = results[experiment].measure(row, "episodes")
    published = results.published(experiment, row, "episodes")
    says = f"{found.value:,.0f} episodes, published {published:,.0f}"
    return is_between(found, published / factor, published * factor, says)


def values_are_learned(results: Results) -> Evidence:
    """The values are those of perfect play."""
    parts = []
    for name, row in (("fixed", "alpha-beta"), ("self-play", "self-play")):
        for column in ("winner", "losers"):
            found = results[name].measure(row, column)
            printed = results.published(name, row, column)
            parts.append(is_between(found, printed - CLOSE, printed + CLOSE, ""))
    taught = results["fixed"].measure("alpha-beta", "winner")
    alone = results["self-play"].measure("self-play", "winner")
    return all_of(f"Q(9) {taught.value:.3f} and {alone.value:.3f}", *parts)


def slower(results: Results) -> Evidence:
    """Self-play takes about four times the episodes."""
    alone = results["self-play"].measure("self-play", "episodes")
    taught = results["fixed"].measure("alpha-beta", "episodes")
    logs = [[math.log(value) for value in found.samples] for found in (alone, taught)]
    lowest, highest = (
        compare_means([value - math.log(times) for value in logs[0]], logs[1]) for times in (2, 8)
    )
    ratio = alone.value / taught.value
    return Evidence(
        f"{ratio:.1f} times as many",
        max(lowest.p_above, highest.p_below),
        min(1.0, 2 * min(lowest.p_below, highest.p_above)),
    )


def winner_is_last(results: Results) -> Evidence:
    """The winning move is learned later than the losing ones."""
    found = results["fixed"]
    late, soon = (
        found.measure("alpha-beta", name) for name in ("winner_episodes", "loser_episodes")
    )
    return is_above(compare(late, soon), f"{late.value:,.0f} against {soon.value:,.0f} episodes")


def almost_perfect(results: Results) -> Evidence:
    """After the training hardly a game against random is lost."""
    lost = results["whole"].measure(STUDIED, "losses")
    says = f"{lost.value:.2%} lost after 100,000 episodes"
    return is_not(says, is_above(compare(lost, ALMOST), ""))


def better_starts(results: Results) -> Evidence:
    """Won starts win more than drawn ones, and those more than lost ones."""
    found = results["connect-4"]
    shares = [found.measure("n-tuple", start) for start in STARTS]
    says = ", ".join(f"{found.value:.1%}" for found in shares)
    parts = [is_above(compare(a, b), "") for a, b in itertools.pairwise(shares)]
    return all_of(says, *parts)


def network_starts(results: Results) -> Evidence:
    """The same for the study's network."""
    shares = [results["network"].measure(AS_STUDIED, start) for start in STARTS]
    parts = [is_above(compare(a, b), "") for a, b in itertools.pairwise(shares)]
    return all_of(", ".join(f"{found.value:.1%}" for found in shares), *parts)


def network(results: Results) -> Evidence:
    """The study's network, learned as it was there: 94, 92 and 90%."""
    shares = [results["network"].measure(AS_STUDIED, start) for start in STARTS]
    printed = [results.published("network", AS_STUDIED, start) for start in STARTS]
    parts = [is_between(a, b - 0.03, b + 0.03, "") for a, b in zip(shares, printed, strict=True)]
    return all_of(", ".join(f"{found.value:.1%}" for found in shares), *parts)


def learns(results: Results) -> Evidence:
    """The network wins more than before training, from all starts."""
    found = results["network"]
    pairs = [(found.measure(AS_STUDIED, s), found.measure(UNTAUGHT, s)) for s in STARTS]
    says = ", ".join(f"{before.value:.1%} to {after.value:.1%}" for after, before in pairs)
    return all_of(says, *(is_above(compare(after, before), "") for after, before in pairs))


CLAIMS = (
    Claim("The values of the position become 1 and -1.", values_are_learned, "4.1.1, 4.1.2"),
    Claim(
        "Against a perfect opponent the position needs about 800 episodes.",
        functools.partial(about, "fixed", "alpha-beta"),
        "4.1.1",
    ),
    Claim("The winning move is learned later than the others.", winner_is_last, "4.1.1"),
    Claim(
        "By self-play the position needs about 3,500 episodes.",
        functools.partial(about, "self-play", "self-play"),
        "4.1.2",
    ),
    Claim("Self-play is about four times slower.", slower, "4.1.2"),
    Claim(
        "Tic-tac-toe is learned after about 70,000 episodes.",
        functools.partial(about, "whole", STUDIED),
        "4.1.3",
    ),
    Claim("Then hardly a game against random is lost.", almost_perfect, "4.1.3"),
    Claim(
        "The UCI data has 44,473 wins, 16,635 losses and 6,449 draws.",
        counts_agree,
        "2.1.3",
    ),
    Claim("Better starts win more against random.", better_starts, "4.1.5"),
    Claim("Better starts win more with the network, too.", network_starts, "4.1.5"),
    Claim("The network learns: it wins more than before.", learns, "4.1.5"),
    Claim(
        "The network wins 94, 92 and 90% from won, drawn and lost starts.",
        network,
        "4.1.5",
    ),
)
