"""The conclusions of the study `minimax-q`, each with its test."""

from __future__ import annotations

from collections.abc import Callable

from fourlab.arena.statistics import against_value
from fourlab.studies.base import Claim, Evidence, Results
from fourlab.studies.claims import (
    agrees,
    all_of,
    compare,
    is_above,
    is_below,
    is_between,
    never,
)
from fourlab.studies.findings import Measure, share

TIC, FOUR = "tic-tac-toe", "connect-4"
NEVER = 0.005  # a share that counts as never, where there was no game of the kind
ALIKE = 0.05  # a difference in shares that hardly matters


def _percent(found: Measure) -> str:
    spread = "" if found.low is None else f" ({found.low:.1%} to {found.high:.1%})"
    return f"{found.value:.1%}{spread}"


def _as_published(where: str, row: str, told: str = "") -> Callable[[Results], Evidence]:
    """Claim: a row wins as often as was published."""

    def test(results: Results) -> Evidence:
        found = results[where].measure(row, "wins")
        published = results.published(where, told or row, "wins")
        printed = results.study.experiment(where).published
        games = printed.games if printed else 0
        says = f"published {published:.1%} of {games:,} games, found {_percent(found)}"
        return agrees(found, published, games, says, 0 if found.samples else found.units)

    return test


def _is_possible(results: Results) -> Evidence:
    told = results.published(TIC, "minimax O", "wins")
    printed = results.study.experiment(TIC).published
    most = results["reachable"].measure("never loses, then most wins, O", "wins").value
    found = share(told * printed.games, printed.games) if printed else share(0, 1)
    says = f"published {_percent(found)}; whoever never loses wins {most:.1%} at most"
    return is_below(compare(found, most), says)


def _never_loses(results: Results) -> Evidence:
    def lost(suffix: str) -> list[Measure]:
        rows = [(where, f"minimax {side}{suffix}") for where in (TIC, FOUR) for side in "XO"]
        return [results[where].measure(row, "losses") for where, row in rows]

    def count(found: list[Measure]) -> str:
        games = sum(one.units for one in found)
        return f"{sum(one.value * one.units for one in found):.0f} of {games:,} games lost"

    says = f"{count(lost(''))}; {count(lost(', equals by lot'))} where it draws lots among equals"
    return all_of(says, *(never(found, NEVER, "") for found in lost("")))


def _q_beats_minimax_as_o(results: Results) -> Evidence:
    q, minimax = (results[TIC].measure(row, "wins") for row in ("Q O", "minimax O"))
    found = against_value(q.samples, minimax.value)
    return is_above(found, f"Q {_percent(q)}, minimax {_percent(minimax)}", minimax.units)


def _nearly_converged(results: Results) -> Evidence:
    """Claim: as O, Q wins nearly as often as the best response to its rewards."""
    found = results[TIC].measure("Q O", "wins")
    best = results["reachable"].measure("the rewards of the study, O", "wins").value
    says = f"Q wins {_percent(found)}, the best response {best:.1%}; 5 points less is close"
    return is_above(compare(found, best - ALIKE), says)


def _q_is_worse_as_x(results: Results) -> Evidence:
    q, minimax = (results[TIC].measure(row, "wins") for row in ("Q X", "minimax X"))
    found = against_value(q.samples, minimax.value)
    return is_below(found, f"Q {_percent(q)}, minimax {_percent(minimax)}", minimax.units)


def _q_loses_sometimes(results: Results) -> Evidence:
    found = results[TIC].measure("Q X", "losses")
    return is_above(compare(found, NEVER), f"as X {_percent(found)} of its games are lost")


def _worse_second(results: Results) -> Evidence:
    first, second = (results[FOUR].measure(f"Q {side}", "wins") for side in "XO")
    return is_above(compare(first, second), f"X wins {_percent(first)}, O wins {_percent(second)}")


def _like_baseline(results: Results) -> Evidence:
    wins = [results[FOUR].measure(f"Q {side}", "wins").samples for side in "XO"]
    draws = [results[FOUR].measure(f"Q {side}", "draws").samples for side in "XO"]
    both = [
        (first + second) / 2 + (drawn + drew) / 4
        for first, second, drawn, drew in zip(*wins, *draws, strict=True)
    ]
    mean = sum(both) / len(both)
    found = Measure(mean, units=len(both), samples=tuple(both))
    says = f"{mean:.1%} of the points, both sides together; 45% to 55% is alike"
    return is_between(found, 0.5 - ALIKE, 0.5 + ALIKE, says)


def _similar_minimax(results: Results) -> Evidence:
    first, second = (results[FOUR].measure(f"minimax {side}", "wins") for side in "XO")
    says = f"X wins {_percent(first)}, O wins {_percent(second)}; up to 5 points less is as well"
    return is_above(compare(second, first.value - ALIKE), says, first.units + second.units)


def _more_as_o(results: Results) -> Evidence:
    parts, words = [], []
    for name in ("tic-tac-toe", "Connect 4"):
        first, second = (results["states"].measure(f"{name} {side}", "pairs") for side in "XO")
        parts.append(is_above(compare(second, first), ""))
        words.append(f"{name} {first.value:,.0f} as X, {second.value:,.0f} as O")
    return all_of("; ".join(words), *parts)


def _states_as_published(row: str) -> Callable[[Results], Evidence]:
    def test(results: Results) -> Evidence:
        found = results["states"].measure(row, "pairs")
        told = results.published("states", row, "pairs")
        says = f"published {told:,.0f}, found {found.value:,.0f}; a quarter more or less agrees"
        return is_between(found, 0.75 * told, 1.25 * told, says)

    return test


def _less_search(name: str, less: str, more: str) -> Callable[[Results], Evidence]:
    """Claim: minimax has less to search from one side: the study's times, free of the machine."""

    def test(results: Results) -> Evidence:
        few, many = (results["times"].measure(f"{name} {side}", "nodes") for side in (less, more))
        says = f"{few.value:,.0f} positions a move as {less}, {many.value:,.0f} as {more}"
        return is_below(compare(few, many), says)

    return test


def _q_is_quick(results: Results) -> Evidence:
    parts, words = [], []
    for name in ("tic-tac-toe", "Connect 4"):
        found = results["times"].measure(f"{name} Q", "seconds")
        told = results.published("times", f"{name} Q", "seconds")
        parts.append(is_below(compare(found, told), ""))
        words.append(f"{name} {found.value * 1e6:.0f} µs")
    return all_of(" and ".join(words) + " a move", *parts)


def _always(column: str, *rows: str) -> Callable[[Results], Evidence]:
    """Claim: all games of some rows end in one way."""

    def test(results: Results) -> Evidence:
        parts, words = [], []
        for row in rows:
            found = results["head-to-head"].measure(row, column)
            told = results.published("head-to-head", row, column)
            # A training is the unit: its games hardly differ.
            other = sum(1 for value in found.samples if value < told)
            p_for = 1.0 if other else 0.5 ** len(found.samples)  # of most trainings
            parts.append(Evidence("", p_for, 0.0 if other else 1.0))
            words.append(f"{row}: {found.value:.1%}")
        return all_of("; ".join(words), *parts)

    return test


def _all_the_same(name: str) -> Callable[[Results], Evidence]:
    """Claim: with one table, every game of a side is the same."""

    def test(results: Results) -> Evidence:
        parts, words = [], []
        for side in "XO":
            row = f"{name}, Q {side}"
            found = results["head-to-head"].measure(row, "lines")
            told = results.published("head-to-head", row, "lines")
            differ = max(found.samples) > told
            p_for = 1.0 if differ else 0.5 ** len(found.samples)
            parts.append(Evidence("", p_for, 0.0 if differ else 1.0))
            words.append(f"as {side} up to {max(found.samples):.0f} different games of one table")
        return all_of("; ".join(words), *parts)

    return test


def _longer_first(results: Results) -> Evidence:
    first, second = (
        results["head-to-head"].measure(f"Connect 4, Q {side}", "length") for side in "XO"
    )
    says = f"{first.value:.1f} moves where Q begins, {second.value:.1f} where minimax does"
    return is_above(compare(first, second), says)


def _out_of_reach(results: Results) -> Evidence:
    nodes = results["search"].measure("exact solver, first move", "nodes").value
    told = results.published("search", "exact solver, first move", "nodes")
    says = (
        f"the exact solver needs {nodes:,.0f} positions for the value of the empty board; "
        f"{told:,.0f} were searched in half an hour without an end in sight"
    )
    return Evidence(says, 0.0 if nodes > told else 1.0, 0.0 if nodes <= told else 1.0)


def _narrows(depth: int) -> Callable[[Results], Evidence]:
    def test(results: Results) -> Evidence:
        before, after = (
            results["rematch"].measure(f"depth {depth}, after {name}", "losses")
            for name in ("baseline", "minimax")
        )
        says = f"lost {_percent(before)} after baseline, {_percent(after)} after minimax"
        return is_below(compare(after, before), says)

    return test


CLAIMS = (
    Claim("Minimax never loses to baseline, in either game.", _never_loses, "section 5"),
    Claim("Minimax wins 87.5% as X in tic-tac-toe.", _as_published(TIC, "minimax X"), "table 2"),
    Claim("Minimax wins 34.3% as O in tic-tac-toe.", _as_published(TIC, "minimax O"), "table 2"),
    Claim(
        "Minimax can win 34.3% as O in tic-tac-toe and lose to no such baseline.",
        _is_possible,
        "table 2",
    ),
    Claim(
        "Minimax wins every game as X in Connect 4.", _as_published(FOUR, "minimax X"), "table 2"
    ),
    Claim("Minimax wins 99% as O in Connect 4.", _as_published(FOUR, "minimax O"), "table 2"),
    Claim("Q wins 73.7% as X in tic-tac-toe.", _as_published(TIC, "Q X"), "table 2"),
    Claim("Q wins 43.0% as O in tic-tac-toe.", _as_published(TIC, "Q O"), "table 2"),
    Claim("Q wins 70% as X in Connect 4.", _as_published(FOUR, "Q X"), "table 2"),
    Claim("Q wins 68% as O in Connect 4.", _as_published(FOUR, "Q O"), "table 2"),
    Claim(
        "Q wins about 30% as O in Connect 4.", _as_published(FOUR, "Q O", "Q O, prose"), "section 5"
    ),
    Claim("As O, Q wins more tic-tac-toe games than minimax.", _q_beats_minimax_as_o, "section 5"),
    Claim("As O, tic-tac-toe training came close to converging.", _nearly_converged, "section 5"),
    Claim("As X, Q wins fewer tic-tac-toe games than minimax.", _q_is_worse_as_x, "section 5"),
    Claim("As X, Q loses tic-tac-toe games now and then.", _q_loses_sometimes, "section 5"),
    Claim("In Connect 4 Q is much worse as O than as X.", _worse_second, "section 5"),
    Claim("In Connect 4 minimax does as well as O as it does as X.", _similar_minimax, "section 5"),
    Claim("In Connect 4 Q is about as good as baseline.", _like_baseline, "section 5"),
    Claim("Training as O comes to more Q-states than as X.", _more_as_o, "table 1"),
    *(
        Claim(f"Training comes to so many Q-states: {row}.", _states_as_published(row), "table 1")
        for row in ("tic-tac-toe X", "tic-tac-toe O", "Connect 4 X", "Connect 4 O")
    ),
    Claim(
        "Minimax has less to search as O in tic-tac-toe.",
        _less_search("tic-tac-toe", "O", "X"),
        "section 5",
    ),
    Claim(
        "Minimax has less to search as X in Connect 4.",
        _less_search("Connect 4", "X", "O"),
        "section 5",
    ),
    Claim("A Q-player moves in less than a millisecond.", _q_is_quick, "section 5"),
    Claim(
        "Q and minimax always tie in tic-tac-toe.",
        _always("draws", "tic-tac-toe, Q X", "tic-tac-toe, Q O"),
        "section 6",
    ),
    Claim(
        "Minimax wins every Connect 4 game against Q.",
        _always("losses", "Connect 4, Q X", "Connect 4, Q O"),
        "section 6",
    ),
    Claim(
        "With one table, every tic-tac-toe game of Q and minimax is the same.",
        _all_the_same("tic-tac-toe"),
        "figure 3",
    ),
    Claim(
        "With one table, every Connect 4 game of Q and minimax is the same.",
        _all_the_same("Connect 4"),
        "figure 4",
    ),
    Claim("Connect 4 games last longer where Q begins.", _longer_first, "figure 4"),
    Claim("A search of Connect 4 to its end is out of reach.", _out_of_reach, "section 3"),
    Claim(
        "Training against minimax narrows the gap to it (six plies deep).", _narrows(6), "section 6"
    ),
    Claim("Training against minimax narrows the gap to it (two plies).", _narrows(2), "section 6"),
)
