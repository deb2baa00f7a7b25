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

FEW_DISTINCT = 0.9  # below this share of distinct games the intervals are too narrow
FORFEITS_SHOWN = 5


def standings(tournament: Tournament) -> RenderableType:
    """Return ratings, cross table, pairings and remarks; a bar while it goes on."""
    ratings = tournament.ratings()
    parts: list[RenderableType] = [heading(tournament)]
    if len(ratings.agents) > 1:
        parts += [ladder(tournament, ratings), Text()]
    parts += [pairings(tournament), *remarks(tournament, ratings)]
    return Group(*parts)


def heading(tournament: Tournament) -> RenderableType:
    """Say what is played, and how far it is."""
    event, played, total = tournament.event, tournament.played, tournament.total
    text = f"{event.game}, {played:,} games, seed {event.seed}"
    if tournament.is_over:
        return Text(text + "\n", style="bold")
    row = Table.grid(padding=(0, 2))
    row.add_row(Text(f"{text} (of {total:,})", style="bold"), ProgressBar(total, played, width=30))
    return Group(row, Text())


def ladder(tournament: Tournament, ratings: Ratings) -> Table:
    """Return the ratings with the cross table beside them."""
    table = Table(box=None, pad_edge=False)
    ranking = ratings.ranking()
    for name, justify in (("", "right"), ("agent", "left"), ("elo", "right"), ("95%", "left")):
        table.add_column(name, justify=justify)  # type: ignore[arg-type]
    for number in range(1, len(ranking) + 1):
        table.add_column(str(number), justify="right")
    scores = cross_table(tournament)
    for number, agent in enumerate(ranking, start=1):
        elo = float(ratings.elo[ratings.agents.index(agent)])
        low, high = ratings.interval(agent)
        span = "anchor" if agent == ratings.anchor else f"{low:+.0f} to {high:+.0f}"
        cells = [percent(scores.get((agent, other))) for other in ranking]
        table.add_row(str(number), Text(agent, style="bold"), f"{elo:+.0f}", span, *cells)
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


def pairings(tournament: Tournament) -> Table:
    """Return a line for each pairing."""
    table = Table(box=None, pad_edge=False)
    table.add_column("pairing")
    headings = ["wins", "draws", "losses", "score", "95%", "distinct", "moves", "first", "ms/move"]
    tested = tournament.event.hypotheses is not None
    for name in [*headings, *(["test"] if tested else [])]:
        table.add_column(name, justify="right")
    for entry in tournament.meetings:
        cells = figures(entry.tally, tournament.is_over)
        if entry.test is not None:
            low, high = entry.test.hypotheses.low, entry.test.hypotheses.high
            ends = {"low": f"not {high:+g}", "high": f"above {low:+g}"}
            cells.append(ends.get(entry.test.verdict, f"open ({entry.test.llr:+.1f})"))
        table.add_row(f"{entry.pairing.a} – {entry.pairing.b}", *cells)
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
    lines += [tournament.remark] if tournament.remark else []
    for tally in tournament.tallies:
        pair = f"{tally.pairing.a} – {tally.pairing.b}"
        if tournament.is_over and tally.distinct < FEW_DISTINCT * tally.games:
            lines.append(f"{pair}: {tally.distinct:,} distinct games; its intervals are too narrow")
        if tally.forfeits:
            lines.append(f"{pair}: {len(tally.forfeits):,} forfeits")
            for number in sorted(tally.forfeits)[:FORFEITS_SHOWN]:
                lines.append(f"  game {number}: {tally.forfeits[number]}")
    if tournament.is_over:
        lines.append("first: the first player's share; draws count half; ratings by likelihood")
    return [Text(line, style="dim") for line in lines]
