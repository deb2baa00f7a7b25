"""Experiments of study `mcts-q`, first part: tree search alone. The final rules come from here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from fourlab.arena.events import Event
from fourlab.arena.statistics import share_interval
from fourlab.core.arrays import Ints
from fourlab.studies.bench import Bench
from fourlab.studies.findings import (
    Cell,
    Column,
    Curve,
    Findings,
    Measure,
    over_seeds,
    share,
    value,
)

BOARD = "connect:columns=5,rows=6,k=4"
TREE = "depth=4,solver=no"  # the study's: four plies deep, every node with all its children
MAPS = {  # rewards of a loss and of a draw; a win is 1
    "-1, 0": (-1, 0),
    "-0.5, -0.5": (-0.5, -0.5),
    "0, 0": (0, 0),
    "-1, -1": (-1, -1),
    "-1.5, -1.5": (-1.5, -1.5),
}
CHOSEN, CAREFUL = "-1, -1", "-1, 0"
CONSTANTS = (0.2, 0.7, 1.0, 1.4, 2.0, 2.8)
DEFAULT = 1.4
TREES = {"kept": ",reuse=yes", "all children": ",expand=all"}
LADDER = (5, 10, 20, 40, 80, 160, 320)
RUNG = 40  # the opponent of the ladder
GRADED = (0, 25, 40, 200)
PHASES = ("opening", "middle", "end")
BLOCKS = 5  # with seeds of their own, into which the games of a comparison are divided
STUDY_GAMES = 100  # of the study for each constant

OUTCOMES = (
    Column("wins", "won", "percent"),
    Column("draws", "drawn", "percent"),
    Column("losses", "lost", "percent"),
)


def mc(sims: int | str, rewards: str = CHOSEN, c: float = DEFAULT, more: str = "") -> str:
    """Return the spec of the study's tree search; MC_0 plays at random."""
    loss, draw = MAPS[rewards]
    return f"mcts:sims={sims},c={c:g},{TREE},loss={loss:g},draw={draw:g}{more}"


def outcomes(counts: Ints) -> dict[str, Cell]:
    """Return the cells of `OUTCOMES` for wins, draws and losses."""
    total = int(counts.sum())
    names = ("wins", "draws", "losses")
    return {name: share(int(n), total) for name, n in zip(names, counts, strict=True)}


def duel(bench: Bench, a: str, b: str, games: int) -> tuple[list[Ints], list[float]]:
    """Play from the empty board; return results ([side, result]) and mean moves of each block."""
    counts, moves = [], []
    for block in range(BLOCKS):
        seed = bench.seed * BLOCKS + block
        [tally] = bench.tournament(Event(BOARD, (a, b), games // BLOCKS, seed, plies=0)).tallies
        counts.append(tally.counts)
        moves.append(tally.moves / tally.games)
    return counts, moves


def rewards(bench: Bench) -> Findings:
    """MC200 against MC40, with one reward map for both."""
    games = bench.pick(20_000, 500)
    rows: list[dict[str, Cell]] = []
    for name in MAPS:
        counts, moves = duel(bench, mc(200, name), mc(40, name), games)
        both = np.sum(counts, axis=0)
        sides = {
            side: share(int(both[index, 0]), int(both[index].sum()))
            for index, side in enumerate(("first", "second"))
        }
        rows.append(
            {"map": name, "moves": over_seeds(moves), **outcomes(both.sum(axis=0)), **sides}
        )
    columns = (
        Column("map", "loss, draw", "text"),
        Column("moves", "mean moves"),
        *OUTCOMES,
        Column("first", "won as first", "percent"),
        Column("second", "won as second", "percent"),
    )
    return Findings(columns, tuple(rows), notes=_notes_on_maps(rows))


def _notes_on_maps(rows: list[dict[str, Cell]]) -> tuple[str, ...]:
    wins = {str(row["map"]): value(row["wins"]) for row in rows}
    alike = [wins[name] for name in MAPS if name != CAREFUL]
    best = max(wins, key=lambda name: wins[name])
    return (
        f"The four maps in which a draw is worth a loss lie within "
        f"{100 * (max(alike) - min(alike)):.1f} points of each other; {best} wins most here. "
        f"{CAREFUL} wins {100 * (min(alike) - wins[CAREFUL]):.1f} points less than the least of "
        "them.",
        "With perfect play the board is a draw: every game won was given away by the other side.",
    )


def trees(bench: Bench) -> Findings:
    """The same with another tree: kept from move to move, or every new child played out."""
    games = {"kept": bench.pick(2_000, 40), "all children": bench.pick(5_000, 100)}
    rows: list[dict[str, Cell]] = []
    for kind, more in TREES.items():
        for name in MAPS:
            players = (mc(200, name, more=more), mc(40, name, more=more))
            counts, moves = duel(bench, *players, games[kind])
            found = outcomes(np.sum(counts, axis=(0, 1)))
            rows.append({"label": f"{name}, {kind}", "moves": over_seeds(moves), **found})
    columns = (
        Column("label", "loss, draw, tree", "text"),
        Column("moves", "mean moves"),
        *OUTCOMES,
    )
    return Findings(columns, tuple(rows))


def uct(bench: Bench) -> Findings:
    """The constant of UCT over all reward maps; the last rows of each map are its means."""
    games = bench.pick(2_000, 40)
    constants: Sequence[float] = bench.pick(CONSTANTS, (0.2, 0.7, 1.4, 2.8))
    rows: list[dict[str, Cell]] = []
    curves = []
    won: dict[float, list[list[float]]] = {c: [] for c in constants}  # [map][block]
    for name in MAPS:
        total = np.zeros(3, np.int64)
        for c in constants:
            counts, _ = duel(bench, mc(200, name, c), mc(40, name, c), games)
            blocks = [count.sum(axis=0) for count in counts]
            won[c].append([float(block[0] / block.sum()) for block in blocks])
            both = np.sum(blocks, axis=0)
            total += both
            label = f"{name}, c={c:g}"
            rows.append({"label": label, "map": name, "c": f"{c:g}", **outcomes(both)})
        rows.append({"label": f"{name}, mean", "map": name, "c": "mean", **outcomes(total)})
        lines = zip(*(won[c][-1] for c in constants), strict=True)
        curves.append(Curve(name, tuple(constants), tuple(lines)))
    columns = (
        Column("label", "loss, draw, c", "text"),
        Column("map", "loss, draw", "text"),
        Column("c", "c", "text"),
        *OUTCOMES,
        Column("change", "won more than with c=1.4", "percent"),
    )
    for c in constants:
        changes = np.mean(np.array(won[c]) - np.array(won[DEFAULT]), axis=0)
        rows.append(
            {
                "label": f"all maps, c={c:g}",
                "map": "all maps",
                "c": f"{c:g}",
                **_mean_outcomes([row for row in rows if row["c"] == f"{c:g}"]),
                "change": over_seeds(changes.tolist()),
            }
        )
    low, high = share_interval(0.8 * STUDY_GAMES, STUDY_GAMES)
    note = (
        f"A share of 80% in the study's {STUDY_GAMES} games has an interval from {low:.0%} to "
        f"{high:.0%}: it could not have seen a change smaller than that."
    )
    return Findings(columns, tuple(rows), tuple(curves), (note,))


def _mean_outcomes(rows: Iterable[dict[str, Cell]]) -> dict[str, Cell]:
    """Return the outcomes of rows of equally many games, taken together."""
    rows = list(rows)
    found: dict[str, Cell] = {}
    for name in ("wins", "draws", "losses"):
        cells = [row[name] for row in rows]
        units = sum(cell.units for cell in cells if isinstance(cell, Measure))
        found[name] = share(units * float(np.mean([value(cell) for cell in cells])), units)
    return found


def simulations(bench: Bench) -> Findings:
    """MC_n against MC_40 from shared openings, and their moves against perfect play."""
    games = bench.pick(4_000, 200)
    rows: list[dict[str, Cell]] = []
    for sims in LADDER:
        tally = bench.match(mc(sims), mc(RUNG), games, BOARD)
        made = outcomes(tally.counts.sum(axis=0))
        points = share(tally.score * tally.games, tally.games)
        rows.append({"label": f"MC{sims}", **made, "score": points})
    columns = (
        Column("label", "player", "text"),
        *OUTCOMES,
        Column("score", "score, draws half", "percent"),
    )
    return Findings(columns, tuple(rows), truth=truth_of_search(bench))


def truth_of_search(bench: Bench) -> Findings:
    """Return how often the searches of the study move as perfect play would."""
    phases: Sequence[str] = bench.pick(PHASES, ("middle",))
    rows: list[dict[str, Cell]] = []
    for sims in GRADED:
        row: dict[str, Cell] = {"label": f"MC{sims}" if sims else "MC0 (random)"}
        for phase in phases:
            marks = bench.grade(mc(sims), BOARD, phase, bench.pick(None, 200)).overall
            row[phase] = share(marks.good, marks.positions)
        rows.append(row)
    named = [Column(phase, f"{phase}: good moves", "percent") for phase in phases]
    note = "A good move keeps a win, a draw or a loss what it is; positions of random games."
    return Findings((Column("label", "player", "text"), *named), tuple(rows), notes=(note,))
