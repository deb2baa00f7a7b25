"""Write the page of the public API from docstrings while the documentation is built.

A hook of mkdocs. What stands at the top of the package is public, with the members of its classes
that have no underscore; all else may change.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from textwrap import indent
from types import FunctionType, ModuleType
from typing import Any

import fourlab
from fourlab.agents.registry import Named

PAGE = "reference.md"
WIDTH = 88
GROUPS = {
    "Games": ["game", "Rules", "Position", "Outcome", "GameRecord"],
    "Agents": ["agent", "Agent", "Decision", "Limit", "play_game"],
    "The truth": ["solve", "Solver", "grade", "Grade", "certify", "Certificate", "data"],
    "The arena": ["tournament", "Tournament", "Ratings", "sweep", "Sweep"],
    "Learning": ["learner", "Learner", "train", "Run", "mdp", "best_response"],
    "Everywhere": ["show", "FourlabError"],
}
MADE_BY_HAND = ("Rules", "GameRecord", "Agent", "Decision", "Limit", "Solver")  # of the classes
INTRO = """# Reference

All of this is `fourlab.NAME`, imported on first use. Wherever an agent, a learner or a game is
asked for, its spec string will do. What is not on this page may change without notice.
"""


def page() -> str:
    """Return the page."""
    parts = [INTRO]
    for title, names in GROUPS.items():
        parts.append(f"## {title}\n")
        for name in names:
            parts += entry(name, getattr(fourlab, name))
    return "\n".join(parts)


def entry(name: str, thing: Any) -> Iterator[str]:
    """Yield the lines of one name: how it is called, what it promises, and its members."""
    yield f"### `{name}`\n"
    if isinstance(thing, FunctionType) or name in MADE_BY_HAND:
        yield f"```python\n{called(name, thing)}\n```\n"
    yield f"{described(thing)}\n"
    for member, found in members(thing):
        first, _, rest = described(found).partition("\n")
        yield f"- **`{member_called(member, found)}`**: {first}"
        if rest:
            yield indent(rest, "    ") + "\n"
    yield ""


def members(thing: Any) -> Iterator[tuple[str, Any]]:
    """Yield the public functions and properties that were written in a class or a module."""
    if not isinstance(thing, type | ModuleType):
        return
    home = thing.__module__ if isinstance(thing, type) else thing.__name__
    for name, member in vars(thing).items():
        found = getattr(member, "__func__", member)
        is_here = getattr(found, "__module__", home) == home
        if not name.startswith("_") and is_here and isinstance(found, FunctionType | property):
            yield name, found


def described(thing: Any) -> str:
    """Return what a docstring promises."""
    return inspect.cleandoc(thing.__doc__ or "")


def member_called(name: str, thing: Any) -> str:
    """Return how a member of a class is called, without types."""
    if isinstance(thing, property):
        return name
    given = [word for word in inspect.signature(thing).parameters if word not in ("self", "cls")]
    return f"{name}({', '.join(given)})"


def called(name: str, thing: Any) -> str:
    """Return how a thing is called, with types, in several lines where one is too long."""
    signature = inspect.signature(thing)
    given: list[str] = []
    for parameter in signature.parameters.values():
        starred = any(word.startswith("*") for word in given)
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            given.append("*")
        given.append(spelled(parameter))
    gives = "" if isinstance(thing, type) else f" -> {kind(signature.return_annotation)}"
    whole = f"{name}({', '.join(given)}){gives}"
    if len(whole) <= WIDTH:
        return whole
    return f"{name}(\n" + "".join(f"    {word},\n" for word in given) + f"){gives}"


def spelled(parameter: inspect.Parameter) -> str:
    """Return a parameter with its type and default."""
    star = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    told = star + parameter.name
    if parameter.annotation is not parameter.empty:
        told += f": {kind(parameter.annotation)}"
    if parameter.default is parameter.empty:
        return told
    default = repr(parameter.default)
    return f"{told} = {'...' if '<' in default else default}"  # what has an address, or in it


def kind(annotation: Any) -> str:
    """Return a type as it was written."""
    if isinstance(annotation, type):
        return annotation.__name__
    named = str(annotation).replace("Named", str(Named))
    return re.sub(r"\b(?:[a-z_]\w*\.)+(?=[A-Z])", "", named)


def on_files(files: Any, config: Any) -> Any:
    """Add the page; mkdocs calls this."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, PAGE, content=page()))
    return files
