"""How a tournament stands, drawn with Rich."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from fourlab.arena.ratings import Ratings

if TYPE_CHECKING:
    from fourlab.arena.tallies import Tally
    from fourlab.arena.tournament import Tournament

FORFEITS_SHOWN = 5
ROOMY = 100  # columns of a screen on which pairings have room for names
BAR = 30
HEADINGS = ("wins", "draws", "losses", "score", "95%", "distinct", "moves", "first", "ms/move")
TEST = (
    "test: by how many Elo points the first of a pairing is the stronger one; a pair stops when "
    "that is settled, so that its score lies too far out"
)
SPARED = ("distinct", "ms/move")  # where there is no room; few distinct games are remarked on


def standings(tournament: Tournament, width: int = ROOMY, left: str = "") -> RenderableType:
    """Return ratings, cross table, pairings and remarks; a bar and the time left meanwhile.

    On a narrow screen pairings are told by the numbers of the ranking, and with fewer figures.
    """
    ratings = tournament.ratings()
    parts: list[RenderableType] = [heading(tournament, left)]
    numbers = None
    if len(ratings.agents) > 1:
        parts += [ladder(tournament, ratings), Text()]
        ranked = enumerate(ratings.ranking(), start=1)
        numbers = {agent: number for number, agent in ranked} if width < ROOMY else None
    parts += [pairings(tournament, numbers), *remarks(tournament, ratings)]
    return Group(*parts)


def heading(tournament: Tournament, left: str) -> RenderableType:
    """Say what is played, and how far it is."""
    event, played, total = tournament.event, tournament.played, tournament.total
    text = f"{event.game}, {played:,} games, seed {event.seed}"
    if tournament.is_over:
        return Text(text + "\n", style="bold")
    row = Table.grid(padding=(0, 2))
    row.add_row(ProgressBar(total, played, width=BAR), left)
    return Group(Text(f"{text} (of {total:,})", style="bold"), row, Text())


def ladder(tournament: Tournament, ratings: Ratings) -> Table:
    """Return the ratings with the cross table beside them."""
    table = Table(box=None, pad_edge=False)
    ranking = ratings.ranking()
    for name, justify in (("", "right"), ("agent", "left"), ("elo", "right"), ("95%", "left")):
        narrow = name == "agent"  # a long name goes on in the next line, figures do not
        table.add_column(name, justify=justify, overflow="fold", no_wrap=not narrow)  # type: ignore[arg-type]
    for number in range(1, len(ranking) + 1):
        table.add_column(str(number), justify="right", no_wrap=True)
    scores = cross_table(tournament)
    for number, agent in enumerate(ranking, start=1):
        elo, half = ratings.rating(agent)
        span = "anchor" if agent == ratings.anchor else f"± {half:.0f}"
        cells = [percent(scores.get((agent, other))) for other in ranking]
        table.add_row(str(number), Text(agent, style="bold"), f"{elo:.0f}", span, *cells)
    return table


def cross_table(tournament: Tournament) -> dict[tuple[str, str], float]:
    """Return everyone's share of the points against everyone they met."""
    scores = {}
    for tally in tournament.tallies:
        if tally.games:
            scores[tally.pairing.a, tally.pairing.b] = tally.score
            scores[tally.pairing.b, tally.pairing.a] = 1 - tally.score
    return scores


def percent(share: float | None) -> Text:
    """Return a share in a colour, a dot for none."""
    if share is None:
        return Text("·", style="dim")
    style = "green" if share > 0.55 else "red" if share < 0.45 else ""
    return Text(f"{share:.0%}", style=style)


def pairings(tournament: Tournament, numbers: dict[str, int] | None = None) -> Table:
    """Return a line for each pairing, with the agents' numbers instead of their names if given."""
    table = Table(box=None, pad_edge=False)
    table.add_column("pairing")
    tested = tournament.event.hypotheses is not None
    shown = HEADINGS if numbers is None else tuple(n for n in HEADINGS if n not in SPARED)
    for name in [*shown, *(["test"] if tested else [])]:
        table.add_column(name, justify="right", no_wrap=True)
    for entry in tournament.meetings:
        every = dict(zip(HEADINGS, figures(entry.tally, tournament.is_over), strict=True))
        cells = [every[name] for name in shown]
        if entry.test is not None:
            low, high = entry.test.hypotheses.low, entry.test.hypotheses.high
            ends = {"low": f"not {high:+g}", "high": f"above {low:+g}"}
            cells.append(ends.get(entry.test.verdict, f"open ({entry.test.llr:+z.1f})"))
        names: list[str | int] = [entry.pairing.a, entry.pairing.b]
        names = names if numbers is None else [numbers[str(name)] for name in names]
        table.add_row(f"{names[0]} – {names[1]}", *cells)
    return table


def figures(tally: Tally, is_over: bool) -> list[str]:
    """Return the cells of a pairing; distinct games are counted at the end."""
    figures = tally.to_json() if is_over else tally.figures()
    counts = [f"{figures[name]:,}" for name in ("wins", "draws", "losses")]
    if not tally.games:
        return [*counts, "", "", "", "", "", ""]
    return [
        *counts,
        f"{figures['score']:.1%}",
        f"{figures['low']:.0%} to {figures['high']:.0%}",
        f"{figures['distinct']:,}" if is_over else "",
        f"{figures['mean_moves']:.1f}",
        f"{figures['first_share']:.0%}",
        f"{figures['a_ms_per_move']:.2g} / {figures['b_ms_per_move']:.2g}",
    ]


def remarks(tournament: Tournament, ratings: Ratings) -> list[Text]:
    """Return what must be said beside the figures."""
    lines = ["", *(ratings.remarks() if tournament.played else [])]
    lines += tournament.remarks
    for tally in tournament.tallies:
        pair = f"{tally.pairing.a} – {tally.pairing.b}"
        if tournament.is_over and tally.repeats:
            lines.append(f"{pair}: {tally.distinct:,} distinct games; its intervals are too narrow")
        if tally.forfeits:
            lines.append(f"{pair}: {len(tally.forfeits):,} forfeits")
            for number in sorted(tally.forfeits)[:FORFEITS_SHOWN]:
                lines.append(f"  game {number}: {tally.forfeits[number]}")
    if tournament.event.hypotheses is not None:
        lines.append(TEST)
    if tournament.is_over:
        lines.append(f"first: the first player's share; draws count half; {ratings.scale()}")
    return [Text(line, style="dim") for line in lines]
