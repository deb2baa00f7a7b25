"""`fourlab agents`: which agents there are and what can be set."""

import json
from typing import Annotated

import typer


def agents(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List all agents with their options."""
    from rich.table import Table

    from fourlab.agents.registry import AGENTS
    from fourlab.cli.console import console
    from fourlab.core.spec import options_of, show_value

    listing = [
        {
            "name": name,
            "summary": (kind.__doc__ or "").splitlines()[0],
            "options": [
                {
                    "name": option.name,
                    "default": show_value(option.default),
                    "allowed": option.allowed,
                    "help": option.help,
                }
                for option in options_of(kind.Config)
            ],
        }
        for name, kind in AGENTS.items()
    ]
    if as_json:
        typer.echo(json.dumps(listing, indent=2))
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("agent", "option", "default", "allowed", "meaning"):
        table.add_column(heading, overflow="fold")
    for name, kind in AGENTS.items():
        table.add_row(f"[bold]{name}[/bold]", "", "", "", (kind.__doc__ or "").splitlines()[0])
        for option in options_of(kind.Config):
            default = show_value(option.default)
            table.add_row("", option.name, default, option.allowed, option.help)
    console().print(table)
    console().print("\nwrite an agent as name:option=value,option=value")
