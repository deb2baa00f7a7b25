"""An agent of one's own as a part of a Kaggle submission: its file, fit to travel alone."""

import ast
import re

import fourlab
from fourlab.agents.base import Agent
from fourlab.agents.function import KaggleFunction
from fourlab.core import own
from fourlab.core.errors import SpecError

MODULE = "own_agent"  # of the bundled package
EXPORTED = "exported from fourlab"  # stands in every submission
LOOKS_UP = r"^\s*(?:from|import) fourlab\.\w+(?:\.registry\b| import registry\b).*"


def own_text(player: Agent) -> str | None:
    """Return the source of an agent's file for a bundle, None if it is an agent of fourlab.

    Raises SpecError for what does not fit into one file.
    """
    place = player.name.partition(":")[0]
    if not own.is_file(place):
        if type(player).__module__.startswith("fourlab."):
            return None
        raise SpecError(
            f"{player.spec} is a part of an installed package; a submission carries one file, "
            "so name that file: mine.py"
        )
    file, *beside = own.parcel(place).texts
    if beside:
        names = ", ".join(name for name, _ in beside)
        raise SpecError(f"{file[0]} imports {names}; a submission carries one file: join them")
    if not hasattr(own.load(place), type(player).__name__):
        raise SpecError(f"{player.spec} is made by another function; write it as a plain one")
    source = _spelled_out(*file)
    if found := re.search(LOOKS_UP, source, flags=re.MULTILINE):
        raise SpecError(
            f"{file[0]}: {found[0].strip()}: a submission finds nothing by its name; import the "
            "class, such as from fourlab.agents.minimax import Minimax"
        )
    return source


def as_it_is(player: Agent) -> str | None:
    """Return a submission that is its own file already, None if it must be bundled."""
    if not isinstance(player, KaggleFunction) or (text := own_text(player)) is None:
        return None
    if re.search(r"^\s*(?:from|import) fourlab\b", text, flags=re.MULTILINE):
        return None
    call = f"{type(player).__name__}({'obs, config'[: 3 if player.parameters == 1 else None]})"
    note = f"# {EXPORTED}: Kaggle calls what the file defines last"
    return f"{text.rstrip()}\n\n\n{note}\ndef submission(obs, config):\n    return {call}\n"


def _spelled_out(name: str, text: str) -> str:
    """Return a source that imports from modules of fourlab what it took from fourlab itself."""
    lines = text.splitlines()
    for node in reversed([*ast.walk(ast.parse(text))]):
        if isinstance(node, ast.Import) and any(a.name == "fourlab" for a in node.names):
            raise SpecError(
                f"{name}:{node.lineno}: for Kaggle, write: from fourlab import Agent, Decision"
            )
        if isinstance(node, ast.ImportFrom) and node.module == "fourlab":
            indent = " " * node.col_offset
            homes = [(_home(name, node.lineno, alias.name), alias) for alias in node.names]
            spelled = [f"{indent}from {home} import {ast.unparse(a)}" for home, a in homes]
            lines[node.lineno - 1 : node.end_lineno] = spelled
    return "\n".join(lines) + "\n"


def _home(name: str, line: int, wanted: str) -> str:
    if wanted not in fourlab._HOMES:
        raise SpecError(f"{name}:{line}: fourlab has no {wanted}; known: {', '.join(dir(fourlab))}")
    return f"fourlab.{fourlab._HOMES[wanted]}"
