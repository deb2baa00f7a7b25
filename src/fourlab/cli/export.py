"""`fourlab export`: agents for other people's runners."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fourlab.cli.options import print_json, refuse, spare

if TYPE_CHECKING:
    from fourlab.adapters.rehearsal import RehearsedGame

app = typer.Typer(help="Write agents for other people's runners.", no_args_is_help=True)


@app.callback()
def export() -> None:
    """Write agents for other people's runners."""


@app.command("kaggle")
def kaggle(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="The agent, such as mcts.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write.")],
    rehearse: Annotated[
        int, typer.Option(min=0, help="Games to play with it under Kaggle's runner.")
    ] = 0,
    game: Annotated[
        str | None, typer.Option(help="The board of the rehearsal, if not the agent's own.")
    ] = None,
    against: Annotated[
        list[str] | None, typer.Option(help="Opponents of the rehearsal: negamax, random.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Write a Kaggle ConnectX submission: one file that needs nothing of fourlab.

    A rehearsal ends with exit code 1 if a game was broken off or the agent failed on the way.
    """
    from fourlab.adapters.export import export_kaggle, is_submission
    from fourlab.adapters.kaggle import player_of
    from fourlab.adapters.rehearsal import OPPONENTS, ready_for
    from fourlab.adapters.rehearsal import rehearse as play
    from fourlab.cli.console import progress
    from fourlab.core.storage import check_spare, replacing
    from fourlab.rules.catalog import game as find_game

    player = player_of(agent)
    spare(player, out)
    rules = player.rules if game is None else find_game(game)
    if rehearse == 0:
        refuse("without --rehearse nothing is played", {"--game": game, "--against": against})
    opponents = against or OPPONENTS
    if rehearse > 0:
        ready_for(rules, opponents)
    check_spare(out, "submission of fourlab", is_submission)
    source = export_kaggle(agent).encode()
    with replacing(out) as file:
        file.write(source)
    if rehearse == 0:
        summary: dict[str, Any] = {"file": str(out), "bytes": len(source)}
        if as_json:
            print_json(summary)
        else:
            typer.echo(f"{out}: {agent}, {len(source):,} bytes")
        return
    with progress("games") as bar:
        games = list(bar.track(play(out, rehearse, rules, opponents), total=rehearse))
    _show(agent, str(rules), games, as_json)
    if not all(game.is_clean for game in games):
        raise typer.Exit(1)


def summary_of(games: list[RehearsedGame]) -> dict[str, Any]:
    """Return what a rehearsal showed, as `--json` prints it."""
    from fourlab.arena.statistics import share_interval

    points = sum(((game.result or 0) + 1) / 2 for game in games if game.result is not None)
    low, high = share_interval(points, len(games))
    moves = [second for game in games for second in game.seconds]
    warm = [second for game in games[1:] for second in game.seconds]
    return {
        "games": len(games),
        "wins": sum(game.result == 1 for game in games),
        "draws": sum(game.result == 0 for game in games),
        "losses": sum(game.result == -1 for game in games),
        "broken_off": [game.status for game in games if game.result is None],
        "score": points / len(games) if games else None,
        "low": low,
        "high": high,
        "moves": len(moves),
        "first_move": games[0].seconds[0] if games and games[0].seconds else None,
        "slowest_move": max(warm or moves, default=None),
        "least_overage": min((game.overage for game in games), default=None),
        "late": sum(game.late for game in games),
        "errors": [error for game in games for error in game.errors],
    }


def _show(agent: str, board: str, games: list[RehearsedGame], as_json: bool) -> None:
    whole = summary_of(games)
    sides = {
        (opponent, side): summary_of(
            [game for game in games if (game.opponent, game.side) == (opponent, side)]
        )
        for opponent, side in sorted({(game.opponent, game.side) for game in games})
    }
    if as_json:
        pairs = [{"opponent": o, "side": s + 1, **one} for (o, s), one in sides.items()]
        print_json({"agent": agent, "game": board, **whole, "pairs": pairs})
        return
    from rich.table import Table

    from fourlab.cli.console import console

    table = Table(box=None, pad_edge=False)
    for heading in ("opponent", "side", "won", "drawn", "lost", "broken off"):
        table.add_column(heading, justify="left" if heading in ("opponent", "side") else "right")
    for (opponent, side), one in sides.items():
        counts = (one["wins"], one["draws"], one["losses"], len(one["broken_off"]))
        table.add_row(opponent, ("first", "second")[side], *map(str, counts))
    screen = console()
    screen.print(table)
    screen.print(
        f"\nscore {whole['score']:.1%} ({whole['low']:.1%} to {whole['high']:.1%}) "
        f"in {whole['games']} games of {board}, {whole['moves']} moves\n"
        f"first move {whole['first_move']:.2f} s, it compiles; slowest of the games after that "
        f"{whole['slowest_move']:.2f} s; least overage left {whole['least_overage']:.1f} s\n"
        f"games broken off: {', '.join(whole['broken_off']) or 'none'}; "
        f"exceptions: {len(whole['errors'])}; moves by a substitute: {whole['late']}"
    )
    for error in whole["errors"][:3]:
        screen.print(error.strip(), markup=False)
