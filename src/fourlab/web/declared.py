"""What a source declares: its agents and their options, read without running it."""

from __future__ import annotations

import ast
import dataclasses
from typing import Any

from fourlab.core.spec import option

KINDS = {"int": int, "float": float, "str": str, "bool": bool}
Field = tuple[str, Any, Any]  # name, type and default, as `make_dataclass` takes them


def agents_in(text: str) -> dict[str, type[Any]]:
    """Return the configs of what looks like an agent in a source, by name.

    An option whose default or range is no plain value stays as the source has it.
    """
    try:
        nodes = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError):
        return {}
    classes = {node.name: node for node in nodes if isinstance(node, ast.ClassDef)}
    found = {}
    for node in nodes:
        fields = None
        if isinstance(node, ast.ClassDef):
            fields = _of_class(node, classes)
        elif isinstance(node, ast.FunctionDef):
            fields = _of_function(node)
        if fields is not None and not node.name.startswith("_"):  # type: ignore[attr-defined]
            name = node.name  # type: ignore[attr-defined]
            once = {field[0]: field for field in fields}.values()
            found[name] = dataclasses.make_dataclass(f"{name}_options", once, frozen=True)
    return found


def _of_function(node: ast.FunctionDef) -> list[Field] | None:
    """Return the options of a function, None if it is no agent."""
    names = [argument.arg for argument in node.args.args]
    if len(names) == 2 and names[0].startswith("obs") and names[1].startswith("conf"):
        return []
    if names[:2] != ["position", "rng"]:
        return None
    defaults = node.args.defaults
    given = list(zip(names[len(names) - len(defaults) :], defaults, strict=True))
    given += [
        (argument.arg, default)
        for argument, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        if default is not None
    ]
    found = []
    for name, value in given:
        default = _plain(value)
        if name != "limit" and type(default) in KINDS.values():
            found.append((name, type(default), option(default, "an option of the file")))
    return found


def _of_class(node: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> list[Field] | None:
    """Return the options of a class, None if it is no agent."""
    if not any(isinstance(n, ast.FunctionDef) and n.name == "decide" for n in node.body):
        return None
    named = [
        n.value.id
        for n in node.body
        if isinstance(n, ast.Assign | ast.AnnAssign)
        and "Config" in [t.id for t in _targets(n) if isinstance(t, ast.Name)]
        and isinstance(n.value, ast.Name)
    ]
    config = classes.get(named[-1]) if named else None
    body = [] if config is None else [n for n in config.body if isinstance(n, ast.AnnAssign)]
    return [field for n in body if (field := _declared(n)) is not None]


def _targets(node: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    return node.targets if isinstance(node, ast.Assign) else [node.target]


def _declared(node: ast.AnnAssign) -> Field | None:
    """Return a field of a config, None if it cannot be told without running it."""
    kinds = [word.strip() for word in ast.unparse(node.annotation).strip("'\"").split("|")]
    kind = KINDS.get(kinds[0])
    if not isinstance(node.target, ast.Name) or kind is None or kinds[1:] not in ([], ["None"]):
        return None
    hint = kind | None if kinds[1:] else kind
    called = isinstance(node.value, ast.Call) and ast.unparse(node.value.func).split(".")[-1]
    if called != "option":
        default = _plain(node.value)
        made = option(default, "an option of the file")
    else:
        assert isinstance(node.value, ast.Call)  # noqa: S101  # or nothing would be called
        words = [_plain(value) for value in node.value.args]
        named = {str(word.arg): _plain(word.value) for word in node.value.keywords}
        default = words[0] if words else named.get("default", UNTOLD)
        if UNTOLD in words or UNTOLD in named.values():
            return None
        try:
            made = option(*words, **named)
        except TypeError:
            return None
    fits = isinstance(default, int | float if kind is float else kind)
    return (node.target.id, hint, made) if fits or (default is None and kinds[1:]) else None


UNTOLD = object()  # what only running it would tell


def _plain(node: ast.expr | None) -> Any:
    """Return a value that is written out, UNTOLD for any other."""
    try:
        return UNTOLD if node is None else ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return UNTOLD
