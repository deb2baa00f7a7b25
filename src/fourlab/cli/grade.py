"""`fourlab grade`: an agent against perfect play."""

from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from fourlab.cli.options import AsJson, Cluster, Game, print_json

if TYPE_CHECKING:
    from fourlab.agents.base import Agent
    from fourlab.arena.grading import Grade
    from fourlab.positions.suites import Scored
    from fourlab.rules.position import Position


def grade(
    agent: Annotated[str, typer.Argument(help="The agent, such as baseline.")],
    positions: Annotated[
        str,
        typer.Option(help="A suite (opening, middle, end, uci), played (in its games), or a file."),
    ] = "middle",
    game: Game = "connect4",
    seed: Annotated[int, typer.Option(min=0, help="Repeat a grade.")] = 0,
    workers: Annotated[int, typer.Option(min=1, help="Processes that decide.")] = 1,
    cluster: Cluster = None,
    as_json: AsJson = False,
) -> None:
    """Grade an agent: how often it plays a best move, and what the others cost."""
    from fourlab.agents.apart import apart
    from fourlab.agents.registry import agent as find_agent
    from fourlab.arena.grading import grade as run
    from fourlab.arena.grading import positions_of
    from fourlab.cli.console import console, prints_apart, progress
    from fourlab.core.workers import Workers

    player = apart(find_agent(agent, game))
    with prints_apart(), progress("positions") as bar:

        def solving(found: Iterable["Position"], count: int) -> Iterator["Position"]:
            yield from bar.track(found, total=count, description="solving")

        scored = positions_of(player, positions, seed, solving)
        task = bar.add_task(f"grading {player.spec}", total=len(scored))
        alone = workers == 1 and cluster is None
        with nullcontext() if alone else Workers(workers, "processes", cluster) as pool:
            result = run(player, scored, seed, lambda _: bar.advance(task), pool)
    if as_json:
        print_json(result.to_json())
    else:
        show(result, positions)
        if remark := _unseen(player, scored, positions):
            console().print(remark, style="dim")


def _unseen(player: "Agent", scored: "list[Scored]", positions: str) -> str:
    """Say how many of the positions what was learned knows, and how to see it where it does."""
    from fourlab.agents.learned import Learned
    from fourlab.arena.grading import PLAYED
    from fourlab.rules.boards import boards_of

    if not isinstance(player, Learned):
        return ""
    seen = player.seen(boards_of([one.position for one in scored]))
    if seen == len(scored):
        return ""
    there = "" if positions == PLAYED else f"; --positions {PLAYED} grades it in its own games"
    return (
        f"of {len(scored):,} positions it has seen {seen:,}; in the others it plays"
        f" {'any move' if player.config.unseen == 'random' else 'as baseline'}{there}"
    )


def show(result: "Grade", positions: str) -> None:
    """Print a grade as a table, ply by ply."""
    from rich.table import Table

    from fourlab.arena.grading import HEADS, LEGEND
    from fourlab.cli.console import console

    table = Table(box=None, pad_edge=False, title_justify="left")
    table.title = f"{result.agent} on {result.overall.positions} positions of {positions}"
    for heading in HEADS:
        table.add_column(heading, justify="right")
    *rows, last = result.sheet().rows
    for row in rows:
        table.add_row(*row)
    table.add_section()
    table.add_row(*last, style="bold")
    console().print(table)
    console().print(LEGEND, style="dim")
