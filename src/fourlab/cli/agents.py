"""`fourlab agents` and `fourlab learners`: what there is, and what can be set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from fourlab.cli.options import AsJson, print_json

if TYPE_CHECKING:
    from fourlab.core.registry import Registry


def agents(
    names: Annotated[list[str] | None, typer.Argument(help="Only these, such as mcts.")] = None,
    as_json: AsJson = False,
) -> None:
    """List all agents with their options, or those that are named."""
    from fourlab.agents.registry import AGENTS

    describe(AGENTS, names or [], as_json)


def learners(
    names: Annotated[list[str] | None, typer.Argument(help="Only these, such as q.")] = None,
    as_json: AsJson = False,
) -> None:
    """List all learners with their options, or those that are named."""
    from fourlab.learning.registry import LEARNERS

    describe(LEARNERS, names or [], as_json)


def describe(registry: Registry[Any], names: list[str], as_json: bool) -> None:
    """Print what kinds a registry has; raises SpecError for a name that it does not have."""
    from rich.table import Table
    from rich.text import Text

    from fourlab.cli.console import console
    from fourlab.core.registry import summary
    from fourlab.core.spec import options_of, show_value

    kinds = {name: registry.find(name) for name in names or registry}
    listing: list[dict[str, Any]] = [
        {
            "name": name,
            "summary": summary(kind),
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
        for name, kind in kinds.items()
    ]
    if as_json:
        print_json(listing, indent=2)
        return
    table = Table(box=None, pad_edge=False)
    for heading in (registry.what, "option", "default", "allowed", "meaning"):
        table.add_column(heading, overflow="fold")
    for entry in listing:
        table.add_row(Text(entry["name"], style="bold"), "", "", "", entry["summary"])
        for option in entry["options"]:
            table.add_row("", *(option[name] for name in ("name", "default", "allowed", "help")))
    console().print(table)
    article = "an" if registry.what[0] in "aeiou" else "a"
    console().print(f"\nwrite {article} {registry.what} as name:option=value,option=value")
