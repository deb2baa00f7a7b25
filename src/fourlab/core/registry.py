"""`Registry`: things by name, built in, installed, or somebody's own file."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator, MutableMapping
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any, Generic, TypeVar

from fourlab.core import own
from fourlab.core.errors import OwnCodeError, SpecError
from fourlab.core.spec import unknown

T = TypeVar("T")

Pick = Callable[[ModuleType, str, str], Any]
"""Takes from a module the thing that a spec asks for; the module's name and that of the thing, ""
if none was given, come after it."""


@functools.cache
def offered(group: str) -> dict[str, str]:
    """Return what installed packages offer in a group of entry points, as "module:attribute"."""
    return {point.name: point.value for point in entry_points(group=group)}


def summary(kind: type[Any]) -> str:
    """Return what the first line of a docstring says; nothing where there is none."""
    return next(iter((kind.__doc__ or "").strip().splitlines()), "")


def of_kind(kind: type[Any]) -> Callable[[Any, str], Any]:
    """Return what passes on a class of this kind; raises SpecError for anything else."""

    def checked(thing: Any, name: str) -> Any:
        if isinstance(thing, type) and issubclass(thing, kind):
            return thing
        raise SpecError(f"{name} is no {kind.__name__} but {type(thing).__name__}")

    return checked


def attribute(what: str, name: str) -> Pick:
    """Return what picks the thing that a module calls by this name."""

    def pick(module: ModuleType, place: str, part: str) -> Any:
        found = getattr(module, part or name, None)
        if found is None:
            raise SpecError(f"{place} holds no {what}: give it one as {part or name} = ...")
        return found

    return pick


class Registry(MutableMapping[str, T], Generic[T]):
    """Things by name, as "module:attribute"; a new one is a line, or `registry[name] = thing`.

    With a `group`, installed packages offer more as entry points of it, which `adapt` may dress;
    with a `pick`, a path that ends in .py and the dotted name of a module stand for what it picks.
    """

    def __init__(
        self,
        what: str,
        places: dict[str, str],
        group: str = "",
        pick: Pick | None = None,
        adapt: Callable[[Any, str], T] = lambda thing, name: thing,
    ) -> None:
        self.what = what  # names the kind of thing in errors
        self._places = dict(places)
        self._loaded: dict[str, T] = {}
        self._group = group
        self._pick = pick
        self._adapt = adapt

    def find(self, name: str, part: str = "") -> T:
        """Return the thing of a name, with `part` its name in a file; raises SpecError.

        The error lists what exists.
        """
        if name in self._loaded:
            return self._loaded[name]
        places = self._all_places()
        if name in places:
            self._loaded[name] = self._from_place(name, places[name])
            return self._loaded[name]
        if self._pick is not None and own.is_own(name):
            picked: T = self._pick(own.load(name), own.name_of(name), part)
            return picked
        raise unknown(self.what, name, self)

    def _from_place(self, name: str, place: str) -> T:
        module, _, attribute = place.partition(":")
        if name in self._places:
            built_in: T = getattr(importlib.import_module(module), attribute)
            return built_in
        try:
            return self._adapt(getattr(own.load(module), attribute), name)
        except (AttributeError, SpecError) as error:
            raise OwnCodeError(
                f"{self.what} {name!r}, which an installed package offers as {place}: {error}"
            ) from None

    def _all_places(self) -> dict[str, str]:
        return {**offered(self._group), **self._places} if self._group else self._places

    def __getitem__(self, name: str) -> T:
        if name not in self:
            raise KeyError(name)
        return self.find(name)

    def __setitem__(self, name: str, thing: T) -> None:
        self._loaded[name] = thing

    def __delitem__(self, name: str) -> None:
        self._loaded.pop(name, None)
        self._places.pop(name, None)

    def __contains__(self, name: object) -> bool:
        return name in self._loaded or name in self._all_places()

    def __iter__(self) -> Iterator[str]:
        yield from dict.fromkeys([*self._places, *self._all_places(), *self._loaded])

    def __len__(self) -> int:
        return len(list(iter(self)))
