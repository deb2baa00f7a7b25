"""Figures of tournaments and sweeps: cross tables, ratings, lines and heat maps."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from fourlab.arena.ratings import CENTRE
from fourlab.core.errors import FourlabError
from fourlab.studies.canvas import ACCENT, FAINT, INK, PALETTE, new_figure, scale_of

if TYPE_CHECKING:
    from fourlab.arena.tournament import Tournament
    from fourlab.studies.sweep import Lattice, Sweep

SCORES = ("heat-low", "heat-zero", "heat-high")
DRAWN_OPTIONS = 2
LETTERS = 10  # of a title to an inch


def tournament_figure(tournament: Tournament) -> Any:
    """Draw the cross table and the ratings with their intervals."""
    ratings = tournament.ratings()
    ranking = ratings.ranking()
    count = len(ranking)
    longest = max(len(agent) for agent in ranking)
    figure = new_figure(6.5 + 0.16 * longest + 0.55 * count, 1.9 + 0.5 * count)
    event = tournament.event
    title = f"{event.game}: {tournament.played:,} games, seed {event.seed}"
    figure.suptitle(title, color=INK, fontsize=12, fontweight="bold", x=0.01, ha="left")
    left, right = figure.subplots(1, 2, width_ratios=[max(count, 3), 6])
    scores = np.full((count, count), np.nan)
    for tally in tournament.tallies:
        a, b = ranking.index(tally.pairing.a), ranking.index(tally.pairing.b)
        if tally.games and a != b:
            scores[a, b], scores[b, a] = tally.score, 1 - tally.score
    heat_map(left, scores, ranking, [str(n) for n in range(1, count + 1)])
    left.set_yticks(range(count), [f"{name}  {n}" for n, name in enumerate(ranking, start=1)])
    left.set_title("score of the row against the column", color=INK, fontsize=10)
    bars(right, ratings.to_json(), ratings.scale())
    return figure


def heat_map(
    axes: Any, shares: Any, rows: list[str], columns: list[str], halves: Any = None
) -> None:
    """Draw shares of points as coloured cells with their figures, and halves of their intervals."""
    from matplotlib.colors import LinearSegmentedColormap

    colours = LinearSegmentedColormap.from_list("scores", [PALETTE[name] for name in SCORES])
    axes.imshow(shares, cmap=colours, vmin=0, vmax=1, aspect="auto")
    axes.set_yticks(range(len(rows)), rows)
    axes.set_xticks(range(len(columns)), columns)
    axes.xaxis.tick_top()
    axes.tick_params(length=0, colors=INK)
    axes.spines[:].set_visible(False)
    axes.set_xticks(np.arange(len(columns) + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(len(rows) + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=2)
    axes.tick_params(which="minor", length=0)
    for (row, column), share in np.ndenumerate(shares):
        if not np.isnan(share):
            ink = "white" if abs(share - 0.5) > 0.3 else INK
            text = f"{share:.0%}" + ("" if halves is None else f" ±{100 * halves[row, column]:.0f}")
            axes.text(column, row, text, ha="center", va="center", color=ink, fontsize=9)


def bars(axes: Any, listing: list[dict[str, Any]], scale: str) -> None:
    """Draw ratings as bars from where their scale begins, with their 95% intervals."""
    places = range(len(listing))
    elo = [entry["elo"] for entry in listing]
    errors = [
        [entry["elo"] - entry["low"] for entry in listing],
        [entry["high"] - entry["elo"] for entry in listing],
    ]
    lengths = [one - CENTRE for one in elo]
    axes.barh(places, lengths, left=CENTRE, height=0.55, color=ACCENT, alpha=0.85)
    axes.errorbar(elo, places, xerr=errors, fmt="none", ecolor=INK, elinewidth=1.2, capsize=3)
    axes.axvline(CENTRE, color=INK, linewidth=0.8)
    axes.set_yticks(places, [str(place + 1) for place in places])
    axes.set_ylim(len(listing) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.tick_params(colors=INK)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.grid(axis="x", color=FAINT, alpha=0.35, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_title(f"{scale}, 95% intervals", color=INK, fontsize=10)


def drawn_options(grid: Lattice) -> list[str]:
    """Return the options along which a grid is drawn; raises FourlabError if they are too many."""
    names = list(grid.options)
    if len(names) > DRAWN_OPTIONS:
        raise FourlabError(
            f"a sweep over {len(names)} options is not drawn; fix all but two of them"
        )
    return names


def sweep_figure(sweep: Sweep) -> Any:
    """Draw a sweep: lines over one option, heat maps over two; more are not drawn."""
    names = drawn_options(sweep.grid)
    width = 7 if len(names) == 1 else 4.6 * len(sweep.against) + 0.6
    games, seed = sweep.tournament.event.games, sweep.tournament.event.seed
    below = f"{sweep.details}, {games} games a point, seed {seed}"
    title = [*_wrapped(sweep.text, width), *_wrapped(below, width)]
    figure = new_figure(width, 3.9 + 0.2 * len(title))
    if len(names) == 1:
        _lines(figure.subplots(), sweep, names[0])
    else:
        every = np.atleast_1d(figure.subplots(1, len(sweep.against)))
        for opponent, axes in enumerate(every):
            _map(axes, sweep, names, opponent)
    text = "\n".join(title)
    figure.suptitle(text, color=INK, fontsize=10, fontweight="bold", x=0.01, ha="left")
    return figure


def _wrapped(text: str, inches: float) -> list[str]:
    """Return the lines of a title, broken after commas."""
    lines = textwrap.wrap(text.replace(",", ", "), int(inches * LETTERS), break_on_hyphens=False)
    return [line.replace(", ", ",") for line in lines]


def _places(values: tuple[str, ...]) -> tuple[list[float], str]:
    """Return where values stand on an axis, and its scale; words stand side by side."""
    try:
        places = [float(value) for value in values]
    except ValueError:
        return [float(number) for number in range(len(values))], "linear"
    return places, scale_of(places)


def _lines(axes: Any, sweep: Sweep, name: str) -> None:
    values = sweep.grid.options[name]
    places, scale = _places(values)
    axes.set_xscale(scale)
    for opponent, against in enumerate(sweep.against):
        tallies = [sweep.tally(point, opponent) for point in range(len(values))]
        scores = np.array([tally.score for tally in tallies])
        low, high = np.array([tally.interval for tally in tallies]).T
        errors = [scores - low, high - scores]
        axes.errorbar(places, scores, yerr=errors, marker="o", capsize=3, label=f"vs {against}")
    axes.set_xticks(places, values)
    axes.set_xticks([], minor=True)
    axes.axhline(0.5, color=FAINT, linewidth=0.8, linestyle="--")
    axes.set_ylim(-0.02, 1.02)
    axes.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    axes.set_xlabel(name, color=INK)
    axes.set_ylabel("score, 95% intervals", color=INK)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)


def _map(axes: Any, sweep: Sweep, names: list[str], opponent: int) -> None:
    rows, columns = (sweep.grid.options[name] for name in names)
    shape = (len(rows), len(columns))
    tallies = [sweep.tally(point, opponent) for point in range(len(rows) * len(columns))]
    shares = np.array([tally.score for tally in tallies]).reshape(shape)
    halves = np.array([np.diff(tally.interval)[0] / 2 for tally in tallies]).reshape(shape)
    heat_map(axes, shares, list(rows), list(columns), halves)
    axes.set_ylabel(names[0], color=INK)
    axes.set_xlabel(names[1], color=INK)
    axes.set_title(f"score against {sweep.against[opponent]}", color=INK, fontsize=10)
