"""Options that several commands share, each spelled once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from fourlab.agents.base import Agent

RECORD = Path("games.db")


def as_text(text: str) -> str:
    """Return what was written for an option; nothing at all, as of a variable unset, is refused."""
    if not text:
        raise typer.BadParameter("it is empty; leave it out, or write something")
    return text


def as_folder(text: str) -> Path:
    """Return the path of a folder; no text would be the current one, which is written `.`."""
    return Path(as_text(text))


Game = Annotated[str, typer.Option(help="The game.")]
Plies = Annotated[
    int | None, typer.Option(min=0, help="Length of the openings; 0: from the empty board.")
]
MoveTime = Annotated[
    float | None, typer.Option(min=0.001, help="Seconds for a move; more is a forfeit.")
]
WorkerCount = Annotated[int | None, typer.Option(min=1, help="Default: one a core.")]
Cluster = Annotated[
    str | None, typer.Option(help="A Dask scheduler, tcp://host:8786.", parser=as_text)
]
Record = Annotated[Path, typer.Option(help="The file that keeps the games.")]
NoRecord = Annotated[bool, typer.Option("--no-record", help="Keep no games.")]
Anchor = Annotated[
    str | None, typer.Option(help="The agent that is rated 1500, else the mean.", parser=as_text)
]
Plot = Annotated[Path | None, typer.Option(help="Draw it, .png or .svg.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def print_json(answer: Any, indent: int | None = None) -> None:
    """Print the answer to `--json`; other programs read no NaN and no Infinity."""
    typer.echo(json.dumps(answer, indent=indent, allow_nan=False))


def refuse(reason: str, options: dict[str, object]) -> None:
    """Raise SpecError for options that were given and would do nothing."""
    from fourlab.core.errors import SpecError

    if given := [option for option, value in options.items() if value]:
        raise SpecError(f"{reason}; leave out {' and '.join(given)}")


def spare(agent: Agent, *places: Path) -> None:
    """Raise SpecError if a file to be written is one that the agent is made of."""
    from fourlab.core import own
    from fourlab.core.errors import SpecError

    written = [
        Path(one.path).parent / file for one in own.mentioned(agent.spec) for file, _ in one.texts
    ]
    made_of = {file.resolve() for file in (*agent.sources(), *written)}
    for place in places:
        if place.resolve() in made_of:
            raise SpecError(f"{place} is what {agent.spec} is made of; name another file")
