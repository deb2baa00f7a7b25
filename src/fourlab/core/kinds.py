"""Arguments of public functions held against their annotations: the one check of their kinds."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from numbers import Integral, Real
from types import UnionType
from typing import Any, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from fourlab.core.errors import SHOWN, SpecError

P = ParamSpec("P")
R = TypeVar("R")

WORDS = {  # what to write for a kind; one that is not here is its function's own to check
    "NoneType": "None",
    "bool": "True or False",
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "Path": "a path",
    "Callable": "a function",
    "Sequence": "a list",
    "Generator": "numpy.random.default_rng(5)",
    "Limit": "fourlab.Limit(seconds=0.5)",
    "Book": "what fourlab.search.book.Book.load(path) gives",
    "Workers": "fourlab.core.workers.Workers(4)",
    "Event": "fourlab.arena.events.Event('connect4', ('random', 'baseline'))",
    "Records": "fourlab.arena.records.Records(path)",
    "RunConfig": "fourlab.learning.runs.RunConfig('q', 'connect4')",
    "Courses": "fourlab.studies.courses.Courses(specs, game, games, seed, runs)",
}
WRITTEN = "__written__"  # a checked function's attribute: what was written
WIDER: dict[type[Any], Any] = {bool: (bool, np.bool_), int: Integral, float: Real}


def typed(function: Callable[P, R], like: Callable[..., Any] | None = None) -> Callable[P, R]:
    """Have a function refuse, in one line, arguments that are not of the kinds it declares.

    What they may be beyond that (names, ranges, contents) is the function's to say. `like` is the
    function whose annotations count, if they are not its own.
    """
    model = like or function
    parameters = inspect.signature(model).parameters.values()
    names = [one.name for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]
    told = functools.cache(lambda: _kinds(model))

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        kinds = told()
        for name, value in (*zip(names, args, strict=False), *kwargs.items()):
            if name in kinds and not any(_fits(value, kind) for kind in kinds[name]):
                words = " or ".join(WORDS[kind.__name__] for kind in kinds[name])
                raise SpecError(f"{name}={value!r:.{SHOWN}}: write {words}")
        return function(*args, **kwargs)

    setattr(checked, WRITTEN, function)
    return checked


def untyped(thing: Any) -> Any:
    """Return the function that `typed` was given, anything else as it is."""
    return getattr(thing, WRITTEN, thing)


def _kinds(function: Callable[..., Any]) -> dict[str, tuple[type[Any], ...]]:
    """Return the kinds of the arguments that can be checked by them."""
    found = {}
    for name, hint in get_type_hints(function).items():
        hints = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
        kinds = tuple(get_origin(one) or one for one in hints)
        if all(getattr(kind, "__name__", "") in WORDS for kind in kinds):
            found[name] = kinds
    return found


def _fits(value: Any, kind: type[Any]) -> bool:
    if kind in (int, float) and isinstance(value, bool):
        return False
    if kind is Sequence and isinstance(value, str | bytes):
        return False
    return isinstance(value, WIDER.get(kind, kind))
