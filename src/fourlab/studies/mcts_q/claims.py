"""The claims of study `mcts-q`, each with its test."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np

from fourlab.arena.statistics import compare_means
from fourlab.studies.base import Claim, Evidence, Results
from fourlab.studies.claims import all_of, compare, is_above, is_between
from fourlab.studies.findings import Findings, Measure, over_seeds
from fourlab.studies.mcts_q.search import CAREFUL, CHOSEN, LADDER
from fourlab.studies.mcts_q.search import MAPS as SEARCH_MAPS
from fourlab.studies.mcts_q.sweeps import (
    CHOSEN_GAMMA,
    CHOSEN_MAP,
    CHOSEN_STEP,
    FREE,
    MAPS,
    MOVE_REWARDS,
    TOP,
    pair_label,
)

SAME_SHARE = 0.02  # a share of games that is as published
HARDLY = 0.05  # a change of the games won that hardly matters
NEAR = (0.7, 2.8)  # half to twice the chosen constant


def is_best(
    found: Findings, column: str, row: str, others: Iterable[str], least: bool = False
) -> Evidence:
    """Claim: a row has more (or less) than each of the others."""
    towards = -1 if least else 1
    own = found.measure(row, column)
    rival = max(
        (other for other in others if other != row),
        key=lambda other: towards * found.measure(other, column).value,
    )
    other = found.measure(rival, column)
    same = ", the same seed by seed" if own.samples and own.samples == other.samples else ""
    says = f"{row}: {own.value:.1%}, {rival}: {other.value:.1%}{same}."
    return is_above(compare(*((other, own) if least else (own, other))), says)


def falls(found: Findings, column: str, rows: list[str]) -> Evidence:
    """Claim: a share is smaller in each row than in the one before."""
    shares = [found.measure(row, column) for row in rows]
    steps = [is_above(compare(a, b), "") for a, b in itertools.pairwise(shares)]
    told = ", ".join(f"{row} {share.value:.1%}" for row, share in zip(rows, shares, strict=True))
    return all_of(f"{told}.", *steps)


def wins_most(results: Results) -> Evidence:
    """Claim: MC200 wins more than half of its games, whatever the rewards."""
    found = results["rewards"]
    wins = {name: found.measure(name, "wins") for name in SEARCH_MAPS}
    parts = [is_above(compare(share, 0.5), "") for share in wins.values()]
    least = min(wins, key=lambda name: wins[name].value)
    return all_of(f"It wins {wins[least].value:.1%} and more ({least}).", *parts)


def as_published(results: Results) -> Evidence:
    """Claim: every published share of games won is met."""
    found, parts, told = results["rewards"], [], []
    for name in SEARCH_MAPS:
        own, theirs = found.measure(name, "wins"), results.published("rewards", name, "wins")
        parts.append(is_between(own, theirs - SAME_SHARE, theirs + SAME_SHARE, ""))
        told.append(f"{name}: {own.value:.1%} ({theirs:.1%})")
    return all_of(f"{'; '.join(told)}.", *parts)


def fewer_draws(results: Results) -> Evidence:
    """Claim: a draw worth a loss is drawn less often."""
    found = results["rewards"]
    careful, chosen = (found.measure(name, "draws") for name in (CAREFUL, CHOSEN))
    says = f"{careful.value:.1%} drawn with {CAREFUL}, {chosen.value:.1%} with {CHOSEN}."
    return is_above(compare(careful, chosen), says)


def draws_matter(results: Results) -> Evidence:
    """Claim: a draw worth a loss wins more."""
    found = results["rewards"]
    chosen, careful = (found.measure(name, "wins") for name in (CHOSEN, CAREFUL))
    says = f"{chosen.value:.1%} won with {CHOSEN}, {careful.value:.1%} with {CAREFUL}."
    return is_above(compare(chosen, careful), says)


def nearly_shortest(results: Results) -> Evidence:
    """Claim: not further from the shortest than in the published table."""
    found = results["rewards"]
    shortest = min(SEARCH_MAPS, key=lambda name: found.measure(name, "moves").value)
    theirs = [results.published("rewards", name, "moves") for name in SEARCH_MAPS]
    margin = results.published("rewards", CHOSEN, "moves") - min(theirs)
    own, least = found.measure(CHOSEN, "moves"), found.measure(shortest, "moves")
    within = np.array(least.samples) + margin
    says = f"{own.value:.2f} moves, {least.value:.2f} with {shortest}; margin {margin:.2f}."
    return is_above(compare_means(within.tolist(), own.samples), says)


def hardly_matters(results: Results) -> Evidence:
    """Claim: no constant around the chosen one changes much, over all maps."""
    found, parts, most = results["uct"], [], Measure(0.0)
    for row in found.rows:
        inside = row["map"] == "all maps" and NEAR[0] <= float(str(row["c"])) <= NEAR[1]
        change = row.get("change")
        if not (inside and isinstance(change, Measure)) or row["c"] == "1.4":
            continue
        parts.append(is_between(change, -HARDLY, HARDLY, ""))
        most = max(most, change, key=lambda each: abs(each.value))
    says = f"At most {100 * abs(most.value):.1f} points of the games won, {HARDLY:.0%} allowed."
    return all_of(says, *parts)


def more_is_more(results: Results) -> Evidence:
    """Claim: each rung of the ladder scores more than the one below."""
    return falls(results["simulations"], "score", [f"MC{n}" for n in reversed(LADDER)])


def by_kind(results: Results, experiment: str, column: str, above: str, says: str) -> Evidence:
    """Claim: a figure of one learner is above the other's."""
    found = results[experiment]
    below = "vanilla" if above == "afterstates" else "afterstates"
    one, other = found.measure(above, column), found.measure(below, column)
    return is_above(compare(one, other), says.format(one.value, other.value))


def both_lose(results: Results) -> Evidence:
    """Claim: fewer games won than lost, by both learners."""
    found = results["afterstates"]
    ratios = {kind: found.measure(kind, "ratio") for kind in ("afterstates", "vanilla")}
    told = ", ".join(f"{kind} {ratio.value:.2f}" for kind, ratio in ratios.items())
    parts = [
        is_above(compare_means([1.0] * len(r.samples), r.samples), "") for r in ratios.values()
    ]
    return all_of(f"Won for each lost: {told}.", *parts)


def fewer_simulations(results: Results) -> Evidence:
    """Claim: the share of games won falls with every five simulations."""
    rows = [f"MC{n}, more games" for n in range(0, TOP + 1, 5)]
    return falls(results["opponents"], "wins", rows)


def more_games(results: Results) -> Evidence:
    """Claim: three times the games win more, over all opponents together."""
    found = results["opponents"]
    means = {
        how: np.mean(
            [found.measure(f"MC{n}, {how} games", "wins").samples for n in range(0, TOP + 1, 5)],
            axis=0,
        )
        for how in ("some", "more")
    }
    some, more = (over_seeds(means[how].tolist()) for how in ("some", "more"))
    says = f"{some.value:.1%} won after some games, {more.value:.1%} after three times as many."
    return is_above(compare(more, some), says)


def beats_all(results: Results) -> Evidence:
    """Claim: more games won than lost against every opponent."""
    found, parts = results["validation"], []
    for row in found.rows:
        wins, losses = (found.measure(str(row["label"]), name) for name in ("wins", "losses"))
        parts.append(is_above(compare(wins, losses), ""))
    last = found.rows[-1]
    wins, losses = (found.measure(str(last["label"]), name) for name in ("wins", "losses"))
    says = f"Against {last['label']} {wins.value:.1%} won and {losses.value:.1%} lost."
    return all_of(says, *parts)


def small_file(results: Results) -> Evidence:
    """Claim: numbers take fewer bytes; a calculation, not a measurement."""
    found = results["training"]
    number, text = (
        found.measure("afterstates", f"{kind}_bytes").value for kind in ("number", "text")
    )
    own = found.measure("afterstates", "bytes")
    says = f"{number:.0f} bytes a value with numbers, {text:.0f} with texts; here {own.value:.1f}."
    return Evidence(says, *((0.0, 1.0) if number < text else (1.0, 0.0)))


def pair(results: Results) -> Evidence:
    """Claim: the chosen gamma and reward of a move win most in training."""
    found = results["gamma"]
    chosen = pair_label(CHOSEN_GAMMA, CHOSEN_STEP)
    tried = {f"{step:g}" for step in MOVE_REWARDS}
    rows = [str(row["label"]) for row in found.rows if row["step"] in tried]
    return is_best(found, "training", chosen, rows)


def undiscounted(results: Results) -> Evidence:
    """Claim: no discount wins most, with the chosen reward of a move."""
    found = results["gamma"]
    rows = [str(row["label"]) for row in found.rows if row["step"] == f"{CHOSEN_STEP:g}"]
    return is_best(found, "wins", pair_label(CHOSEN_GAMMA, CHOSEN_STEP), rows)


def shorter(results: Results) -> Evidence:
    """Claim: games are shorter where a move costs something."""
    found = results["gamma"]
    free, costly = (
        found.measure(pair_label(CHOSEN_GAMMA, step), "moves") for step in (FREE, CHOSEN_STEP)
    )
    says = f"{costly.value:.2f} moves with {CHOSEN_STEP:g}, {free.value:.2f} with nothing."
    return is_above(compare(free, costly), says)


CLAIMS = (
    Claim("MC200 wins most of its games against MC40.", wins_most, "abstract"),
    Claim("The more simulations, the more games are won.", more_is_more, "section 3.2"),
    Claim(
        "The published shares of games won come out again, within two points.",
        as_published,
        "table in section 3.2",
    ),
    Claim("A draw worth a loss wins more games than a draw worth 0.", draws_matter, "section 3.2"),
    Claim(
        "Of five reward maps -1, -1 wins most.",
        lambda results: is_best(results["rewards"], "wins", CHOSEN, SEARCH_MAPS),
        "section 3.2",
    ),
    Claim(
        "Of five reward maps -1, 0 loses least.",
        lambda results: is_best(results["rewards"], "losses", CAREFUL, SEARCH_MAPS, least=True),
        "section 3.2",
    ),
    Claim("With -1, -1 fewer games are drawn than with -1, 0.", fewer_draws, "section 3.2"),
    Claim("With -1, -1 games are nearly as short as they get.", nearly_shortest, "section 3.2"),
    Claim(
        "The constant of UCT hardly matters: from 0.7 to 2.8 less than 5 points of the games won.",
        hardly_matters,
        "section 3.2",
    ),
    Claim(
        "Afterstates win more for each game lost than vanilla Q-learning.",
        lambda results: by_kind(
            results, "afterstates", "ratio", "afterstates", "{:.3f} against {:.3f}."
        ),
        "section 4.1",
    ),
    Claim(
        "Vanilla's games are shorter.",
        lambda results: by_kind(
            results, "afterstates", "moves", "afterstates", "{1:.2f} moves against {0:.2f}."
        ),
        "section 4.1",
    ),
    Claim(
        "Vanilla loses faster: the games that it loses are shorter.",
        lambda results: by_kind(
            results, "afterstates", "lost_moves", "afterstates", "{1:.2f} moves against {0:.2f}."
        ),
        "section 4.1",
    ),
    Claim("In training both lose more games than they win.", both_lose, "section 4.1"),
    Claim(
        "Afterstates save memory: fewer values than vanilla Q-learning.",
        lambda results: by_kind(
            results, "training", "values", "vanilla", "{1:,.0f} values against {0:,.0f}."
        ),
        "section 4.2",
    ),
    Claim(
        "Draw -0.5, loss -1, win 1 is the best reward map of Q-learning.",
        lambda results: is_best(results["q-rewards"], "training", CHOSEN_MAP, MAPS),
        "section 4.2",
    ),
    Claim("Gamma 1 with -0.1 for a move is the best pair.", pair, "section 4.2"),
    Claim("With -0.1 for a move gamma 1 wins most afterwards.", undiscounted, "section 4.2"),
    Claim("A reward of -0.1 for a move makes games shorter.", shorter, "section 4.2"),
    Claim(
        "The fewer simulations the opponent has, the more Q-learning wins.",
        fewer_simulations,
        "section 4.3",
    ),
    Claim("More games of training win more: it has not converged.", more_games, "section 4.3"),
    Claim(
        "Trained to the end it wins more than it loses against every MC_n up to 25.",
        beats_all,
        "section 2.1",
    ),
    Claim("Boards as numbers make a smaller file than as texts.", small_file, "section 5"),
)
