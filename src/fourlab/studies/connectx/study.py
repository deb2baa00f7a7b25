"""Study `connectx`: a Monte Carlo tree search for Kaggle's ConnectX, refined step by step."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from dataclasses import replace

from fourlab.studies import plots
from fourlab.studies.base import Claim, Evidence, Experiment, Published, Results, Study
from fourlab.studies.claims import all_of, compare, is_above, is_not
from fourlab.studies.connectx import games, win_checks
from fourlab.studies.findings import share
from fourlab.studies.matches import (
    compare_points,
    elo_told,
    scores_above,
    scores_more,
    told,
)

CLEARLY = 0.525  # of the points: what is clear to the eye is more than that
NEGATED = 35.0  # Elo points, 5 of the score: an interaction below that is one that matters
score_figure = functools.partial(plots.intervals, column="score", line=0.5)

EXPERIMENTS = (
    Experiment(
        name="exploration",
        ask="Which C of UCB1 is best?",
        run=games.exploration,
        published=Published(
            source="figure 2",
            said="Swept from 0.71 to 1.41 against C = 1; values around 1 do best, and 1 is taken.",
        ),
        figure=functools.partial(score_figure, title="Score against C = 1"),
        takes=(125, 3),
        remarks="The document does not say what a loss is worth. A loss of 0 and a draw of 1/2 are "
        "taken from its speaking of scores for wins and ties; were a loss -1, its C would be half "
        "as much here, so the sweep goes on below 0.71. It prints no numbers of games.",
    ),
    Experiment(
        name="choice",
        ask="Should the move with the best score be played, or the one with most visits?",
        run=games.choice,
        published=Published(source="figure 3", said="The best score is clearly preferred."),
        figure=functools.partial(score_figure, title="Best score against most visits"),
        takes=(45, 3),
        remarks="The score of a move is its mean here; the document may have meant the sum, which "
        "lies between the two rules. It prints no numbers of games.",
    ),
    Experiment(
        name="checks",
        ask="How much faster is a check around the last piece, a bit board, numba?",
        run=games.checks,
        published=Published(
            source="section 3.3, future work 1",
            said="The check costs 4 (columns - k) (rows - k) steps over the whole board and 4 k "
            "around the last piece; numba could make the search faster.",
        ),
        takes=(15, 5),
        remarks="A scan of the whole board leaves a place for a line at its first cell that does "
        "not fit; one that always reads four cells takes twice to four times as long. Seconds are "
        "of the processor, the best of three rounds.",
    ),
    Experiment(
        name="time",
        ask="What do more simulations buy?",
        run=games.time_buys,
        published=Published(
            source="section 3.5",
            said="More time brought less than was hoped for; the tree may converge more slowly the "
            "larger it gets.",
        ),
        figure=functools.partial(score_figure, title="More simulations against fewer"),
        takes=(95, 2),
    ),
    Experiment(
        name="steps",
        ask="What is each refinement worth alone?",
        run=games.steps,
        published=Published(
            source="sections 3.3 to 3.5",
            said="Kaggle's score went from above 900 to above 1900 by the check, from 1950 to 2000 "
            "by keeping the tree, from 2000 to 2300 by 0.3 s more a move.",
        ),
        figure=functools.partial(score_figure, title="Each refinement against none"),
        takes=(120, 3),
        remarks="A faster check and more time are more simulations and nothing else: 5 times as "
        "many (see checks) and 1.15 times (2.3 s instead of Kaggle's 2 s).",
    ),
    Experiment(
        name="versions",
        ask="Does each version beat the one before?",
        run=games.versions,
        published=Published(
            # A column that the table of ours does not have: the two scales cannot be compared.
            rows={label: {"points": points} for label, points in games.KAGGLE.items()},
            source="table of section 4",
        ),
        figure=plots.cross_table,
        takes=(60, 3),
        remarks="Kaggle's points are no Elo points: they depend on who else played in those weeks "
        "and on how long each version stayed. Only the order can be compared. A version of the "
        "document met other agents, most of them weaker; ours meet each other.",
    ),
    Experiment(
        name="factorial",
        ask="Do the refinements negate each other? The comparison of all versions that the "
        "document names as missing",
        run=games.factorial,
        published=Published(
            source="limitation 3", said="They might; all versions were not compared."
        ),
        figure=functools.partial(
            plots.intervals, column="elo", line=0.0, percent=False, title="Effects in Elo points"
        ),
        takes=(150, 5),
    ),
    Experiment(
        name="future",
        ask="What is the future work of the document worth, at equal time?",
        run=games.future,
        published=Published(
            source="future work 2 to 4, limitation 1",
            said="A hybrid with minimax, pruning, variants of UCB and graded final scores could "
            "help.",
        ),
        figure=functools.partial(score_figure, title="Variants against the document's agent"),
        takes=(110, 4),
        remarks="Equal time is that of our kernels; in plain Python a playout costs far more than "
        "what these variants add, and dear ones would look better. UCB1-Tuned and PUCT explore "
        "less than C = 1, which by itself is better (see exploration). The last row, for "
        "comparison, has C = 0.5.",
    ),
    Experiment(
        name="randomness",
        ask="Does keeping the tree make play less random?",
        run=games.randomness,
        published=Published(source="limitation 2", said="It may."),
        figure=functools.partial(plots.intervals, column="distinct", title="Different games"),
        takes=(40, 3),
    ),
)


def constant_is_best(results: Results) -> Evidence:
    """C = 1 beats both ends of the sweep."""
    found = results["exploration"]
    ends = [scores_above(found, label) for label in ("C = 0.71", "C = 1.41")]
    says = f"against C = 1: {', '.join(end.says for end in ends)}"
    return all_of(says, *(is_not(end.says, end) for end in ends))


def other_constant_is_best(results: Results) -> Evidence:
    """The same where a loss counts -1: C = 1 is then C = 0.5 here."""
    found = results["exploration"]
    parts = [scores_more(found, "C = 0.50", other) for other in ("C = 0.35", "C = 0.71")]
    return all_of("; ".join(part.says for part in parts), *parts)


def score_is_preferred(results: Results) -> Evidence:
    """The best score makes clearly more than half of the points at the study's strength."""
    score = results["choice"].measure(f"{games.FAST:,} simulations", "score")
    return is_above(compare(score, CLEARLY), told(score), score.units)


def check_helps_most(results: Results) -> Evidence:
    """The faster check scores more than the better of the two other refinements."""
    found = results["steps"]
    others = ("tree kept", "overage time")
    best = max(others, key=lambda label: found.measure(label, "score").value)
    return scores_more(found, "faster check", best)


def time_buys_less(results: Results) -> Evidence:
    """Twice the simulations are worth more where there are few."""
    few, many = f"{games.SLOW:,} doubled", f"{4 * games.FAST:,} doubled"
    return scores_more(results["time"], few, many)


def order_holds(results: Results) -> Evidence:
    """Of two neighbours by Kaggle's points, the one with more of them wins here too."""
    table = results["versions"].extra["cross"]
    order = sorted(games.KAGGLE, key=lambda label: results.published("versions", label, "points"))
    parts = []
    for lesser, greater in itertools.pairwise(order):
        row, column = (table["agents"].index(label) for label in (greater, lesser))
        played = table["games"][row][column]
        score = share(table["scores"][row][column] * played, played)
        says = f"{greater} against {lesser} {told(score)}"
        parts.append(is_above(compare(score, 0.5), says, played))
    return all_of("; ".join(part.says for part in parts), *parts)


def none_is_negated(results: Results) -> Evidence:
    """No two refinements cost each other more than a few points."""
    found = results["factorial"]
    pairs = [
        f"{one} with {other}" for one, other in itertools.combinations(games.FACTORS.values(), 2)
    ]
    least = min(pairs, key=lambda label: found.measure(label, "elo").value)
    parts = [is_above(compare_points(found.measure(p, "elo"), -NEGATED), p) for p in pairs]
    says = (
        f"least: {least} {elo_told(found.measure(least, 'elo'))}; all four together less each "
        f"alone {elo_told(found.measure('all four less each alone', 'elo'))}"
    )
    return all_of(says, *parts)


def tree_is_less_random(results: Results) -> Evidence:
    """Fewer different games come of a kept tree."""
    fresh, kept = (results["randomness"].measure(v, "distinct") for v in ("Version 2", "Version 3"))
    return is_above(
        compare(fresh, kept),
        f"different: {told(fresh)} without, {told(kept)} with",
        fresh.units + kept.units,
    )


def numba_is_faster(results: Results) -> Evidence:
    """The same source takes less time compiled, with both checks: a ratio of many, not a chance."""
    found = results["checks"]
    ratios = [
        found.measure(f"plain Python, {check}", "seconds").value
        / found.measure(f"numba, {check}", "seconds").value
        for check in (win_checks.WHOLE, win_checks.LAST)
    ]
    says = f"{ratios[0]:.0f} times as fast over the whole board, {ratios[1]:.0f} around the piece"
    return Evidence(says, *((0.0, 1.0) if min(ratios) > 1 else (1.0, 0.0)))


def hybrid_helps(results: Results) -> Evidence:
    """Tree search with minimax at its leaves and proofs carried up beats the document's agent."""
    hybrid, *parts = (
        scores_above(results["future"], label)
        for label in ("minimax and proofs", "minimax, 2 plies at leaves", "proofs carried up")
    )
    alone = " and ".join(part.says for part in parts)
    return replace(hybrid, says=f"{hybrid.says}; alone, {alone}")


def helps(experiment: str, label: str) -> Callable[[Results], Evidence]:
    """Return the test that the agent of a row beats its opponent."""
    return lambda results: scores_above(results[experiment], label)


def any_helps(*labels: str) -> Callable[[Results], Evidence]:
    """Return the test that the best of several variants beats the document's agent.

    Choosing the best of several is paid for (Bonferroni).
    """

    def test(results: Results) -> Evidence:
        found = results["future"]
        parts = [scores_above(found, label) for label in labels]
        says = ", ".join(part.says for part in parts)
        p_for = min(1.0, len(parts) * min(part.p_for for part in parts))
        return Evidence(says, p_for, max(p.p_against for p in parts), sum(p.games for p in parts))

    return test


CLAIMS = (
    Claim("C near 1 is best", constant_is_best, "section 3.1"),
    Claim("C near 1 is best, if a loss counts -1", other_constant_is_best, "section 3.1"),
    Claim(
        f"Playing the best score clearly beats playing the most visits (over {CLEARLY:.1%})",
        score_is_preferred,
        "section 3.2",
    ),
    Claim("The faster check helps", helps("steps", "faster check"), "section 3.3"),
    Claim("The faster check helps most", check_helps_most, "section 4"),
    Claim("Keeping the tree helps", helps("steps", "tree kept"), "section 3.4"),
    Claim("0.3 s more a move help", helps("steps", "overage time"), "section 3.5"),
    Claim("More time buys less the more there is", time_buys_less, "section 3.5"),
    Claim("Each version beats the one before", order_holds, "section 4"),
    Claim(
        f"The refinements do not negate each other (by {NEGATED:.0f} Elo points or more)",
        none_is_negated,
        "limitation 3",
    ),
    Claim("Keeping the tree makes play less random", tree_is_less_random, "limitation 2"),
    Claim("Graded final scores help", helps("future", "graded scores"), "limitation 1"),
    Claim("numba makes it faster", numba_is_faster, "future work 1"),
    Claim("A hybrid with minimax helps", hybrid_helps, "future work 2"),
    Claim("Pruning helps", any_helps("pruning, 2 errors", "pruning, 3 errors"), "future work 3"),
    Claim("A variant of UCB helps", any_helps("UCB1-Tuned", "PUCT"), "future work 4"),
)

STUDY = Study(
    name="connectx",
    title="An agent for ConnectX",
    game="7 x 6, connect 4",
    experiments=EXPERIMENTS,
    claims=CLAIMS,
    about="UCB1 with random playouts, refined by a faster check of wins, a tree that is kept "
    "between moves, and unused time; with the comparison of all versions and the future work "
    "that its authors name.",
    source="Zheng, Wu and Cheng, Monte Carlo Tree Search project report, 2023",
    value="a win of the first player",
    telling="versions",
)
