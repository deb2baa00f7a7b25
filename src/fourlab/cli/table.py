"""`fourlab table show`: what a learned table or network holds."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fourlab.cli.options import print_json

if TYPE_CHECKING:
    from fourlab.rules.position import Position
    from fourlab.values.knowledge import Knowledge
    from fourlab.values.network import Network

app = typer.Typer(help="Tables and networks that were learned.", no_args_is_help=True)
BAR = 40


@app.callback()
def table() -> None:
    """Look into what was learned."""


@app.command("show")
def show(
    file: Annotated[Path, typer.Argument(help="A run folder or a file of values.")],
    position: Annotated[str, typer.Argument(help="A position, by its moves.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print what was learned of a position, sizes, and how it was learned.

    Of a table also histograms of visits and chosen columns; of a network its shape, the policy, the
    last metrics of its run and its grade there.
    """
    from fourlab.rules.position import position_of
    from fourlab.values.base import load_values, values_file
    from fourlab.values.knowledge import Knowledge
    from fourlab.values.network import Network

    known = load_values(file)
    where = position_of(known.rules, position)
    found: dict[str, Any] = {
        "game": str(known.rules),
        "learner": known.about.get("learner"),
        "games": known.about.get("games", known.about.get("done")),
        "position": where.notation,
    }
    if isinstance(known, Network):
        found |= _of_network(known, values_file(file), where)
    elif isinstance(known, Knowledge):
        found |= _of_table(known, where)
    if as_json:
        print_json(found)
    elif isinstance(known, Network):
        _draw_network(found, where, file)
    elif isinstance(known, Knowledge):
        _draw(found, where, known)


def _of_table(known: "Knowledge", position: "Position") -> dict[str, Any]:
    from fourlab.values.survey import survey

    return {
        "size": len(known),
        "bytes": known.bytes,
        "left_out": known.left_out,
        "values": known.move_values(position),
        "visits": known.visits(position),
        **survey(known),
    }


def _of_network(network: "Network", file: Path, position: "Position") -> dict[str, Any]:
    from dataclasses import asdict

    from fourlab.learning.run_files import read_metrics
    from fourlab.rules.boards import boards_of

    metrics = read_metrics(file.parent)[-1:] if file.name.startswith("checkpoint.") else []
    nothing = [None] * network.rules.move_count
    values, policy = nothing, nothing
    if not position.is_over:
        boards, legal = boards_of([position]), position.legal_moves()
        values, policy = (
            [
                value if move in legal and value == value else None  # nan: it knows no values
                for move, value in enumerate(row[0].tolist())
            ]
            for row in (network.worths(boards), network.evaluate(boards)[0])
        )
    return {
        "shape": asdict(network.shape),
        "size": sum(layer.size for layer in network.layers.values()),
        "bytes": file.stat().st_size,
        "trained": _trained(network.about),
        "seed": network.about.get("seed"),
        "metrics": metrics[0] if metrics else None,
        "grade": metrics[0].get("truth") if metrics else None,
        "values": values,
        "policy": policy if network.has_policy else None,  # `study` has none
    }


def _trained(about: dict[str, Any]) -> str:
    """Return what it was trained with as a spec string, as far as its file says."""
    from fourlab.core.spec import write
    from fourlab.learning.registry import LEARNERS

    name = str(about.get("learner"))
    try:
        return write(name, LEARNERS.find(name).config_of(about, None))
    except (KeyError, TypeError, ValueError):  # by a script, or by another fourlab
        return name


def _draw(found: dict[str, Any], position: "Position", known: "Knowledge") -> None:
    from fourlab.cli.console import console
    from fourlab.values.store import KINDS

    console().print(
        f"{found['learner']} on {found['game']}: {found['size']:,} "
        f"{'weights' if KINDS[known.values.kind] == 'tuples' else 'states'}, "
        f"{found['bytes'] / 2**20:,.1f} MB, {found['games'] or 0:,} games, "
        f"{found['left_out']:,} left out"
    )
    seen = ["" if visits in (None, -1) else f"{visits:,}" for visits in found["visits"]]
    _draw_moves(position, found["values"], "visits", seen)
    _histogram("how often values were taught", found["visit_histogram"])
    _histogram(f"best {known.rules.unit} of each state", found["choice_histogram"])


def _draw_network(found: dict[str, Any], position: "Position", file: Path) -> None:
    from fourlab.cli.console import console
    from fourlab.cli.runs import evaluations
    from fourlab.core.spec import on_path

    target, shape = console(), found["shape"]
    sizes = ["width"] if found["policy"] is None else [name for name in shape if name != "kind"]
    unit = "positions" if found["learner"] == "distil" else "games"
    target.print(
        f"{found['learner']} on {found['game']}: {found['size']:,} weights, "
        f"{found['bytes'] / 2**20:,.1f} MB, {found['games'] or 0:,} {unit}, seed {found['seed']}"
    )
    target.print(f"{shape['kind']}: {', '.join(f'{name} {shape[name]}' for name in sizes)}")
    target.print(f"trained: {found['trained']}")
    metrics = found["metrics"] or {}
    told = [f"{name} {value:.4g}" for name, value in metrics.items() if type(value) is float]
    if told:
        target.print(f"last report: {', '.join(told)}")
    spec = shlex.quote(on_path("net", file))
    grade = f"no grade is kept with it: fourlab grade {spec} --game {found['game']}"
    target.print(evaluations(metrics) or grade)
    shares = ["" if share is None else f"{share:.1%}" for share in found["policy"] or ()]
    _draw_moves(position, found["values"], "policy" if shares else "", shares)


def _draw_moves(
    position: "Position", values: list[float | None], title: str, beside: list[str]
) -> None:
    """Draw a board and what each move is worth; `beside` stands under its title next to it."""
    from rich.table import Table

    from fourlab.cli.console import board, console, is_plain
    from fourlab.rules.position import SIDE_NAMES

    target = console()
    target.print()
    target.print(board(position, is_plain(target)))
    moves = Table(box=None, pad_edge=False, title=f"the {SIDE_NAMES[position.to_move]} to move")
    for heading in (position.rules.unit, "value", title):
        moves.add_column(heading, justify="right")
    best = max((value for value in values if value is not None), default=None)
    for move, value in enumerate(values):
        if value is not None:
            cells = (str(move + 1), f"{value:+z.3f}", *beside[move : move + 1])
            moves.add_row(*cells, style="bold" if value == best else "")
    target.print(moves)


def _histogram(title: str, counts: dict[str, int]) -> None:
    from rich.table import Table

    from fourlab.cli.console import console

    if not counts:
        return
    top = max(counts.values()) or 1
    picture = Table(box=None, pad_edge=False, show_header=False, title=title, title_justify="left")
    picture.add_column(justify="right")
    picture.add_column(justify="right")
    picture.add_column()
    for label, count in counts.items():
        picture.add_row(label, f"{count:,}", "#" * round(BAR * count / top))
    console().print()
    console().print(picture)
