"""`fourlab ladder`: ratings over all recorded games."""

from typing import TYPE_CHECKING, Annotated

import typer

from fourlab.cli.options import RECORD, Anchor, AsJson, Record, print_json

if TYPE_CHECKING:
    from rich.table import Table

    from fourlab.arena.ratings import Ratings, Results
    from fourlab.arena.records import Records


def ladder(
    game: Annotated[str | None, typer.Option(help="Only this game.")] = None,
    anchor: Anchor = None,
    record: Record = RECORD,
    as_json: AsJson = False,
) -> None:
    """Rate all agents over all recorded games."""
    from fourlab.arena.ratings import groups, rate
    from fourlab.arena.records import Records
    from fourlab.cli.console import console
    from fourlab.core.errors import FourlabError
    from fourlab.rules.catalog import game as find_game

    with Records(record, to_read=True) as records:
        summary, beginnings = records.summary(), records.beginnings()
        anchor = _called(anchor, records)
    if game is not None:
        summary = {name: r for name, r in summary.items() if name == str(find_game(game))}
    summary = {name: results for name, results in summary.items() if groups(results)}
    if not summary:
        raise FourlabError(f"no finished games{f' of {game}' if game else ''} in {record}")
    found = [
        (name, group, rate(group, anchor if _plays(anchor, group) else None))
        for name, results in summary.items()
        for group in groups(results)
    ]
    if anchor is not None and not any(_plays(anchor, group) for _, group, _ in found):
        known = sorted({name for _, group, _ in found for pair in group for name in pair})
        raise FourlabError(
            f"anchor {anchor!r} does not play; it must be one of: {', '.join(known)}"
        )
    if as_json:
        listing = [
            {
                "game": name,
                "games": sum(sum(counts) for counts in results.values()),
                "anchor": ratings.anchor,
                "ratings": ratings.to_json(),
                "first_move_elo": ratings.advantage,
                "first_move_interval": ratings.advantage_interval(),
                "not_separated": [list(pair) for pair in ratings.not_separated()],
            }
            for name, results, ratings in found
        ]
        print_json(listing)
        return
    for name, results, ratings in found:
        console().print(table_of(name, results, ratings))
        if sum(name == other for other, _, _ in found) > 1:
            console().print("these have met none of the other agents of this game", style="dim")
        for remark in (*ratings.remarks(), ratings.scale()):
            console().print(remark, style="dim")
        for plies, count in beginnings[name].items():
            if len(beginnings[name]) > 1:
                where = f"openings of {plies} plies" if plies else "the empty board"
                console().print(f"{count:,} games of {name} began with {where}", style="dim")
        console().print()


def _called(anchor: str | None, records: "Records") -> str | None:
    """Return how the agent is called that an anchor stands for, the anchor if that is unclear."""
    names = set() if anchor is None else set(records.named(anchor).values())
    return names.pop() if len(names) == 1 else anchor


def _plays(agent: str | None, results: "Results") -> bool:
    return any(agent in pair for pair in results)


def table_of(name: str, results: "Results", ratings: "Ratings") -> "Table":
    """Return the ratings of one game."""
    from rich.table import Table

    games = sum(sum(counts) for counts in results.values())
    table = Table(box=None, pad_edge=False, title_justify="left")
    worth = f"{ratings.advantage:+z.0f} ± {ratings.doubt:.0f} Elo"
    table.title = f"{name}, {games:,} games, first move worth {worth}"
    for heading in ("", "agent", "elo", "95%", "games", "score"):
        style = "bold" if heading == "agent" else ""
        justify = "left" if heading in ("agent", "95%") else "right"
        table.add_column(heading, justify=justify, style=style)  # type: ignore[arg-type]
    for number, agent in enumerate(ratings.ranking(), start=1):
        played, points = standing(agent, results)
        elo, half = ratings.rating(agent)
        span = "anchor" if agent == ratings.anchor else f"± {half:.0f}"
        share = f"{points / max(played, 1):.1%}"
        cells = [f"{elo:.0f}", span, f"{played:,}", share]
        table.add_row(str(number), agent, *cells)
    return table


def standing(agent: str, results: "Results") -> tuple[int, float]:
    """Return the games and the points of an agent."""
    played, points = 0, 0.0
    for (first, second), (wins, draws, losses) in results.items():
        games = wins + draws + losses
        if first == agent:
            played, points = played + games, points + wins + draws / 2
        if second == agent:
            played, points = played + games, points + losses + draws / 2
    return played, points
