"""What was written in a notebook's cells or in a script, gathered into a file that can travel.

A function or class of `__main__` cannot be imported elsewhere. So its source is gathered, with all
that it names: functions and classes of `__main__` by their source, modules and what comes out of
them by an import, plain values as they are now. What is neither is refused by name.
"""

from __future__ import annotations

import ast
import linecache
import symtable
import sys
import types
from collections.abc import Iterator
from typing import Any

from fourlab.core import own
from fourlab.core.errors import SpecError
from fourlab.core.kinds import untyped

MAIN = "__main__"
REMEDY = "write it into a file, in a notebook with %%writefile mine.py, and name that: 'mine.py'"


def from_main(thing: Any) -> bool:
    """Return whether a function or class was written where nobody else can import it."""
    return getattr(thing, "__module__", None) == MAIN


def gathered(thing: Any) -> str:
    """Make a function or class of `__main__` known as a file of its own; return the file's name.

    Raises SpecError that says what cannot travel, and what to do.
    """
    parts: dict[str, str] = {}
    _gather(thing.__name__, thing, parts, thing)
    ordered = sorted(parts.values(), key=lambda part: not part.startswith(("import ", "from ")))
    text = "\n\n".join(["from __future__ import annotations", *ordered]) + "\n"
    return own.keep(f"{thing.__name__}{own.SUFFIX}", text).name


def _gather(name: str, value: Any, parts: dict[str, str], wanted: Any) -> None:
    """Add the text that defines a name, behind the texts of all that it needs."""
    if name in parts:
        return
    if isinstance(value, type | types.FunctionType) and from_main(value):
        text, held = _source(value, wanted), _globals(wanted)
        parts[name] = ""  # it may name itself
        for needed in _names(text):
            if needed in held:
                _gather(needed, held[needed], parts, wanted)
        del parts[name]
        parts[name] = text
    else:
        parts[name] = _imported(name, value) or _written(name, value)
    if not parts[name]:
        kind = type(value).__name__
        raise SpecError(
            f"{wanted.__name__} uses {name}, a {kind} that lives in this session alone; {REMEDY}"
        )


def _imported(name: str, value: Any) -> str:
    """Return the import that gives a value, "" if none does."""
    if isinstance(value, types.ModuleType):
        return f"import {value.__name__} as {name}" if value.__name__ != MAIN else ""
    for home in (getattr(value, "__module__", None), type(value).__module__):
        module = sys.modules.get(home or "")
        for known in (getattr(value, "__name__", name), name):
            if module and home != MAIN and vars(module).get(known) is value:
                return f"from {home} import {known} as {name}"
    return ""


def _written(name: str, value: Any) -> str:
    return f"{name} = {value!r}" if _is_plain(value) else ""


def _is_plain(value: Any) -> bool:
    try:
        return bool(ast.literal_eval(repr(value)) == value)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False


def _members(thing: Any) -> list[Any]:
    """Return a function, or what a class holds, as it was written."""
    return [untyped(one) for one in (vars(thing).values() if isinstance(thing, type) else [thing])]


def _codes(thing: Any) -> Iterator[types.CodeType]:
    """Yield the code of a function, or of the methods of a class, whose source can be read."""
    for member in _members(thing):
        function = getattr(member, "__func__", getattr(member, "fget", member))
        if isinstance(function, types.FunctionType) and linecache.getlines(
            function.__code__.co_filename
        ):
            yield function.__code__


def _globals(thing: Any) -> dict[str, Any]:
    """Return the names that surround a function or class."""
    held = [one.__globals__ for one in _members(thing) if isinstance(one, types.FunctionType)]
    return held[0] if held else vars(sys.modules[MAIN])


def _source(thing: Any, wanted: Any) -> str:
    """Return the source of a function or class, looked for where it or what uses it was written.

    A class without methods does not say where that was: the latest one of its name is taken.
    """
    files = [code.co_filename for code in _codes(thing)]
    if isinstance(thing, type):
        near = [code.co_filename for code in _codes(wanted)]
        files += [*near, *reversed(list(linecache.cache))]
    for file in files:
        text = "".join(linecache.getlines(file))
        if thing.__name__ not in text:
            continue
        try:
            body = ast.parse(text).body
        except SyntaxError:
            continue
        found = [
            node
            for node in body
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == thing.__name__
        ]
        if found:
            first = min([found[-1].lineno, *(d.lineno for d in found[-1].decorator_list)])
            return "\n".join(text.splitlines()[first - 1 : found[-1].end_lineno])
    raise SpecError(f"{thing.__name__} was written where its source cannot be read; {REMEDY}")


def _names(text: str) -> list[str]:
    """Return the global names that a source uses."""
    found: dict[str, None] = {}
    waiting = [symtable.symtable(text, "cell", "exec")]
    while waiting:
        table = waiting.pop(0)
        for symbol in table.get_symbols():
            if symbol.is_global() or (table.get_type() == "module" and symbol.is_referenced()):
                found[symbol.get_name()] = None
        waiting += table.get_children()
    return [name for name in found if not name.startswith("__")]
