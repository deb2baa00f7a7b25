"""The claims of the study `monte-carlo` and their tests."""

from __future__ import annotations

from functools import partial

from fourlab.arena.statistics import Comparison, compare_paired
from fourlab.studies.base import Claim, Evidence, Results
from fourlab.studies.claims import all_of, compare, is_above, is_between, is_not
from fourlab.studies.findings import Findings, Measure, over_seeds
from fourlab.studies.monte_carlo.learning import BOARDS, EVEN, MIDDLE, SMALL, TINY, WHOLE
from fourlab.studies.monte_carlo.tables import MIXED, POLICIES, RIGHT, row_name

SLIGHT = 0.1  # a gain up to this is slight
GOAL_OF_4 = [board for board in BOARDS if board.endswith("4")]
LARGE, LOW_GOAL = "5 x 5, connect 3", "5 x 4, connect 3"


def paired(found: Findings, row: str, column: str, other: str) -> Comparison:
    """Compare two columns of a row, seed by seed."""
    one, two = (found.measure(row, name).samples for name in (column, other))
    return compare_paired(one, two)


def points(measure: Measure) -> str:
    """Return a difference in points."""
    return f"{100 * measure.value:+z.1f} points"


def told(gains: dict[str, Measure]) -> str:
    """Return differences by board."""
    return "; ".join(f"{board} {points(each)}" for board, each in gains.items())


def improves(results: Results) -> Evidence:
    """After the last episode every board is won more often than before the first."""
    found = results["boards"]
    parts = [is_above(paired(found, board, "end", "untrained"), "") for board in BOARDS]
    ends = [found.measure(board, "end").value for board in BOARDS]
    begun = [found.measure(board, "untrained").value for board in BOARDS]
    least = min(end - begin for end, begin in zip(ends, begun, strict=True))
    return all_of(f"the least gain of {len(BOARDS)} boards is {100 * least:+z.1f} points", *parts)


def gain(results: Results, board: str, column: str) -> Measure:
    """Return what was gained by then on a board, seed by seed."""
    found = results["boards"]
    pairs = zip(
        found.measure(board, column).samples, found.measure(board, "untrained").samples, strict=True
    )
    return over_seeds([after - before for after, before in pairs])


def smaller_is_faster(results: Results) -> Evidence:
    """The smaller of two boards gains more: of a goal of 3 by iteration 8, of 4 ten times later."""
    early = [results["iterations"].measure(board, "gain") for board in (SMALL, LARGE)]
    late = [gain(results, board, "at8000") for board in (MIDDLE, WHOLE)]
    says = (
        f"{SMALL} {points(early[0])}, {LARGE} {points(early[1])} after 800 episodes; "
        f"{MIDDLE} {points(late[0])}, {WHOLE} {points(late[1])} after 8,000"
    )
    return all_of(says, *(is_above(compare(*pair), "") for pair in (early, late)))


def lower_is_faster(results: Results) -> Evidence:
    """On the same board more is gained by iteration 8 with a goal of 3 than with one of 4."""
    low, high = (results["iterations"].measure(board, "gain") for board in (LOW_GOAL, MIDDLE))
    return is_above(
        compare(low, high), f"connect 3 {points(low)}, connect 4 {points(high)} on 5 x 4"
    )


def needs_more(results: Results) -> Evidence:
    """On boards with a goal of 4, 8 iterations bring less than half of what more of them bring."""
    found = results["boards"]
    parts, words = [], []
    for board in GOAL_OF_4:
        begun, early, end = (
            found.measure(board, name).samples for name in ("untrained", "at800", "end")
        )
        half = [(one + two) / 2 for one, two in zip(begun, end, strict=True)]
        parts.append(is_above(compare_paired(half, early), ""))
        words.append(f"{board}: half way after {found.measure(board, 'half').value:,.0f} episodes")
    return all_of("; ".join(words), *parts)


def favours_centre(experiment: str, board: str, results: Results) -> Evidence:
    """Stored moves lie in the centre more often than those of a random policy."""
    row = row_name(board, POLICIES)
    more = results[experiment].measure(row, "more")
    central = results[experiment].measure(row, "central")
    says = f"{central.value:.1%} in the centre, {points(more)} beside a random policy"
    return is_above(compare(more, 0.0), says)


def no_pattern(results: Results) -> Evidence:
    """On the board of an even number of columns the centre is not favoured."""
    part = favours_centre("columns", EVEN, results)
    return is_not(part.says, part)


def odd_only(results: Results) -> Evidence:
    """On the board of an even number of columns lines are not completed in the centre."""
    part = favours_centre("winning", EVEN, results)
    return is_not(f"of moves of value 200 {part.says}", part)


def wins_outside(results: Results) -> Evidence:
    """Moves of value 200 lie in outer columns more often than those of a random policy."""
    part = favours_centre("winning", WHOLE, results)
    return is_not(part.says, part)


def begins_in_the_middle(results: Results) -> Evidence:
    """Runs come to value the middle most as a first move, more often than by chance."""
    truth = results["boards"].truth
    if truth is None:
        raise KeyError("boards")
    begun = truth.measure(WHOLE, "middle")
    best = truth.row(WHOLE)["best"]
    says = f"{begun.value:.0%} of {begun.units} runs on {WHOLE}; the best column is {best}"
    return is_above(compare(begun, 1 / 7), says)


def switch_gains(column: str, results: Results) -> dict[str, Measure]:
    """Return what the switch brings after 8 iterations, by board."""
    boards = (SMALL, MIDDLE, WHOLE)
    return {board: results["td"].measure(f"{board}, 800 episodes", column) for board in boards}


def switch_helps(column: str, results: Results) -> Evidence:
    """With the switch on more is won after 8 iterations, on every board."""
    gains = switch_gains(column, results)
    return all_of(told(gains), *(is_above(compare(each, 0.0), "") for each in gains.values()))


def switch_helps_slightly(column: str, results: Results) -> Evidence:
    """The switch brings something, and less than a tenth of the games."""
    gains = switch_gains(column, results)
    return all_of(told(gains), *(is_between(each, 0.0, SLIGHT, "") for each in gains.values()))


def more_precise(results: Results) -> Evidence:
    """Values of the first moves come nearer to the true returns, from first look to last."""
    found = results["precision"]
    rows = [str(row["row"]) for row in found.rows if str(row["row"]).startswith(TINY)]
    first, last = (found.measure(row, "off") for row in (rows[0], rows[-1]))
    says = f"off by {first.value:.2f} at first, by {last.value:.2f} at last ({TINY})"
    return is_above(compare_paired(first.samples, last.samples), says)


def values_play_better(results: Results) -> Evidence:
    """The values play better than the policy stored beside them, on every board at the end."""
    found = results["by-values"]
    last = {str(row["row"]).rsplit(", ", 1)[0]: str(row["row"]) for row in found.rows}
    gains = {board: found.measure(row, "gain") for board, row in last.items()}
    return all_of(told(gains), *(is_above(compare(each, 0.0), "") for each in gains.values()))


def mixed_keys_learn_nothing(results: Results) -> Evidence:
    """With mixed keys 8 iterations gain nothing to speak of, and less than with right ones."""
    found = results["demo"]
    mixed, right = (found.measure(row, "end") for row in (MIXED, RIGHT))
    begun = found.measure(MIXED, "untrained")
    pairs = zip(mixed.samples, begun.samples, strict=True)
    gained = over_seeds([after - before for after, before in pairs])
    says = f"{begun.value:.1%} untrained, {mixed.value:.1%} mixed, {right.value:.1%} right"
    return all_of(
        says, is_between(gained, -SLIGHT, SLIGHT, ""), is_above(compare(right, mixed), "")
    )


def mixed_keys_are_seen(results: Results) -> Evidence:
    """The picture shows as many trials of one first move as mixed keys give, unlike right ones."""
    found, printed = results["demo"], results.published("demo", MIXED, "trials")
    mixed, right = (found.measure(row, "trials") for row in (MIXED, RIGHT))
    says = f"published {printed:.0f}; {mixed.value:.1f} mixed, {right.value:.1f} with right keys"
    fits = is_between(mixed, printed - 0.5, printed + 0.5, "")
    less = compare(right, printed)
    return all_of(says, fits, Evidence("", less.p_below, less.p_above))


CLAIMS = (
    Claim("The learner improves with its episodes, on every board.", improves, "observations"),
    Claim("Smaller boards are learned faster.", smaller_is_faster, "observations"),
    Claim("Smaller goals are learned faster.", lower_is_faster, "observations"),
    Claim(
        "Boards with a goal of 4 need far more than 8 policy iterations.",
        needs_more,
        "first figure",
    ),
    Claim(
        "On 7 x 6 the stored moves favour the central columns.",
        partial(favours_centre, "columns", WHOLE),
        "second figure",
    ),
    Claim("On 6 x 5 they do not.", no_pattern, "observations"),
    Claim(
        "The centre serves to win only where the number of columns is odd.",
        odd_only,
        "observations",
    ),
    Claim(
        "Where the number of columns is odd, the first stone is learned to go to the middle.",
        begins_in_the_middle,
        "observations",
    ),
    Claim(
        "Moves of value 200 lie in the outer columns more often than elsewhere.",
        wins_outside,
        "observations",
    ),
    Claim(
        "The TD switch helps while it learns.",
        partial(switch_helps, "gain_training"),
        "temporal difference",
    ),
    Claim(
        "As the study tests it, with the switch on in tests too, it helps only slightly.",
        partial(switch_helps_slightly, "gain"),
        "temporal difference",
    ),
    Claim("Q-values become more precise with time.", more_precise, "observations"),
    Claim(
        "The stored policy plays worse than the values beside it.",
        values_play_better,
        "ours",
    ),
    Claim(
        "With the study's mixed keys nothing is learned.", mixed_keys_learn_nothing, "its program"
    ),
    Claim("The study's picture shows mixed keys.", mixed_keys_are_seen, "its picture"),
)
