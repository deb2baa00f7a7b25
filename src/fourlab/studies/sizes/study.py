"""Study `sizes`, one of our own: who wins on which board, every value solved again.

The published table asks for independent verification. Its boards, as far as they fit 63 bits, are
solved from the empty board by the exact search; nothing is taken from the table or from a book.
"""

from __future__ import annotations

from collections.abc import Sequence

from fourlab.search.sizes import PUBLISHED, RECOMPUTED, Size
from fourlab.studies import plots
from fourlab.studies.base import Claim, Evidence, Experiment, Published, Results, Study
from fourlab.studies.bench import Bench
from fourlab.studies.findings import Cell, Column, Findings
from fourlab.studies.plots.parts import number, words
from fourlab.studies.sizes.solving import Board, Solved, solve
from fourlab.studies.wording import count

QUICK_NODES, MINUTES_NODES = 2_000_000, 300_000_000  # of boards in a quick run, and in minutes
TABLE_MB = 512
# Boards of hours, cheapest first, in pieces of so many plies. Beyond them 7 x 8 and 9 x 6.
HOURS: tuple[Size, ...] = ((8, 6), (11, 4), (10, 5))
PIECES = 1  # one for each first move
HOURS_MB = 4096
BEYOND: tuple[Size, ...] = ((4, 12), (4, 13), (4, 14), (5, 11))  # the table leaves them open
SPLIT_QUICKLY: tuple[Size, ...] = ((6, 4), (6, 6))  # solved in pieces by a quick run

COLUMNS = (
    Column("board", "columns × rows", "text"),
    Column("winner", "with perfect play", "text"),
    Column("value", "value", "whole"),
    Column("nodes", "nodes", "whole"),
    Column("seconds", "time", "seconds"),
)


def label(size: Size) -> str:
    """Return the name of a board: 7 × 6."""
    return f"{size[0]} × {size[1]}"


SIZES = {label(size): size for size in PUBLISHED}


def boards_within(nodes: int) -> list[Size]:
    """Return the published boards that took at most so many nodes, cheapest first."""
    known = [size for size in PUBLISHED if size in RECOMPUTED and RECOMPUTED[size][1] <= nodes]
    return sorted(known, key=lambda size: RECOMPUTED[size][1])


def minutes(bench: Bench) -> Findings:
    """Solve the boards that take minutes at most."""
    sizes = boards_within(bench.pick(MINUTES_NODES, QUICK_NODES))
    table_mb, tuned = bench.pick((TABLE_MB, True), (64, False))
    jobs = [Board(*size, table_mb=table_mb, tuned=tuned) for size in sizes]
    return _found(bench.each(solve, jobs))


def hours(bench: Bench) -> Findings:
    """Solve the long ones in pieces, one board at a time: each has the memory for itself."""
    table_mb, tuned = bench.pick((HOURS_MB, True), (64, False))
    jobs = [
        Board(*size, PIECES, table_mb, str(bench.folder / f"{size[0]}x{size[1]}.jsonl"), tuned)
        for size in bench.pick(HOURS, SPLIT_QUICKLY)
    ]
    return _found([solved for job in jobs for solved in bench.each(solve, [job])])


def beyond(bench: Bench) -> Findings:
    """Solve boards that fit and are not in the table."""
    table_mb, tuned = bench.pick((TABLE_MB, True), (64, False))
    sizes = bench.pick(BEYOND, BEYOND[:1])
    return _found(
        bench.each(solve, [Board(*size, table_mb=table_mb, tuned=tuned) for size in sizes])
    )


def _found(solved: Sequence[Solved]) -> Findings:
    rows = []
    for one in solved:
        row: dict[str, Cell] = {
            "board": label((one.board.columns, one.board.rows)),
            "winner": one.words,
            "value": one.low if one.low == one.high else None,
            "nodes": one.nodes,
            "seconds": one.seconds,
        }
        rows.append(row)
    return Findings(COLUMNS, tuple(rows))


def printed(sizes: Sequence[Size]) -> Published:
    """Return the published values of some boards."""
    return Published(
        {label(size): {"value": float(PUBLISHED[size])} for size in sizes},
        source="J. Tromp's table of board sizes",
    )


def picture(found: Findings, published: Published | None) -> object:
    """Draw the table of boards, our values over the published ones."""
    values = {row["board"]: row["value"] for row in found.rows}
    ours = {size: number(values[label(size)]) for size in PUBLISHED if label(size) in values}
    return plots.board_sizes(PUBLISHED, ours)


def _values(results: Results) -> dict[Size, tuple[float, float]]:
    """Return of each solved board our value and the published one."""
    rows = {}
    for experiment in results.study.experiments:
        rows.update(experiment.published.rows if experiment.published else {})
    both = {}
    for found in results.values():
        for row in found.rows:
            if (size := SIZES.get(words(row["board"]))) and row["value"] is not None:
                both[size] = number(row["value"]), rows[label(size)]["value"]
    if not both:
        raise KeyError("no board was solved")
    return both


def _proof(says: str, holds: bool) -> Evidence:
    """Return evidence that leaves nothing to chance."""
    return Evidence(says, 0.0 if holds else 1.0, 1.0 if holds else 0.0)


def all_equal(results: Results) -> Evidence:
    """Every value that we solved is the published one."""
    both = _values(results)
    other = [label(size) for size, (ours, printed) in both.items() if ours != printed]
    says = f"{count(len(both), 'board')} solved, {count(len(other), 'difference')}"
    return _proof(f"{says}: {', '.join(other)}" if other else says, not other)


def narrow_draws(results: Results) -> Evidence:
    """Nobody wins on four or five columns."""
    found = {size: ours for size, (ours, _) in _values(results).items() if size[0] <= 5}
    won = [label(size) for size, ours in found.items() if ours]
    says = f"{count(len(found), 'board')} of 4 and 5 columns, {len(found) - len(won)} drawn"
    return _proof(says, not won)


def even_rows(results: Results) -> Evidence:
    """With an even number of rows the second player wins on 6 and on 8 or more columns."""
    values = _values(results)
    found = {s: ours for s, (ours, _) in values.items() if s[1] % 2 == 0 and s[0] not in (4, 5, 7)}
    if not found:
        raise KeyError("no such board was solved")
    won = sum(ours < 0 for ours in found.values())
    says = f"the second player wins {won} of {count(len(found), 'board')}"
    return _proof(says, won == len(found))


STUDY = Study(
    "sizes",
    "Who wins on which board",
    "4 to 11 columns, connect 4",
    (
        Experiment(
            "minutes",
            "Who wins on the boards of minutes?",
            minutes,
            printed(boards_within(MINUTES_NODES)),
            picture,
            (240, 5),
        ),
        Experiment(
            "hours",
            "Who wins on the boards of hours?",
            hours,
            printed(HOURS),
            picture,
            (4_000, 5),
            remarks="The times are those of the searches, each on one core; a run that is taken up "
            "again does not repeat them.",
        ),
        Experiment(
            "beyond", "Who wins on boards that the table leaves open?", beyond, takes=(240, 5)
        ),
    ),
    (
        Claim("Every value is the published one.", all_equal, "the table"),
        Claim("Nobody wins on 4 or 5 columns.", narrow_draws, "the table"),
        Claim(
            "On an even number of rows the second player wins, with 6 or with 8 columns and more.",
            even_rows,
            "the table",
        ),
    ),
    about="The value of the empty board, connect 4, on boards of other sizes, solved again.",
    source="J. Tromp, Connect-4 on various board sizes, 2015 to 2026",
    took="9 × 6: about 2,000 hours in 2005",
)
